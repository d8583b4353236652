import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

def unfilter(
    data: Buffer, row_bytes: int, pixel_bytes: int, above: NDArray[np.uint8]
) -> NDArray[np.uint8]: ...
