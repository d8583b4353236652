"""Importance against functions whose answer is known, and what it refuses."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from runglass.query.hparams.columns import make_columns
from runglass.query.hparams.importance import TREES, measure_importance
from runglass.query.hparams.model import Session


def columns_of(rows):
    sessions = [
        Session(str(i), (str(i),), (), {name: value for name, value in row.items() if value is not None}, {}, "", None, ())
        for i, row in enumerate(rows)
    ]  # fmt: skip
    return make_columns(sessions, [])


def uniform(n, count, seed=0):
    return np.random.default_rng(seed).random((n, count))


def numbers(points):
    return [{f"x{i}": float(value) for i, value in enumerate(row)} for row in points]


def measure(rows, target, **more):
    return measure_importance(columns_of(rows), [float(value) for value in target], goal="min", **more)


def shares(found):
    return {tuple(sorted(row.names)): row.share for row in found.rows}


def test_a_sum_divides_as_the_squares_of_its_factors():
    points = uniform(600, 6)
    found = measure(numbers(points), 4 * points[:, 0] + 2 * points[:, 1] + points[:, 2])
    told = shares(found)
    assert [row.names for row in found.rows[:3]] == [["x0"], ["x1"], ["x2"]]
    # Exactly 16/21, 4/21, 1/21. Trees are steps, so that some of it becomes an interaction.
    assert told["x0",] == pytest.approx(16 / 21, abs=0.05)
    assert told["x1",] == pytest.approx(4 / 21, abs=0.05)
    assert told["x2",] == pytest.approx(1 / 21, abs=0.05)
    assert all(told[f"x{i}",] < 0.01 for i in (3, 4, 5))
    assert found.r2 is not None
    assert found.r2 > 0.95
    assert [row.names[0] for row in found.rows if row.distinguishable and len(row.names) == 1] == [
        "x0",
        "x1",
        "x2",
    ]
    assert all(row.low <= row.share <= row.high for row in found.rows)
    assert sum(row.share for row in found.rows) <= 1 + 1e-9
    assert (found.n, found.trees, found.method, found.refused) == (600, TREES, "fanova", None)


def test_a_product_is_an_interaction_alone():
    points = uniform(600, 4)
    found = measure(numbers(points), (points[:, 0] - 0.5) * (points[:, 1] - 0.5))
    assert sorted(found.rows[0].names) == ["x0", "x1"]
    assert found.rows[0].share > 0.75


def test_the_ishigami_function():
    points = uniform(1000, 4)
    u = (2 * points - 1) * np.pi
    target = np.sin(u[:, 0]) + 7 * np.sin(u[:, 1]) ** 2 + 0.1 * u[:, 2] ** 4 * np.sin(u[:, 0])
    told = shares(measure(numbers(points), target))
    # Exactly 0.314, 0.442 and 0.244.
    assert told["x0",] == pytest.approx(0.314, abs=0.06)
    assert told["x1",] == pytest.approx(0.442, abs=0.14)
    assert told["x0", "x2"] == pytest.approx(0.244, abs=0.06)
    assert told["x2",] < 0.03


def test_a_logarithm_of_a_setting_changes_nothing():
    points = uniform(300, 3)
    target = (points[:, 0] - 0.4) ** 2 + 0.1 * points[:, 1]
    plain = measure(numbers(points), target)
    logs = [{**row, "x0": 10 ** (-5 * row["x0"])} for row in numbers(points)]
    # In the opposite order, so the trees differ by the side of ties.
    assert shares(measure(logs, target))["x0",] == pytest.approx(shares(plain)["x0",], abs=0.02)


def test_categories_bools_and_missing_values():
    rng = np.random.default_rng(3)
    effects = {"adam": 0.0, "sgd": 2.0, "lion": -1.0, None: 5.0}
    rows = [
        {
            "opt": str(rng.choice(["adam", "sgd", "lion"])) if rng.random() < 0.75 else None,
            "ema": bool(rng.random() < 0.5),
            "noise": float(rng.random()),
            "name": f"run {i}",
        }
        for i in range(400)
    ]
    found = measure(rows, [effects[row["opt"]] + 0.5 * row["ema"] for row in rows])
    assert [row.names for row in found.rows[:2]] == [["opt"], ["ema"]]
    assert found.rows[0].share > 0.9
    assert found.rows[0].n == sum(row["opt"] is not None for row in rows)
    assert all("name" not in row.names for row in found.rows)


def test_noise_is_not_told_apart_from_chance():
    for seed in range(3):
        points = uniform(60, 8, seed)
        found = measure(numbers(points), np.random.default_rng(seed + 100).random(60))
        assert found.r2 is not None
        assert found.r2 < 0.1
        assert not any(row.distinguishable for row in found.rows)
        assert "next to nothing" in found.trust


def test_copies_stand_for_each_other():
    points = uniform(100, 2)
    rows = [{**row, "twice": 2 * row["x0"], "less": -row["x0"]} for row in numbers(points)]
    found = measure(rows, points[:, 0])
    assert found.rows[0].names == ["x0"]
    assert {name for row in found.rows for name in row.names} == {"x0", "x1"}
    assert "twice, less vary exactly as x0" in found.trust


def test_a_run_that_diverged_counts_as_the_worst_of_the_others():
    points = uniform(200, 3)
    target = points[:, 0] + 0.2 * points[:, 1]
    target[7] = 1e30
    found = measure(numbers(points), target)
    assert found.rows[0].names == ["x0"]
    assert "1 run far off" in found.trust


def test_a_first_answer_sees_an_optimum_in_the_middle():
    points = uniform(200, 3)
    first = []
    done = []
    measure(
        numbers(points),
        (points[:, 1] - 0.5) ** 2,
        on_first=first.append,
        on_progress=lambda number, total: done.append((number, total)),
    )
    assert (first[0].method, first[0].r2, first[0].rows[0].names) == ("correlation", None, ["x1"])
    assert first[0].rows[0].share > 0.8
    assert done == [(number + 1, TREES) for number in range(TREES)]


def test_the_same_seed_gives_the_same_answer():
    points = uniform(50, 3)
    target = points[:, 0]
    assert measure(numbers(points), target, seed=1) == measure(numbers(points), target, seed=1)
    assert measure(numbers(points), target, seed=1) != measure(numbers(points), target, seed=2)


@pytest.mark.parametrize(
    ("rows", "target", "reason"),
    [
        (numbers(uniform(7, 2)), range(7), "7 runs with a value of this metric; at least 8"),
        (numbers(uniform(9, 2)), [nan, inf, *range(7)], "7 runs with a value"),
        ([], [], "0 runs with a value"),
        (numbers(uniform(20, 2)), [1.0] * 20, "same value in all runs"),
        ([{"x": 1.0}] * 20, range(20), "No hyperparameter differs"),
        ([{"x": f"run {i}"} for i in range(20)], range(20), "No hyperparameter differs"),
        ([{}] * 20, range(20), "No hyperparameter differs"),
    ],
)
def test_refusals(rows, target, reason):
    found = measure(rows, target)
    assert found.refused is not None
    assert reason in found.refused
    assert found.rows == []


def test_many_values_and_many_hyperparameters():
    points = uniform(90, 200)
    found = measure(numbers(points), 3 * points[:, 150] + points[:, 20])
    assert found.rows[0].names == ["x150"]
    assert "that correlate least are left out" in found.trust
