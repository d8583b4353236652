"""Data counted into histograms before it is logged. Knows no file format."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.histogram import count_buckets
from runglass.writer.values.arrays import to_count, to_numpy, to_real

BUCKETS = 30
# Far more than anyone can draw, and still only some megabytes.
MOST_BUCKETS = 100_000
# Types whose values all fit float32; others are counted as float64.
FITS_FLOAT32 = frozenset({"f2", "f4", "b1", "i1", "u1", "i2", "u2"})


class Histogram(NamedTuple):
    # Rows of left edge, right edge and count. A bucket holds its left edge and not its right one; the last holds both.
    rows: NDArray[np.float64]
    # The number of NaN, -inf and +inf values, which belong to no bucket.
    not_finite: tuple[int, int, int]


def histogram(
    values: object, bins: object = BUCKETS, *, max_bins: int | None = None, what: str = "A histogram"
) -> Histogram:
    """By default all buckets have one width, from the smallest to the largest value.

    `bins` is their number, their edges, a rule name of numpy.histogram, or "tensorflow" for edges that grow by 10 % away
    from zero. Without data all rows are zero; if all values are equal, they are in the last row.
    """
    array = to_real(values, what)
    if max_bins is not None:
        max_bins = to_count(max_bins, f"{what}: max_bins", least=1, most=MOST_BUCKETS)
    if isinstance(bins, int | np.integer):
        found = equal_buckets(
            array, to_count(bins, f"{what}: the number of buckets", least=1, most=MOST_BUCKETS)
        )
    else:
        found = chosen_buckets(array, bins, what)
    if max_bins is not None and len(found.rows) > max_bins:
        found = found._replace(rows=merge_rows(found.rows, max_bins))
    return found


def equal_buckets(array: NDArray[Any], buckets: int) -> Histogram:
    is_narrow = f"{array.dtype.kind}{array.dtype.itemsize}" in FITS_FLOAT32
    data: NDArray[Any] = np.ascontiguousarray(array, dtype=np.float32 if is_narrow else np.float64).ravel()
    low, high, counts, not_finite = count_buckets(data, buckets)
    rows = np.zeros((buckets, 3))
    rows[:, 2] = counts
    # The width of the largest ranges overflows a double, so their ends are halved first.
    scale = 1.0 if high - low < np.inf else 0.5
    if (high * scale - low * scale) / buckets == 0:
        rows[:, :2] = low
        rows[-1, 1] = high
    else:
        # Rounding may push the last edge past the largest double; the next line after corrects it.
        with np.errstate(over="ignore"):
            edges = np.linspace(low * scale, high * scale, buckets + 1) / scale
        edges[-1] = high
        rows[:, 0] = edges[:-1]
        rows[:, 1] = edges[1:]
    return Histogram(rows, not_finite)


def chosen_buckets(array: NDArray[Any], bins: Any, what: str) -> Histogram:
    data = array.astype(np.float64).ravel()
    is_finite = np.isfinite(data)
    odd = data[~is_finite]
    not_finite = int(np.isnan(odd).sum()), int((odd == -np.inf).sum()), int((odd == np.inf).sum())
    data = data[is_finite]
    is_exponential = isinstance(bins, str) and bins == "tensorflow"
    if not data.size and isinstance(bins, str):
        return Histogram(np.zeros((BUCKETS, 3)), not_finite)
    if is_exponential:
        bins = exponential_edges()
        # Values beyond the last edge get a bucket of their own.
        bins = np.unique(np.concatenate([bins, [data.min(), data.max()]])) if outside(data, bins) else bins
    elif not isinstance(bins, str):
        bins = to_numpy(bins, f"{what}: bins")
        if bins.ndim == 1 and (len(bins) < 2 or not np.isfinite(bins).all()):
            raise BadArgument(f"{what}: bins needs at least two edges, all finite.", where="bins")
    try:
        counts, edges = np.histogram(data, bins=bins)
    except (TypeError, ValueError, MemoryError) as error:
        raise BadArgument(
            f"{what}: bins={bins!r} must be a number of buckets, rising edges or a rule of numpy.histogram: {error}",
            where="bins",
        ) from error
    rows = np.stack([edges[:-1], edges[1:], counts], axis=1).astype(np.float64)
    if is_exponential:
        filled = np.flatnonzero(counts)
        rows = rows[filled[0] : filled[-1] + 1]
    return Histogram(rows, not_finite)


def outside(data: NDArray[Any], edges: NDArray[Any]) -> bool:
    return bool(data.min() < edges[0] or data.max() > edges[-1])


@cache
def exponential_edges() -> NDArray[np.float64]:
    """From 1e-12 to 1e20 in steps of 10 %, the same below zero, and zero."""
    above = []
    edge = 1e-12
    while edge < 1e20:
        above.append(edge)
        edge *= 1.1
    return np.array([*(-edge for edge in reversed(above)), 0.0, *above])


def merge_rows(rows: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Joins neighbouring rows in groups of one size, so that at most `most` rows remain."""
    size = -(-len(rows) // most)
    starts = np.arange(0, len(rows), size)
    ends = np.minimum(starts + size, len(rows)) - 1
    return np.stack([rows[starts, 0], rows[ends, 1], np.add.reduceat(rows[:, 2], starts)], axis=1)


def raw_buckets(limits: object, counts: object, low: float, high: float, what: str) -> NDArray[np.float64]:
    """Rows from right edges and counts, as in old event files, without the empty rows at both ends."""
    right = to_real(limits, f"{what}: bucket_limits").astype(np.float64).ravel()
    number = to_real(counts, f"{what}: bucket_counts").astype(np.float64).ravel()
    if not low <= high:
        raise BadArgument(f"{what} needs min <= max, got {low} and {high}.", where="min")
    if right.size != number.size:
        raise BadArgument(
            f"{what} needs as many bucket_limits ({right.size}), the right edges, as bucket_counts ({number.size}).",
            where="bucket_limits",
        )
    if not (number >= 0).all():
        raise BadArgument(f"{what} needs bucket_counts of at least 0.", where="bucket_counts")
    if not (np.diff(right) >= 0).all():
        raise BadArgument(f"{what} needs bucket_limits that rise.", where="bucket_limits")
    filled = np.flatnonzero(number)
    if not filled.size:
        return np.zeros((0, 3))
    first, last = filled[0], filled[-1]
    inner = right[first:last]
    # The outer limits lie beyond the data, often at the largest double.
    return np.stack([[low, *inner], [*inner, high], number[first : last + 1]], axis=1)
