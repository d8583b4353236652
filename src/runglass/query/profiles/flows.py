"""Which event led to which: launches to kernels by correlation, arrows as the file has them, producers to consumers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.arguments import find
from runglass.query.profiles.clocks import shift_of
from runglass.query.profiles.model import (
    ASYNC,
    FLOW,
    FORWARD_BACKWARD,
    LAUNCH,
    Int8,
    Int32,
    Int64,
    Mask,
    Trace,
    numbers_in,
)

Pairs = tuple[Int32, Int32]
Bits = NDArray[np.uint64]

CORRELATIONS = ("correlation", "correlation_id")
# Arguments that tell of flows.
FLOW_KEYS = (*CORRELATIONS, "_pt", "_p", "_ct", "_c")
# As torch names its flows.
TORCH_LAUNCH = "ac2g"
TORCH_BACKWARD = "fwdbwd"


def join_flows(trace: Trace, points: Points, rows: TraceRows) -> None:
    ends = np.array([file.row_end for file in rows.files], np.int64)

    def file_of(events: Int32) -> Int32:
        return np.searchsorted(ends, trace.source[events], side="right").astype(np.int32)

    found: list[Any] = []
    device = np.array([track.place == "device" for track in trace.tracks], np.bool_)
    notes = np.array([each.meaning in ("module", "step") for each in trace.info.categories])
    has_launches = False
    for key in CORRELATIONS:
        events, value = find(trace, key, is_text=False)
        if not len(events) or not device.any():
            continue
        row = np.searchsorted(trace.row_starts, events, side="right") - 1
        sources, targets = join_launches(
            events,
            value,
            device[trace.row_track[row]],
            file_of(events),
            trace.row_depth[row],
            notes[trace.category[events]],
        )
        has_launches = has_launches or len(sources) > 0
        found.append((sources, targets, LAUNCH))
    found.extend(join_arrows(trace, points, has_launches=has_launches))
    makes, takes = both_of(trace, "_pt", "_p"), both_of(trace, "_ct", "_c")
    sources, targets = join_contexts(*makes, *takes, file_of)
    found.append((sources, targets, ASYNC))
    trace.flow_from, trace.flow_to, trace.flow_kind = gather(found)


def both_of(trace: Trace, one: str, other: str) -> tuple[Int32, Int64, Int64]:
    """The events that have both arguments, and their values."""
    first, value = find(trace, one, is_text=False)
    second, number = find(trace, other, is_text=False)
    events, a, b = np.intersect1d(first, second, return_indices=True)
    return events, value[a], number[b]


class Points(Struct):
    """Flow events of the files: what is needed of them after the rows are gone."""

    time: Int64
    # Of the rows.
    track: Int32
    link: NDArray[np.uint64]
    phase: NDArray[np.uint8]
    name: Int32
    category: Int32


def read_points(rows: TraceRows, shifts: Int64) -> Points:
    phase = rows.phase
    chosen = np.flatnonzero((phase == ord("s")) | (phase == ord("t")) | (phase == ord("f")))
    return Points(
        time=rows.start_ps[chosen] + shift_of(rows, shifts, chosen),
        track=rows.track[chosen],
        link=rows.link[chosen],
        phase=phase[chosen],
        name=rows.name[chosen],
        category=rows.category[chosen],
    )


def join_arrows(trace: Trace, points: Points, *, has_launches: bool) -> list[Any]:
    """Flow events of the file: each belongs to the slice around it on its track. Tracks of points are those of the trace by now."""
    here = points.track >= 0
    if not here.any() or not len(trace):
        return []
    track, time = points.track[here], points.time[here]
    event = trace.view.innermost(trace.track_rows, track, np.ascontiguousarray(time))
    sources, targets, first = join_links(event, points.link[here], time, points.phase[here])
    name, category = points.name[here][first], points.category[here][first]
    kind = np.full(len(first), FLOW, np.int8)
    # The last counts.
    for wanted, number in ((TORCH_BACKWARD, FORWARD_BACKWARD), (TORCH_LAUNCH, LAUNCH)):
        has = np.zeros(len(trace.strings) + 1, np.bool_)
        for column in (name, category):
            used = numbers_in(column, len(trace.strings))
            has[[each for each in used if wanted in trace.strings.get(each).lower()]] = True
        kind[has[name] | has[category]] = number
    if has_launches:
        # Known better by correlation.
        other = kind != LAUNCH
        sources, targets, kind = sources[other], targets[other], kind[other]
    return [(sources, targets, kind)]


def join_launches(
    events: Int32, correlation: Int64, on_device: Mask, file_of: Int32, depth: Int32, is_annotation: Mask
) -> Pairs:
    """Host and device events with the same correlation id in the same file. Of several host events the innermost. All columns are of
    the events that have such an id."""
    # Runtime calls without an id of their own say 0.
    has = correlation != 0
    host = np.flatnonzero(has & ~on_device)
    device = np.flatnonzero(has & on_device & ~is_annotation)
    if not len(host) or not len(device):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    key = correlation * np.int64(1 + int(file_of.max(initial=0))) + file_of
    order = np.lexsort((-depth[host], key[host]))
    host = host[order]
    keys, first = np.unique(key[host], return_index=True)
    at = np.searchsorted(keys, key[device])
    at[at == len(keys)] = 0
    known = keys[at] == key[device]
    return events[host[first[at[known]]]], events[device[known]]


def join_links(event: Int32, key: Bits, time: Int64, phase: NDArray[np.uint8]) -> tuple[Int32, Int32, Int64]:
    """Points of flows with the same key, in the order of time: each leads to the next, until another one begins.

    Gives the events, and the point each flow starts from.
    """
    order = np.lexsort((time, key))
    same = key[order[1:]] == key[order[:-1]]
    same &= phase[order[1:]] != ord("s")
    same &= (event[order[1:]] >= 0) & (event[order[:-1]] >= 0) & (event[order[1:]] != event[order[:-1]])
    first = order[:-1][same]
    return event[first], event[order[1:][same]], first


def join_contexts(
    makes: Int32,
    producer_type: Int64,
    producer: Int64,
    takes: Int32,
    consumer_type: Int64,
    consumer: Int64,
    file_of: Callable[[Int32], Int32],
) -> Pairs:
    """Events that give work to others, which may run in other threads: equal types and ids."""
    if not len(makes) or not len(takes):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    made_in, taken_in = file_of(makes), file_of(takes)
    keys = mix(producer_type, producer, made_in)
    # Of several with the same id, the last.
    known, first = np.unique(keys[::-1], return_index=True)
    wanted = mix(consumer_type, consumer, taken_in)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    source = len(makes) - 1 - first[at]
    same = (
        (known[at] == wanted)
        & (producer_type[source] == consumer_type)
        & (producer[source] == consumer)
        & (made_in[source] == taken_in)
        & (makes[source] != takes)
    )
    return makes[source[same]], takes[same]


def mix(kind: Int64, number: Int64, file: Int32) -> Bits:
    """One key of three. Two may share one: whoever uses it compares them."""
    mixed: Bits = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= kind.astype(np.uint64) << np.uint64(40)
    mixed ^= file.astype(np.uint64) << np.uint64(52)
    return mixed


def gather(found: Sequence[tuple[Int32, Int32, int | Int8]]) -> tuple[Int32, Int32, Int8]:
    """All flows, ordered by the event they come from, each once."""
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int8)
    sources = np.concatenate([each[0] for each in found]).astype(np.int32)
    targets = np.concatenate([each[1] for each in found]).astype(np.int32)
    kinds = np.concatenate([np.broadcast_to(np.asarray(each[2], np.int8), len(each[0])) for each in found])
    order = np.argsort((sources.astype(np.int64) << 32) | targets, kind="stable")
    sources, targets, kinds = sources[order], targets[order], kinds[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return sources[fresh], targets[fresh], kinds[fresh]
