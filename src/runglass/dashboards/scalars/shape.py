"""What the scalars routes are asked and what they answer, as types; the OpenAPI document is made from these.

Shapes only: nothing here reads data.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.dashboards.answers import Number
from runglass.query.source import BandCenter, BandSpread
from runglass.store.model import Attempts

AttemptsChoice = Annotated[
    Attempts,
    Meta(description="latest: what a restart overwrote is left out. all: every point in file order."),
]
Width = Annotated[
    int, Meta(ge=1, le=65_536, description="Pixel columns of the plot; null asks for every point.")
]
XName = Annotated[
    str, Meta(description="step, relative, wall, or the tag of a scalar of the same run (joined on step).")
]


Role = Literal["smoothed", "raw"]


class PointsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str
    attempts: AttemptsChoice = "latest"
    since: (
        Annotated[
            int,
            Meta(ge=0, le=2**63 - 1, description="A generation from an earlier answer: only newer points."),
        ]
        | None
    ) = None
    format: Literal["json", "csv"] = "json"


class Points(Struct, frozen=True):
    run: str
    tag: str
    generation: int
    offset: Annotated[
        int, Meta(description="Index of the first point here in the whole series; 0 unless a delta.")
    ]
    step: list[int]
    wall_time: list[Number]
    value: list[Number]
    segment: list[int]


class SeriesRef(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str


class Selection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Either `series`, or `tags` with `runs`; every run when `runs` is left out."""

    series: list[SeriesRef] | None = None
    runs: list[str] | None = None
    tags: list[str] | None = None
    attempts: AttemptsChoice = "latest"


class SmoothingChoice(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Literal["none", "ema", "time_ema", "gaussian", "median"] = "none"
    amount: Annotated[
        float,
        Meta(
            ge=0,
            description="ema: weight up to 1. time_ema: half-life in x units. gaussian: sigma, median: window, in points.",
        ),
    ] = 0.0


class Plot(Selection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A selection as one chart draws it."""

    x: XName = "step"
    x_range: tuple[float, float] | None = None
    width: Width | None = 400
    smoothing: SmoothingChoice = SmoothingChoice()


class LinesBody(Plot, frozen=True, forbid_unknown_fields=True, kw_only=True):
    raw: Annotated[bool, Meta(description="With smoothing on, add the unsmoothed line of every series.")] = (
        False
    )
    format: Literal["columns", "json"] = "columns"


class LineAnswer(Struct, frozen=True):
    run: str
    tag: str
    role: Role
    generation: int
    total: Annotated[int, Meta(description="Points of the series inside the range, before reduction.")]
    x: list[Number]
    y: list[Number]


class Lines(Struct, frozen=True):
    generation: int
    lines: list[LineAnswer]


class SummaryBody(Selection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class SummaryAnswer(Struct, frozen=True):
    run: str
    tag: str
    count: int
    first: Number | None
    last: Number | None
    first_step: int | None
    last_step: int | None
    last_wall_time: Number | None
    min: Number | None
    min_step: int | None
    max: Number | None
    max_step: int | None
    mean: Number | None
    nan_count: int
    nan_first_step: int | None
    pos_inf_count: int
    pos_inf_first_step: int | None
    neg_inf_count: int
    neg_inf_first_step: int | None


class Summaries(Struct, frozen=True):
    summaries: list[SummaryAnswer]


class BandBody(Plot, frozen=True, forbid_unknown_fields=True, kw_only=True):
    center: BandCenter = "mean"
    spread: BandSpread = "minmax"
    quantile: Annotated[
        float, Meta(ge=0, le=0.5, description="The lower one; the upper is 1 - quantile.")
    ] = 0.25
    format: Literal["json"] = "json"


class BandAnswer(Struct, frozen=True):
    x: list[Number]
    count: Annotated[list[int], Meta(description="Runs that have a value at this x, logged or interpolated.")]
    center: list[Number]
    low: list[Number]
    high: list[Number]
