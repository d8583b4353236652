"""What the scalars routes take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from runglass.api.answers import Number
from runglass.api.series import Missed, SeriesRef
from runglass.query.source import BandCenter, BandSpread, SmoothingKind, XScale
from runglass.store.model import Attempts

AttemptsChoice = Annotated[
    Attempts,
    Meta(description="latest: without points that a restart overwrote. all: every point in file order."),
]
Width = Annotated[int, Meta(ge=1, le=65_536, description="Pixel columns of the plot; null: every point.")]
XName = Annotated[
    str,
    Meta(
        description="step, relative, wall, or a scalar of the same run (joined on step): its tag, or an expression."
    ),
]
XScaleChoice = Annotated[
    XScale,
    Meta(description="Scale of the x axis. Points at x <= 0 are left out on log."),
]
Tags = Annotated[
    list[str],
    Meta(description="Tags, or expressions over tags: `={val/loss} - {train/loss}`, joined on step."),
]


Role = Literal["smoothed", "raw", "earlier", "center", "low", "high", "count"]
"""The binary form numbers roles in this order, so add new ones at the end."""


class PointsQuery(SeriesRef, frozen=True, forbid_unknown_fields=True):
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
        int,
        Meta(description="Index of the first point of this answer in the series; 0 unless `since` is given."),
    ]
    # The step of each point.
    step: list[int]
    # When each point was logged, in seconds since 1970.
    wall_time: list[Number]
    # The value of each point, with all its digits; NaN and infinities as strings.
    value: list[Number]
    segment: list[int]


class Selection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Either `series`, or `tags` with `runs` (default: every run)."""

    # Exactly these series, instead of `tags` and `runs`.
    series: list[SeriesRef] | None = None
    # Names of runs; left out or null: all of them.
    runs: list[str] | None = None
    tags: Tags | None = None
    attempts: AttemptsChoice = "latest"


class SmoothingChoice(Struct, frozen=True, forbid_unknown_fields=True):
    # ema is that of TensorBoard; time_ema weighs by distance in x; gaussian and median look at both sides.
    kind: SmoothingKind = "none"
    amount: Annotated[
        float,
        Meta(
            ge=0,
            description="ema: weight up to 1. time_ema: half-life in x units. gaussian: sigma, median: window, in points.",
        ),
    ] = 0.0


class Plot(Selection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A selection over one x axis."""

    x: XName = "step"
    smoothing: SmoothingChoice = SmoothingChoice()


class LinesBody(Plot, frozen=True, forbid_unknown_fields=True, kw_only=True):
    x_range: tuple[float, float] | None = None
    x_scale: XScaleChoice = "linear"
    width: Width | None = 400
    raw: Annotated[bool, Meta(description="With smoothing on, add the unsmoothed line of every series.")] = (
        False
    )
    raw_suffices: Annotated[
        bool,
        Meta(
            description="With `raw`, `ema` and steps as x: leave out the smoothed line of a series if every point is in the answer."
            " The client smooths it."
        ),
    ] = False
    earlier: Annotated[
        bool, Meta(description="Add a line for every attempt whose points a restart overwrote.")
    ] = False
    # columns: the binary form; json: numbers as text.
    format: Literal["columns", "json"] = "columns"


class LineAnswer(Struct, frozen=True):
    run: str
    tag: str
    # smoothed: with the smoothing that was asked for, if any; raw; earlier: an attempt that a restart overwrote.
    role: Role
    generation: int
    total: Annotated[int, Meta(description="Points of the series inside the range, before reduction.")]
    # Where each point of the line is on the x axis.
    x: list[Number]
    # The value of the line at each x.
    y: list[Number]


class Lines(Struct, frozen=True, omit_defaults=True):
    generation: int
    # A line for each series, in the order that was asked for.
    lines: list[LineAnswer]
    unknown: Missed = None


class SummaryBody(Selection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class SummaryAnswer(Struct, frozen=True):
    run: str
    tag: str
    # How many points count, NaN and infinities included.
    count: int
    # Value of the first point.
    first: Number | None
    # Value of the last point; may be NaN.
    last: Number | None
    # Step of the first point.
    first_step: int | None
    # Step of the last point.
    last_step: int | None
    last_wall_time: Number | None
    # Smallest finite value; null without any.
    min: Number | None
    # Step of the first smallest value.
    min_step: int | None
    # Largest finite value; null without any.
    max: Number | None
    # Step of the first largest value.
    max_step: int | None
    # Mean of the finite values.
    mean: Number | None
    nan_count: int
    nan_first_step: int | None
    pos_inf_count: int
    pos_inf_first_step: int | None
    neg_inf_count: int
    neg_inf_first_step: int | None


class Summaries(Struct, frozen=True, omit_defaults=True):
    summaries: list[SummaryAnswer]
    unknown: Missed = None


class Group(Struct, frozen=True, forbid_unknown_fields=True):
    # As the answer names the band.
    name: str
    # The runs that it is made of.
    runs: list[str]


class BandsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One band for every tag and group."""

    tags: Tags
    # The groups of runs, each with a name.
    groups: list[Group]
    attempts: AttemptsChoice = "latest"
    x: XName = "step"
    x_range: tuple[float, float] | None = None
    x_scale: XScaleChoice = "linear"
    width: Width | None = 400
    smoothing: SmoothingChoice = SmoothingChoice()
    # What stands in the middle of the band.
    center: BandCenter = "mean"
    # What the band shows around the middle.
    spread: BandSpread = "minmax"
    quantile: Annotated[
        float, Meta(ge=0, le=0.5, description="The lower quantile; the upper is 1 - quantile.")
    ] = 0.25
    confidence: Annotated[
        float, Meta(gt=0, lt=1, description="bootstrap: confidence of the interval around the center.")
    ] = 0.95
    # columns: the binary form; json: numbers as text.
    format: Literal["columns", "json"] = "columns"


class BandAnswer(Struct, frozen=True):
    # Name of the group, as it was asked for.
    group: str
    tag: str
    n: Annotated[int, Meta(description="Runs of the group that have the tag.")]
    # Where each point of the band is on the x axis.
    x: list[Number]
    count: Annotated[list[int], Meta(description="Runs that have a value at this x, logged or interpolated.")]
    # Mean or median of the runs, at each x.
    center: list[Number]
    # Lower end of the band, at each x.
    low: list[Number]
    # Upper end of the band, at each x.
    high: list[Number]


class Bands(Struct, frozen=True, omit_defaults=True):
    generation: int
    bands: list[BandAnswer]
    unknown: Missed = None


class TableBody(Plot, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Exactly one of `at` and `range`, in units of x."""

    # One x: a row has the nearest point of a series.
    at: float | None = None
    # First and last x, both included: a row has statistics of the points between.
    range: tuple[float, float] | None = None


class NearestRow(Struct, frozen=True, tag_field="kind", tag="at"):
    """The point of a series with the nearest x; of two equally near points, the later one."""

    run: str
    tag: str
    # Where the point is on the x axis.
    x: Number
    # Step of the point.
    step: int
    # When it was logged, in seconds since 1970.
    wall_time: Number
    relative: Annotated[Number, Meta(description="Seconds since the first point of the series.")]
    # As it was logged.
    value: Number
    smoothed: Annotated[Number, Meta(description="Without smoothing, the value.")]
    is_exact: Annotated[bool, Meta(description="Whether the point is exactly at the requested x.")]


class RangeStatisticsAnswer(Struct, frozen=True):
    """Statistics of a range: `start` and `end` by x; `min`, `max` and `mean` over finite values."""

    start: Number | None
    end: Number | None
    delta: Number | None
    delta_ratio: Annotated[Number | None, Meta(description="delta / |start|; null where start is 0.")]
    # Smallest finite value in the range.
    min: Number | None
    min_step: int | None
    # Largest finite value in the range.
    max: Number | None
    max_step: int | None
    # Mean of the finite values in the range.
    mean: Number | None


class RangeRow(RangeStatisticsAnswer, frozen=True, kw_only=True, tag_field="kind", tag="range"):
    """A series over a range of x, both ends included."""

    run: str
    tag: str
    # How many points are in the range.
    count: int
    # First step in the range; null without any.
    start_step: int | None
    # Last step in the range; null without any.
    end_step: int | None
    smoothed: Annotated[
        RangeStatisticsAnswer | None,
        Meta(description="The same over smoothed values; null without smoothing."),
    ]


class Table(Struct, frozen=True, omit_defaults=True):
    generation: int
    # One for each series that has points there.
    rows: list[NearestRow | RangeRow]
    unknown: Missed = None


class ExportBody(Selection, frozen=True, forbid_unknown_fields=True, kw_only=True):
    smoothing: Annotated[
        SmoothingChoice | None,
        Meta(description="Adds a column `smoothed`; the half-life of time_ema is in steps."),
    ] = None
    format: Annotated[
        Literal["csv", "json", "parquet"], Meta(description="parquet needs pyarrow on the server.")
    ] = "csv"


class ExportedSeries(Struct, frozen=True):
    run: str
    tag: str
    # The step of each point.
    step: list[int]
    # When each point was logged, in seconds since 1970.
    wall_time: list[Number]
    # The value of each point, with all its digits.
    value: list[Number]
    smoothed: list[Number] | UnsetType = UNSET
    segment: list[int] | UnsetType = UNSET


class Export(Struct, frozen=True):
    generation: int
    # The series that were asked for, each with all its points.
    series: list[ExportedSeries]
