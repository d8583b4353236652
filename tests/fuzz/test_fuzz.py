"""A short, repeatable piece of what `make fuzz` does for longer, and what it once found."""

from __future__ import annotations

import logging
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import CORPUS, TARGETS, run_bounded, seeds

# Where a round is a directory on disk, or a whole model, fewer have to do.
ROUNDS = {
    "log": 100,
    "framed_log": 100,
    "graph": 500,
    "embedding": 500,
    "chrome_trace": 200,
    "memory_profile": 500,
    "xplane": 500,
    "repaired": 500,
    "routes": 40,
    "assets": 40,
    "own_files": 200,
    "index": 300,
    "words": 200,
    "imports": 100,
}
# Targets that make choices of their own make another one each time.
REPEATS = 5


@pytest.fixture(scope="module")
def good() -> dict[str, list[bytes]]:
    return seeds()


@pytest.fixture(autouse=True)
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    """What the server would say of each damaged file."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_bytes_are_refused_or_read(name: str, good: dict[str, list[bytes]]) -> None:
    rng = random.Random(name)
    for _ in range(ROUNDS.get(name, 1500)):
        run_bounded(name, mutate(rng, good[name]), rng)


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*.bin")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_what_was_found_stays_mended(path: Path) -> None:
    for seed in range(REPEATS):
        run_bounded(path.parent.name, path.read_bytes(), random.Random(seed))
