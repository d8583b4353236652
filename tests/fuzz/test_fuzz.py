"""A short, repeatable piece of what `make fuzz` does for longer."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, run_bounded, seeds

# Where a round is a directory on disk, or a whole model, fewer have to do.
ROUNDS = {
    "log": 100,
    "framed_log": 100,
    "graph": 500,
    "embedding": 500,
    "chrome_trace": 200,
    "memory_profile": 500,
    "xplane": 500,
}


@pytest.fixture(scope="module")
def good() -> dict[str, list[bytes]]:
    return seeds()


@pytest.fixture(autouse=True)
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_bytes_are_refused_or_read(name: str, good: dict[str, list[bytes]]) -> None:
    rng = random.Random(name)
    for _ in range(ROUNDS.get(name, 1500)):
        run_bounded(name, mutate(rng, good[name]), rng)
