import numpy as np
from numpy.typing import NDArray

def unit_to_bytes(
    values: NDArray[np.float32] | NDArray[np.float64], out: NDArray[np.uint8]
) -> tuple[float, float]: ...
def rows_less_the_row_above(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]: ...
