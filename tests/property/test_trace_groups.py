"""Groups of events, their sums and the interval of each equal plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.trace_groups import (
    begin_within,
    cover_of,
    divide,
    find_spans,
    marked,
    places_of,
    sums_by_number,
    sums_of,
    used_numbers,
    within_marked,
)
from runglass.native.trace_nesting import innermost

small = st.integers(-2, 3)
wide = st.one_of(small, st.integers(-(2**62), 2**62))
rows = st.lists(st.tuples(small, wide, wide), max_size=60)
plain = settings(max_examples=150, deadline=None)


@plain
@given(rows)
def test_rows_with_the_same_values_are_one_group(given_rows):
    columns = [
        np.array([row[0] for row in given_rows], np.int32),
        np.array([row[1] for row in given_rows], np.int64),
        np.array([row[2] for row in given_rows], np.int64),
    ]
    of, first = divide(columns)
    known: dict[tuple[int, ...], int] = {}
    assert of.tolist() == [known.setdefault(row, len(known)) for row in given_rows]
    assert [given_rows[at] for at in first.tolist()] == list(known)


def test_many_groups_are_told_apart():
    column = np.arange(100_000, dtype=np.int64)[::-1] * 64
    of, first = divide([np.ascontiguousarray(column), np.zeros(100_000, np.int32)])
    assert (of == np.arange(100_000)).all()
    assert (first == np.arange(100_000)).all()


@plain
@given(st.lists(st.tuples(st.integers(0, 4), wide), max_size=60))
def test_sums_of_groups(pairs):
    of, values = (
        np.array([each[0] for each in pairs], np.int32),
        np.array([each[1] for each in pairs], np.int64),
    )
    total, least, most = sums_of(of, values, 5)
    for number in range(5):
        own = [value for group, value in pairs if group == number]
        if own:
            # Sums may wrap around, as those of 64 bits do.
            assert (int(total[number]) - sum(own)) % 2**64 == 0
            assert (int(least[number]), int(most[number])) == (min(own), max(own))
        else:
            assert total[number] == 0


def test_a_group_beyond_the_size_is_refused():
    with pytest.raises(ValueError, match="an unknown group"):
        sums_of(np.array([0, 5], np.int32), np.zeros(2, np.int64), 5)
    with pytest.raises(ValueError, match="different lengths"):
        divide([np.zeros(2, np.int32), np.zeros(3, np.int32)])


@plain
@given(
    st.lists(st.integers(-5, 200), max_size=40),
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 30)), max_size=12),
)
def test_the_interval_of_a_moment(times, spans):
    spans = sorted(spans)
    begins = np.array([start for start, _ in spans], np.int64)
    ends = np.array([start + length for start, length in spans], np.int64)
    expected = []
    for time in times:
        begun = [at for at, start in enumerate(begins.tolist()) if start <= time]
        expected.append(begun[-1] if begun and time < ends[begun[-1]] else -1)
    assert find_spans(np.array(times, np.int64), begins, ends).tolist() == expected


@plain
@given(st.lists(st.booleans(), max_size=6), st.lists(st.integers(-3, 9), max_size=30))
def test_marked_numbers(mask, numbers):
    found = marked(np.array(mask, np.uint8), np.array(numbers, np.int32))
    assert found.tolist() == [0 <= number < len(mask) and mask[number] for number in numbers]


@plain
@given(st.lists(wide, max_size=40), st.integers(0, 6))
def test_numbers_that_occur(numbers, size):
    expected = [int(number in numbers) for number in range(size)]
    assert used_numbers(np.array(numbers, np.int64), size).tolist() == expected
    narrow = np.array([number for number in numbers if abs(number) < 2**31], np.int32)
    assert used_numbers(narrow, size).tolist() == expected


@plain
@given(st.lists(st.integers(-1, 5), max_size=60), st.lists(st.booleans(), max_size=5), st.integers(0, 70))
def test_places_of_marked_numbers(numbers, mask, most):
    found = places_of(np.array(mask, np.uint8), np.array(numbers, np.int32), most)
    wanted = [at for at, number in enumerate(numbers) if 0 <= number < len(mask) and mask[number]]
    assert found.tolist() == wanted[:most]


@plain
@given(
    st.lists(st.integers(-5, 200), max_size=40),
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 30)), max_size=12),
)
def test_events_that_begin_within_intervals(times, spans):
    begins = np.array([begin for begin, _ in sorted(spans)], np.int64)
    ends = np.array([begin + length for begin, length in sorted(spans)], np.int64)
    time = np.array(times, np.int64)
    events = np.arange(0, len(times), 2)
    expected = events[find_spans(time[events], begins, ends) >= 0]
    assert begin_within(events, time, begins, ends).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="an unknown event"):
        begin_within(np.array([len(times)]), time, begins, ends)


@plain
@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-(2**40), 2**40)), max_size=60))
def test_sums_by_number(pairs):
    numbers = np.array([each[0] for each in pairs], np.int32)
    values = np.array([each[1] for each in pairs], np.int64)
    events = np.arange(0, len(pairs), 2)
    own = pairs[::2]
    expected = [sum(value for number, value in own if number == which) for which in range(-1, 5)]
    assert sums_by_number(numbers, values, events, 5).tolist() == expected


def test_an_event_or_number_beyond_the_columns_is_refused():
    numbers, values = np.array([0, 5], np.int32), np.zeros(2, np.int64)
    for event in (-1, 1, 2):
        with pytest.raises(ValueError, match="an unknown event or number"):
            sums_by_number(numbers, values, np.array([event]), 5)


@plain
@given(
    st.lists(st.tuples(st.integers(-1, 39), st.integers(-1, 5)), max_size=40),
    st.lists(st.booleans(), max_size=5),
)
def test_what_is_within_a_marked_number(rows, mask):
    """Parents may be wrong, and go around in circles."""
    parent = np.array([each[0] for each in rows], np.int32)
    numbers = np.array([each[1] for each in rows], np.int32)

    def is_within(at: int) -> bool:
        seen = set()
        while 0 <= at < len(rows) and at not in seen:
            seen.add(at)
            if 0 <= numbers[at] < len(mask) and mask[numbers[at]]:
                return True
            at = int(parent[at])
        return False

    found = within_marked(np.arange(len(rows)), parent, numbers, np.array(mask, np.uint8))
    assert found.tolist() == [is_within(at) for at in range(len(rows))]


@plain
@given(st.lists(st.tuples(st.integers(-2, 42), st.booleans()), max_size=40))
def test_the_innermost_marked_event_around_each(rows):
    parent = np.array([each[0] for each in rows], np.int32)
    mask = np.array([each[1] for each in rows], np.uint8)

    def found(at: int) -> int:
        seen = set()
        while at not in seen:
            seen.add(at)
            if mask[at]:
                return at
            if not 0 <= parent[at] < len(rows):
                return -1
            at = int(parent[at])
        return -1

    assert innermost(mask, parent).tolist() == [found(at) for at in range(len(rows))]


spans_strategy = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 20)), max_size=80)


def cover_in_python(spans):
    found: list[list[int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


@plain
@given(spans_strategy, st.lists(st.booleans(), min_size=80, max_size=80), spans_strategy)
def test_moments_that_events_cover(events, wanted, known):
    known = cover_in_python([(start, start + length) for start, length in known])
    chosen = [each for each, is_wanted in zip(events, wanted, strict=False) if is_wanted]
    starts, ends = cover_of(
        np.array([start for start, _ in events], np.int64),
        np.array([length for _, length in events], np.int64),
        np.array(wanted[: len(events)], np.uint8),
        np.array([start for start, _ in known], np.int64),
        np.array([end for _, end in known], np.int64),
    )
    expected = cover_in_python(
        [*((start, start + length) for start, length in chosen), *((start, end) for start, end in known)]
    )
    assert np.stack([starts, ends], axis=1).tolist() == expected


def test_a_cover_of_many_rows_of_events():
    random = np.random.default_rng(7)
    start = np.concatenate([np.sort(random.integers(0, 10**7, 1_000)) for _ in range(101)])
    duration = random.integers(0, 200, len(start))
    none = np.empty(0, np.int64)
    starts, ends = cover_of(start, duration, np.ones(len(start), np.uint8), none, none)
    expected = cover_in_python(zip(start.tolist(), (start + duration).tolist(), strict=True))
    assert np.stack([starts, ends], axis=1).tolist() == expected


def test_a_cover_of_columns_of_different_lengths_is_refused():
    one, two = np.zeros(1, np.int64), np.zeros(2, np.int64)
    mask = np.ones(2, np.uint8)
    for given_columns in (
        (one, two, mask, one, one),
        (two, two, mask[:1], one, one),
        (two, two, mask, one, two),
    ):
        with pytest.raises(ValueError, match="different lengths"):
            cover_of(*given_columns)
