"""A pyramid knows of any rows what a plain loop over them finds, however the rows arrived."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.pyramid import Pyramid
from runglass.native.statistics import summarize

ODD = [math.nan, math.inf, -math.inf]


@st.composite
def series(draw):
    """Thousands of rows, so that there are several levels: with ties, odd values, and steps and times that may fall."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([0, 1, 255, 256, 257, 4095, 4096, 4097, 9000]))
    value = rng.normal(size=n) if draw(st.booleans()) else rng.integers(-2, 3, size=n).astype(float)
    for odd in ODD:
        value[rng.random(n) < draw(st.sampled_from([0, 0, 0.001, 0.3, 1]))] = odd
    if draw(st.booleans()):
        value[:] = value[:1]
    step = np.cumsum(rng.integers(0, 3, size=n))
    wall_time = 1.7e9 + np.cumsum(rng.random(n))
    if n and draw(st.booleans()):
        step[rng.integers(n)] -= 5
        wall_time[rng.integers(n)] = draw(st.sampled_from([*ODD, 0.0]))
    return step, wall_time, value.astype(draw(st.sampled_from([np.float32, np.float64])))


def plain_extremes(value, begin, end):
    rows = range(begin, end)
    finite = [row for row in rows if math.isfinite(value[row])]
    odd = [
        next((row for row in rows if is_kind(value[row])), -1)
        for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf)
    ]
    if not finite:
        return (-1, -1, -1, -1, *odd)
    lowest, highest = min(finite, key=value.__getitem__), max(finite, key=value.__getitem__)
    return (finite[0], finite[-1], lowest, highest, *odd)


def same(a, b):
    return np.array_equal(np.array(a, dtype=float), np.array(b, dtype=float), equal_nan=True)


def check(pyramid, rows, ranges):
    step, wall_time, value = rows
    n = len(value)
    assert pyramid.count == n
    assert pyramid.steps_rise == bool((step[1:] >= step[:-1]).all())
    assert pyramid.times_rise == bool(
        np.isfinite(wall_time).all() and (wall_time[1:] >= wall_time[:-1]).all()
    )
    assert pyramid.is_constant == bool((value == value[:1]).all())
    found = pyramid.summarize(value)
    assert found is not None
    assert same(found, summarize(value))
    plain = value.tolist()
    for begin, end in [(0, n), *ranges]:
        begin, end = min(begin, n), min(end, n)
        assert pyramid.find_extremes(value, begin, end) == plain_extremes(plain, begin, end)


row = st.integers(0, 9000)
ranges = st.lists(st.tuples(row, row).map(lambda two: tuple(sorted(two))), max_size=3)


@settings(max_examples=60, deadline=None)
@given(series(), st.lists(row, max_size=5), ranges)
def test_rows_may_arrive_in_any_portions(rows, portions, asked):
    step, wall_time, value = rows
    pyramid = Pyramid()
    for end in sorted(portions):
        # Narrow values become wide when a wide one arrives; here and there half of them are still narrow.
        pyramid.update(step[:end], wall_time[:end], value[:end])
    pyramid.update(step, wall_time, value.astype(np.float64))
    check(pyramid, (step, wall_time, value.astype(np.float64)), asked)
    pyramid.update(step[:10], wall_time[:10], value[:10])
    check(pyramid, (step, wall_time, value.astype(np.float64)), asked)


@settings(max_examples=40, deadline=None)
@given(series(), row, ranges)
def test_what_was_written_to_a_file_goes_on_from_there(rows, written, asked):
    step, wall_time, value = rows
    written = min(written, len(value))
    pyramid = Pyramid()
    pyramid.update(step[:written], wall_time[:written], value[:written])
    file = io.BytesIO()
    size = pyramid.dump(file)
    data = file.getvalue()
    assert size == len(data)
    restored = Pyramid.restore(memoryview(data), written)
    assert restored.nbytes == 0
    check(restored, (step[:written], wall_time[:written], value[:written]), asked)
    restored.update(step, wall_time, value)
    check(restored, rows, asked)
    assert file.getvalue() == data
    again = io.BytesIO()
    pyramid.update(step, wall_time, value)
    pyramid.dump(again)
    after = io.BytesIO()
    restored.dump(after)
    assert after.getvalue() == again.getvalue()


def test_a_view_of_fewer_rows_stays_right_while_the_series_grows():
    value = np.random.default_rng(1).normal(size=5000)
    step, wall_time = np.arange(5000), np.arange(5000.0)
    pyramid = Pyramid()
    pyramid.update(step, wall_time, value)
    assert pyramid.find_extremes(value[:700], 3, 700) == plain_extremes(value.tolist(), 3, 700)
    assert pyramid.summarize(value[:700]) is None


def test_a_sum_that_overflows_is_left_to_the_full_pass():
    value = np.full(300, 1.7e308)
    pyramid = Pyramid()
    pyramid.update(np.arange(300), np.arange(300.0), value)
    assert pyramid.summarize(value) is None


def test_what_is_no_pyramid_over_these_rows_is_refused():
    pyramid = Pyramid()
    pyramid.update(np.arange(600), np.arange(600.0), np.zeros(600))
    file = io.BytesIO()
    pyramid.dump(file)
    data = file.getvalue()
    with pytest.raises(ValueError, match="not a pyramid over 601 rows"):
        Pyramid.restore(data, 601)
    with pytest.raises(ValueError, match="not a pyramid"):
        Pyramid.restore(b"x" * len(data), 600)
    with pytest.raises(ValueError, match="expected at least"):
        Pyramid.restore(data[:50], 600)
    for damaged in (data[:-8], data + bytes(8)):
        with pytest.raises(ValueError, match="over 600 rows, expected"):
            Pyramid.restore(damaged, 600)
    with pytest.raises(ValueError, match="not one series"):
        pyramid.update(np.arange(3), np.arange(3.0), np.zeros(4))
    with pytest.raises(IndexError, match="outside a series of 5"):
        pyramid.find_extremes(np.zeros(5), 2, 6)
