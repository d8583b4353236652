"""Questions about traces equal plain Python over all events: nothing is lost in a picture, sums and searches are exact."""

from __future__ import annotations

import io
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import DecodeError

from runglass.native.trace_rows import TraceRows
from runglass.native.trace_view import find_values, pick
from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.column_file import ColumnWriter, read
from runglass.query.profiles.level_of_detail import find_samples, find_slices
from runglass.query.profiles.search import count_on_strip, find_match, search
from runglass.query.profiles.sums import add_up


def examples(count):
    # No deadline: how long an example takes says more about the machine than about the code.
    return settings(max_examples=count, deadline=None)


NAMES = ["conv", "Conv2d", "matmul", "aten::add", "größe", "", "cudaLaunchKernel", "ÄRGER"]
times = st.one_of(st.integers(0, 60), st.integers(0, 5_000), st.just(2_000_000_000))
durations = st.one_of(st.just(0), st.integers(0, 20), st.integers(0, 3_000))
event = st.tuples(
    st.integers(0, 2),
    times,
    durations,
    st.sampled_from(NAMES),
    st.sampled_from(["X", "X", "X", "i"]),
    st.one_of(st.none(), st.sampled_from(["conv of nothing", "Straße", 7, 2.5])),
)


def make(events, *, device=False):
    rows = TraceRows()
    rows.begin_file("a.json", "a")
    tracks = [
        rows.add_track("1", str(number), process_name="p", labels="GPU 0" if device and number == 2 else "")
        for number in range(3)
    ]
    for track, start, duration, name, phase, value in events:
        given_arguments = {} if value is None else {"about": value}
        rows.add_row(
            phase, tracks[track], start, duration if phase == "X" else 0, name, arguments=given_arguments
        )
    rows.freeze()
    return build_trace(rows, "chrome", sizes=[1])


@st.composite
def traces(draw, size=80):
    return make(draw(st.lists(event, min_size=1, max_size=size)), device=draw(st.booleans()))


def ends(trace):
    return trace.start_ps + trace.duration_ps


@given(st.lists(event, min_size=1, max_size=80))
@examples(200)
def test_every_event_is_there_once_and_rows_do_not_overlap(events):
    trace = make(events)
    lowest = min(start for _, start, *_ in events)
    told = sorted(
        (start - lowest, duration if phase == "X" else 0, name)
        for _, start, duration, name, phase, _ in events
    )
    assert told == sorted(
        zip(
            trace.start_ps.tolist(),
            trace.duration_ps.tolist(),
            map(trace.name_of, range(len(trace))),
            strict=True,
        )
    )
    for row in range(trace.rows):
        first, stop = int(trace.row_starts[row]), int(trace.row_starts[row + 1])
        assert first < stop
        assert (ends(trace)[first : stop - 1] <= trace.start_ps[first + 1 : stop]).all()
    for number in range(len(trace)):
        parent = int(trace.parent[number])
        if parent >= 0:
            assert trace.track[parent] == trace.track[number]
            assert trace.depth[parent] < trace.depth[number]
            assert trace.start_ps[parent] <= trace.start_ps[number]
            assert ends(trace)[number] <= ends(trace)[parent]
        covered = set()
        if trace.duration_ps[number] < 10_000:
            for child in np.flatnonzero(trace.parent == number).tolist():
                covered |= set(range(int(trace.start_ps[child]), int(ends(trace)[child])))
            assert trace.self_ps[number] == trace.duration_ps[number] - len(covered)


@given(traces(), st.integers(-10, 6_000), st.integers(0, 6_000), st.integers(1, 300))
@examples(200)
def test_a_picture_loses_no_event(trace, low, length, width):
    high = low + length
    tracks = [track.id for track in trace.tracks]
    found = find_slices(trace, tracks, low, high, width)
    pixel = max((high - low) // width, 1)
    inside = ((ends(trace) > low) | (trace.start_ps >= low)) & (trace.start_ps <= high)
    row_of = np.repeat(np.arange(trace.rows), np.diff(trace.row_starts))
    for row in range(trace.rows):
        here = np.flatnonzero(inside & (row_of == row))
        chosen = found.row == row
        assert found.count[chosen].sum() == len(here)
        assert found.busy_ps[chosen].sum() == trace.duration_ps[here].sum()
    shown = [
        range(first, first + count)
        for first, count in zip(found.first.tolist(), found.count.tolist(), strict=True)
    ]
    for events, longest, start, took in zip(
        shown, found.event.tolist(), found.start_ps.tolist(), found.duration_ps.tolist(), strict=True
    ):
        durations = trace.duration_ps[events.start : events.stop]
        assert longest == events.start + int(durations.argmax())
        assert (start, start + took) == (trace.start_ps[events[0]], ends(trace)[events[-1]])
        if len(events) > 1:
            # Nothing that can be seen on its own is joined, and no gap that can be seen is covered.
            assert durations.max() < pixel
            gaps = (
                trace.start_ps[events.start + 1 : events.stop] - ends(trace)[events.start : events.stop - 1]
            )
            assert gaps.max() < 2 * pixel


def test_a_picture_of_many_events_is_small_and_loses_none():
    # Enough for three levels of the pyramids.
    rng = np.random.default_rng(3)
    rows = TraceRows()
    rows.begin_file("a.json", "a")
    track = rows.add_track("1", "1")
    at = 0
    for gap, took in rng.integers(0, 40, (12_000, 2)).tolist():
        rows.add_row("X", track, at, took + 1, "op")
        at += took + 1 + gap
    rows.add_row("X", track, at + 5_000, 3_000, "long")
    rows.freeze()
    trace = build_trace(rows, "chrome", sizes=[1])
    for low, high, width in [(0, trace.info.end_ps, 300), (1_000, 200_000, 1_000), (0, 9_000, 9_000)]:
        found = find_slices(trace, [0], low, high, width)
        inside = ((ends(trace) > low) | (trace.start_ps >= low)) & (trace.start_ps <= high)
        assert found.count.sum() == inside.sum()
        assert found.busy_ps.sum() == trace.duration_ps[inside].sum()
    assert len(find_slices(trace, [0], 0, trace.info.end_ps, 300).row) < 300
    assert trace.name_of(int(find_slices(trace, [0], 0, trace.info.end_ps, 300).event[-1])) == "long"


def inside(trace, number, low, high):
    return max(min(int(ends(trace)[number]), high) - max(int(trace.start_ps[number]), low), 0)


def own_inside(trace, number, low, high):
    covered = set()
    for child in np.flatnonzero(trace.parent == number).tolist():
        covered |= set(range(max(int(trace.start_ps[child]), low), min(int(ends(trace)[child]), high)))
    return inside(trace, number, low, high) - len(covered)


@given(
    traces(40),
    st.integers(-10, 3_000),
    st.integers(0, 3_000),
    st.sampled_from(["name", "category", "track", "step", "module"]),
)
@examples(150)
def test_sums_of_a_range_equal_those_over_all_events(trace, low, length, by):
    high = low + length
    found = add_up(trace, low, high, by)
    expected = defaultdict(lambda: [0, 0, 0, [], set()])
    columns = {
        "name": trace.name,
        "category": trace.category,
        "track": trace.track,
        "step": trace.step,
        "module": trace.module,
    }
    for number in range(len(trace)):
        start, end = int(trace.start_ps[number]), int(ends(trace)[number])
        if not (start < high and end > low) and not (start == end and low <= start <= high):
            continue
        each = expected[int(columns[by][number])]
        each[0] += 1
        each[1] += inside(trace, number, low, high)
        each[2] += own_inside(trace, number, low, high)
        each[3].append(end - start)
    told = {
        each.key: (each.count, each.total_ps, each.self_ps, each.min_ps, each.max_ps) for each in found.rows
    }
    assert told == {
        key: (count, total, own, min(took), max(took))
        for key, (count, total, own, took, _) in expected.items()
    }
    busy = set()
    for number in range(len(trace)):
        if high - low <= 3_000:
            busy |= set(range(max(int(trace.start_ps[number]), low), min(int(ends(trace)[number]), high)))
    assert found.busy_ps == len(busy)
    assert [each.self_ps for each in found.rows] == sorted(
        (each.self_ps for each in found.rows), reverse=True
    )


@given(
    traces(), st.sampled_from(["conv", "CONV", "ö", "ß", "ss", "ärger", "7", "2.5", "::", "nothing", "zzz"])
)
@examples(200)
def test_a_search_counts_every_match(trace, q):
    def matches(number, where):
        texts = []
        if where != "arguments":
            texts.append(trace.name_of(number))
        values = [value for _, value in arguments(trace, number)] if where != "names" else []
        texts += [value for value in values if isinstance(value, str)]
        if any(q.casefold() in text.casefold() for text in texts):
            return True
        return any(not isinstance(value, str) and str(value) == q for value in values)

    for where in ("all", "names", "arguments"):
        found = search(trace, q, where)
        expected = [number for number in range(len(trace)) if matches(number, where)]
        expected.sort(key=lambda number: (int(trace.start_ps[number]), number))
        assert found.events.tolist() == expected
        assert found.before[-1] == len(expected)
        assert count_on_strip(trace, found, 100)[1].sum() == len(expected)
        at = None
        for place in range(len(expected)):
            if at is None:
                at = find_match(trace, found, event=None, from_ps=-1, forward=True)
            else:
                at = find_match(trace, found, event=expected[at], from_ps=0, forward=True)
            assert at == place


@given(traces())
@examples(30)
def test_a_file_of_columns_gives_the_trace_back(tmp_path_factory, trace):
    path = tmp_path_factory.mktemp("columns") / "a"
    with open(path, "w+b", buffering=0) as file:
        again = ColumnWriter(file).finish(trace)
    assert again.info == trace.info
    assert again.start_ps.tolist() == trace.start_ps.tolist()
    assert [again.name_of(number) for number in range(len(again))] == [
        trace.name_of(number) for number in range(len(trace))
    ]
    assert search(again, "conv").events.tolist() == search(trace, "conv").events.tolist()


def test_a_damaged_file_of_columns_is_refused(tmp_path):
    trace = make([(0, 1, 2, "conv", "X", None)])
    whole = tmp_path / "whole"
    with open(whole, "w+b", buffering=0) as file:
        ColumnWriter(file).finish(trace)
    data = whole.read_bytes()
    for cut in range(0, len(data) - 64, 97):
        (tmp_path / "cut").write_bytes(data[:cut])
        with open(tmp_path / "cut", "rb") as file, pytest.raises((ValueError, DecodeError)):
            read(file)
    with open(tmp_path / "other", "w+b") as file:
        file.write(b"x" * 100)
        file.flush()
        with pytest.raises(ValueError, match="not a trace"):
            read(file)
    assert io.BytesIO(data).read(8) == b"runglass"


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(-50, 50)), min_size=1, max_size=60),
    st.integers(0, 400),
    st.integers(1, 400),
    st.integers(1, 50),
)
@examples(100)
def test_counters_keep_their_lowest_and_highest(samples, low, length, width):
    rows = TraceRows()
    rows.begin_file("a.json", "a")
    track = rows.add_track("1", "1")
    rows.add_row("X", track, 0, 1, "op")
    for time, value in samples:
        rows.add_row("C", track, time, 0, "memory", arguments={"bytes": value})
    rows.freeze()
    trace = build_trace(rows, "chrome", sizes=[1])
    high = low + length
    found = find_samples(trace, [0], low, high, width)
    inside = [value for time, value in samples if low <= time <= high]
    if inside:
        assert found.low.min() <= min(inside)
        assert found.high.max() >= max(inside)
    before = sorted((time, place) for place, (time, _) in enumerate(samples) if time < low)
    if before:
        assert found.last[0] == samples[before[-1][1]][1] or found.time_ps[0] < low
    assert len(found.counter) <= width + 3


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_values_at_places(dtype):
    values = np.arange(10, 20, dtype=dtype)
    found = np.zeros(3, dtype)
    pick(values, np.array([9, 0, 4], np.int32), found)
    assert found.tolist() == [19, 10, 14]
    for wrong in (-1, 10):
        with pytest.raises(ValueError, match="beyond"):
            pick(values, np.array([0, wrong, 1], np.int32), found)
    with pytest.raises(ValueError, match="lengths"):
        pick(values, np.array([0], np.int32), found)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-200, 200),
    st.floats(allow_nan=False, width=32),
    st.sampled_from(["a", "b", "some text"]),
)


@examples(50)
@given(
    st.lists(
        st.dictionaries(st.sampled_from([f"key {number}" for number in range(150)]), VALUES, max_size=6),
        max_size=20,
    )
)
def test_values_under_keys_are_those_of_each_event(events):
    """In one pass over encoded arguments, most of which are passed over, as one by one."""
    rows = TraceRows()
    rows.begin_file("a")
    track = rows.add_track("1", "1")
    for number in range(150):
        rows.intern_text(f"key {number}")
    for given_arguments in events:
        rows.add_row("X", track, 0, 1, "op", arguments=given_arguments)
    rows.freeze()
    strings = list(rows.strings)
    keys = np.array([strings.index(key) for key in ("key 1", "key 2", "key 149")], np.int32)
    seen = np.zeros((1, len(strings)), np.uint8)
    event_of = np.arange(len(events), dtype=np.int32)
    found = find_values(
        rows.arguments,
        rows.arguments_end,
        event_of,
        keys,
        keys[:1],
        0,
        len(events),
        np.zeros(len(events), np.uint8),
        seen,
    )
    # Whole numbers, and floats that fit as such; texts under the last.
    expected = [
        [
            (number, int(told[key]))
            for number, told in enumerate(events)
            if isinstance(told.get(key), int | float)
            and abs(told[key]) < 9.2e18 + isinstance(told[key], int) * 1e18
        ]
        for key in ("key 1", "key 2", "key 149")
    ]
    expected.append(
        [
            (number, strings.index(told["key 1"]))
            for number, told in enumerate(events)
            if isinstance(told.get("key 1"), str)
        ]
    )
    assert [list(zip(events.tolist(), values.tolist(), strict=True)) for events, values in found] == expected
    assert {strings[key] for key in np.flatnonzero(seen[0])} == {
        key for given_arguments in events for key in given_arguments
    }


@examples(50)
@given(traces(), st.integers(0, 3_000), st.integers(1, 6_000), st.booleans())
def test_when_tracks_are_busy_is_the_union_of_their_events(trace, low, length, leaves_out):
    high = low + length
    rows = np.arange(trace.rows, dtype=np.int32)
    left_out = np.zeros(len(trace.info.categories), np.uint8)
    left_out[: 1 if leaves_out else 0] = 1
    found = trace.view.union(rows, low, high, trace.category, left_out)
    assert list(zip(*(each.tolist() for each in found), strict=True)) == union_of(
        (max(int(trace.start_ps[each]), low), min(trace.end_of(each), high))
        for each in range(len(trace))
        if not left_out[trace.category[each]]
    )


def union_of(intervals):
    found = []
    for begin, end in sorted(each for each in intervals if each[1] > each[0]):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found
