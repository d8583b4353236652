"""Distinct steps of many series equal Python's sorted set of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import event_bytes as eb
from tests.support.event_files import append, put

from runglass.ingest.roots import parse_root
from runglass.ingest.watch import LogdirWatch
from runglass.native.steps import StepUnion, unite_steps
from runglass.store.stage import Store

INT64 = st.integers(-(2**63), 2**63 - 1)
NEAR = st.integers(-300, 300)


@given(series=st.lists(st.one_of(st.lists(NEAR), st.lists(INT64, max_size=8)), max_size=6))
def test_every_step_once_in_order(series: list[list[int]]) -> None:
    found = unite_steps([np.array(steps, np.int64) for steps in series])
    assert found.dtype == np.int64
    assert found.tolist() == sorted({step for steps in series for step in steps})


@given(steps=st.lists(NEAR, min_size=1), start=st.integers(-(2**63) + 300, 2**63 - 301))
def test_anywhere_in_the_range_of_steps(steps: list[int], start: int) -> None:
    moved = [start + step for step in steps]
    assert unite_steps([np.array(moved, np.int64)]).tolist() == sorted(set(moved))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.one_of(NEAR, NEAR, st.sampled_from([2**40, -(2**62), 2**63 - 1])), max_size=5).map(
            lambda steps: {"a": steps[::2], "b": steps[1::2]}
        ),
        max_size=5,
    )
)
def test_series_that_grow_are_united_from_their_new_rows(rounds: list[dict[str, list[int]]]) -> None:
    union = StepUnion()
    with tempfile.TemporaryDirectory() as folder:
        store = Store([folder])
        watch = LogdirWatch(store, [parse_root(folder)])
        path = put(Path(folder) / "run", eb.records(eb.file_version()))
        seen: set[int] = set()
        for steps in [{"a": [3], "b": [4]}, *rounds]:
            for tag, some in steps.items():
                append(path, eb.records(*(eb.scalar(tag, 1.0, step=step, wall_time=1.7e9) for step in some)))
                seen.update(some)
            watch.load()
            series = store.runs["run"].series
            columns = [series[tag].parts[0].columns for tag in ("a", "b")]
            assert union.read(columns).tolist() == sorted(seen)
            # Another question in between begins anew.
            assert union.read(columns[:1]).tolist() == sorted(set(columns[0].read_steps().tolist()))
            assert union.read(columns).tolist() == union.read(columns).tolist() == sorted(seen)
            assert union.read([*columns, np.array([7])]).tolist() == sorted({*seen, 7})


def test_growing_series_are_looked_at_from_where_they_were() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store([folder])
        watch = LogdirWatch(store, [parse_root(folder)])
        path = put(Path(folder) / "run", eb.records(eb.file_version(), eb.scalar("a", 1.0, step=5)))
        union = StepUnion()
        for last in (6, 7, 7, 40, 300, 4, 301):
            append(path, eb.records(eb.scalar("a", 1.0, step=last)))
            watch.load()
            (part,) = store.runs["run"].series["a"].parts
            found = union.read([part.columns])
            assert found.tolist() == sorted(set(part.columns.read_steps().tolist()))
            assert union.read([part.columns]) is found
