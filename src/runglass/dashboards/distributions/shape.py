"""What the distributions route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.series import Missed, SeriesRef
from runglass.store.model import Attempts

# Those of a normal distribution at 0, ±0.5, ±1 and ±1.5 sigma, and both ends, as in TensorBoard.
USUAL = (0.0, 6.68, 15.87, 30.85, 50.0, 69.15, 84.13, 93.32, 100.0)


class DistributionsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: list[SeriesRef]
    percentiles: Annotated[
        tuple[float, ...], Meta(description="From 0 (smallest value) to 100 (largest), ascending.")
    ] = USUAL
    attempts: Attempts = "latest"
    x: Annotated[Literal["step", "wall"], Meta(description="The x axis of `x_range` and `width`.")] = "step"
    x_range: Annotated[
        tuple[float, float] | None,
        Meta(description="Only histograms in this range, and one neighbour on either side."),
    ] = None
    width: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(
            description="Pixel columns: each keeps the first, last, lowest and highest of every percentile. null: all."
        ),
    ] = None
    format: Annotated[Literal["json", "columns", "csv"], Meta(description="csv: one series as a file.")] = (
        "json"
    )


class DistributionProblem(Struct, frozen=True):
    step: int
    problem: str


class Distribution(Struct, frozen=True, kw_only=True):
    """One series, by step or time."""

    run: str
    tag: str
    generation: int
    total: Annotated[int, Meta(description="Histograms in the range, before reduction.")]
    step: list[int]
    wall_time: list[Number]
    values: Annotated[list[list[Number]], Meta(description="For each percentile, its values by step.")]
    problems: Annotated[list[DistributionProblem], Meta(description="The first histograms with problems.")]
    # How many histograms of the series have a problem.
    problem_count: int


class Distributions(Struct, frozen=True, omit_defaults=True):
    generation: int
    percentiles: list[float]
    series: list[Distribution]
    unknown: Missed = None
