"""Where mirrors are: one folder for each location, for one process at a time, bounded together."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

FOLDER = "remote"
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
                self.path = self._take(cache / FOLDER, location)
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
                (path / "location").write_text(location)
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
        mirrors = list_mirrors(self.path.parent.parent)
        excess = sum(each.size_bytes for each in mirrors) - limit_bytes
        for each in mirrors:
            if excess <= 0:
                break
            if each.folder != self.path and remove_mirror(each.folder):
                excess -= each.size_bytes
        return max(0, excess)


class KeptMirror(NamedTuple):
    """What is kept of one remote location."""

    # As people see it; None: it was written by an older version.
    location: str | None
    # On disk.
    size_bytes: int
    # Seconds since 1970.
    used_time: float
    folder: Path


def list_mirrors(cache: Path) -> list[KeptMirror]:
    """The longest unused first."""
    found = []
    with suppress(OSError):
        for folder in (cache / FOLDER).iterdir():
            with suppress(OSError):
                used_time = folder.stat().st_mtime
                location = None
                with suppress(OSError, UnicodeDecodeError):
                    location = (folder / "location").read_text()
                found.append(KeptMirror(location, _disk_bytes(folder), used_time, folder))
    return sorted(found, key=lambda each: each.used_time)


def remove_mirror(folder: Path) -> bool:
    """Returns whether it is gone: False if a process has it open."""
    lock = _lock(folder / "lock")
    if lock is None:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()
    return True


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
