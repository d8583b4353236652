"""Distinct steps of many series equal Python's sorted set of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runglass.native.steps import unite_steps

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
