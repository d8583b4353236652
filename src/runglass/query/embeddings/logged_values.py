"""Numbers that a run logs for each row of an embedding, as columns: a tensor with one number a row, or a scalar tag for each row.

Tags of scalars end in the number of the row ("loss/17") or in a label that only one row has ("loss/banana").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import RunglassError
from runglass.query.embeddings.model import Column
from runglass.query.source import DataSource, Floats, Int64
from runglass.store.model import Kind, SeriesKey

MAX_COLUMNS = 32
# Of the rows, those that must have a tag.
SMALLEST_SHARE = 0.5
# What a stored tensor may need for one number, and beside its numbers.
MOST_BYTES_PER_NUMBER = 10
BYTES_AROUND = 4_096
NUMBERED = re.compile(r"(.*[^\d/_.:#-])[/_.:#-]+(\d+)", re.DOTALL)


def read_logged_columns(
    source: DataSource, run: str, rows: int, *, step: int | None, columns: Mapping[str, Column]
) -> dict[str, Column]:
    """By tag, or by what the tags of all rows have in common; as they were at a step. `columns`: the labels of rows."""
    found: dict[str, Column] = {}
    for name, numbers in (
        *_read_tensors(source, run, rows, step),
        *_read_scalars(source, run, rows, step, columns),
    ):
        if name not in columns and len(found) < MAX_COLUMNS:
            found.setdefault(name, Column.of_numbers(name, numbers))
    return found


def _at(steps: Int64, step: int | None) -> int:
    """The last value up to a step, or else the first."""
    before = np.arange(len(steps)) if step is None else np.flatnonzero(steps <= step)
    return int(before[-1]) if len(before) else 0


def _read_tensors(source: DataSource, run: str, rows: int, step: int | None) -> Iterator[tuple[str, Floats]]:
    for info in source.list_series(run=run, kind=Kind.TENSOR):
        values = source.read_values(info.key, kind=Kind.TENSOR)
        if not len(values.step):
            continue
        index = _at(values.step, step)
        size = None if values.size_bytes is None else int(values.size_bytes[index])
        if size is not None and not rows <= size <= MOST_BYTES_PER_NUMBER * rows + BYTES_AROUND:
            continue
        try:
            array = np.asarray(source.load_value(values, index))
        except RunglassError:
            # Shown where tensors are.
            continue
        if array.size == rows and array.dtype.kind in "fiub":
            yield info.key.tag, _as_floats(array.reshape(-1))


def _read_scalars(
    source: DataSource, run: str, rows: int, step: int | None, columns: Mapping[str, Column]
) -> Iterator[tuple[str, Floats]]:
    tags = [info.key.tag for info in source.list_series(run=run, kind=Kind.SCALAR)]
    least = max(2.0, SMALLEST_SHARE * rows)
    if len(tags) < least:
        return
    for name, of_rows in _group_by_row(tags, rows, _list_labels(rows, columns)).items():
        if len(of_rows) < least:
            continue
        read = source.read_columns([SeriesKey(run, tag) for tag in of_rows.values()])
        numbers = np.full(rows, np.nan, np.result_type(*(series.value for series in read)))
        for row, series in zip(of_rows, read, strict=True):
            if len(series.step):
                numbers[row] = series.value[_at(series.step, step)]
        yield name, numbers


def _as_floats(numbers: NDArray[Any]) -> Floats:
    return numbers if numbers.dtype == np.float32 else numbers.astype(np.float64)


def _list_labels(rows: int, columns: Mapping[str, Column]) -> dict[str, int]:
    """Rows by the labels that only they have."""
    for column in columns.values():
        if len(column.levels) == rows == len(column):
            return {column.levels[code]: row for row, code in enumerate(column.codes.tolist())}
    return {}


def _group_by_row(tags: Sequence[str], rows: int, labels: Mapping[str, int]) -> dict[str, dict[int, str]]:
    """By what tags begin with: rows with the tag of each."""
    groups: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for tag in tags:
        name, _, last = tag.rpartition("/")
        row = labels.get(last) if name else None
        if row is None:
            numbered = NUMBERED.fullmatch(tag)
            if numbered is None or len(numbered[2]) > 9 or int(numbered[2]) >= rows:
                continue
            name, row = numbered[1], int(numbered[2])
        groups[name].setdefault(row, tag)
    return groups
