"""Stretches of time as sorted arrays that do not overlap: unions, what they leave free, and how much two of them share."""

from __future__ import annotations

import numpy as np

from runglass.query.profiles.model import Int64


class Spans:
    """The union of any number of stretches."""

    def __init__(self, starts: Int64, ends: Int64) -> None:
        long = ends > starts
        starts, ends = starts[long], ends[long]
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], np.maximum.accumulate(ends[order]) if len(order) else ends
        fresh = np.ones(len(starts), np.bool_)
        fresh[1:] = starts[1:] > ends[:-1]
        self.starts: Int64 = starts[fresh]
        self.ends: Int64 = ends[np.append(fresh[1:], True)] if len(ends) else ends
        self._before = np.zeros(len(self.starts) + 1, np.int64)
        np.cumsum(self.ends - self.starts, out=self._before[1:])

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def total(self) -> int:
        return int(self._before[-1])

    def covered(self, times: Int64) -> Int64:
        """How much of the union lies before each time."""
        if not len(self.starts):
            return np.zeros(len(times), np.int64)
        at = np.searchsorted(self.starts, times, side="right") - 1
        inside = np.minimum(times - self.starts[at], (self.ends - self.starts)[at])
        return np.where(at >= 0, self._before[np.maximum(at, 0)] + np.maximum(inside, 0), 0)

    def within(self, starts: Int64, ends: Int64) -> Int64:
        """How much of the union lies in each of these stretches."""
        return self.covered(ends) - self.covered(starts)

    def shared(self, other: Spans) -> int:
        """How long both last at the same time."""
        return int(self.within(other.starts, other.ends).sum())

    def free(self, low: int, high: int) -> Spans:
        """What is left free between two times."""
        edges_from = np.append(low, self.ends)
        edges_to = np.append(self.starts, high)
        return Spans(np.clip(edges_from, low, high), np.clip(edges_to, low, high))


def join(each: list[Spans]) -> Spans:
    empty = np.empty(0, np.int64)
    return Spans(
        np.concatenate([empty, *(spans.starts for spans in each)]),
        np.concatenate([empty, *(spans.ends for spans in each)]),
    )
