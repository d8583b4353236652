"""Devices are idle while the host runs code of the user that launches nothing."""

from __future__ import annotations

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, is_own, show_share, show_time
from runglass.query.profiles.analysis.intervals import Cover, cover
from runglass.query.profiles.analysis.launching import events_in, is_python, launches
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import marked_numbers, numbers_in, used_names
from runglass.query.profiles.stacks import parse_frame

WORTH = 0.1


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    calls_of_python = events_in(trace, is_python)
    names = trace.name[calls_of_python]
    own = [
        number
        for number in numbers_in(names, len(trace.strings))
        if (frame := parse_frame(facts.names[number])) is not None and is_own(frame)
    ]
    frames = facts.in_steps(calls_of_python[marked_numbers(trace, own, names)])
    if not len(frames) or not facts.idle_ps:
        return []
    calls = np.sort(trace.start_ps[launches(trace)[0]])
    known = facts.input_spans
    best = None
    for number in used_names(trace, frames):
        events = frames[trace.name[frames] == number]
        starts, ends = trace.start_ps[events], trace.start_ps[events] + trace.duration_ps[events]
        if (np.searchsorted(calls, ends) > np.searchsorted(calls, starts)).any():
            continue
        # What has a name is told as such.
        wait = facts.idle_during(events) - shared(facts, cover(starts, ends), known)
        steps = len({int(number) for number in trace.step[events].tolist() if number >= 0})
        if 2 * steps >= facts.count and (best is None or wait > best[0]):
            best = wait, events
    if best is None or best[0] < WORTH * facts.step_ps:
        return []
    wait, events = best
    longest = int(events[trace.duration_ps[events].argmax()])
    frame = parse_frame(trace.name_of(longest))
    name = frame.function if frame is not None else trace.name_of(longest)
    line = facts.source(longest)
    return [
        Finding(
            id="host_code",
            title=f"The device waits for {name}",
            evidence=f"In an average step of {show_time(facts.step_ps)} the device is idle for {show_time(wait)} "
            f"({show_share(wait / facts.step_ps)}) while the host runs {name} ({line}), which launches nothing.",
            action="Do it ahead of time, in another thread or process (a data loader that prefetches), or on the device.",
            gain_ps=wait,
            gain_share=wait / facts.step_ps,
            where=facts.where(longest),
            source=line,
        )
    ]


def shared(facts: Facts, spans: Cover, known: Cover) -> float:
    """What of the idle time in both is told already, in an average step."""
    inside = spans.within(known.start, known.end)
    both = [
        int(np.minimum(idle.within(known.start, known.end), inside).sum()) for idle in facts.idle.values()
    ]
    return sum(both) / max(facts.count, 1)
