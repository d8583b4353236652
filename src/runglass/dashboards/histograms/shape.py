"""What the histogram routes take and answer. Shapes only."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.series import SeriesRef
from runglass.query.source import XScale

MAX_BINS = 2_000
MAX_STEPS = 2_000

Bins = Annotated[int, Meta(ge=1, le=MAX_BINS)]
Edges = Annotated[list[float], Meta(min_length=2, max_length=MAX_BINS + 1)]
Rows = Annotated[list[int], Meta(max_length=MAX_STEPS)]
Names = Annotated[list[str], Meta(max_length=10_000)]


class HistogramRef(SeriesRef, frozen=True, forbid_unknown_fields=True):
    rows: Annotated[
        Rows | None, Meta(description="Only these values, by their numbers from POST api/steps.")
    ] = None
    keep: Annotated[
        int | None, Meta(description="Number of a value that is shown even when others are left out.")
    ] = None


class SeriesBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: Annotated[list[HistogramRef], Meta(max_length=500)]
    max_steps: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_STEPS)],
        Meta(description="Of more values than this, as many are taken, even in their order of steps."),
    ] = 500
    bins: Annotated[
        Bins | None,
        Meta(description="Into how many bins, even on the axis; null: buckets as they are stored."),
    ] = None
    edges: Annotated[
        Edges | None,
        Meta(description="Instead of `bins`: the edges of the bins, ascending."),
    ] = None
    x_scale: Annotated[
        XScale,
        Meta(
            description="On which axis bins are even. symlog is straight up to a thousandth of its farthest end."
        ),
    ] = "linear"
    x_range: Annotated[
        tuple[float, float] | None,
        Meta(
            description="What the bins span; null: all that is there. The rest is counted as below and above."
        ),
    ] = None
    is_shared: Annotated[
        bool, Meta(description="One set of bins for all series of a tag, to compare them.")
    ] = False
    format: Literal["json", "columns"] = "json"


class Trouble(Struct, frozen=True):
    # Number in the lists of the answer.
    at: int
    message: str


class HistogramSeries(Struct, frozen=True, kw_only=True):
    """One number in each list for every step; `buckets` or `edges` with `counts`, by what was asked for."""

    run: str
    tag: str
    generation: int
    values: Annotated[int, Meta(description="How many values the series has, shown or not.")]
    row: list[int]
    step: list[int]
    wall_time: list[Number]
    total: Annotated[list[float], Meta(description="Finite values that were counted.")]
    nan: list[float]
    neg_inf: list[float]
    pos_inf: list[float]
    low: Annotated[
        list[Number], Meta(description="Left edge of the first bucket that holds something, or NaN.")
    ]
    high: list[Number]
    buckets: Annotated[
        list[list[tuple[float, float, float]]] | None, Meta(description="Rows of left, right, count.")
    ] = None
    edges: list[float] | None = None
    counts: list[list[float]] | None = None
    below: list[float] | None = None
    above: list[float] | None = None
    problems: list[Trouble] = []


class HistogramAnswer(Struct, frozen=True):
    """Series that are unknown are left out: a run may vanish between listing and asking."""

    generation: int
    series: list[HistogramSeries]


class ValuesQuery(SeriesRef, frozen=True, forbid_unknown_fields=True, kw_only=True):
    from_step: int | None = None
    to_step: int | None = None
    format: Literal["json", "csv"] = "json"


class StoredHistogram(Struct, frozen=True):
    step: int
    wall_time: Number
    buckets: Annotated[
        list[tuple[Number, Number, Number]] | None,
        Meta(description="Left, right, count as in the file; null where it cannot be read."),
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
        Meta(
            description="What each histogram is compared with: the one before, the first, or another run's."
        ),
    ] = "start"
    other_run: str | None = None
    step: Annotated[int | None, Meta(description="The last histogram up to here; null: the newest.")] = None


class RankedSeries(Struct, frozen=True, kw_only=True):
    run: str
    tag: str
    step: int
    other_step: int | None
    distance: Annotated[Number | None, Meta(description="Wasserstein distance, in units of the values.")]
    relative: Annotated[
        Number | None, Meta(description="The distance in standard deviations of what it is compared with.")
    ]
    zeros_at_least: Number | None
    zeros_at_most: Number | None
    saturation: Annotated[
        Number | None, Meta(description="Share in the outermost 5 % of the range at both ends.")
    ]
    not_finite: float
    problem: str | None


class Ranking(Struct, frozen=True):
    generation: int
    # Series that fit the question; above the length of `series` when those were too many.
    found: int
    series: list[RankedSeries]
