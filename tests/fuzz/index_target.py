"""An index file that is not what was written, with its checksums wrong, or right for what it says now."""

from __future__ import annotations

import random
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.support.indexed import IndexedLog, packs_of

from runglass.native.events import EventScanner
from runglass.native.records import crc32c
from runglass.store.index.layout import FOOTER_BYTES, FOOTER_END, MAGIC, SUFFIX, TABLE_PLACE, TABLES
from runglass.store.index.pack import Pack, PackDamaged


def index(data: bytes, rng: random.Random) -> None:
    if rng.random() < 0.8:
        data = with_checksums(data)
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
        path = Path(folder) / f"1{SUFFIX}"
        path.write_bytes(data)
        try:
            pack = Pack(path)
        except PackDamaged:
            return
        for row in pack.files:
            assert pack.paths[row.path] is not None
            pack.extras_of(row)
            pack.is_whole(row)
            for _, _, _, _, points, blobs, first, count in pack.tags_of(row):
                pack.starts(first, count)
                # Rows whose checksum is wrong, and nobody is there who would replace them.
                with suppress(ValueError):
                    if points is not None:
                        points.read_points()
                        points.summary()
                        points.read_pyramid()
                    if blobs is not None:
                        blobs.read_ranges()
            with suppress(ValueError):
                EventScanner(b"scalars").resume(row.state, row.edges[0], pack.saved_tags(row, {}))


def with_checksums(data: bytes) -> bytes:
    """The same with a footer that fits: what a fault of our own would write."""
    if len(data) < FOOTER_BYTES + len(MAGIC):
        return data
    footer = data[-FOOTER_BYTES:]
    places = b""
    for number in range(len(TABLES)):
        at, size, _ = TABLE_PLACE.unpack_from(footer, number * TABLE_PLACE.size)
        places += TABLE_PLACE.pack(at, size, crc32c(data[at : at + size]))
    end = FOOTER_END.pack(len(data), crc32c(places + MAGIC))
    return MAGIC + data[len(MAGIC) : -FOOTER_BYTES] + places + end + MAGIC


def index_files(logs: Path) -> list[bytes]:
    found = []
    for case in (
        "two_kinds_under_one_tag",
        "restart_at_session_start",
        "graph_and_meta_graph",
        "payload_damage",
    ):
        with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
            logdir = logs / case / "logdir"
            IndexedLog(logdir, Path(folder)).write()
            found += [path.read_bytes() for path in packs_of(Path(folder), logdir)]
    return found
