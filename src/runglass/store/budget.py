"""Keeps the store's columns within a memory budget: above it, the least recently read ones move to a memory-mapped cache file.

Nothing is lost: a moved series is read from disk as before. The file has no name, so the system removes it at the end.
"""

from __future__ import annotations

import mmap
import tempfile
import time
from weakref import WeakSet

from runglass.machine import read_memory_bytes
from runglass.native.columns import Columns
from runglass.native.trace_view import give_back
from runglass.store.stage import RunStage, SeriesStage, Store

# Move a bit more than necessary, so that the next few rows do not trigger another move.
HEADROOM = 0.9
LET_GO_EVERY_S = 10.0
CHECK_EVERY_S = 1.0


def default_budget_bytes() -> int:
    """Half of the memory of this machine, or of the container it runs in."""
    return read_memory_bytes() // 2


class MemoryBudget:
    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.moved_bytes = 0
        self._checked = 0.0
        self._let_go = 0.0
        # The cache files that are still used.
        self._maps: WeakSet[mmap.mmap] = WeakSet()

    def enforce(self, store: Store, *, at_once: bool = False) -> None:
        """Move the coldest columns out while the store is above its budget. Only the publishing thread calls it."""
        if not at_once and time.monotonic() - self._checked < CHECK_EVERY_S:
            return
        self._checked = time.monotonic()
        held = [
            (series.last_read, sum(part.columns.nbytes for part in series.parts), run, series)
            for run in list(store.runs.values())
            for series in list(run.each_series())
        ]
        excess = sum(size for _, size, _, _ in held) - self.limit_bytes
        if excess <= 0:
            return
        excess += int(self.limit_bytes * (1 - HEADROOM))
        cold: dict[str, tuple[RunStage, list[SeriesStage]]] = {}
        for _, size, run, series in sorted(held, key=lambda each: each[0]):
            if excess <= 0:
                break
            excess -= size
            cold.setdefault(run.name, (run, []))[1].append(series)
        # Skip runs that a loader is changing; the next check gets them.
        locked = [(run, group) for run, group in cold.values() if run.lock.acquire(blocking=False)]
        try:
            self._move(
                [
                    part.columns
                    for _, group in locked
                    for series in group
                    for part in series.parts
                    if part.columns.nbytes
                ]
            )
        finally:
            for run, _ in locked:
                run.lock.release()
            # Columns are small: what they freed lies between others, and the C library keeps it.
            give_back()

    def let_go(self) -> None:
        """Give up memory that reading from cache files took; the next reader gets it from the file again. Called now and then."""
        if time.monotonic() - self._let_go < LET_GO_EVERY_S:
            return
        self._let_go = time.monotonic()
        for each in list(self._maps):
            if hasattr(each, "madvise"):
                # Nothing is ever written to it, so no change is lost.
                each.madvise(mmap.MADV_DONTNEED)

    def _move(self, columns: list[Columns]) -> None:
        """Write columns to a new cache file and map them from there.

        Columns that grow move back to memory; the file is gone when its last column has.
        """
        if not columns:
            return
        with tempfile.TemporaryFile(prefix="runglass-") as file:
            at = 0
            places = []
            for each in columns:
                self.moved_bytes += each.nbytes
                file.seek(at)
                widths = each.dump(file)
                places.append((each, at, widths))
                at = _round_up(at + each.count * sum(widths), 8)
            file.truncate(at)
            file.flush()
            mapped = mmap.mmap(file.fileno(), at, access=mmap.ACCESS_COPY)
            self._maps.add(mapped)
            region = memoryview(mapped)
        for each, start, widths in places:
            each.restore(region[start : start + each.count * sum(widths)], widths)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
