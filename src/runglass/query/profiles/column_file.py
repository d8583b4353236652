"""Traces as files of columns: written once, then mapped into memory, so that only what is asked for is read.

A file has the arrays and, behind them, a head (JSON: what is small, and where each array is); its first bytes say where that is. It is
renamed into place; one that is lost or damaged is made again. The least recently used go when the folder is full.
"""

from __future__ import annotations

import logging
import mmap
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Any, Self, TypedDict

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.query.profiles.model import ARRAYS, Trace, TraceInfo

logger = logging.getLogger("runglass")

# The number changes with the layout. Files with another one are not read, and evicted in time.
LAYOUT = 7
MAGIC = b"runglass trace\n\0"
# Where the head is; 0 in a file that is not finished.
PLACE_SIZE = 8
ALIGNMENT = 64
SUFFIX = ".trace"
UNFINISHED = ".tmp"
LIMIT_BYTES = 8 << 30
# After this, an unfinished file was left by a killed process.
LEFT_OVER_S = 3600.0
# Of arrays that are written at once.
CHUNK_BYTES = 16 << 20
# Smaller ones that are needed only for a while stay in memory.
PARKED_BYTES = 32 << 20


def make_key(parts: Sequence[object]) -> str:
    """The name of the file for a trace; `parts` identify its content."""
    text = msgspec.json.encode([LAYOUT, *parts])
    return blake2b(text, digest_size=16).hexdigest()


class ColumnFiles:
    def __init__(self, folder: Path | None, *, limit_bytes: int = LIMIT_BYTES) -> None:
        """Without a folder, traces are in files without a name, which vanish with the process."""
        self._folder = None if folder is None else folder / "profiles"
        self._limit_bytes = limit_bytes

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

    def begin(self, key: str) -> ColumnWriter:
        """A trace on its way into its file."""
        if self._folder is None:
            return ColumnWriter(open_nameless(None))
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished = self._folder / f"{key}.{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}"
            file = open(unfinished, "w+b", buffering=0)  # noqa: SIM115 - the writer closes it
        except OSError as error:
            return ColumnWriter(open_nameless(None), failure=error)

        def publish(size_bytes: int) -> None:
            self._evict(size_bytes, self._path(key))
            os.replace(unfinished, self._path(key))

        return ColumnWriter(file, unfinished, publish)

    def put(self, key: str, trace: Trace) -> Trace:
        """The same trace, mapped from its file. Raises OSError if there is no room."""
        with self.begin(key) as writer:
            return writer.finish(trace)

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


def open_nameless(folder: Path | None) -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="runglass-", dir=folder, buffering=0)


class Memory:
    """Columns of a trace that stay where they are."""

    def keep(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """A column that does not change any more."""
        return np.ascontiguousarray(array, ARRAYS[name])

    def park(self, array: NDArray[Any]) -> NDArray[Any]:
        """A large array that is needed only while the trace is made."""
        return array


class ColumnWriter(Memory):
    """Writes each column when it is known, and maps it from then on: a trace that is made takes little memory of its own.

    Whoever reads the files of a trace appends arguments to `file` before the first column. When the disk is full, columns stay in
    memory, and `finish` raises.
    """

    def __init__(
        self,
        file: IO[bytes],
        path: Path | None = None,
        publish: Callable[[int], None] | None = None,
        *,
        failure: OSError | None = None,
    ) -> None:
        self.file = file
        self._path = path
        self._publish = publish
        self._failure = failure
        self._listed: dict[str, Place] = {}
        file.seek(0)
        file.write((MAGIC + bytes(PLACE_SIZE)).ljust(ALIGNMENT, b"\0"))
        self._scratch: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()
        if self._scratch is not None:
            self._scratch.close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()

    def keep(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        if self._failure is not None or name in self._listed:
            return array
        array = super().keep(name, array)
        try:
            at = append(self.file, array)
            self._list(name, array, at)
            return map_array(self.file, at, array)
        except OSError as error:
            self._failure = error
            return array

    def adopt(self, arguments: NDArray[Any]) -> None:
        """They are in the file already."""
        self._list("arguments", arguments, ALIGNMENT)

    def park(self, array: NDArray[Any]) -> NDArray[Any]:
        if array.nbytes < PARKED_BYTES:
            return array
        try:
            if self._scratch is None:
                self._scratch = open_nameless(None if self._path is None else self._path.parent)
            return map_array(self._scratch, append(self._scratch, array), array)
        except OSError:
            return array

    def finish(self, trace: Trace) -> Trace:
        """The trace, mapped from the file that now has all of it. Raises OSError if it is not in the cache."""
        for name in ARRAYS:
            self.keep(name, getattr(trace, name))
        if self._failure is not None:
            raise self._failure
        write_head(self.file, trace.info, list(self._listed.values()))
        mapped = map_trace(self.file, trace.info, list(self._listed.values()))
        if self._publish is not None:
            self.file.close()
            self._publish(trace.size_bytes)
            self._path = None
        return mapped

    def _list(self, name: str, array: NDArray[Any], at: int) -> None:
        self._listed[name] = {"name": name, "type": array.dtype.str, "length": len(array), "at": at}


def append(file: IO[bytes], array: NDArray[Any]) -> int:
    """Where it is in the file."""
    end = file.seek(0, os.SEEK_END)
    at = end + -end % ALIGNMENT
    write_all(file, b"\0" * (at - end))
    data = array.view(np.uint8).data if len(array) else memoryview(b"")
    for start in range(0, len(data), CHUNK_BYTES):
        write_all(file, data[start : start + CHUNK_BYTES])
    return at


def write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    done = 0
    while done < len(data):
        done += file.write(data[done:])


def map_array(file: IO[bytes], at: int, like: NDArray[Any]) -> NDArray[Any]:
    if not len(like):
        return like
    first = at - at % mmap.ALLOCATIONGRANULARITY
    mapped = mmap.mmap(file.fileno(), at - first + like.nbytes, access=mmap.ACCESS_READ, offset=first)
    return np.frombuffer(mapped, like.dtype, len(like), at - first)


def write_head(file: IO[bytes], info: TraceInfo, listed: list[Place]) -> None:
    at = file.seek(0, os.SEEK_END)
    write_all(file, msgspec.json.encode({"info": info, "arrays": listed}))
    file.seek(len(MAGIC))
    write_all(file, at.to_bytes(PLACE_SIZE, "little"))


class Place(TypedDict):
    """Where an array is."""

    name: str
    type: str
    length: Annotated[int, msgspec.Meta(ge=0)]
    at: Annotated[int, msgspec.Meta(ge=0)]


class Head(msgspec.Struct):
    info: TraceInfo
    arrays: list[Place]

    def __post_init__(self) -> None:
        types = {each["name"]: each["type"] for each in self.arrays}
        if types != {name: np.dtype(dtype).str for name, dtype in ARRAYS.items()}:
            raise ValueError("its columns are others")


def read(file: IO[bytes]) -> Trace:
    """Raises ValueError if the file is not one, or not whole."""
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    start = file.read(len(MAGIC) + PLACE_SIZE)
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + PLACE_SIZE:
        raise ValueError("it is not a trace")
    place = int.from_bytes(start[len(MAGIC) :], "little")
    if not len(start) <= place < size:
        raise ValueError("it is cut off")
    file.seek(place)
    head = msgspec.json.decode(file.read(size - place), type=Head)
    return map_trace(file, head.info, head.arrays)


def map_trace(file: IO[bytes], info: TraceInfo, listed: list[Place]) -> Trace:
    size = os.fstat(file.fileno()).st_size
    mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    arrays: dict[str, NDArray[Any]] = {}
    for each in listed:
        dtype = np.dtype(each["type"])
        if each["at"] + each["length"] * dtype.itemsize > size:
            raise ValueError("it is cut off")
        arrays[each["name"]] = np.frombuffer(mapped, dtype, each["length"], each["at"])
    trace = Trace(info, arrays)
    trace.mapped = mapped
    return trace
