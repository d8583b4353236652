"""A file that is streamed as it is produced: a library writes to it, and the server takes what was written."""

from __future__ import annotations

from io import RawIOBase
from typing import Any


class Sink(RawIOBase):
    """Has a position but cannot seek, so zipfile writes sizes after the data."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._at += len(part)
        return len(part)

    def tell(self) -> int:
        return self._at

    def take(self) -> bytes:
        """The bytes written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
