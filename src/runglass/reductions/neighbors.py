"""Nearest neighbours in the original space: of one point, exactly; of all points, exactly where that is fast and by descent above."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.reductions.matrix import Matrix
from runglass.reductions.model import METRICS, Floats, Follow, Metric, ReadRows
from runglass.reductions.prepare import unit

Rows = NDArray[np.int32]


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
    for place, block in matrix.blocks():
        distances[place : place + len(block)] = measure(block, target, metric)
    distances[~np.isfinite(distances)] = np.inf
    if own is not None:
        distances[own] = np.inf
    count = min(count, int(np.isfinite(distances).sum()))
    found = np.argpartition(distances, count - 1)[:count] if 0 < count < n else np.arange(n)[:count]
    found = found[np.lexsort((found, distances[found]))]
    return found.astype(np.int32), distances[found]


def measure(block: Floats, target: Floats, metric: Metric) -> Floats:
    with np.errstate(all="ignore"):
        if metric == "euclidean":
            away: Floats = np.linalg.norm(block - target, axis=1)
            return away
        lengths = np.linalg.norm(block, axis=1) * np.linalg.norm(target)
        made: Floats = np.where(lengths > 0, 1 - block @ target / lengths, np.nan).astype(np.float32)
        return made


def distance_of(a: NDArray[Any], b: NDArray[Any], metric: Metric) -> float:
    """Of two vectors; NaN where there is none."""
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if metric == "euclidean":
        return float(np.linalg.norm(left - right))
    lengths = np.linalg.norm(left) * np.linalg.norm(right)
    return float(1 - left @ right / lengths) if lengths > 0 else float("nan")


def neighbors_of_all(
    vectors: Floats, count: int, metric: Metric, *, seed: int = 0, follow: Follow | None = None
) -> tuple[Rows, Floats]:
    """The `count` nearest of every row (itself left out), nearest first, and their distances. Rows have to be finite.

    Cosine: rows without a direction are as far from everything as a right angle is.
    """
    follow = follow or Follow()
    points = unit(vectors) if metric == "cosine" else np.ascontiguousarray(vectors, np.float32)
    count = min(count, len(points) - 1)
    rows, squares = search_all(points, count, follow)
    if metric == "cosine":
        squares *= np.float32(0.5)
        return rows, squares
    return rows, np.sqrt(squares, out=squares)


def search_all(points: Floats, count: int, follow: Follow) -> tuple[Rows, Floats]:
    n = len(points)
    lengths = np.einsum("ij,ij->i", points, points)
    rows = np.empty((n, count), np.int32)
    squares = np.empty((n, count), np.float32)
    step = max(1, (64 << 20) // (4 * n))
    for start in range(0, n, step):
        stop = min(start + step, n)
        table = lengths[start:stop, None] + lengths[None, :] - 2 * (points[start:stop] @ points.T)
        table[np.arange(stop - start), np.arange(start, stop)] = np.inf
        near = np.argpartition(table, count - 1, axis=1)[:, :count]
        found = np.take_along_axis(table, near, axis=1)
        order = np.argsort(found, axis=1, kind="stable")
        rows[start:stop] = np.take_along_axis(near, order, axis=1)
        squares[start:stop] = np.maximum(np.take_along_axis(found, order, axis=1), 0)
        follow.at("Finding neighbours", start, n)
    return rows, squares
