"""How true a picture is to its vectors: trustworthiness (Venna and Kaski, 2001), and how many neighbours it keeps."""

from __future__ import annotations

import numpy as np

from runglass.reductions.model import Floats, Metric
from runglass.reductions.neighbors import neighbors_of_all
from runglass.reductions.prepare import unit


def trustworthiness(
    vectors: Floats, positions: Floats, count: int = 15, *, metric: Metric = "euclidean"
) -> float:
    """1 if no neighbour in the picture is far away among the vectors, about 0.5 for a random one. Compares all rows with all others."""
    points = unit(vectors) if metric == "cosine" else np.ascontiguousarray(vectors, np.float32)
    n = len(points)
    near, _ = neighbors_of_all(np.ascontiguousarray(positions, np.float32), count, "euclidean")
    lengths = np.einsum("ij,ij->i", points, points)
    penalty = 0.0
    for start in range(0, n, 512):
        stop = min(start + 512, n)
        squares = lengths[None, :] - 2 * (points[start:stop] @ points.T)
        squares[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        ranks = np.empty(squares.shape, np.int32)
        np.put_along_axis(
            ranks, np.argsort(squares, axis=1, kind="stable"), np.arange(n, dtype=np.int32), axis=1
        )
        penalty += float(np.maximum(np.take_along_axis(ranks, near[start:stop], axis=1) - count, 0).sum())
    return 1.0 - penalty * 2.0 / (n * count * (2.0 * n - 3.0 * count - 1.0))


def kept_neighbors(
    vectors: Floats, positions: Floats, count: int = 15, *, metric: Metric = "euclidean"
) -> float:
    """The share of the `count` nearest rows that are among the `count` nearest in the picture."""
    near, _ = neighbors_of_all(vectors, count, metric)
    shown, _ = neighbors_of_all(np.ascontiguousarray(positions, np.float32), count, "euclidean")
    kept = (near[:, :, None] == shown[:, None, :]).any(axis=2)
    return float(kept.mean())
