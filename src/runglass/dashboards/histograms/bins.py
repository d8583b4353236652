"""Re-bins stored buckets for a chart: the range of the bins, and the counts of every step in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.dashboards.histograms.load import Histograms
from runglass.dashboards.histograms.shape import SeriesBody
from runglass.query.buckets import even_edges, rebin_many
from runglass.query.source import Float64, XScale

# As on the page's axes (scale.ts): a symlog axis is linear below the farthest end divided by this.
SYMLOG_REACH = 1_000
# Margin around a single value, as a fraction of it.
AROUND = 0.1


class Binned(Struct, frozen=True):
    edges: Float64
    # A row for every step.
    counts: Float64
    below: Float64
    above: Float64


def bin_all(each: Sequence[Histograms], body: SeriesBody) -> list[Binned | None]:
    """The counts of every series in bins; None if stored buckets are wanted."""
    if body.edges is not None:
        edges = np.array(body.edges)
        return [_binned(one, edges) for one in each]
    if body.bins is None:
        return [None] * len(each)
    if not body.is_shared:
        return [_binned(one, choose_edges([one], body)) for one in each]
    by_tag: dict[str, list[Histograms]] = {}
    for one in each:
        by_tag.setdefault(one.key.tag, []).append(one)
    shared = {tag: choose_edges(those, body) for tag, those in by_tag.items()}
    return [_binned(one, shared[one.key.tag]) for one in each]


def choose_edges(each: Sequence[Histograms], body: SeriesBody) -> Float64:
    assert body.bins is not None
    low, high = body.x_range or _span(each, body.x_scale)
    unit = max(abs(low), abs(high)) / SYMLOG_REACH or 1.0
    return even_edges(low, high, body.bins, body.x_scale, unit)


def _span(each: Sequence[Histograms], scale: XScale) -> tuple[float, float]:
    """The outermost edges of non-empty buckets over all steps."""
    filled = np.concatenate([np.zeros((0, 3)), *(one.buckets[one.buckets[:, 2] > 0] for one in each)])
    edges = filled[:, :2].ravel()
    if scale == "log":
        # Values at or below zero are not on this axis; they count as `below`.
        edges = edges[edges > 0]
    if not len(edges):
        return (0.1, 1.0) if scale == "log" else (-1.0, 1.0)
    low, high = float(edges.min()), float(edges.max())
    if low < high:
        return low, high
    around = abs(low) * AROUND or 1.0
    return low - around, high + around


def _binned(histograms: Histograms, edges: Float64) -> Binned:
    counts = rebin_many(histograms.buckets, histograms.owner, len(histograms.step), edges)
    return Binned(edges, counts[:, 1:-1], counts[:, 0], counts[:, -1])


def totals(histograms: Histograms) -> Float64:
    counts = histograms.buckets[:, 2]
    return np.bincount(histograms.owner, weights=counts, minlength=len(histograms.step)).astype(np.float64)


def ends(histograms: Histograms) -> tuple[Float64, Float64]:
    """The lowest and the highest edge of non-empty buckets per step; NaN if all are empty."""
    low = np.full(len(histograms.step), np.inf)
    high = np.full(len(histograms.step), -np.inf)
    filled = histograms.buckets[:, 2] > 0
    np.minimum.at(low, histograms.owner[filled], histograms.buckets[filled, 0])
    np.maximum.at(high, histograms.owner[filled], histograms.buckets[filled, 1])
    low[np.isinf(low)] = high[np.isinf(high)] = np.nan
    return low, high
