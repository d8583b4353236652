"""Statistics of a series from what ingest wrote beside its rows: exact, and without reading them.

Only for series with one file and one attempt; of the others every row has to be seen.
"""

from __future__ import annotations

from math import isfinite

from runglass.clickhouse.reading import StoredSeries
from runglass.clickhouse.rows import PartState
from runglass.query.source import RunStatistic, Summary
from runglass.store.model import SeriesKey


def summary_of(key: SeriesKey, series: StoredSeries) -> Summary | None:
    """None if the rows have to be read."""
    if not series.is_plain:
        return None
    state = series.parts[0].state
    is_known, mean = mean_of(state)
    if not is_known:
        return None
    has_values = state.min_row >= 0
    return Summary(
        key=key,
        count=state.count,
        first=state.first_value,
        last=state.last_value,
        first_step=state.first_step,
        last_step=state.last_step,
        last_wall_time=state.last_wall_time,
        min=state.min_value if has_values else None,
        min_step=state.min_step if has_values else None,
        max=state.max_value if has_values else None,
        max_step=state.max_value_step if has_values else None,
        mean=mean,
        nan_count=state.nan_count,
        nan_first_step=state.nan_first_step if state.nan_count else None,
        pos_inf_count=state.pos_inf_count,
        pos_inf_first_step=state.pos_inf_first_step if state.pos_inf_count else None,
        neg_inf_count=state.neg_inf_count,
        neg_inf_first_step=state.neg_inf_first_step if state.neg_inf_count else None,
    )


def mean_of(state: PartState) -> tuple[bool, float | None]:
    """Whether the mean is known, and the mean, as native/statistics.pyx computes it of all values at once."""
    if not state.finite:
        return True, None
    mean = (state.total + state.error) / state.finite
    # Where the sum is too large for a double, all values have to be scaled.
    return isfinite(mean), min(max(mean, state.min_value), state.max_value)


def run_number(stat: RunStatistic, series: StoredSeries) -> tuple[bool, float | None]:
    """Whether a number of the run table is known without reading rows, and the number; None if there is none."""
    if not series.is_plain:
        return False, None
    state = series.parts[0].state
    match stat:
        case "count":
            return True, state.count
        case "last":
            return True, state.last_value
        case "first":
            return True, state.first_value
        case "min":
            return True, state.min_value if state.min_row >= 0 else None
        case "max":
            return True, state.max_value if state.max_row >= 0 else None
        case "mean":
            return mean_of(state)
    return False, None
