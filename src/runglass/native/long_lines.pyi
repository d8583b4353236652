from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.native.pyramid import Pyramid

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Floats = NDArray[np.float32] | NDArray[np.float64]

class RowsDamaged(Exception): ...

class SmoothedRows:
    weight: float
    count: int
    nbytes: int
    def __init__(self, weight: float, last: float = 0.0, seen: int = 0) -> None: ...
    def update(self, value: Floats) -> None: ...
    def state_at(self, value: Floats, row: int) -> tuple[float, int]: ...
    def read(self, value: Floats, begin: int, end: int) -> Float64: ...

class Piece:
    base: int
    begin: int
    end: int
    origin: float
    x: Int64 | Float64
    value: Floats
    pyramid: Pyramid
    smoothed: SmoothedRows | None
    def __init__(
        self,
        x: Int64 | Float64,
        value: Floats,
        pyramid: Pyramid,
        begin: int,
        end: int,
        *,
        origin: float = 0.0,
        smoothed: SmoothedRows | None = None,
        base: int = 0,
        columns: Columns | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def cut(self, begin: int, end: int) -> Piece: ...
    def find(self, bound: float, *, is_above: bool = False, scale: str = "linear") -> int: ...
    def place(self, row: int, scale: str = "linear") -> float: ...
    def read_x(self, rows: Any) -> Float64: ...
    def read_values(self, rows: Any) -> Floats: ...
    def read_y(self, begin: int, end: int) -> Floats: ...

class DrawnColumns:
    nbytes: int

def reduce_pieces(
    pieces: list[Piece],
    lo: float,
    hi: float,
    width: int,
    scale: str = "linear",
    earlier: DrawnColumns | None = None,
) -> tuple[Int64, Float64, DrawnColumns | None]: ...
def smoothed_rows(
    pyramid: Pyramid, value: Floats, begin: int, weight: float, last: float = 0.0, seen: int = 0
) -> SmoothedRows: ...
