"""The rows of a series that `read_values` answers with, for every source that keeps a series as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from runglass.query.source import Float64, Int64


class ValueRows(TypedDict):
    """These fields of `Values`."""

    step: Int64
    wall_time: Float64
    segment: NDArray[np.int32]
    size_bytes: Int64 | None
    rows: Int64 | None


def choose_rows(
    arrays: Sequence[NDArray[Any]], segment: NDArray[np.int32], rows: Int64 | None, *, is_points: bool
) -> ValueRows:
    """`arrays`: step, wall_time, and the value of points, or record, place and size of everything else. `rows`: None for all."""
    step, wall_time = arrays[:2]
    size_bytes = None if is_points else arrays[4].astype("int64")
    if rows is not None:
        step, wall_time, segment = step[rows], wall_time[rows], segment[rows]
        size_bytes = None if size_bytes is None else size_bytes[rows]
    return ValueRows(step=step, wall_time=wall_time, segment=segment, size_bytes=size_bytes, rows=rows)
