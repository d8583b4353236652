"""Groups of events, their sums and the interval of each equal plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.trace_groups import divide, find_spans, marked, sums_of, used_numbers

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
