"""Keeps the store's columns within a memory budget: past it, the ones read longest ago move to a memory-mapped cache file.

Nothing is dropped: a moved series reads as before, from disk. The file has no name, so it goes with the process.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from pathlib import Path
from typing import IO

from runglass.native.columns import Columns
from runglass.store.stage import RunStage, SeriesStage, Store

# Move somewhat more than needed, so that the next few rows do not start it all again.
HEADROOM = 0.9
CHECK_EVERY_S = 1.0


def default_budget_bytes() -> int:
    """Half of what this machine, or the container it runs in, has."""
    limits = []
    try:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        limits.append(8 << 30)
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            limits.append(int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return min(limits) // 2


class MemoryBudget:
    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.moved_bytes = 0
        self._file: IO[bytes] | None = None
        self._checked = 0.0

    def __del__(self) -> None:
        # Columns that were moved keep what they map of it.
        if self._file is not None:
            self._file.close()

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
        for run, group in cold.values():
            # A run that is being loaded right now gets its turn at the next check.
            if run.lock.acquire(blocking=False):
                try:
                    self._move(
                        [part.columns for series in group for part in series.parts if part.columns.nbytes]
                    )
                finally:
                    run.lock.release()

    def _move(self, columns: list[Columns]) -> None:
        """Write columns to the cache file and let them continue there, mapped in one piece."""
        if not columns:
            return
        if self._file is None:
            # Open for as long as columns live in it.
            self._file = tempfile.TemporaryFile(prefix="runglass-")  # noqa: SIM115
        file = self._file
        begin = _round_up(file.seek(0, os.SEEK_END), mmap.ALLOCATIONGRANULARITY)
        at = begin
        places = []
        for each in columns:
            self.moved_bytes += each.nbytes
            file.seek(at)
            widths = each.dump(file)
            places.append((each, at - begin, widths))
            at = _round_up(at + each.count * sum(widths), 8)
        file.truncate(at)
        file.flush()
        region = memoryview(mmap.mmap(file.fileno(), at - begin, access=mmap.ACCESS_COPY, offset=begin))
        for each, start, widths in places:
            each.restore(region[start : start + each.count * sum(widths)], widths)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
