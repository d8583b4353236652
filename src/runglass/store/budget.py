"""Keeps the store's columns within a memory budget: past it, the ones read longest ago move to a memory-mapped cache file.

Nothing is dropped: a moved series reads as before, from disk. The file has no name, so nothing is left behind.
"""

from __future__ import annotations

import mmap
import tempfile
import time

from runglass.machine import read_memory_bytes
from runglass.native.columns import Columns
from runglass.store.stage import RunStage, SeriesStage, Store

# Move somewhat more than needed, so that the next few rows do not start it all again.
HEADROOM = 0.9
CHECK_EVERY_S = 1.0


def default_budget_bytes() -> int:
    """Half of what this machine, or the container it runs in, has."""
    return read_memory_bytes() // 2


class MemoryBudget:
    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.moved_bytes = 0
        self._checked = 0.0

    def enforce(self, store: Store, *, at_once: bool = False) -> None:
        """Move the coldest columns out while the store holds more than its budget. Called by the publishing thread alone."""
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
        # A run that is being changed right now gets its turn at the next check.
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

    def _move(self, columns: list[Columns]) -> None:
        """Write columns to a cache file and let them continue there, mapped in one piece.

        A file for each time: columns that grow come back to memory, and when the last one has, its file is gone.
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
            region = memoryview(mmap.mmap(file.fileno(), at, access=mmap.ACCESS_COPY))
        for each, start, widths in places:
            each.restore(region[start : start + each.count * sum(widths)], widths)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
