"""Which nodes of a level are drawn aside because so many others are wired to them: masks, step counters, groups of updates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.hierarchy import Bools, Ints

# As TensorBoard: small levels are readable as they are, and few edges are no trouble.
MIN_NODES = 15
MIN_DEGREE = 5
# What feeds many but also takes part in the main flow stays in it.
MAX_OTHER_SIDE = 2


def find_aside(count: int, start: Ints, end: Ints, is_op: Bools) -> NDArray[np.bool_]:
    """Of `count` nodes; edges are pairs of different nodes, each once."""
    aside = np.zeros(count, np.bool_)
    if count < MIN_NODES or not len(start):
        return aside
    uses = np.bincount(start, minlength=count)
    inputs = np.bincount(end, minlength=count)
    aside |= (uses >= _threshold(uses)) & (inputs <= MAX_OTHER_SIDE)
    aside |= (inputs >= _threshold(inputs)) & (uses == 0)
    return aside & is_op


def _threshold(degrees: Ints) -> float:
    """Far above what is usual in this level."""
    low, high = np.percentile(degrees, (25, 75))
    return max(MIN_DEGREE, float(high + 1.5 * (high - low)) + 1e-9, 2.0 * float(high))
