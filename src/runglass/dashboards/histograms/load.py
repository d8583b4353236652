"""Loads the histograms of a series as flat columns, tidies them, and caches them: a page asks for the same ones again.

Knows no routes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.api.kept import PerSource
from runglass.api.series import row_numbers
from runglass.lru import LruCache
from runglass.query.buckets import is_tidy, tidy_loaded
from runglass.query.source import DataSource, Float64, Int64, Values
from runglass.store.model import SeriesKey

KEPT_BYTES = 64 * 2**20


class Histograms(Struct, frozen=True):
    """Some values of one series. The buckets of all values are concatenated; `owner` is the value of each bucket."""

    key: SeriesKey
    generation: int
    # The number of values in the whole series.
    values: int
    row: Int64
    step: Int64
    wall_time: Float64
    buckets: Float64
    owner: Int64
    nan: Float64
    neg_inf: Float64
    pos_inf: Float64
    problems: dict[int, str]

    def of(self, index: int) -> Float64:
        start, end = np.searchsorted(self.owner, [index, index + 1])
        return self.buckets[start:end]


def pick_even(values: Values, count: int, keep: int | None = None) -> Int64:
    """Indices by step: all, or about `count` evenly spaced ones with the first and the last. `keep` is a row to include."""
    order = np.argsort(values.step, kind="stable")
    if len(order) <= count:
        return order
    places = np.unique(np.round(np.linspace(0, len(order) - 1, count)).astype(np.int64))
    if keep is not None:
        places = np.union1d(places, np.flatnonzero(row_numbers(values)[order] == keep))
    return order[places]


def pick_rows(values: Values, rows: Sequence[int]) -> Int64:
    """Indices of the existing ones of these rows, by step."""
    found = np.flatnonzero(np.isin(row_numbers(values), np.asarray(rows, np.int64)))
    return found[np.argsort(values.step[found], kind="stable")]


def load_histograms(source: DataSource, values: Values, indices: Int64) -> Histograms:
    name = values.key, values.generation, indices.tobytes()
    kept = _kept.of(source)
    found = kept.get(name)
    if found is None:
        found = _load(source, values, indices)
        kept.put(name, found)
    return found


def _load(source: DataSource, values: Values, indices: Int64) -> Histograms:
    loaded = source.load_values(values, indices.tolist())
    empty = np.zeros((0, 3))
    plain = [each if _is_plain(each) else empty for each in loaded]
    flat = np.concatenate([empty, *plain])
    owner = np.repeat(np.arange(len(plain)), [len(each) for each in plain])
    odd = np.zeros((3, len(plain)))
    problems: dict[int, str] = {}
    if not is_tidy(flat, owner) or any(not _is_plain(each) for each in loaded):
        tidied = [tidy_loaded(each) for each in loaded]
        flat = np.concatenate([empty, *(each.buckets for each in tidied)])
        owner = np.repeat(np.arange(len(tidied)), [len(each.buckets) for each in tidied])
        odd = np.array([[each.nan, each.neg_inf, each.pos_inf] for each in tidied]).reshape(-1, 3).T
        problems = {at: each.problem for at, each in enumerate(tidied) if each.problem}
    return Histograms(
        key=values.key,
        generation=values.generation,
        values=len(values.step),
        row=row_numbers(values)[indices],
        step=values.step[indices],
        wall_time=values.wall_time[indices],
        buckets=flat,
        owner=owner,
        nan=odd[0],
        neg_inf=odd[1],
        pos_inf=odd[2],
        problems=problems,
    )


def _is_plain(value: object) -> bool:
    return (
        isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == 3 and value.dtype.kind == "f"
    )


_kept: PerSource[LruCache[tuple[SeriesKey, int, bytes], Histograms]] = PerSource(
    lambda: LruCache(KEPT_BYTES, size_of=lambda histograms: histograms.buckets.nbytes)
)
