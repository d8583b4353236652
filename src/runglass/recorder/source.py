"""The interface of all sources of measurements, and rates from counters. Knows no operating system."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Protocol


class Source(Protocol):
    def read(self, now_s: float) -> dict[str, float]:
        """Values by tag, without those that cannot be measured now. `now_s` never falls."""
        ...

    def close(self) -> None: ...


class Rate:
    """The rate at which counters grow, summed over counters of one kind, such as one per process."""

    def __init__(self) -> None:
        self._counts: Mapping[Hashable, float] | None = None
        self._at_s = 0.0

    def per_s(self, counts: Mapping[Hashable, float], now_s: float) -> float | None:
        """None the first time. A new counter has grown from zero; one that fell has restarted from zero."""
        before, elapsed_s = self._counts, now_s - self._at_s
        if before is not None and elapsed_s <= 0:
            return None
        self._counts, self._at_s = dict(counts), now_s
        if before is None:
            return None
        grown = (count - before.get(key, 0.0) for key, count in counts.items())
        return sum(each for each in grown if each > 0) / elapsed_s


def with_rates(values: dict[str, float], rates: Mapping[str, float | None]) -> dict[str, float]:
    return values | {tag: rate for tag, rate in rates.items() if rate is not None}


def in_mb(rates: Mapping[str, float | None]) -> dict[str, float | None]:
    return {tag: None if rate is None else rate / 1e6 for tag, rate in rates.items()}
