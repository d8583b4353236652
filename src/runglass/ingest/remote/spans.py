"""Which bytes of a file are there: sorted ranges that neither touch nor overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

Span = tuple[int, int]


class Spans:
    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def __iter__(self) -> Iterator[Span]:
        return iter(zip(self._starts, self._ends, strict=True))

    def add(self, start: int, end: int) -> None:
        if start >= end:
            return
        # All that touch the new one become one with it.
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def remove(self, start: int, end: int) -> None:
        kept = [
            span
            for first, last in self
            for span in ((first, min(last, start)), (max(first, end), last))
            if span[0] < span[1]
        ]
        self._starts, self._ends = [first for first, _ in kept], [last for _, last in kept]

    def list_missing(self, start: int, end: int) -> list[Span]:
        """The parts of a range that are not there."""
        missing = []
        at = start
        for number in range(bisect_right(self._ends, start), len(self._starts)):
            if self._starts[number] >= end:
                break
            if self._starts[number] > at:
                missing.append((at, self._starts[number]))
            at = max(at, self._ends[number])
        if at < end:
            missing.append((at, end))
        return missing

    def count_bytes(self) -> int:
        return sum(self._ends) - sum(self._starts)


def merge_near(spans: Iterable[Span], gap: int) -> list[Span]:
    """Ranges in order, those with at most `gap` bytes between them as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def split_long(spans: Iterable[Span], size: int) -> list[Span]:
    return [(at, min(at + size, end)) for start, end in spans for at in range(start, end, size)]
