"""When tracks are busy: the union of their events, and the time between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from runglass.query.profiles.model import Int32, Int64, Mask, Trace

# A trace with more threads is no training.
MOST_THREADS = 10_000
# Steps that tell which thread marks them.
MOST_LOOKED_AT = 8


def outer_rows(trace: Trace, tracks: Sequence[int]) -> Int32:
    """Rows whose events cover all others of their tracks: the first ones; all, where events do not nest, and on devices, where
    annotations are no work.
    """
    found: list[int] = []
    for track in tracks:
        rows = trace.rows_of(track)
        if len(rows):
            is_outer = trace.is_proper[track] and trace.tracks[track].place == "host"
            found.extend(rows[:1] if is_outer else rows)
    return np.array(found, np.int32)


def annotation_mask(trace: Trace) -> Mask:
    """Which categories only say what the work of a device is for."""
    return np.array(
        [each.place == "device" and each.meaning in ("module", "step") for each in trace.info.categories],
        np.bool_,
    )


def union(trace: Trace, tracks: Sequence[int], low: int, high: int) -> tuple[Int64, Int64]:
    """When at least one of the tracks is busy: beginnings and ends inside the range, ascending, apart from each other."""
    rows = outer_rows(trace, tracks)
    marked = annotation_mask(trace)
    if marked.any():
        return trace.view.union(rows, low, high, trace.category, marked.view(np.uint8))
    return trace.view.union(rows, low, high)


def join(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """Ranges in the order of their beginnings, those that touch joined, empty ones left out."""
    full = end > start
    start, end = start[full], end[full]
    if not len(start):
        return start, end
    reach = np.maximum.accumulate(end)
    begins = np.append(True, start[1:] > reach[:-1])
    return start[begins], reach[np.append(np.flatnonzero(begins)[1:] - 1, len(reach) - 1)]


def busy_ps(trace: Trace, tracks: Sequence[int], low: int, high: int) -> int:
    start, end = union(trace, tracks, low, high)
    return int((end - start).sum())


def busy_of_tracks(trace: Trace) -> list[int]:
    """How long each track is busy in the whole trace."""

    def find() -> list[int]:
        rows = trace.track_rows.astype(np.int64)
        # Events of one row do not overlap, and the first row covers what nests in it.
        stops = np.minimum(rows[:-1] + 1, rows[1:])
        before = trace.busy_before[trace.row_starts]
        found: list[int] = (before[stops] - before[rows[:-1]]).tolist()
        for track in trace.tracks:
            if track.events and not (track.place == "host" and trace.is_proper[track.id]):
                found[track.id] = busy_ps(trace, [track.id], 0, trace.info.end_ps)
        return found

    return trace.computed.get("busy of tracks", find)


def work_tracks(trace: Trace, place: str) -> list[int]:
    """Tracks with work of the host or of devices: neither instants nor counters nor bare annotations."""
    return [
        track.id
        for track in trace.tracks
        if track.place == place and track.kind in ("thread", "python", "stream") and track.events
    ]


def stepping_thread(trace: Trace, host: str) -> int | None:
    """The thread of a host that marks the steps: it runs the training. Others may do nothing but wait."""
    steps = [step for step in trace.steps if step.host == host][:MOST_LOOKED_AT]
    starts = np.array([step.start_ps for step in steps], np.int64)
    names = [trace.strings.find(step.name) for step in steps]
    threads = (each for each in trace.tracks if each.kind == "thread" and each.host == host and each.events)
    for track in islice(threads, MOST_THREADS if steps else 0):
        for row in trace.rows_of(track.id)[:2]:
            first, stop = int(trace.row_starts[row]), int(trace.row_starts[row + 1])
            # By their names, or where these do not tell the step, by when they begin.
            if (
                np.isin(trace.name[first:stop], names).any()
                or np.isin(starts, trace.start_ps[first:stop]).all()
            ):
                return track.id
    return None
