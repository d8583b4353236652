"""Memory over time and every allocation: from torch's memory events and snapshots, and from the allocators of TensorFlow and JAX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.alive import alive_at
from runglass.query.profiles.analysis.checkpointing import why_unknown
from runglass.query.profiles.analysis.columns import columns, floats
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import framework_ops, innermost_of
from runglass.query.profiles.analysis.memory_blocks import savings, suspects
from runglass.query.profiles.analysis.model import Allocations, Measured, MemoryCurve, MemoryView, Moment
from runglass.query.profiles.arguments import numbers
from runglass.query.profiles.model import (
    MISSING,
    Counter,
    Float64,
    Int32,
    Int64,
    Mask,
    Trace,
    Track,
    marked_numbers,
)

# Names of counters, see counters.py; the text before is the allocator.
ALLOCATED = re.compile(r"(?P<allocator>.+?)[ _](?:bytes_)?allocated")
DEVICE_ALLOCATOR = re.compile(r"(?:GPU|TPU)[_ ](\d+)", re.IGNORECASE)
TORCH_EVENT = "[memory]"
TORCH_DEVICE, TORCH_HOST = "Memory", "Host memory"
# Blocks of a snapshot that are older than what it recorded.
ALIVE_BLOCK = "alive block"
EARLIER_PS = -1


class Changes(Struct):
    """Allocations and deallocations of all allocators, in the order of time."""

    time: Int64
    # Negative where memory is freed.
    bytes: Int64
    address: Int64
    # Index into the allocators.
    where: Int32
    event: Int32
    allocators: list[tuple[str, str]]


def memory(trace: Trace) -> MemoryView:
    found = measure(trace)
    moment = alive_at(trace, found, highest(found)) if found.curves else None
    return MemoryView(
        curves=found.curves,
        at_peak=[] if moment is None else moment.rows,
        allocations=found.allocations,
        regions=[] if moment is None else moment.regions,
        suspects=suspects(trace, found),
        savings=[] if moment is None else savings(trace, found, moment),
        notes=[*which(found, moment), *notes_of(trace, found, moment)],
    )


def which(found: Measured, moment: Moment | None) -> list[str]:
    """Of which curve the peak is."""
    if moment is None:
        return []
    curve = found.curves[moment.curve]
    place = (f" on device {curve.device}" if curve.device is not None else "") + (
        f" of {curve.host}" if curve.host else ""
    )
    return [f"At the peak of {curve.allocator}{place}."]


@kept
def measure(trace: Trace) -> Measured:
    """Curves and allocations alone."""
    changes = read_changes(trace)
    return Measured(curves=read_curves(trace), allocations=None if changes is None else pair(trace, changes))


def highest(found: Measured) -> int:
    """The curve with the highest peak. There must be one."""
    return max(range(len(found.curves)), key=lambda number: found.curves[number].peak_bytes)


def notes_of(trace: Trace, found: Measured, moment: Moment | None) -> list[str]:
    if moment is None:
        return [] if trace.info.unit == "bytes" else [f"This profile has no memory: {option_of(trace)}"]
    told = list(moment.notes)
    if found.allocations is None:
        told.append(f"Single allocations are not known: {option_of(trace)}")
    elif trace.info.kind == "torch" and not trace.info.has_shapes:
        told.append("Shapes and types of what was alive are recorded with record_shapes=True.")
    if found.allocations is not None:
        activations = sum(each.bytes for each in moment.regions if each.region == "activations")
        told += filter(None, [why_unknown(trace, activations)])
    return told


def option_of(trace: Trace) -> str:
    """Which option of the profiler would have recorded it."""
    if trace.info.kind == "torch":
        return "torch.profiler.profile(profile_memory=True) records it."
    if trace.info.kind == "xplane":
        return (
            "TensorFlow and JAX record allocations of GPUs and TPUs; on a CPU, jax.profiler.save_device_memory_profile() "
            "writes what is alive."
        )
    return "it is recorded by torch.profiler with profile_memory=True, and on GPUs by JAX and TensorFlow."


# --- curves


@kept
def read_curves(trace: Trace) -> list[MemoryCurve]:
    """One for each allocator, of the counters that count its bytes."""
    named = {(counter.track, counter.name): counter for counter in trace.info.counters}
    made = []
    for counter in trace.info.counters:
        match = ALLOCATED.fullmatch(counter.name)
        if match is None or counter.unit != "bytes" or not counter.samples:
            continue
        partner = named.get((counter.track, counter.name.replace("allocated", "reserved")))
        times, allocated = samples(trace, counter)
        reserved = None
        if partner is not None:
            reserved_times, reserved_values = samples(trace, partner)
            at = np.searchsorted(reserved_times, times, side="right") - 1
            reserved = np.where(at >= 0, reserved_values[np.maximum(at, 0)], 0.0)
            # The allocators of TensorFlow and JAX reserve nothing and say so.
            reserved = reserved if reserved.any() else None
        peak = int(allocated.argmax())
        track = trace.tracks[counter.track]
        device = device_of(track, match["allocator"])
        limit = next(
            (
                each.memory_bytes
                for each in trace.info.devices
                if each.id == device and each.host == track.host
            ),
            None,
        )
        made.append(
            MemoryCurve(
                device=device,
                host=track.host,
                allocator=match["allocator"],
                times_ps=times,
                allocated=allocated,
                reserved=reserved,
                peak_ps=int(times[peak]),
                peak_bytes=float(allocated[peak]),
                limit_bytes=None if limit is None or device is None else float(limit),
                fragmentation=fragmentation_at(trace, match["allocator"], int(times[peak]))
                if reserved is None or not reserved[peak]
                else max(1 - float(allocated[peak]) / float(reserved[peak]), 0.0),
            )
        )
    return made


def fragmentation_at(trace: Trace, allocator: str, time: int) -> float | None:
    """As the allocators of TensorFlow and JAX tell it."""
    if trace.strings.find("fragmentation") < 0:
        return None
    events = np.flatnonzero(named(trace, "MemoryAllocation", "MemoryDeallocation") & (trace.start_ps == time))
    own = columns(trace, [], ["allocator_name"], events)[1][0] == trace.strings.find(allocator)
    said = floats(trace, "fragmentation", events[own])
    return float(said[-1]) if len(said) and not np.isnan(said[-1]) else None


def samples(trace: Trace, counter: Counter) -> tuple[Int64, Float64]:
    inside = slice(int(trace.counter_starts[counter.id]), int(trace.counter_starts[counter.id + 1]))
    return trace.counter_time[inside], trace.counter_value[inside]


def device_of(track: Track, allocator: str) -> int | None:
    if track.device is not None:
        return track.device
    match = DEVICE_ALLOCATOR.match(allocator) or DEVICE_ALLOCATOR.match(track.process)
    return int(match[1]) if match is not None else None


# --- allocations


def read_changes(trace: Trace) -> Changes | None:
    """None if no event tells of allocations."""
    for read in (read_torch, read_snapshot, read_allocators):
        found = read(trace)
        if found is not None and len(found.time):
            return found
    return None


def named(trace: Trace, *names: str) -> Mask:
    return marked_numbers(trace, map(trace.strings.find, names), trace.name)


def ordered(
    trace: Trace, events: Int64, size: Int64, address: Int64, of: Int32, keys: list[tuple[str, str]]
) -> Changes:
    """`of`: for each event which of the keys, host and allocator, is its own."""
    known = sorted(set(keys))
    where = np.array([known.index(key) for key in keys], np.int32)[of]
    # Events of one moment stay in the order of the file.
    order = np.lexsort((trace.source[events], trace.start_ps[events]))
    return Changes(
        time=trace.start_ps[events][order],
        bytes=size[order],
        address=address[order],
        where=where[order],
        event=events[order].astype(np.int32),
        allocators=known,
    )


def keys_of(
    trace: Trace, events: Int64, columns: Sequence[Int32 | Int64], name: Callable[..., tuple[str, str]]
) -> tuple[Int32, list[tuple[str, str]]]:
    """Keys by the track of events and these columns, and for each event which of them is its own."""
    track = trace.track[events]
    groups = group([track, *columns])
    keys = [
        name(trace.tracks[int(track[first])], *(int(column[first]) for column in columns))
        for first in groups.first.tolist()
    ]
    return groups.of, keys


def read_torch(trace: Trace) -> Changes | None:
    if trace.strings.find(TORCH_EVENT) < 0:
        return None
    events = np.flatnonzero(named(trace, TORCH_EVENT))
    (size, address, kinds, devices), _ = columns(
        trace, ["Bytes", "Addr", "Device Type", "Device Id"], [], events
    )
    known = size != MISSING

    def name(track: Track, kind: int, device: int) -> tuple[str, str]:
        return (f"{track.host}/{device}" if kind else track.host, TORCH_DEVICE if kind else TORCH_HOST)

    keys = keys_of(trace, events[known], [kinds[known], devices[known]], name)
    return ordered(trace, events[known], size[known], address[known], *keys)


def read_snapshot(trace: Trace) -> Changes | None:
    if trace.info.kind != "memory snapshot":
        return None
    events = np.flatnonzero(named(trace, "alloc", "free_requested", "free"))
    size = numbers(trace, "Bytes")[events]
    is_alloc = named(trace, "alloc")[events]
    address = numbers(trace, "Addr")[events]

    def name(track: Track) -> tuple[str, str]:
        return f"{track.host}/{track.device}", TORCH_DEVICE

    found = ordered(
        trace, events, np.where(is_alloc, size, -size), address, *keys_of(trace, events, [], name)
    )
    alive = np.flatnonzero(named(trace, ALIVE_BLOCK))
    # The others are allocations among the actions.
    alive = alive[~np.isin(numbers(trace, "Addr")[alive], address[is_alloc])]
    if not len(alive):
        return found
    old_size, old_address = numbers(trace, "Bytes")[alive], numbers(trace, "Addr")[alive]
    older = ordered(trace, alive, old_size, old_address, *keys_of(trace, alive, [], name))
    places = [sorted({*found.allocators, *older.allocators}).index(key) for key in found.allocators]
    old_places = [sorted({*found.allocators, *older.allocators}).index(key) for key in older.allocators]
    return Changes(
        time=np.concatenate([np.full(len(alive), EARLIER_PS, np.int64), found.time]),
        bytes=np.concatenate([older.bytes, found.bytes]),
        address=np.concatenate([older.address, found.address]),
        where=np.concatenate(
            [np.array(old_places, np.int32)[older.where], np.array(places, np.int32)[found.where]]
        ),
        event=np.concatenate([older.event, found.event]),
        allocators=sorted({*found.allocators, *older.allocators}),
    )


def read_allocators(trace: Trace) -> Changes | None:
    """Of TensorFlow and JAX."""
    events = np.flatnonzero(named(trace, "MemoryAllocation", "MemoryDeallocation"))
    if not len(events):
        return None
    (size, address), (names,) = columns(trace, ["allocation_bytes", "addr"], ["allocator_name"], events)
    freed = named(trace, "MemoryDeallocation")[events]
    known = size != MISSING

    def name(track: Track, allocator: int) -> tuple[str, str]:
        return track.host, trace.text(allocator)

    keys = keys_of(trace, events[known], [names[known]], name)
    return ordered(trace, events[known], np.where(freed, -size, size)[known], address[known], *keys)


def pair(trace: Trace, changes: Changes) -> Allocations:
    """Allocations, each with the time at which its address was freed."""
    order = np.lexsort((np.arange(len(changes.time)), changes.address, changes.where))
    same = np.zeros(len(order), np.bool_)
    same[:-1] = (changes.address[order[1:]] == changes.address[order[:-1]]) & (
        changes.where[order[1:]] == changes.where[order[:-1]]
    )
    end = np.full(len(order), -1, np.int64)
    # The next change of the same address ends it, even if that is another allocation and the end in between was not seen.
    end[order[:-1][same[:-1]]] = changes.time[order[1:][same[:-1]]]
    made = np.flatnonzero(changes.bytes > 0)
    ops = ops_of(trace, changes.event[made])
    return Allocations(
        start_ps=changes.time[made],
        end_ps=end[made],
        bytes=changes.bytes[made],
        address=changes.address[made],
        op=np.where(ops >= 0, trace.name[np.maximum(ops, 0)], -1).astype(np.int32),
        event=ops,
        told_by=changes.event[made],
        where=changes.where[made],
        allocators=changes.allocators,
    )


def ops_of(trace: Trace, events: Int32) -> Int32:
    """The innermost op of the thread on which each of these happened; -1: none."""
    if not len(events):
        return np.empty(0, np.int32)
    threads = {
        (track.host, track.process_id, track.thread_id): track.id
        for track in trace.tracks
        if track.kind == "thread"
    }
    of_track = np.array(
        [threads.get((track.host, track.process_id, track.thread_id), -1) for track in trace.tracks], np.int32
    )
    own = of_track[trace.track[events]]
    found = np.full(len(events), -1, np.int32)
    known = np.flatnonzero(own >= 0)
    if len(known):
        moments = np.ascontiguousarray(trace.start_ps[events[known]])
        found[known] = trace.view.innermost(trace.track_rows, np.ascontiguousarray(own[known]), moments)
    is_op = (
        framework_ops(trace)
        & (trace.duration_ps > 0)
        & ~named(trace, "MemoryAllocation", "MemoryDeallocation")
    )
    ops = innermost_of(is_op, trace.parent)
    return np.where(found >= 0, ops[np.maximum(found, 0)], np.int32(-1))
