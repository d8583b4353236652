"""The writable half of the store: runs with their files, series and assets. One loader at a time changes a run.

Rows are in native Columns that only grow, so readers (snapshot.py) never wait for a loader. Knows nothing of how files are found
or decoded.
"""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct, field

from runglass.store.assets import AssetStage, stage_asset
from runglass.store.model import SEVERITY, Family, FileHealth, FileState, Kind, Progress, RunInfo, SeriesMeta
from runglass.store.parts import FileStage, Part, Start, file_order
from runglass.store.reach import Place, shown_name
from runglass.store.segments import find_segments

# Generations pack an epoch above a row count, so that a delta needs no history: same epoch, more rows. 53 bits in all, because
# browsers hold numbers as doubles.
COUNT_BITS = 40
EPOCHS = 1 << 12


class Epochs:
    """The first epoch of new series: above those of all removed series, so that a series never gets an old generation of its tag.

    Each process begins elsewhere: a page that outlives its server must not take the next one's series for what it has already.
    """

    def __init__(self) -> None:
        self.first = random.randrange(EPOCHS // 2)
        self._lock = threading.Lock()

    def retire(self, epoch: int) -> None:
        with self._lock:
            self.first = max(self.first, epoch + 1) % EPOCHS


_epochs = Epochs()


class SeriesStage(Struct):
    """A series: its parts in file order. `parts` is replaced, never changed, so that readers see a consistent tuple."""

    tag: str
    meta: SeriesMeta
    # Points are kept as columns of numbers; all other values as byte ranges.
    is_points: bool
    parts: tuple[Part, ...] = ()
    epoch: int = field(default_factory=lambda: _epochs.first)
    # Whether `meta` comes from metadata, or only from the encoding of the values.
    has_metadata: bool = False
    # Set by readers, so that the memory budget can find cold series.
    last_read: int = 0

    def put_part(self, part: Part) -> None:
        """Add a part, or replace the one of the same file. A series with parts begins a new epoch."""
        part.noted = part.columns.count
        if not self.parts:
            self.parts = (part,)
            return
        others = [each for each in self.parts if each.file is not part.file]
        self.parts = tuple(sorted([*others, part], key=lambda each: file_order(each.file.name)))
        self.begin_epoch()

    def note_growth(self, part: Part, starts: tuple[Start, ...]) -> None:
        # The first row of an attempt determines which earlier rows are overwritten.
        is_first_of_attempt = bool(starts) and starts[-1][0] == part.noted
        if part is not self.parts[-1] or starts != part.starts or is_first_of_attempt:
            part.starts = starts
            self.begin_epoch()
        part.noted = part.columns.count

    def begin_epoch(self) -> None:
        """Make readers read the whole series again, after any change but growth at the end.

        Call it after the change: a reader in between then has the old number for what it read.
        """
        self.epoch = (self.epoch + 1) % EPOCHS

    def drop_file(self, file: FileStage) -> None:
        kept = tuple(part for part in self.parts if part.file is not file)
        if len(kept) != len(self.parts):
            self.parts = kept
            self.begin_epoch()

    @property
    def count(self) -> int:
        parts = self.parts
        return parts[0].columns.count if len(parts) == 1 else sum(part.columns.count for part in parts)

    @property
    def generation(self) -> int:
        return self.epoch << COUNT_BITS | self.count


class RunStage(Struct):
    name: str
    # Decodes a value of this run: (its bytes, its series' meta) -> value.
    decode: Callable[[bytes, SeriesMeta], Any]
    files: dict[str, FileStage] = field(default_factory=dict)
    series: dict[str, SeriesStage] = field(default_factory=dict)
    # Second series of tags with both numbers and blobs; the first one is in `series`.
    others: dict[str, SeriesStage] = field(default_factory=dict)
    # None if the run is not a directory on this machine; then it has no assets.
    place: Place | None = None
    # By name: assets that the walk found, and files that assets name, once they were requested.
    assets: dict[str, AssetStage] = field(default_factory=dict)
    named: dict[str, AssetStage] = field(default_factory=dict)
    changed_at: int = 0
    # Hold it to change the run's columns.
    lock: threading.Lock = field(default_factory=threading.Lock)
    _info: tuple[int, RunInfo] | None = None

    def each_series(self) -> Iterator[SeriesStage]:
        return itertools.chain(self.series.values(), self.others.values())

    def find_series(self, tag: str, kind: Kind | None = None) -> SeriesStage | None:
        first = self.series.get(tag)
        if first is None or kind is None or first.meta.kind == kind:
            return first
        other = self.others.get(tag)
        return other if other is not None and other.meta.kind == kind else None

    def drop_file(self, name: str) -> None:
        file = self.files.pop(name, None)
        if file is None:
            return
        for group in (self.series, self.others):
            for tag, series in list(group.items()):
                series.drop_file(file)
                if not series.parts:
                    _epochs.retire(series.epoch)
                    del group[tag]
                elif file.start_step is not None:
                    series.begin_epoch()
        for tag in [tag for tag in self.others if tag not in self.series]:
            self.series[tag] = self.others.pop(tag)

    def put_asset(
        self, path: str, found: os.stat_result, *, family: Family, makes_run: bool, grows: bool
    ) -> bool:
        """Add or update an asset by its path below the run's directory; returns whether it changed."""
        name = shown_name(path)
        before = self.assets.get(name)
        now = stage_asset(
            before, found, run=self.name, family=family, path=path, makes_run=makes_run, grows=grows
        )
        self.assets[name] = now
        return now is not before

    def put_named(self, path: str, found: os.stat_result, *, family: Family) -> AssetStage:
        """Add or update a file that an asset names."""
        name = shown_name(path)
        before = self.named.get(name)
        self.named[name] = now = stage_asset(before, found, run=self.name, family=family, path=path)
        return now

    def find_asset(self, name: str, family: Family) -> AssetStage | None:
        for group in (self.assets, self.named):
            found = group.get(name)
            if found is not None and found.asset.family == family:
                return found
        return None

    def retire(self) -> None:
        """The run is gone. Another one of the same name must not get its generations."""
        for series in self.each_series():
            _epochs.retire(series.epoch)

    def info(self) -> RunInfo:
        changed_at = self.changed_at
        if self._info is None or self._info[0] != changed_at:
            self._info = changed_at, self._make_info()
        return self._info[1]

    def _make_info(self) -> RunInfo:
        files = list(self.files.values())
        starts = [file.min_wall_time for file in files if file.min_wall_time is not None]
        ends = [file.max_wall_time for file in files if file.max_wall_time is not None]
        assets = [stage.asset for stage in list(self.assets.values())]
        return RunInfo(
            name=self.name,
            start_time=min(starts, default=None),
            last_wall_time=max(ends, default=None),
            series=len(self.series),
            points=sum(series.count for series in list(self.series.values())),
            files=len(files),
            size_bytes=sum(file.size_bytes for file in files),
            health=max((file.state for file in files), key=SEVERITY.__getitem__, default=FileState.OK),
            restarts=max(
                (
                    len(find_segments(series.parts, series.is_points)) - 1
                    for series in list(self.series.values())
                    if len(series.parts) > 1 or (series.parts and series.parts[0].starts)
                ),
                default=0,
            ),
            assets=len(assets),
            asset_bytes=sum(asset.size_bytes for asset in assets),
            families=frozenset(asset.family for asset in assets),
        )

    def healths(self) -> list[FileHealth]:
        return [
            FileHealth(
                run=self.name,
                path=_as_text(file.shown),
                state=file.state,
                size_bytes=file.size_bytes,
                read_bytes=file.read_bytes,
                records=file.records,
                skipped_records=file.skipped_records,
                byte=file.byte,
                reason=file.reason,
                advice=file.advice,
            )
            for _, file in sorted(self.files.items())
        ]


def _as_text(path: str) -> str:
    """As UTF-8, which JSON needs."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Store:
    """All runs, and a generation that grows when any of them changes."""

    def __init__(self, locations: list[str]) -> None:
        self.locations = locations
        self.runs: dict[str, RunStage] = {}
        # Milliseconds, and then one more with each publication: a server that follows another one at the same address is always
        # ahead of it, so pages can compare what they know of both.
        self.generation = time.time_ns() // 1_000_000
        self.progress = Progress(is_loaded=False, runs_found=0, runs_loaded=0, bytes_found=0, bytes_read=0)
        # The generation at which a run last disappeared. Lists of changes since an earlier one cannot show that.
        self.removed_at = 0
        self.unreadable: dict[str, FileHealth] = {}
        self._changed = threading.Condition()

    def set_unreadable(self, unreadable: dict[str, FileHealth]) -> None:
        """Directories that cannot be listed, by path, as files that cannot be read."""
        if unreadable != self.unreadable:
            self.unreadable = unreadable
            self.publish([])

    def publish(self, runs: list[RunStage], *, removed: bool = False) -> None:
        """Tell readers that these runs changed."""
        with self._changed:
            self.generation += 1
            for run in runs:
                run.changed_at = self.generation
            if removed:
                self.removed_at = self.generation
            self._changed.notify_all()

    def publish_progress(self, progress: Progress) -> None:
        with self._changed:
            self.progress = progress
            self.generation += 1
            self._changed.notify_all()

    def wait_for_change(self, generation: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self.generation != generation, timeout_s)
            return self.generation
