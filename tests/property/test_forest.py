"""The variance that one tree divides, beside a reading of the definition: means over every combination of codes."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.forest import MAX_BINS, divide_variance


def masses(rng, bins):
    """Random ones: not every value has as many rows."""
    mass = np.zeros((len(bins), MAX_BINS))
    for column, count in enumerate(bins):
        mass[column, :count] = rng.dirichlet(np.ones(count))
    return mass


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(2, 6), min_size=1, max_size=4))
def test_variance_divides_as_defined(seed, bins):
    """Of a tree that has every combination of codes as a leaf, whatever order it splits in."""
    rng = np.random.default_rng(seed)
    points = list(product(*(range(count) for count in bins)))
    rng.shuffle(points)
    n = len(points)
    codes = np.ascontiguousarray(np.array(points, np.uint8).T)
    # Far enough apart that every split is worth making.
    target = rng.permutation(n) + 0.5 * rng.random(n)
    mass = masses(rng, bins)
    pairs = np.array(list(combinations(range(len(bins)), 2)), np.int32).reshape(-1, 2)
    rows = rng.permutation(n)
    predicted, single, joint = np.zeros(n), np.zeros(len(bins)), np.zeros(len(pairs))
    total = divide_variance(codes, target, mass, pairs, rows, predicted, single, joint, min_leaf=1, seed=seed)
    # The rows are ordered anew, not changed.
    assert sorted(rows) == list(range(n))
    np.testing.assert_allclose(predicted, target, atol=1e-12)

    weights = np.array([np.prod([mass[c, code] for c, code in enumerate(point)]) for point in points])
    mean = (weights * target).sum()

    def variance_of(chosen):
        """Of the mean over all other columns."""
        sums: dict[tuple[int, ...], list[float]] = {}
        for point, weight, value in zip(points, weights, target, strict=True):
            entry = sums.setdefault(tuple(point[c] for c in chosen), [0.0, 0.0])
            entry[0] += weight
            entry[1] += weight * value
        return sum(weight * (part / weight - mean) ** 2 for weight, part in sums.values())

    assert total == pytest.approx((weights * (target - mean) ** 2).sum(), abs=1e-9)
    alone = [variance_of([c]) for c in range(len(bins))]
    np.testing.assert_allclose(single, alone, atol=1e-9)
    both = [max(0.0, variance_of([a, b]) - alone[a] - alone[b]) for a, b in pairs.tolist()]
    np.testing.assert_allclose(joint, both, atol=1e-9)


def plain_tree(codes, target, rows, min_leaf):
    """The tree of one column, as a function of the code."""
    value = float(np.mean(target[rows]))
    best, at = target[rows].sum() ** 2 / len(rows) + 1e-9, None
    for low, high in pairwise(sorted({int(codes[row]) for row in rows})):
        left = [row for row in rows if codes[row] <= low]
        right = [row for row in rows if codes[row] > low]
        gain = target[left].sum() ** 2 / len(left) + target[right].sum() ** 2 / len(right)
        if min(len(left), len(right)) >= min_leaf and gain > best:
            best, at = gain, (low + high + 1) // 2
    if at is None:
        return lambda code: value
    below = plain_tree(codes, target, [row for row in rows if codes[row] < at], min_leaf)
    above = plain_tree(codes, target, [row for row in rows if codes[row] >= at], min_leaf)
    return lambda code: below(code) if code < at else above(code)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(2, 12), st.integers(1, 5))
def test_a_tree_splits_where_most_variance_goes(seed, n, bins, min_leaf):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins, (1, n)).astype(np.uint8)
    target = rng.normal(size=n)
    mass = masses(rng, [bins])
    rows = rng.integers(0, n, n)
    expected = plain_tree(codes[0], target, list(rows), min_leaf)
    predicted, single = np.zeros(n), np.zeros(1)
    none = np.zeros((0, 2), np.int32), np.zeros(0)
    total = divide_variance(
        codes, target, mass, none[0], rows, predicted, single, none[1], min_leaf=min_leaf, seed=1
    )
    np.testing.assert_allclose(predicted, [expected(code) for code in codes[0]], atol=1e-9)
    # One column explains all.
    assert single[0] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("change", ["row", "code", "column", "size", "leaf"])
def test_wrong_arrays_are_refused(change):
    codes = np.zeros((2, 4), np.uint8)
    target, mass = np.arange(4.0), np.zeros((2, MAX_BINS))
    pairs, rows = np.array([[0, 1]], np.int32), np.arange(4)
    out = np.zeros(4), np.zeros(2), np.zeros(1)
    if change == "row":
        rows[0] = 4
    elif change == "code":
        codes[1, 2] = MAX_BINS
    elif change == "column":
        pairs[0, 1] = 2
    elif change == "size":
        target = target[:3]
    with pytest.raises(ValueError, match=r"unequal|not there|too large|nothing"):
        divide_variance(codes, target, mass, pairs, rows, *out, min_leaf=0 if change == "leaf" else 1, seed=1)
