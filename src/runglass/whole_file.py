"""A small file that several processes read and replace as a whole. A reader sees the old content or the new, never a part; writers take turns."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOOK_INTERVAL_S = 0.02
PATIENCE_S = 10.0

# Changes with every replacement: file number, size and time.
Identity = tuple[int, int, int]


def identify(path: Path) -> Identity | None:
    """None: there is no such file, or nobody may ask."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One writer at a time, on every machine that the file system keeps locks for. Raises OSError (TimeoutError after a while)."""
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError(f"another process has held its lock for {PATIENCE_S:g} s")
            time.sleep(LOOK_INTERVAL_S)
        yield
    finally:
        # The lock goes with it. The file stays: removing it would let a third process lock another one.
        os.close(descriptor)


def replace(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put new content in place of the old at once. A link is followed: what it points to is replaced. Raises OSError."""
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    # The access that others were given stays.
    with suppress(OSError):
        mode = target.stat().st_mode & 0o777
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, mode)
        os.replace(unfinished, target)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # Not every file system has locks. Replacing at once keeps the file whole even so.
        return True
    return True
