import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32] | NDArray[np.float64]

def summarize(y: Floats) -> tuple[int, int, float | None, int, int, int, int, int, int]: ...
def add_up(y: Floats, total: float, error: float) -> tuple[float, float]: ...
