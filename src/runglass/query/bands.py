"""Statistics over a group of runs: one band from many series whose steps may differ.

Pure functions over arrays. Does not know where columns come from or how runs are grouped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.lines import axis, smooth_values
from runglass.query.scales import from_axis, range_on_axis
from runglass.query.source import Band, BandCenter, BandQuery, Columns, Float64

# Values (runs times x) processed at a time: 32 MB.
_CELLS = 1 << 22
_RESAMPLES = 1000
# Resampled centers in memory at a time: 8 MB.
_BOOTSTRAP_PIECE = 1024


class _Curve(Struct, frozen=True):
    """The finite points of one run, by ascending x without repeats, and the x of its non-finite values."""

    x: Float64
    y: Float64
    gaps: Float64


def make_band(series: Sequence[tuple[Columns, Columns | None]], query: BandQuery) -> Band:
    """Interpolate every run between its finite points and compute statistics across runs at every x of any run.

    A run counts from its first to its last finite point, except where it logged a non-finite value; of several values at
    one x the last one counts. With a range, the next x on either side is included. With more than 4 x per pixel column (1
    for a bootstrap), the band is sampled at `width` evenly spaced x instead, and a `minmax` spread also covers all points in
    between. `series`: each with the series of its x axis, if that is a tag.
    """
    with np.errstate(all="ignore"):
        curves = [_curve(columns, query, x_columns) for columns, x_columns in series]
        x, is_grid = _positions(curves, query)
        count = np.zeros(len(x), dtype=np.int32)
        center, low, high = np.full((3, len(x)), np.nan)
        piece = max(_CELLS // max(len(curves), 1), 1)
        for start in range(0, len(x), piece):
            part = slice(start, start + piece)
            table = np.stack([_sample(curve, x[part]) for curve in curves])
            count[part], center[part], low[part], high[part] = _statistics(table, query)
        if is_grid and query.spread == "minmax":
            _widen(curves, x, count, low, high)
    return Band(x, count, center, low, high)


def _curve(columns: Columns, query: BandQuery, x_columns: Columns | None) -> _Curve:
    x = axis(columns, query.x, x_columns)
    y = smooth_values(columns, x, query.smoothing, query.attempts).astype(np.float64)
    is_placed = np.isfinite(x) if query.x_scale != "log" else np.isfinite(x) & (x > 0.0)
    if not (is_placed.all() and (x[1:] > x[:-1]).all()):
        order = np.flatnonzero(is_placed)
        order = order[np.argsort(x[order], kind="stable")]
        x, y = x[order], y[order]
        is_last = np.append(x[1:] > x[:-1], True)[: len(x)]
        x, y = x[is_last], y[is_last]
    is_finite = np.isfinite(y)
    if is_finite.all():
        return _Curve(x, y, x[:0])
    return _Curve(x[is_finite], y[is_finite], x[~is_finite])


def _positions(curves: list[_Curve], query: BandQuery) -> tuple[Float64, bool]:
    """The x of the band, and whether they are an evenly spaced grid instead of the runs' own."""
    parts = [part for curve in curves for part in (curve.x, curve.gaps) if len(part)]
    if not parts:
        return np.empty(0), False
    # Runs of one experiment usually share their steps; comparing is much cheaper than sorting all of them.
    are_equal = all(np.array_equal(part, parts[0]) for part in parts)
    union = parts[0] if are_equal else np.unique(np.concatenate(parts))
    lo, hi = (-inf, inf) if query.x_range is None else query.x_range
    start, stop = np.searchsorted(union, lo), np.searchsorted(union, hi, side="right")
    # A bootstrap costs a thousand times as much, so it gets one x per pixel at most.
    most_per_pixel = 1 if query.spread == "bootstrap" else 4
    if query.width is not None and stop - start > most_per_pixel * query.width:
        lo, hi = max(lo, float(union[0])), min(hi, float(union[-1]))
        lo, hi = range_on_axis((lo, hi), query.x_scale)
        # Halves, because hi - lo may overflow.
        grid = 2.0 * np.linspace(lo / 2.0, hi / 2.0, max(query.width, 2))
        return from_axis(grid, query.x_scale), True
    return union[max(start - 1, 0) : stop + 1], False


def _sample(curve: _Curve, x: Float64) -> Float64:
    if len(curve.x) == 0:
        return np.full(len(x), np.nan)
    y = np.interp(x, curve.x, curve.y, left=np.nan, right=np.nan)
    if len(curve.gaps):
        y[np.isin(x, curve.gaps)] = np.nan
    return y


def _statistics(table: Float64, query: BandQuery) -> tuple[NDArray[np.intp], Float64, Float64, Float64]:
    """Count, center, low and high of every column of runs × x. NaN means no value."""
    is_present = np.isfinite(table)
    table[~is_present] = np.nan
    count = is_present.sum(axis=0)
    mean = np.where(is_present, table, 0.0).sum(axis=0) / count
    is_ordered = query.center == "median" or query.spread in ("quantile", "bootstrap")
    ordered = np.sort(table, axis=0) if is_ordered else table
    center = _quantile(ordered, count, 0.5) if query.center == "median" else mean
    match query.spread:
        case "minmax":
            return count, center, np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0)
        case "quantile":
            low, high = (_quantile(ordered, count, q) for q in (query.quantile, 1.0 - query.quantile))
            return count, center, low, high
        case "bootstrap":
            return count, center, *_bootstrap(ordered, count, query)
        case _:
            # Sample standard deviation (n - 1), because the runs are a sample. One run has no spread.
            squares = np.where(is_present, table - mean, 0.0) ** 2
            spread = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
            if query.spread == "stderr":
                spread /= np.sqrt(count)
            return count, center, center - spread, center + spread


def _quantile(ordered: Float64, count: NDArray[np.intp], q: float) -> Float64:
    """Linear interpolation between the two nearest values. Every column is sorted, with its `count` values first."""
    position = np.maximum(count - 1, 0) * q
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(count - 1, 0))
    low, high = (np.take_along_axis(ordered, index[None], axis=0)[0] for index in (below, above))
    between: Float64 = np.where(position == below, low, low + (high - low) * (position - below))
    return between


def _bootstrap(ordered: Float64, count: NDArray[np.intp], query: BandQuery) -> tuple[Float64, Float64]:
    """Percentile bootstrap: the interval of the centers of runs that are resampled with replacement."""
    low, high = np.full((2, len(count)), np.nan)
    tail = (1.0 - query.confidence) / 2.0
    for n in np.unique(count[count > 0]).tolist():
        shares = _resampled_shares(n, query.center)
        places = np.flatnonzero(count == n)
        for start in range(0, len(places), _BOOTSTRAP_PIECE):
            part = places[start : start + _BOOTSTRAP_PIECE]
            centers = ordered[:n, part].T @ shares
            low[part], high[part] = np.quantile(centers, (tail, 1.0 - tail), axis=1)
    return low, high


@lru_cache(maxsize=8)
def _resampled_shares(n: int, center: BandCenter) -> Float64:
    """n × resamples: the weight of each of n ascending values in the center of each resample.

    Depends on n only, so that the same runs always give the same band and neighbouring x change together.
    """
    random = np.random.default_rng(n)
    if center == "mean":
        return np.ascontiguousarray(random.multinomial(n, np.full(n, 1.0 / n), _RESAMPLES).T / n)
    drawn = np.sort(random.integers(0, n, (_RESAMPLES, n)), axis=1)
    shares = np.zeros((n, _RESAMPLES))
    for rank in ((n - 1) // 2, n // 2):
        np.add.at(shares, (drawn[:, rank], np.arange(_RESAMPLES)), 0.5)
    return shares


def _widen(curves: list[_Curve], x: Float64, count: NDArray[np.int32], low: Float64, high: Float64) -> None:
    """Extend low and high to the points nearest to each x of the grid."""
    for curve in curves:
        is_inside = (curve.x >= x[0]) & (curve.x <= x[-1])
        points, values = curve.x[is_inside], curve.y[is_inside]
        nearest = np.searchsorted((x[:-1] / 2 + x[1:] / 2), points)
        has_band = count[nearest] > 0
        np.fmin.at(low, nearest[has_band], values[has_band])
        np.fmax.at(high, nearest[has_band], values[has_band])
