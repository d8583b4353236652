from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from runglass.native.trace_rows import TraceRows

class _Reader(Protocol):
    @property
    def size_bytes(self) -> int: ...
    def read(self, offset: int, size: int, /) -> bytes: ...

def read_xplane(
    reader: _Reader,
    name: str,
    rows: TraceRows,
    *,
    flag: memoryview | NDArray[np.uint8] | None = None,
    report: Callable[[int], None] | None = None,
) -> bool: ...
