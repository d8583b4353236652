"""Forces and steps of t-SNE and UMAP beside plain Python that is written from their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native import layouts, tsne
from runglass.reductions.graph import join_edges
from runglass.reductions.umap import fit_curve, make_tables

FLAG = np.zeros(1, np.uint8)
EVERY_EPOCH = 2**32 - 1


def neighbours(rng, n, count):
    near = np.array([rng.choice(np.delete(np.arange(n), row), count, replace=False) for row in range(n)])
    return near.astype(np.int32), rng.uniform(0.05, 1, (n, count)).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 40), st.booleans())
def test_edges_of_both_directions_are_joined(seed, n, union):
    near, weights = neighbours(np.random.default_rng(seed), n, min(n - 1, 4))
    dense = np.zeros((n, n))
    np.put_along_axis(dense, near.astype(np.int64), weights, axis=1)
    wanted = dense + dense.T - (dense * dense.T if union else 0)
    edges = join_edges(near, weights, union=union)
    found = np.zeros((n, n))
    for row in range(n):
        others = edges.others[edges.starts[row] : edges.starts[row + 1]]
        assert (np.diff(others) > 0).all()
        found[row, others] = edges.weights[edges.starts[row] : edges.starts[row + 1]]
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def exact_repulsion(positions):
    forces = np.zeros(positions.shape)
    total = 0.0
    for i in range(len(positions)):
        for j in range(len(positions)):
            if i != j:
                away = positions[i].astype(np.float64) - positions[j]
                kernel = 1 / (1 + away @ away)
                total += kernel
                forces[i] += kernel**2 * away
    return forces, total


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([2, 3]), st.floats(0.01, 50))
def test_repulsion_without_approximation(seed, n, dimensions, extent):
    positions = (np.random.default_rng(seed).standard_normal((n, dimensions)) * extent).astype(np.float32)
    positions[: n // 3] = positions[0]
    tree = tsne.Tree(n, dimensions)
    tree.build(positions)
    forces = np.full_like(positions, np.nan)
    total = tree.repel(forces, 0, tree.leaf_count, angle=0.0, flag=FLAG)
    wanted, wanted_total = exact_repulsion(positions)
    np.testing.assert_allclose(forces, wanted, atol=1e-4 * max(1, np.abs(wanted).max()))
    assert total == pytest.approx(wanted_total, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_repulsion_by_a_tree_is_near(dimensions):
    positions = (np.random.default_rng(0).standard_normal((3_000, dimensions)) * 15).astype(np.float32)
    tree = tsne.Tree(3_000, dimensions)
    tree.build(positions)
    forces = np.zeros_like(positions)
    parts = [
        tree.repel(forces, start, min(start + 7, tree.leaf_count), angle=0.6, flag=FLAG)
        for start in range(0, tree.leaf_count, 7)
    ]
    exact = np.zeros_like(positions)
    total = tree.repel(exact, 0, tree.leaf_count, angle=0.0, flag=FLAG)
    assert sum(parts) == pytest.approx(total, rel=0.03)
    error = np.linalg.norm(forces - exact, axis=1) / np.linalg.norm(exact, axis=1).mean()
    assert error.mean() < 0.03


def test_a_crowd_in_one_place_does_not_take_forever():
    positions = np.zeros((20_000, 2), np.float32)
    positions[0] = 1e9
    tree = tsne.Tree(len(positions), 2)
    tree.build(positions)
    forces = np.zeros_like(positions)
    assert np.isfinite(tree.repel(forces, 0, tree.leaf_count, angle=0.5, flag=FLAG))
    assert np.isfinite(forces).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.floats(1, 12))
def test_a_step_of_tsne_follows_its_gradient(seed, dimensions, exaggeration):
    rng = np.random.default_rng(seed)
    n = 12
    near, weights = neighbours(rng, n, 3)
    edges = join_edges(near, weights / weights.sum() / 2, union=False)
    before = rng.standard_normal((n, dimensions)).astype(np.float32)
    forces, total = exact_repulsion(before)
    gains = rng.uniform(0.01, 2, before.shape).astype(np.float32)
    speeds = rng.standard_normal(before.shape).astype(np.float32) * np.float32(0.1)
    gradient = -forces / total
    for i in range(n):
        for place in range(edges.starts[i], edges.starts[i + 1]):
            away = before[i].astype(np.float64) - before[edges.others[place]]
            gradient[i] += exaggeration * edges.weights[place] * away / (1 + away @ away)
    wanted_gains = np.where((gradient > 0) != (speeds > 0), gains + 0.2, np.maximum(gains * 0.8, 0.01))
    wanted_speeds = 0.8 * speeds - 5.0 * wanted_gains * gradient
    lengths = np.linalg.norm(wanted_speeds, axis=1, keepdims=True)
    wanted_speeds *= np.minimum(1, 2.0 / np.maximum(lengths, 1e-9))
    after = np.zeros_like(before)
    options = {"exaggeration": exaggeration, "rate": 5.0, "momentum": 0.8, "limit": 2.0, "kernel_sum": total}
    squares = sum(
        tsne.step(
            *(
                edges.starts,
                edges.others,
                edges.weights,
                before,
                forces.astype(np.float32),
                gains,
                speeds,
                after,
            ),
            *each,
            **options,
        )
        for each in ((0, 5), (5, n))
    )
    assert squares == pytest.approx((gradient**2).sum(), rel=1e-3)
    np.testing.assert_allclose(gains, wanted_gains, atol=1e-4)
    np.testing.assert_allclose(after, before + wanted_speeds, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 30), st.floats(1.5, 12))
def test_likeness_has_the_perplexity(seed, count, perplexity):
    squares = np.sort(np.random.default_rng(seed).uniform(0.1, 9, (5, count))).astype(np.float32)
    shares = np.zeros_like(squares)
    layouts.likeness(squares, shares, min(perplexity, count * 0.8), 0, 5)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-4)
    entropy = -(shares * np.log(np.maximum(shares, 1e-30))).sum(axis=1)
    np.testing.assert_allclose(np.exp(entropy), min(perplexity, count * 0.8), rtol=5e-3)
    assert (np.diff(shares, axis=1) <= 1e-7).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 30))
def test_memberships_sum_up(seed, count):
    distances = np.sort(np.random.default_rng(seed).uniform(0.1, 9, (5, count))).astype(np.float32)
    weights = np.zeros_like(distances)
    target = float(np.log2(count + 1))
    layouts.membership(distances, weights, target, 0, 5)
    np.testing.assert_allclose(weights[:, 0], 1)
    np.testing.assert_allclose(weights.sum(axis=1), target, atol=1e-2)
    np.testing.assert_allclose(
        np.log(weights[:, 1:] / weights[:, -1:]) * (distances[:, -1:] - distances[:, :1]),
        -np.log(weights[:, -1:]) * (distances[:, -1:] - distances[:, 1:]),
        atol=0.05,
    )


def test_the_curve_is_that_of_the_paper():
    # From the reference implementation's documentation: min_dist 0.1 and spread 1.
    assert fit_curve(1.0, 0.1) == pytest.approx((1.577, 0.895), abs=2e-3)
    assert fit_curve(1.0, 0.001) == pytest.approx((1.929, 0.791), abs=4e-3)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_an_epoch_of_umap_moves_along_its_edges(dimensions):
    a, b = fit_curve(1.0, 0.1)
    attraction, repulsion = make_tables(a, b)
    rng = np.random.default_rng(4)
    n, epoch = 9, 6
    near, weights = neighbours(rng, n, 2)
    edges = join_edges(near, weights, union=True)
    rates = (edges.weights.astype(np.float64) * EVERY_EPOCH).astype(np.uint32)
    before = rng.standard_normal((n, dimensions)).astype(np.float32)
    after = np.zeros_like(before)
    options = {"epoch": epoch, "pace": 0.4, "samples": 0, "seed": 1}
    arrays = (edges.starts, edges.others, rates, attraction, repulsion, before)
    layouts.move_points(*arrays, after, 0, n, **options)
    wanted = before.astype(np.float64)
    for i in range(n):
        for place in range(edges.starts[i], edges.starts[i + 1]):
            share = edges.weights[place]
            if int(share * (epoch + 1)) == int(share * epoch):
                continue
            for _ in range(2):
                away = wanted[i] - before[edges.others[place]]
                square = away @ away
                force = -2 * a * b * square ** (b - 1) / (1 + a * square**b)
                wanted[i] += 0.4 * np.clip(force * away, -4, 4)
    np.testing.assert_allclose(after, wanted, atol=0.03)

    # Random points push away, the same ones in any range.
    options = {"epoch": epoch, "pace": 0.4, "samples": 5, "seed": 1}
    whole, parts = np.zeros_like(before), np.zeros_like(before)
    layouts.move_points(*arrays, whole, 0, n, **options)
    layouts.move_points(*arrays, parts, 4, n, **options)
    layouts.move_points(*arrays, parts, 0, 4, **options)
    np.testing.assert_array_equal(whole, parts)
    assert not np.array_equal(whole, after)


def test_tables_have_the_forces():
    a, b = fit_curve(1.0, 0.1)
    attraction, repulsion = make_tables(a, b)
    for square in (1e-6, 0.01, 0.3, 1.0, 7.0, 400.0):
        place = int(np.array([square], np.float32).view(np.uint32)[0] >> 16)
        assert attraction[place] == pytest.approx(
            -2 * a * b * square ** (b - 1) / (1 + a * square**b), rel=0.01
        )
        assert repulsion[place] == pytest.approx(2 * b / ((0.001 + square) * (1 + a * square**b)), rel=0.01)
    assert np.isfinite(attraction).all()
    assert np.isfinite(repulsion).all()
