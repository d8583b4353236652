"""Rows of the tables as structs: what a run says of its files and assets, and what `parts` says of a series in one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from runglass.clickhouse.native_format import Column, to_bytes
from runglass.native.statistics import add_up, summarize
from runglass.store.assets import AssetStage, Identity
from runglass.store.model import Asset, Family, FileState
from runglass.store.parts import FileStage

NO_STARTS: tuple[tuple[int, int, int | None], ...] = ()


class FileRow(Struct, omit_defaults=True):
    """An event file. Names and paths are bytes, written as Latin-1; floats as hexadecimal, because JSON has no infinity."""

    file_id: int
    epoch: int
    name: str
    path: str
    shown: str
    state: FileState
    size_bytes: int = 0
    read_bytes: int = 0
    records: int = 0
    skipped_records: int = 0
    byte: int | None = None
    reason: str = ""
    advice: str = ""
    begin_time: str | None = None
    end_time: str | None = None
    start_step: int | None = None
    # What tells whether a file is still this one: its first bytes, and a hash of the last that were read.
    head: str = ""
    last_bytes: str = ""

    @property
    def name_text(self) -> str:
        return from_latin(self.name)

    @property
    def path_text(self) -> str:
        return from_latin(self.path)

    @property
    def begin_wall_time(self) -> float | None:
        return None if self.begin_time is None else float.fromhex(self.begin_time)

    @property
    def end_wall_time(self) -> float | None:
        return None if self.end_time is None else float.fromhex(self.end_time)


def file_row(stage: FileStage, file_id: int, epoch: int, *, head: bytes, last_bytes: str) -> FileRow:
    return FileRow(
        file_id=file_id,
        epoch=epoch,
        name=to_latin(stage.name),
        path=to_latin(stage.path),
        shown=to_bytes(stage.shown).decode("utf-8", "replace"),
        state=stage.state,
        size_bytes=stage.size_bytes,
        read_bytes=stage.read_bytes,
        records=stage.records,
        skipped_records=stage.skipped_records,
        byte=stage.byte,
        reason=stage.reason,
        advice=stage.advice,
        begin_time=None if stage.min_wall_time is None else float(stage.min_wall_time).hex(),
        end_time=None if stage.max_wall_time is None else float(stage.max_wall_time).hex(),
        start_step=stage.start_step,
        head=head.hex(),
        last_bytes=last_bytes,
    )


class AssetRow(Struct, omit_defaults=True):
    family: Family
    path: str
    # device, inode, size, modified_ns
    identity: tuple[int, int, int, int]
    modified_time: str
    # Numbers of the database: since when the file is this one, and since when it has only grown.
    generation: int
    same_since: int
    grows: bool = False

    def stage(self, run: str, name: str) -> AssetStage:
        asset = Asset(
            run, self.family, name, self.identity[2], float.fromhex(self.modified_time), self.generation
        )
        return AssetStage(
            asset,
            from_latin(self.path),
            Identity(*self.identity),
            grows=self.grows,
            same_since=self.same_since,
        )


def encode_json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def to_latin(text: str) -> str:
    return to_bytes(text).decode("latin-1")


def from_latin(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


class PartState(Struct):
    """A row of `parts`: grows with the rows of a file, and is the same however they arrive."""

    count: int = 0
    is_wide: bool = False
    starts: tuple[tuple[int, int, int | None], ...] = NO_STARTS
    first_step: int = 0
    first_wall_time: float = 0.0
    max_step: int = 0
    last_step: int = 0
    last_wall_time: float = 0.0
    first_value: float = 0.0
    last_value: float = 0.0
    min_row: int = -1
    min_value: float = 0.0
    min_step: int = 0
    max_row: int = -1
    max_value: float = 0.0
    max_value_step: int = 0
    finite: int = 0
    total: float = 0.0
    error: float = 0.0
    nan_count: int = 0
    nan_first_step: int = 0
    pos_inf_count: int = 0
    pos_inf_first_step: int = 0
    neg_inf_count: int = 0
    neg_inf_first_step: int = 0

    @property
    def version(self) -> int:
        return self.count << 10 | min(len(self.starts), 1023)

    def extend(self, step: Any, wall_time: Any, value: Any | None) -> None:
        """Add rows behind the others; `value` is None for byte ranges."""
        if not len(step):
            return
        if not self.count:
            self.first_step = int(step[0])
            self.first_wall_time = float(wall_time[0])
            self.max_step = int(step[0])
        self.max_step = max(self.max_step, int(step.max()))
        self.last_step = int(step[-1])
        self.last_wall_time = float(wall_time[-1])
        if value is not None:
            self._add_values(step, value)
        self.count += len(step)

    def _add_values(self, step: Any, value: Any) -> None:
        if not self.count:
            self.first_value = float(value[0])
        self.last_value = float(value[-1])
        self.is_wide |= value.dtype == np.float64
        low, high, _, nans, first_nan, pos, first_pos, neg, first_neg = summarize(value)
        if low >= 0 and (self.min_row < 0 or value[low] < self.min_value):
            self.min_row, self.min_value, self.min_step = (
                self.count + low,
                float(value[low]),
                int(step[low]),
            )
        if high >= 0 and (self.max_row < 0 or value[high] > self.max_value):
            self.max_row, self.max_value, self.max_value_step = (
                self.count + high,
                float(value[high]),
                int(step[high]),
            )
        self.finite += len(value) - nans - pos - neg
        self.total, self.error = add_up(value, self.total, self.error)
        if nans and not self.nan_count:
            self.nan_first_step = int(step[first_nan])
        if pos and not self.pos_inf_count:
            self.pos_inf_first_step = int(step[first_pos])
        if neg and not self.neg_inf_count:
            self.neg_inf_first_step = int(step[first_neg])
        self.nan_count += nans
        self.pos_inf_count += pos
        self.neg_inf_count += neg


PART_TYPES = {
    "tag_id": "UInt64",
    "run_id": "UInt64",
    "file_id": "UInt64",
    "slot": "UInt8",
    "version": "UInt64",
    **{
        field.name: "Array(Int64)"
        if field.name == "starts"
        else "UInt8"
        if field.name == "is_wide"
        else "Float64"
        if field.type is float
        else "UInt64"
        if field.name in ("count", "finite") or field.name.endswith("_count")
        else "Int64"
        for field in msgspec.structs.fields(PartState)
    },
}
# No row follows a session start.
NO_STEP = -(1 << 63)


def part_columns(rows: Sequence[tuple[int, int, int, int, PartState]]) -> list[Column]:
    """The columns of PART_TYPES, of (tag_id, run_id, file_id, slot, state)."""
    columns: list[Column] = [
        np.array([row[0] for row in rows], np.uint64),
        np.array([row[1] for row in rows], np.uint64),
        np.array([row[2] for row in rows], np.uint64),
        np.array([row[3] for row in rows], np.uint8),
        np.array([row[4].version for row in rows], np.uint64),
    ]
    for name in list(PART_TYPES)[5:]:
        if name == "starts":
            columns.append(
                [
                    [
                        number
                        for before, step, own in row[4].starts
                        for number in (before, step, NO_STEP if own is None else own)
                    ]
                    for row in rows
                ]
            )
        else:
            columns.append([getattr(row[4], name) for row in rows])
    return columns


def starts_of(numbers: Sequence[int]) -> tuple[tuple[int, int, int | None], ...]:
    flat = [int(each) for each in numbers]
    return tuple(
        (before, step, None if own == NO_STEP else own)
        for before, step, own in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    )
