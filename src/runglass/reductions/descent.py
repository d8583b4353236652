"""Approximate neighbours of all rows: parts of random trees are searched first, then neighbours of a row are compared with each other,
round by round, as nearest-neighbour descent does (Dong, Moses and Li, 2011), until hardly a nearer one is found.

Both compare few rows with each other, all with all, which native code does in blocks that stay in the nearest cache: large parts and
many neighbours cost less than more rounds. Rows are turned so that their first numbers differ most, which changes no distance: planes
between parts need only these. They are ordered by the first tree, so that neighbours are near each other in memory too.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from runglass.native import neighbors as native
from runglass.reductions.blas import one_thread
from runglass.reductions.model import Floats, Follow
from runglass.reductions.threads import pool, spread, spread_parts

Rows = NDArray[np.int32]

TREES = 12
MAX_LEAF = 320
# Of neighbours that descent is done with; more are found in one round at the end.
MIN_WIDTH = 20
MAX_WIDTH = 32
# Of a row: the neighbours that are compared with each other, and how many of the rows that it is a neighbour of are among them.
SPAN = 20
ROOM = 20
WIDE_ROOM = 8
# Rows whose neighbours are compared before what they found is used, and those that one thread compares at a time: the same on any number
# of cores, and so is what is found.
BLOCK = 8_192
PIECE = 1_024
MAX_ROUNDS = 12
# Rounds end when fewer of the neighbours were found in the last one.
MIN_FOUND = 0.03
# Above, finding the directions takes longer than it saves.
MAX_TURNED = 1_024
TURNED_ROWS = 5_000


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
    low = low_squares(rows)
    who, far = search_trees(rows, low, width, seed + 1, follow)
    follow.at(phase, 0, n)
    fresh = np.ones((n, width), np.uint8)
    span = min(SPAN, width)
    near = np.empty((n, span + ROOM), np.int32)
    counts = np.empty(n, np.int32)
    for turn_number in range(MAX_ROUNDS):
        follow.at(phase, min((turn_number + 1) * n // 8, n), n)
        native.gather(who, fresh, near, counts, follow.flag, span=span, seed=seed + turn_number)
        found_now = descend(rows, low, near, counts, who, far, fresh, follow)
        if found_now < MIN_FOUND * n * width:
            break
    follow.check()
    if count > width:
        near = np.empty((n, width + WIDE_ROOM), np.int32)
        fresh.fill(0)
        native.gather(who, fresh, near, counts, follow.flag, span=width, seed=seed)
        who = np.empty((n, count), np.int32)
        far = np.empty((n, count), np.float32)
        widen(rows, near, counts, who, far, follow)
    spread(partial(native.sort_heaps, who, far), n)
    follow.check()
    del near, fresh, counts
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
    low: Floats,
    near: Rows,
    counts: Rows,
    who: Rows,
    far: Floats,
    fresh: NDArray[np.uint8],
    follow: Follow,
) -> int:
    """One round; how many nearer ones were found."""
    n = len(rows)
    found = 0

    def join(start: int) -> native.Offers:
        stop = min(start + PIECE, n)
        return native.join(rows, low, near, counts, far, start, stop, follow.flag)

    for first in range(0, n, BLOCK):
        offers = list(pool().map(join, range(first, min(first + BLOCK, n), PIECE)))
        accept = partial(native.accept, offers, who=who, far=far, fresh=fresh)
        found += sum(pool().map(accept, range(native.PARTS)))
    return found


def widen(rows: Floats, near: Rows, counts: Rows, who: Rows, far: Floats, follow: Follow) -> None:
    one = partial(native.widen, rows, near, counts, who, far)
    spread(lambda start, stop: one(start, stop, follow.flag), len(rows))


def search_trees(rows: Floats, low: Floats, width: int, seed: int, follow: Follow) -> tuple[Rows, Floats]:
    """The nearest rows in the same parts of several trees, farthest first."""
    n = len(rows)
    orders, leaves = plant_trees(rows, TREES, seed, follow)
    who = np.full((n, width), -1, np.int32)
    far = np.full((n, width), np.inf, np.float32)
    for order, leaf_of in zip(orders, leaves, strict=True):
        bounds = np.append(np.flatnonzero(leaf_of == np.arange(n)), n).astype(np.int32)
        search = partial(native.search_leaves, rows, low, order, bounds, who, far, flag=follow.flag)
        spread(search, len(bounds) - 1, least=1)
        follow.check()
    return who, far


def low_squares(rows: Floats) -> Floats:
    """Of each row a little less than its squared length: less by more than what rounding can add to a product of two rows."""
    rounding = (rows.shape[1] + 16) * float(np.finfo(np.float32).eps)
    squares: Floats = np.einsum("ij,ij->i", rows, rows)
    squares *= np.float32(1 - rounding)
    return squares


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

    def turn_rows(start: int, stop: int) -> None:
        np.matmul(points[start:stop] - centre, directions, out=turned[start:stop, :d])

    with one_thread():
        directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1].astype(np.float32)
        spread_parts(turn_rows, n, 8_192)
    return turned


def plant_trees(rows: Floats, count: int, seed: int, follow: Follow) -> tuple[Rows, Rows]:
    orders = np.empty((count, len(rows)), np.int32)
    leaves = np.empty((count, len(rows)), np.int32)

    def plant(tree: int) -> None:
        native.plant(rows, orders[tree], leaves[tree], follow.flag, leaf=MAX_LEAF, seed=seed * 1_000 + tree)

    list(pool().map(plant, range(count)))
    follow.check()
    return orders, leaves
