"""Zip archives of models: single members, by name, within limits. Nothing is unpacked to disk, and no pickle is read."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Protocol

from runglass.query.graphs.model import GraphDamaged

# A description of a model has a few kilobytes per node; a bomb has more.
MEMBER_LIMIT_BYTES = 256 << 20
SHOWN_NAMES = 3


class RangeReader(Protocol):
    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size: int) -> bytes: ...


def open_ranges(read: Callable[[int, int], bytes], size: int) -> io.BufferedReader:
    """A file object over ranges, so that only what is needed of an archive is read."""
    return _BoundedReader(RangeFile(read, size))


class _BoundedReader(io.BufferedReader):
    """Makes no room for more bytes than there are, whatever a damaged archive asks for."""

    raw: RangeFile

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, self.raw.size - self.tell())
        return super().read(left if size is None or size < 0 else min(size, left))


class RangeFile(io.RawIOBase):
    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self._read = read
        self.size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._read(self._at, max(0, min(len(buffer), self.size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class Archive:
    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        try:
            self._zip = zipfile.ZipFile(open_ranges(read, size))
            self._infos = {info.filename: info for info in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
            raise GraphDamaged(f"This is not a zip archive: {error}. The file may be cut off.") from None
        unsafe = [name for name in self._infos if not is_safe(name)]
        self.names = [name for name in self._infos if is_safe(name)]
        self.problems: list[str] = []
        if unsafe:
            shown = ", ".join(repr(name[:80]) for name in unsafe[:SHOWN_NAMES])
            self.problems.append(f"The archive names files outside itself ({shown}); they are left alone.")

    def read(self, name: str) -> bytes:
        info = self._infos[name]
        if info.file_size > MEMBER_LIMIT_BYTES:
            raise self._too_large(name, info.file_size)
        try:
            with self._zip.open(info) as member:
                # The size that an archive states may be wrong.
                data = member.read(MEMBER_LIMIT_BYTES + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            OSError,
            EOFError,
            RuntimeError,
            NotImplementedError,
        ) as error:
            raise GraphDamaged(f"{name} in the archive cannot be read: {error}.", where=name) from None
        if len(data) > MEMBER_LIMIT_BYTES:
            raise self._too_large(name, len(data))
        return data

    def _too_large(self, name: str, size: int) -> GraphDamaged:
        return GraphDamaged(
            f"{name} in the archive has {size:,} bytes or more once it is unpacked, over the limit of {MEMBER_LIMIT_BYTES:,}.",
            where=name,
        )


def is_safe(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return bool(name) and parts[0] != "" and ".." not in parts and ":" not in parts[0]
