"""What differs between two graphs: added, removed and changed nodes, whole groups as one, alike ones counted together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.query.graphs.alignment import Alignment, Side
from runglass.query.graphs.hierarchy import branches
from runglass.query.graphs.levels import plain_label
from runglass.query.graphs.model import Attribute, Graph, shape_text
from runglass.query.graphs.node_info import node_id
from runglass.query.graphs.paint import drawn_item
from runglass.query.graphs.repeats import mix, split_number
from runglass.query.graphs.shown import Shown
from runglass.query.graphs.structure import Known
from runglass.query.graphs.trace import item_in

State = Literal["added", "removed", "changed"]
STATES: tuple[State, ...] = ("added", "removed", "changed")
# Texts by the names of two functions.
Bodies = dict[tuple[str, str], str]
ShownState = Literal["same", "added", "removed", "changed", "inside"]

MAX_ROWS = 500
MAX_IDS = 200
MAX_GHOSTS = 200
MAX_NAMES = 4
MAX_OPS = 3
# Pairs of functions that are compared.
MAX_BODIES = 200
# Values of these follow from the rest: types and shapes are compared by themselves.
# Counts nodes of one name.
NUMBER = re.compile(r"(?<=.)[_.]\d+$")
IGNORED = frozenset({"T", "dtype", "DstT", "SrcT", "Tidx", "N"})


class Totals(Struct, frozen=True):
    nodes: int
    edges: int
    parameters: int | None
    flops: float | None


class TwoTotals(Struct, frozen=True):
    a: Totals
    b: Totals


class OpDifference(Struct, frozen=True):
    name: str
    a: int
    b: int


class DifferenceCounts(Struct, frozen=True):
    added: int
    removed: int
    # How many differ.
    changed: int


class DifferenceRow(Struct, frozen=True):
    """Differences that are alike: "q_norm, k_norm", RMSNorm, 18 each."""

    # Whether it was added, removed or changed.
    state: State
    label: str
    # What is different, in words.
    what: str
    count: Annotated[int, Meta(description="Nodes or groups; of each name, if there are several.")]
    a: Annotated[list[str], Meta(description="Ids in the first graph, at most 200.")]
    # Ids in the second graph.
    b: list[str]


class Ghost(Struct, frozen=True, rename={"sources": "from", "targets": "to"}):
    """Where something that was removed stood, in the second graph."""

    group: str
    label: str
    op: str
    sources: Annotated[list[str], Meta(description="Nodes that fed it.")]
    # Nodes that it fed.
    targets: list[str]


class DifferenceAnswer(Struct, frozen=True):
    totals: TwoTotals
    ops: Annotated[list[OpDifference], Meta(description="Ops whose numbers differ.")]
    counts: DifferenceCounts
    rows: list[DifferenceRow]
    # State of each node of the first graph.
    states_a: list[ShownState]
    # State of each node of the second graph.
    states_b: list[ShownState]
    ghosts: list[Ghost]


class Unit(Struct, frozen=True):
    """One difference: an item of the hierarchies, -1 where it is missing."""

    state: State
    label: str
    what: str
    a: int
    b: int


class Difference:
    """Made once per pair of graphs; what is shown of it depends on the views."""

    def __init__(self, a: Side, b: Side, bodies: Bodies | None = None) -> None:
        """`bodies`: what is known of functions already, for graphs that are the body of one."""
        self.a = a
        self.b = b
        self._bodies: Bodies = {} if bodies is None else bodies
        self.alignment = Alignment(a, b)
        self._changes = self._find_changes()
        self.units = self._find_units()

    # Changes of nodes

    def _find_changes(self) -> dict[int, str]:
        """What changed, by node of a."""
        a, b = self.a.graph, self.b.graph
        to_b = self.alignment.a_to_b
        nodes = np.flatnonzero(to_b >= 0)
        others = to_b[nodes]
        changes: dict[int, str] = {}
        ops_differ = self.a.known.op_hashes[nodes] != self.b.known.op_hashes[others]
        for place in np.flatnonzero(ops_differ).tolist():
            x, y = int(nodes[place]), int(others[place])
            changes[x] = f"{a.op_names[a.ops[x]]} → {b.op_names[b.ops[y]]}"
        for x, text in (*self._body_changes(), *self._attribute_changes(nodes, others)):
            changes.setdefault(x, text)
        for what, codes_a, names_a, codes_b, names_b in (
            ("shape", a.first_shapes, a.shape_names, b.first_shapes, b.shape_names),
            ("dtype", a.first_dtypes, a.dtype_names, b.first_dtypes, b.dtype_names),
            ("device", a.devices, a.device_names, b.devices, b.device_names),
        ):
            self._compare_codes(changes, what, (codes_a[nodes], names_a), (codes_b[others], names_b), nodes)
        for x, text in self._wiring_changes(nodes, others):
            changes.setdefault(x, text)
        return changes

    def _compare_codes(
        self,
        changes: dict[int, str],
        what: str,
        a: tuple[Any, Sequence[Any]],
        b: tuple[Any, Sequence[Any]],
        nodes: NDArray[Any],
    ) -> None:
        numbers: dict[Any, int] = {}
        of_a = np.array([*(numbers.setdefault(name, len(numbers)) for name in a[1]), -1])
        of_b = np.array([*(numbers.setdefault(name, len(numbers)) for name in b[1]), -1])
        x, y = of_a[a[0]], of_b[b[0]]
        names = list(numbers)
        # What only one of the files tells is no change of the model.
        for place in np.flatnonzero((x != y) & (x >= 0) & (y >= 0)).tolist():
            old, new = names[x[place]], names[y[place]]
            if what == "shape":
                old, new = shape_text(old), shape_text(new)
            changes.setdefault(int(nodes[place]), f"{what} {old} → {new}")

    def _body_changes(self) -> list[tuple[int, str]]:
        """Of nodes that call functions. Names of functions are made up anew in every process, so only what they do counts."""
        a, b = self.a.graph, self.b.graph
        found = []
        for x, called in a.calls.items():
            y = int(self.alignment.a_to_b[x])
            if y < 0:
                continue
            others = b.calls.get(y, ())
            if len(called) != len(others):
                found.append((x, f"{len(called)} functions → {len(others)}"))
                continue
            texts = [
                text for pair in zip(called, others, strict=True) if (text := self._compare_bodies(*pair))
            ]
            if texts:
                found.append((x, texts[0]))
        return found

    def _compare_bodies(self, old: str, new: str) -> str:
        """How two functions differ; empty where they do not. One that calls itself is compared once."""
        key = old, new
        if key not in self._bodies and len(self._bodies) < MAX_BODIES:
            self._bodies[key] = ""
            a, b = self.a.graph.functions.get(old), self.b.graph.functions.get(new)
            if a is not None and b is not None:
                inside = Difference(Side(Known(a)), Side(Known(b)), self._bodies)
                counts = Counter(unit.state for unit in inside.units)
                parts = [f"{counts[state]} {state}" for state in STATES if counts[state]]
                self._bodies[key] = f"{', '.join(parts)} in the body" if parts else ""
        return self._bodies.get(key, "")

    def _attribute_changes(self, nodes: NDArray[Any], others: NDArray[Any]) -> list[tuple[int, str]]:
        a, b = self.a.graph, self.b.graph
        found = []
        for x, y in zip(nodes.tolist(), others.tolist(), strict=True):
            if a.attribute_key(x) == b.attribute_key(y):
                continue
            old, new = a.attributes(x), b.attributes(y)
            for name in dict.fromkeys([*old, *new]):
                before, after = old.get(name), new.get(name)
                if name.startswith("_") or name in IGNORED or self._names_function(x, before):
                    continue
                if before != after:
                    texts = ("none" if each is None else _short(each.text) for each in (before, after))
                    found.append((x, f"{name} {' → '.join(texts)}"))
                    break
        return found

    def _names_function(self, node: int, attribute: Attribute | None) -> bool:
        called = self.a.graph.calls.get(node, ())
        return attribute is not None and any(name in attribute.text for name in called)

    def _wiring_changes(self, nodes: NDArray[Any], others: NDArray[Any]) -> list[tuple[int, str]]:
        """Inputs from another group are compared as that group: what changed inside of it is told there."""
        a, b = self.a, self.b
        to_b, to_a = self.alignment.a_to_b, self.alignment.b_to_a
        ends_a, ends_b = InputEnds(a), InputEnds(b)
        counterparts = np.full(len(a.nodes) + 1, -1, np.int64)
        known = np.flatnonzero(to_b >= 0)
        counterparts[a.items[known]] = b.items[to_b[known]]
        counterparts[list(self.alignment.groups)] = list(self.alignment.groups.values())
        hashes_a, hashes_b = ends_a.hashes(counterparts), ends_b.hashes(None)
        found = []
        for place in np.flatnonzero(hashes_a[nodes] != hashes_b[others]).tolist():
            x, y = int(nodes[place]), int(others[place])
            ins_a, ins_b = ends_a.of(x), ends_b.of(y)
            mapped = [(int(counterparts[item]), output) for item, output in ins_a]
            # The same node may have moved into another group.
            from_a = [int(to_b[each]) if each >= 0 else -1 for each in ends_a.nodes_of(x)]
            from_b = ends_b.nodes_of(y)
            gone = [
                ins_a[at][0]
                for at, each in enumerate(mapped)
                if each not in ins_b and (from_a[at] < 0 or from_a[at] not in from_b)
            ]
            come = [
                each[0]
                for at, each in enumerate(ins_b)
                if each not in mapped and (from_b[at] < 0 or from_b[at] not in from_a)
            ]
            if from_a == from_b:
                continue
            if not gone and not come:
                found.append((x, "order of inputs"))
                continue
            # An added node in between says it already.
            is_added = bool(come) and all(item >= 0 and _is_lost(b, item, to_a) for item in come)
            if is_added and not any(item >= 0 and _is_lost(a, item, to_b) for item in gone):
                continue
            old = ", ".join(_item_label(a, item) for item in gone[:2]) or "none"
            new = ", ".join(_item_label(b, item) for item in come[:2]) or "none"
            found.append((x, f"input {old} → {new}"))
        return found

    # Units

    def _find_units(self) -> list[Unit]:
        a, b = self.a, self.b
        alignment = self.alignment
        units: list[Unit] = []
        hidden_a = np.zeros(len(a.nodes), np.bool_)
        hidden_b = np.zeros(len(b.nodes), np.bool_)
        for x, y in alignment.groups.items():
            old, new = a.type_of.get(x, ""), b.type_of.get(y, "")
            # The class of the whole model is no reason to leave out what differs inside.
            if x and old != new and old and new:
                units.append(Unit("changed", a.labels[x], f"{old} → {new}", x, y))
                hidden_a[x] = hidden_b[y] = True
        hidden_a, hidden_b = _spread(a, hidden_a), _spread(b, hidden_b)
        for item in _topmost(a, alignment.a_to_b < 0):
            if not hidden_a[item]:
                units.append(Unit("removed", a.labels[item], what_it_is(a, item), item, -1))
        for item in _topmost(b, alignment.b_to_a < 0):
            if not hidden_b[item]:
                units.append(Unit("added", b.labels[item], what_it_is(b, item), -1, item))
        for node, text in self._changes.items():
            item = int(a.items[node])
            if not hidden_a[item]:
                other = int(b.items[int(alignment.a_to_b[node])])
                units.append(Unit("changed", a.labels[item], text, item, other))
        return units

    # Answers

    def answer(
        self, shown_a: Shown, shown_b: Shown, ids_a: Sequence[str], ids_b: Sequence[str]
    ) -> DifferenceAnswer:
        a, b = self.a.graph, self.b.graph
        numbers = [sum(unit.state == state for unit in self.units) for state in STATES]
        return DifferenceAnswer(
            TwoTotals(totals(a), totals(b)),
            compare_ops(a, b),
            DifferenceCounts(*numbers),
            self._rows(shown_a, shown_b),
            self._states(shown_a, ids_a, is_a=True),
            self._states(shown_b, ids_b, is_a=False),
            self._ghosts(shown_b),
        )

    def _rows(self, shown_a: Shown, shown_b: Shown) -> list[DifferenceRow]:
        alike: dict[tuple[State, str, str], list[Unit]] = defaultdict(list)
        for unit in self.units:
            alike[unit.state, stem(plain_label(unit.label)), unit.what].append(unit)
        # Names that the same happened to, equally often.
        together: dict[tuple[State, str, int], list[tuple[str, list[Unit]]]] = defaultdict(list)
        for (state, name, what), units in alike.items():
            labels = {plain_label(unit.label) for unit in units}
            label = next(iter(labels)) if len(labels) == 1 else f"{name}…"
            together[state, what, len(units)].append((label, units))
        rows = []
        for (state, what, count), found in together.items():
            for start in range(0, len(found), MAX_NAMES):
                some = found[start : start + MAX_NAMES]
                units = [unit for _, each in some for unit in each]
                rows.append(
                    DifferenceRow(
                        state,
                        ", ".join(label for label, _ in some),
                        what,
                        count,
                        _ids(shown_a, [unit.a for unit in units]),
                        _ids(shown_b, [unit.b for unit in units]),
                    )
                )
        order = {"added": 0, "removed": 1, "changed": 2}
        rows.sort(key=lambda row: (order[row.state], -row.count))
        return rows[:MAX_ROWS]

    def _states(self, shown: Shown, ids: Sequence[str], *, is_a: bool) -> list[ShownState]:
        structure = shown.root.structure
        tree = structure.tree
        marked: dict[int, State] = {}
        inside = np.zeros(len(tree.parent), np.bool_)
        for unit in self.units:
            item = unit.a if is_a else unit.b
            drawn = drawn_item(structure, item) if item >= 0 else None
            if drawn is not None:
                is_folded = structure.nodes[item] >= 0 and structure.folding.kind[structure.nodes[item]] > 0
                state: State = "changed" if is_folded else unit.state
                if marked.get(drawn) != "removed":
                    marked[drawn] = state
                inside[drawn] = True
        for items in reversed(tree.by_depth[1:]):
            np.logical_or.at(inside, tree.parent[items], inside[items])
        states: list[ShownState] = []
        for id in ids:
            found = item_in(shown, shown.root, id)
            states.append("same" if found is None else self._state_of(structure, found, marked, inside))
        return states

    def _state_of(
        self, structure: Any, item: int, marked: dict[int, State], inside: NDArray[np.bool_]
    ) -> ShownState:
        at = item
        while at > 0:
            if at in marked:
                return marked[at]
            at = int(structure.tree.parent[at])
        if not inside[item]:
            return "same"
        if structure.is_opening(item):
            return "inside"
        # A group with one node is drawn as that node.
        while item not in marked:
            item = int(structure.children(item)[0])
        return marked[item]

    def _ghosts(self, shown: Shown) -> list[Ghost]:
        a = self.a
        to_b = self.alignment.a_to_b
        structure = shown.root.structure
        graph = a.graph
        edges = np.flatnonzero(graph.edge_from >= 0)
        position = a.tree.lo[a.items]
        start, end = position[graph.edge_from[edges]], position[graph.edge_to[edges]]
        by_start, by_end = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
        ghosts: dict[tuple[str, str, str], Ghost] = {}
        for unit in self.units:
            if unit.state != "removed" or len(ghosts) >= MAX_GHOSTS:
                continue
            above = self.alignment.groups.get(int(a.tree.parent[unit.a]))
            if above is None or (a.nodes[unit.a] >= 0 and _is_folded(shown, a, unit.a)):
                continue
            group = drawn_item(structure, above) if above else 0
            if group is None:
                continue
            key = shown.root.id(group), plain_label(unit.label), unit.what
            if key in ghosts:
                continue
            lo = int(a.tree.lo[unit.a])
            hi = lo + int(a.tree.size[unit.a])
            entering = by_end[slice(*np.searchsorted(end[by_end], (lo, hi)))]
            entering = entering[(start[entering] < lo) | (start[entering] >= hi)]
            leaving = by_start[slice(*np.searchsorted(start[by_start], (lo, hi)))]
            leaving = leaving[(end[leaving] < lo) | (end[leaving] >= hi)]
            ghosts[key] = Ghost(
                *key,
                _shown_ids(shown, to_b[graph.edge_from[edges[entering]]]),
                _shown_ids(shown, to_b[graph.edge_to[edges[leaving]]]),
            )
        return list(ghosts.values())


class InputEnds:
    """Where the inputs of each node come from: the item of the tree that stands beside the node or around it."""

    def __init__(self, side: Side) -> None:
        graph = side.graph
        data = np.flatnonzero(~graph.edge_control)
        order = data[np.argsort(graph.edge_to[data], kind="stable")]
        self._target = graph.edge_to[order]
        source = graph.edge_from[order]
        ends = np.full(len(order), -1, np.int64)
        known = np.flatnonzero((source >= 0) & (source != self._target))
        ends[known] = branches(side.tree, side.items[source[known]], side.items[self._target[known]])
        own = source == self._target
        ends[own] = side.items[self._target[own]]
        self._ends = ends
        self._sources = source
        # Which output of a group it is follows from the group.
        is_leaf = (ends >= 0) & (side.nodes[ends] >= 0)
        self._outputs = np.where(is_leaf, graph.edge_output[order], 0)
        self._first = np.searchsorted(self._target, np.arange(len(graph) + 1))

    def of(self, node: int) -> list[tuple[int, int]]:
        inside = slice(self._first[node], self._first[node + 1])
        return list(zip(self._ends[inside].tolist(), self._outputs[inside].tolist(), strict=True))

    def nodes_of(self, node: int) -> list[int]:
        found: list[int] = self._sources[self._first[node] : self._first[node + 1]].tolist()
        return found

    def hashes(self, counterparts: NDArray[Any] | None) -> NDArray[np.uint64]:
        """A number per node for its inputs in order, as items of the other graph."""
        ends = self._ends if counterparts is None else counterparts[self._ends]
        number = np.arange(len(ends)) - self._first[self._target]
        found = np.zeros(len(self._first) - 1, np.uint64)
        with np.errstate(over="ignore"):
            word = mix(mix((ends + 2).astype(np.uint64)) + self._outputs.astype(np.uint64))
            np.add.at(found, self._target, mix(word + number.astype(np.uint64)))
        return found


def _is_lost(side: Side, item: int, counterparts: NDArray[Any]) -> bool:
    """Whether nothing of an item is in the other graph."""
    lo = int(side.tree.lo[item])
    nodes = side.node_at[lo : lo + int(side.tree.size[item])]
    return bool((counterparts[nodes] < 0).all())


def _item_label(side: Side, item: int) -> str:
    return NUMBER.sub("", plain_label(side.labels[item])) if item >= 0 else "a missing node"


def _is_folded(shown: Shown, side: Side, item: int) -> bool:
    """Whether a node is of a kind that is drawn as a port."""
    return bool(side.known.folding.kind[int(side.nodes[item])]) and shown.view.fold


def _shown_ids(shown: Shown, nodes: NDArray[Any]) -> list[str]:
    found = {
        node_id(shown.root, int(node)): None
        for node in nodes.tolist()
        if node >= 0 and not shown.root.structure.folding.kind[node]
    }
    return list(found)[:MAX_NAMES]


def _ids(shown: Shown, items: Sequence[int]) -> list[str]:
    structure = shown.root.structure
    found: dict[str, None] = {}
    for item in items:
        if item < 0:
            continue
        node = int(structure.nodes[item])
        if node >= 0:
            found[node_id(shown.root, node)] = None
        else:
            drawn = drawn_item(structure, item)
            if drawn is not None:
                found[shown.root.id(structure.topmost(drawn))] = None
        if len(found) >= MAX_IDS:
            break
    return list(found)


def totals(graph: Graph) -> Totals:
    return Totals(
        len(graph),
        len(graph.edge_from),
        int(graph.parameters.sum()) or None,
        float(np.nansum(graph.flops)) or None,
    )


def compare_ops(a: Graph, b: Graph) -> list[OpDifference]:
    """The largest difference first."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for place, graph in enumerate((a, b)):
        numbers = np.bincount(graph.ops, minlength=len(graph.op_names)).tolist()
        for name, number in zip(graph.op_names, numbers, strict=True):
            counts[name][place] += number
    found = [OpDifference(name, *pair) for name, pair in counts.items() if pair[0] != pair[1]]
    return sorted(found, key=lambda each: (-abs(each.a - each.b), each.name))


def what_it_is(side: Side, item: int) -> str:
    """Its op or class; of a group without a class its ops, if they are few."""
    graph = side.graph
    node = int(side.nodes[item])
    if node >= 0:
        op: str = graph.op_names[graph.ops[node]]
        return op
    known = side.type_of.get(item)
    if known:
        return known
    lo, size = int(side.tree.lo[item]), int(side.tree.size[item])
    nodes = side.node_at[lo : lo + size]
    shown = nodes[side.known.folding.kind[nodes] == 0]
    ops = list(
        dict.fromkeys(graph.op_names[code] for code in graph.ops[shown if len(shown) else nodes].tolist())
    )
    return ", ".join(ops) if len(ops) <= MAX_OPS else f"{size:,} nodes"


def stem(label: str) -> str:
    """A name without the number at its end; a number alone stays."""
    parts = split_number(label)
    if parts is None or parts[2]:
        return label
    return parts[0].rstrip("_.-") or label


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _spread(side: Side, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """To everything below."""
    marked = marked.copy()
    for items in side.tree.by_depth[1:]:
        marked[items] |= marked[side.tree.parent[items]]
    return marked


def _topmost(side: Side, lost: NDArray[np.bool_]) -> list[int]:
    """Groups whose nodes are all lost, and lost nodes outside of such groups."""
    tree = side.tree
    count = np.zeros(len(side.nodes), np.int64)
    count[side.items] = lost
    for items in reversed(tree.by_depth[1:]):
        np.add.at(count, tree.parent[items], count[items])
    whole = (count == tree.size) & (tree.size > 0)
    if whole[0]:
        whole[0] = False
    above = tree.parent.copy()
    above[0] = 0
    found: list[int] = np.flatnonzero(whole & ~whole[above]).tolist()
    return found
