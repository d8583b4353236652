"""Loads one run: reads what is new in each of its event files and files it in the run's stage.

Knows restarts, damage, replaced and shrunken files. How runs are found and when they changed is watch.py's business.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Executor

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
FINGERPRINT_BYTES = 64

_scratch = threading.local()


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

    __slots__ = ("fingerprint", "identity", "indices", "scanner", "stage")

    def __init__(self, stage: FileStage) -> None:
        self.stage = stage
        self.scanner: EventScanner | None = None
        self.identity: tuple[int, int] | None = None
        # The file's first bytes: they never change unless the file was replaced by another.
        self.fingerprint = b""
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
        self.tails.pop(name, None)
        self.run.drop_file(name)

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
            found = os.stat(stage.path)
            if not stat.S_ISREG(found.st_mode):
                _set_state(stage, FileState.UNREADABLE, None, "not a regular file", "Remove it, or rename it if it is not an event file.")
                return before[0] != stage.state
            # Non-blocking, in case it became a pipe since.
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
        return before != (stage.state, stage.read_bytes, stage.size_bytes, stage.skipped_records)

    def _load_open_file(self, tail: FileTail, fd: int, helpers: Executor | None, on_part: Callable[[], None] | None) -> None:
        found = os.fstat(fd)
        identity = (found.st_dev, found.st_ino)
        size = found.st_size
        head = os.pread(fd, FINGERPRINT_BYTES, 0) if hasattr(os, "pread") else b""
        is_same = tail.identity in (None, identity) and size >= tail.stage.read_bytes and head.startswith(tail.fingerprint)
        if not is_same:
            self._forget(tail)
        tail.identity = identity
        tail.fingerprint = head
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
            stop = tail.scanner.scan(fd, scan_buffer())
        self._file_rows(tail)
        _judge(tail.stage, tail.scanner, stop, head)

    def _forget(self, tail: FileTail) -> None:
        """The file was replaced or cut: what was read of it is void."""
        name = tail.stage.name
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
        stop = scanner.scan(fd, scan_buffer(), first + PROBE_BYTES)
        while stop == "limit":
            is_dense = scanner.records - records > (scanner.offset - first) // SMALL_RECORD_BYTES
            if not is_dense or size - scanner.offset < SPLIT_BYTES // 2:
                return scanner.scan(fd, scan_buffer())
            span = min(PART_BYTES, (size - scanner.offset) // threads + 1)
            begins = []
            for number in range(1, threads):
                at = find_record(fd, scanner.offset + number * span, min(size, scanner.offset + number * span + SYNC_BYTES), scan_buffer())
                if at > 0:
                    begins.append(at)
            end = scanner.offset + threads * span
            ends = [*begins[1:], end]
            parts = [EventScanner(POINTS_PLUGIN, at, scanner) for at in begins]
            pending = [helpers.submit(_scan_part, part, fd, until) for part, until in zip(parts, ends, strict=True)]
            stop = scanner.scan(fd, scan_buffer(), begins[0] if begins else end)
            for part, until, reading in zip(parts, ends, pending, strict=True):
                reading.result()
                if stop == "limit":
                    stop = reading.result() if scanner.absorb(part) else scanner.scan(fd, scan_buffer(), until)
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
            stage.min_wall_time = scanner.min_wall_time
            stage.max_wall_time = scanner.max_wall_time
        if scanner.session_starts:
            stage.start_step = scanner.min_start_step
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
        starts = scanner.starts(index)
        tag = name.decode("utf-8", "replace")
        self._learn_meta(tag, metadata)
        both = ((1, blobs), (0, points)) if blobs_first else ((0, points), (1, blobs))
        for slot, columns in both:
            if columns is None:
                continue
            own_starts = tuple((start[slot], start[2]) for start in starts)
            series = self._series(tag, is_points=slot == 0, metadata=metadata, field=field)
            part = known[slot]
            if part is None:
                part = known[slot] = Part(tail.stage, columns, own_starts)
                series.put_part(part)
            else:
                series.note_growth(part, own_starts)

    def _series(self, tag: str, *, is_points: bool, metadata: bytes | None, field: int) -> SeriesStage:
        first = self.run.series.get(tag)
        if first is not None and first.is_points == is_points:
            return first
        group = self.run.series if first is None else self.run.others
        series = group.get(tag)
        if series is None:
            meta = read_metadata(metadata, field, tag=tag)
            if is_points and (meta.kind is not Kind.SCALAR):
                # Single numbers that came before, or without, any metadata.
                meta = SeriesMeta(Kind.SCALAR, "scalars", meta.display_name, meta.description)
            elif not is_points and meta.kind is Kind.SCALAR:
                meta = SeriesMeta(Kind.TENSOR, meta.plugin, meta.display_name, meta.description, meta.content)
            series = group[tag] = SeriesStage(tag, meta, is_points)
        return series

    def _learn_meta(self, tag: str, metadata: bytes | None) -> None:
        """Metadata that comes later than a tag's first values still names what they are."""
        series = self.run.series.get(tag)
        if metadata is None or series is None or series.is_points or series.meta.plugin:
            return
        series.meta = read_metadata(metadata, 8, tag=tag)

    def _file_extra(self, tail: FileTail, extra: tuple[int, int, float, int, int, int]) -> None:
        field, step, wall_time, record, at, size = extra
        if field == GRAPH_FIELD:
            meta = SeriesMeta(Kind.GRAPH, GRAPH_PLUGIN)
            self._add_range(tail, RUN_GRAPH_TAG, meta, (step, wall_time, record, at, size))
        elif field == META_GRAPH_FIELD:
            self._meta_graphs.append((tail, extra))
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
        self._meta_graphs = []

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


def _scan_part(part: EventScanner, fd: int, until: int) -> str:
    return part.scan(fd, scan_buffer(), until)


def _set_state(stage: FileStage, state: FileState, byte: int | None, reason: str, advice: str = "") -> None:
    stage.state = state
    stage.byte = byte
    stage.reason = reason
    stage.advice = advice


def _judge(stage: FileStage, scanner: EventScanner, stop: str, head: bytes) -> None:
    """Put a file's health into words."""
    at = scanner.offset
    before = f"The {scanner.records:,} records before it are shown" if scanner.records else "Nothing in it can be shown"
    if stop == "bad_length":
        if at == 0 and head[:2] == b"\x1f\x8b":
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
