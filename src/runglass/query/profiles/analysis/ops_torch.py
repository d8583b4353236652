"""Ops of a torch trace, by the rules of `key_averages`: calls, total and self time on the host, and the device time they caused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.query.profiles.analysis.breakdown import begin_in_step
from runglass.query.profiles.analysis.flops import count_work
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import (
    PYTHON,
    device_time,
    device_work,
    has_category,
    innermost_of,
    on_device,
)
from runglass.query.profiles.analysis.model import OpRow, OpsBy
from runglass.query.profiles.analysis.ops_xplane import bound, peaks
from runglass.query.profiles.arguments import numbers, texts
from runglass.query.profiles.model import (
    MISSING,
    Float64,
    Int64,
    Mask,
    Place,
    Trace,
    distinct,
    marked_numbers,
    numbers_in,
)

STEP = re.compile(r"ProfilerStep#\d+")
# As torch calls all of them.
STEPS = "ProfilerStep*"
IDLE = "IDLE"


def ops(
    trace: Trace,
    *,
    by: OpsBy = "name",
    place: Place | None = None,
    with_idle: bool = False,
    range: tuple[int, int] | None = None,
    step: int | None = None,
    with_python: bool = False,
) -> list[OpRow]:
    """Ops that begin in the range, the longest self time first; those of the host, then those of devices."""
    rows: list[OpRow] = []
    device = on_device(trace)
    inside = np.ones(len(trace), np.bool_)
    low, high = range if range is not None else (0, trace.info.end_ps)
    if range is not None:
        inside = (trace.start_ps >= low) & (trace.start_ps < high)
    if step is not None:
        inside &= begin_in_step(trace, step)
    if place != "device":
        chosen = inside & ~device & ~has_category(trace, PYTHON | frozenset({"trace"})) & is_span(trace)
        own = trace.self_ps + python_time(trace) if with_python else trace.self_ps
        rows += host_rows(trace, np.flatnonzero(chosen), by, own)
    if place != "host":
        chosen = inside & device_work(trace)
        idle = idle_time(trace, np.flatnonzero(chosen), low, high) if with_idle else 0
        rows += device_rows(trace, np.flatnonzero(chosen), by, idle)
    return rows


def is_span(trace: Trace) -> Mask:
    """Without instants."""
    return trace.events_on([track.kind != "instants" for track in trace.tracks])


@kept
def python_time(trace: Trace) -> Int64:
    """For each event the own time of the functions of Python that it runs itself, not those in another event inside it."""
    is_python = has_category(trace, PYTHON)
    around = innermost_of(~is_python, trace.parent)
    frames = np.flatnonzero(is_python & (around >= 0))
    found = np.zeros(len(trace), np.int64)
    np.add.at(found, around[frames], trace.self_ps[frames])
    return found


def host_rows(trace: Trace, events: Int64, by: OpsBy, self_ps: Int64) -> list[OpRow]:
    groups = Groups(trace, events, by, merge_steps=True)
    own, total = device_time(trace)
    work = count_work(trace)
    return groups.rows(
        "host",
        self_ps=self_ps[events],
        device_self=own[events],
        device_total=total[events],
        flops=None if work is None else work.flops[events],
        moved=None if work is None else work.bytes[events],
    )


def device_rows(trace: Trace, events: Int64, by: OpsBy, idle: int) -> list[OpRow]:
    groups = Groups(trace, events, by, merge_steps=False)
    time = trace.duration_ps[events]
    moved = numbers(trace, "bytes")[events] if trace.strings.find("bytes") >= 0 else None
    moved = None if moved is None else np.where(moved == MISSING, 0, moved)
    return groups.rows("device", self_ps=time, device_self=time, device_total=time, moved=moved, idle=idle)


def idle_time(trace: Trace, events: Int64, low: int, high: int) -> int:
    """How long the devices that did anything did nothing, together."""
    devices = np.array([-1 if track.device is None else track.device for track in trace.tracks])
    hosts = sorted({track.host for track in trace.tracks})
    where = devices * len(hosts) + np.array([hosts.index(track.host) for track in trace.tracks])
    of_event = where[trace.track[events]]
    total = 0
    for each in distinct(of_event).tolist():
        own = events[of_event == each]
        total += high - low - busy_time(trace.start_ps[own], trace.duration_ps[own], low, high)
    return total


def busy_time(start: Int64, duration: Int64, low: int, high: int) -> int:
    """How long at least one of these lasted."""
    order = np.argsort(start, kind="stable")
    begins = np.clip(start[order], low, high)
    ends = np.clip(start[order] + duration[order], low, high)
    if not len(order):
        return 0
    before = np.maximum.accumulate(ends)
    free_from = np.append(low, before[:-1])
    return int(np.maximum(ends - np.maximum(begins, free_from), 0).sum())


class Groups:
    """Events that are counted together."""

    def __init__(self, trace: Trace, events: Int64, by: OpsBy, *, merge_steps: bool) -> None:
        self.trace = trace
        self.events = events
        self.by = by
        names = trace.name[events].astype(np.int64)
        if merge_steps:
            names = merge_names(trace, names)
        self.names = names
        self.modules = trace.module[events]
        self.shapes = (
            texts(trace, "Input Dims")[events] if by == "shapes" else np.full(len(events), -1, np.int32)
        )
        keys: dict[str, Any] = {
            "name": names,
            "type": trace.category[events],
            "category": trace.category[events],
            "module": self.modules,
            "shapes": names * (len(trace.strings) + 1) + self.shapes,
        }
        self.groups = group([keys[by]])
        self.first = self.groups.first

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype == np.int64:
            return self.groups.total(values)
        return np.bincount(self.groups.of, values, len(self.first))

    def rows(
        self,
        place: Place,
        *,
        self_ps: Int64,
        device_self: Int64,
        device_total: Int64,
        flops: Float64 | None = None,
        moved: Float64 | Int64 | None = None,
        idle: int = 0,
    ) -> list[OpRow]:
        duration = self.trace.duration_ps[self.events]
        totals, low, high = self.groups.sums(duration)
        counts, own = self.groups.count(), self.sum(self_ps)
        device_own, device_all = self.sum(device_self), self.sum(device_total)
        operations = None if flops is None else self.sum(flops)
        amount = None if moved is None else self.sum(moved)
        peak, bandwidth = peaks(self.trace)
        whole = float(own.sum()) + idle
        made = []
        for at in np.argsort(-own, kind="stable").tolist():
            # Operations are done where the kernels ran, if there were any.
            spent = float(device_all[at] if place == "host" and device_all[at] else totals[at]) * 1e-12
            done = float(operations[at]) if operations is not None and operations[at] > 0 else None
            carried = float(amount[at]) if amount is not None and amount[at] > 0 else None
            rate = done / spent if done and spent else None
            speed = carried / spent if carried and spent else None
            made.append(
                OpRow(
                    place=place,
                    **self.describe(at),
                    occurrences=int(counts[at]),
                    total_ps=int(totals[at]),
                    self_ps=int(own[at]),
                    min_ps=int(low[at]),
                    max_ps=int(high[at]),
                    device_total_ps=int(device_all[at]),
                    device_self_ps=int(device_own[at]),
                    share=float(own[at]) / whole if whole else 0.0,
                    flops=done,
                    bytes=carried,
                    flop_rate=rate,
                    bandwidth=speed,
                    intensity=done / carried if done and carried else None,
                    bound_by=bound(done, carried, peak, bandwidth),
                )
            )
        if idle:
            made.append(
                OpRow(
                    place=place,
                    type=IDLE,
                    name=IDLE,
                    occurrences=1,
                    total_ps=idle,
                    self_ps=idle,
                    min_ps=idle,
                    max_ps=idle,
                    share=idle / whole,
                )
            )
            made.sort(key=lambda row: -row.self_ps)
        return made

    def describe(self, at: int) -> dict[str, Any]:
        """What all events of a group have in common."""
        first = int(self.first[at])
        event = int(self.events[first])
        category = self.trace.info.categories[int(self.trace.category[event])]
        module = self.trace.text(int(self.modules[first]))
        if self.by in ("type", "category"):
            name = category.meaning if self.by == "type" else category.name
            return {"type": category.meaning, "name": name}
        if self.by == "module":
            return {"type": "module", "name": module or "(no module)", "module": module}
        name = self.trace.text(int(self.names[first]))
        said = {"type": category.meaning, "name": STEPS if STEP.fullmatch(name) else name}
        if self.by == "shapes":
            said["shapes"] = self.trace.text(int(self.shapes[first]))
        return said


def merge_names(trace: Trace, names: Int64) -> Int64:
    """All steps under one name, as torch counts them."""
    known = [number for number in numbers_in(names, len(trace.strings)) if STEP.fullmatch(trace.text(number))]
    if len(known) < 2:
        return names
    return np.where(marked_numbers(trace, known, names.astype(np.int32)), known[0], names)
