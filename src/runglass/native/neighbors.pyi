import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Flag = memoryview | Bytes

PARTS: int

def measure(
    rows: Floats, target: Floats, distances: Floats, start: int, stop: int, *, cosine: bool
) -> None: ...
def keep_nearest(
    products: Floats, lengths: Floats, first: int, who: Rows, far: Floats, start: int, stop: int
) -> None: ...
def plant(rows: Floats, order: Rows, leaf_of: Rows, flag: Flag, *, leaf: int, seed: int) -> None: ...
def reorder(rows: Floats, order: Rows) -> None: ...
def search_leaves(
    rows: Floats,
    low: Floats,
    order: Rows,
    bounds: Rows,
    who: Rows,
    far: Floats,
    start: int,
    stop: int,
    flag: Flag,
) -> None: ...
def gather(
    who: Rows, fresh: Bytes, near: Rows, counts: Rows, flag: Flag, *, span: int, seed: int
) -> None: ...

class Offers: ...

def join(
    rows: Floats,
    low: Floats,
    near: Rows,
    counts: Rows,
    far: Floats,
    start: int,
    stop: int,
    flag: Flag,
) -> Offers: ...
def accept(made: list[Offers], part: int, who: Rows, far: Floats, fresh: Bytes) -> int: ...
def widen(
    rows: Floats, near: Rows, counts: Rows, who: Rows, far: Floats, start: int, stop: int, flag: Flag
) -> None: ...
def sort_heaps(who: Rows, far: Floats, start: int, stop: int) -> None: ...
