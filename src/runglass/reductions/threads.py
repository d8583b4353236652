"""Native functions over ranges of rows, on all cores. They release the GIL, and write to their own rows alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")

# Ranges for each core: some are slower than others.
PARTS = 8
MIN_ROWS = 256


def count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


@cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count_cores(), thread_name_prefix="reduction")


def spread(
    function: Callable[[int, int], T], n: int, *, parts: int = PARTS, least: int = MIN_ROWS
) -> list[T]:
    """Call it with ranges that cover 0 to n, and return what they return, in order."""
    return spread_parts(function, n, max(least, -(-n // (count_cores() * parts))))


def spread_parts(function: Callable[[int, int], T], n: int, size: int) -> list[T]:
    """The same with ranges of this size, whatever the machine: for sums that depend on where they begin."""
    ranges = [(start, min(start + size, n)) for start in range(0, n, size)]
    if count_cores() == 1 or len(ranges) <= 1:
        return [function(*each) for each in ranges]
    return list(pool().map(lambda each: function(*each), ranges))
