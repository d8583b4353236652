"""The nearest point and the statistics of a range, against the rule in plain words."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runglass.native import smooth
from runglass.query.source import AxisQuery, Smoothing
from runglass.query.tables import make_nearest, make_range_summary
from runglass.query.test_lines import series

STEP = AxisQuery()
WALL = AxisQuery(x="wall")


@given(
    times=st.lists(st.sampled_from([-3.0, 0.0, 1.0, 2.0, 4.0, 1e308, -1e308, math.nan, math.inf])),
    at=st.sampled_from([-1e308, -2.0, 0.0, 1.5, 3.0, 1e308]),
    is_sorted=st.booleans(),
)
def test_the_nearest_point_is_the_last_of_the_nearest(times, at, is_sorted):
    times = sorted(times) if is_sorted else times
    found = make_nearest(series(range(len(times)), range(len(times)), wall_time=times), WALL, at)
    known = [(abs(Fraction(x) - Fraction(at)), -x, -row) for row, x in enumerate(times) if math.isfinite(x)]
    if not known:
        assert found is None
        return
    _, x, row = min(known)
    assert (found.step, found.x, found.wall_time) == (-row, -x, -x)


def test_all_fields_of_a_point():
    columns = series([0, 2, 5], [1, 3, 5], wall_time=[10.0, 10.5, 14.0])
    found = make_nearest(columns, AxisQuery(smoothing=Smoothing("ema", 0.5)), 3.0)
    assert (found.key, found.x, found.step) == (columns.key, 2.0, 2)
    assert (found.wall_time, found.relative, found.value) == (10.5, 0.5, 3.0)
    assert found.smoothed == smooth.ema(columns.value, 0.5)[1]
    assert make_nearest(columns, STEP, 3.0).smoothed == 3.0
    assert make_nearest(columns, STEP, 3.5).step == 5
    epochs = series([2, 5], [0.25, 0.5])
    assert make_nearest(columns, AxisQuery(x="epoch"), 0.2, x_columns=epochs).step == 2
    assert make_nearest(columns, AxisQuery(x="epoch"), 0.2) is None


def test_a_range_has_its_ends_and_its_extremes():
    columns = series([0, 1, 2, 3, 4], [9, 1, math.nan, 4, -2])
    summary = make_range_summary(columns, STEP, (1.0, 3.0))
    assert (summary.count, summary.start_step, summary.end_step, summary.smoothed) == (3, 1, 3, None)
    value = summary.value
    assert (value.start, value.end, value.min, value.max, value.mean) == (1, 4, 1, 4, 2.5)
    assert (value.min_step, value.max_step) == (1, 3)


def test_a_range_over_smoothed_values_sees_the_points_before_it():
    columns = series(range(10), np.arange(10.0) ** 2, dtype=np.float64)
    query = AxisQuery(smoothing=Smoothing("ema", 0.9))
    smoothed = smooth.ema(columns.value, 0.9)
    known = make_range_summary(columns, query, (4.0, 6.0)).smoothed
    assert (known.start, known.end, known.max) == (smoothed[4], smoothed[6], smoothed[6])


def test_x_that_goes_back_is_read_from_left_to_right():
    columns = series([5, 1, 3, 1], [50, 10, 30, 11])
    summary = make_range_summary(columns, STEP, (0.0, 4.0))
    assert (summary.count, summary.start_step, summary.end_step) == (3, 1, 3)
    assert (summary.value.start, summary.value.end) == (10, 30)


@pytest.mark.parametrize("x_range", [(10.0, 20.0), (1.25, 1.75), (-math.inf, -1.0)])
def test_a_range_without_points_has_no_statistics(x_range):
    summary = make_range_summary(
        series([0, 1, 2], [1, 2, 3]), AxisQuery(smoothing=Smoothing("ema", 0.5)), x_range
    )
    assert (summary.count, summary.start_step, summary.end_step) == (0, None, None)
    for known in (summary.value, summary.smoothed):
        assert {getattr(known, name) for name in known.__struct_fields__} == {None}


def test_nothing_but_nan_has_ends_and_no_extremes():
    summary = make_range_summary(series([0, 1], [math.nan, math.inf]), STEP, (0.0, 1.0))
    assert math.isnan(summary.value.start)
    assert summary.value.end == math.inf
    assert (summary.value.min, summary.value.max, summary.value.mean) == (None, None, None)
