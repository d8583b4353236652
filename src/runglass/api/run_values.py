"""The columns of the run table: one number of a scalar series per run, for many runs at once.

The source computes the numbers; here they are kept until their run changes. Knows no dashboard.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.answers import Number, number_or_none
from runglass.api.checks import check_count
from runglass.api.route import Later, Reply, Route
from runglass.errors import BadRequest
from runglass.lru import LruCache
from runglass.query.expressions import needed_tags
from runglass.query.source import Best, DataSource, RunColumn, RunStatistic
from runglass.store.model import Kind

MAX_COLUMNS = 256


class RunColumnBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    tag: Annotated[str, Meta(description="A scalar tag, or an expression over tags.")]
    stat: RunStatistic = "last"
    # With at_step: the value at the highest step up to this one.
    step: (
        Annotated[
            int,
            Meta(
                ge=-(2**63),
                le=2**63 - 1,
                description="at_step: the value at the highest step up to this one.",
            ),
        ]
        | None
    ) = None
    best_tag: Annotated[
        str | None,
        Meta(description="at_best: the value at the step where this tag is best, or the last one before it."),
    ] = None
    best: Best = "min"


class RunValuesBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # What to read of every run: a tag and which of its values.
    columns: list[RunColumnBody]
    runs: Annotated[list[str] | None, Meta(description="Default: all runs.")] = None


class RunValues(Struct, frozen=True):
    generation: int
    # The runs of the rows, in order.
    runs: list[str]
    columns: Annotated[
        list[list[Number | None]],
        Meta(description="For each column, the value of every run; null where a run has none."),
    ]


class _KnownValues:
    """Values by column and run, kept until the run changes: the page asks again after every change to any run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._columns: LruCache[RunColumn, dict[str, Number | None]] = LruCache(MAX_COLUMNS)

    def read(
        self, source: DataSource, runs: Sequence[str], columns: Sequence[RunColumn]
    ) -> tuple[int, list[list[Number | None]]]:
        with self._lock:
            self._forget_changed(source)
            known = {column: self._known(column) for column in columns}
            missing: dict[tuple[str, ...], list[RunColumn]] = {}
            for column, by_run in known.items():
                if unknown := tuple(run for run in runs if run not in by_run):
                    missing.setdefault(unknown, []).append(column)
            for some, of_columns in missing.items():
                for column, found in zip(of_columns, source.read_run_columns(some, of_columns), strict=True):
                    known[column].update((run, number_or_none(found.get(run))) for run in some)
            return self._generation, [[known[column][run] for run in runs] for column in columns]

    def _known(self, column: RunColumn) -> dict[str, Number | None]:
        known = self._columns.get(column)
        if known is None:
            known = {}
            self._columns.put(column, known)
        return known

    def _forget_changed(self, source: DataSource) -> None:
        self._generation, changed = source.list_changes(since=self._generation)
        if changed is None:
            self._columns.clear()
        for run in changed or ():
            for known in self._columns.values():
                known.pop(run, None)


def make_routes() -> tuple[Route, ...]:
    values = _KnownValues()

    def read_run_values(source: DataSource, body: RunValuesBody) -> Reply:
        """Numbers of scalar series for the run table: for each of `columns`, a value per run."""
        check_count(len(body.columns), MAX_COLUMNS, what="columns", where="columns")
        columns = [_column(index, each) for index, each in enumerate(body.columns)]
        known, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)
        for index, column in enumerate(columns):
            needed_tags(column.tag, tag_sets, where=f"columns[{index}].tag")
            needed_tags(column.best_tag or "", tag_sets, where=f"columns[{index}].best_tag")
        runs = list(known if body.runs is None else dict.fromkeys(run for run in body.runs if run in known))

        def work() -> RunValues:
            generation, read = values.read(source, runs, columns)
            return RunValues(generation, runs, read)

        return Later(work)

    return (Route("/api/runs/values", read_run_values, RunValues, body=RunValuesBody),)


def _column(index: int, body: RunColumnBody) -> RunColumn:
    if body.stat == "at_step" and body.step is None:
        raise BadRequest("at_step needs a `step`.", where=f"columns[{index}].step")
    if body.stat == "at_best" and body.best_tag is None:
        raise BadRequest("at_best needs a `best_tag`.", where=f"columns[{index}].best_tag")
    if body.stat == "at_step":
        return RunColumn(body.tag, body.stat, step=body.step or 0)
    if body.stat == "at_best":
        return RunColumn(body.tag, body.stat, best_tag=body.best_tag, best=body.best)
    return RunColumn(body.tag, body.stat)
