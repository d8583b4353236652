"""Encodes percentiles, reduced to the pixels of a plot, as JSON, columns or CSV. Knows no routes."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.answers import attachment, encode_csv, little_endian, numbers, pack_columns
from runglass.api.route import COLUMNS, CSV, Answer
from runglass.api.series import find_series, find_unknown_series
from runglass.dashboards.distributions.percentiles import Bands, read_bands
from runglass.dashboards.distributions.shape import (
    Distribution,
    DistributionProblem,
    Distributions,
    DistributionsBody,
)
from runglass.query.lines import reduce_many
from runglass.query.source import DataSource, Float64, Int64, Values
from runglass.store.model import Kind, SeriesKey

MAX_PROBLEMS = 20


class _Shown(Struct, frozen=True):
    """The part of a series that is sent."""

    key: SeriesKey
    bands: Bands
    total: int
    # Indices of its histograms, by x.
    kept: Int64

    def values(self) -> Float64:
        chosen: Float64 = self.bands.values[:, self.kept]
        return chosen


def load_answer(source: DataSource, body: DistributionsBody) -> Answer | Struct:
    # Taken before reading, so that the client asks again for what changes meanwhile.
    generation = source.generation
    shown = [
        _show(source, values, body)
        for key in dict.fromkeys(ref.key for ref in body.series)
        if (values := find_series(source, key, kind=Kind.HISTOGRAM, attempts=body.attempts)) is not None
    ]
    if body.format == "csv" and shown:
        return _table(shown[0], body.percentiles)
    if body.format == "columns":
        return _packed(generation, shown, body)
    unknown = find_unknown_series(source, body.series, kind=Kind.HISTOGRAM)
    return Distributions(generation, list(body.percentiles), [_plain(each) for each in shown], unknown)


def _show(source: DataSource, values: Values, body: DistributionsBody) -> _Shown:
    bands = read_bands(source, values, body.percentiles)
    x: Float64 = bands.step.astype(np.float64) if body.x == "step" else bands.wall_time
    # A time that is NaN or infinite is not on the axis.
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
