"""Lines, summaries, tables and bands over any source that can read columns.

A source inherits from DerivedReads and brings `read_columns`; it may override a method where its store can do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.bands import make_band
from runglass.query.lines import make_earlier_lines, make_line
from runglass.query.run_columns import run_value
from runglass.query.source import (
    AxisQuery,
    Band,
    BandQuery,
    Columns,
    Line,
    LineQuery,
    Nearest,
    RangeSummary,
    RunColumn,
    Summary,
    XAxis,
)
from runglass.query.summaries import make_summary
from runglass.query.tables import make_nearest, make_range_summary
from runglass.store.model import Attempts, SeriesKey

TIME_AXES = frozenset(get_args(XAxis))


class DerivedReads:
    def read_columns(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        raise NotImplementedError

    def read_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]:
        if query.x in TIME_AXES:
            columns = self.read_columns(keys, attempts=query.attempts)
            return [make_line(each, query, x_columns=None) for each in columns]
        pairs = self._with_x(keys, query.x, query.attempts)
        return [make_line(each, query, x_columns=x) for each, x in pairs]

    def read_earlier_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]:
        pairs = self._with_x(keys, query.x, "all")
        return [line for each, x in pairs for line in make_earlier_lines(each, query, x_columns=x)]

    def read_summaries(self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest") -> list[Summary]:
        return [make_summary(each) for each in self.read_columns(keys, attempts=attempts)]

    def read_band(self, keys: Sequence[SeriesKey], query: BandQuery) -> Band:
        return make_band(self._with_x(keys, query.x, query.attempts), query)

    def read_nearest(self, keys: Sequence[SeriesKey], query: AxisQuery, *, at: float) -> list[Nearest]:
        rows = (
            make_nearest(each, query, at, x_columns=x)
            for each, x in self._with_x(keys, query.x, query.attempts)
        )
        return [row for row in rows if row is not None]

    def read_range_summaries(
        self, keys: Sequence[SeriesKey], query: AxisQuery, *, x_range: tuple[float, float]
    ) -> list[RangeSummary]:
        return [
            make_range_summary(each, query, x_range, x_columns=x)
            for each, x in self._with_x(keys, query.x, query.attempts)
        ]

    def read_run_columns(self, runs: Sequence[str], columns: Sequence[RunColumn]) -> list[dict[str, float]]:
        by_tag = {
            tag: {each.key.run: each for each in self._read_known([SeriesKey(run, tag) for run in runs])}
            for tag in {tag for column in columns for tag in (column.tag, column.best_tag) if tag is not None}
        }
        read = []
        for column in columns:
            best = by_tag[column.best_tag] if column.best_tag is not None else {}
            values = {run: run_value(column, each, best.get(run)) for run, each in by_tag[column.tag].items()}
            read.append({run: value for run, value in values.items() if value is not None})
        return read

    def _read_known(self, keys: Sequence[SeriesKey]) -> list[Columns]:
        """Whatever there is of these series; one that is not there is left out even when it is the only one."""
        try:
            return self.read_columns(keys)
        except (RunUnknown, SeriesUnknown):
            return []

    def _with_x(
        self, keys: Sequence[SeriesKey], x: str, attempts: Attempts
    ) -> list[tuple[Columns, Columns | None]]:
        """Every series with the one of its run that is the x axis, None for time; runs that never logged it drop out."""
        columns = self.read_columns(keys, attempts=attempts)
        if x in TIME_AXES:
            return [(each, None) for each in columns]
        runs = dict.fromkeys(each.key.run for each in columns)
        found = self.read_columns([SeriesKey(run, x) for run in runs], attempts=attempts)
        x_by_run = {each.key.run: each for each in found}
        return [(each, x_by_run[each.key.run]) for each in columns if each.key.run in x_by_run]
