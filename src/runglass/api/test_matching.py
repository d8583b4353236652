from __future__ import annotations

import json
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runglass.api.matching import BATCH_TEXTS, SEPARATOR, match_texts, split_texts


class Heard:
    """A context that counts heartbeats."""

    def __init__(self) -> None:
        self.checks = 0

    def check(self) -> None:
        self.checks += 1

    def progress(self, phase: str, done: int, total: int | None = None) -> None:
        pass


def find(texts_at, pattern, **options):
    heard = Heard()
    batches = (
        each
        for place, texts in texts_at.items()
        for each in split_texts(heard, place, texts, pattern, **options)
    )
    places = json.loads(match_texts(heard, batches).data)["places"]
    return [(place, np.frombuffer(b64decode(numbers), np.int32).tolist()) for place, numbers in places]


@given(st.lists(st.sampled_from(["", "a", "b", "A", f"a{SEPARATOR}b", SEPARATOR, "ä\ud800"])))
def test_numbers_are_those_of_the_texts_that_match(texts):
    expected = [number for number, text in enumerate(texts) if "a" in text.lower()]
    assert find({"x": texts}, "a") == [("x", expected)]


def test_every_place_is_in_the_result():
    assert find({"none": [], "some": ["x", "y"], "no": ["z"]}, "[xy]") == [
        ("none", []),
        ("some", [0, 1]),
        ("no", []),
    ]


def test_case_is_ignored_where_asked():
    assert find({"x": ["a", "A"]}, "A", ignores_case=False) == [("x", [1])]


@pytest.mark.parametrize("text", ["plain", f"two{SEPARATOR}lines"])
def test_numbers_go_on_from_batch_to_batch(text):
    count = 2 * BATCH_TEXTS + 1
    assert find({"x": [text] * count}, "p|l") == [("x", list(range(count)))]


def test_a_text_of_many_is_a_heartbeat():
    heard = Heard()
    list(match_texts(heard, split_texts(heard, "x", ["a"] * BATCH_TEXTS, "b")))
    assert heard.checks > 10
