"""ClickHouseSource: the DataSource over a database that `runglass ingest` fills. The same questions, the same answers.

The runs are polled and known here (catalog.py); everything else is asked for in SQL. Values that are not numbers, and assets, are
read from where the logs are.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import numpy as np

from runglass.clickhouse.catalog import Catalog, RunRow
from runglass.clickhouse.client import Client
from runglass.clickhouse.ids import POINTS, tag_id
from runglass.clickhouse.reading import (
    KnownSeries,
    StoredSeries,
    count_known,
    make_series,
    read_numbers,
    read_parts,
    read_points,
    read_ranges,
    split,
)
from runglass.clickhouse.rows import AssetRow, PartState
from runglass.clickhouse.run_state import STATE_FIELDS, SeriesRow, part_state, series_row
from runglass.clickhouse.sql import answer
from runglass.clickhouse.statistics import TABLE_STATISTICS, RunNumbers, summary_of
from runglass.errors import AssetGone, RunUnknown, SeriesUnknown, ValueDamaged
from runglass.ingest.run_loader import decode
from runglass.lru import LruCache
from runglass.query.derived import DerivedReads
from runglass.query.named_assets import choose_assets
from runglass.query.source import AssetReader, Capability, Columns, Int64, RunColumn, SqlRows, Summary, Values
from runglass.query.unknown import run_unknown, series_unknown
from runglass.query.value_rows import choose_rows
from runglass.store.assets import AssetStage, FileReader, find_named, stage_asset
from runglass.store.blobs import load_rows
from runglass.store.model import (
    Asset,
    Attempts,
    Family,
    FileHealth,
    FileState,
    Kind,
    Progress,
    RunInfo,
    SeriesInfo,
    SeriesKey,
)
from runglass.store.reach import Place, shown_name


class _StoredValues(Values, frozen=True):
    series: StoredSeries
    # value; or record, value_at, value_size: of all attempts.
    stored: tuple[Any, ...]
    part_of_row: Any


class RunSeries(msgspec.Struct):
    """The series of a run: by tag, in the order they were first seen, each with the second one of its tag."""

    by_tag: dict[str, tuple[SeriesRow, SeriesRow | None]]

    def find(self, tag: str, kind: Kind | None) -> SeriesRow | None:
        first, other = self.by_tag.get(tag, (None, None))
        if first is None or kind is None or first.meta.kind == kind:
            return first
        return other if other is not None and other.meta.kind == kind else None


class ClickHouseSource(DerivedReads):
    capabilities: frozenset[Capability]

    def __init__(
        self, client: Client, catalog: Catalog, *, is_live: bool = False, keeps_overwritten: bool = False
    ) -> None:
        self._client = client
        self._catalog = catalog
        self._db = client.address.database
        self._keeps_overwritten = keeps_overwritten
        self.capabilities = frozenset(
            {Capability.ASSETS, Capability.SQL} | ({Capability.LIVE} if is_live else set())
        )
        # The series of runs by run and generation, the tags of tag sets by their number.
        self._series_of: LruCache[tuple[str, int], RunSeries] = LruCache(20_000)
        self._known_series = KnownSeries(client)
        self._tag_sets: dict[int, list[tuple[str, Kind, Kind | None]]] = {}
        self._named: dict[tuple[str, str], AssetStage] = {}

    @property
    def generation(self) -> int:
        return self._catalog.generation

    @property
    def locations(self) -> list[str]:
        return [self._client.address.shown]

    def list_missing(self) -> list[str]:
        return []

    def progress(self) -> Progress:
        infos = [run.info for run in list(self._catalog.runs.values())]
        size_bytes = sum(info.size_bytes for info in infos)
        is_loaded = self._catalog.is_loaded or bool(self._catalog.trouble)
        return Progress(is_loaded, len(infos), len(infos), size_bytes, size_bytes)

    def wait_for_change(self, generation: int, *, timeout_s: float) -> int:
        return self._catalog.wait(generation, timeout_s)

    def list_changes(self, *, since: int) -> tuple[int, list[str] | None]:
        now = self._catalog.generation
        if since < self._catalog.removed_at:
            return now, None
        return now, [run.name for run in list(self._catalog.runs.values()) if run.changed_at > since]

    # -- listing

    def list_runs(self) -> list[RunInfo]:
        infos = [run.info for run in list(self._catalog.runs.values())]
        return sorted(infos, key=lambda info: (info.start_time is None, info.start_time or 0.0, info.name))

    def list_series(self, *, run: str | None = None, kind: Kind | None = None) -> list[SeriesInfo]:
        runs = list(self._catalog.runs.values()) if run is None else [self._run(run)]
        wanted = {each.run_id for each in runs}
        only = f"WHERE run_id = {runs[0].run_id}" if run is not None else ""
        found = self._client.query(
            f"SELECT run_id, tag_id, file_id, {', '.join(STATE_FIELDS)} FROM {self._db}.parts FINAL {only}"
        )
        parts: dict[tuple[int, int], list[tuple[int, PartState]]] = {}
        for run_id, identity, file_id, *values in found.rows():
            if run_id in wanted:
                parts.setdefault((run_id, identity), []).append((file_id, part_state(values)))
        listed = []
        series_of = self._read_series(runs)
        for each in runs:
            for tag, (row, other) in series_of[each.run_id].by_tag.items():
                series = make_series(
                    each,
                    tag_id(tag, row.slot),
                    parts.get((each.run_id, tag_id(tag, row.slot)), ()),
                )
                if series.parts and (kind is None or row.meta.kind == kind):
                    listed.append(
                        SeriesInfo(
                            key=SeriesKey(each.name, tag),
                            meta=row.meta,
                            count=series.count,
                            generation=series.generation,
                            other_kind=other.meta.kind if other is not None else None,
                        )
                    )
        return listed

    def list_tag_sets(self, *, kind: Kind | None = None) -> tuple[dict[str, int], list[dict[str, str]]]:
        runs: dict[str, int] = {}
        sets: list[dict[str, str]] = []
        numbers: dict[tuple[object, ...], int] = {}
        shown = list(self._catalog.runs.values())
        # Runs of a project log the same tags, so that few of ten thousand have to be asked for.
        unknown = {run.tag_set: run for run in shown if run.tag_set not in self._tag_sets}
        for run_id, series in self._read_series(list(unknown.values())).items() if unknown else ():
            (number,) = [number for number, run in unknown.items() if run.run_id == run_id]
            self._tag_sets[number] = [
                (tag, row.meta.kind, other.meta.kind if other is not None else None)
                for tag, (row, other) in series.by_tag.items()
            ]
        for run in shown:
            tags = [
                (tag, first if kind is None else kind)
                for tag, first, other in self._tag_sets[run.tag_set]
                if kind is None or kind in (first, other)
            ]
            number = numbers.setdefault(tuple(tags), len(sets))
            if number == len(sets):
                sets.append({tag: each.value for tag, each in tags})
            runs[run.name] = number
        return runs, sets

    def _series(self, run: RunRow) -> RunSeries:
        return self._read_series([run])[run.run_id]

    def _read_series(self, runs: Sequence[RunRow]) -> dict[int, RunSeries]:
        """The series of some runs by their ids; those that are not known are asked for together."""
        known = {run.run_id: self._series_of.get((run.name, run.generation)) for run in runs}
        unknown = [run for run in runs if known[run.run_id] is None]
        if unknown:
            read = self._load_series(unknown)
            for run in unknown:
                self._series_of.put((run.name, run.generation), read[run.run_id])
            known.update(read)
        return {run_id: series for run_id, series in known.items() if series is not None}

    def _load_series(self, runs: Sequence[RunRow]) -> dict[int, RunSeries]:
        found = self._client.query(
            "SELECT run_id, tag, slot, is_other, position, kind, plugin, display_name, description, content "
            f"FROM {self._db}.series_rows FINAL WHERE run_id IN ({','.join(str(run.run_id) for run in runs)}) "
            "ORDER BY run_id, is_other, position"
        )
        read: dict[int, RunSeries] = {run.run_id: RunSeries({}) for run in runs}
        for run_id, *values in found.rows():
            row = series_row(values)
            by_tag = read[run_id].by_tag
            if row.is_other and row.tag in by_tag:
                by_tag[row.tag] = by_tag[row.tag][0], row
            else:
                by_tag[row.tag] = row, None
        return read

    def list_files(self, *, run: str | None = None) -> list[FileHealth]:
        if run is not None:
            return self._run(run).healths()
        runs = sorted(self._catalog.runs.items())
        found = [health for _, each in runs for health in each.healths()] + self._catalog.unreadable
        if self._catalog.trouble:
            shown = self._client.address.shown
            advice = "What was read before is shown. Runglass tries again."
            found.append(
                FileHealth("", shown, FileState.UNREADABLE, 0, 0, 0, 0, None, self._catalog.trouble, advice)
            )
        return found

    # -- assets

    def list_assets(self, *, run: str | None = None, family: Family | None = None) -> list[Asset]:
        runs = list(self._catalog.runs.values()) if run is None else [self._run(run)]
        having = [each for each in runs if each.info.assets]
        assets = [stage.asset for each in self._read_assets(having).values() for stage in each.values()]
        return choose_assets(self, assets, family=family)

    def _read_assets(self, runs: Sequence[RunRow]) -> dict[str, dict[str, AssetStage]]:
        if not runs:
            return {}
        names = {run.run_id: run.name for run in runs}
        found = self._client.query(
            f"SELECT run_id, assets FROM {self._db}.asset_rows FINAL WHERE run_id IN ({','.join(map(str, names))})"
        )
        return {
            names[run_id]: {
                name: row.stage(names[run_id], name)
                for name, row in msgspec.json.decode(text, type=dict[str, AssetRow]).items()
            }
            for run_id, text in zip(found["run_id"].tolist(), found["assets"], strict=True)
        }

    def find_assets(self, asset: Asset, path: str, *, family: Family) -> list[Asset]:
        place, stage = self._asset(asset)
        named = os.path.join(os.path.dirname(stage.path), path)
        where = f"{asset.run}/{asset.name} names {shown_name(path)!r}"
        found = []
        for each, state in find_named(place, named, family=family, where=where):
            key = asset.run, shown_name(each)
            now = stage_asset(self._named.get(key), state, run=asset.run, family=family, path=each)
            self._named[key] = now
            found.append(now.asset)
        return found

    def open_asset(self, asset: Asset) -> AssetReader:
        place, stage = self._asset(asset)
        return FileReader(stage, asset, place)

    def _asset(self, asset: Asset) -> tuple[Place, AssetStage]:
        run = self._catalog.runs.get(asset.run)
        stage = None
        if run is not None:
            stage = self._read_assets([run]).get(run.name, {}).get(asset.name)
            if stage is None or stage.asset.family != asset.family:
                stage = self._named.get((asset.run, asset.name))
        if run is None or stage is None or stage.asset.family != asset.family:
            where = f"{asset.run}/{asset.name}"
            raise AssetGone(f"{where}: this file is no longer there. List the assets again.", where=where)
        return run.place, stage

    # -- reading

    def _read_stored(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        found = self._find(keys)
        if len(keys) == 1 and not found:
            raise self._unknown(keys[0], Kind.SCALAR)
        wanted = []
        for number, _, series in found:
            known = count_known(series, since[number]) if since is not None else 0
            # Which earlier rows stand depends on all steps.
            wanted.append((series, known if len(series.segments) == 1 else 0))
        rows = read_points(self._client, wanted) if wanted else []
        return [
            self._columns(
                key, series, read.arrays, read.offset, attempts, since[number] if since is not None else None
            )
            for (number, key, series), read in zip(found, rows, strict=True)
        ]

    def _find(self, keys: Sequence[SeriesKey]) -> list[tuple[int, SeriesKey, StoredSeries]]:
        """The scalar series among the keys, with their place in them."""
        runs = self._catalog.runs
        wanted = [
            (number, SeriesKey(*key), run)
            for number, key in enumerate(keys)
            if (run := runs.get(key[0])) is not None
        ]
        parts = self._known_series.read([(run, tag_id(key.tag, POINTS)) for _, key, run in wanted])
        return [
            (number, key, series)
            for number, key, run in wanted
            if (series := parts.get((tag_id(key.tag, POINTS), run.run_id))) is not None
        ]

    def _columns(
        self,
        key: SeriesKey,
        series: StoredSeries,
        arrays: tuple[Any, ...],
        offset: int,
        attempts: Attempts,
        since: int | None,
    ) -> Columns:
        step, wall_time, value = arrays
        segment, latest = split(series, step)
        if self._keeps_overwritten:
            latest = None
        if len(series.segments) > 1:
            offset = count_known(series, since)
            rows = None if attempts == "all" or latest is None else np.flatnonzero(latest)
            if rows is not None and latest is not None:
                shown = int(latest[:offset].sum())
                rows = rows[rows >= offset]
                return Columns(
                    key, series.generation, shown, step[rows], wall_time[rows], value[rows], segment[rows]
                )
            step, wall_time, value, segment = (
                step[offset:],
                wall_time[offset:],
                value[offset:],
                segment[offset:],
            )
        overwritten = None
        if latest is not None and not latest[offset:].all():
            overwritten = ~latest[offset:]
        return Columns(key, series.generation, offset, step, wall_time, value, segment, overwritten)

    def read_summaries(self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest") -> list[Summary]:
        if any(key[1].startswith("=") for key in keys):
            return super().read_summaries(keys, attempts=attempts)
        found = self._find(keys)
        if len(keys) == 1 and not found:
            raise self._unknown(keys[0], Kind.SCALAR)
        made = {key: summary_of(key, series) for _, key, series in found}
        others = [key for key, summary in made.items() if summary is None]
        if others:
            read = super().read_summaries(others, attempts=attempts)
            made.update({summary.key: summary for summary in read})
        return [summary for _, key, _ in found if (summary := made[key]) is not None]

    def read_run_columns(self, runs: Sequence[str], columns: Sequence[RunColumn]) -> list[dict[str, float]]:
        known = [run for name in runs if (run := self._catalog.runs.get(name)) is not None]
        simple = {
            column.tag: tag_id(column.tag, POINTS)
            for column in columns
            if column.stat in TABLE_STATISTICS and not column.tag.startswith("=")
        }
        numbers = None
        if known and simple:
            is_all = 2 * len(known) > len(self._catalog.runs)
            found = read_numbers(self._client, known, list(simple.values()), is_all=is_all)
            numbers = RunNumbers(found, known)
        read: list[dict[str, float]] = [{} for _ in columns]
        # The columns whose points must be read, by the runs of which: those of one tag are read once.
        unread: dict[tuple[str, ...], list[int]] = {}
        for number, column in enumerate(columns):
            others: Sequence[str] = runs
            if column.tag in simple and column.stat in TABLE_STATISTICS:
                read[number], others = (
                    ({}, []) if numbers is None else numbers.read(simple[column.tag], column.stat)
                )
            if others:
                unread.setdefault(tuple(others), []).append(number)
        for some, missing in unread.items():
            found_here = super().read_run_columns(some, [columns[number] for number in missing])
            for number, more in zip(missing, found_here, strict=True):
                read[number].update(more)
        return [{run: values[run] for run in runs if run in values} for values in read]

    def read_last_values(self, runs: Sequence[str], tag: str) -> list[float | None]:
        (found,) = self.read_run_columns(runs, [RunColumn(tag, "last")])
        return [found.get(run) for run in runs]

    def read_values(
        self, key: SeriesKey, *, kind: Kind | None = None, attempts: Attempts = "latest"
    ) -> Values:
        run = self._run(key.run)
        row = self._series(run).find(key.tag, kind)
        series = None
        if row is not None:
            identity = tag_id(key.tag, row.slot)
            series = self._known_series.read([(run, identity)]).get((identity, run.run_id))
        if row is None or series is None:
            raise self._unknown(key, kind)
        if row.slot == POINTS:
            (read,) = read_points(self._client, [(series, 0)])
        else:
            (read,) = read_ranges(self._client, [series])
        segment, latest = split(series, read.arrays[0])
        if self._keeps_overwritten:
            latest = None
        rows = None if attempts == "all" or latest is None else np.flatnonzero(latest)
        return _StoredValues(
            key=key,
            meta=row.meta,
            generation=series.generation,
            **choose_rows(read.arrays, segment, rows, is_points=row.slot == POINTS),
            series=series,
            stored=tuple(read.arrays[2:]),
            part_of_row=read.part_of_row,
        )

    def read_steps(
        self,
        runs: Sequence[str],
        *,
        kinds: Collection[Kind] | None = None,
        tags: Collection[str] | None = None,
    ) -> Int64:
        known = [run for name in dict.fromkeys(runs) if (run := self._catalog.runs.get(name)) is not None]
        series_of = self._read_series(known)
        slots = {}
        wanted = []
        for run in known:
            for tag, both in series_of[run.run_id].by_tag.items():
                for row in filter(None, both):
                    if (kinds is None or row.meta.kind in kinds) and (tags is None or tag in tags):
                        slots[tag_id(tag, row.slot)] = row.slot
                        wanted.append((run, tag_id(tag, row.slot)))
        found: list[Int64] = [np.empty(0, np.int64)]
        stored = list(read_parts(self._client, wanted).values())
        points = [each for each in stored if slots[each.tag_id] == POINTS]
        ranges = [each for each in stored if slots[each.tag_id] != POINTS]
        rows = [*zip(points, read_points(self._client, [(each, 0) for each in points], "step"), strict=True)]
        rows += zip(ranges, read_ranges(self._client, ranges, "step"), strict=True)
        for each, read in rows:
            step = read.arrays[0]
            latest = split(each, step)[1]
            found.append(step if latest is None or self._keeps_overwritten else step[latest])
        return np.unique(np.concatenate(found))

    def load_value(self, values: Values, index: int) -> Any:
        (value,) = self.load_values(values, [index])
        if isinstance(value, ValueDamaged):
            raise value
        return value

    def load_values(self, values: Values, indices: Sequence[int]) -> list[Any]:
        assert isinstance(values, _StoredValues)
        rows = list(indices) if values.rows is None else values.rows[np.asarray(indices, np.int64)].tolist()
        if values.size_bytes is None:
            return [float(values.stored[0][row]) for row in rows]

        def find_file(part: int) -> tuple[str, str]:
            path = values.series.parts[part].file.path_text
            return path, path

        loaded = load_rows(rows, values.stored, values.part_of_row, find_file)
        return [data if isinstance(data, ValueDamaged) else _decoded(values, data) for data in loaded]

    def read_sql(self, query: str, *, limit: int) -> SqlRows:
        return answer(self._client, query, limit=limit)

    # -- what is not there

    def _run(self, name: str) -> RunRow:
        run = self._catalog.runs.get(name)
        if run is None:
            raise run_unknown(name, self._catalog.runs)
        return run

    def _unknown(self, key: SeriesKey, kind: Kind | None) -> RunUnknown | SeriesUnknown:
        run = self._catalog.runs.get(key[0])
        if run is None:
            return run_unknown(key[0], self._catalog.runs)
        series = self._series(run)
        known = [tag for tag in series.by_tag if series.find(tag, kind) is not None]
        return series_unknown(SeriesKey(*key), known, wanted=f"{kind} series" if kind else "series")


def _decoded(values: _StoredValues, data: bytes) -> Any:
    try:
        return decode(data, values.meta)
    except ValueDamaged as damage:
        return damage
