"""One call for every reduction: vectors and what is asked, to positions."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
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
from runglass.reductions.pca import find_components, project
from runglass.reductions.prepare import prepare


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
        raise BadArgument(f"{asked.method} is not there yet.", where="method")
    follow.at("Done", 1, 1, positions)
    return Reduced(positions, rows, variance, iterations, time.perf_counter() - started, tuple(notes))
