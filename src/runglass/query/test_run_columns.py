"""Numbers of the run table, where steps repeat, go back or never come."""

from __future__ import annotations

import math

import pytest

from runglass.query.run_columns import run_value
from runglass.query.source import RunColumn
from runglass.query.test_lines import series

UNSORTED = series([0, 4, 2, 4, 3], [10, 40, 20, 41, 30])
ODD = series([0, 1, 2, 3], [math.nan, 5, math.inf, 5])


@pytest.mark.parametrize(
    ("stat", "expected"),
    [("last", 30), ("first", 10), ("min", 10), ("max", 41), ("mean", 28.2), ("count", 5)],
)
def test_statistics(stat, expected):
    assert run_value(RunColumn("a", stat), UNSORTED, None) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("step", "expected"), [(-1, None), (0, 10), (1, 10), (2, 20), (3, 30), (4, 41), (2**63 - 1, 41)]
)
def test_at_a_step_the_last_value_at_the_highest_step_so_far_counts(step, expected):
    assert run_value(RunColumn("a", "at_step", step=step), UNSORTED, None) == expected


@pytest.mark.parametrize(("best", "expected"), [("min", 5), ("max", 5)])
def test_best_is_the_first_finite_extreme(best, expected):
    column = RunColumn("a", "at_best", best_tag="b", best=best)
    assert run_value(column, ODD, ODD) == expected
    assert run_value(column, series([0, 1], [7, 8]), ODD) == 8
    assert run_value(column, series([2], [7]), ODD) is None
    assert run_value(column, ODD, series([0], [math.nan])) is None
    assert run_value(column, ODD, None) is None


def test_nothing_finite():
    empty, never = series([], []), series([0], [math.nan])
    for stat in ("min", "max", "mean"):
        assert run_value(RunColumn("a", stat), never, None) is None
    for stat in ("first", "last", "min", "mean", "at_step", "at_best"):
        assert run_value(RunColumn("a", stat), empty, empty) is None
    assert run_value(RunColumn("a", "count"), empty, None) == 0
    assert math.isnan(run_value(RunColumn("a", "last"), never, None))
