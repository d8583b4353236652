import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt8 = NDArray[np.uint8]

class Nesting:
    order: Int32
    parent: Int32
    self_ps: Int64
    row_starts: Int64
    row_track: Int32
    row_depth: Int32
    track_rows: Int32
    is_proper: UInt8

def nest(track: Int32, start: Int64, duration: Int64, tracks: int) -> Nesting: ...
def inherit(own: Int32, parent: Int32) -> Int32: ...
def innermost(mask: UInt8, parent: Int32) -> Int32: ...
