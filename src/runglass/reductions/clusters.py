"""Clusters of a picture: hills of the density of its positions. Points between hills belong to none.

Cells of a grid are flooded from the densest down; two hills that meet stay apart if the lower one rises well above where they meet.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from runglass.reductions.model import Floats

CELLS = {1: 256, 2: 128, 3: 32}
# The width of a point, in cells of a grid for few points; more points make it narrower.
MIN_BLUR, MAX_BLUR = 1.2, 4.0
# Of its own height, that a hill rises above the place where it meets a higher one.
MIN_RISE = 0.35
# Of the highest hill: below, points belong to no cluster.
MIN_HEIGHT = 0.02
# Of all points, that a cluster has at least.
MIN_SHARE = 0.005
MAX_CLUSTERS = 40


def find_clusters(positions: Floats) -> tuple[NDArray[np.int32], Floats]:
    """The cluster of each point, the largest first and -1 for none, and the centre of each cluster. Positions are 1-D to 3-D."""
    n, dimensions = positions.shape
    codes = np.full(n, -1, np.int32)
    finite = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if not len(finite):
        return codes, np.empty((0, dimensions), np.float32)
    cells = CELLS[dimensions]
    known = positions[finite].astype(np.float64)
    # A few points far away must not make all others one cell.
    low, high = np.quantile(known, [0.001, 0.999], axis=0)
    extent = float((high - low).max()) or 1.0
    margin = 0.06 * extent
    places = np.clip(((known - low + margin) / (extent + 2 * margin) * cells).astype(np.int64), 0, cells - 1)
    flat = np.ravel_multi_index(tuple(places.T), (cells,) * dimensions)
    blur = float(np.clip(cells / 16 * len(finite) ** (-1 / (dimensions + 4)) * 4, MIN_BLUR, MAX_BLUR))
    density = smooth(np.bincount(flat, minlength=cells**dimensions).reshape((cells,) * dimensions), blur)
    hills = flood(density)
    found = hills[flat]
    sizes = np.bincount(found + 1)[1:]
    enough = [
        hill for hill in np.argsort(-sizes, kind="stable") if sizes[hill] >= max(2, MIN_SHARE * len(finite))
    ]
    number = np.full(len(sizes) + 1, -1, np.int32)
    for place, hill in enumerate(enough[:MAX_CLUSTERS]):
        number[hill] = place
    codes[finite] = number[found]
    centres = [positions[codes == place].mean(axis=0) for place in range(len(enough[:MAX_CLUSTERS]))]
    return codes, np.array(centres, np.float32).reshape(-1, dimensions)


def smooth(counts: NDArray[np.int64], blur: float) -> NDArray[np.float64]:
    reach = int(3 * blur) + 1
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / blur) ** 2)
    weights /= weights.sum()
    made = counts.astype(np.float64)
    for axis in range(made.ndim):
        made = np.apply_along_axis(lambda line: np.convolve(line, weights, mode="same"), axis, made)
    return made


def flood(density: NDArray[np.float64]) -> NDArray[np.int64]:
    """The hill of each cell, flat; -1 where it is too low."""
    cells = density.shape[0]
    steps = [
        sum(step * cells**power for power, step in enumerate(offset))
        for offset in product((-1, 0, 1), repeat=density.ndim)
        if any(offset)
    ]
    # A border of cells that belong to no hill: blurred density ends before it, so no step leads around the edge.
    heights = density.ravel()
    order = np.argsort(-heights, kind="stable")
    order = order[heights[order] > MIN_HEIGHT * heights[order[0]]]
    parent: list[int] = []
    peak: list[float] = []
    owner = np.full(len(heights), -1, np.int64)

    def find(hill: int) -> int:
        while parent[hill] != hill:
            parent[hill] = parent[parent[hill]]
            hill = parent[hill]
        return hill

    for cell in order.tolist():
        height = float(heights[cell])
        near = {
            find(int(owner[cell + step]))
            for step in steps
            if 0 <= cell + step < len(owner) and owner[cell + step] >= 0
        }
        if not near:
            parent.append(len(parent))
            peak.append(height)
            owner[cell] = len(parent) - 1
            continue
        ranked = sorted(near, key=lambda hill: (-peak[hill], hill))
        owner[cell] = ranked[0]
        for hill in ranked[1:]:
            if peak[hill] - height < MIN_RISE * peak[hill]:
                parent[hill] = ranked[0]
    roots = np.array([find(hill) for hill in range(len(parent))] + [-1])
    return roots[owner]
