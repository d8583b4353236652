"""What a line is made of: axes, joins, smoothing per attempt, range and reduction."""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest
from msgspec.structs import replace

from runglass.native import reduce, smooth
from runglass.query import lines
from runglass.query.bands import make_band
from runglass.query.lines import make_earlier_lines, make_line
from runglass.query.source import BandQuery, Columns, LineQuery, Smoothing
from runglass.store.model import SeriesKey


def series(step, value, wall_time=None, segment=None, dtype=np.float32):
    step = np.array(step, dtype=np.int64)
    return Columns(
        key=SeriesKey("run", "loss"),
        generation=7,
        offset=0,
        step=step,
        wall_time=np.array(step if wall_time is None else wall_time, dtype=np.float64),
        value=np.array(value, dtype=dtype),
        segment=np.zeros(len(step), np.int32) if segment is None else np.array(segment, dtype=np.int32),
    )


def test_a_plain_line_is_the_series_itself():
    columns = series([0, 5, 9], [1, 2, 3])
    line = make_line(columns, LineQuery())
    assert (line.key, line.generation, line.total, line.kept) == (columns.key, 7, 3, None)
    assert line.x.tolist() == [0.0, 5.0, 9.0]
    assert line.y is columns.value


def test_an_empty_series_gives_an_empty_line():
    for query in (
        LineQuery(),
        LineQuery(x="relative", width=10, x_range=(0.0, 1.0), smoothing=Smoothing("ema", 0.5)),
    ):
        line = make_line(series([], []), query)
        assert (line.total, len(line.x), len(line.y), line.kept) == (0, 0, 0, None)


def test_time_axes():
    columns = series([0, 1, 2], [1, 2, 3], wall_time=[100.5, 101.0, 103.0])
    assert make_line(columns, LineQuery(x="wall")).x.tolist() == [100.5, 101.0, 103.0]
    assert make_line(columns, LineQuery(x="relative")).x.tolist() == [0.0, 0.5, 2.5]


def test_relative_time_starts_at_the_first_finite_time_and_leaves_the_rest_out():
    columns = series([0, 1, 2, 3], [1, 2, 3, 4], wall_time=[math.nan, 10.0, math.inf, 12.0])
    line = make_line(columns, LineQuery(x="relative"))
    assert (line.x.tolist(), line.y.tolist(), line.total) == ([0.0, 2.0], [2.0, 4.0], 2)
    never = series([0, 1], [1, 2], wall_time=[math.nan, math.nan])
    assert make_line(never, LineQuery(x="relative")).total == 0


def test_another_scalar_as_axis_is_joined_on_step():
    columns = series([1, 2, 3, 5, 9], [10, 20, 30, 50, 90])
    epochs = series([2, 1, 3, 2, 9], [0.1, 0.2, 0.3, 0.4, math.nan], dtype=np.float64)
    line = make_line(columns, LineQuery(x="epoch"), x_columns=epochs)
    assert line.x.tolist() == [0.2, 0.4, 0.3]
    assert line.y.tolist() == [10.0, 20.0, 30.0]
    assert line.total == 3


def test_equal_repeated_steps_join_to_the_last_value():
    columns = series([1, 1, 2], [10, 11, 20])
    epochs = series([1, 1, 2], [0.0, 1.0, 2.0])
    assert make_line(columns, LineQuery(x="epoch"), x_columns=epochs).x.tolist() == [1.0, 1.0, 2.0]


def test_without_the_other_scalar_there_is_no_line():
    line = make_line(series([1, 2], [1, 2]), LineQuery(x="epoch"))
    assert (line.total, len(line.x), len(line.y)) == (0, 0, 0)


def test_smoothing_does_not_depend_on_the_axis_or_the_range():
    columns = series(range(20), np.arange(20.0) ** 2)
    smoothing = Smoothing("ema", 0.8)
    whole = make_line(columns, LineQuery(smoothing=smoothing))
    part = make_line(columns, LineQuery(smoothing=smoothing, x_range=(10.0, 12.0)))
    assert part.x.tolist() == [9.0, 10.0, 11.0, 12.0, 13.0]
    assert part.y.tolist() == whole.y[9:14].tolist()
    assert part.total == 3
    sparse = series(range(0, 20, 2), range(0, 20, 2))
    joined = make_line(columns, LineQuery(x="epoch", smoothing=smoothing), x_columns=sparse)
    assert joined.y.tolist() == whole.y[::2].tolist()


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        (Smoothing("ema", 0.5), lambda x, y: smooth.ema(y, 0.5)),
        (Smoothing("time_ema", 2.0), lambda x, y: smooth.time_ema(x, y, 2.0)),
        (Smoothing("gaussian", 1.5), lambda x, y: smooth.gaussian(y, 1.5)),
        (Smoothing("median", 3.0), lambda x, y: smooth.running_median(y, 3)),
        (Smoothing("median", math.inf), lambda x, y: smooth.running_median(y, 17)),
    ],
)
def test_every_attempt_is_smoothed_on_its_own(smoothing, expected):
    step = [0, 1, 2, 3, 2, 3, 4, 5]
    columns = series(step, [5, 1, 4, 2, 9, 7, 8, 6], segment=[0] * 4 + [3] * 4, dtype=np.float64)
    line = make_line(columns, LineQuery(smoothing=smoothing, attempts="all"))
    x, y = np.array(step, dtype=np.float64), columns.value
    parts = [expected(x[:4], y[:4]), expected(x[4:], y[4:])]
    assert line.y.tolist() == np.concatenate(parts).tolist()
    joint = make_line(columns, LineQuery(smoothing=smoothing, attempts="latest"))
    assert joint.y.tolist() == expected(x, y).tolist()


@pytest.mark.parametrize("kind", ["ema", "time_ema", "gaussian", "median"])
@pytest.mark.parametrize("amount", [math.nan, -math.inf, -1.0, 0.0])
def test_an_amount_of_zero_does_not_smooth(kind, amount):
    line = make_line(series([0, 1, 2], [5, 1, 4]), LineQuery(smoothing=Smoothing(kind, amount)))
    assert line.y.tolist() == [5.0, 1.0, 4.0]


def test_values_keep_the_precision_of_their_source():
    smoothed = LineQuery(smoothing=Smoothing("ema", 0.5))
    assert make_line(series([0, 1], [1, 2]), smoothed).y.dtype == np.float32
    assert make_line(series([0, 1], [1, 2], dtype=np.float64), smoothed).y.dtype == np.float64
    largest = np.finfo(np.float32).max
    line = make_line(series([0, 1, 2], [largest, largest, -largest]), smoothed)
    assert np.isfinite(line.y).all()


def test_reduction_works_on_the_smoothed_values():
    rng = np.random.default_rng(0)
    columns = series(range(1000), rng.normal(size=1000))
    line = make_line(columns, LineQuery(width=20, smoothing=Smoothing("ema", 0.9)))
    smoothed = smooth.ema(columns.value, 0.9)
    assert line.kept.tolist() == reduce.reduce_columns(np.arange(1000.0), smoothed, None, None, 20).tolist()
    assert line.y.tolist() == smoothed[line.kept].astype(np.float32).tolist()
    assert (line.total, len(line.x)) == (1000, 1000)


def test_a_line_with_few_points_per_pixel_is_not_reduced():
    columns = series(range(60), range(60))
    assert make_line(columns, LineQuery(width=15)).kept is None
    assert len(make_line(columns, LineQuery(width=14)).kept) < 60


def test_the_range_counts_only_points_inside_and_keeps_those_next_to_it():
    columns = series(range(1000), range(1000))
    line = make_line(columns, LineQuery(width=10, x_range=(100.0, 199.0)))
    assert line.total == 100
    assert (line.x[0], line.x[-1], len(line.x)) == (99.0, 200.0, 102)
    assert (line.kept[0], line.kept[-1]) == (0, 101)
    between = make_line(columns, LineQuery(width=10, x_range=(10.25, 10.75)))
    assert (between.total, between.x.tolist()) == (0, [10.0, 11.0])


def test_the_range_of_a_line_that_goes_back_keeps_where_it_enters_and_leaves():
    step = [*range(10), *range(4, 14)]
    columns = series(step, range(20))
    line = make_line(columns, LineQuery(x_range=(5.0, 7.0)))
    assert line.x.tolist() == [4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8]
    assert line.total == 6


def test_series_that_share_their_steps_share_x_and_nothing_is_kept_alive():
    first = series(range(5), range(5))
    second = Columns(first.key, 8, 0, first.step, first.wall_time, first.value, first.segment)
    x = make_line(first, LineQuery()).x
    assert make_line(second, LineQuery()).x is x
    known = lines._x_of_steps[id(first.step)]
    del x
    gc.collect()
    assert known[1]() is None


def test_steps_beyond_what_a_double_counts_still_draw():
    step = [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 2**63 - 1]
    line = make_line(series(step, [1, 2, 3, 4, 5]), LineQuery(width=1))
    assert line.kept.tolist() == [0, 4]
    assert line.x[-1] == 2.0**63


def test_signalling_nans_and_overflowing_times_pass_without_a_warning():
    value = np.array([0x3F800000, 0x7FA00000, 0x40000000], dtype=np.uint32).view(np.float32)
    columns = replace(series([0, 1, 2], [0, 0, 0], wall_time=[-1.7e308, 0, 1.7e308]), value=value)
    for kind in ("none", "ema", "time_ema", "gaussian", "median"):
        for x in ("step", "relative", "other"):
            line = make_line(columns, LineQuery(x=x, smoothing=Smoothing(kind, 0.5)), x_columns=columns)
            assert line.total == {"step": 3, "relative": 2, "other": 2}[x]
        band = make_band([(columns, None)], BandQuery(smoothing=Smoothing(kind, 0.5)))
        assert band.count.tolist() == [1, 0, 1]


def test_on_a_log_axis_every_decade_keeps_its_shape():
    rng = np.random.default_rng(0)
    columns = series(range(100_000), rng.normal(size=100_000))
    linear = make_line(columns, LineQuery(width=50))
    line = make_line(columns, LineQuery(width=50, x_scale="log"))
    x = line.x[line.kept]
    assert line.total == 99_999
    assert (x[0], x[-1]) == (1.0, 99_999.0)
    assert len(x) <= 4 * 50
    for low, high in ((1, 10), (10, 100), (100, 1000), (1000, 10_000)):
        assert ((x >= low) & (x <= high)).sum() >= 8
    assert (linear.x[linear.kept] < 1000).sum() <= 4
    highest = columns.value.argmax()
    assert highest in x


@pytest.mark.parametrize("scale", ["log", "symlog"])
def test_reduction_on_an_axis_keeps_the_extremes_of_every_pixel_column(scale):
    rng = np.random.default_rng(1)
    step = np.arange(-3000, 3000)
    columns = series(step, rng.normal(size=6000))
    line = make_line(columns, LineQuery(width=30, x_scale=scale))
    x = step[step > 0] if scale == "log" else step
    y = columns.value[step > 0] if scale == "log" else columns.value
    place = np.log(x) if scale == "log" else np.sign(x) * np.log1p(np.abs(x))
    pixel = np.minimum((place - place[0]) / (place[-1] - place[0]) * 30, 29).astype(int)
    kept = set(line.x[line.kept].tolist())
    for each in np.unique(pixel):
        inside = np.flatnonzero(pixel == each)
        ends = {x[inside[0]], x[inside[-1]], x[inside[y[inside].argmin()]], x[inside[y[inside].argmax()]]}
        assert ends <= kept


@pytest.mark.parametrize(
    "x_range", [None, (-5.0, 0.0), (-5.0, 3.0), (0.0, 1e6), (2.5, 2.75), (-math.inf, math.inf)]
)
@pytest.mark.parametrize("scale", ["linear", "log", "symlog"])
@pytest.mark.parametrize("width", [None, 1, 3])
def test_a_log_axis_leaves_out_what_is_not_above_zero(x_range, scale, width):
    step = [-(2**63), -7, 0, 1, 2, 3, 0, 5, 2**63 - 1]
    columns = series(step, range(9))
    line = make_line(columns, LineQuery(x_range=x_range, x_scale=scale, width=width))
    drawn = line.x if line.kept is None else line.x[line.kept]
    assert len(drawn) == len(line.y)
    lo, hi = x_range or (-math.inf, math.inf)
    assert line.total == sum(lo <= each <= hi and (each > 0 or scale != "log") for each in step)
    if scale == "log":
        assert (line.x > 0).all()


def test_overwritten_points_are_a_line_per_attempt():
    step = [0, 1, 2, 3, 2, 3, 4, 3, 4]
    columns = replace(
        series(step, range(9), segment=[0] * 4 + [1] * 3 + [2] * 2, dtype=np.float64),
        overwritten=np.array([0, 0, 1, 1, 0, 1, 1, 0, 0], bool),
    )
    query = LineQuery(smoothing=Smoothing("ema", 0.5))
    first, second = make_earlier_lines(columns, query)
    assert (first.x.tolist(), second.x.tolist()) == ([2, 3], [3, 4])
    assert first.y.tolist() == smooth.ema(columns.value[:4], 0.5)[2:].tolist()
    assert second.y.tolist() == smooth.ema(columns.value[4:7], 0.5)[1:].tolist()
    assert [line.total for line in (first, second)] == [2, 2]
    relative = list(make_earlier_lines(columns, LineQuery(x="relative")))
    assert relative[1].x.tolist() == [3, 4]
    assert list(make_earlier_lines(series(step, step), query)) == []
