import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Floats = NDArray[np.float32] | NDArray[np.float64]

def reduce_columns(x: Float64, y: Floats, lo: float | None, hi: float | None, width: int) -> Int64: ...
def rising_range(x: Float64, lo: float, hi: float) -> tuple[int, int] | None: ...
def pack_mask(indices: Int64, count: int) -> bytes: ...
