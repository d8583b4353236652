import numpy as np
from numpy.typing import NDArray

MAX_BINS: int

def divide_variance(
    codes: NDArray[np.uint8],
    target: NDArray[np.float64],
    mass: NDArray[np.float64],
    pairs: NDArray[np.int32],
    rows: NDArray[np.int64],
    predicted: NDArray[np.float64],
    single: NDArray[np.float64],
    joint: NDArray[np.float64],
    *,
    min_leaf: int,
    seed: int,
) -> float: ...
