"""What the distributions route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.series import SeriesRef
from runglass.store.model import Attempts

# Those of a normal distribution at 0, ±0.5, ±1 and ±1.5 sigma, and its ends: what TensorBoard shows.
USUAL = (0.0, 6.68, 15.87, 30.85, 50.0, 69.15, 84.13, 93.32, 100.0)


class DistributionsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: list[SeriesRef]
    percentiles: Annotated[
        tuple[float, ...], Meta(description="0 for the smallest value to 100 for the largest; ascending.")
    ] = USUAL
    attempts: Attempts = "latest"
    x: Annotated[Literal["step", "wall"], Meta(description="What `x_range` and `width` are along.")] = "step"
    x_range: Annotated[
        tuple[float, float] | None,
        Meta(description="Only what lies in it, and its neighbours on either side."),
    ] = None
    width: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(
            description="Pixel columns: each keeps its first, last, lowest and highest of every percentile. null: all."
        ),
    ] = None
    format: Annotated[
        Literal["json", "columns", "csv"], Meta(description="csv: of one series, as a file.")
    ] = "json"


class DistributionProblem(Struct, frozen=True):
    step: int
    problem: str


class Distribution(Struct, frozen=True, kw_only=True):
    """One series in the order of its steps (or times)."""

    run: str
    tag: str
    generation: int
    total: Annotated[int, Meta(description="Histograms in the range, before any were left out.")]
    step: list[int]
    wall_time: list[Number]
    values: Annotated[list[list[Number]], Meta(description="For every percentile, its value at every step.")]
    problems: Annotated[
        list[DistributionProblem], Meta(description="The first histograms that are not as they should be.")
    ]
    problem_count: int


class Distributions(Struct, frozen=True):
    """Series that are unknown are left out: a run may vanish between listing and asking."""

    generation: int
    percentiles: list[float]
    series: list[Distribution]
