"""Expressions, lines, summaries, tables and bands over any source that can read stored columns.

A source inherits from DerivedReads and implements `_read_stored`; it may override methods that its store can do faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.bands import make_band
from runglass.query.expressions import evaluate, is_expression, parse_expression, without_points
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
    SqlRows,
    Summary,
    XAxis,
)
from runglass.query.summaries import make_summary
from runglass.query.tables import make_nearest, make_range_summary
from runglass.store.model import Attempts, RemoteStatus, SeriesKey

TIME_AXES = frozenset(get_args(XAxis))


class DerivedReads:
    def list_remote(self) -> list[RemoteStatus]:
        return []

    def _read_stored(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        """As `read_columns`, without expressions."""
        raise NotImplementedError

    def read_columns(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        if not any(is_expression(tag) for _, tag in keys):
            return self._read_stored(keys, attempts=attempts, since=since)
        stored = _by_key(lambda: self._read_stored(keys, attempts=attempts, since=since))
        derived = {
            SeriesKey(run, tag): parse_expression(tag)
            for run, tag in keys
            if is_expression(tag) and (run, tag) not in stored
        }
        operands = dict.fromkeys(
            SeriesKey(run, tag) for (run, _), each in derived.items() for tag in each.tags
        )
        columns = _by_key(lambda: self._read_stored(list(operands), attempts=attempts))
        if len(keys) == 1 and (missing := [key for key in operands if key not in columns]):
            # Raises an error that lists the existing tags.
            self._read_stored(missing[:1])
        found = []
        for number, key in enumerate(keys):
            if key in stored:
                found.append(stored[key])
            elif key in derived and all((key[0], tag) in columns for tag in derived[key].tags):
                series = {tag: columns[SeriesKey(key[0], tag)] for tag in derived[key].tags}
                made = evaluate(SeriesKey(*key), derived[key], series, attempts)
                is_known = since is not None and since[number] == made.generation
                found.append(without_points(made) if is_known else made)
        return found

    def read_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]:
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
            tag: _by_key(partial(self.read_columns, [SeriesKey(run, tag) for run in runs]))
            for tag in {tag for column in columns for tag in (column.tag, column.best_tag) if tag is not None}
        }
        read = []
        for column in columns:
            best = by_tag[column.best_tag] if column.best_tag is not None else {}
            values = {
                key.run: run_value(column, each, best.get(SeriesKey(key.run, column.best_tag or "")))
                for key, each in by_tag[column.tag].items()
            }
            read.append({run: value for run, value in values.items() if value is not None})
        return read

    def read_last_values(self, runs: Sequence[str], tag: str) -> list[float | None]:
        keys = [SeriesKey(run, tag) for run in runs]
        found = _by_key(lambda: self.read_columns(keys)) if keys else {}
        columns = (found.get(key) for key in keys)
        return [each.value.item(-1) if each is not None and len(each.value) else None for each in columns]

    def read_sql(self, query: str, *, limit: int) -> SqlRows:
        """For sources with Capability.SQL, which override this."""
        raise NotImplementedError

    def _with_x(
        self, keys: Sequence[SeriesKey], x: str, attempts: Attempts
    ) -> list[tuple[Columns, Columns | None]]:
        """Every series with the series of its x axis, None for steps and time. Runs without the x tag are left out."""
        columns = self.read_columns(keys, attempts=attempts)
        if x in TIME_AXES:
            return [(each, None) for each in columns]
        runs = dict.fromkeys(each.key.run for each in columns)
        found = _by_key(lambda: self.read_columns([SeriesKey(run, x) for run in runs], attempts=attempts))
        pairs = [(each, found.get(SeriesKey(each.key.run, x))) for each in columns]
        return [(each, other) for each, other in pairs if other is not None]


def _by_key(read: Callable[[], list[Columns]]) -> dict[SeriesKey, Columns]:
    """The existing series. Unlike `read_columns`, a single unknown series is left out too."""
    try:
        return {each.key: each for each in read()}
    except (RunUnknown, SeriesUnknown):
        return {}
