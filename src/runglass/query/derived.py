"""Lines, summaries and bands over any source that can read columns.

A source inherits from DerivedReads and brings `read_columns`; it may override a method where its store can do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from runglass.query.bands import make_band
from runglass.query.lines import make_line
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
        columns = self.read_columns(keys, attempts=query.attempts)
        if query.x in TIME_AXES:
            return [make_line(each, query, x_columns=None) for each in columns]
        columns, x_columns = self._with_x(columns, query.x, query.attempts)
        return [make_line(each, query, x_columns=x) for each, x in zip(columns, x_columns, strict=True)]

    def read_summaries(self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest") -> list[Summary]:
        return [make_summary(each) for each in self.read_columns(keys, attempts=attempts)]

    def read_band(self, keys: Sequence[SeriesKey], query: BandQuery) -> Band:
        columns = self.read_columns(keys, attempts=query.attempts)
        if query.x in TIME_AXES:
            return make_band(columns, query, [None] * len(columns))
        columns, x_columns = self._with_x(columns, query.x, query.attempts)
        return make_band(columns, query, list(x_columns))

    def _with_x(
        self, columns: list[Columns], x: str, attempts: Attempts
    ) -> tuple[list[Columns], list[Columns]]:
        """Pair every series with the one of its run that is the x axis; runs that never logged that one drop out."""
        runs = dict.fromkeys(each.key.run for each in columns)
        found = self.read_columns([SeriesKey(run, x) for run in runs], attempts=attempts)
        x_by_run = {each.key.run: each for each in found}
        paired = [each for each in columns if each.key.run in x_by_run]
        return paired, [x_by_run[each.key.run] for each in paired]
