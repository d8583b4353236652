"""What the hparams routes and jobs take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.query.goals import Goal
from runglass.query.hparams.importance import ImportanceRow
from runglass.query.hparams.model import HParamType
from runglass.query.hparams.statuses import Status

Step = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
TableStatistic = Literal["last", "first", "min", "max", "mean", "count", "at_step", "at_best"]


class MetricBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A scalar of every session, reduced to one number."""

    group: Annotated[
        str,
        Meta(
            description="The path from the session's run to the run that has the tag; empty: the run itself."
        ),
    ] = ""
    tag: str
    stat: TableStatistic = "last"
    step: Annotated[
        Step | None, Meta(description="at_step: the value at the highest step up to this one.")
    ] = None
    best_group: str = ""
    best_tag: Annotated[
        str | None,
        Meta(description="at_best: the value at the step where this tag is best, or the last one before it."),
    ] = None
    best: Goal = "min"


class SessionsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    metrics: Annotated[
        list[MetricBody] | None,
        Meta(description="Null: the declared ones, or up to 12 that are chosen by their names."),
    ] = None


class RowsQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    metric: Annotated[
        list[str] | None,
        Meta(
            description="A tag, or the path of a run below the session's and its tag: `validation|loss`. Default: all."
        ),
    ] = None
    stat: TableStatistic = "last"
    step: Annotated[Step | None, Meta(description="at_step: up to this one.")] = None
    best_metric: Annotated[str | None, Meta(description="at_best: the metric that is best there.")] = None
    best: Goal = "min"
    format: Literal["json", "csv"] = "json"


class RowAnswer(Struct, frozen=True, kw_only=True):
    run: str
    members: list[str]
    # Name of the group of sessions; empty for none.
    group: str
    status: Status
    started: float | None
    ended: float | None
    host: str
    # Values by name.
    hparams: dict[str, Number | str | bool]
    metrics: Annotated[
        dict[str, Number], Meta(description="By tag; of a run below the session's, with its path in front.")
    ]


class Rows(Struct, frozen=True):
    """Sessions as rows, oldest first."""

    generation: int
    rows: list[RowAnswer]
    problems: list[ProblemAnswer]


class Levels(Struct, frozen=True):
    """A column of texts: the distinct ones, and which of them each session has; -1 for none."""

    levels: list[str]
    codes: list[int]


class DomainAnswer(Struct, frozen=True, omit_defaults=True):
    """What an experiment declares that a hyperparameter can be: one of the values, or a number in the interval."""

    values: list[Number | str | bool] | None = None
    min: Number | None = None
    max: Number | None = None


class HParamAnswer(Struct, frozen=True, kw_only=True):
    name: str
    display_name: str
    description: str
    type: HParamType
    source: Annotated[str, Meta(description="`record`, or names of files; several are joined with commas.")]
    # Values that an experiment declares; null without a declaration.
    domain: DomainAnswer | None
    problem: Annotated[str | None, Meta(description="What is odd about its values or its declaration.")]
    distinct: int
    missing: int
    values: Annotated[
        list[Number | None] | None, Meta(description="Of numbers, one per session; null where it is missing.")
    ] = None
    levels: Annotated[
        list[str] | None,
        Meta(description="Of other types, the distinct values; long ones are cut, and end in their length."),
    ] = None
    codes: Annotated[
        list[int] | None, Meta(description="Which level each session has; -1 where it is missing.")
    ] = None


class MetricAnswer(Struct, frozen=True, kw_only=True):
    # Part of the session that the metric is of, such as validation; empty for the session itself.
    group: str
    tag: str
    stat: TableStatistic
    step: int | None = None
    best_group: str = ""
    best_tag: str | None = None
    best: Goal = "min"
    display_name: str
    description: str
    goal: Annotated[Goal, Meta(description="Guessed from the name.")]
    declared: bool
    problem: str | None
    values: list[Number | None]


class OfferedAnswer(Struct, frozen=True, kw_only=True):
    """A scalar that sessions have, or that an experiment declares."""

    # Part of the session that the metric is of, such as validation; empty for the session itself.
    group: str
    tag: str
    display_name: str
    description: str
    declared: bool
    goal: Goal
    runs: Annotated[int, Meta(description="How many sessions have it.")]


class ExperimentAnswer(Struct, frozen=True):
    run: str
    description: str
    user: str
    started: float | None


class ProblemAnswer(Struct, frozen=True):
    """What could not be read. `file` is empty for a record."""

    run: str
    file: str
    message: str


class HParamTable(Struct, frozen=True, kw_only=True):
    """Sessions as columns: one entry per session in every list."""

    generation: int
    runs: list[str]
    members: Annotated[
        list[list[str]], Meta(description="The runs of each session: itself, then those that belong to it.")
    ]
    group: Annotated[Levels, Meta(description="Declared groups; an empty level: none.")]
    # Status of each session.
    status: Levels
    host: Annotated[Levels, Meta(description="An empty level: not known.")]
    started: list[float | None]
    ended: list[float | None]
    hparams: Annotated[
        list[HParamAnswer],
        Meta(description="Those that differ first, those that are equal in all sessions last."),
    ]
    metrics: list[MetricAnswer]
    offered: list[OfferedAnswer]
    experiments: list[ExperimentAnswer]
    problems: list[ProblemAnswer]


class ImportanceQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    metric: Annotated[str, Meta(description="As in GET /api/hparams/table.")]
    stat: TableStatistic = "last"
    step: Step | None = None
    best_metric: str | None = None
    best: Goal = "min"
    goal: Goal | None = None
    seed: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0


class ImportanceAnswer(Struct, frozen=True, kw_only=True):
    """What the job found, or had found when the time was up: `method` is "correlation" then."""

    n: int
    r2: float | None
    trees: int
    method: Literal["correlation", "fanova"]
    refused: str | None
    rows: list[ImportanceRow]
    # How far the answer can be trusted, in words.
    trust: str


class ImportanceBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The question of the job hparams.importance."""

    # The metric that is explained.
    metric: MetricBody
    goal: Annotated[
        Goal | None,
        Meta(description="Which side is bad, where far outliers are cut. Null: as its name tells."),
    ] = None
    runs: Annotated[list[str] | None, Meta(description="Of these sessions. Null: of all.")] = None
    hparams: Annotated[list[str] | None, Meta(description="Of these. Null: of all that differ.")] = None
    seed: Annotated[int, Meta(ge=0, le=2**32 - 1, description="Of the forest.")] = 0
