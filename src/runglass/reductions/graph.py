"""Edges between neighbours, in both directions: what t-SNE and UMAP lay out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.native import layouts as native
from runglass.reductions.model import Floats

# How much less an edge between different labels weighs, as an exponent, before it is divided by 1 - weight (as in UMAP); and one with
# a row that has no label.
DIFFERENT = 2.5
UNKNOWN = 1.0


@dataclass(frozen=True, slots=True)
class Edges:
    # Those of row i are starts[i] to starts[i + 1]; every edge is there from either side.
    starts: NDArray[np.int64]
    others: NDArray[np.int32]
    weights: Floats


def join_edges(near: NDArray[np.int32], weights: Floats, *, union: bool) -> Edges:
    starts = np.empty(len(near) + 1, np.int64)
    native.count_edges(near, starts)
    others = np.empty(starts[-1], np.int32)
    joined = np.empty(starts[-1], np.float32)
    count = native.join_edges(near, weights, starts, others, joined, union=union)
    # Copies, one after the other: what was too much is given back.
    others = others[:count].copy()
    joined = joined[:count].copy()
    return Edges(starts, others, joined)


def supervise(near: NDArray[np.int32], weights: Floats, labels: NDArray[Any], weight: float) -> Floats:
    """The same weights, less where a row and its neighbour have different labels (-1: no label). The sum of each row stays."""
    mine, theirs = labels[:, None], labels[near]
    different = DIFFERENT / (1.0 - weight) if weight < 1.0 else 1e12
    exponent = np.where(mine == theirs, 0.0, different)
    exponent[(mine < 0) | (theirs < 0)] = UNKNOWN * min(weight * 2, 1.0)
    changed = weights * np.exp(-np.minimum(exponent, 80.0))
    sums = changed.sum(axis=1, keepdims=True)
    scaled = np.where(
        sums > 1e-20, changed * (weights.sum(axis=1, keepdims=True) / np.maximum(sums, 1e-30)), weights
    )
    made: Floats = np.minimum(scaled, 1.0).astype(np.float32)
    return made
