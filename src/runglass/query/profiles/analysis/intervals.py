"""Sets of moments: which are covered by many intervals, and how much of a step that is."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from runglass.native.trace_groups import cover_of
from runglass.query.profiles.model import Int64, Mask, Trace


class Cover(Struct):
    """Intervals that neither touch nor overlap, in their order."""

    start: Int64
    end: Int64

    @property
    def total(self) -> int:
        return int((self.end - self.start).sum())

    def within(self, start: Int64, end: Int64) -> Int64:
        """How much of each [start, end) is covered."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.end - self.start)])
        return self._until(end, before) - self._until(start, before)

    def shared(self, other: Cover) -> int:
        """How much both cover."""
        return int(self.within(other.start, other.end).sum())

    def free(self, low: int, high: int) -> Cover:
        """What is not covered between two moments."""
        start = np.clip(np.append(low, self.end), low, high)
        end = np.clip(np.append(self.start, high), low, high)
        return Cover(start[end > start], end[end > start])

    def common(self, other: Cover) -> Cover:
        """What both cover."""
        first = np.searchsorted(other.end, self.start, side="right")
        count = np.maximum(np.searchsorted(other.start, self.end, side="left") - first, 0)
        mine = np.repeat(np.arange(len(self.start)), count)
        theirs = np.arange(len(mine)) - np.repeat(np.cumsum(count) - count, count) + first[mine]
        start = np.maximum(self.start[mine], other.start[theirs])
        end = np.minimum(self.end[mine], other.end[theirs])
        return Cover(start[end > start], end[end > start])

    def _until(self, time: Int64, before: Int64) -> Int64:
        at = np.searchsorted(self.start, time, side="right")
        found: Int64 = before[at]
        if len(self.start):
            inside = at > 0
            over = np.where(inside, np.maximum(self.end[np.maximum(at - 1, 0)] - time, 0), 0)
            found = found - over
        return found


def cover(start: Int64, end: Int64) -> Cover:
    if not len(start):
        return Cover(np.empty(0, np.int64), np.empty(0, np.int64))
    if (start[1:] < start[:-1]).any():
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    end = np.maximum.accumulate(end)
    fresh = np.ones(len(start), np.bool_)
    fresh[1:] = start[1:] > end[:-1]
    last = np.append(np.flatnonzero(fresh)[1:] - 1, len(start) - 1)
    return Cover(start[fresh], end[last])


def cover_events(trace: Trace, wanted: Mask, known: Cover | None = None) -> Cover:
    """The moments of these events, and what is known already."""
    before = Cover(np.empty(0, np.int64), np.empty(0, np.int64)) if known is None else known
    mask = wanted.view(np.uint8)
    return Cover(*cover_of(trace.start_ps, trace.duration_ps, mask, before.start, before.end))
