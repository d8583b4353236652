"""Where a series first has a value that is not finite. A pure function over arrays."""

from __future__ import annotations

from msgspec import Struct

from runglass.native import statistics
from runglass.query.source import Columns
from runglass.store.model import SeriesKey


class FirstNotFinite(Struct, frozen=True, kw_only=True):
    key: SeriesKey
    step: int
    wall_time: float
    nan_count: int
    inf_count: int
    value_count: int


def find_not_finite(columns: Columns) -> FirstNotFinite | None:
    """None if all values are finite. The step and time are those of the first value that is not."""
    _, _, _, nans, first_nan, highs, first_high, lows, first_low = statistics.summarize(columns.value)
    firsts = [row for count, row in ((nans, first_nan), (highs, first_high), (lows, first_low)) if count]
    if not firsts:
        return None
    row = min(firsts)
    return FirstNotFinite(
        key=columns.key,
        step=columns.step.item(row),
        wall_time=columns.wall_time.item(row),
        nan_count=nans,
        inf_count=highs + lows,
        value_count=len(columns.value),
    )
