"""Sums over a time range by name, category, track, step or module: exact, whole picoseconds, clipped to the range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from runglass.query.profiles.busy import annotation_mask, busy_ps, join
from runglass.query.profiles.model import Int32, Place, Trace
from runglass.query.profiles.track_names import names_of

By = Literal["name", "category", "track", "step", "module"]


class Sum(Struct):
    # Number of the text, category, track or step; -1: none.
    key: int
    label: str
    hash: int
    count: int
    # Inside the range.
    total_ps: int
    # Inside the range, without that of children.
    self_ps: int
    # Of whole events.
    min_ps: int
    max_ps: int
    # The longest.
    event: int


class Sums(Struct):
    """The largest self time first."""

    rows: list[Sum]
    # Time in which at least one of the tracks was busy.
    busy_ps: int
    range_ps: int


def add_up(
    trace: Trace,
    low: int,
    high: int,
    by: By,
    *,
    tracks: Sequence[int] | None = None,
    place: Place | None = None,
) -> Sums:
    """Events with a part inside the range, and instants in it, ends included. Annotations of devices are no work of theirs, and left
    out; so are tracks that only say when steps were, unless they are asked for.
    """
    kinds = ("counter", "steps") if tracks is None else ("counter",)
    if tracks is None:
        tracks = range(len(trace.tracks))
    chosen = [
        number
        for number in tracks
        if (place is None or trace.tracks[number].place == place) and trace.tracks[number].kind not in kinds
    ]
    rows = trace.rows_of_tracks(chosen)
    keys, row_keys, size = choose_keys(trace, by, rows)
    marked = annotation_mask(trace)
    if marked.any():
        # Into a place of their own, which nobody looks at.
        if keys is None:
            keys, row_keys = trace.track, None
        left_out = marked[trace.category]
        keys = np.where(left_out, size, np.where(keys < 0, size + 1, keys)).astype(np.int32)
        size += 1
    sums, crossing = trace.view.add_up(rows, low, high, trace.self_ps, keys, row_keys, size)
    count, total, own, shortest, longest, event = sums
    for each in crossing.tolist():
        key = int(keys[each]) if keys is not None else int(trace.track_of(each))
        own[key if 0 <= key < size else size] += self_inside(trace, each, low, high)
    if marked.any():
        count[size - 1] = 0
    found = np.flatnonzero(count)
    found = found[np.lexsort((found, -total[found], -own[found]))]
    made = []
    for number in found.tolist():
        key = number if number < size else -1
        label, hashed = describe(trace, by, key)
        made.append(
            Sum(
                key=key,
                label=label,
                hash=hashed,
                count=int(count[number]),
                total_ps=int(total[number]),
                self_ps=int(own[number]),
                min_ps=int(shortest[number]),
                max_ps=int(longest[number]),
                event=int(event[number]),
            )
        )
    return Sums(made, busy_ps(trace, chosen, low, high), max(high - low, 0))


def choose_keys(trace: Trace, by: By, rows: Int32) -> tuple[Int32 | None, Int32 | None, int]:
    if by == "track":
        return None, trace.row_track[rows], len(trace.tracks)
    if by == "category":
        return trace.category, None, len(trace.info.categories)
    if by == "step":
        return trace.step, None, len(trace.steps)
    return (trace.name if by == "name" else trace.module), None, len(trace.strings)


def describe(trace: Trace, by: By, key: int) -> tuple[str, int]:
    if by in ("name", "module"):
        if key >= 0:
            return trace.strings[key], int(trace.string_hashes[key])
        return ("(no name)" if by == "name" else "(no module)"), 0
    if key < 0:
        return "(none)", 0
    if by == "category":
        return trace.info.categories[key].name or trace.info.categories[key].meaning, key
    if by == "step":
        return trace.steps[key].name, key
    name = names_of(trace)[key]
    return (f"{name}, Python" if trace.tracks[key].kind == "python" else name), key


def self_inside(trace: Trace, event: int, low: int, high: int) -> int:
    """What an event that reaches over an end of the range did itself inside it."""
    begin = max(int(trace.start_ps[event]), low)
    end = min(trace.end_of(event), high)
    below = trace.child_rows(event)
    if not len(below):
        return end - begin
    first, stop = trace.view.ranges(below, begin, end)
    starts, ends = [], []
    for a, b in zip(first.tolist(), stop.tolist(), strict=True):
        children = np.flatnonzero(trace.parent[a:b] == event) + a
        starts.append(trace.start_ps[children])
        ends.append(trace.start_ps[children] + trace.duration_ps[children])
    start, stop_ps = np.concatenate(starts), np.concatenate(ends)
    order = np.argsort(start, kind="stable")
    start, stop_ps = join(np.clip(start[order], begin, end), np.clip(stop_ps[order], begin, end))
    return end - begin - int((stop_ps - start).sum())
