"""Statistics of a series from what ingest wrote beside its rows: exact, and without reading them.

Only for series with one file and one attempt; of the others every row has to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.clickhouse.catalog import RunRow
from runglass.clickhouse.native_format import Block
from runglass.clickhouse.reading import StoredSeries
from runglass.clickhouse.rows import PartState
from runglass.query.source import RunStatistic, Summary
from runglass.store.model import SeriesKey

# Those that need no row of a series with one file and one attempt.
TABLE_STATISTICS = frozenset({"last", "first", "min", "max", "mean", "count"})


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


class RunNumbers:
    """The numbers of the run table, from what `parts` says of many runs at once."""

    def __init__(self, found: Block, runs: Sequence[RunRow]) -> None:
        self._found = found
        self._runs = {run.run_id: run for run in runs}
        self._bounds: dict[int, tuple[int, int]] = {}
        if found.count:
            tags = found["tag_id"]
            starts = [0, *(np.flatnonzero(tags[1:] != tags[:-1]) + 1).tolist(), found.count]
            self._bounds = {int(tags[begin]): (begin, end) for begin, end in pairwise(starts)}

    def read(self, tag_id: int, stat: RunStatistic) -> tuple[dict[str, float], list[str]]:
        """The number of every run that has one, and the runs whose rows have to be read: of several files or attempts."""
        begin, end = self._bounds.get(tag_id, (0, 0))
        if begin == end:
            return {}, []
        numbers, is_there, is_known = self._numbers(slice(begin, end), stat)
        values: dict[str, float] = {}
        others: dict[str, None] = {}
        for run_id, file_id, is_one, number, has_number, is_exact in zip(
            self._found["run_id"][begin:end].tolist(),
            self._found["file_id"][begin:end].tolist(),
            self._found["is_one"][begin:end].tolist(),
            numbers.tolist(),
            is_there.tolist(),
            is_known.tolist(),
            strict=True,
        ):
            run = self._runs.get(run_id)
            if run is None:
                continue
            only = run.only_file
            if only is None or (only == file_id and not (is_one and is_exact)):
                others[run.name] = None
            elif only == file_id and has_number:
                values[run.name] = number
        return values, list(others)

    def _numbers(
        self, rows: slice, stat: RunStatistic
    ) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.bool_]]:
        """Numbers, whether there is one, and whether it is exact."""
        found = self._found
        every = np.ones(rows.stop - rows.start, np.bool_)
        match stat:
            case "min" | "max":
                return found[f"{stat}_value"][rows], found[f"{stat}_row"][rows] >= 0, every
            case "mean":
                count = found["finite"][rows]
                with np.errstate(all="ignore"):
                    mean = (found["total"][rows] + found["error"][rows]) / count
                is_known = (count == 0) | np.isfinite(mean)
                mean = np.minimum(np.maximum(mean, found["min_value"][rows]), found["max_value"][rows])
                return mean, count > 0, is_known
            case "count":
                return found["count"][rows], every, every
        return found[f"{stat}_value"][rows], every, every
