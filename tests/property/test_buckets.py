"""Histogram arithmetic: mass is kept under any re-binning, and every result agrees with a plain reading of the definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from runglass.query.buckets import (
    even_edges,
    is_tidy,
    percentiles,
    rebin,
    rebin_many,
    saturation,
    share_of_zeros,
    spread,
    tidy,
    wasserstein,
)

Rows = NDArray[np.float64]

plain = st.floats(-1e6, 1e6, allow_subnormal=False)
edges_of_any_size = st.one_of(plain, st.floats(allow_nan=False, allow_infinity=False))
counts = st.one_of(st.integers(0, 10**9).map(float), st.floats(0, 1e12, allow_subnormal=False))


@st.composite
def tidy_rows(draw: st.DrawFn, edge: st.SearchStrategy[float] = plain, min_size: int = 0) -> Rows:
    """Rows in order, some without width, some with gaps between them."""
    cuts = sorted(draw(st.lists(edge, min_size=min_size * 2, max_size=24)))
    rows = [(left, right) for left, right in zip(cuts[::2], cuts[1::2], strict=False)]
    return np.array([[*row, draw(counts)] for row in rows]).reshape(-1, 3)


anything = st.one_of(plain, st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1.7e308, -1.7e308, 5e-324]))
odd_counts = st.sampled_from([math.nan, math.inf, -math.inf, -1.0, -1e6])
wild_rows = st.lists(st.tuples(anything, anything, st.one_of(counts, odd_counts)), max_size=12).map(
    lambda rows: np.array(rows, np.float64).reshape(-1, 3)
)


@given(rows=tidy_rows(edges_of_any_size), cuts=st.lists(edges_of_any_size, min_size=2, max_size=40))
def test_rebinning_keeps_the_mass(rows: Rows, cuts: list[float]) -> None:
    found = rebin(rows, np.array(sorted(cuts)))
    total = rows[:, 2].sum()
    assert found.counts.sum() + found.below + found.above == pytest.approx(total, rel=1e-12, abs=1e-300)
    assert (found.counts >= 0).all()
    if len(rows):
        covering = np.unique([rows[0, 0], *np.clip(cuts, rows[0, 0], rows[-1, 1]), rows[-1, 1]])
        if len(covering) > 1:
            whole = rebin(rows, covering)
            assert (whole.below, whole.above) == (0, 0)
            assert whole.counts.sum() == pytest.approx(total, rel=1e-9, abs=1e-300)


@given(rows=tidy_rows(st.integers(-50, 50).map(float)), cuts=st.sets(st.integers(-60, 60), min_size=2))
def test_rebinning_is_what_its_definition_says(rows: Rows, cuts: set[int]) -> None:
    edges = sorted(cuts)
    found = rebin(rows, np.array(edges, np.float64))
    for at, (low, high) in enumerate(pairwise(edges)):
        is_last = at == len(edges) - 2
        mass = Fraction(0)
        for left, right, count in rows.tolist():
            if left == right:
                mass += Fraction(count) if low <= left < high or (is_last and left == high) else 0
            else:
                part = max(min(right, high) - max(left, low), 0)
                mass += Fraction(count) * Fraction(part) / Fraction(right - left)
        assert found.counts[at] == pytest.approx(float(mass), rel=1e-12, abs=1e-300)


@given(rows=tidy_rows(min_size=1))
def test_its_own_edges_change_nothing(rows: Rows) -> None:
    wide = rows[rows[:, 0] < rows[:, 1]]
    if not len(wide):
        return
    edges = np.unique(wide[:, :2])
    found = rebin(wide, edges)
    starts = np.searchsorted(edges, wide[:, 0])
    np.testing.assert_array_equal(found.counts[starts], wide[:, 2])


@given(each=st.lists(tidy_rows(), min_size=1, max_size=5), cuts=st.lists(plain, min_size=2, max_size=9))
def test_many_at_once_are_each_by_itself(each: list[Rows], cuts: list[float]) -> None:
    edges = np.array(sorted(cuts))
    owner = np.repeat(np.arange(len(each)), [len(rows) for rows in each])
    together = rebin_many(np.concatenate(each), owner, len(each), edges)
    for rows, row in zip(each, together, strict=True):
        alone = rebin(rows, edges)
        np.testing.assert_allclose(row, [alone.below, *alone.counts, alone.above], rtol=1e-12)


@given(rows=wild_rows)
def test_anything_becomes_tidy_and_nothing_is_lost_in_silence(rows: Rows) -> None:
    found = tidy(rows)
    assert is_tidy(found.buckets)
    np.testing.assert_array_equal(tidy(found.buckets).buckets, found.buckets)
    placed = found.buckets[:, 2].sum() + found.nan + found.neg_inf + found.pos_inf
    usable = rows[np.isfinite(rows[:, 2]) & (rows[:, 2] >= 0)]
    stored = usable[:, 2].sum()
    if found.problem is None:
        assert len(usable) == len(rows) or not len(rows)
    if found.problem is None or "infinite edges on both sides" not in found.problem:
        assert placed == pytest.approx(stored, rel=1e-9, abs=1e-300)


@given(rows=tidy_rows(edges_of_any_size))
def test_what_is_tidy_stays_as_stored(rows: Rows) -> None:
    found = tidy(rows)
    assert found.problem is None
    assert found.buckets is rows


def test_what_was_wrong_is_said() -> None:
    def problem(*rows: tuple[float, float, float]) -> str:
        return tidy(np.array(rows)).problem or ""

    assert "not sorted" in problem((2, 3, 1), (0, 1, 1))
    assert "overlap" in problem((0, 2, 1), (1, 3, 1))
    assert "negative count (-4 in total)" in problem((0, 1, -4), (1, 2, 1))
    assert "the edges are swapped" in problem((1, 0, 1))
    assert "1 bucket has NaN as an edge; the count of 5 is not on the axis" in problem((math.nan, 0, 5))
    assert "1 bucket has an infinite edge; the count is put at the other edge" in problem((-math.inf, 0, 5))
    assert "1 bucket has infinite edges on both sides; the count of 2 is not on the axis" in problem(
        (-math.inf, math.inf, 2)
    )
    assert "count of nan" in problem((0, 1, math.nan))
    assert (
        problem((0, 1, 3), (math.nan, math.nan, 2), (-math.inf, -math.inf, 1), (math.inf, math.inf, 1)) == ""
    )
    assert "shape (4)" in (tidy(np.zeros(4)).problem or "")
    assert "object" in (tidy(np.array([[b"a", b"b", b"c"]], object)).problem or "")


def test_values_that_are_not_finite_are_counted_apart() -> None:
    rows = [(0, 1, 3), (math.nan, math.nan, 2), (-math.inf, -math.inf, 5), (math.inf, math.inf, 7)]
    found = tidy(np.array(rows))
    assert found.buckets.tolist() == [[0, 1, 3]]
    assert (found.nan, found.neg_inf, found.pos_inf) == (2, 5, 7)


def test_overlapping_buckets_are_cut_evenly() -> None:
    found = tidy(np.array([[0.0, 2, 4], [1, 3, 6], [1.5, 1.5, 2]]))
    assert found.buckets.tolist() == [[0, 1, 2], [1, 1.5, 2.5], [1.5, 1.5, 2], [1.5, 2, 2.5], [2, 3, 3]]


def test_very_many_overlapping_buckets_are_still_done_in_bounded_work() -> None:
    rng = np.random.default_rng(0)
    middle = rng.normal(size=20_000)
    rows = np.stack([middle - 1, middle + 1, np.ones(20_000)], axis=1)
    found = tidy(rows)
    assert is_tidy(found.buckets)
    assert found.buckets[:, 2].sum() == pytest.approx(20_000, rel=1e-9)


@given(rows=tidy_rows(edges_of_any_size, min_size=1), q=st.floats(0, 100))
def test_percentiles_are_where_the_mass_is(rows: Rows, q: float) -> None:
    total = rows[:, 2].sum()
    low, value, high = percentiles(rows, np.array([0, q, 100.0]))
    if total == 0:
        assert math.isnan(value)
        return
    filled = rows[rows[:, 2] > 0]
    assert (low, high) == (filled[0, 0], filled[-1, 1])
    assert low <= value <= high
    upto = filled[filled[:, 1] <= value, 2].sum()
    before = filled[filled[:, 1] < value, 2].sum()
    within = filled[(filled[:, 0] <= value) & (value <= filled[:, 1]), 2].sum()
    slack = total * 1e-9
    assert before - slack <= total * q / 100 <= max(upto, before + within) + slack


def test_percentiles_inside_a_bucket_are_linear() -> None:
    rows = np.array([[0.0, 10, 50], [10, 20, 0], [20, 40, 50]])
    assert percentiles(rows, np.array([0.0, 25, 50, 75, 100])).tolist() == [0, 5, 20, 30, 40]
    assert np.isnan(percentiles(np.zeros((0, 3)), np.array([50.0]))).all()


def plain_distance(a: Rows, b: Rows) -> float:
    """The same by quantiles: the mean distance between the values at equal ranks, on the exact breaks of both."""
    shares = [np.cumsum(rows[:, 2]) / rows[:, 2].sum() for rows in (a, b)]
    breaks = np.unique(np.concatenate([[0.0, 1.0], *shares]))
    area = 0.0
    for start, end in pairwise(breaks):
        inner = start + (end - start) * np.array([1e-9, 1 - 1e-9])
        x, y = percentiles(a, inner * 100), percentiles(b, inner * 100)
        first, last = (x - y).tolist()
        if first * last < 0:
            area += (end - start) * (first**2 + last**2) / (2 * (abs(first) + abs(last)))
        else:
            area += (end - start) * (abs(first) + abs(last)) / 2
    return area


@given(a=tidy_rows(min_size=1), b=tidy_rows(min_size=1))
def test_the_distance_is_that_of_the_quantiles(a: Rows, b: Rows) -> None:
    a[:, 2] = np.round(a[:, 2]) % 1000
    b[:, 2] = np.round(b[:, 2]) % 1000
    if not a[:, 2].sum() or not b[:, 2].sum():
        assert math.isnan(wasserstein(a, b))
        return
    assert wasserstein(a, b) == pytest.approx(plain_distance(a, b), rel=1e-5, abs=1e-2)
    assert wasserstein(a, b) == pytest.approx(wasserstein(b, a))
    assert wasserstein(a, a) == 0


@given(rows=tidy_rows(min_size=1), by=st.floats(-1e5, 1e5))
def test_moving_everything_moves_by_that_much(rows: Rows, by: float) -> None:
    if rows[:, 2].sum() == 0:
        return
    moved = tidy(rows + np.array([by, by, 0])).buckets
    assert wasserstein(rows, moved) == pytest.approx(abs(by), rel=1e-6, abs=1e-6)


def test_the_largest_numbers_have_a_distance_too() -> None:
    a, b = np.array([[-1.7e308, 0.0, 1]]), np.array([[0.0, 1.7e308, 1]])
    assert wasserstein(a, b) == pytest.approx(1.7e308)
    assert math.isfinite(spread(np.array([[-1.7e308, 1.7e308, 1]])))


def test_shares() -> None:
    relu = np.array([[0.0, 0, 60], [0, 1, 30], [1, 2, 10]])
    assert share_of_zeros(relu) == (0.6, 0.9)
    assert share_of_zeros(np.array([[-1.0, 0, 5], [0, 1e-12, 90], [1e-12, 1, 5]])) == (0, 0.9)
    assert share_of_zeros(np.array([[-2.0, -1, 1], [-1, 0, 1]])) == (0, 0.5)
    assert saturation(np.array([[0.0, 1, 100]])) == pytest.approx(0.1)
    assert saturation(np.array([[-1.0, -0.99, 50], [-0.99, 0.99, 0], [0.99, 1, 50]])) == 1
    assert math.isnan(saturation(np.array([[3.0, 3, 50]])))
    assert spread(np.array([[0.0, 12, 5]])) == pytest.approx(math.sqrt(12))


@given(
    low=st.floats(-1e300, 1e300),
    width=st.floats(1e-3, 1e300),
    bins=st.integers(1, 300),
    scale=st.sampled_from(["linear", "symlog"]),
)
def test_even_edges_keep_their_ends(low: float, width: float, bins: int, scale: str) -> None:
    high = low + width
    edges = even_edges(low, high, bins, scale, 0.01)  # type: ignore[arg-type]
    assert len(edges) == bins + 1
    assert (np.diff(edges) >= 0).all()
    assert edges[[0, -1]].tolist() == pytest.approx([low, high])


def test_even_edges_on_a_log_axis() -> None:
    np.testing.assert_allclose(even_edges(0.01, 100, 4, "log"), [0.01, 0.1, 1, 10, 100])
