"""Arithmetic on stored histograms: rows of left, right and count, with the mass of a row spread evenly between its edges.

Pure, and exact up to float64 rounding; knows no series and no pixels. All functions but `tidy` need tidied histograms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.errors import ValueDamaged
from runglass.query.scales import from_axis, on_axis
from runglass.query.source import Float64, Int64, XScale

# Most pieces that overlapping buckets are split into: limits the work for a hostile file.
MAX_PIECES = 4_000_000
# The fraction of the range that counts as its edge, at either end.
EDGE_PART = 0.05
# Beyond this the difference of two edges may overflow.
HUGE = 2.0**1021


class Tidied(Struct, frozen=True):
    """Rows in ascending order without overlap, with finite edges and counts of 0 or more; and what did not fit."""

    buckets: Float64
    # What was wrong and how it was fixed; None if nothing was changed.
    problem: str | None = None
    # Counts of rows whose edges are NaN, -Inf or +Inf.
    nan: float = 0.0
    neg_inf: float = 0.0
    pos_inf: float = 0.0


class Rebinned(Struct, frozen=True):
    counts: Float64
    # Counts below the first and above the last edge.
    below: float
    above: float


def tidy_loaded(value: object) -> Tidied:
    """As `tidy`, for a value from `load_values`: a damaged one has no buckets, and `problem` says why."""
    if isinstance(value, ValueDamaged):
        return Tidied(np.zeros((0, 3)), value.message)
    return tidy(np.asarray(value))


def tidy(stored: NDArray[Any]) -> Tidied:
    """A histogram for the other functions of this module. `problem` says what was changed or left out."""
    if stored.ndim != 2 or stored.shape[1] != 3 or stored.dtype.kind not in "fiu":
        shape = ", ".join(map(str, stored.shape))
        return Tidied(
            np.zeros((0, 3)),
            f"A tensor of {stored.dtype} with shape ({shape}), expected (buckets, 3). It is not shown.",
        )
    rows = stored.astype(np.float64, copy=False)
    if is_tidy(rows):
        return Tidied(rows)
    said: list[str] = []
    rows = _with_counts(rows, said)
    rows, nan = _with_places(rows, said)
    left, right, count = rows.T
    neg_inf = float(count[right == -np.inf].sum())
    pos_inf = float(count[left == np.inf].sum())
    rows = _with_ends(rows[(right > -np.inf) & (left < np.inf)], said)
    rows = _in_order(rows, said)
    return Tidied(rows, " ".join(said) or None, nan, neg_inf, pos_inf)


def is_tidy(rows: Float64, owner: Int64 | None = None) -> bool:
    """Whether one histogram, or many concatenated ones, are tidy already. `owner` is the histogram of each row."""
    left, right, count = rows.T
    follows = left[1:] >= right[:-1]
    if owner is not None:
        follows |= owner[1:] != owner[:-1]
    # NaN fails every comparison.
    return bool(
        follows.all()
        and (left <= right).all()
        and (count >= 0).all()
        and np.isfinite(left).all()
        and np.isfinite(right).all()
        and np.isfinite(count).all()
    )


def _with_counts(rows: Float64, said: list[str]) -> Float64:
    count = rows[:, 2]
    negative = count < 0
    if negative.any():
        said.append(
            f"{_rows(negative)} a negative count ({count[negative].sum():g} in total) and cannot be drawn."
        )
    endless = ~np.isfinite(count) & ~negative
    if endless.any():
        said.append(f"{_rows(endless)} a count of {count[endless][0]:g} and cannot be drawn.")
    return rows[~(negative | endless)]


def _with_places(rows: Float64, said: list[str]) -> tuple[Float64, float]:
    """The rows without NaN edges, and the counts of the others."""
    is_nan = np.isnan(rows[:, :2])
    lost = is_nan.any(axis=1)
    filled = lost & (rows[:, 2] > 0)
    nan = float(rows[filled, 2].sum())
    # Writers count NaN values in one row with NaN edges; several such rows are a histogram without a range.
    if filled.sum() > 1 or (filled & ~is_nan.all(axis=1)).any():
        said.append(f"{_rows(filled)} NaN as an edge; the count of {nan:g} is not on the axis.")
    rows = rows[~lost]
    turned = rows[:, 0] > rows[:, 1]
    if turned.any():
        said.append(f"{_rows(turned)} a left edge above the right one; the edges are swapped.")
        rows = np.where(turned[:, None], rows[:, [1, 0, 2]], rows)
    return rows, nan


def _with_ends(rows: Float64, said: list[str]) -> Float64:
    left, right, count = rows.T
    open_left, open_right = np.isinf(left), np.isinf(right)
    unbound = open_left & open_right
    if (unbound & (count > 0)).any():
        lost = float(count[unbound].sum())
        said.append(
            f"{_rows(unbound)} infinite edges on both sides; the count of {lost:g} is not on the axis."
        )
    half = (open_left ^ open_right) & (count > 0)
    if half.any():
        said.append(f"{_rows(half)} an infinite edge; the count is put at the other edge.")
    ended: Float64 = np.stack(
        [np.where(open_left, right, left), np.where(open_right, left, right), count], axis=1
    )
    kept = ~unbound & (half | ~(open_left | open_right))
    return np.compress(kept, ended, axis=0)


def _in_order(rows: Float64, said: list[str]) -> Float64:
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    if (order[1:] < order[:-1]).any():
        said.append("The buckets were not sorted.")
        rows = rows[order]
    left, right = rows[:, 0], rows[:, 1]
    if not (left[1:] < right[:-1]).any():
        return rows
    said.append("Buckets overlap; they are split at each other's edges, with even mass in each.")
    is_point = left == right
    points, wide = rows[is_point], rows[~is_point]
    edges = np.unique(np.concatenate([wide[:, 0], wide[:, 1], points[:, 0]]))
    while len(edges) > 2 and _pieces(wide, edges) > MAX_PIECES:
        edges = np.concatenate([edges[:-1:2], edges[-1:]])
    counts = rebin(wide, edges).counts
    cut = np.stack([edges[:-1], edges[1:], counts], axis=1)[counts > 0]
    rows = np.concatenate([cut, points])
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    # Only if there were too many edges to split at each of them: a point inside a piece moves to its end.
    np.maximum.accumulate(rows[:, 0], out=rows[:, 0])
    ends = np.maximum.accumulate(rows[:, 1])
    rows[1:, 0] = np.maximum(rows[1:, 0], ends[:-1])
    rows[:, 1] = np.maximum(rows[:, 1], rows[:, 0])
    return rows


def _pieces(rows: Float64, edges: Float64) -> int:
    return int((np.searchsorted(edges, rows[:, 1]) - np.searchsorted(edges, rows[:, 0], "right") + 1).sum())


def _rows(which: NDArray[np.bool_]) -> str:
    count = int(which.sum())
    return "1 bucket has" if count == 1 else f"{count:,} buckets have"


def rebin(buckets: Float64, edges: Float64) -> Rebinned:
    """The same mass in other bins. A bin includes its left edge; the last one includes both."""
    row = rebin_many(buckets, np.zeros(len(buckets), np.int64), 1, edges)[0]
    return Rebinned(row[1:-1].copy(), float(row[0]), float(row[-1]))


def rebin_many(buckets: Float64, owner: Int64, owners: int, edges: Float64) -> Float64:
    """Re-bin many histograms: one row each, with the counts below the first and above the last edge at its ends.

    `owner` is the histogram of each bucket. A bucket of zero width goes into one bin.
    """
    if len(edges) < 2 or not (edges[1:] >= edges[:-1]).all():
        raise ValueError("there must be two or more edges in ascending order")
    slots = len(edges) + 1
    buckets, edges, _ = _scaled(buckets, edges)
    left, right, count = buckets.T
    first = np.searchsorted(edges, left, "right")
    last = np.maximum(np.searchsorted(edges, right, "left"), first)
    # The last bin includes its right edge, so a bucket of zero width on it is inside.
    is_end = (left == right) & (right == edges[-1])
    first[is_end] = last[is_end] = slots - 2
    spans = last - first + 1
    row = np.repeat(np.arange(len(buckets)), spans)
    slot = np.arange(len(row)) - np.repeat(np.cumsum(spans) - spans, spans) + first[row]
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])
    piece = np.minimum(right[row], bounds[slot + 1]) - np.maximum(left[row], bounds[slot])
    width = (right - left)[row]
    with np.errstate(invalid="ignore", divide="ignore"):
        mass = np.where(spans[row] == 1, count[row], count[row] * (piece / width))
    counts = np.bincount(owner[row] * slots + slot, weights=mass, minlength=owners * slots)
    return counts.astype(np.float64, copy=False).reshape(owners, slots)


def _scaled(*arrays: Float64) -> tuple[Float64, Float64, float]:
    """Edges scaled down so that differences do not overflow, and the divisor: valid files reach ±1.8e308."""
    buckets, edges = arrays
    largest = max(
        float(np.abs(buckets[:, :2]).max(initial=0.0)),
        float(np.abs(edges[np.isfinite(edges)]).max(initial=0.0)),
    )
    if largest < HUGE:
        return buckets, edges, 1.0
    return buckets * [0.25, 0.25, 1.0], edges * 0.25, 4.0


def even_edges(low: float, high: float, bins: int, scale: XScale = "linear", unit: float = 1.0) -> Float64:
    """Edges of `bins` bins, evenly spaced on the axis. A symlog axis is linear up to `unit`."""
    part = np.linspace(0.0, 1.0, bins + 1)
    if scale == "symlog":
        low, high = low / unit, high / unit
    start, end = on_axis(np.array([low, high]), scale).tolist()
    edges = from_axis(start * (1 - part) + end * part, scale)
    edges[0], edges[-1] = low, high
    return np.maximum.accumulate(edges * unit if scale == "symlog" else edges)


def percentiles(buckets: Float64, qs: Float64) -> Float64:
    """The percentiles `qs` (0 to 100), linear inside a bucket; NaN if the histogram is empty.

    0 is the left edge of the first non-empty bucket, 100 the right edge of the last one.
    """
    filled = buckets[buckets[:, 2] > 0]
    if not len(filled):
        return np.full(len(qs), np.nan)
    filled, _, factor = _scaled(filled, np.empty(0))
    left, right, count = filled.T
    cumulative = np.cumsum(count)
    target = np.clip(np.asarray(qs, np.float64) / 100, 0, 1) * cumulative[-1]
    # At a gap between buckets, its upper end, as in TensorBoard.
    at = np.minimum(np.searchsorted(cumulative, target, "right"), len(filled) - 1)
    inside = np.clip((target - (cumulative[at] - count[at])) / count[at], 0, 1)
    # The last count may vanish in the rounding of the sum.
    is_end = target == cumulative[-1]
    at[is_end], inside[is_end] = len(filled) - 1, 1.0
    values: Float64 = left[at] * (1 - inside) + right[at] * inside
    return np.clip(values, left[at], right[at]) * factor


def wasserstein(a: Float64, b: Float64) -> float:
    """Wasserstein distance: how far mass moves on average from one histogram to the other, both scaled to 1. NaN if one is empty."""
    a, b = a[a[:, 2] > 0], b[b[:, 2] > 0]
    if not len(a) or not len(b):
        return float("nan")
    a, b, factor = _scaled(a, b)
    edges = np.unique(np.concatenate([a[:, 0], a[:, 1], b[:, 0], b[:, 1]]))
    after_a, before_a = _cumulative(a, edges)
    after_b, before_b = _cumulative(b, edges)
    start = (after_a - after_b)[:-1]
    end = (before_a - before_b)[1:]
    width = np.diff(edges)
    size = np.abs(start) + np.abs(end)
    with np.errstate(invalid="ignore", divide="ignore"):
        crossing = np.where(size > 0, (start * start + end * end) / size, 0.0)
    area = np.where(start * end < 0, crossing, size) / 2 * width
    return float(area.sum()) * factor


def _cumulative(buckets: Float64, x: Float64) -> tuple[Float64, Float64]:
    """The share of the mass up to each x, with and without the mass exactly at x."""
    left, right, count = buckets.T
    count = count / count.sum()
    before = np.concatenate([[0.0], np.cumsum(count)])
    width = right - left

    def share(at: NDArray[np.int64]) -> Float64:
        inside = np.minimum(at, len(buckets) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = np.clip(np.where(width[inside] > 0, (x - left[inside]) / width[inside], 0.0), 0, 1)
        part[at == len(buckets)] = 0
        shares: Float64 = before[at] + part * count[inside]
        return shares

    return share(np.searchsorted(right, x, "right")), share(np.searchsorted(right, x, "left"))


def spread(buckets: Float64) -> float:
    """Standard deviation; NaN if the histogram is empty."""
    total = float(buckets[:, 2].sum())
    if total <= 0:
        return float("nan")
    scaled, _, factor = _scaled(buckets, np.empty(0))
    left, right, count = scaled.T
    size = float(np.abs(scaled[:, :2]).max()) or 1.0
    left, right, share = left / size, right / size, count / total
    middle = (left + right) / 2
    mean = float((share * middle).sum())
    variance = float((share * ((middle - mean) ** 2 + (right - left) ** 2 / 12)).sum())
    return float(np.sqrt(variance)) * size * factor


def share_of_zeros(buckets: Float64) -> tuple[float, float]:
    """Bounds of the share that is exactly 0: zero-width buckets at 0, and all buckets that include 0. NaN if empty.

    Exponential buckets have one of width 1e-12 at 0, so there the upper bound is practically exact; even buckets do not.
    """
    left, right, count = buckets.T
    total = float(count.sum())
    if total <= 0:
        return float("nan"), float("nan")
    is_point = (left == 0) & (right == 0)
    # A bucket does not include its right edge, except for the last one.
    holds = (left <= 0) & (right > 0) | is_point
    holds[-1] |= bool(right[-1] == 0)
    return float(count[is_point].sum()) / total, float(count[holds].sum()) / total


def saturation(buckets: Float64, part: float = EDGE_PART) -> float:
    """The share of the mass in the outermost `part` of the range, at both ends together.

    Even mass gives 2 * part, a bell nearly 0, a saturated activation up to 1. NaN if the histogram is empty or has no range.
    """
    filled = buckets[buckets[:, 2] > 0]
    if not len(filled) or filled[0, 0] == filled[-1, 1]:
        return float("nan")
    filled, _, _ = _scaled(filled, np.empty(0))
    low, high = filled[0, 0], filled[-1, 1]
    inner = (high - low) * part
    found = rebin(filled, np.array([low, low + inner, high - inner, high]))
    return float((found.counts[0] + found.counts[2]) / filled[:, 2].sum())
