"""Steps of TensorFlow's and JAX's profiles: what marks one, and which work on other threads and devices belongs to it.

A mark is `StepTraceAnnotation` of JAX, a batch of Keras, a call of a function of TensorFlow, or a device's own line of
steps. What happens inside a mark, and what that started elsewhere, belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runglass.native.trace_nesting import inherit
from runglass.query.profiles.arguments import find
from runglass.query.profiles.model import (
    MISSING,
    FoundSteps,
    Int32,
    Int64,
    Mask,
    Step,
    Trace,
    distinct,
    used_names,
)

# The work of a pool's thread lies between these two, which take no time themselves.
REGION_BEGIN = "ThreadpoolListener::StartRegion"
REGION_END = "ThreadpoolListener::StopRegion"
TRACE_CONTEXT = "TraceContext"
# Threads that prepare input call functions of TensorFlow as well: these are no steps.
INPUT_THREADS = "tf_data_"
# Work goes from thread to thread this many times at most.
MAX_HOPS = 64
NO_MARKS = (
    "Nothing in this profile marks a step: all of it is shown as one. "
    "StepTraceAnnotation of jax.profiler or tf.profiler.experimental.Trace(…, step_num=…, _r=1) marks them."
)


def find_steps(trace: Trace) -> FoundSteps:
    if not len(trace):
        return FoundSteps([], np.empty(0, np.int32))
    marks = find_marks(trace)
    if not len(marks):
        marks = np.flatnonzero(on_step_tracks(trace))
    if not len(marks):
        return one_step(trace)
    marks = marks[np.argsort(trace.start_ps[marks], kind="stable")]
    steps = describe(trace, marks)
    of_event = grouped(trace, marks)
    if of_event is None:
        of_event = follow(trace, marks)
    add_device_lines(trace, steps, of_event)
    return FoundSteps(steps, of_event)


def find_marks(trace: Trace) -> Int64:
    """The outermost events of the host that say they are a step; where none does, that they are a root of work."""
    host = np.array([track.place != "device" for track in trace.tracks], np.bool_)
    events, _ = find(trace, "step_num", is_text=False)
    marks = on_tracks(trace, events, host)
    if not len(marks):
        input_tracks = [track.thread.startswith(INPUT_THREADS) for track in trace.tracks]
        events, level = find(trace, "_r", is_text=False)
        found = [events[level >= 1]]
        contexts = names_that_begin(trace, TRACE_CONTEXT)
        if len(contexts):
            wanted = np.zeros(len(trace.strings) + 1, np.bool_)
            wanted[contexts] = True
            found.append(np.flatnonzero(wanted[trace.name]).astype(np.int32))
        marks = on_tracks(trace, np.concatenate(found), host & ~np.array(input_tracks, np.bool_))
    is_mark = np.zeros(len(trace), np.bool_)
    is_mark[marks] = True
    found_marks = np.flatnonzero(is_mark)
    return found_marks[~has_such_ancestor(trace, found_marks)]


def on_tracks(trace: Trace, events: Int32, chosen: Mask) -> Int32:
    """Those of the events that are on the chosen tracks."""
    row = np.searchsorted(trace.row_starts, events, side="right") - 1
    kept: Int32 = events[chosen[trace.row_track[row]]]
    return kept


def has_such_ancestor(trace: Trace, chosen: Int64) -> Mask:
    """Which of the chosen events are inside another of them."""
    is_chosen = np.zeros(len(trace), np.bool_)
    is_chosen[chosen] = True
    inside = np.zeros(len(chosen), np.bool_)
    place = np.arange(len(chosen))
    around = trace.parent[chosen]
    while len(place):
        going = around >= 0
        place, around = place[going], around[going]
        inside[place[is_chosen[around]]] = True
        going = ~is_chosen[around]
        place, around = place[going], trace.parent[around[going]]
    return inside


def device_events(trace: Trace) -> Mask:
    return trace.events_on([track.place == "device" for track in trace.tracks])


def on_step_tracks(trace: Trace) -> Mask:
    return trace.events_on([track.kind == "steps" for track in trace.tracks])


def all_of(trace: Trace, track: int) -> Int64:
    events = trace.events_of(track)
    return np.arange(events.start, events.stop, dtype=np.int64)


def names_that_begin(trace: Trace, beginning: str) -> Int64:
    found = [each for each in used_names(trace) if trace.strings.get(each).startswith(beginning)]
    return np.array(found, np.int64)


def describe(trace: Trace, marks: Int64) -> list[Step]:
    number = of_marks(trace, marks, "step_num", is_text=False)
    iteration = of_marks(trace, marks, "iter_num", is_text=False)
    kinds = of_marks(trace, marks, "graph_type", is_text=True)
    given = of_marks(trace, marks, "step_name", is_text=True)
    start = trace.start_ps[marks]
    end = start + trace.duration_ps[marks]
    hosts = [track.host for track in trace.tracks]
    tracks = trace.row_track[np.searchsorted(trace.row_starts, marks, side="right") - 1]
    columns = (
        each.tolist() for each in (trace.name[marks], tracks, start, end, number, iteration, kinds, given)
    )
    named: dict[tuple[int, int], str] = {}
    found = []
    counts: dict[str, int] = {}
    for name, track, begin, stop, step_num, iter_num, kind, own_name in zip(*columns, strict=True):
        text = named.get((kind, name))
        if text is None:
            text = named[kind, name] = trace.strings.get(kind) or trace.strings.get(name)
        own = step_num if step_num != MISSING else iter_num
        if own == MISSING and text.strip().isdecimal():
            own, text = int(text), "step"
        if own == MISSING:
            # Every host counts its own.
            own = counts.get(hosts[track], 0)
            counts[hosts[track]] = own + 1
        shown = (trace.strings.get(own_name) if own_name >= 0 else "") or f"{text} {own}"
        found.append(Step(number=own, name=shown, start_ps=begin, end_ps=stop, host=hosts[track]))
    return found


def of_marks(trace: Trace, marks: Int64, key: str, *, is_text: bool) -> Int64:
    """The number or text under a key of each mark; MISSING or -1 where there is none."""
    events, values = find(trace, key, is_text=is_text)
    place = np.full(len(trace), -1, np.int32)
    place[marks] = np.arange(len(marks), dtype=np.int32)
    of_mark = place[events]
    made = np.full(len(marks), -1 if is_text else MISSING, np.int64)
    made[of_mark[of_mark >= 0]] = values[of_mark >= 0]
    return made


def grouped(trace: Trace, marks: Int64) -> Int32 | None:
    """By the groups that the file itself names; None where it does not."""
    events, group = find(trace, "group_id", is_text=False)
    place = np.full(len(trace), -1, np.int32)
    place[marks] = np.arange(len(marks))
    of_mark = place[events]
    own = of_mark >= 0
    if not own.any():
        return None
    hosts = np.array([trace.info.hosts.index(track.host) for track in trace.tracks], np.int64)
    row = np.searchsorted(trace.row_starts, events, side="right") - 1
    # Groups of two hosts with one number are not the same.
    key = group * len(trace.info.hosts) + hosts[trace.row_track[row]]
    del row
    key_of_mark = np.full(len(marks), MISSING, np.int64)
    key_of_mark[of_mark[own]] = key[own]
    known = np.flatnonzero(np.bincount(of_mark[own], minlength=len(marks)))
    keys, first = np.unique(key_of_mark[known], return_index=True)
    at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    of_event = np.full(len(trace), -1, np.int32)
    of_event[events] = np.where(keys[at] == key, known[first[at]], -1)
    of_event[marks] = np.arange(len(marks))
    return of_event


def follow(trace: Trace, marks: Int64) -> Int32:
    """Everything inside the marks and whatever that started, thread by thread until nothing new is found."""
    sources, targets = find_connections(trace)
    begins, region = find_regions(trace)
    inside = np.flatnonzero(region >= 0)
    begun_by = begins[region[inside]]
    del region
    own = np.full(len(trace), -1, np.int32)
    own[marks] = np.arange(len(marks), dtype=np.int32)
    # Of several that started one thing, the last one counts.
    order = np.argsort(trace.start_ps[sources], kind="stable")
    sources, targets = sources[order], targets[order]
    for _ in range(MAX_HOPS):
        step = inherit(own, trace.parent)
        started = (step[targets] < 0) & (step[sources] >= 0)
        own[targets[started]] = step[sources[started]]
        step[targets[started]] = own[targets[started]]
        taken = (step[inside] < 0) & (step[begun_by] >= 0)
        own[inside[taken]] = step[begun_by[taken]]
        if not started.any() and not taken.any():
            return step
        # As large as a column of the trace.
        del step
    return inherit(own, trace.parent)


def find_regions(trace: Trace) -> tuple[Int64, Int32]:
    """Where pools' threads take up work, and for each event the region it is in, -1 without."""
    region = np.full(len(trace), -1, np.int32)
    begin, end = trace.strings.find(REGION_BEGIN), trace.strings.find(REGION_END)
    if begin < 0 or end < 0:
        return np.empty(0, np.int64), region
    edges = np.flatnonzero((trace.name == begin) | (trace.name == end))
    edges = edges[np.lexsort((trace.name[edges] == begin, trace.start_ps[edges], trace.track[edges]))]
    track, is_begin = trace.track[edges], trace.name[edges] == begin
    closed = np.flatnonzero(is_begin[:-1] & ~is_begin[1:] & (track[:-1] == track[1:]))
    begins, ends = edges[closed], edges[closed + 1]
    for number in distinct(trace.track[begins]).tolist():
        own = np.flatnonzero(trace.track[begins] == number)
        events = all_of(trace, number)
        at = np.searchsorted(trace.start_ps[begins[own]], trace.start_ps[events], side="right") - 1
        known = at >= 0
        known &= trace.start_ps[events] <= trace.start_ps[ends[own[at]]]
        region[events[known]] = own[at[known]]
    return begins, region


def find_connections(trace: Trace) -> tuple[Int32, Int32]:
    """Which event started which elsewhere: as the trace has it, and executions of TensorFlow's functions by step and iteration."""
    sources, targets = trace.flow_from, trace.flow_to
    with_id, id = find(trace, "id", is_text=False)
    with_iteration, iteration = find(trace, "iter_num", is_text=False)
    if not len(with_id) or not len(with_iteration):
        return sources, targets
    # Where the values of each event are.
    of_id, of_iteration = np.full((2, len(trace)), -1, np.int32)
    of_id[with_id] = np.arange(len(with_id), dtype=np.int32)
    of_iteration[with_iteration] = np.arange(len(with_iteration), dtype=np.int32)
    both = np.flatnonzero((of_id >= 0) & (of_iteration >= 0))
    id, iteration = id[of_id[both]], iteration[of_iteration[both]]
    del of_id, of_iteration
    if len(both):
        is_get = np.isin(trace.name[both], names_that_begin(trace, "IteratorGetNext"))
        known = dict(pairs_of(id[~is_get], iteration[~is_get], both[~is_get]))
        found = [
            (known[pair], event)
            for pair, event in pairs_of(id[is_get], iteration[is_get], both[is_get])
            if pair in known
        ]
        if found:
            more = np.array(found, np.int32)
            sources = np.concatenate([sources, more[:, 0]])
            targets = np.concatenate([targets, more[:, 1]])
    return sources, targets


def pairs_of(first: Int64, second: Int64, events: Int64) -> Iterator[tuple[tuple[int, int], int]]:
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return zip(pairs, events.tolist(), strict=True)


def add_device_lines(trace: Trace, steps: list[Step], of_event: Int32) -> None:
    """Events of devices that have a line of steps belong to the step they begin in, if nothing else is known of them."""
    lines = [track for track in trace.tracks if track.kind == "steps"]
    if not lines:
        return
    by_name: dict[tuple[str, str | int], int] = {}
    for at, step in enumerate(steps):
        by_name.setdefault((step.host, step.name), at)
        by_name.setdefault((step.host, step.number), at)
    for line in lines:
        events = all_of(trace, line.id)
        number = np.array([step_of(trace, by_name, of_event, event, line.host) for event in events], np.int32)
        events, number = events[number >= 0], number[number >= 0]
        if not len(events):
            continue
        order = np.argsort(trace.start_ps[events])
        events, number = events[order], number[order]
        starts, ends = trace.start_ps[events], trace.start_ps[events] + trace.duration_ps[events]
        for track in trace.tracks:
            if (track.host, track.process_id) == (line.host, line.process_id):
                own = trace.events_of(track.id)
                others = np.flatnonzero(of_event[own.start : own.stop] < 0) + own.start
                at_step = np.searchsorted(starts, trace.start_ps[others], side="right") - 1
                inside = (at_step >= 0) & (trace.start_ps[others] < ends[at_step])
                of_event[others[inside]] = number[at_step[inside]]


def step_of(
    trace: Trace, by_name: dict[tuple[str, str | int], int], of_event: Int32, event: int, host: str
) -> int:
    """The step of an event on a line of steps: known already, or the one whose number its name is."""
    if of_event[event] >= 0:
        return int(of_event[event])
    name = trace.strings.get(int(trace.name[event]))
    word = name.split()[-1] if name.split() else ""
    keys: list[str | int] = [name, int(word)] if word.isdecimal() else [name]
    return min((by_name[host, key] for key in keys if (host, key) in by_name), default=-1)


def one_step(trace: Trace) -> FoundSteps:
    """Where nothing marks a step: from the first work of a device to the last, or of the host where there is no device."""
    device = device_events(trace)
    chosen = device if device.any() else np.ones(len(trace), np.bool_)
    start = trace.start_ps[chosen]
    step = Step(
        number=0,
        name="all",
        start_ps=int(start.min()),
        end_ps=int((start + trace.duration_ps[chosen]).max()),
        host=trace.info.hosts[0] if len(trace.info.hosts) == 1 else "",
    )
    inside = (trace.start_ps >= step.start_ps) & (trace.start_ps + trace.duration_ps <= step.end_ps)
    return FoundSteps([step], np.where(inside, 0, -1).astype(np.int32), NO_MARKS)
