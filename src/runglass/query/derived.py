"""Lines, summaries and bands over any source that can read columns.

A source inherits from DerivedReads and brings `read_columns`; it may override a method where its store can do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from runglass.query.bands import make_band
from runglass.query.lines import make_earlier_lines, make_line
from runglass.query.source import Band, BandQuery, Columns, Line, LineQuery, Summary, XAxis
from runglass.query.summaries import make_summary
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
