"""Bands over runs that differ in their steps, lengths and gaps."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from runglass.query import bands
from runglass.query.source import BandQuery, Smoothing
from runglass.query.test_lines import series


def make_band(runs, query, x_columns=None):
    return bands.make_band(list(zip(runs, x_columns or [None] * len(runs), strict=True)), query)


def test_runs_are_interpolated_on_the_union_of_their_steps():
    band = make_band([series([0, 4], [0, 8]), series([2, 4, 6], [10, 20, 30])], BandQuery())
    assert band.x.tolist() == [0, 2, 4, 6]
    assert band.count.tolist() == [1, 2, 2, 1]
    assert band.count.dtype == np.int32
    assert band.center.tolist() == [0, 7, 14, 30]
    assert band.low.tolist() == [0, 4, 8, 30]
    assert band.high.tolist() == [0, 10, 20, 30]


def test_a_run_is_left_out_where_it_logged_nan():
    band = make_band(
        [series([0, 1, 2, 3], [0, math.nan, 4, math.inf]), series([0, 1, 3], [2, 2, math.nan])],
        BandQuery(),
    )
    assert band.x.tolist() == [0, 1, 2, 3]
    assert band.count.tolist() == [2, 1, 1, 0]
    assert band.center[:3].tolist() == [1, 2, 4]
    assert math.isnan(band.center[3])


def test_the_last_of_several_values_at_one_step_counts():
    band = make_band([series([0, 2, 1, 1], [0, 20, 5, 10])], BandQuery())
    assert (band.x.tolist(), band.center.tolist()) == ([0, 1, 2], [0, 10, 20])


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_centers_and_spreads(count):
    numbers = [3.0, 1.0, 4.0, 1.5, 9.0, 2.5][:count]
    runs = [series([0, 1], [n, n], dtype=np.float64) for n in numbers]

    def at_first(center, spread, quantile=0.25):
        band = make_band(runs, BandQuery(center=center, spread=spread, quantile=quantile))
        return band.center[0], band.low[0], band.high[0]

    mean, median = statistics.fmean(numbers), statistics.median(numbers)
    deviation = statistics.stdev(numbers) if count > 1 else 0.0
    assert at_first("mean", "minmax") == pytest.approx((mean, min(numbers), max(numbers)))
    assert at_first("median", "std") == pytest.approx((median, median - deviation, median + deviation))
    error = deviation / math.sqrt(count)
    assert at_first("mean", "stderr") == pytest.approx((mean, mean - error, mean + error))
    low, high = np.quantile(numbers, [0.1, 0.9])
    assert at_first("mean", "quantile", 0.1) == pytest.approx((mean, low, high))


def test_the_range_takes_the_next_x_on_either_side():
    band = make_band([series(range(10), range(10))], BandQuery(x_range=(3.5, 6.0)))
    assert band.x.tolist() == [3, 4, 5, 6, 7]


def test_many_steps_are_sampled_on_pixels_and_extremes_are_not_lost():
    spiky = np.zeros(1000)
    spiky[[123, 777]] = 5, -7
    runs = [series(range(1000), spiky), series(range(0, 2000, 2), np.ones(1000))]
    band = make_band(runs, BandQuery(width=10))
    assert len(band.x) == 10
    assert (band.x[0], band.x[-1]) == (0, 1998)
    assert (band.low.min(), band.high.max()) == (-7, 5)
    assert band.count.tolist() == [2] * 5 + [1] * 5
    part = make_band(runs, BandQuery(width=10, x_range=(100.0, 200.0)))
    assert (len(part.x), part.x[0], part.x[-1], part.high.max()) == (10, 100, 200, 5)


def test_chunks_do_not_change_the_result(monkeypatch):
    rng = np.random.default_rng(0)
    runs = [series(np.sort(rng.integers(0, 300, size=100)), rng.normal(size=100)) for _ in range(4)]
    query = BandQuery(center="median", spread="quantile")
    whole = make_band(runs, query)
    monkeypatch.setattr(bands, "_CELLS", 28)
    pieces = make_band(runs, query)
    for name in ("x", "count", "center", "low", "high"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))


def test_other_axes_and_smoothing():
    columns = series([0, 1, 2, 3], [0, 8, 0, 8], wall_time=[10, 11, 12, 13])
    band = make_band([columns], BandQuery(x="relative", smoothing=Smoothing("median", 3)))
    assert (band.x.tolist(), band.center.tolist()) == ([0, 1, 2, 3], [4, 0, 8, 4])
    epochs = series([1, 3], [0.5, 1.5])
    band = make_band([columns, columns], BandQuery(x="epoch"), [epochs, None])
    assert (band.x.tolist(), band.center.tolist(), band.count.tolist()) == ([0.5, 1.5], [8, 8], [1, 1])


def test_nothing_gives_an_empty_band():
    for runs in ([], [series([], [])], [series([0], [1], wall_time=[math.nan])]):
        band = make_band(runs, BandQuery(x="wall", width=5, spread="quantile"))
        assert [len(a) for a in (band.x, band.count, band.center, band.low, band.high)] == [0] * 5


def test_a_grid_is_even_on_the_axis():
    runs = [series(range(10_000), range(10_000))]
    log = make_band(runs, BandQuery(width=5, x_scale="log"))
    np.testing.assert_allclose(log.x, np.geomspace(1, 9999, 5))
    assert log.count.tolist() == [1] * 5
    symlog = make_band(runs, BandQuery(width=5, x_scale="symlog"))
    np.testing.assert_allclose(np.diff(np.log1p(symlog.x)), np.log(10_000) / 4)
    few = make_band([series([-1, 0, 1, 2], [1, 2, 3, 4])], BandQuery(x_scale="log"))
    assert (few.x.tolist(), few.center.tolist()) == ([1, 2], [3, 4])


@pytest.mark.parametrize("center", ["mean", "median"])
def test_a_bootstrap_interval_is_as_wide_as_theory_says_and_the_same_every_time(center):
    rng = np.random.default_rng(3)
    runs = [series([0, 1], rng.normal(size=2), dtype=np.float64) for _ in range(400)]
    query = BandQuery(center=center, spread="bootstrap")
    band = make_band(runs, query)
    # Standard errors of mean and median of a normal distribution.
    error = 1 / math.sqrt(400) * (1 if center == "mean" else math.sqrt(math.pi / 2))
    np.testing.assert_allclose(band.high - band.low, 2 * 1.96 * error, rtol=0.25)
    assert (band.low < band.center).all()
    assert (band.center < band.high).all()
    again = make_band(list(reversed(runs)), query)
    np.testing.assert_allclose([again.low, again.high], [band.low, band.high], rtol=1e-12)
    narrow = make_band(runs, BandQuery(center=center, spread="bootstrap", confidence=0.5))
    assert (narrow.high - narrow.low < band.high - band.low).all()


@pytest.mark.parametrize("center", ["mean", "median"])
def test_a_bootstrap_of_few_or_no_values(center):
    runs = [series([0, 1, 2], [1, math.nan, 5]), series([0, 1, 2], [1, math.nan, 7]), series([2], [9])]
    band = make_band(runs, BandQuery(center=center, spread="bootstrap"))
    assert band.count.tolist() == [2, 0, 3]
    assert (band.low[0], band.high[0]) == (1, 1)
    assert np.isnan([band.low[1], band.high[1]]).all()
    assert 5 <= band.low[2] <= band.center[2] == 7 <= band.high[2] <= 9
    (alone,) = make_band([series([0], [3])], BandQuery(center=center, spread="bootstrap")).low
    assert alone == 3
