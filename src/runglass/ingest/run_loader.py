"""Loads one run: reads what is new in each of its event files and files it in the run's stage.

Knows restarts, damage, replaced and shrunken files. How runs are found and when they changed is watch.py's business.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache
from typing import Any

from runglass.errors import ValueDamaged
from runglass.ingest.canonical import decode_value, read_metadata
from runglass.native import wire
from runglass.native.columns import Columns
from runglass.native.events import EventScanner, ScanBuffer, find_record
from runglass.schema.event import TAGGED_RUN_METADATA
from runglass.schema.graph import META_GRAPH
from runglass.store.blobs import load_range
from runglass.store.model import FileState, Kind, SeriesMeta
from runglass.store.stage import FileStage, Part, RunStage, SeriesStage

POINTS_PLUGIN = b"scalars"
RUN_GRAPH_TAG = "__run_graph__"
# Profilers leave a file of this name so that their directory counts as a run; nothing in it is meant to be read.
PROFILE_MARK = ".profile-empty"
# Plugins of the series made here from events that are no summaries: their values are bare messages.
GRAPH_PLUGIN = "graphs"
META_GRAPH_PLUGIN = "meta_graphs"
RUN_METADATA_PLUGIN = "graph_tagged_run_metadata"
GRAPH_FIELD = 4
META_GRAPH_FIELD = 9

# A file is split over several threads above this, where its records are small; the parts are this large at most.
SPLIT_BYTES = 12 << 20
PROBE_BYTES = 2 << 20
PART_BYTES = 256 << 20
SMALL_RECORD_BYTES = 4096
SYNC_BYTES = 1 << 20

_scratch = threading.local()

# Cached, because runs of one project log the same tags again and again.
@lru_cache(maxsize=8192)
def series_meta(metadata: bytes | None, field: int, tag: str, is_points: bool) -> SeriesMeta:
    """What a series of single numbers, or of byte ranges, is."""
    try:
        meta = read_metadata(metadata, field, tag)
    except ValueDamaged:
        # Costs a series its plugin and description, not its values.
        meta = read_metadata(None, field, tag)
    if is_points and meta.kind is not Kind.SCALAR:
        # Single numbers that came before, or without, any metadata.
        return SeriesMeta(Kind.SCALAR, "scalars", meta.display_name, meta.description)
    if not is_points and meta.kind is Kind.SCALAR:
        return SeriesMeta(Kind.TENSOR, meta.plugin, meta.display_name, meta.description, meta.content)
    return meta


def scan_buffer() -> ScanBuffer:
    if not hasattr(_scratch, "buffer"):
        _scratch.buffer = ScanBuffer()
    buffer: ScanBuffer = _scratch.buffer
    return buffer


def decode(value: bytes, meta: SeriesMeta) -> Any:
    if meta.plugin in (GRAPH_PLUGIN, RUN_METADATA_PLUGIN):
        return value
    if meta.plugin == META_GRAPH_PLUGIN:
        try:
            return bytes(wire.decode(META_GRAPH, value).get("graph_def", b""))
        except ValueError as error:
            raise ValueDamaged(f"The meta graph cannot be decoded: {error}.") from error
    return decode_value(value, meta)


class FileTail:
    """An event file and the scanner that stands at its end."""

    __slots__ = ("identity", "indices", "scanner", "stage")

    def __init__(self, stage: FileStage) -> None:
        self.stage = stage
        self.scanner: EventScanner | None = None
        self.identity: tuple[int, int] | None = None
        # Per tag of the scanner, the parts of its two possible series: points, blobs.
        self.indices: list[list[Part | None]] = []


class RunLoader:
    """The only writer of a run's stage; its methods are called with the run's lock held."""

    __slots__ = ("_meta_graphs", "directory", "run", "tails")

    def __init__(self, name: str, directory: str) -> None:
        self.run = RunStage(name, decode=decode)
        self.directory = directory
        self.tails: dict[str, FileTail] = {}
        self._meta_graphs: list[tuple[FileTail, tuple[int, int, float, int, int, int]]] = []

    def add_file(self, name: str, size_bytes: int) -> None:
        if name not in self.tails:
            stage = FileStage(name, os.path.join(self.directory, name), size_bytes=size_bytes)
            self.tails[name] = FileTail(stage)
            self.run.files[name] = stage

    def drop_file(self, name: str) -> None:
        tail = self.tails.pop(name, None)
        self._meta_graphs = [each for each in self._meta_graphs if each[0] is not tail]
        self.run.drop_file(name)
        self._use_meta_graph()

    def fail_file(self, name: str, reason: str) -> None:
        tail = self.tails.get(name)
        if tail is not None:
            _set_state(tail.stage, FileState.UNREADABLE, None, reason, "Please report this with the file.")

    def load_file(self, name: str, *, helpers: Executor | None = None, on_part: Callable[[], None] | None = None) -> bool:
        """Read everything new in one file; returns whether the run changed. `helpers` may read parts of a large one."""
        tail = self.tails.get(name)
        if tail is None:
            return False
        stage = tail.stage
        before = (stage.state, stage.read_bytes, stage.size_bytes, stage.skipped_records)
        if name.endswith(PROFILE_MARK):
            _set_state(stage, FileState.OK, None, "")
            return before[0] != stage.state
        try:
            # Non-blocking: it may be a pipe, and nobody may ever write to it.
            fd = os.open(stage.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            self.drop_file(name)
            return True
        except OSError as error:
            _set_state(
                stage, FileState.UNREADABLE, None, f"cannot be opened: {error.strerror}", "Check the file's permissions; it is tried again by itself."
            )
            return before[0] != stage.state
        try:
            self._load_open_file(tail, fd, helpers, on_part)
        finally:
            os.close(fd)
        after = tail.stage
        return after is not stage or before != (after.state, after.read_bytes, after.size_bytes, after.skipped_records)

    def _load_open_file(self, tail: FileTail, fd: int, helpers: Executor | None, on_part: Callable[[], None] | None) -> None:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            _set_state(tail.stage, FileState.UNREADABLE, None, "not a regular file", "Remove it, or rename it if it is not an event file.")
            return
        identity = (found.st_dev, found.st_ino)
        size = found.st_size
        if tail.scanner is not None:
            # Its first bytes never change, unless it became another file.
            head = tail.scanner.head
            is_same = tail.identity == identity and size >= tail.stage.read_bytes and _read_head(fd, len(head)) == head
            if not is_same:
                self._forget(tail)
        tail.identity = identity
        tail.stage.size_bytes = size
        if size == 0:
            _set_state(tail.stage, FileState.EMPTY, None, "")
            return
        if tail.stage.state is FileState.DAMAGED:
            return
        if tail.scanner is None:
            tail.scanner = EventScanner(POINTS_PLUGIN)
        if helpers is not None and size - tail.scanner.offset > SPLIT_BYTES:
            stop = self._scan_in_parts(tail, fd, size, helpers, on_part)
        else:
            stop = tail.scanner.scan(fd, scan_buffer(), size=size)
        self._file_rows(tail)
        _judge(tail.stage, tail.scanner, stop)

    def _forget(self, tail: FileTail) -> None:
        """The file was replaced or cut: what was read of it is void."""
        name = tail.stage.name
        self._meta_graphs = [each for each in self._meta_graphs if each[0] is not tail]
        self.run.drop_file(name)
        tail.stage = FileStage(name, tail.stage.path)
        self.run.files[name] = tail.stage
        tail.scanner = None
        tail.indices = []

    def _scan_in_parts(
        self, tail: FileTail, fd: int, size: int, helpers: Executor, on_part: Callable[[], None] | None
    ) -> str:
        """Read one large file on several threads: each begins at a record found by its looks, and its rows count only when reading
        from the front arrives exactly there.
        """
        scanner = tail.scanner
        assert scanner is not None
        threads = max(2, os.cpu_count() or 2)
        first = scanner.offset
        records = scanner.records
        stop = scanner.scan(fd, scan_buffer(), first + PROBE_BYTES, size)
        while stop == "limit":
            is_dense = scanner.records - records > (scanner.offset - first) // SMALL_RECORD_BYTES
            if not is_dense or size - scanner.offset < SPLIT_BYTES // 2:
                return scanner.scan(fd, scan_buffer(), size=size)
            span = min(PART_BYTES, (size - scanner.offset) // threads + 1)
            begins = []
            for number in range(1, threads):
                at = find_record(fd, scanner.offset + number * span, min(size, scanner.offset + number * span + SYNC_BYTES), scan_buffer())
                if at > 0:
                    begins.append(at)
            end = scanner.offset + threads * span
            ends = [*begins[1:], end] if begins else []
            parts = [EventScanner(POINTS_PLUGIN, at, scanner) for at in begins]
            pending = [helpers.submit(_scan_part, part, fd, size, until) for part, until in zip(parts, ends, strict=True)]
            stop = scanner.scan(fd, scan_buffer(), begins[0] if begins else end, size)
            for part, until, reading in zip(parts, ends, pending, strict=True):
                reading.result()
                if stop == "limit":
                    stop = reading.result() if scanner.absorb(part) else scanner.scan(fd, scan_buffer(), until, size)
            self._file_rows(tail)
            if on_part is not None:
                on_part()
        return stop

    def _file_rows(self, tail: FileTail) -> None:
        """Move the scanner's fresh rows into the run's series."""
        scanner = tail.scanner
        assert scanner is not None
        stage = tail.stage
        stage.read_bytes = scanner.offset
        stage.records = scanner.records
        stage.skipped_records = scanner.skipped
        if scanner.min_wall_time <= scanner.max_wall_time:
            if stage.max_wall_time is not None and stage.max_wall_time != scanner.max_wall_time:
                # Whether the next file goes on where this one ended, or was written beside it, may look different now.
                for series in self.run.each_series():
                    if any(part.file is stage for part in series.parts[:-1]):
                        series.begin_epoch()
            stage.min_wall_time = scanner.min_wall_time
            stage.max_wall_time = scanner.max_wall_time
        if scanner.session_starts and stage.start_step != scanner.min_start_step:
            stage.start_step = scanner.min_start_step
            for series in self.run.each_series():
                series.begin_epoch()
        for index in scanner.take():
            self._file_tag(tail, scanner, index)
        for extra in scanner.take_extras():
            self._file_extra(tail, extra)
        self._use_meta_graph()

    def _file_tag(self, tail: FileTail, scanner: EventScanner, index: int) -> None:
        while len(tail.indices) <= index:
            tail.indices.append([None, None])
        known = tail.indices[index]
        name, metadata, field, blobs_first, points, blobs = scanner.tag(index)
        starts = scanner.starts(index) if scanner.session_starts else ()
        # Bytes that are not UTF-8 are spelt out, because with one sign for all of them two tags could become one.
        tag = name.decode("utf-8", "backslashreplace")
        both = ((1, blobs), (0, points)) if blobs_first else ((0, points), (1, blobs))
        for slot, columns in both:
            if columns is None:
                continue
            own_starts = tuple((start[slot], start[2]) for start in starts)
            series = self._series(tag, slot == 0, metadata, field)
            part = known[slot]
            if part is None:
                part = known[slot] = Part(tail.stage, columns, own_starts)
                series.put_part(part)
            else:
                series.note_growth(part, own_starts)

    def _series(self, tag: str, is_points: bool, metadata: bytes | None, field: int) -> SeriesStage:
        first = self.run.series.get(tag)
        group = self.run.series if first is None or first.is_points == is_points else self.run.others
        series = group.get(tag)
        if series is None:
            series = group[tag] = SeriesStage(tag, series_meta(metadata, field, tag, is_points), is_points)
        elif metadata is not None and not series.has_metadata:
            # Metadata that comes later than a tag's first values still names what they are.
            series.meta = series_meta(metadata, field, tag, is_points)
        series.has_metadata |= metadata is not None
        return series

    def _file_extra(self, tail: FileTail, extra: tuple[int, int, float, int, int, int]) -> None:
        field, step, wall_time, record, at, size = extra
        shown = self.run.series.get(RUN_GRAPH_TAG)
        is_meta_graph_shown = shown is not None and shown.meta.plugin == META_GRAPH_PLUGIN
        if field == GRAPH_FIELD:
            meta = SeriesMeta(Kind.GRAPH, GRAPH_PLUGIN)
            if shown is not None and is_meta_graph_shown:
                # The graph itself is better than the one inside a meta graph.
                shown.parts = ()
                shown.meta = meta
                shown.begin_epoch()
            self._add_range(tail, RUN_GRAPH_TAG, meta, (step, wall_time, record, at, size))
        elif field == META_GRAPH_FIELD:
            self._meta_graphs.append((tail, extra))
            if is_meta_graph_shown:
                self._add_range(tail, RUN_GRAPH_TAG, SeriesMeta(Kind.GRAPH, META_GRAPH_PLUGIN), (step, wall_time, record, at, size))
        else:
            try:
                body = load_range(tail.stage.path, record=record, value_at=at, value_size=size)
                message = wire.decode(TAGGED_RUN_METADATA, body)
            except (ValueError, ValueDamaged):
                tail.stage.skipped_records += 1
                return
            data = bytes(message.get("run_metadata", b""))
            begin = body.find(data) if data else 0
            meta = SeriesMeta(Kind.GRAPH, RUN_METADATA_PLUGIN)
            self._add_range(tail, message.get("tag", ""), meta, (step, wall_time, record, at + begin, len(data)))

    def _use_meta_graph(self) -> None:
        """A run without a graph of its own shows the one inside its meta graph."""
        if not self._meta_graphs or RUN_GRAPH_TAG in self.run.series:
            return
        for tail, (_, step, wall_time, record, at, size) in self._meta_graphs:
            self._add_range(tail, RUN_GRAPH_TAG, SeriesMeta(Kind.GRAPH, META_GRAPH_PLUGIN), (step, wall_time, record, at, size))

    def _add_range(self, tail: FileTail, tag: str, meta: SeriesMeta, row: tuple[int, float, int, int, int]) -> None:
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


def _read_head(fd: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, size, 0)
    os.lseek(fd, 0, os.SEEK_SET)
    return os.read(fd, size)


def _scan_part(part: EventScanner, fd: int, size: int, until: int) -> str:
    return part.scan(fd, scan_buffer(), until, size)


def _set_state(stage: FileStage, state: FileState, byte: int | None, reason: str, advice: str = "") -> None:
    stage.state = state
    stage.byte = byte
    stage.reason = reason
    stage.advice = advice


def _judge(stage: FileStage, scanner: EventScanner, stop: str) -> None:
    """Put a file's health into words."""
    at = scanner.offset
    before = f"The {scanner.records:,} records before it are shown" if scanner.records else "Nothing in it can be shown"
    if stop == "bad_length":
        if at == 0 and scanner.head[:2] == b"\x1f\x8b":
            _set_state(stage, FileState.DAMAGED, 0, "gzip data, not an event file", "Decompress it with gunzip.")
        elif at == 0:
            reason = "not an event file: its first bytes are no record"
            _set_state(stage, FileState.DAMAGED, 0, reason, "Rename or move it if it is something else.")
        else:
            _set_state(
                stage,
                FileState.DAMAGED,
                at,
                f"length checksum 0x{scanner.found_checksum:08x}, expected 0x{scanner.expected_checksum:08x}. {before}; the rest of this "
                "file cannot be read",
                "Copy the file again if it is a copy; else the bytes after this one are lost.",
            )
    elif stop == "too_long":
        _set_state(
            stage,
            FileState.DAMAGED,
            at,
            f"record length {scanner.found_length:,}, more than an event can have (2 GiB). {before}; the rest of this file cannot be read",
            "Copy the file again if it is a copy; else the bytes after this one are lost.",
        )
    elif stop == "read_failed":
        _set_state(
            stage,
            FileState.UNREADABLE,
            at,
            f"reading failed: {os.strerror(scanner.read_errno)}. {before}",
            "Check the disk or the network mount; reading is tried again by itself.",
        )
    elif scanner.skipped:
        why = "payload checksum is wrong" if scanner.skip_reason == "checksum" else "payload is no event"
        count = f"{scanner.skipped:,} record{'s' if scanner.skipped > 1 else ''}"
        _set_state(
            stage,
            FileState.SKIPPED,
            scanner.first_skipped,
            f"{why}. {count} skipped; all others are shown",
            "Copy the file again if it is a copy; else those records are lost.",
        )
    elif stop == "short":
        _set_state(stage, FileState.CUT_SHORT, at, "ends inside a record; the rest is awaited")
    elif stop == "zeros":
        _set_state(stage, FileState.CUT_SHORT, at, "zeros from here on; data is awaited")
    else:
        _set_state(stage, FileState.OK, None, "")
