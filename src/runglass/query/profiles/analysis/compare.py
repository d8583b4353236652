"""Two profiles: what changed in an average step, what explains it, and which advice is gone or new."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.breakdown import StepTimes, step_times
from runglass.query.profiles.analysis.memory import read_curves
from runglass.query.profiles.analysis.model import PARTS, Cause, Comparison, OpRow, PartChange
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.model import Place, Trace

# Ranked by what they explain; what explains less than this of the difference is left out.
SHOWN = 100
WORTH = 0.001
# Programs with fewer kernels of the same name and fewer ops of the framework are different ones. Another precision or layout
# changes nearly all kernels of a model, and few ops.
ALIKE_KERNELS = 0.2
ALIKE_OPS = 0.5
# Calls of the driver, and what the profiler marks, are in every program.
EVERYWHERE = re.compile(r"cuda|cu[A-Z]|hip|ProfilerStep|enumerate\(|Optimizer\.")
PLACES: tuple[Place, ...] = ("device", "host")


def prepare(trace: Trace) -> None:
    """What is asked of each of the two, and kept with it."""
    step_times(trace)
    advice(trace)
    for place in PLACES:
        sums(trace, place)


def compare(before: Trace, after: Trace) -> Comparison:
    with ThreadPoolExecutor(2, thread_name_prefix="runglass-compare") as pool:
        list(pool.map(prepare, (before, after)))
    first, second = step_times(before), step_times(after)
    before_ps, after_ps = mean_step(first), mean_step(second)
    change = after_ps - before_ps
    causes: list[Cause] = []
    alike: dict[Place, float] = {}
    for place in PLACES:
        old, new = sums(before, place), sums(after, place)
        names_of = [{name for name in each if not EVERYWHERE.match(name)} for each in (old, new)]
        if all(names_of):
            alike[place] = len(names_of[0] & names_of[1]) / min(map(len, names_of))
        causes += explain(
            old, new, max(len(first), 1), max(len(second), 1), change, "kernel" if place == "device" else "op"
        )
    # Ops and kernels together: a host that waits for data may explain all, and hundreds of kernels nothing.
    causes = [*ranked(causes), *memory_causes(before, after)]
    findings = advice(before), advice(after)
    names = [{finding.id for finding in each} for each in findings]
    notes = []
    if alike and alike.get("device", 0) < ALIKE_KERNELS and alike.get("host", 0) < ALIKE_OPS:
        notes.append(
            "The two profiles have hardly any op or kernel in common: they are of different programs."
        )
    for steps, which in ((first, "first"), (second, "second")):
        if len(steps) < 2:
            notes.append(
                f"The {which} profile has {len(steps)} step{'s' * (len(steps) != 1)}: what is usual cannot be told."
            )
    return Comparison(
        before_ps=before_ps,
        after_ps=after_ps,
        parts=[
            PartChange(
                part=part,
                before_ps=first.mean(part),
                after_ps=second.mean(part),
            )
            for part in PARTS
        ],
        causes=causes,
        gone=[finding for finding in findings[0] if finding.id not in names[1]],
        fresh=[finding for finding in findings[1] if finding.id not in names[0]],
        notes=notes,
    )


def mean_step(steps: StepTimes) -> float:
    return int(steps.duration.sum()) / max(len(steps), 1)


def sums(trace: Trace, place: Place) -> dict[str, OpRow]:
    """Ops by name. Only what is in steps counts, as steps are what is compared."""
    if not trace.steps:
        return {row.name: row for row in ops(trace, place=place)}
    low, high = min(step.start_ps for step in trace.steps), max(step.end_ps for step in trace.steps)
    if low <= trace.start_ps.min() and high > trace.start_ps.max():
        return {row.name: row for row in ops(trace, place=place)}
    return {row.name: row for row in ops(trace, place=place, range=(low, high))}


def explain(
    old: dict[str, OpRow],
    new: dict[str, OpRow],
    old_steps: int,
    new_steps: int,
    change: float,
    kind: Literal["op", "kernel"],
) -> list[Cause]:
    """By name, the own time in an average step; those that changed most first."""
    made = []
    for name in old.keys() | new.keys():
        was, now = old.get(name), new.get(name)
        before = was.self_ps / old_steps if was else 0.0
        after = now.self_ps / new_steps if now else 0.0
        if abs(after - before) < WORTH * abs(change) or after == before:
            continue
        made.append(
            Cause(
                kind=kind,
                name=name,
                before=before,
                after=after,
                calls_before=was.occurrences / old_steps if was else 0.0,
                calls_after=now.occurrences / new_steps if now else 0.0,
                share=(after - before) / change if change else None,
            )
        )
    return ranked(made)[:SHOWN]


def ranked(causes: list[Cause]) -> list[Cause]:
    return sorted(causes, key=lambda cause: (-abs(cause.after - cause.before), cause.name))


def memory_causes(before: Trace, after: Trace) -> list[Cause]:
    """The peak of each allocator, in bytes."""
    if not (before.info.has_memory or after.info.has_memory):
        return []
    old, new = (
        {curve.allocator: curve.peak_bytes for curve in read_curves(trace)} for trace in (before, after)
    )
    return [
        Cause(
            kind="memory",
            name=name,
            before=old.get(name, 0.0),
            after=new.get(name, 0.0),
            calls_before=0.0,
            calls_after=0.0,
        )
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
