import numpy as np
from numpy.typing import NDArray

from runglass.native.columns import Columns

class StepUnion:
    def read(self, series: list[Columns | NDArray[np.int64]]) -> NDArray[np.int64]: ...

def unite_steps(series: list[Columns | NDArray[np.int64]]) -> NDArray[np.int64]: ...
