"""Nearest neighbours in the original space: of one point, exactly; of all points, exactly where that is fast and by descent above."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native import neighbors as native
from runglass.reductions.blas import one_thread
from runglass.reductions.descent import descend_all
from runglass.reductions.matrix import Matrix
from runglass.reductions.model import METRICS, Floats, Follow, Metric, ReadRows
from runglass.reductions.prepare import unit
from runglass.reductions.threads import spread, spread_parts

Rows = NDArray[np.int32]

# Multiplications up to which all rows are compared with all others.
MAX_EXACT = 6_000_000_000
TABLE_BYTES = 16 << 20
# Of a table, on one core.
TABLE_ROWS = 128


def nearest(
    vectors: ReadRows | NDArray[Any],
    point: int | NDArray[Any],
    count: int,
    metric: Metric,
    *,
    shape: tuple[int, int] | None = None,
) -> tuple[Rows, Floats]:
    """The `count` rows nearest to a row (which is not among them) or to any vector, nearest first, and their distances.

    `shape` is needed where `vectors` is a function. Rows that are not finite, and for cosine those without a direction, are no
    one's neighbours.
    """
    n, d = vectors.shape if shape is None and not callable(vectors) else shape or (0, 0)
    if metric not in METRICS:
        raise BadArgument(f"metric is {metric!r}; it can be {', '.join(METRICS)}.", where="metric")
    matrix = Matrix(vectors, n, d)
    own = None
    if isinstance(point, int | np.integer):
        if not 0 <= point < n:
            raise BadArgument(f"There is no row {point}: there are {n:,}.", where="row")
        own = int(point)
        target = matrix.read(own, own + 1)[0]
    else:
        target = np.ascontiguousarray(point, np.float32)
        if target.shape != (d,):
            raise BadArgument(f"A point has {d} dimensions, not {target.shape}.", where="row")
    distances = np.empty(n, np.float32)
    if callable(vectors):
        for place, block in matrix.blocks():
            native.measure(
                block, target, distances[place : place + len(block)], 0, len(block), cosine=metric == "cosine"
            )
    else:
        points = matrix.load()
        spread(partial(native.measure, points, target, distances, cosine=metric == "cosine"), n, parts=2)
    distances[~np.isfinite(distances)] = np.inf
    if own is not None:
        distances[own] = np.inf
    count = min(count, int(np.isfinite(distances).sum()))
    found = np.argpartition(distances, count - 1)[:count] if 0 < count < n else np.arange(n)[:count]
    found = found[np.lexsort((found, distances[found]))]
    return found.astype(np.int32), distances[found]


def distance_of(a: NDArray[Any], b: NDArray[Any], metric: Metric) -> float:
    """Of two vectors; NaN where there is none."""
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if metric == "euclidean":
        return float(np.linalg.norm(left - right))
    lengths = np.linalg.norm(left) * np.linalg.norm(right)
    return float(1 - left @ right / lengths) if lengths > 0 else float("nan")


def neighbors_of_all(
    vectors: Floats,
    count: int,
    metric: Metric,
    *,
    seed: int = 0,
    follow: Follow | None = None,
    is_own: bool = False,
) -> tuple[Rows, Floats]:
    """The `count` nearest of every row (itself left out), nearest first, and their distances. Rows have to be finite.

    Cosine: rows without a direction are as far from everything as a right angle is. `is_own`: the vectors are principal components that
    nobody needs any more, so no copy of them is made.
    """
    follow = follow or Follow()
    points = np.ascontiguousarray(vectors, np.float32)
    if metric == "cosine":
        made = points if is_own else np.empty_like(points)
        for start in range(0, len(points), 8_192):
            made[start : start + 8_192] = unit(points[start : start + 8_192])
        points = made
    n, d = points.shape
    count = min(count, n - 1)
    if count < 1:
        return np.empty((n, 0), np.int32), np.empty((n, 0), np.float32)
    if n * n * d <= MAX_EXACT or n <= 4 * count:
        rows, squares = compare_all(points, count, follow)
    else:
        rows, squares = descend_all(points, count, seed=seed, follow=follow, is_own=is_own)
    if metric == "cosine":
        squares *= np.float32(0.5)
        return rows, squares
    return rows, np.sqrt(squares, out=squares)


def compare_all(points: Floats, count: int, follow: Follow) -> tuple[Rows, Floats]:
    """Every row with every other, in tables of products."""
    n = len(points)
    lengths = np.einsum("ij,ij->i", points, points)
    who = np.empty((n, count), np.int32)
    far = np.empty((n, count), np.float32)
    step = max(1, TABLE_BYTES // (4 * n))
    products = np.empty((min(step, n), n), np.float32)
    for first in range(0, n, step):

        def compare(start: int, stop: int, first: int = first) -> None:
            np.matmul(points[first + start : first + stop], points.T, out=products[start:stop])
            native.keep_nearest(products, lengths, first, who, far, start, stop)

        with one_thread():
            spread_parts(compare, min(step, n - first), TABLE_ROWS)
        follow.at("Finding neighbours", first, n)
    return who, far
