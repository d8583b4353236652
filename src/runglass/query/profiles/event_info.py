"""All that is known of one event: arguments, what is around it, its launch or kernels, stack, shapes, and others of its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.busy import busy_ps, work_tracks
from runglass.query.profiles.flow_chain import flows_from, flows_to, kernels_of, launch_of
from runglass.query.profiles.model import FLOW_KINDS, FORWARD_BACKWARD, LAUNCH, Int32, Place, Trace, median
from runglass.query.profiles.stacks import Frame, read_stack

MAX_KERNELS = 100
MAX_FLOWS = 100
BINS = 24

Direction = Literal[
    "next", "previous", "parent", "child", "same name next", "same name previous", "launch", "kernel"
]


class Flow(Struct):
    event: int
    kind: str
    direction: Literal["to", "from"]


class Shape(Struct):
    shape: str
    type: str


class OfName(Struct):
    """All events of one name, on the host or on devices as the event itself."""

    count: int
    total_ps: int
    self_ps: int
    mean_ps: float
    min_ps: int
    max_ps: int
    median_ps: float
    # Of the time in which host or devices are busy.
    share: float | None
    per_step: float | None
    edges: list[float]
    counts: list[int]
    previous: int | None
    next: int | None


class EventInfo(Struct):
    event: int
    step: int | None
    in_step_ps: int | None
    arguments: list[tuple[str, Any]]
    # The outermost first.
    ancestors: list[int]
    children: int
    launch: int | None
    # Of a kernel: others on its stream that were launched earlier and had not begun when it was launched.
    ahead: int | None
    # Of a kernel or its launch: the operation around the launch.
    operation: int | None
    kernels: list[int]
    kernel_count: int
    flows: list[Flow]
    stack: list[Frame]
    shapes: list[Shape]
    of_name: OfName


def describe_event(trace: Trace, event: int) -> EventInfo:
    trace.check_event(event)
    given = arguments(trace, event)
    known = dict(given)
    around = ancestors(trace, event)
    launch = launch_of(trace, event)
    kernels = kernels_of(trace, event) if len(trace.flow_from) else []
    host = event if launch is None else launch
    operation = operation_of(trace, host) if launch is not None or kernels else None
    step = int(trace.step[event])
    # A kernel has the stack and the shapes of the operation that launched it.
    about = known
    if launch is not None and operation is not None:
        about = {**dict(arguments(trace, operation)), **known}
    return EventInfo(
        event=event,
        step=step if step >= 0 else None,
        in_step_ps=int(trace.start_ps[event]) - trace.steps[step].start_ps if step >= 0 else None,
        arguments=given,
        ancestors=around,
        children=len(children(trace, event)),
        launch=launch,
        ahead=None if launch is None else count_ahead(trace, event, launch),
        operation=operation if operation != event else None,
        kernels=kernels[:MAX_KERNELS],
        kernel_count=len(kernels),
        flows=list_flows(trace, event),
        stack=find_stack(trace, about, [*(around if launch is None else ancestors(trace, launch)), host]),
        shapes=read_shapes(about),
        of_name=describe_name(trace, event),
    )


def find_stack(trace: Trace, given: dict[str, Any], around: list[int]) -> list[Frame]:
    """That of the event; of a backward operation, which runs in a thread without frames, that of its forward one."""
    found = read_stack(trace, given, around)
    if found or not len(trace.flow_from):
        return found
    for event in reversed(around):
        for flow in flows_to(trace, event).tolist():
            if trace.flow_kind[flow] == FORWARD_BACKWARD:
                forward = int(trace.flow_from[flow])
                return read_stack(
                    trace, dict(arguments(trace, forward)), [*ancestors(trace, forward), forward]
                )
    return []


def ancestors(trace: Trace, event: int) -> list[int]:
    return list(trace.around(event))[::-1]


def children(trace: Trace, event: int) -> Int32:
    found = [np.empty(0, np.int32)]
    first, stop = trace.view.ranges(trace.child_rows(event), int(trace.start_ps[event]), trace.end_of(event))
    for a, b in zip(first.tolist(), stop.tolist(), strict=True):
        found.append((np.flatnonzero(trace.parent[a:b] == event) + a).astype(np.int32))
    joined = np.concatenate(found)
    return joined[np.argsort(trace.start_ps[joined], kind="stable")]


def operation_of(trace: Trace, event: int) -> int | None:
    """The innermost operation around a call of the runtime; the event itself if it is one."""
    at = event
    while at >= 0:
        if trace.info.categories[int(trace.category[at])].name.lower() in ("cpu_op", "operator"):
            return at
        at = int(trace.parent[at])
    parent = int(trace.parent[event])
    return parent if parent >= 0 else None


def count_ahead(trace: Trace, event: int, launch: int) -> int:
    """Kernels in the queue: of the same stream, begun between the launch and the beginning of this one."""
    row = trace.row_of(event)
    first = int(trace.row_starts[row])
    began = first + int(np.searchsorted(trace.start_ps[first:event], trace.start_ps[launch], side="right"))
    return max(event - began, 0)


def list_flows(trace: Trace, event: int) -> list[Flow]:
    """All but launches, which have a place of their own."""
    found = [
        Flow(int(trace.flow_to[flow]), FLOW_KINDS[trace.flow_kind[flow]], "to")
        for flow in flows_from(trace, event).tolist()
        if trace.flow_kind[flow] != LAUNCH
    ]
    found += [
        Flow(int(trace.flow_from[flow]), FLOW_KINDS[trace.flow_kind[flow]], "from")
        for flow in flows_to(trace, event).tolist()
        if trace.flow_kind[flow] != LAUNCH
    ]
    return found[:MAX_FLOWS]


def read_shapes(given: dict[str, Any]) -> list[Shape]:
    dims = given.get("Input Dims", given.get("Input dims"))
    types = given.get("Input type")
    if isinstance(dims, list):
        kinds = types if isinstance(types, list) and len(types) == len(dims) else [""] * len(dims)
        return [
            Shape(text_of(each), text_of(kind) if kind else "")
            for each, kind in zip(dims, kinds, strict=True)
            if each or kind
        ]
    shape = given.get("shape", given.get("shape_with_layout"))
    return [Shape(str(shape), "")] if isinstance(shape, str) and shape else []


def text_of(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    return str(value)


def place_of(trace: Trace, event: int) -> Place:
    return trace.tracks[trace.track_of(event)].place


def of_same_name(trace: Trace, event: int) -> Int32:
    """Events of the same name, on host or devices as this one, in the order of time."""
    found = np.flatnonzero(trace.name == trace.name[event])
    place = place_of(trace, event)
    on_place = np.array([track.place == place for track in trace.tracks])
    rows = np.searchsorted(trace.row_starts, found, side="right") - 1
    found = found[on_place[trace.row_track[rows]]]
    ordered: Int32 = found[np.argsort(trace.start_ps[found], kind="stable")].astype(np.int32)
    return ordered


def describe_name(trace: Trace, event: int) -> OfName:
    events = of_same_name(trace, event)
    took = trace.duration_ps[events]
    at = int(np.flatnonzero(events == event)[0])
    # The outer of two events of one name holds the inner one: only self time adds up.
    own = int(trace.self_ps[events].sum())
    place = place_of(trace, event)
    busy = busy_ps(trace, work_tracks(trace, place), 0, trace.info.end_ps)
    steps = trace.step[events]
    used = int(np.count_nonzero(np.bincount(steps[steps >= 0])))
    low, high = int(took.min()), int(took.max())
    counts, edges = np.histogram(took, bins=BINS if high > low else 1, range=(low, max(high, low + 1)))
    return OfName(
        count=len(events),
        total_ps=int(took.sum()),
        self_ps=own,
        mean_ps=float(took.mean()),
        min_ps=low,
        max_ps=high,
        median_ps=median(took),
        share=min(own / busy, 1.0) if busy else None,
        per_step=float((steps >= 0).sum() / used) if used else None,
        edges=edges.tolist(),
        counts=counts.tolist(),
        previous=int(events[at - 1]) if at else None,
        next=int(events[at + 1]) if at + 1 < len(events) else None,
    )


def step_to(trace: Trace, event: int, direction: Direction) -> int | None:
    """The event in that direction; None if there is none."""
    trace.check_event(event)
    row = trace.row_of(event)
    if direction == "next":
        return event + 1 if event + 1 < int(trace.row_starts[row + 1]) else None
    if direction == "previous":
        return event - 1 if event > int(trace.row_starts[row]) else None
    if direction == "parent":
        return int(trace.parent[event]) if trace.parent[event] >= 0 else None
    if direction == "launch":
        return launch_of(trace, event)
    found: Sequence[int] | Int32
    if direction == "child":
        found = children(trace, event)
        return int(found[0]) if len(found) else None
    if direction == "kernel":
        found = kernels_of(trace, event)
        return found[0] if found else None
    events = of_same_name(trace, event)
    at = int(np.flatnonzero(events == event)[0]) + (1 if direction == "same name next" else -1)
    return int(events[at]) if 0 <= at < len(events) else None


def find_at(trace: Trace, track: int, depth: int, time: int, within: int) -> int | None:
    """The event of a row at a time, or the nearest one that is not further away than `within`."""
    trace.check_tracks([track], where="track")
    rows = trace.rows_of(track)
    if depth >= len(rows):
        return None
    first, stop = int(trace.row_starts[rows[depth]]), int(trace.row_starts[rows[depth] + 1])
    at = first + int(np.searchsorted(trace.start_ps[first:stop], time, side="right")) - 1
    best: tuple[int, int] | None = None
    for each in (at, at + 1):
        if first <= each < stop:
            away = max(int(trace.start_ps[each]) - time, time - trace.end_of(each), 0)
            if away <= within and (best is None or away < best[0]):
                best = away, each
    return None if best is None else best[1]
