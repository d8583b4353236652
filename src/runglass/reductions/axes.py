"""Custom axes: a direction from the middle of some rows to the middle of others, and where all rows lie along it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.reductions.matrix import Matrix
from runglass.reductions.model import Floats, Follow, ReadRows

Doubles = NDArray[np.float64]


def find_direction(
    vectors: ReadRows | NDArray[Any], n: int, d: int, *, begin: NDArray[Any], end: NDArray[Any]
) -> Doubles:
    """From the centre of the rows `begin` to that of the rows `end`, of length 1. Rows that are not finite do not count."""
    difference = centre_of(vectors, n, d, rows=end) - centre_of(vectors, n, d, rows=begin)
    length = float(np.linalg.norm(difference))
    if not length > 0:
        raise BadArgument("Both ends of the axis have the same centre: there is no direction.", where="axes")
    return difference / length


def centre_of(vectors: ReadRows | NDArray[Any], n: int, d: int, *, rows: NDArray[Any]) -> Doubles:
    chosen = np.unique(np.asarray(rows, np.int64))
    if not len(chosen) or chosen[0] < 0 or chosen[-1] >= n:
        raise BadArgument(f"An end of the axis has no rows, or rows outside 0 to {n - 1:,}.", where="axes")
    total, count = np.zeros(d), 0
    for _, block in Matrix(vectors, n, d, rows=chosen.astype(np.int32)).blocks():
        finite = block[np.isfinite(block).all(axis=1)]
        total += finite.sum(axis=0, dtype=np.float64)
        count += len(finite)
    if not count:
        raise BadArgument("No row at an end of the axis has finite numbers only.", where="axes")
    return total / count


def project_on(matrix: Matrix, axes: NDArray[np.floating[Any]], follow: Follow) -> Floats:
    """Where the rows lie along the axes, as seen from their mean."""
    turned = np.ascontiguousarray(np.asarray(axes, np.float32).T)
    if turned.ndim != 2 or turned.shape[0] != matrix.d or not 1 <= turned.shape[1] <= 3:
        raise BadArgument(f"The axes have the shape {np.shape(axes)}, not 1 to 3 × {matrix.d}.", where="axes")
    positions = np.empty((matrix.n, turned.shape[1]), np.float32)
    for place, block in matrix.blocks():
        np.matmul(block, turned, out=positions[place : place + len(block)])
        follow.at("Projecting", place, matrix.n)
    positions -= positions.mean(axis=0, dtype=np.float64).astype(np.float32)
    return positions
