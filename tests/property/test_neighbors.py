"""Nearest neighbours beside plain NumPy: every row compared with every other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.errors import BadArgument
from runglass.native import neighbors as native
from runglass.reductions import descent, neighbors
from runglass.reductions.descent import descend_all
from runglass.reductions.model import Follow, Stopped
from runglass.reductions.neighbors import distance_of, nearest, neighbors_of_all


def distances(vectors, target, metric):
    rows = vectors.astype(np.float64)
    point = target.astype(np.float64)
    if metric == "euclidean":
        return np.sqrt(((rows - point) ** 2).sum(axis=1))
    with np.errstate(all="ignore"):
        return 1 - rows @ point / (np.linalg.norm(rows, axis=1) * np.linalg.norm(point))


def clusters(n, d, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((10, d)) * 3
    spread = rng.standard_normal((n, d)) * np.geomspace(2, 0.1, d)
    return (centres[rng.integers(0, 10, n)] + spread).astype(np.float32)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(1, 60),
    st.integers(1, 40),
    st.sampled_from(["cosine", "euclidean"]),
    st.booleans(),
)
def test_neighbours_of_one_row_are_exact(seed, n, d, metric, is_read):
    vectors = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    row = seed % n
    wanted = distances(vectors, vectors[row], metric)
    wanted[row] = np.inf
    given_as = (lambda start, stop: vectors[start:stop]) if is_read else vectors
    rows, found = nearest(given_as, row, 5, metric, shape=(n, d) if is_read else None)
    count = min(5, n - 1)
    assert len(rows) == len(set(rows.tolist()) - {row}) == count
    np.testing.assert_allclose(found, np.sort(wanted)[:count], atol=1e-5)
    np.testing.assert_allclose(wanted[rows], found, atol=1e-5)
    for other, distance in zip(rows.tolist(), found.tolist(), strict=True):
        assert distance_of(vectors[row], vectors[other], metric) == pytest.approx(distance, abs=1e-5)


def test_rows_that_are_not_finite_are_nobodys_neighbours():
    vectors = np.eye(6, dtype=np.float32)
    vectors[2, 0], vectors[4] = np.nan, 0
    assert nearest(vectors, 0, 10, "euclidean")[0].tolist() == [4, 1, 3, 5]
    assert nearest(vectors, 0, 10, "cosine")[0].tolist() == [1, 3, 5]
    assert nearest(vectors, vectors[3], 1, "cosine")[0].tolist() == [3]
    with pytest.raises(BadArgument, match="no row 6"):
        nearest(vectors, 6, 1, "cosine")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000), st.integers(2, 80), st.integers(1, 20), st.sampled_from(["cosine", "euclidean"])
)
def test_neighbours_of_all_rows_are_exact_where_they_are_few(seed, n, d, metric):
    vectors = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    rows, found = neighbors_of_all(vectors, 7, metric)
    count = min(7, n - 1)
    assert rows.shape == found.shape == (n, count)
    for row in range(n):
        wanted = distances(vectors, vectors[row], metric)
        wanted[row] = np.inf
        assert row not in rows[row]
        np.testing.assert_allclose(found[row], np.sort(wanted)[:count], atol=2e-3)
        np.testing.assert_allclose(wanted[rows[row]], found[row], atol=2e-3)


@pytest.mark.parametrize(("d", "count"), [(30, 15), (30, 60), (3, 10), (1, 4)])
def test_descent_finds_most_neighbours(d, count):
    vectors = clusters(3_000, d)
    wanted, _ = neighbors.compare_all(vectors, count, Follow())
    rows, squares = descend_all(vectors, count, seed=0, follow=Follow())
    assert (np.sort(rows) >= 0).all()
    shared = (rows[:, :, None] == wanted[:, None, :]).any(axis=2)
    if d > 1:
        assert shared.mean() >= 0.95
    for row in range(0, 3_000, 97):
        assert len(set(rows[row].tolist()) - {row}) == count
        exact = ((vectors[row].astype(np.float64) - vectors[rows[row]]) ** 2).sum(axis=1)
        np.testing.assert_allclose(squares[row], exact, rtol=1e-3, atol=1e-4)
        assert (np.diff(squares[row]) >= 0).all()


@pytest.mark.parametrize(("n", "d"), [(318, 13), (101, 40)])
def test_no_neighbour_within_a_part_of_a_tree_is_missed(n, d):
    # Some are far from the others, where products of rows are rounded most.
    vectors = clusters(n, d)
    vectors[::3] += 400
    rows, squares = descend_all(vectors, 10, seed=0, follow=Follow())
    for row in range(n):
        wanted = ((vectors.astype(np.float64) - vectors[row]) ** 2).sum(axis=1)
        wanted[row] = np.inf
        np.testing.assert_allclose(squares[row], np.sort(wanted)[:10], rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(wanted[rows[row]], squares[row], rtol=1e-3, atol=1e-3)


def test_descent_does_not_depend_on_threads(monkeypatch):
    vectors = clusters(2_000, 20)
    once = descend_all(vectors, 10, seed=3, follow=Follow())
    monkeypatch.setattr("runglass.reductions.threads.count_cores", lambda: 1)
    again = descend_all(vectors, 10, seed=3, follow=Follow())
    np.testing.assert_array_equal(once[0], again[0])
    np.testing.assert_array_equal(once[1], again[1])


def test_equal_rows_are_divided_and_found():
    vectors = np.repeat(clusters(20, 8), 60, axis=0)
    rows, squares = descend_all(vectors, 5, seed=0, follow=Follow())
    assert (rows >= 0).all()
    assert float(np.mean(squares < 1e-4)) > 0.95


def test_a_flag_that_is_set_meanwhile_ends_a_search():
    flag = memoryview(bytearray(1))
    calls = []

    def report(phase, done, total, positions):
        calls.append(phase)
        if len(calls) == 3:
            flag[0] = 1

    with pytest.raises(Stopped):
        descend_all(clusters(2_000, 20), 10, seed=0, follow=Follow(report, flag))


def test_turned_rows_are_as_far_apart():
    vectors = clusters(300, 18)
    turned = descent.turn(vectors)
    assert turned.shape == (300, 20)
    np.testing.assert_allclose(
        np.linalg.norm(turned[:50, None] - turned[None, :50], axis=2),
        np.linalg.norm(vectors[:50, None] - vectors[None, :50], axis=2),
        atol=1e-3,
    )


def test_rows_are_reordered_in_place():
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 50):
        rows = rng.standard_normal((n, 3)).astype(np.float32)
        order = rng.permutation(n).astype(np.int32)
        wanted, kept = rows[order], order.copy()
        native.reorder(rows, order)
        np.testing.assert_array_equal(rows, wanted)
        np.testing.assert_array_equal(order, kept)
