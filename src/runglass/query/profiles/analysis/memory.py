"""Memory over time and what was alive at the peak: from torch's memory events and snapshots, and from the allocators of TensorFlow and JAX."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.launching import framework_ops, nearest
from runglass.query.profiles.analysis.model import AliveRow, Allocations, MemoryCurve, MemoryView
from runglass.query.profiles.arguments import numbers, texts
from runglass.query.profiles.model import MISSING, Counter, Float64, Int32, Int64, Mask, Trace, Track
from runglass.query.profiles.stacks import parse_frame

# Names of counters, see counters.py; the text before is the allocator.
ALLOCATED = re.compile(r"(?P<allocator>.+?)[ _](?:bytes_)?allocated")
DEVICE_ALLOCATOR = re.compile(r"(?:GPU|TPU)[_ ](\d+)", re.IGNORECASE)
TORCH_EVENT = "[memory]"
TORCH_DEVICE, TORCH_HOST = "Memory", "Host memory"
BEFORE = "(allocated before the profile)"
NO_OP = "(no op)"
# Ranked by bytes; more of them nobody reads.
SHOWN = 500
OPTIMIZER, BACKWARD = range(2)
REGIONS = {OPTIMIZER: "optimizer", BACKWARD: "gradients"}


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
    curves = read_curves(trace)
    changes = read_changes(trace)
    notes = []
    if not curves:
        notes.append(
            "This profile has no memory: ask for it with profile_memory=True (torch), or profile on a device (JAX, TensorFlow)."
        )
    if changes is None:
        return MemoryView(curves=curves, at_peak=[], notes=notes)
    pairs, allocations = pair(trace, changes)
    at_peak: list[AliveRow] = []
    if curves:
        highest = max(curves, key=lambda curve: curve.peak_bytes)
        at_peak = alive_at(trace, changes, pairs, allocations, highest)
        notes.append(
            f"At the peak of {highest.allocator}"
            + (f" on device {highest.device}" if highest.device is not None else "")
            + (f" of {highest.host}" if highest.host else "")
            + "."
        )
    return MemoryView(curves=curves, at_peak=at_peak, allocations=allocations, notes=notes)


# --- curves


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
            )
        )
    return made


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
    wanted = np.zeros(len(trace.strings) + 1, np.bool_)
    wanted[[trace.strings.find(name) for name in names]] = True
    # Names that do not occur have marked the last one.
    wanted[-1] = False
    return wanted[trace.name]


def ordered(trace: Trace, events: Int64, size: Int64, address: Int64, keys: list[tuple[str, str]]) -> Changes:
    """`keys`: of each event its host and its allocator."""
    known = sorted(set(keys))
    numbers_of = {key: number for number, key in enumerate(known)}
    where = np.array([numbers_of[key] for key in keys], np.int32)
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


def hosts_of(trace: Trace, events: Int64) -> list[str]:
    return [trace.tracks[number].host for number in trace.track[events].tolist()]


def read_torch(trace: Trace) -> Changes | None:
    if trace.strings.find(TORCH_EVENT) < 0:
        return None
    events = np.flatnonzero(named(trace, TORCH_EVENT))
    size, address = numbers(trace, "Bytes")[events], numbers(trace, "Addr")[events]
    kinds, devices = numbers(trace, "Device Type")[events], numbers(trace, "Device Id")[events]
    keys = [
        (f"{host}/{device}" if kind else host, TORCH_DEVICE if kind else TORCH_HOST)
        for host, kind, device in zip(hosts_of(trace, events), kinds.tolist(), devices.tolist(), strict=True)
    ]
    known = size != MISSING
    kept = np.flatnonzero(known)
    return ordered(trace, events[kept], size[kept], address[kept], [keys[at] for at in kept.tolist()])


def read_snapshot(trace: Trace) -> Changes | None:
    if trace.info.kind != "memory snapshot":
        return None
    events = np.flatnonzero(named(trace, "alloc", "free_requested", "free"))
    size = numbers(trace, "Bytes")[events]
    is_alloc = named(trace, "alloc")[events]
    tracks = trace.tracks
    keys = [(f"{tracks[at].host}/{tracks[at].device}", TORCH_DEVICE) for at in trace.track[events].tolist()]
    return ordered(trace, events, np.where(is_alloc, size, -size), numbers(trace, "Addr")[events], keys)


def read_allocators(trace: Trace) -> Changes | None:
    """Of TensorFlow and JAX."""
    events = np.flatnonzero(named(trace, "MemoryAllocation", "MemoryDeallocation"))
    if not len(events):
        return None
    size = numbers(trace, "allocation_bytes")[events]
    freed = named(trace, "MemoryDeallocation")[events]
    names = texts(trace, "allocator_name")[events]
    keys = [
        (host, trace.text(name)) for host, name in zip(hosts_of(trace, events), names.tolist(), strict=True)
    ]
    known = np.flatnonzero(size != MISSING)
    signed = np.where(freed, -size, size)[known]
    return ordered(
        trace,
        events[known],
        signed,
        numbers(trace, "addr")[events[known]],
        [keys[at] for at in known.tolist()],
    )


def pair(trace: Trace, changes: Changes) -> tuple[Int64, Allocations]:
    """Allocations, each with the time at which its address was freed; and which change each of them is."""
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
    allocations = Allocations(
        start_ps=changes.time[made],
        end_ps=end[made],
        bytes=changes.bytes[made],
        address=changes.address[made],
        op=np.where(ops >= 0, trace.name[np.maximum(ops, 0)], -1).astype(np.int32),
        event=ops,
    )
    return made, allocations


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
    ops = nearest(np.where(is_op, np.arange(len(trace)), -1).astype(np.int32), trace.parent)
    return np.where(found >= 0, ops[np.maximum(found, 0)], -1).astype(np.int32)


# --- the peak


def alive_at(
    trace: Trace, changes: Changes, made: Int64, allocations: Allocations, curve: MemoryCurve
) -> list[AliveRow]:
    """What was alive at the peak of a curve, alike ones together, the largest first."""
    names = {(f"{curve.host}/{curve.device}", curve.allocator), (curve.host, curve.allocator)}
    wanted = np.array([key in names for key in changes.allocators], np.bool_)
    here = wanted[changes.where[made]] if len(wanted) else np.zeros(0, np.bool_)
    peak = curve.peak_ps
    alive = np.flatnonzero(
        here & (allocations.start_ps <= peak) & ((allocations.end_ps < 0) | (allocations.end_ps > peak))
    )
    regions = regions_of(trace, allocations, alive, peak)
    shapes = texts(trace, "shape")[changes.event[made[alive]]] if trace.strings.find("shape") >= 0 else None
    stacks = texts(trace, "Call stack")[changes.event[made[alive]]]
    makers = {number: maker(trace.text(number)) for number in np.unique(stacks).tolist()}
    found: dict[tuple[str, str, str, str], list[int]] = {}
    for at, index in enumerate(alive.tolist()):
        event = int(allocations.event[index])
        key = (
            trace.text(int(allocations.op[index])) or makers.get(int(stacks[at]), NO_OP),
            trace.text(int(trace.module[event])) if event >= 0 else "",
            regions[at],
            trace.text(int(shapes[at])) if shapes is not None else "",
        )
        sums = found.setdefault(key, [0, 0])
        sums[0] += int(allocations.bytes[index])
        sums[1] += 1
    rows = [
        AliveRow(op=op, module=module, region=region, shape=shape, bytes=size, count=count)
        for (op, module, region, shape), (size, count) in found.items()
    ]
    earlier = int(curve.peak_bytes) - sum(row.bytes for row in rows)
    if earlier > 0:
        rows.append(AliveRow(op=BEFORE, region="unknown", bytes=earlier, count=1))
    return sorted(rows, key=lambda row: (-row.bytes, row.op))[:SHOWN]


def maker(stack: str) -> str:
    """The line of the user's code in a stack that asked for memory."""
    frames = [frame for line in stack.split(";") if (frame := parse_frame(line)) is not None]
    lines = [frame for frame in frames if frame.file.endswith(".py") or frame.file.startswith("<")]
    # A notebook's cells and a terminal's lines have names such as "<stdin>", and are the user's.
    own = [frame for frame in lines if not frame.is_framework or frame.file in ("<stdin>", "<string>")]
    for frame in own or lines:
        return f"{frame.file}:{frame.line} {frame.function}"
    return frames[0].function if frames else NO_OP


def regions_of(trace: Trace, allocations: Allocations, alive: Int64, peak: int) -> list[str]:
    """What the memory is for, as far as the op tells that asked for it."""
    kinds = np.full(len(trace.strings) + 1, -1, np.int32)
    for number in np.flatnonzero(np.bincount(trace.name, minlength=1)).tolist():
        text = trace.text(number)
        if text.startswith(("Optimizer.step", "Optimizer.zero_grad")):
            kinds[number] = OPTIMIZER
        elif text.startswith("autograd::engine"):
            kinds[number] = BACKWARD
    kind_of = nearest(kinds[trace.name], trace.parent)
    found = []
    for index in alive.tolist():
        event, end = int(allocations.event[index]), int(allocations.end_ps[index])
        if event < 0:
            found.append("unknown")
        elif 0 <= end <= trace.end_of(event):
            found.append("temporary")
        elif kind_of[event] >= 0:
            found.append(REGIONS[int(kind_of[event])])
        else:
            found.append("activations" if int(trace.module[event]) >= 0 else "unknown")
    return found
