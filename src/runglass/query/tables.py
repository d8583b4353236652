"""Values of a series at one x, and its statistics over a range of x. Sees every point, never a reduced line.

Pure functions over arrays. Does not know where columns come from or how a table is sent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runglass.native import reduce, statistics
from runglass.query.lines import axis, smooth_values
from runglass.query.source import (
    AxisQuery,
    Columns,
    Float64,
    Floats,
    Int64,
    Nearest,
    RangeStatistics,
    RangeSummary,
)


def make_nearest(
    columns: Columns, query: AxisQuery, at: float, *, x_columns: Columns | None = None
) -> Nearest | None:
    """The point nearest to x = `at`; None if no point has a finite x."""
    x = axis(columns, query.x, x_columns)
    row = _nearest_row(x, at)
    if row is None:
        return None
    (relative,) = axis(columns, "relative", None)[row : row + 1].tolist()
    return Nearest(
        key=columns.key,
        x=x.item(row),
        step=columns.step.item(row),
        wall_time=columns.wall_time.item(row),
        relative=relative,
        value=columns.value.item(row),
        smoothed=smooth_values(columns, x, query.smoothing, query.attempts).item(row),
    )


def _nearest_row(x: Float64, at: float) -> int | None:
    bounds = reduce.rising_range(x, at, at)
    if bounds is None:
        rows = np.flatnonzero(np.isfinite(x))
        rows = rows[np.argsort(x[rows], kind="stable")]
        row = _nearest_row(x[rows], at)
        return None if row is None else rows.item(row)
    start, stop = bounds
    if start < stop:
        return stop - 1
    # Halves, because the distance may overflow.
    if stop < len(x) and (start == 0 or x.item(stop) / 2 - at / 2 <= at / 2 - x.item(start - 1) / 2):
        return int(np.searchsorted(x, x[stop], side="right")) - 1
    return start - 1 if start else None


def make_range_summary(
    columns: Columns, query: AxisQuery, x_range: tuple[float, float], *, x_columns: Columns | None = None
) -> RangeSummary:
    """Statistics of the points with an x in the range, both ends included."""
    x = axis(columns, query.x, x_columns)
    rows = _rows_in_range(x, *x_range)
    step, value = columns.step[rows], columns.value[rows]
    smoothed = None
    if query.smoothing.kind != "none":
        smoothed = smooth_values(columns, x, query.smoothing, query.attempts)[rows]
    count = len(step)
    return RangeSummary(
        key=columns.key,
        count=count,
        start_step=step.item(0) if count else None,
        end_step=step.item(-1) if count else None,
        value=_statistics(step, value),
        smoothed=None if smoothed is None else _statistics(step, smoothed),
    )


def _rows_in_range(x: Float64, lo: float, hi: float) -> slice | NDArray[np.int64]:
    """The points in the range in a stable order by x."""
    bounds = reduce.rising_range(x, lo, hi)
    if bounds is not None:
        return slice(*bounds)
    rows = np.flatnonzero((x >= lo) & (x <= hi) & np.isfinite(x))
    return rows[np.argsort(x[rows], kind="stable")]


def _statistics(step: Int64, value: Floats) -> RangeStatistics:
    lowest, highest, mean, *_ = statistics.summarize(value)
    count = len(value)
    return RangeStatistics(
        start=value.item(0) if count else None,
        end=value.item(-1) if count else None,
        min=value.item(lowest) if lowest >= 0 else None,
        min_step=step.item(lowest) if lowest >= 0 else None,
        max=value.item(highest) if highest >= 0 else None,
        max_step=step.item(highest) if highest >= 0 else None,
        mean=mean,
    )
