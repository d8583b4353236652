import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

class Tree:
    leaf_count: int
    def __init__(self, n: int, dimensions: int) -> None: ...
    def build(self, positions: Floats) -> None: ...
    def repel(
        self, forces: Floats, start: int, stop: int, *, angle: float, flag: memoryview | NDArray[np.uint8]
    ) -> float: ...

def step(
    starts: NDArray[np.int64],
    others: NDArray[np.int32],
    shares: Floats,
    before: Floats,
    forces: Floats,
    gains: Floats,
    speeds: Floats,
    after: Floats,
    start: int,
    stop: int,
    *,
    kernel_sum: float,
    exaggeration: float,
    rate: float,
    momentum: float,
    limit: float,
) -> float: ...
