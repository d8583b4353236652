"""Limits and ranges, and their messages."""

from __future__ import annotations

import pytest

from runglass.api.checks import check_count, check_range
from runglass.errors import BadRequest


def test_as_many_as_the_limit_are_allowed():
    check_count(1_000, 1_000, what="series", where="series")
    with pytest.raises(BadRequest) as caught:
        check_count(1_001, 1_000, what="series", where="columns[0]")
    assert caught.value.message == "This asks for 1,001 series; at most 1,000 are allowed."
    assert caught.value.where == "columns[0]"


def test_a_range_rises_or_is_one_number():
    for given in (None, (1.0, 2.0), (2.0, 2.0)):
        check_range(given, where="x_range")
    with pytest.raises(BadRequest) as caught:
        check_range((2.0, 1.0), where="x_range")
    assert caught.value.message == "`x_range` is [2.0, 1.0]; the first number must not exceed the second."
    assert caught.value.where == "x_range"
