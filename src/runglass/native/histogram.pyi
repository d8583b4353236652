import numpy as np
from numpy.typing import NDArray

def count_buckets(
    values: NDArray[np.float32] | NDArray[np.float64], buckets: int
) -> tuple[float, float, NDArray[np.int64], tuple[int, int, int]]: ...
def count_cells(
    values: NDArray[np.float32] | NDArray[np.float64],
    first: NDArray[np.uint16],
    edges: NDArray[np.float32] | NDArray[np.float64],
) -> NDArray[np.int64]: ...
