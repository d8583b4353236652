"""A log directory that is followed while a test changes it. Waits for what should happen, never for time to pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from runglass.ingest.roots import LogRoot, parse_root
from runglass.ingest.watch import LogdirWatch
from runglass.query.local import LocalSource
from runglass.store.budget import MemoryBudget
from runglass.store.model import SeriesKey
from runglass.store.stage import Store

# Long enough for the slowest machine; a test that passes never waits for it.
DEADLINE_S = 30.0


class Following:
    def __init__(
        self, roots: list[LogRoot], *, reload_interval_s: float, budget: MemoryBudget | None
    ) -> None:
        self.store = Store([root.shown for root in roots])
        self.source = LocalSource(self.store)
        self.watch = LogdirWatch(self.store, roots, reload_interval_s=reload_interval_s, budget=budget)

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while True:
            generation = self.store.generation
            if is_so():
                return
            left = deadline - time.monotonic()
            assert left > 0, f"it did not happen in time; runs: {self.runs}"
            self.store.wait_for_change(generation, left)

    @property
    def runs(self) -> list[str]:
        return sorted(self.store.runs)

    def tags(self, run: str) -> list[str]:
        found = self.store.runs.get(run)
        return list(found.series) if found is not None else []

    def values(self, run: str = "run", tag: str = "loss") -> list[float]:
        """All points of a series; nothing where there is none."""
        if tag not in self.tags(run):
            return []
        columns = self.source.read_columns([SeriesKey(run, tag), SeriesKey(run, "")], attempts="all")
        return columns[0].value.tolist() if columns else []

    def assets(self) -> dict[str, list[str]]:
        """By run, the names of its assets."""
        found: dict[str, list[str]] = {run: [] for run in self.runs}
        for asset in self.source.list_assets():
            found.setdefault(asset.run, []).append(asset.name)
        return found

    def wait_for_assets(self, expected: dict[str, list[str]]) -> None:
        self.wait_for(lambda: self.assets() == expected)

    def wait_for_values(self, expected: list[float], run: str = "run", tag: str = "loss") -> None:
        self.wait_for(lambda: self.values(run, tag) == expected)


@contextmanager
def following(
    *logdirs: Path | LogRoot, reload_interval_s: float = 0.05, budget: MemoryBudget | None = None
) -> Iterator[Following]:
    roots = [each if isinstance(each, LogRoot) else parse_root(str(each)) for each in logdirs]
    found = Following(roots, reload_interval_s=reload_interval_s, budget=budget)
    found.watch.start()
    try:
        found.wait_for(lambda: found.store.progress.is_loaded)
        yield found
    finally:
        found.watch.stop()
