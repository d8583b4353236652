import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int32]
Starts = NDArray[np.int64]

FORCE_BITS: int

def membership(distances: Floats, weights: Floats, target: float, start: int, stop: int) -> None: ...
def likeness(squares: Floats, shares: Floats, perplexity: float, start: int, stop: int) -> None: ...
def count_edges(near: Rows, starts: Starts) -> None: ...
def join_edges(
    near: Rows, weights: Floats, starts: Starts, others: Rows, joined: Floats, *, union: bool
) -> int: ...
def move_points(
    starts: Starts,
    others: Rows,
    rates: NDArray[np.uint32],
    attraction: Floats,
    repulsion: Floats,
    before: Floats,
    after: Floats,
    start: int,
    stop: int,
    *,
    epoch: int,
    pace: float,
    samples: int,
    seed: int,
) -> None: ...
