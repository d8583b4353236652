"""Writes packs. A pack gets its name when all of it is on the disk, so one that is found is whole or was damaged later."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from runglass.native.columns import Columns
from runglass.native.records import crc32c
from runglass.native.stored import describe, dump_column
from runglass.store.index.layout import (
    ALIGNED_BYTES,
    CHECK,
    EDGE_BYTES,
    EXTRA,
    FILE,
    FOOTER_END,
    MAGIC,
    PART,
    START,
    SUFFIX,
    SUMMARY,
    TABLE_PLACE,
    TABLES,
    TAG,
)
from runglass.store.index.saved import SavedFile

UNFINISHED = ".tmp"
BUFFER_BYTES = 1 << 20
BLOBS = 2
# Rows of these tables as bytes.
TAG_ROW = struct.Struct("=iiiiiiBBB5x")
PART_ROW = struct.Struct("=qqqqqqdq")
SUMMARY_ROW = struct.Struct("=ddqqdqdqdqdqqqqqq")
START_ROW = struct.Struct("=qqq")
# Where a row of PART has the highest step.
HIGHEST = 5


def write_pack(folder: Path, root: str, files: Iterable[SavedFile]) -> Path:
    """Write event files below `root` to a new pack; returns its path. Raises OSError, and then leaves nothing behind."""
    name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
    unfinished = folder / f"{name}{UNFINISHED}"
    try:
        with open(unfinished, "xb", buffering=BUFFER_BYTES) as out:
            pack = _PackWriter(out, root)
            for file in files:
                pack.add(file)
            pack.finish()
            out.flush()
            os.fsync(out.fileno())
        finished = folder / f"{name}{SUFFIX}"
        os.replace(unfinished, finished)
        sync_folder(folder)
        return finished
    finally:
        with suppress(OSError):
            unfinished.unlink()


def sync_folder(folder: Path) -> None:
    """Make a new name in it last. Not all systems can, and none needs it to stay consistent."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class _PackWriter:
    def __init__(self, out: IO[bytes], root: str) -> None:
        self._out = out
        self._at = len(MAGIC)
        self._files: list[tuple[Any, ...]] = []
        self._extras: list[tuple[Any, ...]] = []
        # The large ones grow as bytes: a hundred thousand tuples would keep the garbage collector busy.
        self._tables: dict[str, bytearray] = {name: bytearray() for name in TABLES}
        # The part before, with its checksums and its row.
        self._previous: Columns | None = None
        self._previous_checks = bytearray()
        self._part: tuple[Any, ...] = ()
        self._numbers: dict[str, dict[bytes, int]] = {"path": {}, "name": {}, "meta": {}}
        self._about = {"root": root, "time": time.time()}
        out.write(MAGIC)

    def add(self, file: SavedFile) -> None:
        tables = self._tables
        began = self._at
        first_tag = len(tables["tags"]) // TAG.itemsize
        for name, meta, first_field, blob_field, blobs_first, points, blobs, starts in file.tags:
            tables["tags"] += TAG_ROW.pack(
                self._number("name", name),
                -1 if meta is None else self._number("meta", meta),
                self._add_part(points),
                self._add_part(blobs),
                len(tables["starts"]) // START.itemsize,
                len(starts),
                first_field,
                blob_field,
                blobs_first,
            )
            for start in starts:
                tables["starts"] += START_ROW.pack(*start)
        first_extra = len(self._extras)
        for extra in file.extras:
            tag = self._number("name", extra.tag.encode("utf-8", "surrogatepass"))
            self._extras.append((extra.field, tag, *extra[2:]))
        self._files.append(
            (
                self._number("path", os.fsencode(file.path)),
                *file.identity,
                len(file.head),
                len(file.last),
                file.head.ljust(EDGE_BYTES, b"\0"),
                file.last.ljust(EDGE_BYTES, b"\0"),
                file.stop,
                file.lost,
                file.first_lost,
                *file.state,
                first_tag,
                len(file.tags),
                first_extra,
                len(file.extras),
                self._at - began,
            )
        )

    def _number(self, kind: str, text: bytes) -> int:
        return self._numbers[kind].setdefault(text, len(self._numbers[kind]))

    def _add_part(self, columns: Columns | None) -> int:
        if columns is None or not columns.count:
            return -1
        kind, highest, shared, checks, summary = describe(columns, self._previous, self._previous_checks)
        before = self._part
        places = [
            before[column] if shared >> column & 1 else self._write(columns, column, column + 1)
            for column in (0, 1)
        ]
        places.append(self._write(columns, 2, 5 if kind == BLOBS else 3))
        if highest is None:
            highest = before[HIGHEST]
        last = summary[1] if summary is not None else 0.0
        first_check = len(self._tables["checks"]) // CHECK.itemsize
        self._part = (*places, columns.count, first_check, highest, last, kind)
        self._tables["parts"] += PART_ROW.pack(*self._part)
        self._tables["checks"] += checks
        self._tables["summaries"] += SUMMARY_ROW.pack(*summary) if summary else bytes(SUMMARY.itemsize)
        self._previous, self._previous_checks = columns, checks
        return len(self._tables["parts"]) // PART.itemsize - 1

    def _write(self, columns: Columns, first: int, end: int) -> int:
        """Write some columns, one behind the other; returns where they begin."""
        begin = self._at
        for column in range(first, end):
            self._at += dump_column(columns, column, self._out)
        if padding := -self._at % ALIGNED_BYTES:
            self._out.write(b"\0" * padding)
            self._at += padding
        return begin

    def finish(self) -> None:
        tables: dict[str, Any] = dict(self._tables)
        tables["files"] = np.array(self._files, FILE).tobytes()
        tables["extras"] = np.array(self._extras, EXTRA).tobytes()
        tables["about"] = json.dumps(self._about).encode()
        for kind, numbers in self._numbers.items():
            tables[f"{kind}s"] = b"".join(numbers)
            tables[f"{kind}_ends"] = np.cumsum([len(text) for text in numbers], dtype="i8").tobytes()
        places = []
        for name in TABLES:
            data = bytes(tables[name])
            places.append(TABLE_PLACE.pack(self._at, len(data), crc32c(data)))
            self._out.write(data)
            padding = -len(data) % ALIGNED_BYTES
            self._out.write(b"\0" * padding)
            self._at += len(data) + padding
        footer = b"".join(places)
        size = self._at + len(footer) + FOOTER_END.size + len(MAGIC)
        self._out.write(footer + FOOTER_END.pack(size, crc32c(footer + MAGIC)) + MAGIC)
