"""Exact statistics of one series. Sees every point, never a reduced or smoothed line."""

from __future__ import annotations

from typing import Any

from runglass.native import statistics
from runglass.query.source import Columns, Summary
from runglass.store.model import SeriesKey


def summarize(columns: Columns) -> tuple[int, int, float | None, int, int, int, int, int, int]:
    """What `statistics.summarize` finds, from the pyramid if there is one."""
    known = None if columns.read_pyramid is None else columns.read_pyramid().summarize(columns.value)
    return statistics.summarize(columns.value) if known is None else known


def make_summary(columns: Columns) -> Summary:
    """Summarize all points. The mean compensates rounding and stays finite where a plain sum would overflow."""
    step, value = columns.step, columns.value
    count = len(value)
    lowest, highest, mean, *odd = summarize(columns)
    nan_count, first_nan, pos_inf_count, first_pos_inf, neg_inf_count, first_neg_inf = odd
    return Summary(
        key=columns.key,
        count=count,
        first=value.item(0) if count else None,
        last=value.item(-1) if count else None,
        first_step=step.item(0) if count else None,
        last_step=step.item(-1) if count else None,
        last_wall_time=columns.wall_time.item(-1) if count else None,
        min=value.item(lowest) if lowest >= 0 else None,
        min_step=step.item(lowest) if lowest >= 0 else None,
        max=value.item(highest) if highest >= 0 else None,
        max_step=step.item(highest) if highest >= 0 else None,
        mean=mean,
        nan_count=nan_count,
        nan_first_step=step.item(first_nan) if nan_count else None,
        pos_inf_count=pos_inf_count,
        pos_inf_first_step=step.item(first_pos_inf) if pos_inf_count else None,
        neg_inf_count=neg_inf_count,
        neg_inf_first_step=step.item(first_neg_inf) if neg_inf_count else None,
    )


def from_index(key: SeriesKey, count: int, told: tuple[Any, ...]) -> Summary:
    """What `make_summary` said of the same points when the index was written (SUMMARY in store/index/layout.py)."""
    (
        first,
        last,
        first_step,
        last_step,
        last_wall_time,
        has_finite,
        lowest,
        lowest_step,
        highest,
        highest_step,
    ) = told[:10]
    mean, nans, first_nan, highs, first_high, lows, first_low = told[10:]
    return Summary(
        key=key,
        count=count,
        first=first,
        last=last,
        first_step=first_step,
        last_step=last_step,
        last_wall_time=last_wall_time,
        min=lowest if has_finite else None,
        min_step=lowest_step if has_finite else None,
        max=highest if has_finite else None,
        max_step=highest_step if has_finite else None,
        mean=mean if has_finite else None,
        nan_count=nans,
        nan_first_step=first_nan if nans else None,
        pos_inf_count=highs,
        pos_inf_first_step=first_high if highs else None,
        neg_inf_count=lows,
        neg_inf_first_step=first_low if lows else None,
    )
