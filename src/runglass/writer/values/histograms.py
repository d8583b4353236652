"""Data counted into histograms before it is logged. Knows no file format."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.histogram import count_buckets, count_cells
from runglass.writer.values.arrays import to_count, to_numpy, to_real

BUCKETS = 30
# torch's name for edges that grow away from zero.
EXPONENTIAL = "tensorflow"
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
    if isinstance(bins, str) and bins == EXPONENTIAL:
        found = exponential_buckets(array)
    elif isinstance(bins, int | np.integer):
        found = equal_buckets(
            array, to_count(bins, f"{what}: the number of buckets", least=1, most=MOST_BUCKETS)
        )
    else:
        found = chosen_buckets(array, bins, what)
    if max_bins is not None and len(found.rows) > max_bins:
        found = found._replace(rows=merge_rows(found.rows, max_bins))
    return found


def is_plain(bins: object) -> bool:
    """Whether these buckets suit any data: then `histogram` raises nothing."""
    if isinstance(bins, str):
        return bins == EXPONENTIAL
    return isinstance(bins, int | np.integer) and bool(1 <= bins <= MOST_BUCKETS)


def equal_buckets(array: NDArray[Any], buckets: int) -> Histogram:
    data = flat_floats(array)
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


def flat_floats(array: NDArray[Any]) -> NDArray[Any]:
    is_narrow = f"{array.dtype.kind}{array.dtype.itemsize}" in FITS_FLOAT32
    return np.ascontiguousarray(array, dtype=np.float32 if is_narrow else np.float64).ravel()


def exponential_buckets(array: NDArray[Any]) -> Histogram:
    """Edges that grow by 10 % away from zero; values beyond the last edge get a bucket of their own."""
    data = flat_floats(array)
    edges = exponential_edges()
    table = edge_table(data.dtype.char)
    found = count_cells(data, table.first, table.edges)
    # Behind the edges come the two places where NaN and the infinities are counted.
    counts, odd = found[: len(edges) + 1], found[len(edges) + 1 :]
    not_finite = int(odd[0] + odd[2]), int(odd[3]), int(odd[1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        return Histogram(np.zeros((BUCKETS, 3)), not_finite)
    # A value on the last edge belongs to the bucket before it, as in numpy.histogram.
    if counts[0] or counts[-1]:
        finite = data[np.isfinite(data)].astype(np.float64)
        low, high = float(finite.min()), float(finite.max())
        edges = np.unique(np.concatenate([edges, [low, high]]))
        counts = np.concatenate([[0], np.histogram(finite, bins=edges)[0], [0]])
        filled = np.flatnonzero(counts)
    first, last = filled[0], filled[-1] + 1
    inner = slice(first - 1, last - 1)
    rows = np.stack([edges[inner], edges[1:][inner], counts[first:last]], axis=1)
    return Histogram(rows.astype(np.float64), not_finite)


def chosen_buckets(array: NDArray[Any], bins: Any, what: str) -> Histogram:
    data = array.astype(np.float64).ravel()
    is_finite = np.isfinite(data)
    odd = data[~is_finite]
    not_finite = int(np.isnan(odd).sum()), int((odd == -np.inf).sum()), int((odd == np.inf).sum())
    data = data[is_finite]
    if not data.size and isinstance(bins, str):
        return Histogram(np.zeros((BUCKETS, 3)), not_finite)
    if not isinstance(bins, str):
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
    return Histogram(np.stack([edges[:-1], edges[1:], counts], axis=1).astype(np.float64), not_finite)


@cache
def exponential_edges() -> NDArray[np.float64]:
    """From 1e-12 to 1e20 in steps of 10 %, the same below zero, and zero."""
    above = []
    edge = 1e-12
    while edge < 1e20:
        above.append(edge)
        edge *= 1.1
    return np.array([*(-edge for edge in reversed(above)), 0.0, *above])


class EdgeTable(NamedTuple):
    """What count_cells needs for the exponential edges."""

    # For each pattern of the first 16 bits, how many edges are at or below all its values.
    first: NDArray[np.uint16]
    # The edges as the smallest float that is not below each, and behind them a pattern's ends for what is not finite.
    edges: NDArray[Any]


@cache
def edge_table(char: str) -> EdgeTable:
    kind = np.dtype(char)
    bits = kind.itemsize * 8
    whole = np.arange(1 << 16, dtype=np.uint64) << np.uint64(bits - 16)
    lowest = whole.copy()
    # Of negative numbers the one with all other bits set is the smallest.
    lowest[1 << 15 :] |= np.uint64((1 << (bits - 16)) - 1)
    numbers = lowest.astype(f"u{kind.itemsize}").view(kind)
    edges = exponential_edges()
    rounded = edges.astype(kind)
    rounded = np.where(rounded < edges, np.nextafter(rounded, kind.type(np.inf)), rounded)
    with np.errstate(invalid="ignore"):
        first = np.searchsorted(rounded, numbers, side="right")
    n = len(edges)
    # NaN is counted at n + 1 and n + 3, positive infinity at n + 2 and negative infinity at n + 4.
    heads = whole.astype(f"u{kind.itemsize}").view(kind)
    is_odd = ~np.isfinite(heads)
    first[is_odd & (np.arange(1 << 16) < 1 << 15)] = n + 1
    first[is_odd & (np.arange(1 << 16) >= 1 << 15)] = n + 3
    ends = [np.inf, np.inf, np.inf, -np.inf]
    return EdgeTable(first.astype(np.uint16), np.concatenate([rounded, np.array(ends, kind)]))


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
