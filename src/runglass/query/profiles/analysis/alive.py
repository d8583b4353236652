"""What was alive at one moment, and what it is for: by the op that asked, and when it was freed."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.facts import show_bytes
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.intervals import Cover, cover
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import nearest
from runglass.query.profiles.analysis.model import (
    REGIONS,
    AliveRow,
    Allocations,
    Measured,
    MemoryCurve,
    Moment,
    Region,
    RegionSum,
)
from runglass.query.profiles.analysis.shapes import DTYPE_BYTES, parse_dims, parse_texts
from runglass.query.profiles.model import Int8, Int32, Int64, Mask, Trace, distinct, names_of
from runglass.query.profiles.stacks import parse_frame

BEFORE = "(allocated before the profile)"
NO_OP = "(no op)"
# Ranked by bytes; more of them nobody reads.
SHOWN = 500
GRADIENTS, OPTIMIZER = REGIONS.index("gradients"), REGIONS.index("optimizer state")
ACTIVATIONS, TEMPORARY = REGIONS.index("activations"), REGIONS.index("temporary")
UNKNOWN = REGIONS.index("unknown")
ACCUMULATE = "torch::autograd::AccumulateGrad"
STEP_OF_OPTIMIZER = re.compile(r"Optimizer\.step#(\w+)\.step")
# Numbers that these keep for each parameter. Others may have any number, or none.
STATES = {"Adam": 2, "AdamW": 2, "NAdam": 2, "RAdam": 2, "Adamax": 2}
# As torch numbers them.
SCALAR_TYPES = {0: "uint8", 1: "int8", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64"}
SCALAR_TYPES |= {11: "bool", 15: "bfloat16"}
# The allocator rounds every tensor up.
ROUNDED = 512


class Held(Struct, frozen=True):
    """What a model and its optimizer hold from step to step."""

    parameters: int
    state: int
    optimizer: str


def alive_at(trace: Trace, view: Measured, number: int, time_ps: int | None = None) -> Moment:
    """At the peak of a curve, or at another time; alike ones together, the largest first."""
    curve = view.curves[number]
    moment = curve.peak_ps if time_ps is None else time_ps
    at = int(np.searchsorted(curve.times_ps, moment, side="right")) - 1
    held = curve.peak_bytes if time_ps is None else float(curve.allocated[at]) if at >= 0 else 0.0
    made = view.allocations
    if made is None:
        return Moment(curve=number, time_ps=moment, bytes=held, rows=[], regions=[])
    alive = np.flatnonzero(
        of_curve(made, curve) & (made.start_ps <= moment) & ((made.end_ps < 0) | (made.end_ps > moment))
    )
    rows = alike(trace, made, alive)
    notes = []
    earlier = int(held) - sum(row.bytes for row in rows)
    if earlier > 0:
        known = read_held(trace, curve.host)
        split = 0
        if known is not None and known.parameters and curve.device is not None:
            for name, size, region in (
                ("parameters", known.parameters, "parameters"),
                (f"state of {known.optimizer}", known.state, "optimizer state"),
            ):
                # State that the profile saw being made is among the rows.
                is_seen = region == "optimizer state" and any(row.region == region for row in rows)
                if size and not is_seen and split + size <= earlier:
                    rows.append(AliveRow(op=f"({name})", region=as_region(region), bytes=size, count=1))
                    split += size
            if split:
                notes.append(
                    f"{show_bytes(split)} of what is older than the profile are parameters and state of the optimizer, by the "
                    "shapes of the gradients."
                )
        if earlier > split:
            rows.append(AliveRow(op=BEFORE, region="unknown", bytes=earlier - split, count=1))
    rows.sort(key=lambda row: (-row.bytes, row.op))
    sums = {region: sum(row.bytes for row in rows if row.region == region) for region in REGIONS}
    return Moment(
        curve=number,
        time_ps=moment,
        bytes=held,
        rows=rows[:SHOWN],
        regions=[RegionSum(region=region, bytes=size) for region, size in sums.items() if size],
        notes=notes,
    )


def as_region(text: str) -> Region:
    return next(region for region in REGIONS if region == text)


def of_curve(made: Allocations, curve: MemoryCurve) -> Mask:
    """Which allocations are those of a curve's allocator."""
    names = {(f"{curve.host}/{curve.device}", curve.allocator), (curve.host, curve.allocator)}
    wanted = np.array([key in names for key in made.allocators], np.bool_)
    found: Mask = wanted[made.where] if len(wanted) else np.zeros(0, np.bool_)
    return found


def alike(trace: Trace, made: Allocations, chosen: Int64) -> list[AliveRow]:
    if not len(chosen):
        return []
    regions = regions_of(trace, made, chosen)
    labels = Labels(trace, made, chosen)
    groups = group([labels.op, labels.module, regions, labels.shape, labels.type])
    sizes, counts = groups.total(made.bytes[chosen]), groups.count()
    largest = np.zeros(len(groups), np.int64)
    order = np.argsort(made.bytes[chosen], kind="stable")
    largest[groups.of[order]] = order
    return [
        AliveRow(
            op=labels.text(int(labels.op[first])),
            module=trace.text(int(labels.module[first])),
            region=REGIONS[int(regions[first])],
            shape=short_dims(trace.text(int(labels.shape[first]))),
            type=short_types(trace.text(int(labels.type[first]))),
            bytes=int(sizes[at]),
            count=int(counts[at]),
            event=int(labels.event[largest[at]]),
        )
        for at, first in enumerate(groups.first.tolist())
    ]


class Labels:
    """What is said of some allocations, as numbers of texts: those of the trace, and then those made here."""

    def __init__(self, trace: Trace, made: Allocations, chosen: Int64) -> None:
        self.trace = trace
        own, ops = made.told_by[chosen], made.event[chosen]
        has = np.flatnonzero(ops >= 0)
        self.event: Int32 = np.where(ops >= 0, ops, own).astype(np.int32)
        self.module = np.full(len(chosen), -1, np.int32)
        self.module[has] = trace.module[ops[has]]
        stacks, told_op, told_shape = columns(trace, [], ["Call stack", "tf_op", "shape"], own)[1]
        self.shape, self.type = told_shape.copy(), np.full(len(chosen), -1, np.int32)
        if len(has):
            dims, types, values = columns(
                trace, [], ["Input Dims", "Input type", "Concrete Inputs"], ops[has]
            )[1]
            # Ops that make a tensor of nothing are given its shape as a value.
            empty = np.zeros(len(trace.strings) + 1, np.bool_)
            for number in distinct(trace.name[ops[has]]).tolist():
                empty[number] = trace.text(number).startswith("aten::empty")
            dims = np.where(empty[trace.name[ops[has]]] & (values >= 0), values, dims)
            self.shape[has] = np.where(self.shape[has] >= 0, self.shape[has], dims)
            self.type[has] = np.where(dims == values, values, types)
        self._made: list[str] = []
        op = np.where(told_op >= 0, told_op, made.op[chosen]).astype(np.int64)
        numbers = {-1: self._number(NO_OP)}
        for at in np.flatnonzero(op < 0).tolist():
            stack = int(stacks[at])
            if stack not in numbers:
                numbers[stack] = self._number(maker(trace.text(stack)))
            op[at] = numbers[stack]
        self.op: Int64 = op

    def _number(self, text: str) -> int:
        if text not in self._made:
            self._made.append(text)
        return len(self.trace.strings) + self._made.index(text)

    def text(self, number: int) -> str:
        known = len(self.trace.strings)
        return self._made[number - known] if number >= known else self.trace.text(number)


def maker(stack: str) -> str:
    """The line of the user's code in a stack that asked for memory."""
    frames = [frame for line in stack.split(";") if (frame := parse_frame(line)) is not None]
    lines = [frame for frame in frames if frame.file.endswith(".py") or frame.file.startswith("<")]
    own = [frame for frame in lines if not frame.is_framework or frame.file == "<string>"]
    for frame in own or lines:
        return f"{frame.file}:{frame.line} {frame.function}"
    return frames[0].function if frames else NO_OP


def short_dims(text: str) -> str:
    """ "32×3×192×192, 48×3×3×3": of the inputs that are tensors."""
    dims = parse_dims(text)
    # Values: the strides after it are no shape.
    dims = dims[:1] if text.startswith('["') else dims
    return ", ".join("×".join(map(str, each)) for each in dims if each) if dims else text


def short_types(text: str) -> str:
    """Of the first tensor."""
    given = parse_texts(text)
    for each in given:
        if each in DTYPE_BYTES:
            found = each.removeprefix("c10::").lower()
            return {"float": "float32", "double": "float64", "half": "float16"}.get(found, found)
    # The values that make a tensor: its type follows its shape, or the strides.
    numbers = [each for each in given[1:3] if each.isdigit()]
    return SCALAR_TYPES.get(int(numbers[0]), "") if numbers else ""


@kept
def passes(trace: Trace) -> tuple[Int32, Cover]:
    """For each event whether the optimizer or the backward pass is around it (their regions, -1: neither), and when the latter runs."""
    kinds = np.full(len(trace.strings) + 1, -1, np.int32)
    for number, text in names_of(trace).items():
        if text.startswith(("Optimizer.step", "Optimizer.zero_grad")):
            kinds[number] = OPTIMIZER
        elif text.startswith("autograd::engine"):
            kinds[number] = GRADIENTS
    if not (kinds >= 0).any():
        return np.full(len(trace), -1, np.int32), cover(np.empty(0, np.int64), np.empty(0, np.int64))
    own = kinds[trace.name]
    backward = np.flatnonzero(own == GRADIENTS)
    begins = trace.start_ps[backward]
    return nearest(own, trace.parent), cover(begins, begins + trace.duration_ps[backward])


def regions_of(trace: Trace, made: Allocations, chosen: Int64) -> Int8:
    """What memory is for: an index into the regions for each of these allocations."""
    around, backward = passes(trace)
    found = np.full(len(chosen), UNKNOWN, np.int8)
    has = np.flatnonzero(made.event[chosen] >= 0)
    events, ends = made.event[chosen[has]], made.end_ps[chosen[has]]
    kind = around[events]
    # What the backward pass frees was kept for it.
    at = np.searchsorted(backward.start, ends, side="right") - 1
    freed_there = (at >= 0) & (ends >= 0)
    if len(backward.start):
        freed_there &= ends <= backward.end[np.maximum(at, 0)]
    is_temporary = (ends >= 0) & (ends <= trace.start_ps[events] + trace.duration_ps[events])
    found[has] = np.select(
        [is_temporary, kind >= 0, freed_there | (trace.module[events] >= 0)],
        [TEMPORARY, kind, ACTIVATIONS],
        UNKNOWN,
    )
    return found


def read_held(trace: Trace, host: str) -> Held | None:
    """Parameters by the gradients that one step of the optimizer adds up, and the state of an optimizer that is known. None: not told."""
    number = trace.strings.find(ACCUMULATE)
    if number < 0:
        return None
    own = np.array([track.host == host and track.place == "host" for track in trace.tracks], np.bool_)[
        trace.track
    ]
    names = [
        (each, match[1])
        for each in np.flatnonzero(np.bincount(trace.name, minlength=1)).tolist()
        if (match := STEP_OF_OPTIMIZER.fullmatch(trace.text(each))) is not None
    ]
    steps = int((np.isin(trace.name, [each for each, _ in names]) & own).sum())
    events = np.flatnonzero((trace.name == number) & own)
    if not steps or not len(events) or len(events) % steps:
        return None
    # Of one step. Where it adds up several batches every parameter would count as often, which the caller notices by its size.
    events = events[np.argsort(trace.start_ps[events], kind="stable")][: len(events) // steps]
    dims, types = columns(trace, [], ["Input Dims", "Input type"], events)[1]
    total = 0
    for dim, kind in zip(dims.tolist(), types.tolist(), strict=True):
        shapes = parse_dims(trace.text(dim)) if dim >= 0 else []
        known = [each for each in parse_texts(trace.text(kind)) if each in DTYPE_BYTES]
        if not shapes or not known:
            return None
        size = int(np.prod(shapes[0], dtype=np.int64)) * DTYPE_BYTES[known[0]]
        total += -(-size // ROUNDED) * ROUNDED
    optimizers = {name for _, name in names}
    states = STATES.get(next(iter(optimizers)), 0) if len(optimizers) == 1 else 0
    return Held(total, total * states, " and ".join(sorted(optimizers)))
