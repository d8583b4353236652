"""Principal components, exact: no sampling, no random projection. Reads the rows twice, in blocks, and keeps a square matrix at most.

The covariance is summed in float64 over blocks that are multiplied in float32, around a mean that is near enough for nothing to
cancel. With fewer rows than dimensions, the products of rows stand for it. Where either would be too large, and where only a few of
many components are wanted, a block Krylov iteration finds them to the accuracy of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.reductions.blas import one_thread
from runglass.reductions.matrix import Matrix
from runglass.reductions.model import COMPONENTS, Floats, Follow
from runglass.reductions.threads import spread_parts

Doubles = NDArray[np.float64]

# Above, components are found one block after the other instead of all of them.
MAX_ALL = 1_500
# Above, the square matrix is not made.
MAX_SQUARE = 4_096
# Multiplications that take a moment in float64.
MAX_WIDE = 2_000_000_000
MAX_LOADED_BYTES = 512 << 20
TOLERANCE = 1e-6
KRYLOV_STEPS = 16
MAX_RESTARTS = 30
# Rows that one core multiplies. In more dimensions blocks have fewer rows, and the library divides a product among the cores.
PART_ROWS = 2_048
MAX_DIVIDED = 1_024


@dataclass(frozen=True, slots=True)
class Components:
    mean: Doubles
    # One row each, of length 1, the largest variance first.
    directions: Doubles
    variance: Doubles
    # Of all dimensions, found components or not.
    total_variance: float

    @property
    def shares(self) -> Doubles:
        return (
            self.variance / self.total_variance if self.total_variance > 0 else np.zeros_like(self.variance)
        )


def find_components(matrix: Matrix, count: int = COMPONENTS, follow: Follow | None = None) -> Components:
    """The first `count` components, or as many as there are."""
    follow = follow or Follow()
    n, d = matrix.n, matrix.d
    count = min(count, n, d)
    if d <= min(n, MAX_SQUARE):
        # In float64 where small components count too, or where it takes no time.
        is_wide = count > COMPONENTS or n * d * d <= MAX_WIDE
        mean, covariance = read_covariance(matrix, follow, is_wide=is_wide)
        if not is_wide and not np.isfinite(covariance).all():
            # Squares of numbers as large as these do not fit into float32.
            mean, covariance = read_covariance(matrix, follow, is_wide=True)
        variance, directions = largest(covariance, count, follow)
        return Components(
            mean, one_sign(directions), np.maximum(variance, 0.0), max(float(covariance.trace()), 0.0)
        )
    mean, total = read_mean(matrix, follow)
    if n <= MAX_SQUARE and matrix.n * d * 4 <= MAX_LOADED_BYTES:
        centred = matrix.load() - mean.astype(np.float32)
        products = (centred @ centred.T).astype(np.float64) / n
        variance, weights = largest(products, count, follow)
        directions = orthonormal((centred.T @ weights.T.astype(np.float32)).astype(np.float64)).T
    else:
        variance, directions = krylov(
            lambda given: apply_covariance(matrix, mean, given, follow), d, count, follow
        )
    return Components(mean, one_sign(directions), np.maximum(variance, 0.0), total)


def one_sign(directions: Doubles) -> Doubles:
    """Of two opposite directions always the same one: its largest number is positive."""
    largest_at = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[np.arange(len(directions)), largest_at] < 0, -1.0, 1.0)
    return directions * signs[:, None]


def read_mean(matrix: Matrix, follow: Follow) -> tuple[Doubles, float]:
    """The mean, and the variance of all dimensions together."""
    shift = np.zeros(matrix.d, np.float32)
    sums = np.zeros(matrix.d)
    squares = 0.0
    for place, block in matrix.blocks():
        if not place:
            shift = block.mean(axis=0, dtype=np.float64).astype(np.float32)
        centred = block - shift
        sums += np.ones(len(centred), np.float32) @ centred
        flat = centred.ravel()
        squares += float(flat @ flat)
        follow.at("Reading vectors", place, matrix.n)
    offset = sums / matrix.n
    return shift + offset, max(squares / matrix.n - float(offset @ offset), 0.0)


def read_covariance(matrix: Matrix, follow: Follow, *, is_wide: bool) -> tuple[Doubles, Doubles]:
    """The mean and the covariance in one pass, summed around the mean of the first block."""
    shift = np.zeros(matrix.d, np.float32)
    sums = np.zeros(matrix.d)
    products = np.zeros((matrix.d, matrix.d))
    for place, block in matrix.blocks():
        if not place:
            shift = block.mean(axis=0, dtype=np.float64).astype(np.float32)
        centred = np.subtract(block, shift, dtype=np.float64 if is_wide else np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            sums += np.ones(len(centred), centred.dtype) @ centred
            for part in multiply_parts(centred):
                products += part
        follow.at("Finding components", place, matrix.n)
    offset = sums / matrix.n
    return shift + offset, products / matrix.n - np.outer(offset, offset)


def multiply_parts(rows: NDArray[Any]) -> list[NDArray[Any]]:
    """Products of all columns with each other: sums of some rows after the other, to be added up."""

    def multiply(start: int, stop: int) -> NDArray[Any]:
        # Each thread has its own say on warnings.
        with np.errstate(over="ignore", invalid="ignore"):
            made: NDArray[Any] = rows[start:stop].T @ rows[start:stop]
        return made

    if rows.shape[1] > MAX_DIVIDED:
        return [multiply(0, len(rows))]
    with one_thread():
        return spread_parts(multiply, len(rows), PART_ROWS)


def apply_covariance(matrix: Matrix, mean: Doubles, given: Doubles, follow: Follow) -> Doubles:
    total = np.zeros(given.shape)
    narrow, near = given.astype(np.float32), mean.astype(np.float32)
    for _, block in matrix.blocks():
        centred = block - near
        total += centred.T @ (centred @ narrow)
        follow.check()
    return total / matrix.n


def largest(square: Doubles, count: int, follow: Follow) -> tuple[Doubles, Doubles]:
    """The largest eigenvalues of a symmetric matrix and their vectors, one row each."""
    with one_thread():
        if len(square) > MAX_ALL and count * 4 <= len(square):
            return krylov(lambda given: square @ given, len(square), count, follow)
        values, vectors = np.linalg.eigh(square)
        return values[::-1][:count], vectors[:, ::-1][:, :count].T.copy()


def krylov(
    apply: Callable[[Doubles], Doubles], d: int, count: int, follow: Follow
) -> tuple[Doubles, Doubles]:
    """Block Krylov iteration, restarted from the best vectors until their residuals are below the accuracy of the input."""
    width = min(count + 6, d)
    if d <= 2 * width:
        values, vectors = np.linalg.eigh(apply(np.eye(d)))
        return values[::-1][:count], vectors[:, ::-1][:, :count].T.copy()
    best = orthonormal(np.random.default_rng(0).standard_normal((d, width)))
    values = np.zeros(width)
    for step in range(MAX_RESTARTS):
        basis = [best]
        for _ in range(min(KRYLOV_STEPS, d // width) - 1):
            fresh = apply(basis[-1])
            for _ in range(2):
                for each in basis:
                    fresh -= each @ (each.T @ fresh)
            basis.append(orthonormal(fresh))
        whole = orthonormal(np.concatenate(basis, axis=1))
        applied = apply(whole)
        values, mixed = np.linalg.eigh(whole.T @ applied)
        order = np.argsort(-values)[:width]
        values = values[order]
        best = whole @ mixed[:, order]
        residual = np.linalg.norm(
            applied @ mixed[:, order[:count]] - best[:, :count] * values[:count], axis=0
        )
        follow.at("Finding components", step, None)
        if (residual <= TOLERANCE * max(values[0], 1e-300)).all():
            break
    return values[:count], orthonormal(best)[:, :count].T.copy()


def orthonormal(columns: Doubles) -> Doubles:
    made: Doubles = np.linalg.qr(columns)[0]
    return made


def project(matrix: Matrix, components: Components, follow: Follow | None = None) -> Floats:
    """Where the rows lie along the components."""
    follow = follow or Follow()
    turned = components.directions.T.astype(np.float32)
    near = components.mean.astype(np.float32)
    positions = np.empty((matrix.n, len(components.directions)), np.float32)
    for place, block in matrix.blocks():
        with one_thread():
            np.matmul(block - near, turned, out=positions[place : place + len(block)])
        follow.at("Projecting", place, matrix.n)
    return positions
