"""Time or memory as a tree: by nn.Module, by name scope, or by the functions around. What an icicle draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.alive import Labels, of_curve
from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.launching import (
    device_time,
    framework_ops,
    has_category,
    on_device,
)
from runglass.query.profiles.analysis.model import Measured
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.ops_torch import STEP, STEPS
from runglass.query.profiles.analysis.programs import executed
from runglass.query.profiles.model import (
    MODULE,
    Int64,
    Place,
    Trace,
    Unit,
    marked_numbers,
    names_of,
    numbers_in,
)

TreeBy = Literal["module", "scope", "stack", "program"]
# A node with less of the whole is nowhere visible.
LEAST = 1 / 4000
MAX_NODES = 6_000
NOWHERE = "(no stack)"
NO_MODULE = "(no module)"


class Tree(Struct, frozen=True, kw_only=True):
    """Nodes, each after its parent; the first is the whole."""

    unit: Unit
    name: list[str]
    parent: list[int]
    # With everything below, and without.
    total: list[int]
    # Of each node, without those inside it.
    own: list[int]
    count: list[int]
    # One event of it, -1 without.
    event: list[int]
    notes: list[str]


class Node:
    __slots__ = ("below", "count", "event", "name", "own", "total")

    def __init__(self, name: str) -> None:
        self.name = name
        self.own = 0
        self.total = 0
        self.count = 0
        self.event = -1
        self.below: dict[str, Node] = {}

    def add(self, path: Iterable[str], own: int, count: int, event: int) -> None:
        """The outermost first."""
        node = self
        node.total += own
        for name in path:
            found = node.below.get(name)
            if found is None:
                found = node.below[name] = Node(name)
            node = found
            node.total += own
        node.own += own
        node.count += count
        if node.event < 0:
            node.event = event


def time_tree(trace: Trace, by: TreeBy, place: Place | None = None) -> Tree:
    """Time of the host's threads, or of the devices under the ops that launched their work."""
    if trace.info.unit == "bytes":
        return nested(trace, np.arange(len(trace)), trace.self_ps, "bytes", [])
    where: Place = place or ("device" if on_device(trace).any() else "host")
    if by == "scope":
        return scope_tree(trace, where)
    if by == "program":
        return program_tree(trace, where)
    notes = []
    own = device_time(trace)[0] if where == "device" else trace.self_ps
    spans = ~on_device(trace) & (trace.duration_ps > 0) & ~has_category(trace, frozenset({"trace"}))
    if by == "stack":
        if not trace.info.has_stacks:
            notes.append(
                "Functions of Python are recorded with with_stack=True (torch), python_tracer_level=1 (JAX)."
            )
        return nested(trace, np.flatnonzero(spans), own, "ps", notes)
    chosen = np.flatnonzero(framework_ops(trace) & spans & (own > 0))
    if not (trace.module[chosen] >= 0).any():
        notes.append("No op tells its module: torch records them with with_stack=True or with_modules=True.")
    root = Node("")
    if len(chosen):
        paths = module_paths(trace)
        groups = group([trace.module[chosen], trace.name[chosen]])
        sums, counts = groups.total(own[chosen]), groups.count()
        for at, first in enumerate(chosen[groups.first].tolist()):
            path = paths.get(int(trace.module[first]), [NO_MODULE])
            root.add([*path, trace.name_of(first)], int(sums[at]), int(counts[at]), first)
    return flat(root, "ps", notes)


def module_paths(trace: Trace) -> dict[int, list[str]]:
    """By text of a module the modules around it, itself last: as they were called first."""
    found: dict[int, list[str]] = {}
    names = {number: trace.text(number) for number in numbers_in(trace.module, len(trace.strings))}
    first_of: dict[int, int] = {}
    for number, name in names_of(trace).items():
        if name.startswith(MODULE):
            first_of[number] = int(np.flatnonzero(trace.name == number)[0])
    for number, text in names.items():
        event = first_of.get(trace.strings.find(MODULE + text))
        around = [] if event is None else [trace.name_of(each) for each in trace.around(event)]
        path = [each.removeprefix(MODULE) for each in around if each.startswith(MODULE)]
        found[number] = [*reversed(path), text]
    return found


def scope_tree(trace: Trace, place: Place) -> Tree:
    """By the names of ops: `scope/inner/op`."""
    root = Node("")
    for row in ops(trace, by="name", place=place):
        root.add(row.name.split("/"), row.self_ps, row.occurrences, -1)
    return flat(root, "ps", [])


def program_tree(trace: Trace, place: Place) -> Tree:
    """By program of XLA, category and instruction: XProf's op profile."""
    root = Node("")
    events = np.flatnonzero((on_device(trace) == (place == "device")) & (trace.duration_ps > 0))
    ran = executed(trace, events)
    if ran is None:
        return flat(root, "ps", ["No event here is an instruction of a program that the profile carries."])
    known = np.flatnonzero(ran.instruction >= 0)
    groups = group([ran.instruction[known], trace.name[events[known]]])
    sums, counts = groups.total(trace.self_ps[events[known]]), groups.count()
    for at, first in enumerate(known[groups.first].tolist()):
        number, event = int(ran.instruction[first]), int(events[first])
        path = [ran.programs[number] or "(program)", ran.categories[number], trace.name_of(event)]
        root.add(path, int(sums[at]), int(counts[at]), event)
    return flat(root, "ps", [])


def nested(trace: Trace, events: Int64, own: Int64, unit: Unit, notes: list[str]) -> Tree:
    """By the names of the events around, level by level: nodes are equal paths of names."""
    chosen = np.zeros(len(trace), np.bool_)
    chosen[events] = True
    names = merged_names(trace)
    # Of each event the node of its path; the root is 0.
    node = np.zeros(len(trace), np.int64)
    parents, labels, first = [np.array([-1])], [np.array([-1])], [np.array([-1])]
    made = 1
    depth = levels(trace)
    for level in range(int(depth.max(initial=-1)) + 1):
        here = np.flatnonzero((depth == level) & chosen)
        other = np.flatnonzero((depth == level) & ~chosen)
        up = trace.parent[other]
        node[other] = np.where(up >= 0, node[np.maximum(up, 0)], 0)
        if not len(here):
            continue
        up = trace.parent[here]
        above = np.where(up >= 0, node[np.maximum(up, 0)], 0)
        groups = group([above, names[here]])
        node[here] = made + groups.of
        parents.append(above[groups.first])
        labels.append(names[here][groups.first])
        first.append(here[groups.first])
        made += len(groups)
    parent, label, sample = np.concatenate(parents), np.concatenate(labels), np.concatenate(first)
    sums = np.bincount(node[events], own[events], made).astype(np.int64)
    counts = np.bincount(node[events], minlength=made)
    total = sums.copy()
    # Parents are made before their children.
    for at in range(made - 1, 0, -1):
        total[parent[at]] += total[at]
    nodes = {0: Node("")}
    nodes[0].total, nodes[0].own = int(total[0]), int(sums[0])
    least = total[0] * LEAST
    for at in range(1, made):
        above_node = nodes.get(int(parent[at]))
        if above_node is None or total[at] <= 0:
            continue
        text = trace.text(int(label[at]))
        made_node = Node(STEPS if STEP.fullmatch(text) else text)
        made_node.total, made_node.own = int(total[at]), int(sums[at])
        made_node.count, made_node.event = int(counts[at]), int(sample[at])
        above_node.below[f"{at}"] = made_node
        if total[at] >= least:
            nodes[at] = made_node
    return flat(nodes[0], unit, notes)


def merged_names(trace: Trace) -> Int64:
    """The names of events; all steps have that of the first."""
    names = trace.name.astype(np.int64)
    steps = [number for number, name in names_of(trace).items() if STEP.fullmatch(name)]
    return np.where(marked_numbers(trace, steps, trace.name), steps[0], names) if steps else names


def levels(trace: Trace) -> Int64:
    """How many events are around each."""
    found = np.full(len(trace), -1, np.int64)
    found[trace.parent < 0] = 0
    waiting = np.flatnonzero(found < 0)
    while len(waiting):
        above = found[trace.parent[waiting]]
        ready = above >= 0
        found[waiting[ready]] = above[ready] + 1
        waiting = waiting[~ready]
    return found


def memory_tree(
    trace: Trace, found: Measured, number: int, time_ps: int | None = None, by: TreeBy = "stack"
) -> Tree:
    """What is alive at a moment, by default the peak of a curve, under the functions or modules that asked for it."""
    curve, made = found.curves[number], found.allocations
    root = Node("")
    if made is None:
        return flat(root, "bytes", [])
    moment = curve.peak_ps if time_ps is None else time_ps
    alive = np.flatnonzero(
        of_curve(made, curve) & (made.start_ps <= moment) & ((made.end_ps < 0) | (made.end_ps > moment))
    )
    labels = Labels(trace, made, alive)
    sizes = made.bytes[alive].tolist()
    paths = module_paths(trace) if by == "module" else {}
    stacks = columns(trace, [], ["Call stack"], made.told_by[alive])[1][0].tolist()
    known: dict[int, list[str]] = {}
    for at, event in enumerate(labels.event.tolist()):
        if by == "module":
            path = [*paths.get(int(labels.module[at]), [NO_MODULE]), labels.text(int(labels.op[at]))]
        elif stacks[at] >= 0:
            text = stacks[at]
            if text not in known:
                known[text] = trace.text(text).split(";")[::-1]
            path = known[text]
        else:
            around = [trace.name_of(each) for each in trace.around(event)]
            path = [
                *(STEPS if STEP.fullmatch(each) else each for each in reversed(around)),
                trace.name_of(event),
            ]
        root.add(path or [NOWHERE], sizes[at], 1, event)
    return flat(root, "bytes", [])


def empty_tree(notes: Sequence[str]) -> Tree:
    return flat(Node(""), "bytes", notes)


def flat(root: Node, unit: Unit, notes: Sequence[str]) -> Tree:
    """The largest first below each parent; what is too small to be seen is one node, counted."""
    names, parents, totals, owns, counts, events = (
        [""],
        [-1],
        [root.total],
        [root.own],
        [root.count],
        [root.event],
    )
    least = root.total * LEAST
    # Widest first, so that what is left out for its number is deep inside.
    waiting = [(root, 0)]
    for node, at in waiting:
        ranked = sorted(node.below.values(), key=lambda each: -each.total)
        shown = [each for each in ranked if each.total >= least and each.total > 0]
        if len(names) + len(shown) > MAX_NODES:
            shown = []
        rest = [each for each in ranked[len(shown) :] if each.total > 0]
        if rest:
            names.append(f"{len(rest):,} smaller")
            parents.append(at)
            totals.append(sum(each.total for each in rest))
            owns.append(totals[-1])
            counts.append(sum(each.count for each in rest))
            events.append(-1)
        for each in shown:
            waiting.append((each, len(names)))
            names.append(each.name)
            parents.append(at)
            totals.append(each.total)
            owns.append(each.own)
            counts.append(each.count)
            events.append(each.event)
    return Tree(
        unit=unit,
        name=names,
        parent=parents,
        total=totals,
        own=owns,
        count=counts,
        event=events,
        notes=list(notes),
    )
