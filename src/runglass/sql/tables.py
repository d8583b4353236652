"""The tables of docs/guide/query.md as columns, of any source. Knows no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.errors import RunUnknown, SeriesUnknown, SqlError
from runglass.machine import read_memory_bytes
from runglass.query.hparams.model import NOT_FINITE, HParam
from runglass.query.hparams.sessions import SessionReader
from runglass.query.source import Columns, DataSource
from runglass.sql.needs import TABLES, Needs
from runglass.store.model import Kind, SeriesKey

ColumnType = Literal["text", "int", "float", "bool"]
TYPES: dict[str, tuple[ColumnType, ...]] = {
    "series": ("text", "text", "text", "text", "text", "text", "int"),
    "runs": ("text", "float", "float", "int", "int", "int", "int", "text"),
    "hparams": ("text", "text", "text", "float"),
    "files": ("text", "text", "text", "int", "int", "int", "text"),
}
# Of one point in memory: number of its series, step, wall time, value, whether it was overwritten.
POINT_BYTES = 4 + 8 + 8 + 8 + 1


class Table(Struct, frozen=True):
    """A small table. Columns of text, and those of numbers where one may be missing, hold objects and None."""

    name: str
    columns: dict[str, tuple[ColumnType, NDArray[Any]]]


class Points(Struct, frozen=True):
    """The needed points. `number` says which of `keys` a point belongs to."""

    keys: list[SeriesKey]
    number: NDArray[np.int32]
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    overwritten: NDArray[np.bool_]


class Given(Struct, frozen=True):
    """What a query may read."""

    tables: list[Table]
    points: Points | None


def read_tables(source: DataSource, needs: Needs) -> list[Table]:
    """The tables that a query names, but points."""
    rows: dict[str, Callable[[DataSource], Iterator[tuple[Any, ...]]]] = {
        "series": _series,
        "runs": _runs,
        "hparams": _hparams,
        "files": _files,
    }
    return [_make_table(name, list(read(source))) for name, read in rows.items() if name in needs.tables]


def read_points(source: DataSource, needs: Needs) -> Points:
    """Raises SqlError if they are more than fit into the memory that a query may take."""
    infos = [
        info
        for info in source.list_series()
        if Kind.SCALAR in (info.meta.kind, info.other_kind) and needs.allows(*info.key)
    ]
    _check_size(sum(info.count for info in infos), len(infos))
    columns = _read_columns(source, [info.key for info in infos])
    counts = [len(each.step) for each in columns]
    return Points(
        keys=[each.key for each in columns],
        number=np.repeat(np.arange(len(columns), dtype=np.int32), counts),
        step=_join([each.step for each in columns], np.int64),
        wall_time=_join([each.wall_time for each in columns], np.float64),
        value=_join([each.value for each in columns], np.float64),
        overwritten=_overwritten(columns, counts),
    )


def count_series(source: DataSource) -> int:
    return len(source.list_series(kind=Kind.SCALAR))


def _read_columns(source: DataSource, keys: list[SeriesKey]) -> list[Columns]:
    try:
        return source.read_columns(keys, attempts="all")
    except (RunUnknown, SeriesUnknown):
        # The only series has gone since it was listed.
        return []


def _overwritten(columns: Sequence[Columns], counts: Sequence[int]) -> NDArray[np.bool_]:
    made = np.zeros(sum(counts), bool)
    at = 0
    for each, count in zip(columns, counts, strict=True):
        if each.overwritten is not None:
            made[at : at + count] = each.overwritten
        at += count
    return made


def _check_size(points: int, series: int) -> None:
    allowed = read_memory_bytes() // 2
    if points * POINT_BYTES > allowed:
        raise SqlError(
            f"The query needs {points:,} points of {series:,} series, about {points * POINT_BYTES / 1e9:.0f} GB of memory; it may "
            f"take {allowed / 1e9:.0f} GB. Ask for fewer tags or runs (where tag = 'val/loss' and run like 'sweep/%'), or put the "
            "logs into ClickHouse, which reads them from disk.",
            where="query",
        )


def _series(source: DataSource) -> Iterator[tuple[Any, ...]]:
    for info in source.list_series():
        meta = info.meta
        yield *info.key, meta.kind.value, meta.plugin, meta.display_name, meta.description, info.count


def _runs(source: DataSource) -> Iterator[tuple[Any, ...]]:
    for run in source.list_runs():
        yield (
            *(run.name, run.start_time, run.last_wall_time, run.series, run.points),
            *(run.files, run.size_bytes, run.health.value),
        )


def _hparams(source: DataSource) -> Iterator[tuple[Any, ...]]:
    for session in SessionReader().read(source).sessions:
        for name, value in session.hparams.items():
            yield session.run, name, *hparam_cells(value)


def _files(source: DataSource) -> Iterator[tuple[Any, ...]]:
    for file in source.list_files():
        yield (
            *(file.run, file.path, file.state.value),
            *(file.size_bytes, file.read_bytes, file.records, file.reason),
        )


def hparam_cells(value: HParam) -> tuple[str, float | None]:
    """A hyperparameter as text and as a number, None where it is not one.  64.0 -> ("64", 64.0)  True -> ("true", None)"""
    if isinstance(value, bool):
        return ("true" if value else "false"), None
    if isinstance(value, int | float):
        return repr(float(value)).removesuffix(".0"), float(value)
    return value, float(value) if value in NOT_FINITE else None


def _make_table(name: str, rows: list[tuple[Any, ...]]) -> Table:
    columns: dict[str, tuple[ColumnType, NDArray[Any]]] = {}
    for place, (column, kind) in enumerate(zip(TABLES[name], TYPES[name], strict=True)):
        values = [row[place] for row in rows]
        if kind == "int":
            columns[column] = kind, np.array(values, np.int64)
        else:
            made = np.empty(len(values), object)
            made[:] = values
            columns[column] = kind, made
    return Table(name, columns)


def _join(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays, dtype=dtype) if arrays else np.empty(0, dtype)
