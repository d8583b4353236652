"""What the timeline draws, as columns: slices, counters, the strip, flows, matches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.api.blocks import blocks_answer
from runglass.api.route import Answer
from runglass.dashboards.profile.asking import whole_range
from runglass.dashboards.profile.describing import ref_or_none
from runglass.dashboards.profile.loaded import Loaded
from runglass.dashboards.profile.shape import (
    CountersAnswer,
    CountersBody,
    FlowsAnswer,
    FlowsBody,
    SlicesAnswer,
    SlicesBody,
    StripAnswer,
    TraceMatches,
    TraceSearchBody,
)
from runglass.query.profiles.flow_chain import find_arrows, find_chain
from runglass.query.profiles.level_of_detail import find_samples, find_slices
from runglass.query.profiles.model import FLOW_KINDS, Int32, ProfileUnknown, Trace
from runglass.query.profiles.search import count_on_strip

Array = NDArray[Any]


def draw_slices(loaded: Loaded, body: SlicesBody) -> Answer:
    trace = loaded.trace
    trace.check_tracks(body.tracks)
    low, high = whole_range(body.from_ps, body.to_ps)
    found = find_slices(trace, body.tracks, low, high, body.width)
    name = trace.name[found.event]
    matches = np.zeros(len(name), np.int32)
    if body.q:
        before = loaded.search(body.q, body.search_in, body.mode).before
        matches = before[found.first + found.count] - before[found.first]
    labels, label = number_texts(trace, np.where(found.is_wide == 1, name, -1))
    modules, module = number_texts(trace, trace.module[found.event])
    return blocks_answer(
        SlicesAnswer(labels=labels, modules=modules),
        {
            "track": trace.row_track[found.row],
            "depth": trace.row_depth[found.row],
            "event": found.event,
            "name": name,
            "category": trace.category[found.event],
            "step": trace.step[found.event],
            "module": module,
            "count": found.count,
            "matches": matches,
            "label": label,
            "hash": hashes_of(trace, name),
            "start": (found.start_ps - low).astype(np.float64),
            "duration": found.duration_ps.astype(np.float64),
            "busy": found.busy_ps.astype(np.float64),
        },
    )


def hashes_of(trace: Trace, name: Int32) -> Array:
    if not len(trace.string_hashes):
        return np.zeros(len(name), np.uint32)
    return np.where(name >= 0, trace.string_hashes[name], 0).astype(np.uint32)


def number_texts(trace: Trace, numbers: Int32) -> tuple[list[str], Int32]:
    """The different texts among these, and for each the place of its text; -1 stays."""
    used, place = np.unique(numbers, return_inverse=True)
    where: Int32 = place.astype(np.int32)
    if len(used) and used[0] < 0:
        used = used[1:]
        where -= np.int32(1)
    return [trace.strings[number] for number in used.tolist()], where


def draw_counters(loaded: Loaded, body: CountersBody) -> Answer:
    trace = loaded.trace
    for counter in body.counters:
        if counter >= len(trace.info.counters):
            raise ProfileUnknown(f"There is no counter {counter:,}.", where="counters")
    low, high = whole_range(body.from_ps, body.to_ps)
    found = find_samples(trace, body.counters, low, high, body.width)
    return blocks_answer(
        CountersAnswer(len(found.counter)),
        {
            "counter": found.counter,
            "time": (found.time_ps - low).astype(np.float64),
            "low": found.low,
            "high": found.high,
            "last": found.last,
        },
    )


def draw_strip(loaded: Loaded, width: int) -> Answer:
    found = loaded.strip(width)
    return blocks_answer(
        StripAnswer(busy=found.busy),
        {"place": found.place, "category": found.category, "pixel": found.pixel, "share": found.share},
    )


def draw_flows(loaded: Loaded, body: FlowsBody) -> Answer:
    trace = loaded.trace
    low, high = whole_range(body.from_ps, body.to_ps)
    if body.event is not None:
        trace.check_event(body.event)
        found = find_chain(trace, body.event)
    else:
        trace.check_tracks(body.tracks)
        found = find_arrows(trace, body.tracks, low, high, body.width)
    sources, targets = trace.flow_from[found.flows], trace.flow_to[found.flows]
    rows = [np.searchsorted(trace.row_starts, each, side="right") - 1 for each in (sources, targets)]
    return blocks_answer(
        FlowsAnswer(found.count, list(FLOW_KINDS)),
        {
            "from_event": sources,
            "to_event": targets,
            "from_track": trace.row_track[rows[0]],
            "from_depth": trace.row_depth[rows[0]],
            "to_track": trace.row_track[rows[1]],
            "to_depth": trace.row_depth[rows[1]],
            "kind": trace.flow_kind[found.flows].astype(np.int32),
            "from_time": (trace.start_ps[sources] - low).astype(np.float64),
            "to_time": (trace.start_ps[targets] - low).astype(np.float64),
        },
    )


def answer_search(loaded: Loaded, body: TraceSearchBody) -> Answer:
    matches = loaded.search(body.q, body.search_in, body.mode, body.tracks)
    pixel, count = count_on_strip(loaded.trace, matches, body.width)
    first = int(matches.events[0]) if len(matches.events) else None
    return blocks_answer(
        TraceMatches(count=len(matches.events), first=ref_or_none(loaded.trace, first)),
        {"pixel": pixel, "count": count},
    )
