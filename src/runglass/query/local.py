"""LocalSource: the DataSource over a Store in this process. Reads never wait for loading."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from runglass.errors import AssetGone, ValueDamaged
from runglass.lru import LruCache
from runglass.native.columns import Columns as StoredColumns
from runglass.native.steps import StepUnion, unite_steps
from runglass.query.long_lines import LONG_STATS
from runglass.query.long_reads import LongReads, starts_elsewhere
from runglass.query.named_assets import choose_assets
from runglass.query.source import (
    AssetReader,
    Capability,
    Columns,
    Int64,
    RunColumn,
    Summary,
    Values,
)
from runglass.query.summaries import from_index
from runglass.query.unknown import run_unknown, series_unknown
from runglass.query.value_rows import choose_rows
from runglass.store.assets import AssetStage, FileReader, find_named
from runglass.store.blobs import load_rows
from runglass.store.model import (
    Asset,
    Attempts,
    Family,
    FileHealth,
    Kind,
    Progress,
    RemoteStatus,
    RunInfo,
    SeriesInfo,
    SeriesKey,
)
from runglass.store.reach import Place, shown_name
from runglass.store.snapshot import Snapshot, read_snapshot
from runglass.store.stage import COUNT_BITS, RunStage, SeriesStage, Store

# Statistics that an index knows of a series.
INDEXED_STATS = frozenset({"last", "first", "min", "max", "mean", "count"})
MAX_UNIONS = 3

TagSets = tuple[dict[str, int], list[dict[str, str]]]


class _LocalValues(Values, frozen=True):
    run: RunStage
    snapshot: Snapshot


class LocalSource(LongReads):
    def __init__(
        self,
        store: Store,
        *,
        keeps_overwritten: bool = False,
        capabilities: frozenset[Capability] = frozenset({Capability.ASSETS}),
        list_missing: Callable[[], list[str]] = list,
        list_remote: Callable[[], list[RemoteStatus]] = list,
    ) -> None:
        """`capabilities` depend on what fills the store, and so does how its locations are doing."""
        super().__init__(store, keeps_overwritten=keeps_overwritten)
        self._list_remote = list_remote
        self.list_missing = list_missing
        self.capabilities = capabilities
        # By kind: the answer of list_tag_sets, and its generation.
        self._tag_sets: dict[Kind | None, tuple[int, TagSets]] = {}
        # The steps of the series that were asked for last: a page that follows them asks again with every change.
        self._unions: LruCache[object, StepUnion] = LruCache(MAX_UNIONS)
        self._unions_lock = threading.Lock()

    @property
    def generation(self) -> int:
        return self._store.generation

    @property
    def locations(self) -> list[str]:
        return self._store.locations

    def list_remote(self) -> list[RemoteStatus]:
        return self._list_remote()

    def progress(self) -> Progress:
        return self._store.progress

    def wait_for_change(self, generation: int, *, timeout_s: float) -> int:
        return self._store.wait_for_change(generation, timeout_s)

    # -- listing

    def list_runs(self) -> list[RunInfo]:
        infos = [run.info() for run in list(self._store.runs.values())]
        return sorted(infos, key=lambda info: (info.start_time is None, info.start_time or 0.0, info.name))

    def list_series(self, *, run: str | None = None, kind: Kind | None = None) -> list[SeriesInfo]:
        runs = list(self._store.runs.values()) if run is None else [self._run(run)]
        listed = []
        for each in runs:
            for series in list(each.series.values()):
                other = each.others.get(series.tag)
                if kind is None or series.meta.kind == kind:
                    listed.append(
                        SeriesInfo(
                            key=SeriesKey(each.name, series.tag),
                            meta=series.meta,
                            count=series.count,
                            generation=series.generation,
                            other_kind=other.meta.kind if other is not None else None,
                        )
                    )
        return listed

    def list_tag_sets(self, *, kind: Kind | None = None) -> tuple[dict[str, int], list[dict[str, str]]]:
        # Every chart asks for it, and the answer changes only with the generation.
        generation = self._store.generation
        known = self._tag_sets.get(kind)
        if known is None or known[0] != generation:
            known = self._tag_sets[kind] = generation, self._make_tag_sets(kind)
        return known[1]

    def _make_tag_sets(self, kind: Kind | None) -> TagSets:
        runs: dict[str, int] = {}
        sets: list[dict[str, str]] = []
        numbers: dict[tuple[object, ...], int] = {}
        for run in list(self._store.runs.values()):
            listed = list(run.series.items())
            # The kinds themselves and not their values, which cost more than all the rest.
            tags: list[tuple[str, Kind]]
            if kind is None:
                tags = [(tag, series.meta.kind) for tag, series in listed]
            else:
                tags = [
                    (tag, kind)
                    for tag, series in listed
                    if series.meta.kind is kind or (run.others and run.find_series(tag, kind) is not None)
                ]
            key = tuple(tags)
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(sets)
                sets.append({tag: each.value for tag, each in tags})
            runs[run.name] = number
        return runs, sets

    def list_files(self, *, run: str | None = None) -> list[FileHealth]:
        runs = sorted(self._store.runs.items()) if run is None else [(run, self._run(run))]
        found = [health for _, each in runs for health in each.healths()]
        return found if run is not None else found + list(self._store.unreadable.values())

    def list_assets(self, *, run: str | None = None, family: Family | None = None) -> list[Asset]:
        runs = list(self._store.runs.values()) if run is None else [self._run(run)]
        assets = [stage.asset for each in runs for stage in list(each.assets.values())]
        return choose_assets(self, assets, family=family)

    def find_assets(self, asset: Asset, path: str, *, family: Family) -> list[Asset]:
        run, place, stage = self._asset(asset)
        # An absolute path stays as it is.
        named = os.path.join(os.path.dirname(stage.path), path)
        where = f"{asset.run}/{asset.name} names {shown_name(path)!r}"
        found = find_named(place, named, family=family, where=where)
        return [run.put_named(each, state, family=family).asset for each, state in found]

    def open_asset(self, asset: Asset) -> AssetReader:
        _, place, stage = self._asset(asset)
        return FileReader(stage, asset, place)

    def _asset(self, asset: Asset) -> tuple[RunStage, Place, AssetStage]:
        run = self._store.runs.get(asset.run)
        stage = run.find_asset(asset.name, asset.family) if run is not None else None
        if run is None or run.place is None or stage is None:
            where = f"{asset.run}/{asset.name}"
            raise AssetGone(f"{where}: this file is no longer there. List the assets again.", where=where)
        return run, run.place, stage

    def list_changes(self, *, since: int) -> tuple[int, list[str] | None]:
        now = self._store.generation
        if since < self._store.removed_at:
            return now, None
        return now, [run.name for run in list(self._store.runs.values()) if run.changed_at > since]

    # -- reading

    def _read_stored(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        if len(keys) == 1:
            # One key asks for that series, so an unknown one is an error. Many come from a page that may be out of date.
            self._series(keys[0], Kind.SCALAR)
        found = []
        for number, key in enumerate(keys):
            run = self._store.runs.get(key.run)
            series = run.find_series(key.tag, Kind.SCALAR) if run is not None else None
            if run is None or series is None or not series.is_points:
                continue
            snapshot = self._snapshot(run, series)
            found.append(
                _columns(SeriesKey(*key), snapshot, attempts, since[number] if since is not None else None)
            )
        return found

    def read_last_values(self, runs: Sequence[str], tag: str) -> list[float | None]:
        if tag.startswith("="):
            return super().read_last_values(runs, tag)
        known = self._store.runs
        found: list[float | None] = []
        # A table of ten thousand runs asks for tens of thousands of series, most of which have one file and one attempt.
        others: list[int] = []
        for place, name in enumerate(runs):
            run = known.get(name)
            series = None if run is None else run.find_series(tag, Kind.SCALAR)
            value = None
            if run is not None and series is not None and series.is_points:
                parts = series.parts
                if len(parts) == 1 and not parts[0].starts and len(run.files) == 1:
                    value = parts[0].columns.last_value()
                else:
                    value = self._read_long_value(SeriesKey(name, tag), "last")
                    if value is None:
                        others.append(place)
            found.append(value)
        for place, value in zip(
            others, super().read_last_values([runs[place] for place in others], tag), strict=True
        ):
            found[place] = value
        return found

    def read_summaries(self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest") -> list[Summary]:
        known = {key: told for key in keys if (told := self._find_summary(key[0], key[1])) is not None}
        others = [key for key in keys if key not in known]
        read = super().read_summaries(others, attempts=attempts) if others else []
        if not known:
            return read
        found = {each.key: each for each in read}
        every = (found.get(key) or known.get(key) for key in keys)
        return [each for each in every if each is not None]

    def read_run_columns(self, runs: Sequence[str], columns: Sequence[RunColumn]) -> list[dict[str, float]]:
        found = []
        for column in columns:
            values: dict[str, float] = {}
            others = list(runs)
            if column.stat in INDEXED_STATS:
                told = {run: self._find_summary(run, column.tag) for run in runs}
                others = [run for run, summary in told.items() if summary is None]
                for run, summary in told.items():
                    value = None if summary is None else getattr(summary, column.stat)
                    if value is not None:
                        values[run] = value
            if column.stat in LONG_STATS:
                told_long = {
                    run: self._read_long_value(SeriesKey(run, column.tag), column.stat) for run in others
                }
                values.update({run: value for run, value in told_long.items() if value is not None})
                others = [run for run in others if run not in values]
            if others:
                values.update(super().read_run_columns(others, [column])[0])
            found.append({run: values[run] for run in runs if run in values})
        return found

    def _find_summary(self, run: str, tag: str) -> Summary | None:
        """Of a series that comes from an index, has one file and one attempt: without reading its rows."""
        stage = self._store.runs.get(run)
        series = None if stage is None or len(stage.files) != 1 else stage.find_series(tag, Kind.SCALAR)
        if series is None or not series.is_points or len(series.parts) != 1 or series.parts[0].starts:
            return None
        columns = series.parts[0].columns
        told = columns.summary()
        return None if told is None else from_index(SeriesKey(run, tag), columns.count, told)

    def read_values(
        self, key: SeriesKey, *, kind: Kind | None = None, attempts: Attempts = "latest"
    ) -> Values:
        run, series = self._series(key, kind)
        snapshot = self._snapshot(run, series)
        rows = snapshot.rows(attempts)
        return _LocalValues(
            key=key,
            meta=series.meta,
            generation=snapshot.generation,
            **choose_rows(snapshot.arrays, snapshot.segment, rows, is_points=series.is_points),
            run=run,
            snapshot=snapshot,
        )

    def read_steps(
        self,
        runs: Sequence[str],
        *,
        kinds: Collection[Kind] | None = None,
        tags: Collection[str] | None = None,
    ) -> Int64:
        found: list[StoredColumns | Int64] = []
        for run in (self._store.runs.get(name) for name in runs):
            if run is None:
                continue
            for series in list(run.each_series()):
                if (kinds is not None and series.meta.kind not in kinds) or (
                    tags is not None and series.tag not in tags
                ):
                    continue
                parts = series.parts
                if len(parts) == 1 and not parts[0].starts and len(run.files) == 1:
                    # Without restarts nothing is overwritten. A page asks for tens of thousands of such series.
                    found.append(parts[0].columns)
                else:
                    snapshot = self._snapshot(run, series)
                    rows = snapshot.rows("latest")
                    step = snapshot.arrays[0]
                    found.append(step if rows is None else step[rows])
        if len(runs) == 1:
            return unite_steps(found)
        key = tuple(runs), _frozen(kinds), _frozen(tags)
        with self._unions_lock:
            union = self._unions.get(key)
            if union is None:
                union = StepUnion()
                self._unions.put(key, union)
            return union.read(found)

    def load_value(self, values: Values, index: int) -> Any:
        (value,) = self.load_values(values, [index])
        if isinstance(value, ValueDamaged):
            raise value
        return value

    def load_values(self, values: Values, indices: Sequence[int]) -> list[Any]:
        assert isinstance(values, _LocalValues)
        snapshot = values.snapshot
        rows = indices if values.rows is None else values.rows[np.asarray(indices, np.int64)].tolist()
        if values.size_bytes is None:
            return [float(snapshot.arrays[2][row]) for row in rows]

        def find_file(file: int) -> tuple[str, str]:
            return snapshot.files[file].path, snapshot.files[file].shown

        loaded = load_rows(rows, snapshot.arrays[2:], snapshot.file_of_row, find_file)
        return [data if isinstance(data, ValueDamaged) else _decoded(values, data) for data in loaded]

    def _snapshot(self, run: RunStage, series: SeriesStage) -> Snapshot:
        snapshot = read_snapshot(series, starts_elsewhere(run, series))
        if self._keeps_overwritten and snapshot.latest is not None:
            return replace(snapshot, latest=None)
        return snapshot

    def _run(self, name: str) -> RunStage:
        run = self._store.runs.get(name)
        if run is None:
            raise run_unknown(name, self._store.runs)
        return run

    def _series(self, key: SeriesKey, kind: Kind | None) -> tuple[RunStage, SeriesStage]:
        run = self._run(key.run)
        series = run.find_series(key.tag, kind)
        if series is None:
            known = [tag for tag in list(run.series) if run.find_series(tag, kind) is not None]
            raise series_unknown(key, known, wanted=f"{kind} series" if kind else "series")
        return run, series


def _frozen(names: Collection[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _decoded(values: _LocalValues, data: bytes) -> Any:
    try:
        return values.run.decode(data, values.meta)
    except ValueDamaged as damage:
        return damage


def _columns(key: SeriesKey, snapshot: Snapshot, attempts: Attempts, since: int | None) -> Columns:
    step, wall_time, value = snapshot.arrays
    segment = snapshot.segment
    rows = snapshot.rows(attempts)
    offset = 0
    if since is not None and since >> COUNT_BITS == snapshot.generation >> COUNT_BITS:
        # Within an epoch old rows never change, so their number is where the new rows begin.
        offset = min(since & ((1 << COUNT_BITS) - 1), len(step))
    if rows is not None:
        rows = rows[rows >= offset]
        offset = int(snapshot.latest[:offset].sum()) if snapshot.latest is not None else offset
        return Columns(
            key, snapshot.generation, offset, step[rows], wall_time[rows], value[rows], segment[rows]
        )
    if offset:
        step, wall_time, value, segment = step[offset:], wall_time[offset:], value[offset:], segment[offset:]
    read_pyramid = snapshot.read_pyramid if snapshot.long_part is not None and not offset else None
    overwritten = None
    if snapshot.latest is not None and not snapshot.latest[offset:].all():
        overwritten = ~snapshot.latest[offset:]
    return Columns(
        key, snapshot.generation, offset, step, wall_time, value, segment, overwritten, read_pyramid
    )
