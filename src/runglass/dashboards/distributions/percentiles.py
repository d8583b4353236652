"""Percentiles of every histogram of a series, from all of its buckets. Cached, because a page asks for a growing series again
and again. Knows no routes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.api.kept import PerSource
from runglass.lru import LruCache
from runglass.query.buckets import percentiles, tidy_loaded
from runglass.query.source import DataSource, Float64, Int64, Values
from runglass.store.model import SeriesKey

KEPT_BYTES = 32 * 2**20
# Histograms in memory at once while a series is loaded.
CHUNK = 256


class Bands(Struct, frozen=True):
    """A series in the order in which it was logged."""

    generation: int
    step: Int64
    wall_time: Float64
    # A row per percentile, a column per histogram; NaN for an empty histogram.
    values: Float64
    # Problems by the index of the histogram.
    problems: dict[int, str]


def read_bands(source: DataSource, values: Values, wanted: tuple[float, ...]) -> Bands:
    kept = _kept.of(source)
    name = values.key, wanted, values.rows is None
    known = kept.get(name)
    if known is not None and known.generation == values.generation:
        return known
    count = _common(known, values)
    found = _extended(source, values, wanted, known if count else None, count)
    kept.put(name, found)
    return found


def _common(known: Bands | None, values: Values) -> int:
    """How many histograms at the start are already known: all known ones, or 0."""
    if known is None or len(known.step) > len(values.step):
        return 0
    count = len(known.step)
    is_same = np.array_equal(known.step, values.step[:count]) and np.array_equal(
        known.wall_time, values.wall_time[:count], equal_nan=True
    )
    return count if is_same else 0


def _extended(
    source: DataSource, values: Values, wanted: Sequence[float], known: Bands | None, count: int
) -> Bands:
    qs = np.asarray(wanted, np.float64)
    columns: list[Float64] = []
    problems = dict(known.problems) if known else {}
    for start in range(count, len(values.step), CHUNK):
        indices = range(start, min(start + CHUNK, len(values.step)))
        for index, stored in zip(indices, source.load_values(values, indices), strict=True):
            tidied = tidy_loaded(stored)
            columns.append(percentiles(tidied.buckets, qs))
            if tidied.problem:
                problems[index] = tidied.problem
    fresh = np.array(columns, np.float64).reshape(-1, len(qs)).T
    return Bands(
        values.generation,
        values.step,
        values.wall_time,
        np.concatenate([known.values, fresh], axis=1) if known else fresh,
        problems,
    )


# Series, percentiles, and whether nothing was left out: without overwritten values it is another list.
_Name = tuple[SeriesKey, tuple[float, ...], bool]


_kept: PerSource[LruCache[_Name, Bands]] = PerSource(
    lambda: LruCache(KEPT_BYTES, size_of=lambda bands: bands.values.nbytes)
)
