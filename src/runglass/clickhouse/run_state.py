"""What the database has of a run: its files, its series and how many rows of each count. Ingest goes on from here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct, field

from runglass.clickhouse.client import Client
from runglass.clickhouse.ids import file_id, run_id
from runglass.clickhouse.native_format import to_text
from runglass.clickhouse.rows import PART_TYPES, AssetRow, FileRow, PartState, starts_of
from runglass.store.blobs import read_at
from runglass.store.model import SEVERITY, FileState, Kind, SeriesMeta
from runglass.store.parts import FileStage, file_order
from runglass.store.segments import PartFacts, Segment, segments_of

# Of the first record: its length, checksum and wall time.
HEAD_BYTES = 24
LAST_BYTES = 4096
STATE_FIELDS = [each.name for each in msgspec.structs.fields(PartState)]


class SeriesRow(Struct, frozen=True):
    tag: str
    slot: int
    is_other: bool
    position: int
    meta: SeriesMeta


class RunState(Struct):
    name: str
    files: dict[str, FileRow] = field(default_factory=dict)
    # By tag_id and file_id.
    parts: dict[int, dict[int, PartState]] = field(default_factory=dict)
    series: dict[int, SeriesRow] = field(default_factory=dict)
    assets: dict[str, AssetRow] = field(default_factory=dict)
    hparams: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    # Of every series with several attempts, as it was last written.
    cuts: dict[int, tuple[tuple[int, int, int, int], ...]] = field(default_factory=dict)
    # The stages that were compared with the files of the database.
    compared: dict[str, FileStage] = field(default_factory=dict)

    @property
    def run_id(self) -> int:
        return run_id(self.name)

    def facts(self, tag_id: int) -> list[tuple[int, PartFacts]]:
        """The parts of a series with the ids of their files, in file order."""
        by_file = self.parts.get(tag_id, {})
        files = {each.file_id: each for each in self.files.values()}
        found = [(each, part) for each, part in by_file.items() if each in files]
        found.sort(key=lambda pair: file_order(files[pair[0]].name_text))
        return [(each, part_facts(files[each], part)) for each, part in found]

    def starts_elsewhere(self, tag_id: int) -> list[tuple[str, int]]:
        own = self.parts.get(tag_id, {})
        return starts_without(self.files.values(), own)

    def segments(self, tag_id: int) -> list[Segment]:
        return segments_of([each for _, each in self.facts(tag_id)], self.starts_elsewhere(tag_id))

    def count(self, tag_id: int) -> int:
        return sum(facts.count for _, facts in self.facts(tag_id))

    @property
    def health(self) -> FileState:
        return max(
            (each.state for each in self.files.values()), key=SEVERITY.__getitem__, default=FileState.OK
        )


def part_facts(file: FileRow, part: PartState) -> PartFacts:
    return PartFacts(
        file_name=file.name_text,
        file_end_time=file.end_wall_time,
        count=part.count,
        first_step=part.first_step,
        first_wall_time=part.first_wall_time,
        max_step=part.max_step,
        starts=part.starts,
    )


def starts_without(files: Iterable[FileRow], own: Iterable[int]) -> list[tuple[str, int]]:
    """Session starts, as file name and step, in the files of a run that have no rows of a series."""
    own = set(own)
    starts = [
        (each.name_text, each.start_step)
        for each in files
        if each.start_step is not None and each.start_step > 0 and each.file_id not in own
    ]
    return sorted(starts, key=lambda start: file_order(start[0]))


def find_cuts(
    facts: Sequence[tuple[int, PartFacts]], segments: Sequence[Segment]
) -> tuple[tuple[int, int, int, int], ...]:
    """(file_id, first row, row after the last, step from which they are overwritten), for an SQL expression."""
    cuts: list[tuple[int, int, int, int]] = []
    limit: int | None = None
    end = sum(each.count for _, each in facts)
    for segment in reversed(segments):
        if limit is not None:
            row = 0
            for identity, part in facts:
                begin, stop = max(segment.first_row, row), min(end, row + part.count)
                if begin < stop:
                    cuts.append((identity, begin - row, stop - row, limit))
                row += part.count
        if segment.first_step is not None:
            limit = segment.first_step if limit is None else min(limit, segment.first_step)
        end = segment.first_row
    return tuple(cuts)


def identify_file(state: RunState, stage: FileStage) -> tuple[int, int, bytes, str]:
    """(id, epoch, head, hash of the last bytes) of a file; the id of the database's file of this name if it still is that one."""
    known = state.files.get(stage.name)
    head, last = read_ends(stage.path, stage.read_bytes)
    if known is None:
        return file_id(state.name, stage.name, head, 0), 0, head, last
    if state.compared.get(stage.name) is stage and known.head:
        return known.file_id, known.epoch, bytes.fromhex(known.head), last
    if not known.read_bytes:
        return file_id(state.name, stage.name, head, known.epoch), known.epoch, head, last
    then_head, then_last = read_ends(stage.path, known.read_bytes)
    if (then_head.hex(), then_last) == (known.head, known.last_bytes):
        return known.file_id, known.epoch, then_head, last
    return file_id(state.name, stage.name, head, known.epoch + 1), known.epoch + 1, head, last


def read_ends(path: str, read_bytes: int) -> tuple[bytes, str]:
    """The first bytes of a file, and a hash of the last before `read_bytes`; empty where the file cannot be read or is shorter."""
    if read_bytes < HEAD_BYTES:
        return b"", ""
    begin = max(0, read_bytes - LAST_BYTES)
    try:
        with open(path, "rb", buffering=0) as file:
            head = os.pread(file.fileno(), HEAD_BYTES, 0) if hasattr(os, "pread") else file.read(HEAD_BYTES)
            last = read_at(file.fileno(), read_bytes - begin, begin)
    except OSError:
        return b"", ""
    if len(last) < read_bytes - begin:
        return head, ""
    return head, blake2b(last, digest_size=8).hexdigest()


def load_states(client: Client, names: Sequence[str]) -> dict[str, RunState]:
    """What the database has of some runs."""
    states = {run_id(name): RunState(name) for name in names}
    if not states:
        return {}
    db = client.address.database
    wanted = f"run_id IN ({','.join(map(str, states))})"
    found = client.query(f"SELECT run_id, file_rows FROM {db}.run_rows FINAL WHERE {wanted}")
    for each, files in zip(found["run_id"].tolist(), found["file_rows"], strict=True):
        rows = msgspec.json.decode(files, type=list[FileRow])
        states[each].files = {row.name_text: row for row in rows}
    found = client.query(
        f"SELECT tag_id, run_id, file_id, {', '.join(STATE_FIELDS)} FROM {db}.parts FINAL WHERE {wanted}"
    )
    for tag_id, each, identity, *values in found.rows():
        states[each].parts.setdefault(tag_id, {})[identity] = part_state(values)
    found = client.query(
        "SELECT run_id, tag_id, tag, slot, is_other, position, kind, plugin, display_name, description, content "
        f"FROM {db}.series_rows FINAL WHERE {wanted} ORDER BY run_id, position"
    )
    for each, tag_id, *values in found.rows():
        states[each].series[tag_id] = series_row(values)
    found = client.query(f"SELECT run_id, assets FROM {db}.asset_rows FINAL WHERE {wanted}")
    for each, assets in zip(found["run_id"].tolist(), found["assets"], strict=True):
        states[each].assets = msgspec.json.decode(assets, type=dict[str, AssetRow])
    found = client.query(
        f"SELECT run_id, name, value, number FROM {db}.hparam_rows FINAL WHERE {wanted} AND NOT is_removed"
    )
    for each, name, value, number in found.rows():
        states[each].hparams[to_text(name)] = to_text(value), number
    return {state.name: state for state in states.values()}


def part_state(values: Sequence[Any]) -> PartState:
    state = PartState(*values)
    state.is_wide = bool(state.is_wide)
    state.starts = starts_of(state.starts)  # type: ignore[arg-type]
    return state


def series_row(values: Sequence[Any]) -> SeriesRow:
    tag, slot, is_other, position, kind, plugin, display_name, description, content = values
    meta = SeriesMeta(
        Kind(to_text(kind)), to_text(plugin), to_text(display_name), to_text(description), content
    )
    return SeriesRow(to_text(tag), slot, bool(is_other), position, meta)


assert list(PART_TYPES)[5:] == STATE_FIELDS
