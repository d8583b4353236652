"""Where the bytes of event files go: a local directory, or any place that fsspec knows. One owner; raises on trouble.

A sink begins files and appends to the newest. It knows nothing of records but the first one of a file.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from runglass.errors import BadArgument
from runglass.writer.files import record_file
from runglass.writer.files.record_file import create_file, file_stem, first_record, not_before

# An object is uploaded whole each time, so a long log is several objects.
OBJECT_LIMIT_BYTES = 32 << 20
# Uploads on the sink's own account rest for so many times as long as the last one took.
UPLOAD_REST = 20


class Sink(Protocol):
    # Where the newest file is, for messages.
    path: str
    # The disk or store: what does not answer to one sink may not answer to others of it.
    device: Hashable

    def needs_file(self) -> bool:
        """Whether `begin` has to be called before `append`: there is no file yet, or it is gone, or full."""
        ...

    def begin(self) -> None:
        """A new file, which holds its first record when this returns."""
        ...

    def append(self, data: memoryview) -> int:
        """How many bytes were taken; the rest is to be given again."""
        ...

    def sync(self, *, is_forced: bool) -> None:
        """What was appended is out of this process, unless the sink rests and is not forced."""
        ...

    def finish(self) -> None: ...

    def unwritten(self) -> memoryview:
        """What was appended and has not left this process."""
        ...

    def abandon(self) -> None:
        """In a forked child: the file is the parent's, so nothing is written to it and the next one is the child's."""
        ...


def make_sink(logdir: str, suffix: str, clock: Callable[[], float]) -> Sink:
    """The sink of a path or URL; its first file is begun by whoever owns it."""
    path = local_path(logdir)
    return ObjectSink(logdir, suffix, clock) if path is None else LocalSink(path, suffix, clock)


def local_path(logdir: str) -> str | None:
    """The path of a logdir on this machine; None for a URL that leads elsewhere."""
    scheme, separator, _ = logdir.partition("://")
    if not separator:
        return logdir
    if scheme != "file":
        return None
    parts = urlsplit(logdir)
    if parts.netloc not in ("", "localhost"):
        raise BadArgument(
            f"{logdir} has {parts.netloc!r} in the place of a host. Write three slashes for an absolute path, or leave file:// away."
        )
    return unquote(parts.path)


class LocalSink:
    def __init__(self, directory: str, suffix: str, clock: Callable[[], float]) -> None:
        # Absolute, so that a training that changes its working directory does not lose sight of its file.
        self._directory = Path(directory).absolute()
        self._suffix = suffix
        self._clock = clock
        self._descriptor: int | None = None
        # Device and inode; None on file systems that make up another number at every look.
        self._identity: tuple[int, int] | None = None
        self._size = 0
        self.path = str(self._directory)
        self.device: Hashable = device_of(self._directory)

    def needs_file(self) -> bool:
        """Writing to a file that was removed succeeds without a word, so it is looked for."""
        if self._descriptor is None:
            return True
        try:
            ours = os.fstat(self._descriptor)
            there = os.stat(self.path)
        except PermissionError:
            # A directory that may not be looked into any more; what is open stays writable.
            there = ours
        except OSError:
            return True
        # A file that was cut no longer holds what was written to it; the next one is whole.
        return not self._is_ours(there) or not self._is_ours(ours) or ours.st_size < self._size

    def _is_ours(self, found: os.stat_result) -> bool:
        return self._identity is None or identity(found) == self._identity

    def begin(self) -> None:
        self.finish()
        start = self._clock()
        if self._directory.exists() and not self._directory.is_dir():
            raise NotADirectoryError(
                errno.ENOTDIR, "this is a file; a run needs a directory", str(self._directory)
            )
        self._directory.mkdir(parents=True, exist_ok=True)
        begun = not_before(start, os.listdir(self._directory))
        descriptor, path = create_file(self._directory, file_stem(begun), self._suffix)
        try:
            self._size = write_whole(descriptor, first_record(start))
            seen = {identity(os.fstat(descriptor)), identity(os.stat(path))}
        except OSError:
            os.close(descriptor)
            with suppress(OSError):
                path.unlink()
            raise
        self._identity = seen.pop() if len(seen) == 1 else None
        self._descriptor = descriptor
        self.path = str(path)

    def append(self, data: memoryview) -> int:
        assert self._descriptor is not None
        written = os.write(self._descriptor, data)
        self._size += written
        return written

    def sync(self, *, is_forced: bool) -> None:
        """The operating system has it all already."""

    def finish(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        # Where someone closed it for us, its number may be another file's by now.
        with suppress(OSError):
            if descriptor is not None and self._is_ours(os.fstat(descriptor)):
                os.close(descriptor)

    def unwritten(self) -> memoryview:
        return memoryview(b"")

    def abandon(self) -> None:
        self.finish()


def device_of(path: Path) -> int | None:
    """Of the directory, or of the one that it will be made in."""
    for each in (path, *path.parents):
        with suppress(OSError):
            return os.stat(each).st_dev
    return None


def identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def write_whole(descriptor: int, data: bytes) -> int:
    at = 0
    while at < len(data):
        at += os.write(descriptor, data[at:])
    return at


class ObjectSink:
    """Object stores cannot append: the newest file is kept in memory and uploaded whole, at growing intervals."""

    def __init__(self, url: str, suffix: str, clock: Callable[[], float]) -> None:
        self._url = url.rstrip("/")
        self._suffix = suffix
        self._clock = clock
        self._content = bytearray()
        self._uploaded_bytes = 0
        self._next_upload_s = 0.0
        self._place: tuple[Any, str] | None = None
        self.path = self._url
        self.device: Hashable = self._url.partition("://")[0]

    def needs_file(self) -> bool:
        return self._place is None or len(self._content) >= OBJECT_LIMIT_BYTES

    def begin(self) -> None:
        self.sync(is_forced=True)
        filesystem, root = file_system(self._url)
        start = self._clock()
        while True:
            name = f"{file_stem(start)}.{next(record_file.uids)}{self._suffix}"
            if not filesystem.exists(f"{root}/{name}"):
                break
        filesystem.makedirs(root, exist_ok=True)
        self._place = filesystem, f"{root}/{name}"
        self.path = f"{self._url}/{name}"
        self._content = bytearray(first_record(start))
        self._uploaded_bytes = 0
        try:
            self.sync(is_forced=True)
        except Exception:
            self.abandon()
            raise

    def append(self, data: memoryview) -> int:
        self._content += data
        return len(data)

    def sync(self, *, is_forced: bool) -> None:
        if self._place is None or self._uploaded_bytes == len(self._content):
            return
        started_s = time.monotonic()
        if started_s < self._next_upload_s and not is_forced:
            return
        filesystem, path = self._place
        filesystem.pipe_file(path, bytes(self._content))
        self._uploaded_bytes = len(self._content)
        ended_s = time.monotonic()
        self._next_upload_s = ended_s + UPLOAD_REST * (ended_s - started_s)

    def finish(self) -> None:
        self.sync(is_forced=True)
        self._place = None

    def unwritten(self) -> memoryview:
        return memoryview(bytes(self._content))[self._uploaded_bytes :]

    def abandon(self) -> None:
        self._place = None
        self._content = bytearray()
        self._uploaded_bytes = 0


def file_system(url: str) -> tuple[Any, str]:
    """fsspec's file system for a URL and the path in it; asked anew in a forked child, whose connections are its own."""
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise BadArgument(
            f"Writing to {url} needs fsspec: pip install fsspec, with the package for its scheme."
        ) from None
    try:
        filesystem, root = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise BadArgument(f"Cannot write to {url}: {error}") from None
    return filesystem, root.rstrip("/")
