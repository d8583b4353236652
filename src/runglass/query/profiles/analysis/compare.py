"""Two profiles, or two steps: what changed in an average step, what explains it, and which advice is gone or new."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
from msgspec import Struct

from runglass.errors import BadRequest
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.breakdown import StepTimes, pick_steps, step_times, steps_by_host
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.memory import read_curves
from runglass.query.profiles.analysis.model import (
    PARTS,
    Cause,
    Comparison,
    Finding,
    MemoryCurve,
    OpRow,
    PartChange,
)
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


class Side(Struct, frozen=True):
    """One of the two that are compared: a profile, or one step of it."""

    trace: Trace
    step: int | None = None

    def times(self) -> StepTimes:
        times = step_times(self.trace)
        if self.step is None:
            return times
        return pick_steps(times, np.flatnonzero([step.number == self.step for step in times.steps]))

    def sums(self, place: Place) -> dict[str, OpRow]:
        """Ops by name. Only what is in steps counts, as steps are what is compared."""
        span = None if self.step is not None else span_of_steps(self.trace)
        rows = ops(self.trace, place=place, range=span, step=self.step, with_python=True)
        return {row.name: row for row in rows}

    def advice(self) -> list[Finding]:
        """What is usual is not seen in one step."""
        return advice(self.trace) if self.step is None else []

    def prepare(self) -> None:
        """What is asked of each of the two, and kept with its trace."""
        self.times()
        self.advice()
        for place in PLACES:
            self.sums(place)

    def peaks(self) -> dict[str, float]:
        """The highest use of each allocator, in bytes."""
        found: dict[str, float] = {}
        for curve in read_curves(self.trace):
            peak = curve.peak_bytes if self.step is None else self.peak_in_step(curve)
            found[curve.allocator] = max(found.get(curve.allocator, 0.0), peak)
        return found

    def peak_in_step(self, curve: MemoryCurve) -> float:
        times = self.times()
        found = 0.0
        for step in times.steps:
            if step.host in ("", curve.host):
                # What was in use when the step began counts, too.
                first = np.searchsorted(curve.times_ps, step.start_ps, side="right") - 1
                last = np.searchsorted(curve.times_ps, step.end_ps)
                own = curve.allocated[max(int(first), 0) : int(last)]
                found = max(found, float(own.max(initial=0.0)))
        return found


def compare(
    before: Trace, after: Trace, *, before_step: int | None = None, after_step: int | None = None
) -> Comparison:
    """Average steps of two profiles, or single ones by their number, of two profiles or of one."""
    check_step(before, before_step, "before_step")
    check_step(after, after_step, "after_step")
    sides = Side(before, before_step), Side(after, after_step)
    with ThreadPoolExecutor(2, thread_name_prefix="runglass-compare") as pool:
        list(pool.map(Side.prepare, sides))
    first, second = (side.times() for side in sides)
    before_ps, after_ps = mean_step(first), mean_step(second)
    change = after_ps - before_ps
    causes: list[Cause] = []
    alike: dict[Place, float] = {}
    for place in PLACES:
        old, new = (side.sums(place) for side in sides)
        names_of = [{name for name in each if not EVERYWHERE.match(name)} for each in (old, new)]
        if all(names_of):
            alike[place] = len(names_of[0] & names_of[1]) / min(map(len, names_of))
        causes += explain(
            old, new, max(len(first), 1), max(len(second), 1), change, "kernel" if place == "device" else "op"
        )
    # Ops and kernels together: a host that waits for data may explain all, and hundreds of kernels nothing.
    causes = [*ranked(causes), *memory_causes(*sides)]
    is_whole = before_step is None and after_step is None
    findings = [side.advice() if is_whole else [] for side in sides]
    names = [{finding.id for finding in each} for each in findings]
    return Comparison(
        before_ps=before_ps,
        after_ps=after_ps,
        parts=[
            PartChange(part=part, before_ps=first.mean(part), after_ps=second.mean(part)) for part in PARTS
        ],
        causes=causes,
        gone=[finding for finding in findings[0] if finding.id not in names[1]],
        fresh=[finding for finding in findings[1] if finding.id not in names[0]],
        notes=notes_of(sides, alike),
    )


@kept
def span_of_steps(trace: Trace) -> tuple[int, int] | None:
    """From the beginning of the first to the end of the last; None: no event begins outside of it, or there are no steps."""
    hosts = steps_by_host(trace).values()
    if not hosts:
        return None
    low, high = min(int(own.start.min()) for own in hosts), max(int(own.end.max()) for own in hosts)
    if low <= trace.start_ps.min() and high > trace.start_ps.max():
        return None
    return low, high


def check_step(trace: Trace, step: int | None, where: str) -> None:
    if step is None or any(each.number == step for each in trace.steps):
        return
    numbers = [each.number for each in trace.steps]
    has = (
        f"it has steps from {min(numbers):,} to {max(numbers):,}" if numbers else "nothing in it marks steps"
    )
    raise BadRequest(f"The profile has no step {step:,}; {has}.", where=where)


def notes_of(sides: tuple[Side, Side], alike: dict[Place, float]) -> list[str]:
    notes = []
    is_one = sides[0].trace is sides[1].trace
    if not is_one and alike and alike.get("device", 0) < ALIKE_KERNELS and alike.get("host", 0) < ALIKE_OPS:
        notes.append(
            "The two profiles have hardly any op or kernel in common: they are of different programs."
        )
    for side, which in zip(sides, ("first", "second"), strict=True):
        count = len(side.times())
        if side.step is None and count < 2:
            notes.append(
                f"The {which} profile has {count} step{'s' * (count != 1)}: what is usual cannot be told."
            )
    if any(side.step is not None for side in sides):
        notes.append("Findings are about all steps of a profile, so they are not compared for single steps.")
    return notes


def mean_step(steps: StepTimes) -> float:
    return int(steps.duration.sum()) / max(len(steps), 1)


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


def memory_causes(before: Side, after: Side) -> list[Cause]:
    """The peak of each allocator, in bytes."""
    if not (before.trace.info.has_memory or after.trace.info.has_memory):
        return []
    old, new = before.peaks(), after.peaks()
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
