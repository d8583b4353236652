"""UMAP (McInnes, Healy and Melville, 2018): neighbours as a fuzzy graph, laid out by attraction along edges and repulsion from random
points. Begins with the principal components; the same seed gives the same picture on any number of cores."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from runglass.native import layouts as native
from runglass.reductions.graph import Edges, join_edges, supervise
from runglass.reductions.model import Floats, Follow, Reduction
from runglass.reductions.threads import spread

# Epochs up to as many points, and above.
FEW_POINTS = 10_000
EPOCHS_FEW, EPOCHS_MANY = 750, 300
# The first pace, half of the reference implementation's, which moves one point after the other: here all move at once, which
# is steadier in smaller steps. Less from positions that are given: what stands is not torn apart.
PACE_ANEW, PACE_ON = 0.5, 0.25
EXTENT = 10.0


def lay_out(
    near: NDArray[np.int32],
    distances: Floats,
    asked: Reduction,
    begin: Floats,
    *,
    is_on: bool,
    labels: NDArray[np.int32] | None,
    follow: Follow,
) -> tuple[Floats, int]:
    """Positions and how many epochs were done. `begin` are positions to begin with; `is_on`: they were laid out before."""
    edges = fuzzy_edges(near, distances, asked, labels)
    follow.check()
    positions = begin.astype(np.float32)
    if not is_on:
        positions = scatter(positions, EXTENT, asked.seed)
    return optimize(edges, positions, asked, pace=PACE_ON if is_on else PACE_ANEW, follow=follow)


def note_limit(asked: Reduction, n: int) -> str | None:
    """What is not done as asked, because there are too few rows."""
    if asked.neighbors <= n:
        return None
    return f"{asked.neighbors:,} neighbours are more than the {n:,} rows that there are, so each row has all others."


def count_neighbors(asked: Reduction, n: int) -> int:
    # A row counts as a neighbour of itself.
    return min(asked.neighbors, n) - 1


def fuzzy_edges(
    near: NDArray[np.int32], distances: Floats, asked: Reduction, labels: NDArray[np.int32] | None
) -> Edges:
    weights = np.empty_like(distances)
    target = float(np.log2(near.shape[1] + 1))
    spread(partial(native.membership, distances, weights, target), len(near))
    if labels is not None and asked.supervise_weight > 0:
        weights = supervise(near, weights, labels, asked.supervise_weight)
    return join_edges(near, weights, union=True)


def scatter(positions: Floats, extent: float, seed: int) -> Floats:
    """Scaled to ± extent around 0, and moved by so little that equal points can part."""
    centred = positions - positions.mean(axis=0)
    largest = float(np.abs(centred).max()) or 1.0
    noise = np.random.default_rng(seed).standard_normal(positions.shape) * 1e-4 * extent
    made: Floats = (centred * (extent / largest) + noise).astype(np.float32)
    return made


def optimize(
    edges: Edges, positions: Floats, asked: Reduction, *, pace: float, follow: Follow
) -> tuple[Floats, int]:
    n = len(positions)
    epochs = asked.epochs if asked.epochs is not None else EPOCHS_FEW if n <= FEW_POINTS else EPOCHS_MANY
    a, b = fit_curve(asked.spread, asked.min_dist)
    attraction, repulsion = make_tables(a, b)
    rates = make_rates(edges.weights)
    before, after = np.ascontiguousarray(positions), np.empty_like(positions)
    for epoch in range(epochs):
        follow.show("Moving points", epoch, epochs, before)
        move = partial(
            native.move_points,
            edges.starts,
            edges.others,
            rates,
            attraction,
            repulsion,
            before,
            after,
            epoch=epoch,
            pace=pace * (1 - epoch / epochs),
            samples=asked.negative_samples,
            seed=asked.seed,
        )
        spread(move, n, parts=2)
        before, after = after, before
    return before, epochs


def make_rates(weights: Floats) -> NDArray[np.uint32]:
    """How often an edge counts: in every epoch for the heaviest, 2³². Made in parts, since there are many."""
    largest = max(float(weights.max(initial=0.0)), 1e-30)
    rates = np.empty(len(weights), np.uint32)
    for start in range(0, len(weights), 1 << 20):
        part = slice(start, start + (1 << 20))
        rates[part] = (weights[part].astype(np.float64) / largest * (2**32 - 1)).astype(np.uint32)
    return rates


def make_tables(a: float, b: float) -> tuple[Floats, Floats]:
    """Attraction and repulsion over the distance, by the first bits of the squared distance, each for the middle of its bin."""
    bits = (np.arange(1 << native.FORCE_BITS, dtype=np.uint32) << 16) | 0x8000
    with np.errstate(all="ignore"):
        squares = bits.view(np.float32).astype(np.float64)
        powers = squares**b
        attraction = -2 * a * b * powers / squares / (a * powers + 1)
        repulsion = 2 * b / ((0.001 + squares) * (a * powers + 1))
    tables = []
    for table in (attraction, repulsion):
        # Equal points and the ends of the range.
        table[~np.isfinite(table)] = 0.0
        tables.append(np.clip(table, -1e30, 1e30).astype(np.float32))
    return tables[0], tables[1]


@cache
def fit_curve(spread_of: float, min_dist: float) -> tuple[float, float]:
    """a and b of 1 / (1 + a d^2b) that come nearest to 1 up to min_dist and an exponential of width `spread_of` behind: the least
    squares of 300 distances, by Levenberg and Marquardt."""
    x = np.linspace(0, 3 * spread_of, 300)[1:]
    wanted = np.where(x < min_dist, 1.0, np.exp(-(x - min_dist) / spread_of))
    logs = np.zeros(2)
    damping = 1e-2

    def errors(at: NDArray[np.float64]) -> NDArray[np.float64]:
        away: NDArray[np.float64] = 1 / (1 + np.exp(at[0]) * x ** (2 * np.exp(at[1]))) - wanted
        return away

    for _ in range(200):
        now = errors(logs)
        slope = np.stack(
            [(errors(logs + step) - errors(logs - step)) / 2e-5 for step in np.eye(2) * 1e-5], axis=1
        )
        square = slope.T @ slope
        change = np.linalg.solve(
            square + damping * np.diag(np.diag(square)) + 1e-12 * np.eye(2), -slope.T @ now
        )
        after = np.clip(logs + change, -20, 20)
        if (errors(after) ** 2).sum() < (now**2).sum():
            logs, damping = after, damping / 3
            if np.abs(change).max() < 1e-9:
                break
        else:
            damping *= 4
            if damping > 1e12:
                break
    return float(np.exp(logs[0])), float(np.exp(logs[1]))
