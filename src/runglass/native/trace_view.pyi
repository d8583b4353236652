from typing import Any

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt8 = NDArray[np.uint8]

class View:
    def __init__(
        self, start: Int64, duration: Int64, row_starts: Int64, notable: Int64, longest: Int64
    ) -> None: ...
    def ranges(self, rows: Int32, low: int, high: int) -> tuple[Int64, Int64]: ...
    def slices(self, rows: Int32, low: int, high: int, pixel: int) -> Int32: ...
    def add_up(
        self,
        rows: Int32,
        low: int,
        high: int,
        own: Int64,
        keys: Int32 | None,
        row_keys: Int32 | None,
        size: int,
    ) -> tuple[Int64, Int64]: ...
    def spread(
        self, rows: Int32, keys: Int32, parent: Int32, size: int, low: int, high: int, width: int
    ) -> NDArray[np.float64]: ...
    def innermost(self, track_rows: Int32, track: Int32, moment: Int64) -> Int32: ...

def give_back() -> None: ...
def pick(values: NDArray[Any], order: Int32, out: NDArray[Any]) -> None: ...
def make_pyramid(values: Int64) -> Int64: ...
def notable(start: Int64, duration: Int64, row_starts: Int64) -> Int64: ...
def find_texts(data: UInt8, ends: Int64, needle: bytes) -> UInt8: ...
def count_before(mask: UInt8, numbers: Int32) -> Int32: ...
def find_values(
    arguments: UInt8,
    ends: Int64,
    event_of: Int32,
    numbers: Int32,
    texts: Int32,
    first: int,
    stop: int,
    place_of: UInt8 | None = None,
    seen: UInt8 | None = None,
) -> list[tuple[Int32, Int64]]: ...
