"""The distributions route: how the values of a histogram series spread, as percentiles over time."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.api.answers import (
    Number,
    attachment,
    encode_csv,
    little_endian,
    numbers,
    pack_columns,
)
from runglass.api.route import COLUMNS, CSV, JSON, Answer, Later, Reply, Route
from runglass.dashboards.distributions.percentiles import Bands, read_bands
from runglass.errors import BadRequest, RunUnknown, SeriesUnknown
from runglass.query.lines import reduce_many
from runglass.query.source import DataSource, Float64, Int64, Values
from runglass.store.model import Attempts, Kind, SeriesKey

MAX_SERIES = 1_000
MAX_PERCENTILES = 101
MAX_PROBLEMS = 20
# Those of a normal distribution at 0, ±0.5, ±1 and ±1.5 sigma, and its ends: what TensorBoard shows.
USUAL = (0.0, 6.68, 15.87, 30.85, 50.0, 69.15, 84.13, 93.32, 100.0)


class DistributionRef(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str


class DistributionsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: list[DistributionRef]
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


class _Shown(Struct, frozen=True):
    """What of a series goes out."""

    key: SeriesKey
    bands: Bands
    total: int
    # Numbers of its histograms, in the order of the axis.
    kept: Int64

    def values(self) -> Float64:
        chosen: Float64 = self.bands.values[:, self.kept]
        return chosen


def read_distributions(source: DataSource, body: DistributionsBody) -> Reply:
    """Percentiles of every histogram of some series, exact, from all buckets."""
    _check(body)
    if body.format == "csv":
        # One that is not there is told now, with a reason.
        ref = body.series[0]
        source.read_values(SeriesKey(ref.run, ref.tag), kind=Kind.HISTOGRAM)
    return Later(lambda: _answer(source, body))


def _check(body: DistributionsBody) -> None:
    if len(body.series) > MAX_SERIES:
        raise BadRequest(
            f"{len(body.series):,} series are asked for; at most {MAX_SERIES:,} at once.", where="series"
        )
    if body.format == "csv" and len(body.series) != 1:
        raise BadRequest(f"csv is of one series; {len(body.series)} are named.", where="series")
    given = body.percentiles
    if not 1 <= len(given) <= MAX_PERCENTILES:
        raise BadRequest(f"1 to {MAX_PERCENTILES} percentiles can be asked for.", where="percentiles")
    if not all(isfinite(q) and 0 <= q <= 100 for q in given) or list(given) != sorted(set(given)):
        raise BadRequest(
            "percentiles must be numbers from 0 to 100, each once and in ascending order.",
            where="percentiles",
        )
    if body.x_range is not None and body.x_range[0] > body.x_range[1]:
        raise BadRequest(
            f"x_range is {list(body.x_range)}; its first number must not be above its second.",
            where="x_range",
        )


def _answer(source: DataSource, body: DistributionsBody) -> Answer | Struct:
    # Taken before reading: what changes meanwhile is then asked for again rather than missed.
    generation = source.generation
    shown = []
    for ref in dict.fromkeys(SeriesKey(each.run, each.tag) for each in body.series):
        try:
            values = source.read_values(ref, kind=Kind.HISTOGRAM, attempts=body.attempts)
        except (RunUnknown, SeriesUnknown):
            continue
        shown.append(_show(source, values, body))
    if body.format == "csv" and shown:
        return _table(shown[0], body.percentiles)
    if body.format == "columns":
        return _packed(generation, shown, body)
    return Distributions(generation, list(body.percentiles), [_plain(each) for each in shown])


def _show(source: DataSource, values: Values, body: DistributionsBody) -> _Shown:
    bands = read_bands(source, values, body.percentiles)
    x: Float64 = bands.step.astype(np.float64) if body.x == "step" else bands.wall_time
    # A time that is no number has no place on an axis of times.
    placed = np.flatnonzero(np.isfinite(x))
    order = placed[np.argsort(x[placed], kind="stable")]
    total, kept = reduce_many(x[order], bands.values[:, order], body.x_range, body.width)
    return _Shown(values.key, bands, total, order[kept])


def _problems(shown: _Shown) -> list[DistributionProblem]:
    problems = sorted(shown.bands.problems.items())[:MAX_PROBLEMS]
    return [DistributionProblem(int(shown.bands.step[index]), problem) for index, problem in problems]


def _plain(shown: _Shown) -> Distribution:
    return Distribution(
        run=shown.key.run,
        tag=shown.key.tag,
        generation=shown.bands.generation,
        total=shown.total,
        step=shown.bands.step[shown.kept].tolist(),
        wall_time=numbers(shown.bands.wall_time[shown.kept]),
        values=[numbers(row) for row in shown.values()],
        problems=_problems(shown),
        problem_count=len(shown.bands.problems),
    )


def _table(shown: _Shown, percentiles: tuple[float, ...]) -> Answer:
    header = ["wall_time", "step", *(f"p{q:g}" for q in percentiles)]
    columns: list[NDArray[Any]] = [
        shown.bands.wall_time[shown.kept],
        shown.bands.step[shown.kept],
        *shown.values(),
    ]
    name = attachment(f"{shown.key.run}_{shown.key.tag}_percentiles.csv")
    return Answer(encode_csv(header, columns), CSV, (name,))


def _packed(generation: int, shown: list[_Shown], body: DistributionsBody) -> Answer:
    head = {
        "version": 1,
        "generation": generation,
        "percentiles": body.percentiles,
        "series": [
            {
                "run": each.key.run,
                "tag": each.key.tag,
                "total": each.total,
                "count": len(each.kept),
                "problems": _problems(each),
                "problem_count": len(each.bands.problems),
            }
            for each in shown
        ],
    }
    blocks = []
    for each in shown:
        blocks += [
            little_endian(each.bands.step[each.kept].astype(np.float64)),
            little_endian(each.bands.wall_time[each.kept]),
            little_endian(each.values()),
        ]
    return Answer(pack_columns(head, blocks), COLUMNS)


ROUTES = (
    Route(
        "/api/distributions/bands",
        read_distributions,
        Distributions,
        body=DistributionsBody,
        media_types=(COLUMNS, JSON, CSV),
    ),
)
