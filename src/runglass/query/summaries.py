"""Exact statistics of one series. Sees every point, never a reduced or smoothed line."""

from __future__ import annotations

from runglass.native import statistics
from runglass.query.source import Columns, Summary


def make_summary(columns: Columns) -> Summary:
    """Summarize all points. The mean compensates rounding and stays finite where a plain sum would overflow."""
    step, value = columns.step, columns.value
    count = len(value)
    lowest, highest, mean, *odd = statistics.summarize(value)
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
