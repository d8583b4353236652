"""Turns the columns of a series into a line to draw: x axis, smoothing, range, reduction to pixels.

Pure functions over arrays. Does not know where columns come from or how a line is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import inf, isfinite
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from runglass.native import reduce, smooth
from runglass.query.scales import on_axis, range_on_axis
from runglass.query.source import Columns, Float64, Floats, Int64, Line, LineQuery, Smoothing
from runglass.store.model import Attempts, SeriesKey

# Steps as float64 by the identity of the step array: series that share their steps share x, which is made once and sent
# once. Keys and values are weak, so nothing here keeps an array alive.
_x_of_steps: dict[int, tuple[ref[Int64], ref[Float64]]] = {}
_X_OF_STEPS_LIMIT = 4096

# Up to this many points per pixel column a line is not reduced: a reduced column may keep as many, and a page with all
# points can zoom and smooth without another request.
SPARSE = 4


def make_line(columns: Columns, query: LineQuery, *, x_columns: Columns | None = None) -> Line:
    """Compute one line. `x_columns` is the series of `query.x` if that is a tag; without it no point has an x.

    Points with a non-finite x are left out. All others count in `total`.
    """
    x = axis(columns, query.x, x_columns)
    y = smooth_values(columns, x, query.smoothing, query.attempts)
    return _draw(columns, x, y, query)


def make_earlier_lines(
    columns: Columns, query: LineQuery, *, x_columns: Columns | None = None
) -> Iterator[Line]:
    """A line of the overwritten points of each attempt, oldest first, smoothed together with the attempt's other points.

    `columns` has all attempts.
    """
    overwritten = columns.overwritten
    if overwritten is None:
        return
    x = axis(columns, query.x, x_columns)
    y = smooth_values(columns, x, query.smoothing, "all")
    for number in np.unique(columns.segment[overwritten]).tolist():
        rows = np.flatnonzero(overwritten & (columns.segment == number))
        yield _draw(columns, x[rows], y[rows], query)


def _draw(columns: Columns, x: Float64, y: Floats, query: LineQuery) -> Line:
    if query.x_scale == "log" and not (is_placed := x > 0.0).all():
        x, y = x[is_placed], y[is_placed]
    total = len(x)
    if query.x_range is not None or query.x != "step":
        lo, hi = (-inf, inf) if query.x_range is None else query.x_range
        cut, total = _points_in_range(x, lo, hi)
        if cut is not None:
            x, y = x[cut], y[cut]
    return reduce_line(columns.key, columns.generation, total, x, y, columns.value.dtype, query)


def reduce_line(
    key: SeriesKey, generation: int, total: int, x: Float64, y: Floats, dtype: np.dtype[Any], query: LineQuery
) -> Line:
    """The line of points in the range with their neighbours, reduced to the pixels. `dtype` is that of the logged values."""
    kept = None
    if query.width is not None and len(x) > SPARSE * query.width:
        lo, hi = range_on_axis((-inf, inf) if query.x_range is None else query.x_range, query.x_scale)
        kept = reduce.reduce_columns(on_axis(x, query.x_scale), y, lo, hi, query.width)
        if len(kept) == len(x):
            kept = None
        else:
            y = y[kept]
    if y.dtype != dtype:
        # Smoothed values stay within the range of the input, so float32 stays float32.
        y = y.astype(np.float32)
    return Line(key, generation, total, x, kept, y, kept is not None)


def reduce_many(
    x: Float64, rows: Float64, x_range: tuple[float, float] | None, width: int | None
) -> tuple[int, Int64]:
    """Reduce several values per ascending x together: the number of x in the range, and the indices to keep so that every row
    keeps what a `Line` keeps."""
    lo, hi = (-inf, inf) if x_range is None else x_range
    first, last = int(np.searchsorted(x, lo, "left")), int(np.searchsorted(x, hi, "right"))
    total = last - first
    first, last = max(first - 1, 0), min(last + 1, len(x))
    if width is None or last - first <= SPARSE * width:
        return total, np.arange(first, last)
    bounds = range_on_axis((lo, hi), "linear")
    kept = [
        reduce.reduce_columns(x[first:last], np.ascontiguousarray(row[first:last]), *bounds, width)
        for row in rows
    ]
    return total, first + np.unique(np.concatenate(kept))


def axis(columns: Columns, x: str, x_columns: Columns | None) -> Float64:
    """The x of every point: step, wall time, seconds since the first point, or another scalar's value at the same step.

    A step without a value in the other scalar has x NaN; of several values at a step the last one counts.
    """
    if x == "step":
        return _steps(columns.step)
    if x == "wall":
        return columns.wall_time
    # Files may hold any time or value; overflows and signalling NaNs just give an x that is not finite.
    with np.errstate(all="ignore"):
        if x == "relative":
            return _since_first(columns.wall_time)
        if x_columns is None:
            return np.full(len(columns.step), np.nan)
        return _join(columns.step, x_columns.step, x_columns.value)


def _since_first(times: Float64) -> Float64:
    if len(times) == 0 or isfinite(times[0]):
        return times - times[:1]
    finite = times[np.isfinite(times)]
    return times - finite[0] if len(finite) else times


def _steps(step: Int64) -> Float64:
    known = _x_of_steps.get(id(step))
    if known is not None and known[0]() is step:
        x = known[1]()
        if x is not None:
            return x
    x = step.astype(np.float64)
    if len(_x_of_steps) >= _X_OF_STEPS_LIMIT:
        _x_of_steps.clear()
    _x_of_steps[id(step)] = ref(step), ref(x)
    return x


def _join(step: Int64, other_step: Int64, other_value: Floats) -> Float64:
    if np.array_equal(step, other_step) and (step[1:] > step[:-1]).all():
        return other_value.astype(np.float64)
    place = last_rows_at(other_step, step)
    is_found = place >= 0
    x = np.full(len(step), np.nan)
    x[is_found] = other_value[place[is_found]]
    return x


def last_rows_at(step: Int64, wanted: Int64) -> Int64:
    """For each wanted step the last row with it, or -1."""
    order = order_by_step(step)
    steps = step if order is None else step[order]
    place = np.searchsorted(steps, wanted, side="right") - 1
    is_found = place >= 0
    is_found[is_found] = steps[place[is_found]] == wanted[is_found]
    rows: Int64 = np.where(is_found, place if order is None else order[place], -1)
    return rows


def order_by_step(step: Int64) -> Int64 | None:
    """Rows in a stable order by step; None if they are sorted already."""
    return None if (step[1:] >= step[:-1]).all() else np.argsort(step, kind="stable")


def smooth_values(columns: Columns, x: Float64, smoothing: Smoothing, attempts: Attempts) -> Floats:
    """Smooth over all points; with all attempts, each segment separately."""
    values = columns.value
    segment = columns.segment
    if smoothing.kind == "none" or len(values) == 0:
        return values
    if attempts == "latest" or segment[0] == segment[-1]:
        return _smooth_segment(x, values, smoothing)
    starts = np.flatnonzero(segment[1:] != segment[:-1]) + 1
    bounds = [0, *starts.tolist(), len(values)]
    return np.concatenate([_smooth_segment(x[i:j], values[i:j], smoothing) for i, j in pairwise(bounds)])


def _smooth_segment(x: Float64, values: Floats, smoothing: Smoothing) -> Float64:
    amount = smoothing.amount
    match smoothing.kind:
        case "ema":
            return smooth.ema(values, amount, _divisors(amount, 1 << (len(values) - 1).bit_length()))
        case "time_ema":
            return smooth.time_ema(x, values, amount)
        case "gaussian":
            return smooth.gaussian(values, amount)
        case _:
            return smooth.running_median(values, int(min(max(1.0, amount), 2.0 * len(values))))


@lru_cache(maxsize=8)
def _divisors(weight: float, count: int) -> Float64:
    # Half a megabyte at most; longer series compute the rest themselves.
    return smooth.ema_divisors(weight, min(count, 1 << 16))


def _points_in_range(x: Float64, lo: float, hi: float) -> tuple[slice | NDArray[np.int64] | None, int]:
    """The slice of x for the range with its neighbours (None: all), and the number of points inside."""
    bounds = reduce.rising_range(x, lo, hi)
    if bounds is not None:
        start, stop = bounds
        if start <= 1 and stop >= len(x) - 1:
            return None, stop - start
        return slice(max(start - 1, 0), stop + 1), stop - start
    finite = np.flatnonzero(np.isfinite(x))
    side = (x[finite] > hi).view(np.int8) - (x[finite] < lo).view(np.int8)
    is_taken = side == 0
    total = int(is_taken.sum())
    changes = side[1:] != side[:-1]
    is_taken[1:] |= changes
    is_taken[:-1] |= changes
    return finite[is_taken], total
