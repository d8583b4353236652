"""t-SNE (van der Maaten and Hinton, 2008): pictures whose neighbours are as alike as those of the vectors. The repulsion comes from a
tree, so an iteration takes time in proportion to n log n. Begins with the principal components (Kobak and Berens, 2019), with a
learning rate of n / exaggeration (Belkina and others, 2019)."""

from __future__ import annotations

from functools import partial
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from runglass.native import layouts
from runglass.native import tsne as native
from runglass.reductions.graph import Edges, join_edges, supervise
from runglass.reductions.model import Floats, Follow, Reduction
from runglass.reductions.threads import spread

# Of the widest cell that counts as one mass, as seen from a point.
ANGLE = 0.6
MOMENTUM = 0.8
# How far a point goes in one iteration, at most.
MAX_STEP = 5.0
BEGIN_EXTENT = 1e-4
MIN_RATE = 20.0
NEIGHBORS_PER_PERPLEXITY = 3


def default_perplexity(n: int) -> float:
    return min(30.0, max(5.0, ceil(sqrt(n) / 4)))


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
    """Positions and how many iterations were done. `begin` are positions to begin with; `is_on`: they were laid out before."""
    edges = alike_edges(near, distances, asked, labels)
    follow.check()
    dimensions = begin.shape[1]
    positions = np.zeros((len(begin), max(2, dimensions)), np.float32)
    positions[:, :dimensions] = begin - begin.mean(axis=0)
    if not is_on:
        noise = np.random.default_rng(asked.seed).standard_normal(begin.shape)
        positions *= BEGIN_EXTENT / (float(positions[:, 0].std()) or 1.0)
        # Equal points have to part.
        positions[:, :dimensions] += 1e-2 * BEGIN_EXTENT * noise
    early = 0 if is_on else min(asked.early_iterations, asked.iterations)
    made = optimize(edges, positions, asked, early=early, dimensions=dimensions, follow=follow)
    return np.ascontiguousarray(made[:, :dimensions]), asked.iterations


def choose_perplexity(asked: Reduction, n: int) -> float:
    """What is asked, or less where there are not enough rows for it."""
    wanted = default_perplexity(n) if asked.perplexity is None else asked.perplexity
    return max(1.0, min(wanted, (n - 1) / NEIGHBORS_PER_PERPLEXITY))


def note_limit(asked: Reduction, n: int) -> str | None:
    """What is not done as asked, because there are too few rows."""
    used = choose_perplexity(asked, n)
    if asked.perplexity is None or used == asked.perplexity:
        return None
    needed = ceil(NEIGHBORS_PER_PERPLEXITY * asked.perplexity) + 1
    return f"A perplexity of {asked.perplexity:g} needs {needed:,} rows. There are {n:,}, so it is {used:.3g} here."


def count_neighbors(asked: Reduction, n: int) -> int:
    return min(n - 1, max(2, int(NEIGHBORS_PER_PERPLEXITY * choose_perplexity(asked, n))))


def alike_edges(
    near: NDArray[np.int32], distances: Floats, asked: Reduction, labels: NDArray[np.int32] | None
) -> Edges:
    """Joint probabilities of neighbours, which sum up to 1. The distances are squared in place."""
    n = len(near)
    perplexity = choose_perplexity(asked, n)
    np.square(distances, out=distances)
    shares = np.empty_like(distances)
    spread(partial(layouts.likeness, distances, shares, perplexity), n)
    if labels is not None and asked.supervise_weight > 0:
        shares = supervise(near, shares, labels, asked.supervise_weight)
    edges = join_edges(near, shares, union=False)
    np.divide(edges.weights, edges.weights.sum(dtype=np.float64), out=edges.weights)
    return edges


def optimize(
    edges: Edges, positions: Floats, asked: Reduction, *, early: int, dimensions: int, follow: Follow
) -> Floats:
    n = len(positions)
    tree = native.Tree(n, positions.shape[1])
    forces, gains = np.zeros_like(positions), np.ones_like(positions)
    speeds = np.zeros_like(positions)
    before, after = np.ascontiguousarray(positions), np.empty_like(positions)
    for iteration in range(asked.iterations):
        if iteration == early:
            gains[:] = 1
            speeds[:] = 0
        follow.show("Moving points", iteration, asked.iterations, before[:, :dimensions])
        exaggeration = asked.early_exaggeration if iteration < early else 1.0
        tree.build(before)
        repel = partial(tree.repel, forces, angle=ANGLE, flag=follow.flag)
        kernel_sum = sum(spread(repel, tree.leaf_count, parts=4, least=32))
        follow.check()
        move = partial(
            native.step,
            edges.starts,
            edges.others,
            edges.weights,
            before,
            forces,
            gains,
            speeds,
            after,
            kernel_sum=kernel_sum,
            exaggeration=exaggeration,
            rate=asked.learning_rate or max(n / exaggeration, MIN_RATE),
            momentum=MOMENTUM,
            limit=MAX_STEP,
        )
        spread(move, n, parts=2)
        after -= after.mean(axis=0)
        before, after = after, before
    return before
