"""One number of a series for the run table: the last, the lowest, the value at a step, or where another series is best.

Pure functions over arrays. Does not know where columns come from.
"""

from __future__ import annotations

from runglass.query.lines import order_by_step
from runglass.query.source import Best, Columns, RunColumn
from runglass.query.summaries import summarize


def run_value(column: RunColumn, columns: Columns, best: Columns | None) -> float | None:
    """None if there is no such number. `best`: the series `column.best_tag`, for `at_best`."""
    value = columns.value
    if column.stat == "count":
        return len(value)
    if not len(value):
        return None
    match column.stat:
        case "last":
            return value.item(-1)
        case "first":
            return value.item(0)
        case "at_step":
            return value_at(columns, column.step)
        case "at_best":
            step = None if best is None else best_step(best, column.best)
            return None if step is None else value_at(columns, step)
    lowest, highest, mean, *_ = summarize(columns)
    if column.stat == "mean":
        return mean
    row = lowest if column.stat == "min" else highest
    return value.item(row) if row >= 0 else None


def value_at(columns: Columns, step: int) -> float | None:
    """The value at the highest step up to this one, the last of several; None if all steps are higher."""
    rises = columns.read_pyramid is not None and columns.read_pyramid().steps_rise
    order = None if rises else order_by_step(columns.step)
    steps = columns.step if order is None else columns.step[order]
    place = int(steps.searchsorted(step, side="right")) - 1
    if place < 0:
        return None
    return columns.value.item(place if order is None else order.item(place))


def best_step(columns: Columns, best: Best) -> int | None:
    """The row of the lowest or highest finite value, the first of several."""
    lowest, highest, *_ = summarize(columns)
    row = lowest if best == "min" else highest
    return columns.step.item(row) if row >= 0 else None
