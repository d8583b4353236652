"""One line for every request: when, who, which project, what, and what came of it. Tokens are never in it.

Fields are separated by tabs: time, user, project, method, path, status, bytes, milliseconds; `-` for none.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from pathlib import Path

from msgspec import Struct

from runglass.errors import RunglassError
from runglass.visible import make_one_line
from runglass.whole_file import identify

# A log that was renamed is noticed after this time at the latest, without a signal.
LOOK_EVERY_S = 1.0
TELL_EVERY_S = 60.0
MAX_PATH = 2_000
IN_PATH = re.compile(r"/~[^/]+")
IN_QUERY = re.compile(r"((?:^|&)token=)[^&]*", re.IGNORECASE)

logger = logging.getLogger("runglass")


class Visit(Struct):
    """What becomes known of a request while it is answered."""

    method: str
    path: str
    query: str
    # Seconds on a clock that only goes forward.
    began: float
    user: str = ""
    project: str = ""
    status: int = 0
    size_bytes: int = 0


def without_secrets(path: str, query: str) -> str:
    shown = IN_PATH.sub("/~…", path, count=1)
    if query:
        # The name of the parameter may be written with escapes.
        kept = IN_QUERY.sub(r"\1…", query) if "%" not in query else _rewrite(query)
        shown = f"{shown}?{kept}"
    return shown if len(shown) <= MAX_PATH else f"{shown[:MAX_PATH]}…"


def _rewrite(query: str) -> str:
    from urllib.parse import unquote_plus

    pairs = [pair.partition("=") for pair in query.split("&")]
    return "&".join(
        f"{name}=…" if unquote_plus(name).lower() == "token" else f"{name}{equals}{value}"
        for name, equals, value in pairs
    )


class AccessLog:
    def __init__(self, path: str) -> None:
        """A file, which is appended to, or `-` for standard output. Raises RunglassError."""
        self._path = None if path == "-" else Path(path)
        self._file = sys.stdout.fileno() if path == "-" else -1
        self._looked_at = 0.0
        self._told_at = -TELL_EVERY_S
        if self._path is not None:
            try:
                self._open()
            except OSError as error:
                raise RunglassError(
                    f"The access log {path} cannot be opened: {error.strerror}.", where="access_log"
                ) from error

    def write(self, visit: Visit) -> None:
        """Never raises: a full disk must not keep anybody from the page."""
        now = time.time()
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
        fields = (
            stamp,
            visit.user or "-",
            visit.project or "-",
            visit.method,
            without_secrets(visit.path, visit.query),
            str(visit.status or "-"),
            str(visit.size_bytes),
            f"{(time.monotonic() - visit.began) * 1e3:.1f}",
        )
        line = "\t".join(make_one_line(field) for field in fields) + "\n"
        try:
            if self._path is not None and time.monotonic() - self._looked_at > LOOK_EVERY_S:
                self._follow(self._path)
            # One write: lines of several processes do not mix.
            os.write(self._file, line.encode(errors="backslashreplace"))
        except OSError as error:
            self._tell(error)

    def reopen(self) -> None:
        """After the file was renamed: go on in a new one of the old name."""
        if self._path is None:
            return
        try:
            self._open()
        except OSError as error:
            self._tell(error)

    def close(self) -> None:
        if self._path is not None and self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> None:
        assert self._path is not None
        opened = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
        self.close()
        self._file = opened
        self._looked_at = time.monotonic()

    def _follow(self, path: Path) -> None:
        self._looked_at = time.monotonic()
        there = identify(path)
        if there is None or self._file < 0 or there[0] != os.fstat(self._file).st_ino:
            self._open()

    def _tell(self, error: OSError) -> None:
        if time.monotonic() - self._told_at >= TELL_EVERY_S:
            self._told_at = time.monotonic()
            logger.error("The access log cannot be written: %s.", error.strerror)
