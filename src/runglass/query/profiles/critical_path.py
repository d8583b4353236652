"""The critical path between two moments: what the end waited for, followed backwards.

A kernel waits for the kernel before it on its stream, or for its launch, whichever came later. The host does what its thread does,
until a call in it waited for a device; then the path goes on with the kernel that ended the wait.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from runglass.query.profiles.busy import annotation_mask, stepping_thread, work_tracks
from runglass.query.profiles.flow_chain import launch_of
from runglass.query.profiles.model import Int32, Mask, Place, Trace

MAX_SEGMENTS = 5_000
# Of the range: what is shorter counts to what is around it.
FINEST = 1_500
# How many events are looked at for the last one inside another that is long enough.
LOOK_BACK = 4_096


class Segment(Struct):
    # None: nothing ran.
    event: int | None
    track: int | None
    start_ps: int
    end_ps: int
    place: Place | None


class Path(Struct):
    segments: list[Segment]
    # More than can be shown were on it; the path begins later than asked for.
    is_cut: bool


def find_path(trace: Trace, low: int, high: int) -> Path:
    device = np.array(work_tracks(trace, "device"), np.int32)
    host = np.array(work_tracks(trace, "host"), np.int32)
    found: list[Segment] = []
    at = high
    finest = max((high - low) // FINEST, 1)
    is_long = rows_with(trace, finest)
    event = last_ended(trace, device, low, at)
    main = main_thread(trace, host, event, low, high)
    thread = None if event is not None else main
    while at > low and len(found) < MAX_SEGMENTS:
        if event is not None:
            at, event, thread = follow_kernel(trace, found, event, low, at)
        elif thread is not None:
            at, event = follow_thread(trace, found, thread, main, device, low, at, finest, is_long)
            thread = None
            if event is None:
                break
        else:
            break
    if at > low and len(found) < MAX_SEGMENTS:
        add(found, None, None, low, at, None)
    return Path(found[::-1], len(found) >= MAX_SEGMENTS)


def rows_with(trace: Trace, least: int) -> Mask:
    """For each row whether one of its events is at least so long."""
    before = np.concatenate([[0], np.cumsum(trace.duration_ps >= least)])
    found: Mask = before[trace.row_starts[1:]] > before[trace.row_starts[:-1]]
    return found


def add(
    found: list[Segment], event: int | None, track: int | None, start: int, end: int, place: Place | None
) -> None:
    if end > start:
        found.append(Segment(event, track, start, end, place))


def last_ended(trace: Trace, tracks: Int32, low: int, at: int) -> int | None:
    """The innermost event of these tracks that ended last, or runs, at a moment."""
    left_out = np.asarray(annotation_mask(trace), np.uint8)
    found = trace.view.last_ended(trace.rows_of_tracks(tracks.tolist()), trace.category, left_out, low, at)
    return None if found < 0 else found


def main_thread(trace: Trace, tracks: Int32, event: int | None, low: int, high: int) -> int | None:
    """The thread that runs the training, on the host of an event; without steps, the busiest one."""
    hosts = [trace.tracks[trace.track_of(event)].host] if event is not None else trace.info.hosts
    for each in hosts:
        found = stepping_thread(trace, each)
        if found is not None:
            return found
    return busiest(trace, tracks, low, high)


def busiest(trace: Trace, tracks: Int32, low: int, high: int) -> int | None:
    best: tuple[int, int] | None = None
    for track in tracks.tolist():
        rows = np.array(list(trace.rows_of(track))[:1], np.int32)
        first, stop = trace.view.ranges(rows, low, high)
        busy = int((trace.busy_before[stop] - trace.busy_before[first]).sum())
        if busy and (best is None or busy > best[0]):
            best = busy, track
    return None if best is None else best[1]


def follow_kernel(
    trace: Trace, found: list[Segment], event: int, low: int, at: int
) -> tuple[int, int | None, int | None]:
    """Add a kernel and the wait before it; gives where the path goes on: a time, and a kernel or a thread."""
    track = trace.track_of(event)
    start, end = int(trace.start_ps[event]), min(trace.end_of(event), at)
    add(found, None, None, end, at, None)
    add(found, event, track, max(start, low), end, "device")
    if start <= low:
        return low, None, None
    before = last_ended(trace, np.array([track], np.int32), low, start)
    launch = launch_of(trace, event)
    before_end = trace.end_of(before) if before is not None else low
    if launch is None or (before is not None and before_end >= int(trace.start_ps[launch])):
        if before is None:
            return start, None, None
        return start, before, None
    # From the launch to the kernel nothing else held it up.
    begun = min(int(trace.start_ps[launch]), start)
    add(found, launch, trace.track_of(launch), max(begun, low), start, "host")
    return max(begun, low), None, trace.track_of(launch)


def follow_thread(
    trace: Trace,
    found: list[Segment],
    track: int,
    main: int | None,
    device: Int32,
    low: int,
    at: int,
    finest: int,
    is_long: Mask,
) -> tuple[int, int | None]:
    """Add what a thread did, backwards, until a call waited for a device; gives that moment and the kernel it waited for. A thread that
    does nothing waits for the main one.
    """
    waits = np.array([each.meaning == "sync" for each in trace.info.categories], np.bool_)
    while at > low and len(found) < MAX_SEGMENTS:
        # The innermost event just before.
        event = innermost(trace, track, at - 1)
        if event < 0 and main is not None and track not in of_thread(trace, main):
            track = main
            continue
        if event < 0:
            before = last_ended(trace, np.array(of_thread(trace, track), np.int32), low, at)
            end = low if before is None else min(trace.end_of(before), at)
            add(found, None, None, max(end, low), at, None)
            at = max(end, low)
            continue
        while trace.duration_ps[event] < finest and trace.parent[event] >= 0:
            event = int(trace.parent[event])
        # Children that ended before are segments of their own.
        start = max(int(trace.start_ps[event]), low, last_child_end(trace, event, at, finest, is_long))
        if waits[trace.category[event]] and len(device):
            kernel = last_ended(trace, device, low, at)
            if kernel is not None and min(trace.end_of(kernel), at) > start:
                end = min(trace.end_of(kernel), at)
                add(found, event, track, end, at, "host")
                return end, kernel
        add(found, event, track, start, at, "host")
        at = start
    return at, None


def of_thread(trace: Trace, track: int) -> list[int]:
    other = int(trace.sibling[track])
    return [track] if other < 0 else [track, other]


def innermost(trace: Trace, track: int, moment: int) -> int:
    """The innermost event of a thread at a moment: the one that began last, of several the shortest; -1: none."""
    tracks = np.array(of_thread(trace, track), np.int32)
    found = trace.view.innermost(trace.track_rows, tracks, np.full(len(tracks), moment, np.int64))
    events = [event for event in found.tolist() if event >= 0]
    return max(events, key=lambda event: (trace.start_ps[event], -trace.duration_ps[event]), default=-1)


def last_child_end(trace: Trace, event: int, at: int, finest: int, is_long: Mask) -> int:
    """When the last event inside this one that is long enough ended, before a moment."""
    rows = trace.child_rows(event)
    begin = int(trace.start_ps[event])
    return trace.view.last_end_inside(rows[is_long[rows]], begin, at, finest, LOOK_BACK)
