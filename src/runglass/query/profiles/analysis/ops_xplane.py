"""Ops of TensorFlow's and JAX's profiles, on the host and on devices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runglass.native.trace_nesting import inherit
from runglass.query.profiles.analysis.breakdown import begin_in_step
from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.grouping import Groups, group
from runglass.query.profiles.analysis.kernels import TENSOR_CORES, in_range
from runglass.query.profiles.analysis.launching import innermost_of, on_device
from runglass.query.profiles.analysis.model import BoundBy, OpRow, OpsBy
from runglass.query.profiles.analysis.op_names import PROGRAM, OpName, parse_op, scope_of
from runglass.query.profiles.analysis.programs import COMMAND_BUFFER, executed
from runglass.query.profiles.model import (
    LAUNCH,
    MISSING,
    Int32,
    Int64,
    Mask,
    Place,
    Trace,
    marked_numbers,
    named_like,
    numbers_in,
)

EAGER = "EagerExecute"
IDLE = "IDLE"


def ops(
    trace: Trace,
    *,
    by: OpsBy = "name",
    place: Place | None = None,
    with_idle: bool = False,
    range: tuple[int, int] | None = None,
    step: int | None = None,
) -> list[OpRow]:
    """Those with the most time of their own first, the host's and the devices' ops each for itself."""
    inside = in_range(trace, range)
    if step is not None:
        inside &= begin_in_step(trace, step)
    found: list[OpRow] = []
    if place != "device":
        found.extend(host_ops(trace, by, inside, with_idle=with_idle))
    if place != "host":
        found.extend(device_ops(trace, by, inside, with_idle=with_idle))
    return found


def host_ops(trace: Trace, by: OpsBy, inside: Mask, *, with_idle: bool) -> list[OpRow]:
    on_host = ~on_device(trace)
    full = trace.name
    if len(trace.full_name_event):
        full = full.copy()
        full[trace.full_name_event] = trace.full_name
    names = Names(trace, full)
    is_op = on_host & names.is_op
    # Instructions that a CPU executed.
    number = names.number
    if trace.find_key("hlo_op", "host") >= 0:
        (instruction,) = told(trace, np.flatnonzero(on_host), ["hlo_op"], "host")
        own = on_host & ~is_op & (instruction >= 0) & (trace.duration_ps > 0)
        number = np.where(own, instruction, number)
        is_op |= own
    nearest = innermost_of(is_op, trace.parent)
    found = np.flatnonzero(is_op)
    # For each op its place among all of them.
    place = np.zeros(len(trace), np.int32)
    place[found] = np.arange(len(found), dtype=np.int32)
    above = op_above(trace, nearest, found)
    nested = above >= 0
    self_ps = trace.duration_ps[found]
    np.subtract.at(self_ps, place[above[nested]], trace.duration_ps[found[nested]])
    device_self, device_total = launched_times(trace, nearest, place, len(found))
    is_chosen = inside[found]
    chosen = found[is_chosen]
    made = summed(
        trace,
        "host",
        by,
        chosen,
        lambda text: parse_op(text) or OpName(text, "HLO"),
        number[chosen],
        np.maximum(self_ps[is_chosen], 0),
        device=(device_self[is_chosen], device_total[is_chosen]),
        is_eager=eager_events(trace)[chosen],
    )
    return add_idle(trace, made, "host", chosen) if with_idle else made


def device_ops(trace: Trace, by: OpsBy, inside: Mask, *, with_idle: bool) -> list[OpRow]:
    is_op = [track.place == "device" and track.kind != "steps" for track in trace.tracks]
    chosen = trace.events_on(is_op) & (trace.duration_ps > 0) & inside
    events = np.flatnonzero(chosen)
    # The framework's op where it is told, or else the instruction of XLA, or else the kernel.
    number = trace.name[events]
    told_names = columns(trace, [], ["hlo_op", "tf_op"], events)[1]
    for text, hidden in zip(told_names, (COMMAND_BUFFER, PROGRAM), strict=True):
        known = (text >= 0) & ~starts_with(trace, text, hidden)
        number[known] = text[known]
    kinds = [each.meaning for each in trace.info.categories]

    def name(text: str, event: int) -> OpName:
        return parse_op(text) or OpName(text, kinds[trace.category[event]])

    made = summed(trace, "device", by, events, None, number, trace.self_ps[events], of_event=name)
    return add_idle(trace, made, "device", events) if with_idle else made


def summed(
    trace: Trace,
    place: Place,
    by: OpsBy,
    events: Int64,
    of_text: Callable[[str], OpName] | None,
    number: Int32,
    self_ps: Int64,
    *,
    of_event: Callable[[str, int], OpName] | None = None,
    device: tuple[Int64, Int64] | None = None,
    is_eager: Mask | None = None,
) -> list[OpRow]:
    """`number` and all after it have a value for each of these events."""
    if not len(events):
        return []
    eager = np.zeros(len(events), np.bool_) if is_eager is None else is_eager
    shape = columns(trace, [], ["shape"], events)[1][0] if by == "shapes" else None
    wanted = [number]
    wanted += [eager.astype(np.int32)] if is_eager is not None else []
    wanted += [shape] if shape is not None else []
    found = group(wanted)
    named = []
    for first in found.first.tolist():
        text = trace.strings.get(int(number[first]))
        event = int(events[first])
        named.append(
            of_text(text) if of_text is not None else of_event(text, event) if of_event else OpName(text, "")
        )
    keys: dict[tuple[str, ...], int] = {}
    merged = np.empty(len(found), np.int32)
    for at, first in enumerate(found.first.tolist()):
        name = named[at]
        event = int(events[first])
        module = trace.strings.get(int(trace.module[event])) or scope_of(name.name)
        category = trace.info.categories[trace.category[event]].meaning
        key = {
            "name": (name.type, name.name, str(eager[first])),
            "shapes": (name.type, name.name, "" if shape is None else trace.strings.get(int(shape[first]))),
            "type": (name.type,),
            "module": (module,),
            "category": (category,),
        }[by]
        merged[at] = keys.setdefault(key, len(keys))
    first_of = np.full(len(keys), len(events), np.int64)
    np.minimum.at(first_of, merged, found.first)
    groups = Groups(first_of, merged[found.of])
    return rows_of(trace, place, by, events, groups, list(keys), named, found, self_ps, device, eager)


def rows_of(
    trace: Trace,
    place: Place,
    by: OpsBy,
    events: Int64,
    groups: Groups,
    keys: list[tuple[str, ...]],
    named: list[OpName],
    found: Groups,
    self_ps: Int64,
    device: tuple[Int64, Int64] | None,
    eager: Mask,
) -> list[OpRow]:
    duration = trace.duration_ps[events]
    count, own = groups.count(), groups.total(self_ps)
    total, least, most = groups.sums(duration)
    flops, moved = (of_stat(trace, events, groups, key, place) for key in ("flops", "bytes_accessed"))
    known = executed(trace, events, place)
    if known is not None:
        # What the events say of themselves stands before what follows from their program.
        flops = groups.total(known.flops.astype(np.int64)) if flops is None else flops
        moved = groups.total(known.bytes.astype(np.int64)) if moved is None else moved
    tensor_cores = tensor_core_time(trace, events, groups) if place == "device" else None
    device_self = None if device is None else groups.total(device[0])
    device_total = None if device is None else groups.total(device[1])
    whole = max(int(own.sum()), 1)
    peak, bandwidth = peaks(trace)
    # All executions of one op are of one instruction.
    instruction = known if by in ("name", "shapes") else None
    rows = []
    for at in np.argsort(-own, kind="stable").tolist():
        event = int(events[groups.first[at]])
        name = named[found.of[groups.first[at]]]
        seconds = int(total[at]) / 1e12
        rate = None if flops is None or not seconds else float(flops[at]) / seconds
        speed = None if moved is None or not seconds else float(moved[at]) / seconds
        rows.append(
            OpRow(
                place=place,
                type=name.type if by in ("name", "type", "shapes") else "",
                name=name.name if by in ("name", "shapes") else keys[at][0],
                module=trace.strings.get(int(trace.module[event])) or scope_of(name.name),
                shapes=keys[at][2] if by == "shapes" else "",
                occurrences=int(count[at]),
                total_ps=int(total[at]),
                self_ps=int(own[at]),
                min_ps=int(least[at]),
                max_ps=int(most[at]),
                device_self_ps=0 if device_self is None else int(device_self[at]),
                device_total_ps=0 if device_total is None else int(device_total[at]),
                share=int(own[at]) / whole,
                flops=None if flops is None else float(flops[at]),
                bytes=None if moved is None else float(moved[at]),
                flop_rate=rate,
                bandwidth=speed,
                intensity=None
                if flops is None or moved is None or not moved[at]
                else float(flops[at] / moved[at]),
                bound_by=bound(rate, speed, peak, bandwidth),
                tensor_cores=None
                if tensor_cores is None
                else float(tensor_cores[at]) / max(int(total[at]), 1),
                is_eager=bool(eager[groups.first[at]]),
                source="" if instruction is None else instruction.source(int(groups.first[at])),
                hlo_category="" if instruction is None else instruction.category(int(groups.first[at])),
            )
        )
    return rows


def of_stat(trace: Trace, events: Int64, groups: Groups, key: str, place: Place) -> Int64 | None:
    """The sum of what each execution says of itself; None where the profile has no such stat."""
    if trace.find_key(key, place) < 0:
        return None
    values = columns(trace, [key], [], events, place)[0][0]
    return groups.total(np.where(values == MISSING, 0, values)) if (values != MISSING).any() else None


def tensor_core_time(trace: Trace, events: Int64, groups: Groups) -> Int64:
    uses = named_like(trace, TENSOR_CORES, events)
    return groups.total(np.where(uses, trace.duration_ps[events], 0))


def peaks(trace: Trace) -> tuple[float | None, float | None]:
    device = next((each for each in trace.info.devices if each.peak_flops), None)
    return (None, None) if device is None else (device.peak_flops, device.bandwidth_bytes)


def bound(rate: float | None, speed: float | None, peak: float | None, bandwidth: float | None) -> BoundBy:
    """The resource of which the larger share was used."""
    if rate is None or speed is None or not peak or not bandwidth or not (rate or speed):
        return "unknown"
    return "compute" if rate / peak >= speed / bandwidth else "memory"


class Names:
    """Which texts are names of ops, looked at once each."""

    def __init__(self, trace: Trace, number: Int32) -> None:
        self.number = number
        known = [each for each in distinct(trace, number) if parse_op(trace.strings.get(each)) is not None]
        self.is_op: Mask = marked_numbers(trace, known, number)


def told(trace: Trace, events: Int64, keys: list[str], place: Place | None = None) -> Int32:
    """The texts under these keys for all events, looked up for some of them, which are all of one place."""
    found = np.full((len(keys), len(trace)), -1, np.int32)
    if any(trace.find_key(key, place) >= 0 for key in keys):
        found[:, events] = columns(trace, [], keys, events, place)[1]
    return found


def starts_with(trace: Trace, number: Int32, beginning: str) -> Mask:
    known = [each for each in distinct(trace, number) if trace.strings.get(each).startswith(beginning)]
    return marked_numbers(trace, known, number)


def distinct(trace: Trace, number: Int32) -> list[int]:
    """The numbers of texts that occur, without sorting millions of them."""
    return numbers_in(number, len(trace.strings))


def eager_events(trace: Trace) -> Mask:
    """Ops that Python ran one by one: under a call of the eager runtime that runs no function."""
    if trace.strings.find("is_func") < 0:
        return np.zeros(len(trace), np.bool_)
    calls = np.flatnonzero(starts_with(trace, trace.name, EAGER))
    own = np.full(len(trace), -1, np.int32)
    own[calls] = columns(trace, ["is_func"], [], calls)[0][0] == 0
    # 1 under such a call, 0 under one that runs a function, -1 under none.
    found: Mask = inherit(own, trace.parent) == 1
    return found


def op_above(trace: Trace, nearest: Int32, events: Int64 | Int32) -> Int32:
    """The op around each of these events, -1: none. `nearest`: for each event itself, if it is an op, or else the op around it."""
    parent = trace.parent[events]
    found: Int32 = np.where(parent >= 0, nearest[parent], -1)
    return found


def launched_times(trace: Trace, nearest: Int32, place: Int32, ops: int) -> tuple[Int64, Int64]:
    """Time of the kernels that each op launched itself, and with the ops inside it, by its place among so many ops."""
    own = np.zeros(ops, np.int64)
    launches = np.flatnonzero(trace.flow_kind == LAUNCH)
    op = nearest[trace.flow_from[launches]]
    duration = trace.duration_ps[trace.flow_to[launches]]
    op, duration = op[op >= 0], duration[op >= 0]
    np.add.at(own, place[op], duration)
    total = own.copy()
    while len(op):
        op = op_above(trace, nearest, op)
        op, duration = op[op >= 0], duration[op >= 0]
        np.add.at(total, place[op], duration)
    return own, total


def add_idle(trace: Trace, rows: list[OpRow], place: Place, events: Int64) -> list[OpRow]:
    """The time between the first op and the last of every track in which no op ran."""
    span = 0
    for track in numbers_in(trace.track[events], len(trace.tracks)):
        own = events[trace.track[events] == track]
        start = trace.start_ps[own]
        span += int((start + trace.duration_ps[own]).max() - start.min())
    idle = max(span - sum(row.self_ps for row in rows), 0)
    row = OpRow(
        place=place,
        type=IDLE,
        name=IDLE,
        occurrences=0,
        total_ps=idle,
        self_ps=idle,
        min_ps=0,
        max_ps=0,
        share=0.0,
    )
    return sorted([*rows, row], key=lambda each: -each.self_ps) if span else rows
