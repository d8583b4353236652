"""What an index keeps of one event file: who it is, where reading stopped, its tags and their columns."""

from __future__ import annotations

import os
from typing import NamedTuple

from msgspec import Struct

from runglass.native.columns import Columns
from runglass.store.index.layout import EDGE_BYTES

UINT64 = (1 << 64) - 1

# As EventScanner has them: `state`, and one of `saved_tags()`.
ScanState = tuple[int, int, int, int, int, int, int, int, int, int, int, int, float, float]
SavedTag = tuple[
    bytes, bytes | None, int, int, bool, Columns | None, Columns | None, list[tuple[int, int, int]]
]


class Identity(NamedTuple):
    """Which file it is. Content that changes without a new size still changes the last of these, which no program can set."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Identity:
        return cls(
            found.st_dev & UINT64, found.st_ino & UINT64, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        )


class SavedExtra(NamedTuple):
    """An event that is no summary, as filed: `tag` names run metadata, and is "" for graphs."""

    field: int
    tag: str
    step: int
    wall_time: float
    record: int
    at: int
    size: int


class SavedFile(Struct):
    # Below the log directory.
    path: str
    identity: Identity
    head: bytes
    last: bytes
    stop: int
    lost: int
    first_lost: int
    state: ScanState
    tags: list[SavedTag]
    extras: list[SavedExtra]

    @property
    def edges(self) -> tuple[bytes, bytes]:
        return self.head, self.last

    @property
    def offset(self) -> int:
        """How far it was read."""
        return self.state[0]


def read_edges(fd: int, offset: int) -> tuple[bytes, bytes]:
    """The first bytes of a file, and the last ones before `offset`."""
    return read_at(fd, min(EDGE_BYTES, offset), 0), read_at(
        fd, min(EDGE_BYTES, offset), max(0, offset - EDGE_BYTES)
    )


def read_at(fd: int, size: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, size, at)
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, size)
