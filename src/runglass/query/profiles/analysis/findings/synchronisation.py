"""The host waits for the device in the middle of a step, and the device then waits for the host."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from runglass.native.trace_groups import within_marked
from runglass.query.profiles.analysis.facts import Facts, show_count, show_share, show_time
from runglass.query.profiles.analysis.intervals import cover
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import marks_of, named

WORTH = 0.01
CALL = re.compile(
    r"(?:cuda|hip|cu)\w*Synchronize|BlockHostUntilDone|Await|np\.asarray\(jax\.Array\)", re.IGNORECASE
)
# These wait by design, or have a finding of their own.
OTHERS = re.compile(r"gloo|nccl|c10d|DistributedDataParallel|aten::(?:to|_to_copy|copy_)$")
# Threads that pin memory or run collectives wait by themselves, and hold up nobody.
APART = re.compile(r"pin|gloo|nccl|autograd_engine_wait")


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    known = [number for number, name in facts.names.items() if CALL.match(name)]
    events = facts.in_steps(np.flatnonzero(named(trace, known) & ~facts.on_device))
    if not len(events):
        return []
    others = [number for number, name in facts.names.items() if OTHERS.search(name)]
    events = events[~within_marked(events, trace.parent, trace.name, marks_of(trace, others))]
    is_apart = np.array([APART.search(track.thread) is not None for track in trace.tracks], np.bool_)
    events = events[~is_apart[trace.track[events]]]
    if len(events) < facts.count:
        return []
    wait = 0
    for host in facts.hosts:
        mine = events[facts.of_host(host)[events]]
        if not len(mine):
            continue
        ends = trace.start_ps[mine] + trace.duration_ps[mine]
        begins, step_ends = facts.windows_of(host)
        if not len(begins):
            continue
        # Across the ends of steps: a loss is read where one ends.
        idle = facts.busy[host].free(int(begins[0]), int(step_ends[-1]))
        at = np.searchsorted(idle.end, ends, side="right")
        known_at = at < len(idle.end)
        at, ends = at[known_at], ends[known_at]
        # Only gaps that begin before the wait is over: the device ran dry because of it. Each counts once.
        is_dry = idle.start[at] <= ends
        at, first = np.unique(at[is_dry], return_index=True)
        dry = cover(np.maximum(ends[is_dry][first], idle.start[at]), idle.end[at])
        # Waiting for input has a finding of its own.
        wait += dry.total - dry.shared(facts.input_spans)
    gain = wait / facts.count
    if gain < WORTH * facts.step_ps:
        return []
    lines = Counter(source for event in events.tolist()[:200] if (source := facts.source(event)))
    longest = int(events[trace.duration_ps[events].argmax()])
    number = len(events) / facts.count
    where = f", most of them in {lines.most_common(1)[0][0]}" if lines else ""
    return [
        Finding(
            id="synchronisation",
            title="The host waits for the device within the step",
            evidence=f"{show_count(number, 'wait')} in a step{where}. After them the device is idle for {show_time(gain)} "
            f"({show_share(gain / facts.step_ps)} of a step), because nothing has been launched ahead.",
            action=facts.words(
                torch="Avoid .item(), float(tensor), print(tensor) and .cpu() in the loop: keep losses as tensors and read them every "
                "hundred steps.",
                jax="Avoid float(), np.asarray(), print() and block_until_ready() of results in the loop: keep losses as arrays and read "
                "them every hundred steps.",
                tensorflow="Avoid .numpy(), float(tensor) and print(tensor) in the loop: keep losses as tensors and read them every "
                "hundred steps.",
            ),
            gain_ps=gain,
            gain_share=gain / facts.step_ps,
            where=facts.where(longest),
            framework=facts.framework,
            source=lines.most_common(1)[0][0] if lines else "",
        )
    ]
