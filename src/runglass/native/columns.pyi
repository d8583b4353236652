from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

class Columns:
    count: int
    def read_points(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[Any]]: ...
    def read_ranges(
        self,
    ) -> tuple[
        NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]
    ]: ...
    def append_range(
        self, step: int, wall_time: float, record: int, value_at: int, value_size: int
    ) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def dump(self, file: IO[bytes]) -> list[int]: ...
    def restore(self, buffer: Any, widths: list[int]) -> None: ...
