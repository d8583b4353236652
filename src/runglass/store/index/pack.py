"""Reads packs: a memory map, with tables that are checked when it is opened and columns that are checked when they are read."""

from __future__ import annotations

import json
import mmap
import os
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.native.events import SKIPS, STOPS
from runglass.native.records import crc32c
from runglass.native.stored import StoredColumns
from runglass.store.index.layout import (
    EDGE_BYTES,
    FOOTER_BYTES,
    FOOTER_END,
    LATE,
    MAGIC,
    TABLE_PLACE,
    TABLES,
)
from runglass.store.index.locks import lock_shared
from runglass.store.index.saved import Identity, SavedExtra, SavedFile, SavedTag, ScanState


class PackDamaged(Exception):
    """A pack that cannot be used; the message says why."""


class FileRow(NamedTuple):
    """One row of the table of files, in its order."""

    path: int
    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    head_size: int
    last_size: int
    head: bytes
    last: bytes
    stop: int
    lost: int
    first_lost: int
    offset: int
    records: int
    skipped: int
    first_skipped: int
    first_skip: int
    found_checksum: int
    expected_checksum: int
    found_length: int
    read_errno: int
    session_starts: int
    min_start_step: int
    last_start_step: int
    min_wall_time: float
    max_wall_time: float
    first_tag: int
    tag_count: int
    first_extra: int
    extra_count: int
    column_bytes: int

    @property
    def identity(self) -> Identity:
        return Identity(*self[1:6])

    @property
    def edges(self) -> tuple[bytes, bytes]:
        """The first bytes of the file, and the last ones of what was read."""
        return self.head[: self.head_size], self.last[: self.last_size]

    def is_of(self, other: FileRow | SavedFile) -> bool:
        """Whether both are what was read of one file at one moment."""
        return (self.identity, self.edges, self.state) == (other.identity, other.edges, other.state)

    @property
    def skip_reason(self) -> str:
        return SKIPS[self.first_skip]

    @property
    def state(self) -> ScanState:
        return self[13:27]


class Pack:
    """An open pack. Others can remove its name but not its content while it is used. Raises PackDamaged and OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            self.size_bytes = os.fstat(file.fileno()).st_size
            if self.size_bytes < len(MAGIC) + FOOTER_BYTES:
                raise PackDamaged(f"{self.size_bytes} bytes, too short")
            # Also on network file systems, where a file whose name is removed elsewhere is gone.
            lock = lock_shared(file.fileno())
            self.map = mmap.mmap(file.fileno(), self.size_bytes, access=mmap.ACCESS_READ)
        self._data = memoryview(self.map)
        places = self._read_footer()
        self._places = dict(zip(TABLES, places, strict=True))
        tables = {name: self._read_table(name) for name in TABLES if name not in LATE}
        try:
            self.about: dict[str, Any] = json.loads(bytes(tables["about"]))
            if not isinstance(self.about, dict):
                raise PackDamaged("it does not say what it is about")
            self.files = [FileRow._make(row) for row in tables["files"].tolist()]
            self.paths = [os.fsdecode(text) for text in _split(tables["paths"], tables["path_ends"])]
            self._raw_names = _split(tables["names"], tables["name_ends"])
            self._metas = _split(tables["metas"], tables["meta_ends"])
            self.columns = StoredColumns(
                self._data, tables["parts"].view("u1"), tables["tags"].view("u1"), tables["checks"]
            )
            self.columns.lock = lock
            own = weakref.ref(self)
            self.columns.read_summaries = lambda: pack.summaries if (pack := own()) is not None else None
            self.columns.read_pyramids = lambda: pack.pyramids if (pack := own()) is not None else None
            self._starts, self._extras = tables["starts"], tables["extras"]
            self._check_rows()
        except (ValueError, IndexError, RecursionError) as error:
            raise PackDamaged(f"its tables do not fit together: {error}") from error
        # Escape bytes that are not UTF-8: one replacement character for all of them could make two tags equal.
        self.names = [name.decode("utf-8", "backslashreplace") for name in self._raw_names]

    def _read_footer(self) -> list[tuple[int, int, int]]:
        footer = self._data[self.size_bytes - FOOTER_BYTES :]
        if self._data[: len(MAGIC)] != MAGIC or footer[-len(MAGIC) :] != MAGIC:
            raise PackDamaged("not a pack of this version")
        places = len(TABLES) * TABLE_PLACE.size
        size, checksum = FOOTER_END.unpack_from(footer, places)
        if size != self.size_bytes or checksum != crc32c(bytes(footer[:places]) + MAGIC):
            raise PackDamaged("its footer is damaged")
        return list(TABLE_PLACE.iter_unpack(footer[:places]))

    def _read_table(self, name: str) -> NDArray[Any]:
        at, size, checksum = self._places[name]
        data = self._data[at : at + size]
        dtype = TABLES[name]
        if at % 8 or len(data) != size or size % dtype.itemsize:
            raise PackDamaged(f"its table of {name} is cut")
        if crc32c(data) != checksum:
            raise PackDamaged(f"its table of {name} is damaged")
        return np.frombuffer(data, dtype)

    def _check_rows(self) -> None:
        """That no row names a row that another table does not have."""
        parts, tags = self.columns.part_count, self.columns.tag_count
        for file in self.files:
            if not (
                0 <= file.path < len(self.paths)
                and 0 <= file.first_tag <= file.first_tag + file.tag_count <= tags
                and 0 <= file.first_extra <= file.first_extra + file.extra_count <= len(self._extras)
                and 0 <= file.stop < len(STOPS)
                and 0 <= file.first_skip < len(SKIPS)
                and 0
                <= min(file.head_size, file.last_size)
                <= max(file.head_size, file.last_size)
                <= EDGE_BYTES
            ):
                raise PackDamaged("its table of files names rows that do not exist")
        table = np.frombuffer(self._data, TABLES["tags"], tags, self._places["tags"][0])
        is_sound = (
            (table["name"] >= 0)
            & (table["name"] < len(self._raw_names))
            & (table["meta"] >= -1)
            & (table["meta"] < len(self._metas))
            & (table["first_start"] >= 0)
            & (table["start_count"] >= 0)
            & (table["first_start"].astype("i8") + table["start_count"] <= len(self._starts))
        )
        names = self._extras["tag"]
        if not is_sound.all() or not ((names >= 0) & (names < len(self._raw_names))).all():
            raise PackDamaged("its table of tags names rows that do not exist")
        self._part_count = parts

    def tags_of(
        self, file: FileRow
    ) -> list[tuple[str, bytes | None, tuple[int, int], bool, Columns | None, Columns | None, int, int]]:
        """The tags of a file with their columns, as StoredColumns.list_tags has them."""
        return self.columns.list_tags(file.first_tag, file.tag_count, self.names, self._metas)

    def starts(self, first: int, count: int) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = self._starts[first : first + count].tolist()
        return found

    def extras_of(self, file: FileRow) -> list[SavedExtra]:
        rows = self._extras[file.first_extra : file.first_extra + file.extra_count].tolist()
        return [SavedExtra(field, self.names[tag], *rest) for field, tag, *rest in rows]

    def saved_tags(self, file: FileRow, columns: dict[int, Columns]) -> list[SavedTag]:
        """What a scanner goes on from. `columns`: those that are in use for part rows; others are made."""
        table = np.frombuffer(self._data, TABLES["tags"], self.columns.tag_count, self._places["tags"][0])
        found: list[SavedTag] = []
        for row in table[file.first_tag : file.first_tag + file.tag_count].tolist():
            name, meta, points, blobs, first_start, start_count, first_field, blob_field, blobs_first, _ = row
            found.append(
                (
                    self._raw_names[name],
                    self._metas[meta] if meta >= 0 else None,
                    first_field,
                    blob_field,
                    bool(blobs_first),
                    None if points < 0 else columns.get(points) or self.columns.columns(points),
                    None if blobs < 0 else columns.get(blobs) or self.columns.columns(blobs),
                    self.starts(first_start, start_count),
                )
            )
        return found

    def is_whole(self, file: FileRow) -> bool:
        """Check all columns of a file. Reads them."""
        rows = self.columns.part_rows(file.first_tag, file.tag_count)
        return all(self.columns.is_whole(row) for pair in rows for row in pair if row >= 0)

    def read_file(self, file: FileRow) -> SavedFile:
        """All of an entry, for writing it to another pack."""
        head, last = file.edges
        return SavedFile(
            path=self.paths[file.path],
            identity=file.identity,
            head=head,
            last=last,
            stop=file.stop,
            lost=file.lost,
            first_lost=file.first_lost,
            state=file.state,
            tags=self.saved_tags(file, {}),
            extras=self.extras_of(file),
        )

    @cached_property
    def summaries(self) -> NDArray[Any] | None:
        """By part row; None if they are damaged."""
        try:
            table = self._read_table("summaries")
        except PackDamaged:
            return None
        return table if len(table) == self._part_count else None

    @cached_property
    def pyramids(self) -> dict[int, tuple[int, int, int]] | None:
        """(place, size, checksum) by part row; None if they are damaged."""
        try:
            table = self._read_table("pyramids")
        except PackDamaged:
            return None
        return {part: (at, size, checksum) for part, at, size, checksum, _ in table.tolist()}

    def let_go(self) -> None:
        """Give up memory that reading took; the next reader gets it from the file again."""
        if hasattr(self.map, "madvise"):
            self.map.madvise(mmap.MADV_DONTNEED)


def _split(texts: NDArray[Any], ends: NDArray[Any]) -> list[bytes]:
    data, places = bytes(texts), ends.tolist()
    begins = [0, *places[:-1]] if places else []
    if places and (places[-1] != len(data) or any(a > b for a, b in zip(begins, places, strict=True))):
        raise ValueError("strings that overlap")
    return [data[begin:end] for begin, end in zip(begins, places, strict=True)]
