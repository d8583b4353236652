"""Loads one run: adds the rows of its event files to its series, and keeps its assets.

file_tail.py reads files; watch.py decides when to read which.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from runglass.errors import ValueDamaged
from runglass.ingest.assets import AssetRule
from runglass.ingest.canonical import decode_value, read_metadata
from runglass.ingest.file_tail import POINTS_PLUGIN, PROFILE_MARK, FileTail
from runglass.ingest.logdir import FoundAsset
from runglass.machine import OUT_OF_RESOURCES
from runglass.native import wire
from runglass.native.columns import Columns
from runglass.native.events import EventScanner, ScanBuffer
from runglass.schema.event import TAGGED_RUN_METADATA
from runglass.schema.graph import META_GRAPH
from runglass.store.blobs import Range, load_range
from runglass.store.index.pack import FileRow, Pack
from runglass.store.index.saved import SavedExtra
from runglass.store.model import FileState, Kind, SeriesMeta
from runglass.store.parts import FileStage, Part
from runglass.store.reach import Place, shown_name
from runglass.store.stage import RunStage, SeriesStage

# From here on the first line would wait for its pyramid, which takes 4 ms a million points; so it is made with the rows.
EAGER_ROWS = 1 << 22
RUN_GRAPH_TAG = "__run_graph__"
# Plugins of series made from events that are not summaries: their values are bare messages.
GRAPH_PLUGIN = "graphs"
META_GRAPH_PLUGIN = "meta_graphs"
RUN_METADATA_PLUGIN = "graph_tagged_run_metadata"
GRAPH_FIELD = 4
META_GRAPH_FIELD = 9


# Cached, because the runs of a project log the same tags.
@lru_cache(maxsize=8192)
def series_meta(metadata: bytes | None, field: int, tag: str, is_points: bool) -> SeriesMeta:
    """The metadata of a series of single numbers (`is_points`) or of byte ranges."""
    try:
        meta = read_metadata(metadata, field, tag)
    except ValueDamaged:
        # The series loses its plugin and description, not its values.
        meta = read_metadata(None, field, tag)
    if is_points and meta.kind is not Kind.SCALAR:
        # Single numbers logged before or without any metadata.
        return SeriesMeta(Kind.SCALAR, "scalars", meta.display_name, meta.description)
    if not is_points and meta.kind is Kind.SCALAR:
        return SeriesMeta(Kind.TENSOR, meta.plugin, meta.display_name, meta.description, meta.content)
    return meta


def decode(value: bytes, meta: SeriesMeta) -> Any:
    if meta.plugin in (GRAPH_PLUGIN, RUN_METADATA_PLUGIN):
        return value
    if meta.plugin == META_GRAPH_PLUGIN:
        try:
            return bytes(wire.decode(META_GRAPH, value).get("graph_def", b""))
        except ValueError as error:
            raise ValueDamaged(f"The meta graph cannot be decoded: {error}.") from error
    return decode_value(value, meta)


class RunLoader:
    """The only writer of a run's stage. Callers hold the run's lock."""

    __slots__ = ("_meta_graphs", "directory", "is_changed", "is_refused", "root", "run", "shown", "tails")

    def __init__(self, name: str, directory: str, shown: str, *, root: str) -> None:
        """`directory` is at or below `root`, the log directory; `shown` is `directory` as the user wrote it."""
        self.run = RunStage(name, decode=decode, place=Place(root, directory))
        self.directory = directory
        self.root = root
        self.shown = shown
        self.tails: dict[str, FileTail] = {}
        # Set when something changed that readers can see; the watch clears it when it publishes.
        self.is_changed = True
        # Set when a file could not be opened for a reason that passes; the watch clears it, and looks again soon.
        self.is_refused = False
        # Where they are, with step and wall time.
        self._meta_graphs: list[tuple[FileTail, tuple[int, float, int, int, int]]] = []

    def add_file(self, name: str, size_bytes: int) -> None:
        if name not in self.tails:
            path, shown = os.path.join(self.directory, name), os.path.join(self.shown, name)
            stage = FileStage(name, path, shown, size_bytes=size_bytes)
            self.tails[name] = FileTail(stage)
            self.run.files[name] = stage

    def drop_file(self, name: str) -> None:
        tail = self.tails.pop(name, None)
        self._meta_graphs = [each for each in self._meta_graphs if each[0] is not tail]
        self.run.drop_file(name)
        self.is_changed = True
        self._use_meta_graph()

    @property
    def is_run(self) -> bool:
        """Whether its directory still has anything that makes it a run."""
        return bool(self.tails) or any(asset.makes_run for asset in self.run.assets.values())

    def set_assets(self, assets: Iterable[FoundAsset]) -> None:
        """Replace all assets by what a walk found."""
        found = {shown_name(asset.relative): asset for asset in assets}
        for name in [name for name in self.run.assets if name not in found]:
            del self.run.assets[name]
            self.is_changed = True
        for asset in found.values():
            self.set_asset(asset.relative, asset.rule, asset.stat)

    def set_asset(self, relative: str, rule: AssetRule, found: os.stat_result | None) -> None:
        """Update one asset; `found` is None if the file is gone."""
        if found is None:
            self.is_changed |= self.run.assets.pop(shown_name(relative), None) is not None
        else:
            self.is_changed |= self.run.put_asset(
                relative, found, family=rule.family, makes_run=rule.makes_run, grows=rule.grows
            )

    def begin_file(self, name: str) -> FileTail | None:
        """Open a file for a scan; None when there is nothing to scan, with the file's state set."""
        tail = self.tails.get(name)
        if tail is None:
            return None
        if name.endswith(PROFILE_MARK):
            self._note(tail, FileState.OK)
            return None
        try:
            # First, because an entry that cannot be gone on from is as good as another file.
            is_same = self._resume(tail)
            is_same &= tail.open()
        except FileNotFoundError:
            if os.path.islink(tail.stage.path):
                self._note(
                    tail,
                    FileState.UNREADABLE,
                    "a link to a file that does not exist",
                    "Remove the link, or restore its file.",
                )
            else:
                self.drop_file(name)
            return None
        except OSError as error:
            self.is_refused |= error.errno in OUT_OF_RESOURCES
            advice = "Check the file and its permissions. Runglass tries again."
            self._note(tail, FileState.UNREADABLE, f"cannot be opened: {error.strerror}", advice)
            return None
        if not is_same:
            self.forget_file(tail)
        self.is_changed |= tail.stage.size_bytes != tail.size
        tail.stage.size_bytes = tail.size
        if tail.size == 0:
            self._note(tail, FileState.EMPTY)
        if tail.size == 0 or tail.stage.state is FileState.DAMAGED:
            tail.close()
            return None
        return tail

    def forget_file(self, tail: FileTail) -> None:
        """Drop what was read of a file; the next scan starts at its beginning."""
        name = tail.stage.name
        self._meta_graphs = [each for each in self._meta_graphs if each[0] is not tail]
        self.run.drop_file(name)
        tail.forget()
        self.run.files[name] = tail.stage
        self.is_changed = True

    def finish_file(self, tail: FileTail) -> None:
        """Store what a scan found, and close the file."""
        tail.close()
        if tail.error is not None:
            self._note(
                tail,
                FileState.UNREADABLE,
                f"internal error: {tail.error!r}",
                "Please report this with the file.",
            )
            return
        before = (tail.stage.state, tail.stage.byte)
        self.file_rows(tail)
        tail.judge()
        self.is_changed |= before != (tail.stage.state, tail.stage.byte)

    def _note(self, tail: FileTail, state: FileState, reason: str = "", advice: str = "") -> None:
        self.is_changed |= (tail.stage.state, tail.stage.reason) != (state, reason)
        tail.set_state(state, None, reason, advice)

    def file_rows(self, tail: FileTail) -> None:
        """Move the scanner's fresh rows into the run's series."""
        scanner = tail.scanner
        assert scanner is not None
        stage = tail.stage
        self.is_changed |= (stage.read_bytes, stage.records) != (scanner.offset, scanner.records)
        stage.read_bytes = scanner.offset
        stage.records = scanner.records
        if scanner.min_wall_time <= scanner.max_wall_time:
            before, stage.max_wall_time = stage.max_wall_time, scanner.max_wall_time
            stage.min_wall_time = scanner.min_wall_time
            if len(self.run.files) > 1 and before not in (None, stage.max_wall_time):
                # The next file may now overlap with this one in time, and then is not a restart.
                for series in self.run.each_series():
                    if any(part.file is stage for part in series.parts[:-1]):
                        series.begin_epoch()
        if scanner.session_starts and stage.start_step != scanner.min_start_step:
            stage.start_step = scanner.min_start_step
            for series in self.run.each_series():
                series.begin_epoch()
        for index in scanner.take():
            self._file_tag(tail, scanner, index)
        for extra in scanner.take_extras():
            self._file_extra(tail, extra)
        stage.skipped_records = scanner.skipped + tail.lost
        self._use_meta_graph()

    # -- from an index

    def fill_file(self, tail: FileTail, pack: Pack, row: FileRow) -> None:
        """Take what an index has of a file, which is new here, as if it had been scanned."""
        stage = tail.stage
        self.is_changed = True
        tail.note_saved(pack, row)
        stage.size_bytes, stage.read_bytes, stage.records = row.size, row.offset, row.records
        stage.skipped_records = row.skipped + row.lost
        if row.min_wall_time <= row.max_wall_time:
            stage.min_wall_time, stage.max_wall_time = row.min_wall_time, row.max_wall_time
        if row.session_starts:
            stage.start_step = row.min_start_step
            for series in self.run.each_series():
                series.begin_epoch()
        known = self.run.series
        for tag, metadata, fields, blobs_first, points, blobs, first, count in pack.tags_of(row):
            if blobs is None and points is not None and not count and tag not in known:
                # Most series are like this, and there may be a hundred thousand.
                part = Part(stage, points, (), points.count)
                meta = series_meta(metadata, fields[0], tag, True)
                known[tag] = SeriesStage(tag, meta, True, (part,), has_metadata=metadata is not None)
                continue
            starts = pack.starts(first, count)
            for slot, columns in ((1, blobs), (0, points)) if blobs_first else ((0, points), (1, blobs)):
                if columns is not None:
                    series = self._series(tag, slot == 0, metadata, fields[slot])
                    series.put_part(Part(stage, columns, tuple((start[slot], start[2]) for start in starts)))
        for extra in pack.extras_of(row):
            self._file_saved_extra(tail, extra)
        self._use_meta_graph()
        tail.judge()

    def _parts_of(self, tail: FileTail, pack: Pack) -> dict[int, Part]:
        """By part row of the pack: the parts of a file that are still there."""
        parts = (
            part for series in self.run.each_series() for part in series.parts if part.file is tail.stage
        )
        found = {pack.columns.row_of(part.columns): part for part in parts}
        found.pop(-1, None)
        return found

    def _resume(self, tail: FileTail) -> bool:
        """Make a file that came from an index ready for a scan of what is new. False if its rows there are damaged."""
        if tail.saved is None or tail.scanner is not None:
            return True
        pack, row = tail.saved
        if not pack.is_whole(row):
            return False
        parts = self._parts_of(tail, pack)
        rows = pack.columns.part_rows(row.first_tag, row.tag_count)
        scanner = EventScanner(POINTS_PLUGIN)
        columns = {number: part.columns for number, part in parts.items()}
        for part in parts.values():
            # Rows that come go on from it, when those of the index are in memory.
            part.pyramid = part.pyramid or part.columns.read_pyramid()
        try:
            scanner.resume(row.state, row.edges[0], pack.saved_tags(row, columns))
        except ValueError:
            return False
        tail.indices = [[parts.get(points), parts.get(blobs)] for points, blobs in rows]
        tail.extras = pack.extras_of(row)
        tail.scanner = scanner
        return True

    def settle(self, tail: FileTail, pack: Pack, row: FileRow) -> None:
        """Leave the rows of a file to an entry that was just written of it. Rows that came since stay in memory."""
        scanner = tail.scanner
        if scanner is not None:
            held = scanner.held_columns()
        elif tail.saved is not None:
            before, old = tail.saved
            parts = self._parts_of(tail, before)
            used = {number: part.columns for number, part in parts.items()}
            held = [
                (used.get(points), used.get(blobs))
                for points, blobs in before.columns.part_rows(old.first_tag, old.tag_count)
            ]
        else:
            return
        pack.columns.settle(row.first_tag, held[: row.tag_count])
        tail.indexed_bytes = row.offset
        if scanner is None or scanner.state == row.state:
            tail.note_saved(pack, row)

    def repair(self, tail: FileTail, pack: Pack, row: FileRow, damaged: Columns) -> None:
        """Read rows that are damaged in an index from the event file instead. On any thread, at the request of a reader."""
        scanner = EventScanner(POINTS_PLUGIN)
        with open(tail.stage.path, "rb", buffering=0) as file:
            scanner.scan(file.fileno(), ScanBuffer(), row.offset)
        scanner.take()
        fresh = scanner.saved_tags()
        rows = pack.columns.part_rows(row.first_tag, row.tag_count)
        if fresh is None or scanner.state[:2] != row.state[:2] or len(fresh) != len(rows):
            raise ValueDamaged(
                f"{tail.stage.shown}: it changed while it was read, and what the index has of it is damaged. Try again."
            )
        parts = self._parts_of(tail, pack)
        wanted = pack.columns.row_of(damaged)
        for pair, tag in zip(rows, fresh, strict=True):
            for number, columns in zip(pair, tag[5:7], strict=True):
                if number < 0 or columns is None:
                    continue
                if number in parts:
                    parts[number].columns.take_rows(columns)
                if number == wanted:
                    damaged.take_rows(columns)

    # -- rows

    def _file_tag(self, tail: FileTail, scanner: EventScanner, index: int) -> None:
        while len(tail.indices) <= index:
            tail.indices.append([None, None])
        known = tail.indices[index]
        name, metadata, fields, blobs_first, points, blobs = scanner.tag(index)
        starts = scanner.starts(index) if scanner.session_starts else ()
        # Escape bytes that are not UTF-8: one replacement character for all of them could make two tags equal.
        tag = name.decode("utf-8", "backslashreplace")
        both = ((1, blobs), (0, points)) if blobs_first else ((0, points), (1, blobs))
        for slot, columns in both:
            if columns is None:
                continue
            own_starts = tuple((start[slot], start[2]) for start in starts)
            series = self._series(tag, slot == 0, metadata, fields[slot])
            part = known[slot]
            if part is None:
                part = known[slot] = Part(tail.stage, columns, own_starts)
                series.put_part(part)
            else:
                series.note_growth(part, own_starts)
            if slot == 0 and columns.count >= EAGER_ROWS:
                part.look_at_rows(columns.read_points())

    def _series(self, tag: str, is_points: bool, metadata: bytes | None, field: int) -> SeriesStage:
        first = self.run.series.get(tag)
        group = self.run.series if first is None or first.is_points == is_points else self.run.others
        series = group.get(tag)
        if series is None:
            series = group[tag] = SeriesStage(tag, series_meta(metadata, field, tag, is_points), is_points)
        elif metadata is not None and not series.has_metadata:
            # Metadata that comes after a tag's first values still describes them.
            series.meta = series_meta(metadata, field, tag, is_points)
        series.has_metadata |= metadata is not None
        return series

    def _file_extra(self, tail: FileTail, extra: tuple[int, int, float, int, int, int]) -> None:
        field, step, wall_time, record, at, size = extra
        tag = ""
        if field not in (GRAPH_FIELD, META_GRAPH_FIELD):
            try:
                body = load_range(tail.stage.path, Range(record, at, size))
                message = wire.decode(TAGGED_RUN_METADATA, body)
            except (ValueError, ValueDamaged):
                tail.lose(record)
                return
            data = bytes(message.get("run_metadata", b""))
            at += body.find(data) if data else 0
            size, tag = len(data), message.get("tag", "")
        saved = SavedExtra(field, tag, step, wall_time, record, at, size)
        tail.extras.append(saved)
        self._file_saved_extra(tail, saved)

    def _file_saved_extra(self, tail: FileTail, extra: SavedExtra) -> None:
        row = extra[2:]
        if extra.field == GRAPH_FIELD:
            meta = SeriesMeta(Kind.GRAPH, GRAPH_PLUGIN)
            shown = self.run.series.get(RUN_GRAPH_TAG)
            if shown is not None and shown.meta.plugin == META_GRAPH_PLUGIN:
                # A graph is preferred to the one inside a meta graph.
                shown.parts = ()
                shown.meta = meta
                shown.begin_epoch()
            self._add_range(tail, RUN_GRAPH_TAG, meta, row)
        elif extra.field == META_GRAPH_FIELD:
            self._meta_graphs.append((tail, row))
            shown = self.run.series.get(RUN_GRAPH_TAG)
            if shown is not None and shown.meta.plugin == META_GRAPH_PLUGIN:
                self._add_range(tail, RUN_GRAPH_TAG, SeriesMeta(Kind.GRAPH, META_GRAPH_PLUGIN), row)
        else:
            self._add_range(tail, extra.tag, SeriesMeta(Kind.GRAPH, RUN_METADATA_PLUGIN), row)

    def _use_meta_graph(self) -> None:
        """A run without a graph of its own shows the one inside its meta graph."""
        if not self._meta_graphs or RUN_GRAPH_TAG in self.run.series:
            return
        for tail, row in self._meta_graphs:
            self._add_range(tail, RUN_GRAPH_TAG, SeriesMeta(Kind.GRAPH, META_GRAPH_PLUGIN), row)

    def _add_range(
        self, tail: FileTail, tag: str, meta: SeriesMeta, row: tuple[int, float, int, int, int]
    ) -> None:
        series = self.run.series.get(tag)
        if series is None or series.is_points:
            group = self.run.series if series is None else self.run.others
            series = group.setdefault(tag, SeriesStage(tag, meta, is_points=False))
        for part in series.parts:
            if part.file is tail.stage:
                part.columns.append_range(*row)
                series.note_growth(part, part.starts)
                return
        columns = Columns()
        columns.append_range(*row)
        series.put_part(Part(tail.stage, columns))
