"""Where the bytes of event files go: a local directory, or a store that fsspec knows. Not thread-safe; errors are raised.

A sink begins files and appends to the newest. Of records it knows only the first one of a file.
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

# A sink uploads whole objects, so a long log becomes several objects.
OBJECT_LIMIT_BYTES = 32 << 20
# Unless an upload is forced, the sink waits this many times as long as the last one took.
UPLOAD_PAUSE_FACTOR = 20


class Sink(Protocol):
    # The newest file, for messages.
    path: str
    # The disk or store. Sinks of one device share a thread, because one that hangs may hang for all of them.
    device: Hashable

    def needs_file(self) -> bool:
        """Whether `begin` must come before `append`: there is no file yet, or it is gone or full."""
        ...

    def begin(self) -> None:
        """Make a new file and write its first record."""
        ...

    def append(self, data: memoryview) -> int:
        """Return how many bytes were written; the caller passes the rest again."""
        ...

    def sync(self, *, is_forced: bool) -> None:
        """Send what was appended. Unless it is forced, a sink may put that off."""
        ...

    def finish(self) -> None: ...

    def unwritten(self) -> memoryview:
        """What was appended and is still in this process."""
        ...

    def abandon(self) -> None:
        """Forget the file, without writing to it: in a forked child it belongs to the parent."""
        ...


def make_sink(logdir: str, suffix: str, clock: Callable[[], float]) -> Sink:
    """The sink of a path or URL. The caller begins its first file."""
    path = local_path(logdir)
    return ObjectSink(logdir, suffix, clock) if path is None else LocalSink(path, suffix, clock)


def local_path(logdir: str) -> str | None:
    """The local path of a logdir; None for a URL of another place."""
    scheme, separator, _ = logdir.partition("://")
    if not separator:
        return logdir
    if scheme != "file":
        return None
    parts = urlsplit(logdir)
    if parts.netloc not in ("", "localhost"):
        raise BadArgument(
            f"{logdir} names the host {parts.netloc!r}. Write three slashes for an absolute path, or drop file://."
        )
    return unquote(parts.path)


class LocalSink:
    def __init__(self, directory: str, suffix: str, clock: Callable[[], float]) -> None:
        # Absolute, because training may change its working directory.
        self._directory = Path(directory).absolute()
        self._suffix = suffix
        self._clock = clock
        self._descriptor: int | None = None
        # Device and inode; None on file systems whose inode numbers change with every call.
        self._identity: tuple[int, int] | None = None
        self._size = 0
        self.path = str(self._directory)
        self.device: Hashable = device_of(self._directory)

    def needs_file(self) -> bool:
        """Checks that the file still exists: writing to a removed file succeeds silently."""
        if self._descriptor is None:
            return True
        try:
            ours = os.fstat(self._descriptor)
            there = os.stat(self.path)
        except PermissionError:
            # The directory is no longer readable, but the open file stays writable.
            there = ours
        except OSError:
            return True
        # Other code truncated the file, so it no longer holds what was written.
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
            self._size = write_fully(descriptor, first_record(start))
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
        """The operating system already has everything."""

    def finish(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        # If other code closed it, the number may belong to another file by now.
        with suppress(OSError):
            if descriptor is not None and self._is_ours(os.fstat(descriptor)):
                os.close(descriptor)

    def unwritten(self) -> memoryview:
        return memoryview(b"")

    def abandon(self) -> None:
        self.finish()


def device_of(path: Path) -> int | None:
    """The device of the directory, or of its nearest parent that exists."""
    for each in (path, *path.parents):
        with suppress(OSError):
            return os.stat(each).st_dev
    return None


def identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def write_fully(descriptor: int, data: bytes) -> int:
    at = 0
    while at < len(data):
        at += os.write(descriptor, data[at:])
    return at


class ObjectSink:
    """Object stores cannot append, so the newest file stays in memory and is uploaded whole, at growing intervals."""

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
        self._next_upload_s = ended_s + UPLOAD_PAUSE_FACTOR * (ended_s - started_s)

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
    """fsspec's file system for a URL, and the path in it. A forked child must ask again: it needs connections of its own."""
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
