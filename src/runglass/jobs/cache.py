"""The result cache: in memory, and on disk for works that ask for it. Knows ids and bytes only.

Several servers may share a cache folder. Files are renamed into place and have a checksum; a lost or damaged one is computed
again. If the folder cannot be used, that is logged once and the cache goes on in memory.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from runglass.jobs.context import Encoded
from runglass.lru import LruCache

logger = logging.getLogger("runglass")

MEMORY_BYTES = 256 * 2**20
DISK_BYTES = 2 * 2**30
# The number changes with the layout of files. Files with another one are not read, and evicted in time.
MAGIC = b"runglass result 1\n"
CHECKSUM_BYTES = 16
SUFFIX = ".result"
UNFINISHED = ".tmp"
# After this, a temporary file was left by a killed server.
LEFT_OVER_S = 3600.0


class ResultCache:
    def __init__(
        self, folder: Path | None = None, *, memory_bytes: int = MEMORY_BYTES, disk_bytes: int = DISK_BYTES
    ) -> None:
        """Without a folder, results are cached in memory only."""
        self._memory: LruCache[str, Encoded] = LruCache(memory_bytes, size_of=lambda value: len(value.data))
        self._disk = None if folder is None else DiskCache(folder, disk_bytes)

    def get(self, key: str) -> Encoded | None:
        found = self._memory.get(key)
        if found is None and self._disk is not None:
            found = self._disk.get(key)
            if found is not None:
                self._memory.put(key, found)
        return found

    def put(self, key: str, value: Encoded, *, on_disk: bool) -> None:
        self._memory.put(key, value)
        if on_disk and self._disk is not None:
            self._disk.put(key, value)


class DiskCache:
    """The least recently used results are deleted beyond a number of bytes. One file per result; its modification
    time is the time of its last use.
    """

    def __init__(self, folder: Path, limit_bytes: int, *, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._folder = folder / "results"
        self._limit_bytes = limit_bytes
        self._clock_ns = clock_ns
        self._has_complained = False

    def get(self, key: str) -> Encoded | None:
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain(error)
            return None
        found = unpack(data)
        with suppress(OSError):
            if found is None:
                path.unlink()
            else:
                now = self._clock_ns()
                os.utime(path, ns=(now, now))
        return found

    def put(self, key: str, value: Encoded) -> None:
        data = pack(value)
        if len(data) > self._limit_bytes:
            return
        unfinished = self._folder / f"{key}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Evict before writing: the folder never exceeds its limit.
            self._evict(room_bytes=len(data), instead_of=self._path(key))
            try:
                unfinished.write_bytes(data)
                now = self._clock_ns()
                os.utime(unfinished, ns=(now, now))
                os.replace(unfinished, self._path(key))
            finally:
                with suppress(OSError):
                    unfinished.unlink()
        except OSError as error:
            self._complain(error)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{SUFFIX}"

    def _evict(self, *, room_bytes: int, instead_of: Path) -> None:
        """Delete least recently used files until there is room. Other servers may do the same at the same time."""
        now_ns = self._clock_ns()
        files = sorted(self._list_files())
        size_bytes = room_bytes + sum(size for _, path, size in files if path != instead_of)
        for used_ns, path, size in files:
            if path.suffix == UNFINISHED:
                is_due = now_ns - used_ns > LEFT_OVER_S * 1e9
            else:
                is_due = size_bytes > self._limit_bytes and path != instead_of
            if is_due:
                size_bytes -= size
                with suppress(FileNotFoundError):
                    path.unlink()

    def _list_files(self) -> Iterator[tuple[int, Path, int]]:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                # The user may have chosen a folder with other files in it.
                if entry.name.endswith((SUFFIX, UNFINISHED)):
                    with suppress(FileNotFoundError):
                        about = entry.stat()
                        yield about.st_mtime_ns, Path(entry.path), about.st_size

    def _complain(self, error: OSError) -> None:
        if not self._has_complained:
            self._has_complained = True
            logger.warning(
                "Results cannot be cached in %s: %s. They are cached in memory only, and the next server computes them"
                " again. Choose another folder with --cache-dir.",
                self._folder,
                error.strerror or error,
            )


def pack(value: Encoded) -> bytes:
    kind = b"j" if value.is_json else b"b"
    checksum = blake2b(kind + value.data, digest_size=CHECKSUM_BYTES).digest()
    return b"".join([MAGIC, checksum, kind, value.data])


def unpack(data: bytes) -> Encoded | None:
    """None unless this is exactly what `pack` made."""
    begin = len(MAGIC) + CHECKSUM_BYTES
    if not data.startswith(MAGIC) or data[begin : begin + 1] not in (b"j", b"b"):
        return None
    if blake2b(memoryview(data)[begin:], digest_size=CHECKSUM_BYTES).digest() != data[len(MAGIC) : begin]:
        return None
    return Encoded(data[begin + 1 :], is_json=data[begin : begin + 1] == b"j")
