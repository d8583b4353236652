"""Traces as files of columns: written once, then mapped into memory, so that only what is asked for is read.

A file has a head (JSON: what is small, and where each array is) and the arrays. It is renamed into place; one that is lost or
damaged is made again. The least recently used go when the folder is full.
"""

from __future__ import annotations

import logging
import mmap
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.query.profiles.arguments import release
from runglass.query.profiles.model import ARRAYS, Trace, TraceInfo

logger = logging.getLogger("runglass")

# The number changes with the layout. Files with another one are not read, and evicted in time.
LAYOUT = 1
MAGIC = b"runglass trace\n\0"
HEAD_SIZE = 8
ALIGNMENT = 64
SUFFIX = ".trace"
UNFINISHED = ".tmp"
LIMIT_BYTES = 8 << 30
# After this, an unfinished file was left by a killed process.
LEFT_OVER_S = 3600.0
# Of arrays that are written at once.
CHUNK_BYTES = 16 << 20


def make_key(parts: Sequence[object]) -> str:
    """The name of the file for a trace; `parts` identify its content."""
    text = msgspec.json.encode([LAYOUT, *parts])
    return blake2b(text, digest_size=16).hexdigest()


class ColumnFiles:
    def __init__(self, folder: Path | None, *, limit_bytes: int = LIMIT_BYTES) -> None:
        """Without a folder, traces are in files without a name, which vanish with the process."""
        self._folder = None if folder is None else folder / "profiles"
        self._limit_bytes = limit_bytes

    def spill(self) -> IO[bytes]:
        """A file without a name for what does not fit into memory while a trace is read."""
        if self._folder is not None:
            with suppress(OSError):
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                return tempfile.TemporaryFile(prefix="runglass-", dir=self._folder)
        return tempfile.TemporaryFile(prefix="runglass-")

    def has(self, key: str) -> bool:
        return self._folder is not None and self._path(key).exists()

    def get(self, key: str) -> Trace | None:
        if self._folder is None:
            return None
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                trace = read(file)
            now = time.time_ns()
            os.utime(path, ns=(now, now))
            return trace
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.DecodeError) as error:
            logger.warning("%s cannot be used (%s); the trace is read again.", path, error)
            with suppress(OSError):
                path.unlink()
            return None

    def put(self, key: str, trace: Trace) -> Trace:
        """The same trace, mapped from its file. Raises OSError if there is no room."""
        if self._folder is None:
            with tempfile.TemporaryFile(prefix="runglass-") as file:
                write(file, trace)
                return read(file)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._evict(trace.size_bytes, self._path(key))
        unfinished = self._folder / f"{key}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}"
        try:
            with open(unfinished, "w+b") as file:
                write(file, trace)
                mapped = read(file)
            os.replace(unfinished, self._path(key))
            return mapped
        finally:
            with suppress(OSError):
                unfinished.unlink()

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{key}{SUFFIX}"

    def _evict(self, room_bytes: int, instead_of: Path) -> None:
        """Other servers may do the same at the same time."""
        assert self._folder is not None
        found = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    state = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(UNFINISHED):
                        if time.time() - state.st_mtime > LEFT_OVER_S:
                            os.unlink(entry.path)
                    elif entry.name.endswith(SUFFIX) and entry.path != str(instead_of):
                        found.append((state.st_mtime_ns, state.st_size, entry.path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total + room_bytes <= self._limit_bytes:
                break
            with suppress(OSError):
                os.unlink(path)
                total -= size


def write(file: IO[bytes], trace: Trace) -> None:
    listed: list[dict[str, Any]] = []
    at = 0
    for name, dtype in ARRAYS.items():
        array = getattr(trace, name)
        listed.append({"name": name, "type": np.dtype(dtype).str, "length": len(array), "at": at})
        at += len(array) * np.dtype(dtype).itemsize
        at += -at % ALIGNMENT
    head = msgspec.json.encode({"info": trace.info, "arrays": listed})
    head += b" " * (-(len(MAGIC) + HEAD_SIZE + len(head)) % ALIGNMENT)
    file.write(MAGIC + len(head).to_bytes(HEAD_SIZE, "little") + head)
    for name, dtype in ARRAYS.items():
        array = np.ascontiguousarray(getattr(trace, name), dtype)
        data = array.view(np.uint8).data
        for start in range(0, len(data), CHUNK_BYTES):
            file.write(data[start : start + CHUNK_BYTES])
            release(getattr(trace, name))
        file.write(b"\0" * (-array.nbytes % ALIGNMENT))
    file.flush()


class Head(msgspec.Struct):
    info: TraceInfo
    arrays: list[dict[str, Any]]


def read(file: IO[bytes]) -> Trace:
    """Raises ValueError if the file is not one, or not whole."""
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    start = file.read(len(MAGIC) + HEAD_SIZE)
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + HEAD_SIZE:
        raise ValueError("it is no trace")
    length = int.from_bytes(start[len(MAGIC) :], "little")
    if length > size:
        raise ValueError("it is cut off")
    head = msgspec.json.decode(file.read(length), type=Head)
    first = len(start) + length
    mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    arrays: dict[str, NDArray[Any]] = {}
    for each in head.arrays:
        dtype = np.dtype(each["type"])
        if first + each["at"] + each["length"] * dtype.itemsize > size:
            raise ValueError("it is cut off")
        arrays[each["name"]] = np.frombuffer(mapped, dtype, each["length"], first + each["at"])
    if arrays.keys() != ARRAYS.keys():
        raise ValueError("its columns are others")
    trace = Trace(head.info, arrays)
    trace.mapped = mapped
    return trace
