"""A line from pyramids is the line from all points, to the last bit: any axis, range, width, smoothing, attempt and growth."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import event_bytes as eb
from tests.support.event_files import append, put

from runglass.ingest.roots import parse_root
from runglass.ingest.watch import LogdirWatch
from runglass.native.long_lines import Piece, SmoothedRows, reduce_pieces
from runglass.native.pyramid import Pyramid
from runglass.native.smooth import ema
from runglass.query import long_lines
from runglass.query.derived import DerivedReads
from runglass.query.lines import axis, make_line
from runglass.query.local import LocalSource
from runglass.query.long_lines import draw_long_line, find_long_nearest, make_long_line
from runglass.query.source import Columns, LineQuery, RunColumn, Smoothing
from runglass.query.tables import make_nearest
from runglass.store import snapshot
from runglass.store.model import SeriesKey
from runglass.store.snapshot import LongPiece, LongSeries
from runglass.store.stage import Store

KEY = SeriesKey("run", "loss")
ODD = [math.nan, math.inf, -math.inf]


def make_rows(rng, n, odd_share, *, is_constant=False):
    value = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(-2, 3, size=n).astype(float)
    if is_constant:
        value[:] = 2.5
    for odd in ODD:
        value[rng.random(n) < odd_share] = odd
    step = np.cumsum(rng.integers(0, 4, size=n)) - int(rng.integers(50))
    wall_time = 1.7e9 + np.cumsum(rng.random(n) * (rng.random(n) < 0.9))
    return step, wall_time, value.astype(rng.choice([np.float32, np.float64]))


@st.composite
def cut_series(draw):
    """A series in one array, and the same one as pieces of files whose other rows belong to no piece."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    odd_share = draw(st.sampled_from([0, 0, 0.002, 0.3]))
    is_constant = draw(st.sampled_from([False, False, False, True]))
    sizes = draw(st.lists(st.sampled_from([1, 3, 300, 512, 1100, 5000]), min_size=1, max_size=3))
    step, wall_time, value = make_rows(rng, sum(sizes), odd_share, is_constant=is_constant)
    if draw(st.integers(0, 9)) == 0:
        step[rng.integers(len(step))] -= 3
    pieces, at = [], 0
    segments = np.sort(rng.integers(0, 2, size=len(sizes)))
    for number, size in enumerate(sizes):
        before, after = draw(st.sampled_from([0, 0, 7, 300])), draw(st.sampled_from([0, 0, 5, 600]))
        own = [each[at : at + size] for each in (step, wall_time, value)]
        # Rows of a file that a later attempt overwrote, or that an earlier one wrote.
        padded = [
            np.concatenate([np.repeat(each[:1], before), each, np.repeat(each[-1:], after)]) for each in own
        ]
        pyramid = Pyramid()
        pyramid.update(*padded)
        pieces.append(LongPiece(pyramid, *padded, before, before + size, int(segments[number])))
        at += size
    columns = Columns(KEY, 7, 0, step, wall_time, value, np.repeat(segments, sizes).astype(np.int32))
    return columns, LongSeries(7, tuple(pieces), value.dtype)


def assert_same(found, expected):
    assert (found.key, found.generation, found.total, found.is_reduced) == (
        expected.key,
        expected.generation,
        expected.total,
        expected.is_reduced,
    )
    assert found.kept_x.tobytes() == expected.kept_x.tobytes()
    assert found.y.dtype == expected.y.dtype
    assert found.y.tobytes() == expected.y.tobytes()


smoothings = st.one_of(
    st.just(Smoothing()),
    st.sampled_from([0.0, 0.6, 0.99, 0.99999, 1.0]).map(lambda weight: Smoothing("ema", weight)),
)


@st.composite
def queries(draw):
    x = draw(st.sampled_from(["step", "step", "wall", "relative"]))
    start = {"step": -50.0, "wall": 1.7e9, "relative": 0.0}[x]
    at = st.one_of(
        st.floats(-100, 9000).map(lambda v: start + v), st.integers(0, 9000).map(lambda v: start + v)
    )
    x_range = draw(st.one_of(st.none(), st.tuples(at, at).map(sorted).map(tuple)))
    return LineQuery(
        x=x,
        smoothing=draw(smoothings),
        attempts=draw(st.sampled_from(["latest", "all"])),
        x_range=x_range,
        x_scale=draw(st.sampled_from(["linear", "linear", "log", "symlog"])),
        width=draw(st.integers(1, 40)),
    )


@settings(max_examples=250, deadline=None)
@given(cut_series(), queries(), st.sampled_from([4, 4, 60]))
def test_a_line_from_pyramids_is_the_line_from_all_points(series, query, dense):
    columns, pieces = series
    with patch.object(long_lines, "_DENSE", dense):
        found = make_long_line(KEY, pieces, query)
    rises = (columns.step[1:] >= columns.step[:-1]).all()
    if found is None:
        # Nothing is left to the other way without need.
        assert len(pieces.pieces) == 1 or not rises
        return
    assert_same(found, make_line(columns, query))


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32),
    queries(),
    st.sampled_from(["noise", "rising", "falling", "flat", "odd", "repeated steps", "huge"]),
    st.lists(st.sampled_from([1, 1, 2, 5, 70, 700]), min_size=1, max_size=8),
)
def test_a_line_that_is_followed_is_the_line_from_all_points(seed, query, form, growth):
    rng = np.random.default_rng(seed)
    counts = np.cumsum([int(rng.integers(200, 4000)), *growth])
    n = int(counts[-1])
    value = rng.normal(size=n).astype(rng.choice([np.float32, np.float64]))
    if form == "rising":
        value = np.sort(value)
    elif form == "falling":
        value = np.sort(value)[::-1].copy()
    elif form == "flat":
        value[: int(rng.integers(1, n))] = 1.5
    elif form == "odd":
        value[rng.integers(0, n, n // 50)] = rng.choice([np.nan, np.inf, -np.inf])
    elif form == "huge":
        value = np.clip(value, -1, 1) * np.finfo(value.dtype).max
    step = np.arange(n)
    if form == "repeated steps":
        step = np.sort(rng.integers(0, n // 3, n))
    wall_time = 1.7e9 + np.cumsum(rng.random(n))
    pyramid, drawn = Pyramid(), None
    with patch.object(long_lines, "_DENSE", 4):
        for count in counts.tolist():
            now = step[:count], wall_time[:count], value[:count]
            pyramid.update(*now)
            series = LongSeries(count, (LongPiece(pyramid, *now, 0, count, 0),), value.dtype)
            found = draw_long_line(KEY, series, query, drawn)
            if found is None:
                return
            line, drawn = found
            columns = Columns(KEY, count, 0, *now, np.zeros(count, np.int32))
            assert_same(line, make_line(columns, query))


def test_an_average_that_overflows_where_no_value_does():
    value = np.full(3000, np.finfo(np.float64).max)
    value[-1] = 0.0
    assert np.isinf(ema(value, 0.99)).any()
    now = np.arange(3000), 1.7e9 + np.arange(3000.0), value
    pyramid = Pyramid()
    pyramid.update(*now)
    series = LongSeries(3000, (LongPiece(pyramid, *now, 0, 3000, 0),), value.dtype)
    query = LineQuery(smoothing=Smoothing("ema", 0.99), width=300)
    with patch.object(long_lines, "_DENSE", 4):
        line = make_long_line(KEY, series, query)
    assert_same(line, make_line(Columns(KEY, 3000, 0, *now, np.zeros(3000, np.int32)), query))


@settings(max_examples=150, deadline=None)
@given(cut_series(), queries(), st.floats(-300, 9000), st.booleans())
def test_the_nearest_point_is_the_one_among_all_points(series, query, at, is_exact):
    columns, pieces = series
    at += {"step": 0.0, "wall": 1.7e9, "relative": 0.0}[query.x]
    if is_exact:
        at = float(axis(columns, query.x, None)[int(abs(at)) % len(columns.step)])
    found = find_long_nearest(KEY, pieces, query, at)
    expected = make_nearest(columns, query, at)
    if found is None:
        assert not (columns.step[1:] >= columns.step[:-1]).all()
    else:
        assert repr(found) == repr(expected)


@settings(max_examples=60, deadline=None)
@given(cut_series(), st.sampled_from([0.0, 0.6, 0.999, 1.0]), st.lists(st.integers(0, 9000), max_size=4))
def test_an_average_goes_on_from_any_row(series, weight, portions):
    value = series[0].value
    expected = ema(value, weight)
    if (value == value[:1]).all():
        return
    rows = SmoothedRows(weight)
    for end in sorted(portions):
        rows.update(value[:end])
    rows.update(value)
    n = len(value)
    for at in [0, n, *portions]:
        at = min(at, n)
        assert rows.read(value, at, n).tobytes() == expected[at:].tobytes()
        later = SmoothedRows(weight, *rows.state_at(value, at))
        later.update(value[at:])
        assert later.read(value[at:], 0, n - at).tobytes() == expected[at:].tobytes()


def test_what_is_asked_wrongly_is_refused():
    pyramid, x = Pyramid(), np.arange(10)
    pyramid.update(x, x.astype(float), x.astype(float))
    with pytest.raises(IndexError, match="Rows 0 to 11 are outside"):
        Piece(x, x.astype(float), pyramid, 0, 11)
    with pytest.raises(ValueError, match="x is int32"):
        Piece(x.astype(np.int32), x.astype(float), pyramid, 0, 10)
    with pytest.raises(IndexError, match="only 0 are smoothed"):
        Piece(x, x.astype(float), pyramid, 0, 10, smoothed=SmoothedRows(0.5))
    piece = Piece(x[::-1], x.astype(float), pyramid, 0, 10)
    with pytest.raises(ValueError, match="width is 0"):
        reduce_pieces([piece], -math.inf, math.inf, 0)
    with pytest.raises(ValueError, match="goes back"):
        reduce_pieces([Piece(np.array([0, 9, 3, 4, 9]), np.zeros(5), pyramid, 0, 5)], 0.0, 9.0, 3)


def log(rng, first_step, count, wall_time):
    times = wall_time + np.cumsum(rng.random(count))
    return eb.records(
        *(
            eb.scalar(KEY.tag, float(value), step=first_step + row, wall_time=float(times[row]))
            for row, value in enumerate(rng.normal(size=count))
        )
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.data())
def test_restarts_and_growth_of_real_files(seed, data):
    rng = np.random.default_rng(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(snapshot, "MIN_ROWS", 1),
        patch.object(long_lines, "_DENSE", 4),
    ):
        store = Store([folder])
        watch = LogdirWatch(store, [parse_root(folder)])
        source = LocalSource(store, keeps_overwritten=data.draw(st.booleans()))
        at = 0
        for number in range(data.draw(st.integers(1, 3))):
            wall_time = 1.7e9 + 1000 * number
            name = f"events.out.tfevents.{wall_time:.0f}.host.{number}.0"
            header = eb.records(eb.file_version(wall_time=wall_time))
            path = put(Path(folder) / "run", header + log(rng, at, 300, wall_time), name=name)
            watch.load()
            for _ in range(2):
                query = data.draw(queries())
                whole = DerivedReads.read_lines(source, [KEY], query)
                assert_same(*source.read_lines([KEY], query), *whole)
            append(path, log(rng, at + 300, 250, wall_time + 400))
            watch.load()
            query = data.draw(queries())
            assert_same(*source.read_lines([KEY], query), *DerivedReads.read_lines(source, [KEY], query))
            assert source._long_lines.size > 0
            asked = {"query": query, "at": data.draw(st.floats(-100, 900))}
            whole = DerivedReads.read_nearest(source, [KEY], **asked)
            assert repr(source.read_nearest([KEY], **asked)) == repr(whole)
            columns = [RunColumn(KEY.tag, stat) for stat in ("last", "first", "min", "max", "mean", "count")]
            whole = DerivedReads.read_run_columns(source, [KEY.run], columns)
            assert repr(source.read_run_columns([KEY.run], columns)) == repr(whole)
            whole = DerivedReads.read_last_values(source, [KEY.run], KEY.tag)
            assert repr(source.read_last_values([KEY.run], KEY.tag)) == repr(whole)
            at += data.draw(st.sampled_from([0, 200, 549, 550]))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.sampled_from([1, 200, 256, 700]), min_size=1, max_size=4))
def test_statistics_of_a_series_that_grows(seed, portions):
    rng = np.random.default_rng(seed)
    columns = [
        RunColumn(KEY.tag, stat, step=300, best_tag=KEY.tag)
        for stat in ("min", "max", "mean", "last", "at_step", "at_best")
    ]
    with tempfile.TemporaryDirectory() as folder:
        store = Store([folder])
        watch = LogdirWatch(store, [parse_root(folder)])
        source = LocalSource(store)
        path = put(Path(folder) / "run", eb.records(eb.file_version()))
        at = 0
        for count in portions:
            append(path, log(rng, at, count, 1.7e9 + at))
            at += count
            watch.load()
            plain = source.read_summaries([KEY]), source.read_run_columns([KEY.run], columns)
            with patch.object(snapshot, "MIN_ROWS", 1):
                assert (source.read_summaries([KEY]), source.read_run_columns([KEY.run], columns)) == plain
                assert store.runs["run"].series[KEY.tag].parts[0].pyramid.count == at
