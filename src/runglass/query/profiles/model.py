"""One trace, the same for every format it may come from: tracks, events in columns, flows, counters, steps.

Knows no format and opens no file. Times are picoseconds since the origin of the trace.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from runglass.errors import ProfileDamaged as ProfileDamaged
from runglass.errors import ProfileNotOpen as ProfileNotOpen
from runglass.errors import ProfileUnknown as ProfileUnknown
from runglass.lru import Computed
from runglass.native.trace_groups import marked, used_numbers
from runglass.native.trace_view import View
from runglass.native.trace_view import give_back as give_back

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
N = TypeVar("N", np.int32, np.int64)

SessionKind = Literal["xplane", "chrome", "torch", "memory snapshot", "pprof"]
# "python": the frames of a thread, which would hide its operations.
TrackKind = Literal["thread", "python", "stream", "async", "counter", "instants", "steps"]
Place = Literal["host", "device"]
Unit = Literal["ps", "bytes"]
# What an event does, as its category, name and place tell.
Meaning = Literal[
    "step",
    "module",
    "input",
    "op",
    "launch",
    "sync",
    "copy",
    "convolution",
    "matmul",
    "attention",
    "normalisation",
    "elementwise",
    "reduction",
    "optimizer",
    "communication",
    "memory",
    "python",
    "compile",
    "device",
    "other",
]

# What an argument holds; as native/trace_rows writes them.
NULL, FALSE, TRUE, INTEGER, FLOAT, TEXT, JSON_TEXT, BINARY = range(8)
# Where an argument that is asked for as a number is missing.
MISSING = np.iinfo(np.int64).min
# What the names of calls of PyTorch's modules begin with.
MODULE = "nn.Module: "

# Of a trace: some have a number or two per event.
KEPT_ANSWERS = 24

# Kinds of flows, in the order of their numbers.
FLOW_KINDS = ("launch", "forward-backward", "flow", "async")
LAUNCH, FORWARD_BACKWARD, FLOW, ASYNC = range(len(FLOW_KINDS))


class SessionInfo(Struct, frozen=True, kw_only=True):
    """One profile in a listing, for which no file is opened."""

    run: str
    session: str
    kind: SessionKind
    # Below the run's directory.
    files: tuple[str, ...]
    # Hosts or ranks: one for each file, in their order.
    workers: tuple[str, ...]
    size_bytes: int
    # Seconds since 1970; when the newest of its files was written.
    time_s: float
    problem: str | None = None
    # Equal numbers mean unchanged files.
    generation: int = 0


class Track(Struct, frozen=True, kw_only=True):
    """A thread, a stream or a group of counters: rows of events one below the other."""

    id: int
    process: str
    process_id: str
    thread: str
    thread_id: str
    kind: TrackKind
    place: Place
    # Number of the device; None on the host.
    device: int | None = None
    host: str = ""
    labels: str = ""
    rows: int = 0
    events: int = 0
    first_event: int = 0


# There may be tens of thousands, which refer to nothing that could refer to them.
class Step(Struct, frozen=True, kw_only=True, gc=False):
    number: int
    name: str
    start_ps: int
    end_ps: int
    host: str = ""


class Category(Struct, frozen=True, kw_only=True):
    """Events whose file category, meaning and place are the same."""

    name: str
    meaning: Meaning
    place: Place
    events: int = 0


class Counter(Struct, frozen=True, kw_only=True):
    id: int
    track: int
    name: str
    # "bytes", "%", … as far as the name tells.
    unit: str = ""
    min: float = 0.0
    max: float = 0.0
    samples: int = 0


class Device(Struct, frozen=True, kw_only=True):
    id: int
    host: str
    name: str
    memory_bytes: int | None = None
    # "9.0"
    capability: str | None = None
    processors: int | None = None
    # Of dense 16-bit products; None where neither the file nor the table of devices tells.
    peak_flops: float | None = None
    bandwidth_bytes: float | None = None
    properties: dict[str, Any] = field(default_factory=dict)


class TraceFile(Struct, frozen=True, kw_only=True):
    name: str
    host: str
    size_bytes: int
    events: int
    # Unix nanoseconds of its time 0; None if it does not tell.
    base_ns: int | None = None


class TraceInfo(Struct, kw_only=True):
    """What is small in a trace; the rest are arrays."""

    kind: SessionKind
    unit: Unit = "ps"
    # Unix nanoseconds of time 0; None if no file tells.
    origin_ns: int | None = None
    end_ps: int = 0
    # From the first to the last event that takes time, on host threads and devices.
    busy_from_ps: int = 0
    busy_to_ps: int = 0
    tracks: list[Track] = field(default_factory=list)
    categories: list[Category] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    # Why the steps are what they are, where that must be said.
    steps_note: str | None = None
    files: list[TraceFile] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    # As the files have it, by file.
    metadata: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    # Hosts whose clocks could not be compared each begin at 0.
    clocks_differ: bool = False
    has_stacks: bool = False
    has_shapes: bool = False
    has_memory: bool = False
    # Under which names the events of hosts and of devices have arguments; None: too many to list.
    argument_keys: dict[Place, list[str]] | None = None


class Strings(Sequence[str]):
    """Texts by number, decoded when they are asked for."""

    def __init__(self, data: Bytes, ends: Int64) -> None:
        self.data = data
        self.ends = ends

    @classmethod
    def of(cls, texts: Sequence[str]) -> Strings:
        encoded = [text.encode("utf-8", "replace") for text in texts]
        ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self.ends):
            raise IndexError(number)
        start = int(self.ends[number - 1]) if number else 0
        return str(self._view[start : int(self.ends[number])], "utf-8", "replace")

    def get(self, number: int) -> str:
        """The text, or "" for -1."""
        text: str = self[int(number)] if number >= 0 else ""
        return text

    def several(self, numbers: Sequence[int]) -> list[str]:
        """Texts by their numbers, which are none of -1: much faster than one by one."""
        last = np.array(numbers, np.int64)
        starts = np.where(last > 0, self.ends[last - 1], 0).tolist() if len(last) else []
        spans = zip(starts, self.ends[last].tolist(), strict=True)
        return [str(self._view[start:end], "utf-8", "replace") for start, end in spans]

    def find(self, text: str) -> int:
        """The number of a text, -1 if it does not occur."""
        return self._numbers.get(text.encode("utf-8", "replace"), -1)

    @cached_property
    def _view(self) -> memoryview:
        return np.ascontiguousarray(self.data).data

    @cached_property
    def _numbers(self) -> Mapping[bytes, int]:
        data = self.data.tobytes()
        return {data[start:end]: number for number, (start, end) in enumerate(self._ranges())}

    def _ranges(self) -> Iterator[tuple[int, int]]:
        start = 0
        for end in self.ends.tolist():
            yield start, end
            start = end


class FoundSteps(Struct):
    """What the modules that find steps give."""

    steps: list[Step]
    # For each event the index of its step, -1 where it is in none.
    of_event: Int32
    note: str | None = None


# The arrays of a trace, by name and type. n events, r rows, t tracks.
ARRAYS = {
    # Of events, ordered by track, depth and start. Events of one row do not overlap.
    "start_ps": np.int64,
    "duration_ps": np.int64,
    # Without that of its children.
    "self_ps": np.int64,
    # n + 1: durations of all events before.
    "busy_before": np.int64,
    "name": np.int32,
    # Index into the categories.
    "category": np.int32,
    # Event that encloses it in its thread, -1: none.
    "parent": np.int32,
    # Index into the steps, -1: none.
    "step": np.int32,
    # Text of the enclosing nn.Module or scope, -1: none.
    "module": np.int32,
    # Number of the event in the order of the files, which is that of the arguments.
    "source": np.int32,
    # Events that say which op they are of under another name than their own (few do), in their order, and the text.
    "full_name_event": np.int32,
    "full_name": np.int32,
    # r + 1: first event of each row. r: its track and depth. t + 1: first row of each track.
    "row_starts": np.int64,
    "row_track": np.int32,
    "row_depth": np.int32,
    "track_rows": np.int32,
    # Flows, ordered by the event they come from.
    "flow_from": np.int32,
    "flow_to": np.int32,
    "flow_kind": np.int8,
    # Samples of all counters after each other; c + 1: first sample of each.
    "counter_starts": np.int64,
    "counter_time": np.int64,
    "counter_value": np.float64,
    # Arguments in the order of the files; see `arguments_of` in native/trace_rows.
    "arguments": np.uint8,
    "arguments_end": np.int64,
    "string_bytes": np.uint8,
    "string_ends": np.int64,
    # The same for equal texts in all traces: what colours are chosen by.
    "string_hashes": np.uint32,
    # 1 for each text that is the value of an argument.
    "argument_texts": np.uint8,
    # Pyramids over the events, see native/trace_view.
    "notable": np.int64,
    "longest": np.int64,
    # t: 1 where the depth of every event is the number of those around it on its track.
    "is_proper": np.uint8,
    # t: the other track of the same thread, operations and Python frames; -1: none. Parents may be there.
    "sibling": np.int32,
}


class Trace:
    """A trace in columns. The arrays must not be written to."""

    start_ps: Int64
    duration_ps: Int64
    self_ps: Int64
    busy_before: Int64
    name: Int32
    category: Int32
    parent: Int32
    step: Int32
    module: Int32
    source: Int32
    full_name_event: Int32
    full_name: Int32
    row_starts: Int64
    row_track: Int32
    row_depth: Int32
    track_rows: Int32
    flow_from: Int32
    flow_to: Int32
    flow_kind: Int8
    counter_starts: Int64
    counter_time: Int64
    counter_value: Float64
    arguments: Bytes
    arguments_end: Int64
    string_bytes: Bytes
    string_ends: Int64
    string_hashes: NDArray[np.uint32]
    argument_texts: Bytes
    notable: Int64
    longest: Int64
    is_proper: Bytes
    sibling: Int32

    def __init__(self, info: TraceInfo, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.info = info
        for name in ARRAYS:
            setattr(self, name, arrays[name])
        self.strings = Strings(self.string_bytes, self.string_ends)
        # What was computed of it.
        self.computed = Computed(KEPT_ANSWERS)
        # Arguments that were found already, while the trace is built.
        self.known: object = None
        # The file that the arrays are in, if they are.
        self.mapped: mmap.mmap | None = None

    def __len__(self) -> int:
        return len(self.start_ps)

    @cached_property
    def view(self) -> View:
        return View(self.start_ps, self.duration_ps, self.row_starts, self.notable, self.longest)

    @property
    def tracks(self) -> list[Track]:
        return self.info.tracks

    @property
    def steps(self) -> list[Step]:
        return self.info.steps

    @property
    def rows(self) -> int:
        return len(self.row_track)

    @property
    def size_bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in ARRAYS)

    def rows_of(self, track: int) -> range:
        return range(int(self.track_rows[track]), int(self.track_rows[track + 1]))

    def events_of(self, track: int) -> range:
        rows = self.rows_of(track)
        return range(int(self.row_starts[rows.start]), int(self.row_starts[rows.stop]))

    def row_of(self, event: int) -> int:
        return int(np.searchsorted(self.row_starts, event, side="right")) - 1

    def track_of(self, event: int) -> int:
        return int(self.row_track[self.row_of(event)])

    def depth_of(self, event: int) -> int:
        return int(self.row_depth[self.row_of(event)])

    def release(self) -> None:
        """Give the pages of the file back after all of it was read: they count as memory of this process. The system still has them."""
        if self.mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED)

    def forget(self) -> None:
        """Free what was computed of the columns, and can be again."""
        self.known = None
        self.computed.clear()
        for name in ("track", "depth", "view"):
            self.__dict__.pop(name, None)

    @cached_property
    def track(self) -> Int32:
        """The track of each event."""
        return np.repeat(self.row_track, np.diff(self.row_starts))

    def events_on(self, of_track: Sequence[bool]) -> Mask:
        """For each event whether its track is one of these. Rows are few, so that nothing is looked up for an event."""
        if not len(of_track):
            return np.zeros(len(self), np.bool_)
        return np.repeat(np.array(of_track, np.bool_)[self.row_track], np.diff(self.row_starts))

    @cached_property
    def depth(self) -> Int32:
        """The depth of each event in its track."""
        return np.repeat(self.row_depth, np.diff(self.row_starts))

    def end_of(self, event: int) -> int:
        return int(self.start_ps[event]) + int(self.duration_ps[event])

    def find_key(self, key: str, place: Place | None = None) -> int:
        """The number of the name of an argument; -1 where no event, or none of this place, has it."""
        listed = self.info.argument_keys
        if listed is not None and not any(
            key in keys for where, keys in listed.items() if place in (None, where)
        ):
            return -1
        return self.strings.find(key)

    def text(self, number: int) -> str:
        return self.strings.get(number)

    def name_of(self, event: int) -> str:
        return self.strings.get(int(self.name[event]))

    def rows_of_tracks(self, tracks: Sequence[int]) -> Int32:
        """Rows of tracks, in the order of the tracks."""
        ranges = [np.arange(rows.start, rows.stop, dtype=np.int32) for rows in map(self.rows_of, tracks)]
        return np.concatenate([np.empty(0, np.int32), *ranges])

    def child_rows(self, event: int) -> Int32:
        """Rows that hold the children of an event, among others."""
        row = self.row_of(event)
        track = int(self.row_track[row])
        rows = self.rows_of(track)
        other = int(self.sibling[track])
        found: list[int] = []
        if self.is_proper[track] and (other < 0 or self.is_proper[other]):
            found.extend(range(row + 1, min(row + 2, rows.stop)))
            if other >= 0:
                # As deep as there are events around this one on the other track.
                depth = sum(1 for each in self.around(event) if self.track_of(each) == other)
                found.extend(self.rows_of(other)[depth : depth + 1])
        else:
            found.extend(range(row + 1, rows.stop))
            if other >= 0:
                found.extend(self.rows_of(other))
        return np.array(found, np.int32)

    def around(self, event: int) -> Iterator[int]:
        """The events around one, the innermost first."""
        at = int(self.parent[event])
        while at >= 0:
            yield at
            at = int(self.parent[at])

    def check_event(self, event: int, *, where: str = "event") -> None:
        if not 0 <= event < len(self):
            raise ProfileUnknown(
                f"There is no event {event:,}; the trace has {len(self):,}, from 0.", where=where
            )

    def check_tracks(self, tracks: Sequence[int], *, where: str = "tracks") -> None:
        for track in tracks:
            if not 0 <= track < len(self.tracks):
                raise ProfileUnknown(
                    f"There is no track {track:,}; the trace has {len(self.tracks):,}, from 0.", where=where
                )


def used_names(trace: Trace, chosen: Mask | Int32 | Int64 | None = None) -> list[int]:
    """Texts that are the name of an event, in their order, without sorting millions of them."""
    if chosen is not None:
        return numbers_in(trace.name[chosen], len(trace.strings))
    found: list[int] = trace.computed.get("used names", lambda: numbers_in(trace.name, len(trace.strings)))
    return found


def names_of(trace: Trace) -> dict[int, str]:
    """The names of all events by their numbers."""
    used = used_names(trace)
    return dict(zip(used, trace.strings.several(used), strict=True))


def numbers_in(column: Int32 | Int64, size: int) -> list[int]:
    """The different numbers of a column, of those from 0 to `size`; -1 is left out."""
    found: list[int] = np.flatnonzero(used_numbers(np.ascontiguousarray(column), size)).tolist()
    return found


def distinct(values: NDArray[N]) -> NDArray[N]:
    """The different values in their order. `np.unique` imports NumPy's masked arrays for that."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def median(values: Int64 | Float64) -> float:
    """Of at least one value. That of NumPy imports its masked arrays, which takes longer than a view may."""
    ordered = np.sort(values)
    return (float(ordered[(len(ordered) - 1) // 2]) + float(ordered[len(ordered) // 2])) / 2


def named(trace: Trace, names: Iterable[int]) -> Mask:
    """For each event whether its name is one of these texts."""
    return marked_numbers(trace, names, trace.name)


def named_like(trace: Trace, pattern: re.Pattern[str], events: Int64) -> Mask:
    """For each of these events whether its name matches."""
    return texts_like(trace, pattern, trace.name[events])


def texts_like(trace: Trace, pattern: re.Pattern[str], numbers: Int32) -> Mask:
    """For each of these texts whether it matches; every text is looked at once."""
    used = numbers_in(numbers, len(trace.strings))
    return marked_numbers(trace, [each for each in used if pattern.search(trace.text(each))], numbers)


def marked_numbers(trace: Trace, texts: Iterable[int], numbers: Int32) -> Mask:
    """Which of the numbers are those of some texts; -1 is none."""
    return marked(marks_of(trace, texts), numbers)


def marks_of(trace: Trace, texts: Iterable[int]) -> Bytes:
    """For each text of the trace 1 where it is one of these."""
    wanted = np.zeros(len(trace.strings), np.uint8)
    wanted[[text for text in texts if text >= 0]] = 1
    return wanted
