"""What the histogram routes take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.series import Missed, SeriesRef
from runglass.query.source import XScale

MAX_BINS = 2_000
MAX_STEPS = 2_000

Bins = Annotated[int, Meta(ge=1, le=MAX_BINS)]
Edges = Annotated[list[float], Meta(min_length=2, max_length=MAX_BINS + 1)]
Rows = Annotated[list[int], Meta(max_length=MAX_STEPS)]
Names = Annotated[list[str], Meta(max_length=10_000)]


class HistogramRef(SeriesRef, frozen=True, forbid_unknown_fields=True):
    rows: Annotated[Rows | None, Meta(description="Only these rows, from POST api/steps.")] = None
    keep: Annotated[
        int | None, Meta(description="A row to include even if `max_steps` leaves others out.")
    ] = None


class SeriesBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: Annotated[list[HistogramRef], Meta(max_length=500)]
    max_steps: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_STEPS)],
        Meta(description="At most this many values, evenly spaced by step."),
    ] = 500
    bins: Annotated[
        Bins | None,
        Meta(description="Number of bins, evenly spaced on the axis; null: stored buckets."),
    ] = None
    edges: Annotated[
        Edges | None,
        Meta(description="Instead of `bins`: the edges of the bins, ascending."),
    ] = None
    x_scale: Annotated[
        XScale,
        Meta(description="Scale of the axis. symlog is linear up to a thousandth of its farthest end."),
    ] = "linear"
    x_range: Annotated[
        tuple[float, float] | None,
        Meta(description="Range of the bins; null: all values. The rest counts as below and above."),
    ] = None
    is_shared: Annotated[bool, Meta(description="The same bins for all series of a tag.")] = False
    format: Literal["json", "columns"] = "json"


class HistogramProblem(Struct, frozen=True):
    # Index in the lists of the answer.
    at: int
    message: str


class HistogramSeries(Struct, frozen=True, kw_only=True):
    """Each list has one entry per step. `buckets`, or `edges` with `counts`, as requested."""

    run: str
    tag: str
    generation: int
    values: Annotated[int, Meta(description="Number of values in the whole series.")]
    row: list[int]
    step: list[int]
    wall_time: list[Number]
    total: Annotated[list[float], Meta(description="Number of finite values.")]
    nan: list[float]
    neg_inf: list[float]
    pos_inf: list[float]
    low: Annotated[list[Number], Meta(description="Left edge of the first non-empty bucket, or NaN.")]
    # Right edge of the last non-empty bucket, or NaN.
    high: list[Number]
    buckets: Annotated[
        list[list[tuple[float, float, float]]] | None, Meta(description="Rows of left, right, count.")
    ] = None
    # Edges of the bins, the same for all entries; null unless they were asked for.
    edges: list[float] | None = None
    # Of each entry, the values in each bin.
    counts: list[list[float]] | None = None
    below: list[float] | None = None
    above: list[float] | None = None
    problems: list[HistogramProblem] = []


class HistogramAnswer(Struct, frozen=True, omit_defaults=True):
    generation: int
    series: list[HistogramSeries]
    unknown: Missed = None


class ValuesQuery(SeriesRef, frozen=True, forbid_unknown_fields=True, kw_only=True):
    from_step: int | None = None
    to_step: int | None = None
    format: Literal["json", "csv"] = "json"


class StoredHistogram(Struct, frozen=True):
    step: int
    wall_time: Number
    buckets: Annotated[
        list[tuple[Number, Number, Number]] | None,
        Meta(description="Left, right, count as in the file; null if it cannot be read."),
    ]
    problem: str | None = None


class StoredHistograms(Struct, frozen=True):
    run: str
    tag: str
    generation: int
    values: list[StoredHistogram]


By = Literal["previous", "start", "run"]


class RankingBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    runs: Names | None = None
    tags: Names | None = None
    by: Annotated[
        By,
        Meta(description="What to compare with: the previous histogram, the first, or another run's."),
    ] = "start"
    other_run: str | None = None
    step: Annotated[
        int | None, Meta(description="Compare the last histogram up to this step; null: the newest.")
    ] = None


class RankedSeries(Struct, frozen=True, kw_only=True):
    run: str
    tag: str
    step: int
    other_step: int | None
    distance: Annotated[Number | None, Meta(description="Wasserstein distance, in units of the values.")]
    relative: Annotated[
        Number | None, Meta(description="The distance in standard deviations of the other histogram.")
    ]
    # Share of zeros in the newest histogram, at least.
    zeros_at_least: Number | None
    # Share of zeros in the newest histogram, at most.
    zeros_at_most: Number | None
    saturation: Annotated[
        Number | None, Meta(description="Share of values in the outermost 5 % of the range at both ends.")
    ]
    not_finite: float
    problem: str | None


class Ranking(Struct, frozen=True):
    generation: int
    # Number of matching series; more than `series` has if there were too many.
    found: int
    series: list[RankedSeries]
