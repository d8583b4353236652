"""Addresses of remote logs: which there are, what each needs to be installed, and how they are shown without credentials.

Imports nothing of a backend: the command parses addresses before it serves the page.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from runglass.errors import BadRequest

URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
# What may hold credentials in texts of backends: `//user:password@`, and parameters of signed addresses.
_USER_INFO = re.compile(r"(?<=//)([^/@\s:]*):[^/@\s]*@")
_PARAMETER = re.compile(
    r"(?i)\b((?:x-amz-|x-goog-)?(?:signature|credential|security-token|token|sig|password|secret|key))=[^&\s'\"]+"
)
HIDDEN = "…"


class Backend(Struct, frozen=True):
    # Packages that must be importable, and the extra of Runglass that brings them.
    modules: tuple[str, ...]
    extra: str


_S3 = Backend(("s3fs",), "s3")
_GS = Backend(("gcsfs",), "gs")
_AZ = Backend(("adlfs",), "az")
_HTTP = Backend(("fsspec", "aiohttp"), "http")
_SFTP = Backend(("fsspec", "paramiko"), "sftp")
BACKENDS = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GS,
    "gcs": _GS,
    "az": _AZ,
    "abfs": _AZ,
    "abfss": _AZ,
    "http": _HTTP,
    "https": _HTTP,
    "sftp": _SFTP,
    "ssh": _SFTP,
    # The store of fsspec inside a process, for tests.
    "memory": Backend(("fsspec",), "http"),
}


class Address(Struct, frozen=True):
    """A remote log directory. `user` and `password` are never shown."""

    scheme: str
    # Host and port, or the bucket.
    place: str
    path: str
    user: str = ""
    password: str = ""

    @property
    def shown(self) -> str:
        """As people see it: without a password, and without a slash at its end."""
        user = f"{self.user}@" if self.user and self.scheme in ("sftp", "ssh") else ""
        return f"{self.scheme}://{user}{self.place}{self.path}".rstrip("/")

    def hide(self, text: str) -> str:
        """A message of a backend without credentials."""
        if self.password:
            text = text.replace(self.password, HIDDEN)
        return _PARAMETER.sub(rf"\1={HIDDEN}", _USER_INFO.sub(rf"\1:{HIDDEN}@", text))


def is_remote(text: str) -> bool:
    url = URL.match(text)
    return url is not None and url[1].lower() in BACKENDS


def split_address(text: str) -> Address:
    """An address as it is written, whether it can be opened or not."""
    parts = urlsplit(text)
    return Address(
        parts.scheme.lower(),
        parts.netloc.rpartition("@")[2],
        parts.path,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def parse_address(text: str) -> Address:
    """Raises BadRequest where something is wrong with it, or where its backend is not installed."""
    parts = urlsplit(text)
    address = split_address(text)
    scheme, host, shown = address.scheme, address.place, address.shown
    if parts.query or parts.fragment:
        raise BadRequest(
            f"Log directory {shown}: what follows '?' or '#' is not part of a directory. Name the directory alone; "
            "credentials belong into the settings of the backend.",
            where="logdir",
        )
    if not host:
        raise BadRequest(f"Log directory {text!r}: there is no host or bucket after '//'.", where="logdir")
    backend = BACKENDS[scheme]
    missing = [name for name in backend.modules if find_spec(name) is None]
    if missing:
        raise BadRequest(
            f"Log directory {shown}: {scheme}:// needs the package {missing[0]}, which is not installed. "
            f"Install it with: pip install 'runglass[{backend.extra}]'",
            where="logdir",
        )
    return address
