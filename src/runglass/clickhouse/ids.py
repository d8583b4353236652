"""Numbers that stand for names in the tables: 64 bits of a hash. SQL holds these and never a name."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from runglass.clickhouse.native_format import to_bytes

# What the rows of a series are. A tag may have two: numbers, and byte ranges of everything else. The graph inside a meta graph is
# apart, because a graph of its own takes its place.
POINTS = 0
RANGES = 1
META_GRAPHS = 2


def hash_of(*parts: bytes) -> int:
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return int.from_bytes(digest.digest(), "little")


@lru_cache(maxsize=1 << 17)
def run_id(run: str) -> int:
    return hash_of(b"run", to_bytes(run))


@lru_cache(maxsize=1 << 15)
def tag_id(tag: str, slot: int) -> int:
    return hash_of(b"tag", to_bytes(tag), bytes([slot]))


def file_id(run: str, name: str, head: bytes, epoch: int) -> int:
    """`head`: its first bytes. `epoch`: how often a file of this name was replaced by another one."""
    return hash_of(b"file", to_bytes(run), to_bytes(name), head, epoch.to_bytes(8, "little"))
