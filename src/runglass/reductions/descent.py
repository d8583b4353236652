"""Approximate neighbours of all rows: parts of random trees are searched first, then neighbours of neighbours, round by round, as
nearest-neighbour descent does (Dong, Moses and Li, 2011), until hardly a nearer one is found.

Rows are turned so that their first numbers differ most, which changes no distance: most rows that are too far are given up after
sixteen numbers. They are ordered by the first tree, so that neighbours are near each other in memory too.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from runglass.native import neighbors as native
from runglass.reductions.model import Floats, Follow
from runglass.reductions.threads import pool, spread

Rows = NDArray[np.int32]

TREES = 8
# Of neighbours that descent is done with; more are found in one round at the end.
MIN_WIDTH = 18
MAX_WIDTH = 32
MIN_LEAF = 64
# Of its neighbours, those whose neighbours are looked at, and as many again of rows that it is a neighbour of.
SPAN = 18
ROOM = 8
MAX_ROUNDS = 12
# Rounds end when fewer of the neighbours were found in the last one.
MIN_FOUND = 0.005
# Above, finding the directions takes longer than it saves.
MAX_TURNED = 1_024
TURNED_ROWS = 20_000


def descend_all(
    points: Floats, count: int, *, seed: int, follow: Follow, is_own: bool = False
) -> tuple[Rows, Floats]:
    """The `count` nearest rows of each row, nearest first, and their squared distances. `is_own`: the points may be changed, and are
    seen along their principal directions already, so that no copy of them is needed."""
    n = len(points)
    phase = "Finding neighbours"
    follow.at(phase, 0, n)
    width = min(max(MIN_WIDTH, min(count, MAX_WIDTH)), n - 1)
    rows = points if is_own and points.shape[1] % 4 == 0 else turn(points)
    order = plant_trees(rows, 1, seed, follow)[0][0]
    native.reorder(rows, order)
    who, far = search_trees(rows, width, seed + 1, follow)
    follow.at(phase, 0, n)
    fresh = np.ones((n, width), np.uint8)
    span = min(SPAN, width)
    near = np.empty((n, span + ROOM), np.int32)
    is_fresh = np.empty((n, span + ROOM), np.uint8)
    counts = np.empty(n, np.int32)
    for turn_number in range(MAX_ROUNDS):
        follow.at(phase, min((turn_number + 1) * n // 8, n), n)
        native.gather(who, fresh, near, is_fresh, counts, follow.flag, span=span, seed=seed + turn_number)
        found_now = descend(rows, near, is_fresh, counts, who, far, fresh, follow)
        if found_now < MIN_FOUND * n * width:
            break
    follow.check()
    if count > width:
        near = np.empty((n, width + ROOM), np.int32)
        is_fresh = np.empty((n, width + ROOM), np.uint8)
        native.gather(who, fresh, near, is_fresh, counts, follow.flag, span=width, seed=seed)
        who = np.empty((n, count), np.int32)
        far = np.empty((n, count), np.float32)
        widen(rows, near, counts, who, far, follow)
    spread(partial(native.sort_heaps, who, far), n)
    follow.check()
    del near, is_fresh, fresh, counts
    named = np.empty((n, count), np.int32)
    squares = np.empty((n, count), np.float32)
    for start in range(0, n, 65_536):
        places = order[start : start + 65_536]
        found = who[start : start + 65_536, :count]
        named[places] = np.where(found >= 0, order[found], -1)
        squares[places] = far[start : start + 65_536, :count]
    return named, squares


def descend(
    rows: Floats,
    near: Rows,
    is_fresh: NDArray[np.uint8],
    counts: Rows,
    who: Rows,
    far: Floats,
    fresh: NDArray[np.uint8],
    follow: Follow,
) -> int:
    """One round; how many nearer ones were found."""
    one = partial(native.descend, rows, near, is_fresh, counts, who, far, fresh)
    return sum(spread(lambda start, stop: one(start, stop, follow.flag), len(rows)))


def widen(rows: Floats, near: Rows, counts: Rows, who: Rows, far: Floats, follow: Follow) -> None:
    one = partial(native.widen, rows, near, counts, who, far)
    spread(lambda start, stop: one(start, stop, follow.flag), len(rows))


def search_trees(rows: Floats, width: int, seed: int, follow: Follow) -> tuple[Rows, Floats]:
    """The nearest rows in the same parts of several trees, as heaps."""
    n = len(rows)
    orders, leaves = plant_trees(rows, TREES, seed, follow)
    places = np.empty_like(orders)
    for tree in range(TREES):
        places[tree, orders[tree]] = np.arange(n, dtype=np.int32)
    who = np.empty((n, width), np.int32)
    far = np.empty((n, width), np.float32)
    search = partial(native.search_leaves, rows, orders, leaves, places, who, far)
    spread(lambda start, stop: search(start, stop, follow.flag), n)
    return who, far


def turn(points: Floats) -> Floats:
    """The same rows seen along the principal directions of a sample of them, padded with zeros to a multiple of four numbers."""
    n, d = points.shape
    padded = -(-d // 4) * 4
    turned = np.zeros((n, padded), np.float32)
    if d > MAX_TURNED or d < 8:
        turned[:, :d] = points
        return turned
    sample = points[:: max(1, n // TURNED_ROWS)]
    centre = sample.mean(axis=0)
    centred = (sample - centre).astype(np.float64)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1].astype(np.float32)
    for start in range(0, n, 8_192):
        turned[start : start + 8_192, :d] = (points[start : start + 8_192] - centre) @ directions
    return turned


def plant_trees(rows: Floats, count: int, seed: int, follow: Follow) -> tuple[Rows, Rows]:
    orders = np.empty((count, len(rows)), np.int32)
    leaves = np.empty((count, len(rows)), np.int32)

    def plant(tree: int) -> None:
        native.plant(rows, orders[tree], leaves[tree], follow.flag, leaf=MIN_LEAF, seed=seed * 1_000 + tree)

    list(pool().map(plant, range(count)))
    follow.check()
    return orders, leaves
