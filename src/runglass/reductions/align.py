"""Two projections of the same rows laid over each other: turned, mirrored, moved and scaled (Procrustes), shape unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.reductions.model import Floats


def align(
    positions: Floats, onto: Floats, *, rows: NDArray[Any] | None = None, can_scale: bool = True
) -> Floats:
    """`positions` where their squared distances to `onto` are least. Only `rows` are compared; all are moved."""
    if positions.shape != onto.shape:
        raise BadArgument(f"{positions.shape} positions cannot lie over {onto.shape}.", where="positions")
    mine = positions.astype(np.float64)
    theirs = onto.astype(np.float64)
    compared = np.isfinite(mine).all(axis=1) & np.isfinite(theirs).all(axis=1)
    if rows is not None:
        chosen = np.zeros(len(mine), np.bool_)
        chosen[rows] = True
        compared &= chosen
    if not compared.any():
        return positions
    my_centre, their_centre = mine[compared].mean(axis=0), theirs[compared].mean(axis=0)
    mine -= my_centre
    products = mine[compared].T @ (theirs[compared] - their_centre)
    left, lengths, right = np.linalg.svd(products)
    extent = float((mine[compared] ** 2).sum())
    scale = float(lengths.sum()) / extent if can_scale and extent > 0 and lengths.sum() > 0 else 1.0
    moved: Floats = (scale * (mine @ (left @ right)) + their_centre).astype(np.float32)
    return moved
