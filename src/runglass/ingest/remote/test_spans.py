from __future__ import annotations

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runglass.ingest.remote.spans import Spans, merge_near, split_long

SPAN = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda each: (min(each), max(each)))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(SPAN), SPAN)
def test_spans_are_a_set_of_bytes(added, asked):
    spans, there = Spans(added), {byte for start, end in added for byte in range(start, end)}
    listed = list(spans)
    assert {byte for start, end in listed for byte in range(start, end)} == there
    assert all(before[1] < after[0] for before, after in pairwise(listed))
    missing = {byte for start, end in spans.list_missing(*asked) for byte in range(start, end)}
    assert missing == set(range(*asked)) - there
    assert spans.count_bytes() == len(there)


def test_near_ranges_are_one_request_and_long_ones_several():
    assert merge_near([(30, 40), (0, 10), (12, 20)], 5) == [(0, 20), (30, 40)]
    assert split_long([(0, 5), (10, 12)], 2) == [(0, 2), (2, 4), (4, 5), (10, 12)]
