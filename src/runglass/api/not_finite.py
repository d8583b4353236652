"""Scalar series with values that are not finite: where NaN and infinities begin, first in time first.

The answer for a run is kept until the run changes. Knows no dashboard.
"""

from __future__ import annotations

import threading
from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.answers import Number, number
from runglass.api.route import Later, NoParameters, Reply, Route
from runglass.query.not_finite import FirstNotFinite, find_not_finite
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey


class NotFiniteSeries(Struct, frozen=True, kw_only=True):
    run: str
    tag: str
    step: Annotated[int, Meta(description="Of the first value that is not finite.")]
    wall_time: Number
    nan_count: int
    inf_count: Annotated[int, Meta(description="Both infinities.")]
    # Values of the series.
    value_count: int


class NotFinite(Struct, frozen=True):
    generation: int
    series: Annotated[
        list[NotFiniteSeries], Meta(description="In order of the time of their first such value.")
    ]


class _Known:
    """By run, until it changes: the page asks again after every change to any run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._by_run: dict[str, list[FirstNotFinite]] = {}

    def read(self, source: DataSource) -> NotFinite:
        with self._lock:
            self._generation, changed = source.list_changes(since=self._generation)
            if changed is None:
                self._by_run.clear()
            for run in changed or ():
                self._by_run.pop(run, None)
            runs, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)
            for run in runs.keys() - self._by_run.keys():
                columns = source.read_columns([SeriesKey(run, tag) for tag in tag_sets[runs[run]]])
                self._by_run[run] = [found for each in columns if (found := find_not_finite(each))]
            listed = [found for run in runs for found in self._by_run[run]]
            return NotFinite(self._generation, [_answer(found) for found in sorted(listed, key=_time)])


def _time(found: FirstNotFinite) -> float:
    return found.wall_time


def _answer(found: FirstNotFinite) -> NotFiniteSeries:
    return NotFiniteSeries(
        run=found.key.run,
        tag=found.key.tag,
        step=found.step,
        wall_time=number(found.wall_time),
        nan_count=found.nan_count,
        inf_count=found.inf_count,
        value_count=found.value_count,
    )


def make_routes() -> tuple[Route, ...]:
    known = _Known()

    def read_not_finite(source: DataSource, query: NoParameters) -> Reply:
        """Every scalar series with NaN or infinities: how many, and where the first of them is."""
        return Later(lambda: known.read(source))

    return (Route("/api/runs/not_finite", read_not_finite, NotFinite),)
