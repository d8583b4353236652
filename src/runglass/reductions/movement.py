"""What moved from step to step: how far each point went in aligned projections, and which of its neighbours it kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.reductions.model import Floats


@dataclass(frozen=True, slots=True)
class Movement:
    # For each step after the first, the mean over all points, as a share of the extent of the last step.
    per_step: NDArray[np.float64]
    # For each point, the length of its way through all steps, in the same unit.
    per_point: Floats


def measure_movement(steps: Sequence[Floats]) -> Movement:
    """`steps` are aligned positions of the same points, NaN where a step has no position for one."""
    extent = extent_of(steps[-1])
    per_step: list[float] = []
    way = np.zeros(len(steps[0]))
    for earlier, later in pairwise(steps):
        moved = np.linalg.norm(later.astype(np.float64) - earlier, axis=1) / extent
        known = np.isfinite(moved)
        per_step.append(float(moved[known].mean()) if known.any() else 0.0)
        way += np.where(known, moved, 0.0)
    return Movement(np.array(per_step), way.astype(np.float32))


def extent_of(positions: Floats) -> float:
    """The root of the mean squared distance from the centre: what "far" means in a picture."""
    known = positions[np.isfinite(positions).all(axis=1)].astype(np.float64)
    if not len(known):
        return 1.0
    return float(np.sqrt(((known - known.mean(axis=0)) ** 2).sum(axis=1).mean())) or 1.0


def share_kept(earlier: NDArray[Any], later: NDArray[Any]) -> Floats:
    """For each point, the share of its `earlier` neighbours (one row of row numbers each) that are among its `later` ones."""
    count, width = earlier.shape
    if not width:
        return np.ones(count, np.float32)
    # Row and neighbour as one number, so that one sorted search answers for all rows.
    base = np.arange(count, dtype=np.int64)[:, None] << 32
    kept = np.isin(base | earlier, base | later, assume_unique=True).reshape(earlier.shape)
    kept &= earlier >= 0
    shares: Floats = (kept.sum(axis=1) / np.maximum((earlier >= 0).sum(axis=1), 1)).astype(np.float32)
    return shares
