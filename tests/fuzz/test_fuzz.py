"""A short, repeatable piece of what `make fuzz` does for longer."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, event_files, payloads, run_bounded

FILES = event_files()
MESSAGES = payloads(FILES)


@pytest.fixture(autouse=True)
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_bytes_are_refused_or_read(name: str) -> None:
    rng = random.Random(name)
    seeds = FILES if name in ("scan", "cursor") else MESSAGES
    for _ in range(400):
        run_bounded(name, mutate(rng, seeds), rng)
