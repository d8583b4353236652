"""The columns of the run table: one number of a scalar series per run, for many runs at once.

Knows no dashboard. What a number is, is computed behind the seam; here it is kept until its run changes.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.dashboards.answers import Number
from runglass.dashboards.route import Reply, Route
from runglass.query.source import Best, DataSource, RunStatistic


class RunColumnBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    tag: Annotated[str, Meta(description="A scalar tag, or an expression over tags.")]
    stat: RunStatistic = "last"
    step: Annotated[
        int | None, Meta(description="at_step: the value of the newest point with a step up to this one.")
    ] = None
    best_tag: Annotated[
        str | None,
        Meta(description="at_best: the value at the step where this one is best, or last before it."),
    ] = None
    best: Best = "min"


class RunValuesBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    columns: list[RunColumnBody]
    runs: Annotated[list[str] | None, Meta(description="All runs when left out.")] = None


class RunValues(Struct, frozen=True):
    generation: int
    runs: list[str]
    columns: Annotated[
        list[list[Number | None]],
        Meta(description="For each column the value of every run; null where it has none."),
    ]


def read_run_values(source: DataSource, body: RunValuesBody) -> Reply:
    """Numbers of scalar series for the run table: a column of values per entry of `columns`."""
    raise NotImplementedError


ROUTES = (Route("/api/runs/values", read_run_values, RunValues, body=RunValuesBody),)
