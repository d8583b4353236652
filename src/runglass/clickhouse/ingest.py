"""Writes what a Store has into the database, once: each row is determined by its file and its number in it.

Order: rows, then how many of them count, then names and files, then the run. Ended anywhere in between, the next pass goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.clickhouse.client import Client
from runglass.clickhouse.generations import next_generation
from runglass.clickhouse.ids import META_GRAPHS, POINTS, RANGES, hash_of, tag_id
from runglass.clickhouse.native_format import Column, to_bytes
from runglass.clickhouse.rows import (
    PART_TYPES,
    AssetRow,
    PartState,
    encode_json,
    file_row,
    part_columns,
    to_latin,
)
from runglass.clickhouse.run_state import RunState, SeriesRow, find_cuts, identify_file, load_states
from runglass.ingest.run_loader import META_GRAPH_PLUGIN
from runglass.query.hparams.sessions import SessionReader
from runglass.query.local import LocalSource
from runglass.sql.tables import hparam_cells
from runglass.store.model import Family, Kind
from runglass.store.parts import Part
from runglass.store.segments import PartFacts, segments_of
from runglass.store.stage import RunStage, SeriesStage, Store

# Rows of one insert, and runs whose state is asked for at once.
BLOCK_ROWS = 1 << 20
RUNS_AT_ONCE = 256
POINT_TYPES = {
    "tag_id": "UInt64",
    "run_id": "UInt64",
    "file_id": "UInt64",
    "row": "UInt32",
    "step": "Int64",
    "wall_time": "Float64",
    "value": "Float32",
    "exact": "Float64",
}
RANGE_TYPES = {
    **dict(list(POINT_TYPES.items())[:6]),
    "record": "UInt64",
    "value_at": "UInt32",
    "value_size": "UInt32",
}
SERIES_TYPES = {
    "run_id": "UInt64",
    "tag_id": "UInt64",
    "tag": "String",
    "slot": "UInt8",
    "is_other": "UInt8",
    "position": "UInt32",
    "kind": "String",
    "plugin": "String",
    "display_name": "String",
    "description": "String",
    "content": "String",
}
RUN_TYPES = {
    "run_id": "UInt64",
    "run": "String",
    "is_removed": "UInt8",
    "root": "String",
    "directory": "String",
    "tag_set": "UInt64",
    "file_rows": "String",
    "start_time": "Nullable(Float64)",
    "last_wall_time": "Nullable(Float64)",
    "series": "UInt64",
    "points": "UInt64",
    "files": "UInt64",
    "size_bytes": "UInt64",
    "health": "String",
    "restarts": "UInt32",
    "assets": "UInt64",
    "asset_bytes": "UInt64",
    "families": "Array(String)",
}
HPARAM_TYPES = {
    "run_id": "UInt64",
    "name": "String",
    "value": "String",
    "number": "Nullable(Float64)",
    "is_removed": "UInt8",
}
CUT_TYPES = {
    "tag_id": "UInt64",
    "run_id": "UInt64",
    "cut_files": "Array(UInt64)",
    "begins": "Array(Int64)",
    "ends": "Array(Int64)",
    "limits": "Array(Int64)",
}


class Written(Struct):
    runs: int = 0
    points: int = 0
    ranges: int = 0


class _Piece(NamedTuple):
    """Rows of a part that are not in the database yet."""

    tag_id: int
    state: RunState
    file_id: int
    slot: int
    part: Part
    arrays: tuple[NDArray[Any], ...]
    begin: int
    end: int

    @property
    def order(self) -> tuple[int, int, int, int]:
        return self.tag_id, self.state.run_id, self.file_id, self.begin


class Ingester:
    """Brings runs of a store into a database. It knows what the database has from the first time it met each run."""

    def __init__(self, client: Client, store: Store) -> None:
        self._client = client
        self._store = store
        self._db = client.address.database
        self._states: dict[str, RunState] = {}
        self._unreadable: dict[str, bytes] = {}
        # Of the rows that are written now.
        self._generation = 0
        self._source = LocalSource(store)
        self._sessions = SessionReader()
        self.written = Written()

    def write(self, runs: Sequence[RunStage]) -> None:
        """Write what is new in these runs. Any error of the database ends it; calling it again goes on."""
        for begin in range(0, len(runs), RUNS_AT_ONCE):
            self._write_some(runs[begin : begin + RUNS_AT_ONCE])
        self._write_unreadable()

    def forget(self) -> None:
        """Ask the database again what it has: after an error, nobody knows what was written."""
        self._states.clear()

    def _write_some(self, runs: Sequence[RunStage]) -> None:
        self._forget_removed(runs)
        unknown = [run.name for run in runs if run.name not in self._states]
        self._states.update(load_states(self._client, unknown))
        stale: list[tuple[int, int]] = []
        pieces: list[_Piece] = []
        waiting = 0
        for run in runs:
            state = self._states[run.name]
            with run.lock:
                stale += self._meet_files(run, state)
                found = list(self._find_new(run, state))
            for piece in found:
                if waiting + piece.end - piece.begin > BLOCK_ROWS and pieces:
                    self._write_rows(pieces)
                    pieces, waiting = [], 0
                pieces.append(piece)
                waiting += piece.end - piece.begin
        self._write_rows(pieces)
        self._drop_meta_graphs(runs)
        # Of this moment: servers look for rows of the last minute.
        self._generation = next_generation(self._client, [self._states[run.name].run_id for run in runs])
        self._write_names(runs)
        self._write_cuts(runs)
        self._write_assets(runs)
        self._write_hparams(runs)
        self._write_runs(runs)
        self._drop_files(stale)
        self.written.runs += len(runs)

    def _forget_removed(self, runs: Sequence[RunStage]) -> None:
        """Retention, here or elsewhere, may have removed a run that goes on: it comes in again as a whole."""
        known = {self._states[run.name].run_id: run.name for run in runs if run.name in self._states}
        if known:
            found = self._client.query(
                f"SELECT run_id FROM {self._db}.run_rows FINAL WHERE is_removed AND run_id IN ({','.join(map(str, known))})"
            )
            for removed in found["run_id"].tolist():
                del self._states[known[removed]]

    # -- rows

    def _meet_files(self, run: RunStage, state: RunState) -> list[tuple[int, int]]:
        """Give every file of the run its id; returns those of the database that another file has taken the place of."""
        stale = []
        for stage in list(run.files.values()):
            identity, epoch, head, last = identify_file(state, stage)
            known = state.files.get(stage.name)
            if known is not None and known.file_id != identity:
                stale.append((state.run_id, known.file_id))
                for parts in state.parts.values():
                    parts.pop(known.file_id, None)
            state.compared[stage.name] = stage
            row = file_row(stage, identity, epoch, head=head, last_bytes=last)
            # Another ingester may have read further; what it found stays.
            if known is None or known.file_id != identity or stage.read_bytes >= known.read_bytes:
                state.files[stage.name] = row
        return stale

    def _find_new(self, run: RunStage, state: RunState) -> Iterator[_Piece]:
        for series in list(run.each_series()):
            slot = slot_of(series)
            identity = tag_id(series.tag, slot)
            for part in series.parts:
                arrays = part.columns.read_points() if slot == POINTS else part.columns.read_ranges()
                file = state.files[part.file.name].file_id
                known = state.parts.setdefault(identity, {}).setdefault(file, PartState())
                count = len(arrays[0])
                if known.count > count or (known.count == count and len(known.starts) == len(part.starts)):
                    continue
                begin = known.count
                while True:
                    end = min(count, begin + BLOCK_ROWS)
                    yield _Piece(identity, state, file, slot, part, arrays, begin, end)
                    begin = end
                    if begin >= count:
                        break

    def _write_rows(self, pieces: list[_Piece]) -> None:
        if not pieces:
            return
        pieces.sort(key=lambda piece: piece.order)
        for is_points, types in ((True, POINT_TYPES), (False, RANGE_TYPES)):
            table = "point_rows" if is_points else "range_rows"
            some = [each for each in pieces if (each.slot == POINTS) == is_points and each.end > each.begin]
            if some:
                self._insert(table, types, row_columns(some, is_points))
        parts = []
        for piece in pieces:
            step, wall_time, value = piece.arrays[:3]
            begin, end = piece.begin, piece.end
            known = piece.state.parts[piece.tag_id][piece.file_id]
            known.extend(
                step[begin:end], wall_time[begin:end], value[begin:end] if piece.slot == POINTS else None
            )
            known.starts = tuple(
                (before, named, int(step[before]) if before < end else None)
                for before, named in piece.part.starts
                if before <= end
            )
            if piece.slot == POINTS:
                self.written.points += end - begin
            else:
                self.written.ranges += end - begin
            parts.append((piece.tag_id, piece.state.run_id, piece.file_id, piece.slot, known))
        last = {(row[0], row[1], row[2]): row for row in parts}
        self._insert("parts", PART_TYPES, part_columns(list(last.values())))

    def _drop_files(self, stale: Sequence[tuple[int, int]]) -> None:
        if not stale:
            return
        wanted = ",".join(f"({run},{file})" for run, file in stale)
        for table in ("point_rows", "range_rows", "parts"):
            self._client.command(f"DELETE FROM {self._db}.{table} WHERE (run_id, file_id) IN ({wanted})")

    def _drop_meta_graphs(self, runs: Sequence[RunStage]) -> None:
        """A graph that came later takes the place of the one inside a meta graph."""
        for run in runs:
            state = self._states[run.name]
            for identity, row in list(state.series.items()):
                if row.slot == META_GRAPHS and tag_id(row.tag, RANGES) in state.parts:
                    del state.series[identity]
                    state.parts.pop(identity, None)
                    for table in ("range_rows", "parts", "series_rows"):
                        self._client.command(
                            f"DELETE FROM {self._db}.{table} WHERE run_id = {state.run_id} AND tag_id = {identity}"
                        )

    # -- names

    def _write_names(self, runs: Sequence[RunStage]) -> None:
        rows: list[tuple[Any, ...]] = []
        for run in runs:
            state = self._states[run.name]
            with run.lock:
                groups = [(False, list(run.series.values())), (True, list(run.others.values()))]
            position = 1 + max((each.position for each in state.series.values()), default=-1)
            for is_other, group in groups:
                for series in group:
                    slot = slot_of(series)
                    identity = tag_id(series.tag, slot)
                    known = state.series.get(identity)
                    row = SeriesRow(
                        series.tag,
                        slot,
                        is_other,
                        position if known is None else known.position,
                        series.meta,
                    )
                    position += known is None
                    if row != known:
                        state.series[identity] = row
                        rows.append(_series_values(state.run_id, identity, row))
        if rows:
            self._insert_rows("series_rows", SERIES_TYPES, rows)

    def _write_cuts(self, runs: Sequence[RunStage]) -> None:
        rows = []
        for run in runs:
            state = self._states[run.name]
            if len(state.files) == 1 and not any(
                file.start_step is not None for file in state.files.values()
            ):
                continue
            for identity, row in state.series.items():
                if row.slot != POINTS:
                    continue
                cuts = find_cuts(state.facts(identity), state.segments(identity))
                if cuts != state.cuts.get(identity, ()):
                    state.cuts[identity] = cuts
                    rows.append((identity, state.run_id, *([each[i] for each in cuts] for i in range(4))))
        if rows:
            self._insert_rows("cut_rows", CUT_TYPES, rows)

    def _write_assets(self, runs: Sequence[RunStage]) -> None:
        rows = []
        for run in runs:
            state = self._states[run.name]
            now = _asset_rows(run, state)
            if now != state.assets:
                rows.append((state.run_id, encode_json(now)))
                state.assets = now
        if rows:
            self._insert_rows("asset_rows", {"run_id": "UInt64", "assets": "String"}, rows)

    def _write_hparams(self, runs: Sequence[RunStage]) -> None:
        """Hyperparameters as queries see them. Which run a session belongs to depends on other runs, so all are looked at."""
        if not any(_has_hparams(run) for run in runs):
            return
        now: dict[str, dict[str, tuple[str, float | None]]] = {}
        for session in self._sessions.read(self._source).sessions:
            now[session.run] = {name: hparam_cells(value) for name, value in session.hparams.items()}
        rows: list[tuple[Any, ...]] = []
        for state in self._states.values():
            before, after = state.hparams, now.get(state.name, {})
            for name in before.keys() | after.keys():
                if before.get(name) != after.get(name):
                    value, number = after.get(name, ("", None))
                    rows.append((state.run_id, name, value, number, int(name not in after)))
            state.hparams = after
        if rows:
            self._insert_rows("hparam_rows", HPARAM_TYPES, rows)

    def _write_runs(self, runs: Sequence[RunStage]) -> None:
        if runs:
            rows = [run_values(run, self._states[run.name]) for run in runs]
            self._insert_rows("run_rows", RUN_TYPES, rows)

    def _write_unreadable(self) -> None:
        location = "\n".join(self._store.locations)
        now = encode_json(list(self._store.unreadable.values()))
        if now != self._unreadable.get(location, b"[]"):
            self._generation = next_generation(self._client, [])
            self._insert_rows(
                "location_rows", {"location": "String", "unreadable": "String"}, [(location, now)]
            )
            self._unreadable[location] = now

    def _insert_rows(self, table: str, types: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
        columns = [list(each) for each in zip(*rows, strict=True)]
        self._insert(table, {**types, "generation": "UInt64"}, [*columns, [self._generation] * len(rows)])

    def _insert(self, table: str, types: dict[str, str], columns: Sequence[Column]) -> None:
        self._client.insert(f"{self._db}.{table}", list(types), list(types.values()), columns)


def _has_hparams(run: RunStage) -> bool:
    return any(series.meta.kind is Kind.HPARAMS for series in list(run.series.values())) or any(
        stage.asset.family is Family.CONFIG for stage in list(run.assets.values())
    )


def slot_of(series: SeriesStage) -> int:
    if series.is_points:
        return POINTS
    return META_GRAPHS if series.meta.plugin == META_GRAPH_PLUGIN else RANGES


def row_columns(pieces: Sequence[_Piece], is_points: bool) -> list[Column]:
    """The columns of POINT_TYPES or RANGE_TYPES."""
    counts = [each.end - each.begin for each in pieces]
    columns: list[Column] = [
        np.repeat(np.array([each.tag_id for each in pieces], np.uint64), counts),
        np.repeat(np.array([each.state.run_id for each in pieces], np.uint64), counts),
        np.repeat(np.array([each.file_id for each in pieces], np.uint64), counts),
        np.concatenate([np.arange(each.begin, each.end, dtype=np.uint32) for each in pieces]),
    ]
    for index in range(2):
        columns.append(np.concatenate([each.arrays[index][each.begin : each.end] for each in pieces]))
    if is_points:
        columns += split_values([each.arrays[2][each.begin : each.end] for each in pieces])
    else:
        for index in range(2, 5):
            columns.append(np.concatenate([each.arrays[index][each.begin : each.end] for each in pieces]))
    return columns


def split_values(values: Sequence[NDArray[Any]]) -> list[Column]:
    """(value, exact): the nearest float32, and the value itself where that is another one, else 0."""
    with np.errstate(all="ignore"):
        narrow = np.concatenate([each.astype(np.float32, copy=False) for each in values])
        exact = np.zeros(len(narrow), np.float64)
        at = 0
        for each in values:
            if each.dtype == np.float64:
                differs = narrow[at : at + len(each)].astype(np.float64).view(np.int64) != each.view(np.int64)
                exact[at : at + len(each)][differs] = each[differs]
            at += len(each)
    return [narrow, exact]


def _series_values(run: int, identity: int, row: SeriesRow) -> tuple[Any, ...]:
    meta = row.meta
    return (
        run,
        identity,
        row.tag,
        row.slot,
        int(row.is_other),
        row.position,
        meta.kind.value,
        meta.plugin,
        meta.display_name,
        meta.description,
        meta.content,
    )


def _asset_rows(run: RunStage, state: RunState) -> dict[str, AssetRow]:
    """The assets as they are. A file that is as it was keeps its number; another one gets the next."""
    rows: dict[str, AssetRow] = {}
    number = 1 + max((each.generation for each in state.assets.values()), default=0)
    for stage in list(run.assets.values()):
        known = state.assets.get(stage.asset.name)
        identity = tuple(stage.identity)
        if known is not None and (known.identity, known.family) == (identity, stage.asset.family):
            rows[stage.asset.name] = known
            continue
        has_grown = (
            stage.grows
            and known is not None
            and known.identity[:2] == identity[:2]
            and known.identity[2] <= identity[2]
        )
        rows[stage.asset.name] = AssetRow(
            stage.asset.family,
            to_latin(stage.path),
            (identity[0], identity[1], identity[2], identity[3]),
            stage.asset.modified_time.hex(),
            number,
            known.same_since if known is not None and has_grown else number,
            stage.grows,
        )
        number += 1
    return rows


def run_values(run: RunStage, state: RunState) -> tuple[Any, ...]:
    """The row of a run, over everything that the database has of it: also files that are no longer in its directory."""
    shown = [identity for identity, row in state.series.items() if not row.is_other and state.facts(identity)]
    starts = [file.begin_wall_time for file in state.files.values() if file.begin_wall_time is not None]
    ends = [file.end_wall_time for file in state.files.values() if file.end_wall_time is not None]
    is_split = len(state.files) > 1 or any(file.start_step is not None for file in state.files.values())
    assets = list(state.assets.values())
    place = run.place
    tags = [(state.series[identity].tag, state.series[identity].meta.kind.value) for identity in shown]
    others = sorted(
        (row.tag, row.meta.kind.value)
        for identity, row in state.series.items()
        if row.is_other and state.facts(identity)
    )
    return (
        state.run_id,
        state.name,
        0,
        place.root if place is not None else "",
        place.directory if place is not None else "",
        hash_of(*(to_bytes(each) for pair in tags for each in pair), b"", encode_json(others)),
        encode_json(list(state.files.values())),
        min(starts, default=None),
        max(ends, default=None),
        len(shown),
        sum(state.count(identity) for identity in shown),
        len(state.files),
        sum(file.size_bytes for file in state.files.values()),
        state.health.value,
        # As a run's own count does, without session starts in files that have nothing of a series.
        max((len(segments_of(_facts(state, identity))) - 1 for identity in shown), default=0)
        if is_split
        else 0,
        len(assets),
        sum(each.identity[2] for each in assets),
        sorted({each.family.value for each in assets}),
    )


def _facts(state: RunState, identity: int) -> list[PartFacts]:
    return [facts for _, facts in state.facts(identity)]
