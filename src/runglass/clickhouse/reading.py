"""Reads rows of series from the database: which parts they have, then the rows that count, each once and in file order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.clickhouse.catalog import RunRow
from runglass.clickhouse.client import Client
from runglass.clickhouse.native_format import Block
from runglass.clickhouse.rows import FileRow, PartState
from runglass.clickhouse.run_state import STATE_FIELDS, part_facts, part_state, starts_without
from runglass.lru import LruCache
from runglass.store.parts import file_order
from runglass.store.segments import Segment, segments_of, split_rows

# A generation is a hash of everything but growth at the end, above the number of rows. 53 bits in all, because browsers hold
# numbers as doubles.
COUNT_BITS = 32
HASH_BITS = 21
# Up to this many pairs are named one by one; more are asked for as all tags of all runs, and the others thrown away.
PAIRS_AT_ONCE = 4000
# About a kilobyte each.
KEPT_SERIES = 40_000

# An answer in few blocks is put together at less cost.
LARGE_BLOCKS = "max_block_size = 262144, preferred_block_size_bytes = 0"
# What the run table and nothing else needs of a part.
NUMBERS = "count, first_value, last_value, min_row, min_value, max_row, max_value, finite, total, error"

Pair = tuple[int, int]
"""tag_id and run_id."""


class StoredPart(Struct):
    file: FileRow
    state: PartState


class StoredSeries(Struct):
    """A series as the database has it now, without its rows."""

    run: RunRow
    tag_id: int
    # In file order.
    parts: list[StoredPart]
    segments: list[Segment]
    generation: int

    @property
    def count(self) -> int:
        return sum(part.state.count for part in self.parts)

    @property
    def is_wide(self) -> bool:
        return any(part.state.is_wide for part in self.parts)

    @property
    def is_plain(self) -> bool:
        """One file and one attempt: what `parts` says of it is all there is to know."""
        return len(self.parts) == 1 and len(self.segments) == 1


class SeriesRows(Struct):
    """The rows of a series, from `offset` on."""

    offset: int
    # step, wall_time, value; or step, wall_time, record, value_at, value_size.
    arrays: tuple[NDArray[Any], ...]
    # For each row the number of its part.
    part_of_row: NDArray[np.int32] | None


def name_pairs(pairs: Sequence[Pair]) -> str:
    """A condition for the rows of some series. It holds numbers only."""
    tags, runs = sorted({tag for tag, _ in pairs}), sorted({run for _, run in pairs})
    if len(tags) * len(runs) > 2 * len(pairs) and len(pairs) <= PAIRS_AT_ONCE:
        return f"(tag_id, run_id) IN ({','.join(f'({tag},{run})' for tag, run in pairs)})"
    condition = f"tag_id IN ({','.join(map(str, tags))})"
    return f"{condition} AND run_id IN ({','.join(map(str, runs))})"


def read_parts(client: Client, wanted: Sequence[tuple[RunRow, int]]) -> dict[Pair, StoredSeries]:
    """The series among `wanted`, runs and tag ids, that the database has."""
    if not wanted:
        return {}
    runs = {run.run_id: run for run, _ in wanted}
    pairs = [(tag, run.run_id) for run, tag in wanted]
    found = client.query(
        f"SELECT tag_id, run_id, file_id, {', '.join(STATE_FIELDS)} FROM {client.address.database}.parts FINAL "
        f"WHERE {name_pairs(pairs)}"
    )
    by_pair: dict[Pair, list[tuple[int, PartState]]] = {pair: [] for pair in pairs}
    for tag, run_id, file_id, *values in found.rows():
        if (tag, run_id) in by_pair:
            by_pair[tag, run_id].append((file_id, part_state(values)))
    made = {pair: make_series(runs[pair[1]], pair[0], parts) for pair, parts in by_pair.items() if parts}
    return {pair: series for pair, series in made.items() if series.parts}


class KnownSeries:
    """Series without their rows, kept while the rows of their runs stay: a page asks for the same ones again and again.

    What was ingested after the run was polled comes with its next row.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._kept: LruCache[tuple[Pair, int], StoredSeries] = LruCache(KEPT_SERIES)

    def read(self, wanted: Sequence[tuple[RunRow, int]]) -> dict[Pair, StoredSeries]:
        """As `read_parts`; those that are not known are asked for together."""
        if len(wanted) > KEPT_SERIES // 2:
            return read_parts(self._client, wanted)
        known: dict[Pair, StoredSeries] = {}
        unknown = []
        for run, tag in wanted:
            series = self._kept.get(((tag, run.run_id), run.generation))
            if series is None:
                unknown.append((run, tag))
            else:
                known[tag, run.run_id] = series
        for pair, series in read_parts(self._client, unknown).items():
            known[pair] = series
            self._kept.put((pair, series.run.generation), series)
        return known


def read_numbers(client: Client, runs: Sequence[RunRow], tags: Sequence[int], *, is_all: bool) -> Block:
    """The statistics of all parts of some tags. `is_all`: the runs are most of those that there are."""
    condition = f"tag_id IN ({','.join(map(str, tags))})"
    if not is_all:
        condition += f" AND run_id IN ({','.join(str(run.run_id) for run in runs)})"
    return client.query(
        f"SELECT tag_id, run_id, file_id, empty(starts) AS is_one, {NUMBERS} FROM {client.address.database}.parts FINAL "
        f"WHERE {condition} ORDER BY tag_id, run_id, file_id SETTINGS {LARGE_BLOCKS}"
    )


def make_series(run: RunRow, tag_id: int, found: Iterable[tuple[int, PartState]]) -> StoredSeries:
    """`found`: file ids with parts. Those of files that were replaced are left out."""
    files = run.files
    parts = [StoredPart(files[each], state) for each, state in found if each in files]
    if len(parts) > 1:
        parts.sort(key=lambda part: file_order(part.file.name_text))
    elsewhere = (
        starts_without(files.values(), [part.file.file_id for part in parts]) if len(files) > 1 else []
    )
    if len(parts) == 1 and not parts[0].state.starts and not elsewhere:
        segments = [Segment(0, None)]
        structure = parts[0].file.file_id
    else:
        segments = segments_of([part_facts(part.file, part.state) for part in parts], elsewhere)
        facts = repr(
            (
                [(part.file.file_id, part.state.count) for part in parts[:-1]],
                parts[-1:] and parts[-1].file.file_id,
            )
        )
        digest = blake2b(f"{facts} {segments}".encode(), digest_size=8)
        structure = int.from_bytes(digest.digest(), "little")
    count = sum(part.state.count for part in parts)
    generation = structure % (1 << HASH_BITS) << COUNT_BITS | count
    return StoredSeries(run, tag_id, parts, segments, generation)


def count_known(series: StoredSeries, since: int | None) -> int:
    """How many rows somebody has who knows the generation `since`; 0 if anything but growth happened since."""
    if since is None or since < 0 or since >> COUNT_BITS != series.generation >> COUNT_BITS:
        return 0
    return min(since & ((1 << COUNT_BITS) - 1), series.count)


def read_points(
    client: Client, wanted: Sequence[tuple[StoredSeries, int]], columns: str = "step, wall_time, value"
) -> list[SeriesRows]:
    """The rows of each series from a row on."""
    if columns.endswith("value") and any(series.is_wide for series, _ in wanted):
        columns += ", exact"
    block = _read(client, wanted, "point_rows", columns)
    return [_take(block, series, begin, is_points=True) for series, begin in wanted]


def read_ranges(
    client: Client,
    wanted: Sequence[StoredSeries],
    columns: str = "step, wall_time, record, value_at, value_size",
) -> list[SeriesRows]:
    block = _read(client, [(series, 0) for series in wanted], "range_rows", columns)
    return [_take(block, series, 0, is_points=False) for series in wanted]


class _Rows:
    """An answer with the place of each part's rows in it. `only`: the one part that was asked for."""

    def __init__(self, block: Block, names: list[str], only: tuple[int, int, int] | None = None) -> None:
        self.block = block
        # The columns of a row, without those that say which it is.
        self.names = names
        self.places: dict[tuple[int, int, int], slice] = {}
        if only is not None:
            self.places[only] = slice(0, block.count)
        elif block.count:
            tag, run, file = block["tag_id"], block["run_id"], block["file_id"]
            is_new = (file[1:] != file[:-1]) | (run[1:] != run[:-1]) | (tag[1:] != tag[:-1])
            bounds = [0, *(np.flatnonzero(is_new) + 1).tolist(), block.count]
            for begin, end in pairwise(bounds):
                self.places[int(tag[begin]), int(run[begin]), int(file[begin])] = slice(begin, end)


def _read(client: Client, wanted: Sequence[tuple[StoredSeries, int]], table: str, columns: str) -> _Rows:
    conditions = []
    whole = [(series.tag_id, series.run.run_id) for series, begin in wanted if begin == 0 and series.count]
    if whole:
        conditions.append(name_pairs(whole))
    for series, begin in wanted:
        if 0 < begin < series.count:
            last = series.parts[-1]
            row = max(0, begin - (series.count - last.state.count))
            conditions.append(
                f"(tag_id = {series.tag_id} AND run_id = {series.run.run_id} AND file_id = {last.file.file_id} AND row >= {row})"
            )
    names = columns.split(", ")
    if not conditions:
        return _Rows(Block([], [], []), names)
    only = None
    ids = "tag_id, run_id, file_id, "
    condition = " OR ".join(conditions)
    if len(wanted) == 1 and len(wanted[0][0].parts) == 1:
        # One part needs no names for its rows.
        series = wanted[0][0]
        only = series.tag_id, series.run.run_id, series.parts[0].file.file_id
        ids, condition = "", f"({condition}) AND file_id = {only[2]}"
    found = client.query(
        f"SELECT {ids}row, {columns} FROM {client.address.database}.{table} WHERE {condition} "
        f"ORDER BY tag_id, run_id, file_id, row SETTINGS {LARGE_BLOCKS}"
    )
    return _Rows(found, names, only)


def _take(found: _Rows, series: StoredSeries, begin: int, *, is_points: bool) -> SeriesRows:
    names = found.names
    pieces: list[list[NDArray[Any]]] = []
    numbers: list[NDArray[np.int32]] = []
    first = 0
    for number, part in enumerate(series.parts):
        count = part.state.count
        start = max(0, begin - first)
        first += count
        if start >= count:
            continue
        place = found.places.get((series.tag_id, series.run.run_id, part.file.file_id), slice(0, 0))
        piece = _exactly_once([found.block[name][place] for name in ["row", *names]], start, count)
        pieces.append(piece)
        numbers.append(np.full(len(piece[0]), number, np.int32))
        if len(piece[0]) < count - start:
            # A replica that lags behind: what follows a gap does not count yet.
            break
    if not pieces:
        pieces = [[np.empty(0, dtype) for dtype in _dtypes(is_points)]]
    arrays = [each[0] if len(each) == 1 else np.concatenate(each) for each in zip(*pieces, strict=True)]
    if is_points and len(arrays) > 1:
        arrays = [*arrays[:2], _values(series, arrays[2:])]
    for array in arrays:
        array.flags.writeable = False
    part_of_row = np.concatenate(numbers) if len(series.parts) > 1 and numbers else None
    return SeriesRows(begin, tuple(arrays), part_of_row)


def _dtypes(is_points: bool) -> list[Any]:
    if is_points:
        return [np.int64, np.float64, np.float32]
    return [np.int64, np.float64, np.uint64, np.uint32, np.uint32]


def _exactly_once(columns: list[NDArray[Any]], start: int, count: int) -> list[NDArray[Any]]:
    """The rows from `start` to before `count`, each once. Rows that were written twice are the same; later ones do not count yet."""
    row, *others = columns
    if len(row) == count - start and np.array_equal(row, np.arange(start, count, dtype=row.dtype)):
        return others
    keep = (row >= start) & (row < count)
    keep[1:] &= row[1:] != row[:-1]
    kept = np.flatnonzero(keep)
    in_order = row[kept] == np.arange(start, start + len(kept), dtype=np.int64)
    if not in_order.all():
        kept = kept[: int(np.argmin(in_order))]
    return [each[kept] for each in others]


def _values(series: StoredSeries, columns: list[NDArray[Any]]) -> NDArray[Any]:
    value = columns[0]
    if not series.is_wide:
        return value
    with np.errstate(invalid="ignore"):
        wide = value.astype(np.float64)
    if len(columns) > 1:
        exact = columns[1]
        differs = exact != 0
        wide[differs] = exact[differs]
    return wide


def split(
    series: StoredSeries, steps: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
    """The attempt of every row of a whole series, and which rows stand; None for all."""
    if len(series.segments) == 1:
        return np.broadcast_to(np.int32(0), len(steps)), None
    return split_rows(series.segments, steps)
