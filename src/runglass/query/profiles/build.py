"""From the rows of files to one trace: one clock, events sorted and nested, launches joined to kernels, modules, counters, steps."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.trace_nesting import Nesting, inherit, nest
from runglass.native.trace_rows import TraceRows
from runglass.native.trace_view import give_back, make_pyramid, notable, pick
from runglass.query.profiles.arguments import Known, release, texts
from runglass.query.profiles.clocks import LIMIT_PS, place_files, shift_of
from runglass.query.profiles.column_file import Memory
from runglass.query.profiles.counters import (
    ALLOCATOR,
    TORCH_MEMORY,
    Samples,
    count_waiting,
    lay_out,
    read_counters,
    read_memory,
)
from runglass.query.profiles.devices import read_devices
from runglass.query.profiles.flows import FLOW_KEYS, join_flows, read_points
from runglass.query.profiles.meanings import categorize
from runglass.query.profiles.model import (
    ARRAYS,
    FORWARD_BACKWARD,
    LAUNCH,
    MODULE,
    Counter,
    FoundSteps,
    Int32,
    Int64,
    Mask,
    Place,
    SessionKind,
    Strings,
    Trace,
    TraceInfo,
    Track,
    Unit,
    numbers_in,
)
from runglass.query.profiles.tracks import RawTrack, make_track, read_tracks

# The category of Python frames.
FRAMES = "python_function"
# Of what a device does for which part of the program, on the stream itself.
ANNOTATIONS = "gpu_user_annotation"
# What is looked for in the arguments of all events, in one pass: for flows and modules, and for steps.
NUMBER_KEYS = (*FLOW_KEYS, "group_id", "step_num", "iter_num", "_r", "id")
FULL_NAME = "full_name"
TEXT_KEYS = ("tf_op", "graph_type", "step_name", FULL_NAME)
STACK_KEYS = ("Call stack", "source_stack", "source", "Python id")
SHAPE_KEYS = ("Input Dims", "shape")

PLACES: tuple[Place, Place] = ("host", "device")
# More are not listed; then any event may have any of them.
MAX_LISTED_KEYS = 2_000

# By one thread.
PICKED_AT_ONCE = 500_000

Report = Callable[[str], None]
IN_MEMORY = Memory()


class Chosen(Struct):
    """Events that become slices, in the order of the files."""

    # Number of the row.
    source: Int32
    start: Int64
    duration: Int64
    # Of the trace.
    track: Int32


def build_trace(
    rows: TraceRows,
    kind: SessionKind,
    *,
    sizes: list[int],
    find_steps: Callable[[Trace], FoundSteps] | None = None,
    unit: Unit = "ps",
    columns: Memory = IN_MEMORY,
    report: Report = lambda _: None,
) -> Trace:
    """`rows` must be frozen. `sizes`: bytes of each of its files. `columns`: where those of the trace go."""
    info = TraceInfo(kind=kind, unit=unit, problems=list(rows.problems))
    report("Sorting")
    rows.replace("arguments_end", columns.keep("arguments_end", rows.arguments_end))
    for name in ("name", "category", "duration_ps", "track"):
        rows.replace(name, columns.park(getattr(rows, name)))
    give_back()
    shifts = place_files(rows, info, sizes)
    raw, track_numbers, note = read_tracks(rows, [file.host for file in rows.files])
    if note is not None:
        info.problems.append(note)
    order = sorted(range(len(raw)), key=lambda number: raw[number].order)
    samples = read_samples(rows)
    points = read_points(rows, shifts)
    chosen, tracks, of_raw = choose_events(rows, raw, order, track_numbers, shifts, columns)
    release(rows.arguments)
    give_back()
    fix_times(chosen, info)
    chosen.start, chosen.duration = columns.park(chosen.start), columns.park(chosen.duration)
    whole = nest(chosen.track, chosen.start, chosen.duration, len(tracks))
    nested, sibling, moved = split_frames(rows, chosen, whole, tracks)
    del whole
    give_back()
    points.track = np.where(
        of_raw[points.track] >= 0, moved[of_raw[points.track]], -1 if len(moved) else points.track
    ).astype(np.int32)
    arrays = sort_columns(rows, chosen, nested, columns)
    arrays["sibling"] = sibling
    del chosen, nested
    trace = first_trace(rows, info, arrays, tracks)
    trace.category = columns.keep("category", trace.category)
    give_back()
    report("Joining")
    known = trace.known = Known(trace, NUMBER_KEYS, TEXT_KEYS, columns.park, on_device(trace).view(np.uint8))
    info.argument_keys = keys_of(trace, known)
    events, named = known.get(FULL_NAME) or (np.empty(0, np.int32), np.empty(0, np.int64))
    by_event = np.argsort(events, kind="stable")
    trace.full_name_event, trace.full_name = events[by_event], named[by_event].astype(np.int32)
    give_back()
    join_flows(trace, points, rows)
    add_modules(trace, rows)
    known.drop([*FLOW_KEYS, "tf_op", FULL_NAME])
    del points
    for name in ("flow_from", "flow_to", "flow_kind"):
        setattr(trace, name, columns.keep(name, getattr(trace, name)))
    if len(trace.module):
        trace.module = columns.keep("module", trace.module)
    give_back()
    add_counters(trace, rows, samples, raw, tracks, shifts, track_numbers)
    del samples
    for name in ("counter_starts", "counter_time", "counter_value"):
        setattr(trace, name, columns.keep(name, getattr(trace, name)))
    info.devices = read_devices(rows.files, info.tracks)
    info.has_stacks = any(trace.strings.find(key) >= 0 for key in STACK_KEYS)
    info.has_shapes = any(trace.strings.find(key) >= 0 for key in SHAPE_KEYS)
    info.has_memory = any(counter.unit == "bytes" for counter in info.counters)
    give_back()
    report("Finding steps")
    if find_steps is not None:
        found = find_steps(trace)
        info.steps, info.steps_note = found.steps, found.note
        trace.step = np.ascontiguousarray(found.of_event, np.int32)
    trace.forget()
    finish(trace, columns)
    give_back()
    return trace


def finish(trace: Trace, columns: Memory) -> None:
    """Add the columns that only questions need: there is more room once everything else is done."""
    count = len(trace)
    for name in ("step", "module"):
        own = getattr(trace, name)
        setattr(trace, name, columns.keep(name, own if len(own) == count else np.full(count, -1, np.int32)))
    before = np.zeros(count + 1, np.int64)
    np.cumsum(trace.duration_ps, out=before[1:])
    trace.busy_before = columns.keep("busy_before", before)


# --- events and tracks


def choose_events(
    rows: TraceRows,
    raw: list[RawTrack],
    order: list[int],
    track_numbers: Int32,
    shifts: Int64,
    columns: Memory,
) -> tuple[Chosen, list[Track], Int32]:
    """The events that become slices, their tracks, and which of those the threads of the rows are, -1: none. Takes columns from the
    rows as it goes: a trace is several times as large as its arguments."""
    phase = rows.phase
    spans = phase == ord("X")
    instants = np.flatnonzero((phase == ord("i")) | (phase == ord("I")) | (phase == ord("R")))
    pairs = np.flatnonzero((phase == ord("b")) | (phase == ord("e")) | (phase == ord("n")))
    own = columns.park(picked(track_numbers, rows.track)) if len(track_numbers) else rows.track
    async_rows, async_start, async_duration = join_async(rows, pairs)
    has_spans, has_instants, has_async = (np.zeros(len(raw), np.bool_) for _ in range(3))
    has_spans[own[spans]] = True
    has_instants[own[instants]] = True
    has_async[own[async_rows]] = True
    tracks: list[Track] = []
    # For threads, their async events and their instants.
    numbers = np.full((3, len(raw)), -1, np.int32)
    for number in order:
        if has_spans[number]:
            numbers[0, number] = len(tracks)
            tracks.append(make_track(raw[number], len(tracks)))
        if has_async[number]:
            numbers[1, number] = len(tracks)
            tracks.append(make_track(raw[number], len(tracks), kind="async"))
        if has_instants[number]:
            numbers[2, number] = len(tracks)
            tracks.append(make_track(raw[number], len(tracks), kind="instants"))
    threads = numbers[0][track_numbers] if len(track_numbers) else np.empty(0, np.int32)
    for name in ("phase", "link", "track"):
        rows.drop(name)
    if bool(spans.all()):
        del spans, phase
        track = columns.park(picked(numbers[0], own))
        del own
        source = np.arange(rows.count, dtype=np.int32)
        start = rows.start_ps + shift_of(rows, shifts, source)
        rows.drop("start_ps")
        duration = rows.duration_ps.copy()
        rows.drop("duration_ps")
    else:
        chosen = np.arange(rows.count, dtype=np.int32)[spans]
        del spans, phase
        parts = [
            picked(numbers[0], picked(own, chosen)),
            numbers[1][own[async_rows]],
            numbers[2][own[instants]],
        ]
        track = columns.park(joined(parts))
        del own, parts
        source = columns.park(joined([chosen, async_rows.astype(np.int32), instants.astype(np.int32)]))
        start = joined([picked(rows.start_ps, chosen), async_start, rows.start_ps[instants]])
        rows.drop("start_ps")
        start += shift_of(rows, shifts, source)
        none = np.zeros(len(instants), np.int64)
        duration = joined([picked(rows.duration_ps, chosen), async_duration, none])
        rows.drop("duration_ps")
    return Chosen(source, start, duration, track), tracks, threads


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One after the other; the first itself, where it is the only one that has anything."""
    return np.concatenate(parts) if any(len(part) for part in parts[1:]) else parts[0]


def join_async(rows: TraceRows, pairs: Int64) -> tuple[Int64, Int64, Int64]:
    """Beginnings and ends with the same id; one that never ends lasts until the last event of the file."""
    if not len(pairs):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    time = rows.start_ps[pairs]
    pairs = pairs[np.argsort(time, kind="stable")]
    last = int(time.max())
    open_now: dict[int, list[int]] = {}
    found: list[int] = []
    starts: list[int] = []
    durations: list[int] = []
    columns = rows.phase[pairs].tolist(), rows.link[pairs].tolist(), rows.start_ps[pairs].tolist()
    for row, phase, link, at in zip(pairs.tolist(), *columns, strict=True):
        waiting = open_now.setdefault(link, [])
        if phase == ord("e"):
            if waiting:
                number = waiting.pop()
                durations[number] = at - starts[number]
            continue
        if phase == ord("b"):
            waiting.append(len(found))
        found.append(row)
        starts.append(at)
        durations.append(0 if phase == ord("n") else last - at)
    return np.array(found, np.int64), np.array(starts, np.int64), np.array(durations, np.int64)


def fix_times(chosen: Chosen, info: TraceInfo) -> None:
    """Cut what lies beyond any real profile, so that times can be added without a thought."""
    if not len(chosen.start):
        return
    if int(chosen.start.min()) < -LIMIT_PS or int(chosen.start.max()) > LIMIT_PS:
        np.clip(chosen.start, -LIMIT_PS, LIMIT_PS, out=chosen.start)
    chosen.duration[chosen.duration < 0] = 0
    long = chosen.duration > LIMIT_PS
    if long.any():
        others = chosen.start[~long] + chosen.duration[~long]
        last = max(int(others.max(initial=0)), int(chosen.start.max()))
        chosen.duration[long] = last - chosen.start[long]
        info.problems.append(
            f"{int(long.sum()):,} events last longer than 26 days. They are cut at the end of all others."
        )
    info.end_ps = int((chosen.start + chosen.duration).max())


# Of how events lie within each other, what is in the trace as it is.
NESTED = ("row_starts", "row_track", "row_depth", "track_rows", "is_proper")


class Nested(Struct):
    """How events lie within each other; as native/trace_view gives it, with parents that may be on another track."""

    order: Int32
    parent: Int32
    self_ps: Int64
    row_starts: Int64
    row_track: Int32
    row_depth: Int32
    track_rows: Int32
    is_proper: NDArray[np.uint8]


def split_frames(
    rows: TraceRows, chosen: Chosen, whole: Nesting, tracks: list[Track]
) -> tuple[Nesting | Nested, Int32, Int32]:
    """Put Python frames on tracks of their own, because dozens of them would hide the operations inside; and annotations of a device on
    rows of their own, so that its kernels stay in one place. What is around an event, and what it did itself, stays as it was. Gives
    the other track of each thread, and where each track is now."""
    frames = is_category(rows, chosen, FRAMES)
    if frames is not None and frames.any():
        frames &= ~starts_with(rows, MODULE)[rows.name[chosen.source]]
    notes = is_category(rows, chosen, ANNOTATIONS)
    if (frames is None or not frames.any()) and (notes is None or not notes.any()):
        return whole, np.full(len(tracks), -1, np.int32), np.arange(len(tracks), dtype=np.int32)
    # What each event is: an annotation, an operation, a frame.
    layer = np.ones(len(chosen.track), np.int8)
    if notes is not None:
        of_device = np.array([track.place == "device" for track in tracks], np.bool_)
        layer[notes & of_device[chosen.track]] = 0
    if frames is not None:
        layer[frames] = 2
    # Parts are nested on their own: those of one track after each other, an empty one takes no row.
    used = np.zeros((len(tracks), 3), np.bool_)
    used[chosen.track, layer] = True
    made: list[Track] = []
    real = np.full((len(tracks), 3), -1, np.int32)
    for track in tracks:
        has = used[track.id]
        if has[0] or has[1] or not has[2]:
            real[track.id, :2] = len(made)
            made.append(change(track, id=len(made)))
        if has[2]:
            real[track.id, 2] = len(made)
            made.append(change(track, id=len(made), kind="python"))
    sibling = np.full(len(made), -1, np.int32)
    both = (real[:, 1] >= 0) & (real[:, 2] >= 0)
    sibling[real[both, 1]], sibling[real[both, 2]] = real[both, 2], real[both, 1]
    parts = nest(chosen.track * np.int32(3) + layer, chosen.start, chosen.duration, 3 * len(tracks))
    real_of = real.reshape(-1)[parts.row_track]
    track_rows = np.searchsorted(real_of, np.arange(len(made) + 1)).astype(np.int32)
    # From the order of the whole threads to that of the parts.
    count = len(chosen.track)
    place = np.empty(count, np.int32)
    place[parts.order] = np.arange(count, dtype=np.int32)
    there = np.empty(count, np.int32)
    there[whole.order] = np.arange(count, dtype=np.int32)
    there = there[parts.order]
    parent = whole.parent[there]
    parent = np.where(parent >= 0, place[whole.order[parent]], -1).astype(np.int32)
    # Below annotations, depth is more than the number of events around.
    proper = np.ones(len(made), np.uint8)
    for track in tracks:
        if not whole.is_proper[track.id] or used[track.id, 0]:
            for each in real[track.id].tolist():
                if each >= 0:
                    proper[each] = 0
        for part in range(3):
            if real[track.id, part] >= 0 and not parts.is_proper[3 * track.id + part]:
                proper[real[track.id, part]] = 0
    tracks[:] = made
    nested = Nested(
        order=parts.order,
        parent=parent,
        self_ps=whole.self_ps[there],
        row_starts=parts.row_starts,
        row_track=real_of.astype(np.int32),
        row_depth=(np.arange(len(real_of)) - track_rows[real_of]).astype(np.int32),
        track_rows=track_rows,
        is_proper=proper,
    )
    return nested, sibling, real[:, 1]


def change(track: Track, **changes: Any) -> Track:
    return Track(**{**{name: getattr(track, name) for name in Track.__struct_fields__}, **changes})


def is_category(rows: TraceRows, chosen: Chosen, category: str) -> Mask | None:
    """Which of the events have this category; None if none has."""
    number = Strings(rows.string_bytes, rows.string_ends).find(category)
    if number < 0:
        return None
    found: Mask = picked(rows.category, chosen.source) == number
    return found


def starts_with(rows: TraceRows, prefix: str) -> Mask:
    """Which texts begin like that; one more entry, for names that are none."""
    wanted = prefix.encode()
    data, ends = rows.string_bytes, rows.string_ends
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    found = np.zeros(len(ends) + 1, np.bool_)
    long = np.flatnonzero(ends - starts >= len(wanted))
    for at, byte in enumerate(wanted):
        long = long[data[starts[long] + at] == byte]
    found[long] = True
    return found


def sort_columns(
    rows: TraceRows, chosen: Chosen, nested: Nesting | Nested, columns: Memory
) -> dict[str, NDArray[Any]]:
    made = {name: columns.keep(name, getattr(nested, name)) for name in ("self_ps", "parent")}
    nested.self_ps, nested.parent = made["self_ps"], made["parent"]
    for name in NESTED:
        made[name] = getattr(nested, name)
    order = nested.order
    source = made["source"] = columns.keep("source", picked(chosen.source, order))
    for name in ("name", "category"):
        made[name] = picked(getattr(rows, name), source)
        rows.drop(name)
    made["name"] = columns.keep("name", made["name"])
    start = made["start_ps"] = columns.keep("start_ps", picked(chosen.start, order))
    chosen.start = start
    duration = made["duration_ps"] = columns.keep("duration_ps", picked(chosen.duration, order))
    chosen.duration = duration
    made["notable"] = make_pyramid(notable(start, duration, nested.row_starts))
    made["longest"] = make_pyramid(duration)
    return made


def picked(values: NDArray[Any], order: Int32) -> NDArray[Any]:
    """The values at these places, found by all cores."""
    found = np.empty(len(order), values.dtype)
    if len(order) <= PICKED_AT_ONCE:
        pick(values, order, found)
        return found
    with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="runglass-sort") as pool:
        for done in [
            pool.submit(pick, values, order[first:stop], found[first:stop])
            for first in range(0, len(order), PICKED_AT_ONCE)
            for stop in [first + PICKED_AT_ONCE]
        ]:
            done.result()
    return found


def first_trace(
    rows: TraceRows, info: TraceInfo, arrays: dict[str, NDArray[Any]], tracks: list[Track]
) -> Trace:
    """A trace without flows, modules, counters and steps, which are found by questions about it."""
    given = {
        **arrays,
        "arguments": rows.arguments,
        "arguments_end": rows.arguments_end,
        "string_bytes": rows.string_bytes,
        "string_ends": rows.string_ends,
        "string_hashes": rows.string_hashes,
        "argument_texts": rows.argument_texts,
    }
    for name, dtype in ARRAYS.items():
        given.setdefault(name, np.zeros(1 if name == "counter_starts" else 0, dtype))
    trace = Trace(info, given)
    info.tracks = [
        change(
            track,
            rows=len(trace.rows_of(track.id)),
            events=len(trace.events_of(track.id)),
            first_event=trace.events_of(track.id).start,
        )
        for track in tracks
    ]
    find_busy(trace)
    info.categories, trace.category = categorize(trace.name, trace.category, on_device(trace), trace.strings)
    return trace


def find_busy(trace: Trace) -> None:
    """From when to when something was done: profilers say when they began and ended, which may be seconds away."""
    rows = trace.rows_of_tracks(
        [track.id for track in trace.tracks if track.kind in ("thread", "python", "stream")]
    )
    info = trace.info
    info.busy_from_ps, info.busy_to_ps = 0, info.end_ps
    low, high = [], []
    for row in rows.tolist():
        first, stop = int(trace.row_starts[row]), int(trace.row_starts[row + 1])
        took = np.flatnonzero(trace.duration_ps[first:stop])
        if len(took):
            low.append(int(trace.start_ps[first + took[0]]))
            high.append(trace.end_of(first + int(took[-1])))
    if low:
        info.busy_from_ps, info.busy_to_ps = min(low), max(high)


def on_device(trace: Trace) -> Mask:
    """For each event whether it is on a device."""
    of_track = np.array([track.place == "device" for track in trace.tracks], np.bool_)
    of_row = of_track[trace.row_track] if len(of_track) else np.zeros(0, np.bool_)
    return np.repeat(of_row, np.diff(trace.row_starts))


def keys_of(trace: Trace, known: Known) -> dict[Place, list[str]] | None:
    if known.seen is None or known.seen.sum() > MAX_LISTED_KEYS:
        return None
    return {
        place: [trace.text(number) for number in np.flatnonzero(seen).tolist()]
        for place, seen in zip(PLACES, known.seen, strict=True)
    }


# --- modules, counters


def add_modules(trace: Trace, rows: TraceRows) -> None:
    """The nn.Module or scope around each event; of kernels, around their launch; of backward operations, of their forward ones."""
    names = {
        number: trace.strings[number][len(MODULE) :]
        for number in np.flatnonzero(starts_with(rows, MODULE)).tolist()
    }
    own = np.full(len(trace), -1, np.int32)
    added = Added(trace)
    if names:
        of_name = np.full(len(trace.strings), -1, np.int32)
        for number, text in names.items():
            of_name[number] = added.number(text)
        own = of_name[trace.name]
    elif trace.strings.find("tf_op") >= 0:
        paths = texts(trace, "tf_op")
        of_path = np.full(len(trace.strings) + 1, -1, np.int32)
        for number in numbers_in(paths, len(trace.strings)):
            scope = trace.strings[number].partition(":")[0].rpartition("/")[0]
            if scope:
                of_path[number] = added.number(scope)
        own = of_path[paths]
    if not (own >= 0).any():
        return
    module = inherit(own, trace.parent)
    for kind in (FORWARD_BACKWARD, LAUNCH):
        here = np.flatnonzero(trace.flow_kind == kind)
        targets = trace.flow_to[here]
        missing = module[targets] < 0
        if missing.any():
            own[targets[missing]] = module[trace.flow_from[here[missing]]]
            module = inherit(own, trace.parent)
    trace.module = module
    added.finish()


class Added:
    """Texts that no file has."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._texts: dict[str, int] = {}

    def number(self, text: str) -> int:
        known = self._trace.strings.find(text)
        if known >= 0:
            return known
        return self._texts.setdefault(text, len(self._trace.strings) + len(self._texts))

    def finish(self) -> None:
        trace = self._trace
        if not self._texts:
            return
        encoded = [text.encode("utf-8", "replace") for text in self._texts]
        first = int(trace.string_ends[-1]) if len(trace.string_ends) else 0
        ends = first + np.cumsum([len(each) for each in encoded], dtype=np.int64)
        trace.string_bytes = np.concatenate([trace.string_bytes, np.frombuffer(b"".join(encoded), np.uint8)])
        trace.string_ends = np.concatenate([trace.string_ends, ends])
        hashes = np.array([zlib.crc32(each) for each in encoded], np.uint32)
        trace.string_hashes = np.concatenate([trace.string_hashes, hashes])
        trace.argument_texts = np.append(trace.argument_texts, np.zeros(len(encoded), np.uint8))
        trace.strings = type(trace.strings)(trace.string_bytes, trace.string_ends)


def read_samples(rows: TraceRows) -> list[Samples]:
    counted = np.flatnonzero(rows.phase == ord("C"))
    found = read_counters(rows, counted) if len(counted) else []
    memory = Strings(rows.string_bytes, rows.string_ends).find(TORCH_MEMORY)
    if memory >= 0:
        chosen = np.flatnonzero((rows.name == memory) & (rows.phase == ord("i")))
        if len(chosen):
            found.extend(read_memory(rows, chosen))
    return found


def add_counters(
    trace: Trace,
    rows: TraceRows,
    found: list[Samples],
    raw: list[RawTrack],
    tracks: list[Track],
    shifts: Int64,
    track_numbers: Int32,
) -> None:
    info = trace.info
    samples: list[tuple[Int64, Any]] = []
    made: dict[tuple[str, str, int | None, str], int] = {}

    def track_for(like: RawTrack | Track, title: str, device: int | None) -> int:
        place = "host" if device is None else "device"
        key = like.host, like.process, device, title
        if key not in made:
            near = next(
                (
                    each
                    for each in tracks
                    if (each.host, each.place, each.device) == (like.host, place, device)
                ),
                None,
            )
            made[key] = len(info.tracks)
            stop = trace.track_rows[-1]
            trace.track_rows = np.append(trace.track_rows, stop).astype(np.int32)
            trace.is_proper = np.append(trace.is_proper, 1).astype(np.uint8)
            trace.sibling = np.append(trace.sibling, -1).astype(np.int32)
            info.tracks.append(
                Track(
                    id=made[key],
                    process=near.process if near is not None else like.process,
                    process_id=near.process_id if near is not None else like.process_id,
                    thread=title,
                    thread_id="",
                    kind="counter",
                    place="host" if device is None else "device",
                    device=device,
                    host=like.host,
                    labels=near.labels if near is not None else like.labels,
                    first_event=len(trace),
                )
            )
        return made[key]

    def add(track: int, name: str, unit: str, time: Int64, value: Any) -> None:
        finite = value[np.isfinite(value)]
        info.counters.append(
            Counter(
                id=len(info.counters),
                track=track,
                name=name,
                unit=unit,
                min=float(finite.min(initial=np.inf)) if len(finite) else 0.0,
                max=float(finite.max(initial=-np.inf)) if len(finite) else 0.0,
                samples=len(time),
            )
        )
        samples.append((time, value))

    for each in found:
        own = raw[int(track_numbers[each.track])]
        match = ALLOCATOR.fullmatch(each.title)
        device = int(match[1]) if match else each.device if each.is_placed else own.device
        track = track_for(own, each.title or each.name, device)
        file = next(number for number, one in enumerate(rows.files) if one.host == own.host)
        add(track, each.name, each.unit, each.time + shifts[file], each.value)
    launches = trace.flow_kind == LAUNCH
    if launches.any():
        sources, targets = trace.flow_from[launches], trace.flow_to[launches]
        of_target = picked(trace.track, targets)
        places = {track.id: (track.host, track.device) for track in info.tracks if track.place == "device"}
        for where in sorted({place for place in places.values() if place[1] is not None}, key=str):
            is_there = np.array([places.get(track.id) == where for track in info.tracks], np.bool_)
            here = is_there[of_target]
            if here.any():
                like = next(track for track in info.tracks if places.get(track.id) == where)
                time, waiting = count_waiting(trace.start_ps[sources[here]], trace.start_ps[targets[here]])
                # Where clocks of host and device differ, kernels seem to begin before their launch.
                add(track_for(like, "Queue", where[1]), "Launched, not run", "", time, np.maximum(waiting, 0))
    trace.counter_starts, trace.counter_time, trace.counter_value = lay_out(samples)
    late = int(trace.counter_time.max(initial=0))
    info.end_ps = max(info.end_ps, min(late, LIMIT_PS))
