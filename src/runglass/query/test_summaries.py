"""Summaries name the steps of what they found, and say None where there was nothing."""

from __future__ import annotations

import math

import numpy as np

from runglass.query.source import Summary
from runglass.query.summaries import make_summary
from runglass.query.test_lines import series


def test_everything_a_summary_says():
    columns = series(
        [2**53 + 1, 3, 4, 5, 6, 7], [math.nan, 2, math.inf, -1, -math.inf, 2], wall_time=np.arange(6) + 0.5
    )
    found = make_summary(columns)
    assert math.isnan(found.first)
    assert found == Summary(
        key=columns.key,
        count=6,
        first=found.first,
        last=2.0,
        first_step=2**53 + 1,
        last_step=7,
        last_wall_time=5.5,
        min=-1.0,
        min_step=5,
        max=2.0,
        max_step=3,
        mean=1.0,
        nan_count=1,
        nan_first_step=2**53 + 1,
        pos_inf_count=1,
        pos_inf_first_step=4,
        neg_inf_count=1,
        neg_inf_first_step=6,
    )
    assert {type(found.first_step), type(found.min_step), type(found.nan_first_step)} == {int}


def test_an_empty_series_has_no_statistics():
    found = make_summary(series([], []))
    assert (found.count, found.nan_count, found.pos_inf_count, found.neg_inf_count) == (0, 0, 0, 0)
    assert {found.first, found.last_step, found.last_wall_time, found.min, found.max_step, found.mean} == {
        None
    }


def test_a_mean_is_finite_where_the_sum_is_not():
    assert make_summary(series([0, 1], [1.5e308, 1.5e308], dtype=np.float64)).mean == 1.5e308
