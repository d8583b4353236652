"""The native histogram against its plain NumPy oracle, to the last count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runglass.writer.values.histograms import exponential_edges, histogram


def oracle(values, buckets):
    data = np.asarray(values, dtype=np.float64).ravel()
    odd = np.isnan(data).sum(), (data == -np.inf).sum(), (data == np.inf).sum()
    data = data[np.isfinite(data)]
    rows = np.zeros((buckets, 3))
    if not data.size:
        return rows, odd
    low, high = data.min(), data.max()
    with np.errstate(over="ignore"):
        scale = 1.0 if np.isfinite(high - low) else 0.5
    width = (high * scale - low * scale) / buckets
    if width == 0:
        rows[:, :2] = low
        rows[-1, 1:] = high, data.size
        return rows, odd
    index = np.minimum(((data * scale - low * scale) / width).astype(np.int64), buckets - 1)
    with np.errstate(over="ignore"):
        edges = np.linspace(low * scale, high * scale, buckets + 1) / scale
    edges[-1] = high
    rows[:, 0] = edges[:-1]
    rows[:, 1] = edges[1:]
    rows[:, 2] = np.bincount(index, minlength=buckets)
    return rows, odd


def assert_same(values, buckets=30):
    found = histogram(values, buckets)
    rows, odd = oracle(values, buckets)
    np.testing.assert_array_equal(found.rows, rows)
    assert found.not_finite == odd


@given(
    st.sampled_from([np.float16, np.float32, np.float64]).flatmap(
        lambda kind: arrays(kind, st.integers(0, 60), elements=st.floats(width=np.dtype(kind).itemsize * 8))
    ),
    st.integers(1, 40),
)
def test_any_floats(values, buckets):
    assert_same(values, buckets)


@given(arrays(st.sampled_from([np.int8, np.uint16, np.int32, np.int64, np.uint64, np.bool_]), (3, 5)))
def test_whole_numbers(values):
    assert_same(values)


@given(
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.floats(-1e30, 1e30),
    st.floats(1e-30, 1e30),
    st.booleans(),
)
def test_long_rows_take_the_quick_way(kind, seed, buckets, middle, spread, on_edges):
    rng = np.random.default_rng(seed)
    values = rng.normal(middle, spread, 5000)
    if on_edges:
        # Values on the edges and next to them are where a rounding shows.
        edges = np.linspace(values.min(), values.max(), buckets + 1)
        near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
        values = np.concatenate([values, near, near.astype(np.float32)])
    assert_same(values.astype(kind), buckets)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("buckets", [1, 7, 30, 1000, 5000])
def test_a_million(kind, buckets):
    values = np.random.default_rng(3).normal(size=1_000_000).astype(kind)
    assert_same(values, buckets)
    assert_same(np.round(values, 1), buckets)
    assert_same(np.maximum(values, 0), buckets)
    assert_same(np.clip(values, -1, 1), buckets)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_odd_rows(kind):
    most, least = np.finfo(kind).max, np.finfo(kind).smallest_subnormal
    rng = np.random.default_rng(4)
    long = rng.uniform(-1, 1, 5000).astype(kind)
    for values in (
        long * most,
        long * least * kind(64),
        long[::3],
        np.where(long > 0.9, np.nan, long),
        np.where(long > 0.9, np.inf, np.where(long < -0.9, -np.inf, long)),
        np.full(5000, kind(-0.0)),
        np.full(5000, np.nan, dtype=kind),
        np.concatenate([np.zeros(4999, dtype=kind), [most]]),
        np.concatenate([np.full(4999, most), [kind(0)]]),
        long.reshape(50, 100).T,
    ):
        assert_same(values.astype(kind, copy=False))


def exponential_oracle(values):
    data = np.asarray(values, dtype=np.float64).ravel()
    data = data[np.isfinite(data)]
    if not data.size:
        return np.zeros((30, 3))
    edges = exponential_edges()
    if data.min() < edges[0] or data.max() > edges[-1]:
        edges = np.unique([*edges, data.min(), data.max()])
    counts, edges = np.histogram(data, bins=edges)
    filled = np.flatnonzero(counts)
    rows = np.stack([edges[:-1], edges[1:], counts], axis=1)
    return rows[filled[0] : filled[-1] + 1]


@given(
    st.sampled_from([np.float16, np.float32, np.float64]).flatmap(
        lambda kind: arrays(
            kind,
            st.integers(0, 60),
            elements=st.floats(width=np.dtype(kind).itemsize * 8)
            | st.sampled_from(exponential_edges().tolist()).map(lambda edge: float(kind(edge))),
        )
    )
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_exponential_edges(values):
    found = histogram(values, "tensorflow")
    np.testing.assert_array_equal(found.rows, exponential_oracle(values))
    assert found.not_finite == oracle(values, 1)[1]
