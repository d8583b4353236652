"""One call for every reduction: vectors and what is asked, to positions."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.reductions import tsne, umap
from runglass.reductions.axes import project_on
from runglass.reductions.matrix import Matrix, finite_rows
from runglass.reductions.model import (
    COMPONENTS,
    Floats,
    Follow,
    ReadRows,
    Reduced,
    Reduction,
    Report,
    check_asked,
    ignore,
)
from runglass.reductions.neighbors import neighbors_of_all
from runglass.reductions.pca import find_components, project
from runglass.reductions.prepare import prepare

# Fewer are not laid out.
MIN_ROWS = 4
# Vectors that are larger are laid out by as many principal components: they stay in memory meanwhile.
MAX_BYTES = 256 << 20
MAX_LARGE = 48
SMALLEST, LARGEST = 1e-9, 1e12


def reduce(
    vectors: ReadRows | NDArray[Any],
    n: int,
    d: int,
    asked: Reduction,
    *,
    labels: NDArray[np.int32] | None = None,
    axes: NDArray[np.floating[Any]] | None = None,
    start: Floats | None = None,
    report: Report = ignore,
    flag: memoryview | None = None,
) -> Reduced:
    """Reduce `n` × `d` vectors. Everything that is given per row (labels: codes, -1 for none; start: positions to go on from) has n
    rows; what is returned has those whose vectors are finite.

    `axes` are the directions of a custom projection, one row for each dimension of the picture. `report` is called often, with
    positions at times; it may raise. `flag` stops native code when its byte becomes 1.
    """
    started = time.perf_counter()
    check_asked(asked, n, d)
    follow = Follow(report, flag)
    follow.at("Reading vectors", 0, n)
    matrix = Matrix(vectors, n, d)
    rows = finite_rows(matrix)
    notes: list[str] = []
    if rows is not None:
        left = n - len(rows)
        notes.append(f"{left:,} of {n:,} rows have NaN or infinite numbers and are left out.")
        matrix = Matrix(vectors, n, d, rows=rows)
        if not len(rows):
            raise BadArgument(f"None of the {n:,} rows has finite numbers only.", where="vectors")
    try:
        positions, variance, iterations = run(matrix, asked, labels, axes, start, follow, notes)
    except BaseException as error:
        # Whoever keeps the error of a job that was cancelled does not keep its arrays.
        traceback.clear_frames(error.__traceback__)
        raise
    follow.at("Done", 1, 1, positions)
    return Reduced(positions, rows, variance, iterations, time.perf_counter() - started, tuple(notes))


def run(
    matrix: Matrix,
    asked: Reduction,
    labels: NDArray[Any] | None,
    axes: NDArray[Any] | None,
    start: NDArray[Any] | None,
    follow: Follow,
    notes: list[str],
) -> tuple[Floats, NDArray[np.float64] | None, int]:
    """Positions, the variance of components, and iterations."""
    rows = matrix.rows
    matrix = prepare(matrix, asked.prepare, follow)
    variance = None
    iterations = 0
    if asked.method == "pca":
        components = find_components(matrix, COMPONENTS, follow)
        positions = project(matrix, components, follow)
        variance = components.shares
    elif asked.method == "custom":
        if axes is None:
            raise BadArgument("A custom projection needs axes.", where="axes")
        positions = project_on(matrix, axes, follow)
    else:
        per_row = [each if each is None or rows is None else each[rows] for each in (labels, start)]
        positions, iterations = lay_out(matrix, asked, per_row[0], per_row[1], follow, notes)
    return positions, variance, iterations


def lay_out(
    matrix: Matrix,
    asked: Reduction,
    labels: NDArray[Any] | None,
    start: NDArray[Any] | None,
    follow: Follow,
    notes: list[str],
) -> tuple[Floats, int]:
    """t-SNE or UMAP, begun with the principal components, which are the first picture."""
    n, dimensions = matrix.n, asked.dimensions
    components = find_components(matrix, dimensions, follow)
    begin = np.zeros((n, dimensions), np.float32)
    narrow = project(matrix, components, follow)
    begin[:, : narrow.shape[1]] = narrow
    begin = within_reach(begin)
    is_on = start is not None
    if start is not None:
        begin = check_start(start, n, dimensions)
        if asked.perturb > 0:
            noise = np.random.default_rng(asked.seed).standard_normal(begin.shape)
            begin = (begin + asked.perturb * begin.std() * noise).astype(np.float32)
    follow.at("Finding neighbours", 0, n, begin)
    if n < MIN_ROWS:
        notes.append(f"{n:,} rows are too few to lay out: these are their principal components.")
        return begin, 0
    method = umap if asked.method == "umap" else tsne
    if (note := method.note_limit(asked, n)) is not None:
        notes.append(note)
    near, distances = find_neighbors(matrix, method.count_neighbors(asked, n), asked, follow, notes)
    lay: Callable[..., tuple[Floats, int]] = method.lay_out
    return lay(near, distances, asked, begin, is_on=is_on, labels=labels, follow=follow)


def find_neighbors(
    matrix: Matrix, count: int, asked: Reduction, follow: Follow, notes: list[str]
) -> tuple[NDArray[np.int32], Floats]:
    """Of all rows. What was loaded for it is given back before anything is laid out."""
    is_large = matrix.n * matrix.d * 4 > MAX_BYTES and matrix.d > MAX_LARGE
    if is_large:
        components = find_components(matrix, MAX_LARGE, follow)
        notes.append(
            f"{matrix.n:,} × {matrix.d:,} numbers: neighbours are found by the first {MAX_LARGE} principal components, which have "
            f"{components.shares.sum():.0%} of the variance."
        )
        points = project(matrix, components, follow)
    else:
        points = matrix.load()
    points = within_reach(points)
    return neighbors_of_all(points, count, asked.metric, seed=asked.seed, follow=follow, is_own=is_large)


def within_reach(points: Floats) -> Floats:
    """The same picture of numbers whose squares fit into float32: layouts do not depend on the scale."""
    largest = max(float(points.max()), -float(points.min()))
    if largest == 0 or SMALLEST < largest < LARGEST:
        return points
    return np.divide(points, largest, dtype=np.float32)


def check_start(start: NDArray[Any], n: int, dimensions: int) -> Floats:
    begin = np.ascontiguousarray(start, np.float32)
    if begin.shape != (n, dimensions):
        raise BadArgument(f"Positions to go on from are {start.shape}, not {(n, dimensions)}.", where="start")
    unknown = ~np.isfinite(begin).all(axis=1)
    if unknown.any():
        begin = begin.copy()
        begin[unknown] = 0 if unknown.all() else begin[~unknown].mean(axis=0)
    return begin
