"""Ranks histogram series by how much they changed, with zeros and saturation: one row per series. Looks at MAX_RANKED at most."""

from __future__ import annotations

from math import isnan

import msgspec
import numpy as np

from runglass.api.answers import Number, number
from runglass.api.kept import PerSource, Versioned
from runglass.api.series import find_series
from runglass.dashboards.histograms.load import Histograms, load_histograms
from runglass.dashboards.histograms.shape import RankedSeries, Ranking, RankingBody
from runglass.query.buckets import saturation, share_of_zeros, spread, wasserstein
from runglass.query.source import DataSource, Int64, Values
from runglass.store.model import Kind, SeriesKey

MAX_RANKED = 5_000


def rank(source: DataSource, body: RankingBody) -> Ranking:
    generation = source.generation
    version = generation, msgspec.json.encode(body)
    return _last.of(source).read(None, version, lambda: _rank(source, body, generation))


# The last answer for each source.
_last: PerSource[Versioned[None, Ranking]] = PerSource(Versioned)


def _rank(source: DataSource, body: RankingBody, generation: int) -> Ranking:
    keys = _fitting(source, body)
    rows = [row for key in keys[:MAX_RANKED] if (row := _rank_one(source, key, body)) is not None]
    rows.sort(key=lambda row: -row.relative if isinstance(row.relative, float) else 1.0)
    return Ranking(generation, len(keys), rows)


def _fitting(source: DataSource, body: RankingBody) -> list[SeriesKey]:
    runs, sets = source.list_tag_sets(kind=Kind.HISTOGRAM)
    wanted_runs = runs if body.runs is None else dict.fromkeys(run for run in body.runs if run in runs)
    wanted_tags = None if body.tags is None else set(body.tags)
    return [
        SeriesKey(run, tag)
        for run in wanted_runs
        for tag in sets[runs[run]]
        if (wanted_tags is None or tag in wanted_tags) and not (body.by == "run" and run == body.other_run)
    ]


def _rank_one(source: DataSource, key: SeriesKey, body: RankingBody) -> RankedSeries | None:
    values = find_series(source, key, kind=Kind.HISTOGRAM)
    order = _upto(values, body.step)
    if values is None or not len(order):
        return None
    if body.by == "run":
        compared = _newest(source, SeriesKey(body.other_run or "", key.tag), int(values.step[order[-1]]))
        loaded = load_histograms(source, values, order[-1:])
    else:
        other = order[:-1][:1] if body.by == "start" else order[-2:-1]
        loaded = load_histograms(source, values, np.concatenate([other, order[-1:]]))
        compared = (loaded, 0) if len(loaded.step) == 2 else None
    last = len(loaded.step) - 1
    mine = loaded.of(last)
    distance = relative = float("nan")
    if compared is not None:
        theirs = compared[0].of(compared[1])
        distance = wasserstein(theirs, mine)
        width = spread(theirs) or spread(mine)
        relative = distance / width if width else 0.0
    at_least, at_most = share_of_zeros(mine)
    return RankedSeries(
        run=key.run,
        tag=key.tag,
        step=int(loaded.step[last]),
        other_step=None if compared is None else int(compared[0].step[compared[1]]),
        distance=_known(distance),
        relative=_known(relative),
        zeros_at_least=_known(at_least),
        zeros_at_most=_known(at_most),
        saturation=_known(saturation(mine)),
        not_finite=float(loaded.nan[last] + loaded.neg_inf[last] + loaded.pos_inf[last]),
        problem=loaded.problems.get(last),
    )


def _newest(source: DataSource, key: SeriesKey, step: int) -> tuple[Histograms, int] | None:
    values = find_series(source, key, kind=Kind.HISTOGRAM)
    order = _upto(values, step)
    if values is None or not len(order):
        return None
    return load_histograms(source, values, order[-1:]), 0


def _upto(values: Values | None, step: int | None) -> Int64:
    """Indices of the values up to a step, by step."""
    if values is None:
        return np.empty(0, np.int64)
    order = np.argsort(values.step, kind="stable")
    return order if step is None else order[values.step[order] <= step]


def _known(value: float) -> Number | None:
    return None if isnan(value) else number(value)
