"""When devices are idle, and what the host did meanwhile: the longest gaps first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.query.profiles.busy import stepping_thread, union
from runglass.query.profiles.flow_chain import launch_of
from runglass.query.profiles.model import Int64, Trace
from runglass.query.profiles.strip import devices_of

# An event explains a gap if it covers at least this much of it.
EXPLAINS = 0.5


class HostWork(Struct):
    event: int
    # Of the gap.
    share: float


class Gap(Struct):
    # That of the event after it, or else before it.
    track: int
    device: int | None
    start_ps: int
    duration_ps: int
    # Events at its ends; None at the ends of the range and of the steps.
    before: int | None
    after: int | None
    host: HostWork | None


class Gaps(Struct):
    gaps: list[Gap]
    count: int
    total_ps: int


def find_gaps(
    trace: Trace, low: int, high: int, *, min_ps: int, limit: int, tracks: Sequence[int] | None = None
) -> Gaps:
    """Of each device as a whole, or of these tracks, each on its own."""
    groups = list(devices_of(trace).values()) if tracks is None else [[each] for each in tracks]
    starts, lengths, owners = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, group in enumerate(groups):
        start, end = union(trace, group, low, high)
        begin, stop = recorded(trace, trace.tracks[group[0]].host, start, end)
        free, busy = np.append(max(begin, low), end), np.append(start, min(stop, high))
        took = busy - free
        chosen = np.flatnonzero(took >= max(min_ps, 1))
        starts.append(free[chosen])
        lengths.append(took[chosen])
        owners.append(np.full(len(chosen), number, np.int32))
    start, took, owner = np.concatenate(starts), np.concatenate(lengths), np.concatenate(owners)
    longest = np.lexsort((start, -took))[:limit]
    return Gaps(
        [explain(trace, int(start[each]), int(took[each]), groups[owner[each]]) for each in longest.tolist()],
        len(took),
        int(took.sum()),
    )


def recorded(trace: Trace, host: str, start: Int64, end: Int64) -> tuple[int, int]:
    """From when to when no event means nothing to do: within the steps; without any, from the first event to the last."""
    steps = [step for step in trace.steps if step.host == host]
    if steps:
        return min(step.start_ps for step in steps), max(step.end_ps for step in steps)
    return (int(start[0]), int(end[-1])) if len(start) else (0, 0)


def explain(trace: Trace, start: int, took: int, group: list[int]) -> Gap:
    end = start + took
    before = after = None
    for track in group:
        for row in trace.rows_of(track):
            a, b = int(trace.row_starts[row]), int(trace.row_starts[row + 1])
            at = a + int(np.searchsorted(trace.start_ps[a:b], start, side="left"))
            if at > a and trace.end_of(at - 1) == start:
                before = at - 1
            at = a + int(np.searchsorted(trace.start_ps[a:b], end, side="left"))
            if at < b and int(trace.start_ps[at]) == end:
                after = at
    near = after if after is not None else before
    owner = trace.tracks[group[0] if near is None else trace.track_of(near)]
    work = host_work(trace, start, end, after, owner.host)
    return Gap(owner.id, owner.device, start, took, before, after, work)


def host_work(trace: Trace, start: int, end: int, after: int | None, host: str) -> HostWork | None:
    """What the thread that ended the gap did in it: the innermost event that covers most of it."""
    launch = launch_of(trace, after) if after is not None else None
    if launch is not None:
        tracks = [trace.track_of(launch)]
    else:
        tracks = [
            track.id
            for track in trace.tracks
            if track.place == "host" and track.kind == "thread" and track.host == host
        ]
    best: HostWork | None = None
    for track in tracks:
        work = innermost_work(trace, track, start, end)
        if work is not None and (best is None or work.share > best.share):
            best = work
    if best is None or best.share < EXPLAINS:
        # A thread that only launches for the training has not much to do itself.
        main = stepping_thread(trace, host)
        work = None if main is None else innermost_work(trace, main, start, end)
        if work is not None and (best is None or work.share > best.share):
            best = work
    return best


def innermost_work(trace: Trace, track: int, start: int, end: int) -> HostWork | None:
    """The shortest event of a thread that covers most of a range; if none does, the one that covers most of all."""
    other = int(trace.sibling[track])
    rows = trace.rows_of_tracks([track] if other < 0 else [track, other])
    firsts, stops = trace.view.ranges(rows, start, end)
    best: HostWork | None = None
    for a, b in zip(firsts.tolist(), stops.tolist(), strict=True):
        if a == b:
            continue
        inside = np.minimum(trace.start_ps[a:b] + trace.duration_ps[a:b], end) - np.maximum(
            trace.start_ps[a:b], start
        )
        at = int(inside.argmax())
        found = HostWork(a + at, float(inside[at]) / (end - start))
        if best is None or explains_better(trace, found, best):
            best = found
    return best


def explains_better(trace: Trace, one: HostWork, other: HostWork) -> bool:
    if min(one.share, other.share) >= EXPLAINS:
        return bool(trace.duration_ps[one.event] < trace.duration_ps[other.event])
    return one.share > other.share
