"""Encodes histograms of many series as one answer, JSON or columns. Knows no routes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.api.answers import little_endian, numbers, pack_columns
from runglass.api.route import COLUMNS, Answer
from runglass.api.series import find_series, find_unknown_series
from runglass.dashboards.histograms.bins import Binned, bin_all, ends, totals
from runglass.dashboards.histograms.load import (
    Histograms,
    load_histograms,
    pick_even,
    pick_rows,
)
from runglass.dashboards.histograms.shape import (
    HistogramAnswer,
    HistogramProblem,
    HistogramRef,
    HistogramSeries,
    SeriesBody,
)
from runglass.query.source import DataSource
from runglass.store.model import Kind


def load_answer(source: DataSource, body: SeriesBody) -> Answer | HistogramAnswer:
    generation = source.generation
    found = [each for ref in body.series if (each := _load(source, ref, body.max_steps)) is not None]
    binned = bin_all(found, body)
    if body.format == "columns":
        return _encode_columns(generation, found, binned)
    series = [_plain(*pair) for pair in zip(found, binned, strict=True)]
    return HistogramAnswer(generation, series, find_unknown_series(source, body.series, kind=Kind.HISTOGRAM))


def _load(source: DataSource, ref: HistogramRef, max_steps: int) -> Histograms | None:
    values = find_series(source, ref.key, kind=Kind.HISTOGRAM)
    if values is None:
        return None
    indices = pick_even(values, max_steps, ref.keep) if ref.rows is None else pick_rows(values, ref.rows)
    return load_histograms(source, values, indices)


def _plain(found: Histograms, binned: Binned | None) -> HistogramSeries:
    low, high = ends(found)
    in_bins: dict[str, Any] = {}
    if binned is None:
        in_bins["buckets"] = [found.of(at).tolist() for at in range(len(found.step))]
    else:
        in_bins["edges"] = binned.edges.tolist()
        in_bins["counts"] = binned.counts.tolist()
        in_bins["below"] = binned.below.tolist()
        in_bins["above"] = binned.above.tolist()
    return HistogramSeries(
        run=found.key.run,
        tag=found.key.tag,
        generation=found.generation,
        values=found.values,
        row=found.row.tolist(),
        step=found.step.tolist(),
        wall_time=numbers(found.wall_time),
        total=totals(found).tolist(),
        nan=found.nan.tolist(),
        neg_inf=found.neg_inf.tolist(),
        pos_inf=found.pos_inf.tolist(),
        low=numbers(low),
        high=numbers(high),
        problems=[HistogramProblem(at, message) for at, message in found.problems.items()],
        **in_bins,
    )


def _encode_columns(generation: int, found: list[Histograms], binned: list[Binned | None]) -> Answer:
    """Blocks per series: row as uint32; step, wall time, total, NaN, -Inf, +Inf, low and high as float64. With `bins`: edges,
    counts step by step, below and above. Without: the number of buckets per step as uint32, then left, right and count."""
    heads, blocks = [], list[NDArray[Any]]()
    for each, bins in zip(found, binned, strict=True):
        blocks += [each.row.astype(np.uint32), each.step.astype(np.float64), each.wall_time, totals(each)]
        blocks += [each.nan, each.neg_inf, each.pos_inf, *ends(each)]
        if bins is None:
            blocks.append(np.bincount(each.owner, minlength=len(each.step)).astype(np.uint32))
            blocks += list(each.buckets.T)
        else:
            blocks += [bins.edges, bins.counts, bins.below, bins.above]
        heads.append(
            {
                "run": each.key.run,
                "tag": each.key.tag,
                "generation": each.generation,
                "values": each.values,
                "count": len(each.step),
                "bins": None if bins is None else len(bins.edges) - 1,
                "buckets": len(each.buckets),
                "problems": [{"at": at, "message": message} for at, message in each.problems.items()],
            }
        )
    head = {"version": 1, "generation": generation, "series": heads}
    return Answer(pack_columns(head, [little_endian(block) for block in blocks]), COLUMNS)
