"""What happens to vectors before they are reduced: centred, made of length 1, both (spherize), or whitened. Row by row, as they are read."""

from __future__ import annotations

import numpy as np

from runglass.reductions.matrix import Matrix
from runglass.reductions.model import Floats, Follow, Preparation
from runglass.reductions.pca import find_components, read_mean

# Components with less of the largest variance are noise of the numbers: dividing by it would blow them up.
MIN_VARIANCE = 1e-10


def prepare(matrix: Matrix, how: Preparation, follow: Follow) -> Matrix:
    """The same rows, prepared whenever they are read."""
    if how == "none":
        return matrix
    if how == "unit":
        return Matrix(
            lambda start, stop: unit(matrix.read(start, stop)), matrix.all_rows, matrix.d, rows=matrix.rows
        )
    if how == "whiten":
        return whiten(matrix, follow)
    mean = read_mean(matrix, follow)[0].astype(np.float32)

    def read(start: int, stop: int) -> Floats:
        centred = matrix.read(start, stop) - mean
        return unit(centred) if how == "spherize" else centred

    return Matrix(read, matrix.all_rows, matrix.d, rows=matrix.rows)


def whiten(matrix: Matrix, follow: Follow) -> Matrix:
    found = find_components(matrix, matrix.d, follow)
    kept = found.variance > MIN_VARIANCE * max(float(found.variance[0]), 1e-300)
    if not kept.any():
        return matrix
    mean = found.mean.astype(np.float32)
    turned = (found.directions[kept] / np.sqrt(found.variance[kept])[:, None]).T.astype(np.float32)
    return Matrix(
        lambda start, stop: (matrix.read(start, stop) - mean) @ turned,
        matrix.all_rows,
        turned.shape[1],
        rows=matrix.rows,
    )


def unit(rows: Floats) -> Floats:
    """Rows of length 1; those without a direction stay at the origin."""
    with np.errstate(all="ignore"):
        largest = np.abs(rows).max(axis=1, keepdims=True)
        # First divided by their largest number: squares of large ones are infinite, of small ones zero.
        scaled: Floats = np.divide(rows, np.where(largest > 0, largest, 1), dtype=np.float32)
        scaled /= np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), np.float32(1e-30))
    return scaled
