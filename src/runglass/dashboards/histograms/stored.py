"""Loads histograms exactly as they are in the files, damaged ones too, as JSON or CSV. Knows no routes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runglass.api.answers import number
from runglass.dashboards.histograms.shape import StoredHistogram, StoredHistograms, ValuesQuery
from runglass.errors import ValueDamaged
from runglass.query.source import DataSource, Int64, Values

# Values per piece of a streamed file.
PIECE = 200


def load_stored(source: DataSource, query: ValuesQuery, values: Values, indices: Int64) -> StoredHistograms:
    listed = []
    for index, value in zip(indices.tolist(), source.load_values(values, indices.tolist()), strict=True):
        step, wall_time = int(values.step[index]), number(values.wall_time[index])
        if isinstance(value, ValueDamaged):
            listed.append(StoredHistogram(step, wall_time, None, value.message))
        elif not _is_table(value):
            found = (
                f"A tensor of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
            )
            listed.append(
                StoredHistogram(step, wall_time, None, f"{found}, expected rows of left, right and count.")
            )
        else:
            rows = [tuple(map(number, row)) for row in value.tolist()]
            listed.append(StoredHistogram(step, wall_time, rows))  # type: ignore[arg-type]
    return StoredHistograms(query.run, query.tag, values.generation, listed)


def _is_table(value: object) -> bool:
    """A tag may change what it holds."""
    return (
        isinstance(value, np.ndarray)
        and value.ndim == 2
        and value.shape[1] == 3
        and value.dtype.kind in "fiu"
    )


def csv_pieces(source: DataSource, values: Values, indices: Int64) -> Iterator[bytes]:
    yield b"step,wall_time,left,right,count\n"
    for start in range(0, len(indices), PIECE):
        here = indices[start : start + PIECE].tolist()
        rows = []
        for index, value in zip(here, source.load_values(values, here), strict=True):
            moment = f"{int(values.step[index])},{float(values.wall_time[index])!r}"
            if not _is_table(value):
                # An empty row, so that the file shows the missing step.
                rows.append(f"{moment},,,\n")
                continue
            rows += [f"{moment},{left!r},{right!r},{count!r}\n" for left, right, count in value.tolist()]
        yield "".join(rows).encode()


def pick_steps(values: Values, query: ValuesQuery) -> Int64:
    """Indices of the values in the requested range of steps, both ends included."""
    inside = np.ones(len(values.step), np.bool_)
    if query.from_step is not None:
        inside &= values.step >= query.from_step
    if query.to_step is not None:
        inside &= values.step <= query.to_step
    return np.flatnonzero(inside)
