"""Allocations one by one: the largest as blocks over time, those that every step leaves behind, and what could be saved."""

from __future__ import annotations

import numpy as np

from runglass.query.profiles.analysis.alive import ACTIVATIONS, Labels, of_curve, regions_of, short_types
from runglass.query.profiles.analysis.checkpointing import WORTH_BYTES, checkpointing
from runglass.query.profiles.analysis.facts import Facts, show_bytes
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.model import (
    REGIONS,
    Block,
    Blocks,
    Measured,
    MemoryCurve,
    Moment,
    Saving,
    Suspect,
)
from runglass.query.profiles.model import Int64, Trace, distinct

# A leak is seen in so many steps at least.
MIN_STEPS = 3
MIN_BYTES = 1 << 10
MAX_SUSPECTS = 50


def blocks(
    trace: Trace,
    view: Measured,
    number: int,
    *,
    limit: int,
    points: int,
    range: tuple[int, int] | None = None,
) -> Blocks:
    curve, made = view.curves[number], view.allocations
    if made is None:
        times, rest = rest_of(curve, [], points)
        return Blocks(blocks=[], count=0, rest_times_ps=times, rest_bytes=rest)
    low, high = range if range is not None else (0, trace.info.end_ps)
    ends = np.where(made.end_ps < 0, np.iinfo(np.int64).max, made.end_ps)
    own = np.flatnonzero(of_curve(made, curve) & (made.start_ps <= high) & (ends >= low))
    largest = own[np.argsort(-made.bytes[own], kind="stable")][:limit]
    chosen = np.sort(largest)
    chosen = chosen[np.argsort(made.start_ps[chosen], kind="stable")]
    found: list[Block] = []
    if len(chosen):
        labels, regions = Labels(trace, made, chosen), regions_of(trace, made, chosen)
        found = [
            Block(
                start_ps=int(made.start_ps[index]) if made.start_ps[index] >= 0 else None,
                end_ps=int(made.end_ps[index]) if made.end_ps[index] >= 0 else None,
                bytes=int(made.bytes[index]),
                op=labels.text(int(labels.op[at])),
                module=trace.text(int(labels.module[at])),
                region=REGIONS[int(regions[at])],
                event=int(labels.event[at]),
            )
            for at, index in enumerate(chosen.tolist())
        ]
    times, rest = rest_of(curve, found, points)
    return Blocks(blocks=found, count=len(own), rest_times_ps=times, rest_bytes=rest)


def rest_of(curve: MemoryCurve, shown: list[Block], points: int) -> tuple[list[int], list[float]]:
    """What a curve has beyond these blocks, in so many points at most."""
    if not len(curve.times_ps):
        return [], []
    change = np.array(
        [(each.start_ps or 0, each.bytes) for each in shown]
        + [(each.end_ps, -each.bytes) for each in shown if each.end_ps is not None],
        np.int64,
    ).reshape(-1, 2)
    order = np.argsort(change[:, 0], kind="stable")
    known = np.concatenate([np.zeros(1, np.int64), np.cumsum(change[order, 1])])
    # Of several samples of one moment the last holds.
    last = np.append(curve.times_ps[1:] != curve.times_ps[:-1], True)
    times, held = curve.times_ps[last], curve.allocated[last]
    rest = np.maximum(held - known[np.searchsorted(change[order, 0], times, side="right")], 0)
    changed = np.flatnonzero(np.append(True, rest[1:] != rest[:-1]))
    if len(changed) > points:
        changed = changed[np.linspace(0, len(changed) - 1, points).astype(np.int64)]
    return times[changed].tolist(), rest[changed].tolist()


def suspects(trace: Trace, view: Measured) -> list[Suspect]:
    """What every step adds to: made in several steps by the same op, and still there after the step that follows."""
    made = view.allocations
    if made is None or len(trace.steps) < MIN_STEPS:
        return []
    facts = Facts(trace)
    found: list[Suspect] = []
    for curve in view.curves:
        marks = facts.host_steps(curve.host)
        if len(marks) < MIN_STEPS:
            continue
        begins = trace.start_ps[marks]
        ends = begins + trace.duration_ps[marks]
        step = np.searchsorted(begins, made.start_ps, side="right") - 1
        # Of the last step nobody knows what would have been freed.
        followed = np.flatnonzero(
            of_curve(made, curve) & (step >= 0) & (step < len(marks) - 1) & (made.bytes >= MIN_BYTES)
        )
        next_end = ends[step[followed] + 1]
        kept = followed[(made.end_ps[followed] < 0) | (made.end_ps[followed] > next_end)]
        found += by_maker(trace, view, kept, step[kept])
    return sorted(found, key=lambda each: -each.step_bytes)[:MAX_SUSPECTS]


def by_maker(trace: Trace, view: Measured, kept: Int64, step: Int64) -> list[Suspect]:
    made = view.allocations
    if made is None or not len(kept):
        return []
    labels = Labels(trace, made, kept)
    groups = group([labels.op, labels.module])
    pairs = group([groups.of, step]).first
    steps = np.bincount(groups.of[pairs], minlength=len(groups))
    sizes, counts = groups.total(made.bytes[kept]), groups.count()
    return [
        Suspect(
            op=labels.text(int(labels.op[first])),
            module=trace.text(int(labels.module[first])),
            bytes=int(sizes[at]),
            count=int(counts[at]),
            steps=int(steps[at]),
            step_bytes=float(sizes[at]) / int(steps[at]),
            event=int(labels.event[first]),
        )
        for at, first in enumerate(groups.first.tolist())
        if steps[at] >= MIN_STEPS - 1
    ]


def savings(trace: Trace, view: Measured, moment: Moment) -> list[Saving]:
    """What would take less at this moment, as far as it follows from what is known of the allocations."""
    made = view.allocations
    if made is None:
        return []
    curve = view.curves[moment.curve]
    alive = np.flatnonzero(
        of_curve(made, curve)
        & (made.start_ps <= moment.time_ps)
        & ((made.end_ps < 0) | (made.end_ps > moment.time_ps))
    )
    regions = regions_of(trace, made, alive)
    alive = alive[regions == ACTIVATIONS]
    activations = int(made.bytes[alive].sum())
    if activations < WORTH_BYTES:
        return []
    labels = Labels(trace, made, alive)
    single = {
        number for number in distinct(labels.type).tolist() if short_types(trace.text(number)) == "float32"
    }
    wide = int(made.bytes[alive][np.isin(labels.type, list(single))].sum())
    found = [
        Saving(
            title="Half the batch",
            evidence=f"Activations are {show_bytes(activations)} of {show_bytes(moment.bytes)}, and grow with the batch.",
            bytes=activations / 2,
        )
    ]
    if wide >= WORTH_BYTES:
        found.append(
            Saving(
                title="Mixed precision",
                evidence=f"{show_bytes(wide)} of activations are made by ops whose inputs are float32: at most half of it.",
                bytes=wide / 2,
            )
        )
    checkpointed = checkpointing(trace, made, alive)
    if checkpointed is not None:
        found.append(checkpointed)
    return sorted(found, key=lambda each: -each.bytes)
