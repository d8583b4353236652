"""Locks on files that end with the process that holds them, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, which refuses to remove files that are in use.
    fcntl = None  # type: ignore[assignment]


class SharedLock:
    """Held until it is collected: the file is in use by this process."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._fd)


def lock_shared(fd: int) -> SharedLock | None:
    """Mark an open file as used. None where the file system has no locks; then others may remove it."""
    if fcntl is None:
        return None
    own = os.dup(fd)
    try:
        fcntl.flock(own, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(own)
        return None
    return SharedLock(own)


def remove_unused(path: Path) -> bool:
    """Remove a file unless another process (or this one) uses it. Returns whether it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if fcntl is not None:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


@contextmanager
def writing(folder: Path) -> Iterator[bool]:
    """Be the only writer of a folder. Gives False when another process is."""
    fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            if fcntl is not None:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                import msvcrt

                msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(fd)
