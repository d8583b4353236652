"""The log directories a user names: parses them, and names their runs. Reads no directory."""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from runglass.errors import BadRequest
from runglass.ingest.remote.address import URL, is_remote, parse_address
from runglass.store.reach import shown_name

_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class LogRoot(Struct, frozen=True):
    """One directory (or single event file) with runs, and the prefix of their names."""

    # As the user wrote it, without credentials; shown, never opened.
    shown: str
    # An absolute path, or the address of something remote with its credentials.
    path: str
    # Prefix of the run names; "" for none.
    name: str = ""

    def run_name(self, relative: str) -> str:
        name = shown_name(relative) or "."
        return f"{self.name}/{name}" if self.name else name

    def relative(self, path: str) -> str:
        """A path at or below this one, relative to it; "" for this one itself."""
        return path[len(self.path) :].lstrip(os.sep)


def parse_root(text: str, *, name: str = "") -> LogRoot:
    if is_remote(text):
        return LogRoot(shown=parse_address(text).shown, path=text, name=name)
    url = URL.match(text)
    path = _local_path(text) if url and url[1].lower() == "file" else None if url else text
    if path is None:
        raise BadRequest(
            f"Log directory {text!r}: Runglass cannot read from there. It reads paths, and addresses that begin with s3://, gs://, "
            "az://, https:// or sftp://.",
            where="logdir",
        )
    if "\0" in text:
        raise BadRequest(f"Log directory {text!r}: no path has a null character in it.", where="logdir")
    try:
        place = Path(path).expanduser().absolute()
    except RuntimeError:
        raise BadRequest(
            f"Log directory {text!r}: there is no user of that name. A folder that begins so is written ./{text}.",
            where="logdir",
        ) from None
    return LogRoot(shown=text, path=str(place), name=name)


def _local_path(url: str) -> str | None:
    """The path of a file URL; None if it is on another machine.  "file:///logs/a%20b" -> "/logs/a b\""""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    parts = urlsplit(url)
    return url2pathname(parts.path) if parts.netloc in ("", "localhost") else None


def parse_spec(spec: str) -> list[LogRoot]:
    """TensorBoard's --logdir_spec: `name:path,name2:path2`, names optional.  "a:/x,/y" -> a under /x, and /y"""
    roots = []
    for item in filter(None, (piece.strip() for piece in spec.split(","))):
        name, colon, path = item.partition(":")
        is_drive = os.name == "nt" and _WINDOWS_DRIVE.match(item) is not None
        is_plain = not colon or item.startswith("/") or URL.match(item) is not None or is_drive
        roots.append(parse_root(item) if is_plain else parse_root(path, name=name))
    names = [root.name for root in roots if root.name]
    for name in names:
        if names.count(name) > 1:
            raise BadRequest(
                f"--logdir_spec {spec!r} has the name {name!r} twice. Give every directory a different name.",
                where="logdir_spec",
            )
    if not roots:
        raise BadRequest(
            f"--logdir_spec {spec!r} names no directory; expected name:path,name2:path2.", where="logdir_spec"
        )
    return roots


def name_roots(roots: list[LogRoot]) -> list[LogRoot]:
    """Name each of several unnamed roots after its directory, so that runs of equal names stay apart."""
    if len(roots) < 2:
        return roots
    taken = {root.name for root in roots if root.name}
    named = []
    for root in roots:
        name = root.name
        if not name:
            stem = os.path.basename(root.path.rstrip("/")) or "root"
            name = next(
                each
                for each in (stem, *(f"{stem}-{n}" for n in range(2, len(roots) + 2)))
                if each not in taken
            )
            taken.add(name)
        named.append(LogRoot(root.shown, root.path, name))
    return named
