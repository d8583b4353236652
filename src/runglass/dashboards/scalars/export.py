"""Writes all points of many series as one CSV, JSON or Parquet file, in pieces: the whole file is never in memory.

Knows how a file is written, not which series are in it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.answers import csv_pieces, json_pieces
from runglass.api.route import CSV, JSON, PARQUET
from runglass.api.sink import Sink
from runglass.csv_lines import csv_writer
from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.lines import axis, smooth_values
from runglass.query.source import Columns, DataSource, Smoothing
from runglass.store.model import Attempts, SeriesKey

# Series read at a time; these are views, so many cost little.
BATCH_SERIES = 64
# Approximate rows of a Parquet row group; readers are slow with many small groups.
ROW_GROUP = 1 << 18
PIECE_BYTES = 1 << 18


class ExportQuery(Struct, frozen=True):
    # None: without the column `smoothed`.
    smoothing: Smoothing | None
    attempts: Attempts

    @property
    def has_segment(self) -> bool:
        return self.attempts == "all"


def write_series(
    source: DataSource, keys: Sequence[SeriesKey], query: ExportQuery, format: str
) -> tuple[str, Iterator[bytes]]:
    """Media type and pieces of the file."""
    # Taken before reading, so that the file is at least as new as its generation.
    generation = source.generation
    tables = (_table(each, query) for each in _read(source, keys, query.attempts))
    match format:
        case "csv":
            return CSV, _pieces(_csv(tables, query))
        case "json":
            return JSON, _pieces(_json(tables, generation))
        case _:
            return PARQUET, _parquet(tables, query)


class _Table(Struct, frozen=True):
    """One series as named columns of the file."""

    key: SeriesKey
    columns: dict[str, NDArray[Any]]


def _read(source: DataSource, keys: Sequence[SeriesKey], attempts: Attempts) -> Iterator[Columns]:
    for start in range(0, len(keys), BATCH_SERIES):
        try:
            yield from source.read_columns(keys[start : start + BATCH_SERIES], attempts=attempts)
        except (RunUnknown, SeriesUnknown):
            # The only series of this batch vanished after the export started.
            continue


def _table(columns: Columns, query: ExportQuery) -> _Table:
    table: dict[str, NDArray[Any]] = {
        "step": columns.step,
        "wall_time": columns.wall_time,
        "value": columns.value.astype(np.float64),
    }
    if query.smoothing is not None:
        x = axis(columns, "step", None)
        smoothed = smooth_values(columns, x, query.smoothing, query.attempts)
        table["smoothed"] = smoothed.astype(np.float64)
    if query.has_segment:
        table["segment"] = columns.segment
    return _Table(columns.key, table)


def _names(query: ExportQuery) -> list[str]:
    smoothed = ["smoothed"] if query.smoothing is not None else []
    return ["step", "wall_time", "value", *smoothed, *(["segment"] if query.has_segment else [])]


def _csv(tables: Iterable[_Table], query: ExportQuery) -> Iterator[bytes]:
    names = _names(query)
    yield (",".join(["run", "tag", *names]) + "\n").encode()
    for table in tables:
        quoted = io.StringIO()
        csv_writer(quoted).writerow(table.key)
        for rows in csv_pieces(list(table.columns.values()), before=quoted.getvalue()[:-1] + ","):
            # A run's name may have bytes that are not UTF-8; they are written unchanged.
            yield rows.encode("utf-8", "surrogateescape")


def _json(tables: Iterable[_Table], generation: int) -> Iterator[bytes]:
    yield b'{"generation":%d,"series":[' % generation
    comma = b""
    for table in tables:
        yield comma
        yield from json_pieces({"run": table.key.run, "tag": table.key.tag}, table.columns)
        comma = b","
    yield b"]}"


def _pieces(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in larger pieces."""
    waiting = bytearray()
    for part in parts:
        waiting += part
        if len(waiting) >= PIECE_BYTES:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)


def _parquet(tables: Iterable[_Table], query: ExportQuery) -> Iterator[bytes]:
    import pyarrow
    import pyarrow.parquet

    name = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {"step": pyarrow.int64(), "segment": pyarrow.int32()}
    columns = [(each, types.get(each, pyarrow.float64())) for each in _names(query)]
    schema = pyarrow.schema([("run", name), ("tag", name), *columns])
    sink = Sink()
    with pyarrow.parquet.ParquetWriter(sink, schema) as writer:
        for group in _row_groups(tables):
            writer.write_table(_arrow_table(pyarrow, group, schema))
            yield sink.take()
    yield sink.take()


def _row_groups(tables: Iterable[_Table]) -> Iterator[list[_Table]]:
    group: list[_Table] = []
    rows = 0
    for table in tables:
        group.append(table)
        rows += len(table.columns["step"])
        if rows >= ROW_GROUP:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _arrow_table(pyarrow: Any, group: list[_Table], schema: Any) -> Any:
    counts = [len(table.columns["step"]) for table in group]
    arrays = []
    for place in (0, 1):
        names = [table.key[place].encode("utf-8", "replace").decode() for table in group]
        rows = np.repeat(np.arange(len(group), dtype=np.int32), counts)
        arrays.append(pyarrow.DictionaryArray.from_arrays(rows, pyarrow.array(names, pyarrow.string())))
    for name in schema.names[2:]:
        arrays.append(pyarrow.array(np.concatenate([table.columns[name] for table in group])))
    return pyarrow.Table.from_arrays(arrays, schema=schema)
