"""Training steps of a trace in Chrome's format: torch's `ProfilerStep#N`, or annotations that count.

Work on the host belongs to the step in which it begins. Work on a device belongs to the step that launched it, and a step lasts until
that work is done.
"""

from __future__ import annotations

import re

import numpy as np

from runglass.native.trace_groups import find_spans
from runglass.query.profiles.arguments import numbers
from runglass.query.profiles.model import (
    LAUNCH,
    MISSING,
    FoundSteps,
    Int32,
    Int64,
    Mask,
    Step,
    Trace,
    used_names,
)

TORCH_STEP = re.compile(r"ProfilerStep#(\d{1,18})")
# What people call their own annotations, and XLA its steps.
COUNTED = re.compile(
    r"(?:train|training|step|batch|iteration|iter)(?:[ _]?step)?[ _#:]{0,2}(\d{1,18})", re.IGNORECASE
)
STEP_NUMBER = "step_num"


def find_steps(trace: Trace) -> FoundSteps:
    of_event = np.full(len(trace), -1, np.int32)
    tracks = trace.tracks
    on_device = trace.events_on([track.place == "device" for track in tracks])
    hosts = sorted({track.host for track in tracks})
    host_of = np.array([hosts.index(track.host) for track in tracks], np.int32)[trace.track]
    marks, counted = find_marks(trace, on_device)
    steps: list[Step] = []
    for number, host in enumerate(hosts):
        here = host_of == number
        own = marks[here[marks]]
        # Those inside another are not steps of their own: a mark of several threads, or one within an epoch.
        own = outermost(trace, own)
        if not len(own):
            continue
        first = len(steps)
        begins, ends = trace.start_ps[own], trace.start_ps[own] + trace.duration_ps[own]
        local = np.full(len(trace), -1, np.int32)
        on_host = np.flatnonzero(here & ~on_device)
        local[on_host] = step_at(trace.start_ps[on_host], begins, ends)
        follow_launches(trace, local, on_device)
        ends = last_ends(trace, local, on_device, ends)
        # A step begins when the one before it is done.
        begins = np.maximum(begins, np.append(begins[:1], np.maximum.accumulate(ends)[:-1]))
        ends = np.maximum(begins, ends)
        for at, event in enumerate(own.tolist()):
            steps.append(
                Step(
                    number=int(counted[event]),
                    name=trace.name_of(event),
                    start_ps=int(begins[at]),
                    end_ps=int(ends[at]),
                    host=host,
                )
            )
        # What no launch is known of: annotations on the device.
        rest = np.flatnonzero(here & on_device & (local < 0))
        local[rest] = step_at(trace.start_ps[rest], begins, ends)
        known = local >= 0
        of_event[known] = local[known] + first
    note = (
        None
        if steps
        else "No event in this trace marks a training step: call step() of the profiler in every step."
    )
    return FoundSteps(steps=steps, of_event=of_event, note=note)


def find_marks(trace: Trace, on_device: Mask) -> tuple[Int64, dict[int, int]]:
    """Events on the host that mark a step, and the number of each."""
    texts = [(number, trace.strings.get(number)) for number in used_names(trace)]
    for pattern in (TORCH_STEP, COUNTED):
        found = {number: int(match[1]) for number, text in texts if (match := pattern.fullmatch(text))}
        if found:
            wanted = np.zeros(len(trace.strings), np.bool_)
            wanted[list(found)] = True
            marks = np.flatnonzero(wanted[trace.name] & ~on_device & (trace.duration_ps > 0))
            if len(marks):
                return marks, {event: found[int(trace.name[event])] for event in marks.tolist()}
    if trace.strings.find(STEP_NUMBER) >= 0:
        said = numbers(trace, STEP_NUMBER)
        marks = np.flatnonzero((said != MISSING) & ~on_device & (trace.duration_ps > 0))
        return marks, {event: int(said[event]) for event in marks.tolist()}
    return np.empty(0, np.int64), {}


def outermost(trace: Trace, marks: Int64) -> Int64:
    """Marks in the order of time, without those that begin before the last one has ended."""
    order = marks[np.lexsort((-trace.duration_ps[marks], trace.start_ps[marks]))]
    ends = np.maximum.accumulate(trace.start_ps[order] + trace.duration_ps[order])
    free = np.ones(len(order), np.bool_)
    free[1:] = trace.start_ps[order[1:]] >= ends[:-1]
    kept: Int64 = order[free]
    return kept


def step_at(time: Int64, begins: Int64, ends: Int64) -> Int32:
    """The step in which a time lies, -1 where in none."""
    return find_spans(time, begins, ends)


def follow_launches(trace: Trace, step: Int32, on_device: Mask) -> None:
    is_launch = (trace.flow_kind == LAUNCH) & on_device[trace.flow_to] & (step[trace.flow_from] >= 0)
    step[trace.flow_to[is_launch]] = step[trace.flow_from[is_launch]]


def last_ends(trace: Trace, step: Int32, on_device: Mask, ends: Int64) -> Int64:
    """When each step is done on the host and on the devices."""
    events = np.flatnonzero(on_device & (step >= 0))
    last = ends.copy()
    np.maximum.at(last, step[events], trace.start_ps[events] + trace.duration_ps[events])
    return last
