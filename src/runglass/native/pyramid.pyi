from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Floats = NDArray[np.float32] | NDArray[np.float64]

MIN_ROWS: int

class Pyramid:
    count: int
    nbytes: int
    steps_rise: bool
    times_rise: bool
    is_constant: bool
    def update(self, step: Int64, wall_time: Float64, value: Floats) -> None: ...
    def find_extremes(
        self, value: Floats, begin: int, end: int
    ) -> tuple[int, int, int, int, int, int, int]: ...
    def summarize(
        self, value: Floats
    ) -> tuple[int, int, float | None, int, int, int, int, int, int] | None: ...
    def dump(self, file: IO[bytes]) -> int: ...
    @staticmethod
    def restore(buffer: Any, count: int, keep: object = None) -> Pyramid: ...
