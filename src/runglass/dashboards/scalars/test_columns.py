"""The columns format: decoding returns what was encoded, and x values are not sent more often than necessary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runglass.dashboards.scalars.columns import ROLES, decode_lines, encode_lines
from runglass.query.source import Line
from runglass.store.model import SeriesKey


def line(name: str, x, kept, dtype=np.float32) -> Line:
    x = np.asarray(x, np.float64)
    kept = None if kept is None else np.asarray(kept, np.int64)
    count = len(x) if kept is None else len(kept)
    return Line(SeriesKey(name, "loss"), 7, len(x), x, kept, np.arange(count).astype(dtype))


def shown_x(each: Line):
    return each.x if each.kept is None else each.x[each.kept]


def assert_same(lines: list[Line]) -> bytes:
    packed = encode_lines(42, [(ROLES[index % len(ROLES)], each) for index, each in enumerate(lines)])
    generation, decoded = decode_lines(packed)
    assert generation == 42
    assert [(each.run, each.tag, each.generation, each.total) for each in decoded] == [
        (each.key.run, each.key.tag, each.generation, each.total) for each in lines
    ]
    assert [each.role for each in decoded] == [ROLES[index % len(ROLES)] for index in range(len(lines))]
    for want, got in zip(lines, decoded, strict=True):
        np.testing.assert_array_equal(got.x, shown_x(want))
        np.testing.assert_array_equal(got.y, want.y)
        assert got.y.dtype == want.y.dtype
    return packed


def test_nothing():
    assert_same([])


def test_equal_steps_are_sent_once():
    x = np.arange(1000.0)
    lines = [line(f"r{i}", x.copy(), np.arange(i % 2, 1000, 2)) for i in range(50)]
    packed = assert_same(lines)
    assert len(packed) < 8 * 1000 + 50 * (500 * 4 + 128) + 4000


def test_a_lone_reduced_line_sends_only_what_it_keeps():
    packed = assert_same([line("a", np.arange(100_000.0), [0, 500, 99_999])])
    assert len(packed) < 500


def test_a_few_points_of_a_shared_table_are_sent_rather_than_a_long_mask():
    x = np.arange(100_000.0)
    packed = assert_same([line("a", x, None), line("b", x, [3])])
    assert len(packed) < 8 * 100_000 + 4 * 100_000 + 1000


def test_equal_ends_do_not_make_equal_lines():
    steps = [[0, 1, 5, 6, 9], [0, 2, 5, 7, 9], [0, 3, 5, 8, 9]]
    assert_same([line(str(i), x, None) for i, x in enumerate(steps)])


def test_not_a_number_as_x():
    x = np.array([np.nan, 1.0, np.nan])
    assert_same([line("a", x, None), line("b", x.copy(), [0, 2])])


@given(
    st.lists(
        st.tuples(
            st.integers(0, 40), st.integers(1, 3), st.booleans(), st.sampled_from([np.float32, np.float64])
        ),
        max_size=8,
    ),
    st.randoms(use_true_random=False),
)
def test_any_mix_comes_back(shapes, random):
    lines = []
    for index, (count, stride, is_reduced, dtype) in enumerate(shapes):
        kept = sorted(random.sample(range(count), random.randint(0, count))) if is_reduced else None
        lines.append(line(str(index), np.arange(count) * stride, kept, dtype))
    assert_same(lines)


def test_decoding_says_what_is_wrong():
    with pytest.raises(ValueError, match="RGC1"):
        decode_lines(b"GIF89a\0\0")
    packed = encode_lines(1, [("smoothed", line("a", [1.0], None))])
    with pytest.raises(ValueError, match="bytes follow the last line"):
        decode_lines(packed + b"\0")
