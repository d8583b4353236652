"""Where mirrors are: one folder for each location, for one process at a time, bounded together."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

LIMIT_BYTES = 20 << 30
SLOTS = 16


class MirrorFolder:
    """A folder that this process has for itself until `close`. Another server of the same location takes the next one."""

    def __init__(self, cache: Path | None, location: str) -> None:
        """Without a cache folder, one that is deleted on `close`."""
        self._lock: IO[bytes] | None = None
        self._temporary = None
        if cache is not None:
            with suppress(OSError):
                self.path = self._take(cache / "remote", location)
                return
        self._temporary = tempfile.TemporaryDirectory(prefix="runglass-remote-")
        self.path = Path(self._temporary.name)

    def _take(self, folder: Path, location: str) -> Path:
        key = hashlib.blake2b(location.encode(), digest_size=12).hexdigest()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(SLOTS):
            path = folder / (f"{key}-{number}" if number else key)
            path.mkdir(mode=0o700, exist_ok=True)
            lock = _lock(path / "lock")
            if lock is not None:
                self._lock = lock
                os.utime(path)
                return path
        raise BlockingIOError(f"{SLOTS} servers have {folder} open")

    @property
    def is_kept(self) -> bool:
        return self._temporary is None

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.cleanup()

    def make_room(self, limit_bytes: int = LIMIT_BYTES) -> int:
        """Delete mirrors that nobody has open, longest unused first, until all are within the limit. Returns by how much they
        still exceed it."""
        if self._temporary is not None:
            return 0
        sizes = {}
        for path in self.path.parent.iterdir():
            with suppress(OSError):
                sizes[path] = (path.stat().st_mtime, _disk_bytes(path))
        excess = sum(size for _, size in sizes.values()) - limit_bytes
        for path, (_, size) in sorted(sizes.items(), key=lambda each: each[1][0]):
            if excess <= 0:
                break
            if path == self.path:
                continue
            lock = _lock(path / "lock")
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                lock.close()
                excess -= size
        return max(0, excess)


def _disk_bytes(folder: Path) -> int:
    """What a folder takes on disk: files here are mostly holes."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.stat(os.path.join(path, name))
                total += getattr(found, "st_blocks", -(-found.st_size // 512)) * 512
    return total


def _lock(path: Path) -> IO[bytes] | None:
    """A lock that ends with the process; None if another one has it."""
    file = open(path, "ab")  # noqa: SIM115 - it is held as long as the folder is used
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
