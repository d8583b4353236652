"""What is known of a profile and of one event, as answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import convert

from runglass.api.answers import number
from runglass.dashboards.profile.loaded import Loaded
from runglass.dashboards.profile.shape import (
    AboutProfile,
    DurationHistogram,
    EventAnswer,
    EventArgument,
    EventFlow,
    EventName,
    EventRef,
    EventShape,
    ListedProfile,
    OfName,
    StackFrame,
    TraceCategory,
    TraceCounter,
    TraceDevice,
    TraceStep,
    TraceTrack,
)
from runglass.query.profiles.busy import busy_of_tracks
from runglass.query.profiles.event_info import describe_event
from runglass.query.profiles.model import FLOW_KINDS, SessionInfo, Trace, Track
from runglass.query.profiles.track_names import names_of
from runglass.query.profiles.tracks import SPANS


def listed_profile(info: SessionInfo, steps: tuple[int, int] | None, problem: str | None) -> ListedProfile:
    return ListedProfile(
        run=info.run,
        session=info.session,
        kind=info.kind,
        files=list(info.files),
        workers=list(info.workers),
        size_bytes=info.size_bytes,
        time_s=info.time_s,
        first_step=None if steps is None else steps[0],
        last_step=None if steps is None else steps[1],
        problem=problem or info.problem,
    )


def describe(loaded: Loaded) -> AboutProfile:
    trace = loaded.trace
    info = trace.info
    kinds = np.bincount(trace.flow_kind, minlength=len(FLOW_KINDS))
    busy, names = busy_of_tracks(trace), names_of(trace)
    return AboutProfile(
        kind=info.kind,
        unit=info.unit,
        origin_ns=None if info.origin_ns is None else str(info.origin_ns),
        end_ps=info.end_ps,
        busy_from_ps=info.busy_from_ps,
        busy_to_ps=info.busy_to_ps,
        events=len(trace),
        tracks=[
            TraceTrack(
                id=track.id,
                process=track.process,
                process_id=track.process_id,
                name=names[track.id],
                thread=track.thread,
                thread_id=track.thread_id,
                kind=track.kind,
                place=track.place,
                device=track.device,
                host=track.host,
                labels=track.labels,
                rows=track.rows,
                events=track.events,
                first_event=track.first_event,
                busy_ps=busy[track.id],
            )
            for track in in_order(trace)
        ],
        counters=[
            TraceCounter(
                id=each.id,
                track=each.track,
                name=each.name,
                unit=each.unit,
                min=number(each.min),
                max=number(each.max),
                samples=each.samples,
            )
            for each in info.counters
        ],
        steps=convert(info.steps, list[TraceStep], from_attributes=True),
        steps_note=info.steps_note,
        categories=convert(info.categories, list[TraceCategory], from_attributes=True),
        devices=convert(info.devices, list[TraceDevice], from_attributes=True),
        hosts=info.hosts,
        files=[file.name for file in info.files],
        problems=info.problems,
        clocks_differ=info.clocks_differ,
        flows={kind: int(count) for kind, count in zip(FLOW_KINDS, kinds, strict=True) if count},
        has_stacks=info.has_stacks,
        has_shapes=info.has_shapes,
        has_memory=info.has_memory,
        has_modules=bool((trace.module >= 0).any()),
    )


def in_order(trace: Trace) -> list[Track]:
    """As they are read: by host; its threads, the busiest first, each with its frames and instants; devices; what the profiler says of
    itself. Counters come after the threads of the host, or the streams of the device, that they are about.
    """
    busy = busy_of_tracks(trace)
    threads: dict[tuple[str, str, str], float] = {}
    for track in trace.tracks:
        if track.kind == "thread":
            key = track.host, track.process_id, track.thread_id
            # The thread that has the number of its process is the one that runs the program.
            threads[key] = busy[track.id] + (trace.info.end_ps if track.thread_id == track.process_id else 0)
    hosts = {host: number for number, host in enumerate(trace.info.hosts)}

    def order(track: Track) -> tuple[Any, ...]:
        is_aside = track.kind == "steps" and track.place == "host"
        is_aside |= track.kind == "instants" and (track.process_id in ("", *SPANS))
        took = threads.get((track.host, track.process_id, track.thread_id), 0)
        return (
            hosts.get(track.host, 0),
            is_aside,
            track.place == "device",
            track.device or 0,
            track.kind == "counter",
            -took,
            track.id,
        )

    return sorted(trace.tracks, key=order)


def event_ref(trace: Trace, event: int) -> EventRef:
    row = trace.row_of(event)
    return EventRef(
        event=event,
        name=trace.name_of(event),
        category=int(trace.category[event]),
        track=int(trace.row_track[row]),
        depth=int(trace.row_depth[row]),
        start_ps=int(trace.start_ps[event]),
        duration_ps=int(trace.duration_ps[event]),
    )


def ref_or_none(trace: Trace, event: int | None) -> EventRef | None:
    return None if event is None else event_ref(trace, event)


def answer_event(loaded: Loaded, event: int) -> EventAnswer:
    trace = loaded.trace
    info = describe_event(trace, event)
    of = info.of_name
    own = event_ref(trace, event)
    module = int(trace.module[event])
    return EventAnswer(
        event=event,
        name=own.name,
        category=own.category,
        hash=int(trace.string_hashes[trace.name[event]]) if trace.name[event] >= 0 else 0,
        track=own.track,
        depth=own.depth,
        start_ps=own.start_ps,
        duration_ps=own.duration_ps,
        self_ps=int(trace.self_ps[event]),
        step=info.step,
        in_step_ps=info.in_step_ps,
        arguments=[EventArgument(key, value) for key, value in info.arguments],
        ancestors=[EventName(each, trace.name_of(each)) for each in info.ancestors],
        children=info.children,
        launch=ref_or_none(trace, info.launch),
        ahead=info.ahead,
        operation=ref_or_none(trace, info.operation),
        kernels=[event_ref(trace, each) for each in info.kernels],
        kernel_count=info.kernel_count,
        flows=[event_flow(trace, each.event, each.kind, each.direction) for each in info.flows],
        stack=[
            StackFrame(file=each.file, line=each.line, function=each.function, is_framework=each.is_framework)
            for each in info.stack
        ],
        module=trace.text(module) if module >= 0 else None,
        shapes=[EventShape(shape=each.shape, type=each.type) for each in info.shapes],
        of_name=OfName(
            count=of.count,
            total_ps=of.total_ps,
            self_ps=of.self_ps,
            mean_ps=of.mean_ps,
            min_ps=of.min_ps,
            max_ps=of.max_ps,
            median_ps=of.median_ps,
            share=of.share,
            per_step=of.per_step,
            histogram=DurationHistogram(of.edges, of.counts),
            previous=ref_or_none(trace, of.previous),
            next=ref_or_none(trace, of.next),
        ),
    )


def event_flow(trace: Trace, event: int, kind: str, direction: str) -> EventFlow:
    ref = event_ref(trace, event)
    return EventFlow(
        event=ref.event,
        name=ref.name,
        category=ref.category,
        track=ref.track,
        depth=ref.depth,
        start_ps=ref.start_ps,
        duration_ps=ref.duration_ps,
        kind=kind,
        direction="to" if direction == "to" else "from",
    )
