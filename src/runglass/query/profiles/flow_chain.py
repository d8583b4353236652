"""What an event led to and came from: its flows, the launch of a kernel, the kernels of a launch."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from runglass.query.profiles.model import LAUNCH, Int32, Int64, Trace

# Of a chain that is followed in either direction.
MAX_CHAIN = 256
_by_target: WeakKeyDictionary[Trace, Int64] = WeakKeyDictionary()


def order_by_target(trace: Trace) -> Int64:
    """Flows in the order of the events they lead to."""
    found = _by_target.get(trace)
    if found is None:
        found = _by_target[trace] = np.argsort(trace.flow_to, kind="stable")
    return found


def flows_from(trace: Trace, event: int) -> Int64:
    """Numbers of the flows that begin at an event."""
    first, stop = np.searchsorted(trace.flow_from, [event, event + 1])
    return np.arange(first, stop)


def flows_to(trace: Trace, event: int) -> Int64:
    order = order_by_target(trace)
    first, stop = np.searchsorted(trace.flow_to, [event, event + 1], sorter=order)
    return order[first:stop]


def launch_of(trace: Trace, event: int) -> int | None:
    """The call on the host that launched a kernel."""
    for flow in flows_to(trace, event).tolist():
        if trace.flow_kind[flow] == LAUNCH:
            return int(trace.flow_from[flow])
    return None


def kernels_of(trace: Trace, event: int) -> list[int]:
    """What an event launched, itself or what runs inside it, in the order of time."""
    row = trace.row_of(event)
    track = int(trace.row_track[row])
    rows = np.arange(row, trace.rows_of(track).stop, dtype=np.int32)
    if trace.sibling[track] >= 0:
        rows = np.concatenate([rows, trace.rows_of_tracks([int(trace.sibling[track])])])
    first, stop = trace.view.ranges(rows, int(trace.start_ps[event]), trace.end_of(event))
    if trace.duration_ps[event]:
        # Those that begin when it ends are not inside.
        stop = stop - (trace.start_ps[np.maximum(stop - 1, 0)] >= trace.end_of(event)) * (stop > first)
    found: list[Int32] = []
    for each, (a, b) in enumerate(zip(first.tolist(), stop.tolist(), strict=True)):
        if not each:
            a, b = event, event + 1
        low, high = np.searchsorted(trace.flow_from, [a, b])
        launches = np.flatnonzero(trace.flow_kind[low:high] == LAUNCH) + low
        found.append(trace.flow_to[launches])
    kernels = np.concatenate(found)
    kernels = kernels[np.argsort(trace.start_ps[kernels], kind="stable")]
    listed: list[int] = kernels.tolist()
    return listed


class Arrows(Struct):
    """Flows to be drawn, by number, and how many there are in the range."""

    flows: Int64
    count: int


def find_chain(trace: Trace, event: int) -> Arrows:
    """All flows that lead to an event, and to which it leads."""
    found: dict[int, None] = {}
    for forward in (True, False):
        waiting = [event]
        seen = {event}
        while waiting and len(found) < MAX_CHAIN:
            here = waiting.pop(0)
            for flow in (flows_from(trace, here) if forward else flows_to(trace, here)).tolist():
                found[flow] = None
                other = int(trace.flow_to[flow] if forward else trace.flow_from[flow])
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return Arrows(np.array(sorted(found), np.int64), len(found))


def find_arrows(trace: Trace, tracks: list[int], low: int, high: int, width: int) -> Arrows:
    """Flows between these tracks with an end in the range; of those that would be drawn on one another, one."""
    if not len(trace.flow_from):
        return Arrows(np.empty(0, np.int64), 0)
    shown = np.zeros(len(trace.tracks), np.bool_)
    shown[tracks] = True
    begin, end = ends_of(trace)
    inside = (end >= low) & (begin <= high)
    chosen = np.flatnonzero(inside)
    if not shown.all():
        kept = shown[trace.track[trace.flow_from[chosen]]] & shown[trace.track[trace.flow_to[chosen]]]
        chosen = chosen[kept]
    if len(chosen) > width:
        pixel = max((high - low) / width, 1.0)
        rows = (
            np.searchsorted(trace.row_starts, trace.flow_from[chosen], side="right").astype(np.int64),
            np.searchsorted(trace.row_starts, trace.flow_to[chosen], side="right").astype(np.int64),
        )
        # Beyond the range, where exactly does not matter.
        a = np.clip((begin[chosen] - low) / pixel, -1, width).astype(np.int64) + 1
        b = np.clip((end[chosen] - low) / pixel, -1, width).astype(np.int64) + 1
        key = ((rows[0] * (trace.rows + 1) + rows[1]) * (width + 2) + a) * (width + 2) + b
        _, first = np.unique(key, return_index=True)
        return Arrows(np.sort(chosen[first]), len(chosen))
    return Arrows(chosen, len(chosen))


def ends_of(trace: Trace) -> tuple[Int64, Int64]:
    """When each flow begins and ends: from the end of an event that is over by then, else from its beginning."""
    source_start = trace.start_ps[trace.flow_from]
    target = trace.start_ps[trace.flow_to]
    return source_start, target
