"""What a picture of some tracks shows of a time range: events that take a pixel as they are, thinner ones joined and counted. Nothing is
left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.query.profiles.model import Float64, Int32, Int64, Trace

# Narrower ones have no room for a letter.
LABEL_PIXELS = 16


class Slices(Struct):
    """In the order of the tracks, then depth, then start."""

    row: Int32
    # The first event of each, how many there are, the longest of them.
    first: Int32
    count: Int32
    event: Int32
    start_ps: Int64
    # From the beginning of the first to the end of the last.
    duration_ps: Int64
    # Of all its events.
    busy_ps: Int64
    # Events, where there is room for a name.
    is_wide: Int32


def find_slices(trace: Trace, tracks: Sequence[int], low: int, high: int, width: int) -> Slices:
    """Events that begin at `high` or end after `low` are in the range."""
    rows = trace.rows_of_tracks(tracks)
    pixel = max((high - low) // max(width, 1), 1)
    place, first, count, event = trace.view.slices(rows, low, high, pixel)
    last = first + count - 1
    start = trace.start_ps[first]
    duration = trace.start_ps[last] + trace.duration_ps[last] - start
    busy = trace.busy_before[first + count] - trace.busy_before[first]
    wide = (count == 1) & (duration >= LABEL_PIXELS * pixel)
    return Slices(
        row=rows[place],
        first=first,
        count=count,
        event=event,
        start_ps=start,
        duration_ps=duration,
        busy_ps=busy,
        is_wide=wide.astype(np.int32),
    )


class Samples(Struct):
    counter: Int32
    time_ps: Int64
    low: Float64
    high: Float64
    last: Float64


def find_samples(trace: Trace, counters: Sequence[int], low: int, high: int, width: int) -> Samples:
    """At most one entry for each counter and pixel, and the last one before the range, at its own time."""
    pixel = max((high - low) / max(width, 1), 1.0)
    found: list[tuple[Int32, Int64, Float64, Float64, Float64]] = []
    for counter in counters:
        begin, end = int(trace.counter_starts[counter]), int(trace.counter_starts[counter + 1])
        time, value = trace.counter_time[begin:end], trace.counter_value[begin:end]
        first = int(np.searchsorted(time, low, side="left"))
        stop = int(np.searchsorted(time, high, side="right"))
        first, stop = max(first - 1, 0), min(stop + 1, len(time))
        if first == stop:
            continue
        time, value = time[first:stop], value[first:stop]
        column = np.floor((time - low) / pixel).astype(np.int64)
        starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
        ends = np.append(starts[1:], len(column)) - 1
        found.append(
            (
                np.full(len(starts), counter, np.int32),
                time[starts],
                np.fmin.reduceat(value, starts),
                np.fmax.reduceat(value, starts),
                value[ends],
            )
        )
    if not found:
        empty = np.empty(0, np.float64)
        return Samples(np.empty(0, np.int32), np.empty(0, np.int64), empty, empty, empty)
    columns = [np.concatenate(each) for each in zip(*found, strict=True)]
    return Samples(columns[0], columns[1], columns[2], columns[3], columns[4])
