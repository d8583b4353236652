import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Floats = NDArray[np.float32] | NDArray[np.float64]

def summarize(y: Floats) -> tuple[int, int, float | None, int, int, int, int, int, int]: ...
def rebin(rows: Float64, edges: Float64) -> Float64: ...
