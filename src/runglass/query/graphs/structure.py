"""A graph as it is shown: its tree with folded nodes, series and repeats in place, and its edges between what is shown.

One of these is made per graph (or function of one) and view. Answers no questions itself; levels.py and others do.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.calls import Calls
from runglass.query.graphs.folding import Folding, fold, no_folding
from runglass.query.graphs.hierarchy import Hierarchy, Ints, Tree
from runglass.query.graphs.model import Graph
from runglass.query.graphs.repeats import (
    Hashes,
    Repeat,
    find_repeats,
    hash_structure,
    hash_texts,
    mix,
    row_label,
)
from runglass.query.graphs.series import find_series

# More nodes than this in one group are cut into parts of file order, or no browser could lay them out.
MAX_CHILDREN = 2_000
PART = 500


class StructureView(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What decides the structure. Ids are those of levels."""

    # Draw layers of equal structure as one.
    repeats: bool = True
    # Draw numbered ops such as add_1 … add_9 as one.
    series: bool = True
    # Draw constants and weights as parts of the nodes that use them.
    fold: bool = True
    # Draw nodes aside that very many others are wired to.
    aside: bool = True
    # Nodes to take back that would be drawn aside.
    back: tuple[str, ...] = ()
    # Nodes to draw aside.
    out: tuple[str, ...] = ()
    # Repeats whose members are drawn one by one.
    each: tuple[str, ...] = ()


class Known:
    """What is known of a graph whatever the view is."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.hierarchy = Hierarchy(graph)
        self._bodies: dict[str, Known] = {}

    @cached_property
    def calls(self) -> Calls:
        return Calls(self.graph)

    def body(self, function: str) -> Known:
        """Of a function that the graph, or another of its functions, calls; of "", the graph itself."""
        if not function:
            return self
        known = self._bodies.get(function)
        if known is None:
            known = self._bodies[function] = Known(self.graph.functions[function])
        return known

    @cached_property
    def folding(self) -> Folding:
        return fold(self.graph)

    @cached_property
    def op_hashes(self) -> Hashes:
        hashes = hash_texts(self.graph.op_names)
        return hashes[self.graph.ops] if len(hashes) else np.zeros(len(self.graph), np.uint64)


class Structure:
    def __init__(self, known: Known, view: StructureView, each: frozenset[str]) -> None:
        """`each`: as in the view, below this graph."""
        graph = known.graph
        hierarchy = known.hierarchy
        self.known = known
        self.graph = graph
        self.folding = known.folding if view.fold else no_folding(graph)
        is_shown = self.folding.kind == 0
        self.labels = list(hierarchy.labels)
        self._each = each
        # Items that stand for several: repeats by their first member, series, and parts of large groups.
        self.repeats: dict[int, Repeat] = {}
        self.series: dict[int, tuple[int, ...]] = {}
        self.parts: set[int] = set()
        self._children: dict[int, dict[str, int]] = {}

        linked = (graph.edge_from >= 0) & (graph.edge_to >= 0)
        edges = np.flatnonzero(linked)
        edges = edges[is_shown[graph.edge_from[edges]] & is_shown[graph.edge_to[edges]]]
        builder = _Builder(hierarchy, is_shown)
        if view.series:
            for row in find_series(
                hierarchy.parent,
                hierarchy.items,
                ops=graph.ops,
                labels=hierarchy.labels,
                is_shown=is_shown,
                edge_from=graph.edge_from[edges],
                edge_to=graph.edge_to[edges],
            ):
                # Inside of a repeat the id of a series is not its path; whoever asked for single ones by path gets them too.
                if not self._is_each(
                    hierarchy, row.group, row.label, [hierarchy.labels[item] for item in row.members]
                ):
                    item = builder.add(row.group, row.members)
                    self.labels.append(row.label)
                    self.series[item] = row.members
        builder.cut(self.labels, self.parts)
        parent, rank, is_leaf, nodes = builder.columns()
        tree = self.tree = Tree(parent, rank, is_leaf)
        # Nodes by item; -1 for groups.
        self.nodes = nodes
        count = int(tree.size[0])
        self.item_at = np.zeros(count, np.int32)
        shown = hierarchy.items[is_shown]
        self.item_at[tree.lo[shown]] = shown
        self.node_at = nodes[self.item_at]
        position = np.full(len(graph), -1, np.int32)
        position[self.node_at] = np.arange(count, dtype=np.int32)
        # Where each node is shown, before repeats.
        self.position = position[self.folding.at] if len(graph) else position

        own = np.zeros(len(parent), np.uint64)
        own[hierarchy.items] = known.op_hashes
        if graph.group_types:
            names = sorted(set(graph.group_types.values()))
            codes = dict(zip(names, hash_texts(names).tolist(), strict=True))
            for path, type_name in graph.group_types.items():
                group = hierarchy.groups.get(path)
                if group is not None:
                    own[group] = codes[type_name]
        start, end = position[graph.edge_from[edges]], position[graph.edge_to[edges]]
        words = mix(
            graph.edge_output[edges].astype(np.uint64) * np.uint64(2)
            + graph.edge_control[edges].astype(np.uint64)
        )
        self.hashes = hash_structure(tree, own, start, end, words)

        self.is_hidden = np.zeros(len(parent), np.bool_)
        self.represents = np.arange(count, dtype=np.int32)
        if view.repeats:
            is_group = nodes < 0
            is_group[list(self.series)] = False
            self._fold_repeats(find_repeats(tree, self.hashes, is_group, self.labels))
            kept = self._kept_edges(start, end)
            edges, start, end = edges[kept], start[kept], end[kept]
            start, end = self.represents[start], self.represents[end]
        # Where each node is shown.
        self.shown_at = self.represents[self.position] if count else self.position
        order = np.argsort(end, kind="stable")
        # Edges by where they end, as numbers of the graph's; ends are positions.
        self.edges: Ints = edges[order]
        self.edge_from: Ints = start[order]
        self.edge_to: Ints = end[order]
        self._by_start = np.argsort(self.edge_from, kind="stable")
        self._sorted_start = self.edge_from[self._by_start]

    def _is_each(self, hierarchy: Hierarchy, group: int, label: str, members: list[str]) -> bool:
        if not self._each:
            return False
        above: list[str] = []
        while group > 0:
            above.append(hierarchy.labels[group])
            group = int(hierarchy.parent[group])
        path = "/".join(reversed(above))
        return any((f"{path}/{name}" if path else name) in self._each for name in (label, *members))

    # Repeats

    def _fold_repeats(self, found: list[Repeat]) -> None:
        tree = self.tree
        found.sort(key=lambda repeat: int(tree.depth[repeat.members[0]]))
        kept: list[Repeat] = []
        for repeat in found:
            for row in self._without_each(repeat):
                self.repeats[row.members[0]] = row
                self.is_hidden[list(row.members[1:])] = True
                kept.append(row)
        self._rows = kept
        for row in reversed(kept):
            first = row.members[0]
            size, lo = int(tree.size[first]), int(tree.lo[first])
            for member in row.members[1:]:
                at = int(tree.lo[member])
                self.represents[at : at + size] = self.represents[lo : lo + size]

    def _without_each(self, repeat: Repeat) -> list[Repeat]:
        if not self._each:
            return [repeat]
        above = self.id(int(self.tree.parent[repeat.members[0]]))
        prefix = f"{above}/" if above else ""
        if prefix + repeat.label in self._each:
            return []
        rows: list[list[int]] = [[]]
        for member in repeat.members:
            if prefix + self.labels[member] in self._each:
                rows.append([])
            else:
                rows[-1].append(member)
        return [
            Repeat(tuple(row), row_label([self.labels[item] for item in row])) for row in rows if len(row) > 1
        ]

    def _kept_edges(self, start: Ints, end: Ints) -> NDArray[np.bool_]:
        """Without edges between members of a repeat, and without those inside of any member but the first."""
        kept = np.ones(len(start), np.bool_)
        tree = self.tree
        nesting: dict[int, int] = {}
        layers: list[tuple[Ints, Ints]] = []
        firsts = {member: row.members[0] for row in self._rows for member in row.members}
        for number, row in enumerate(self._rows):
            above = int(tree.parent[row.members[0]])
            while above >= 0 and above not in firsts:
                above = int(tree.parent[above])
            level = nesting[row.members[0]] = 0 if above < 0 else nesting[firsts[above]] + 1
            if level == len(layers):
                layers.append(
                    (np.full(len(self.represents), -1, np.int32), np.zeros(len(self.represents), np.int32))
                )
            rows, places = layers[level]
            size = int(tree.size[row.members[0]])
            for place, member in enumerate(row.members):
                at = int(tree.lo[member])
                rows[at : at + size] = number
                places[at : at + size] = place
        for rows, places in layers:
            same = (rows[start] == rows[end]) & (rows[start] >= 0)
            kept &= ~(same & ((places[start] != places[end]) | (places[start] > 0)))
        return kept

    # Ids

    def segment(self, item: int) -> str:
        repeat = self.repeats.get(item)
        return self.labels[item] if repeat is None else repeat.label

    def id(self, item: int) -> str:
        parts = []
        while item > 0:
            parts.append(self.segment(item))
            item = int(self.tree.parent[item])
        return "/".join(reversed(parts))

    def children(self, item: int) -> Ints:
        kids = self.tree.children(item)
        return kids[~self.is_hidden[kids]] if self.repeats else kids

    def child(self, item: int, segment: str) -> int | None:
        found = self._children.get(item)
        if found is None:
            found = {self.segment(each): each for each in self.children(item).tolist()}
            self._children[item] = found
        return found.get(segment)

    def walk(self, item: int, rest: str) -> tuple[int, str]:
        """As far down as the id leads, and what is left of it."""
        while rest:
            whole = self.child(item, rest)
            if whole is not None:
                return whole, ""
            segment, _, below = rest.partition("/")
            child = self.child(item, segment)
            if child is None:
                break
            item, rest = child, below
        return item, rest

    def shown_item(self, node: int) -> int:
        """The item that is drawn for a node once all its groups are open: a group with one node is drawn as that."""
        return self.topmost(int(self.item_at[self.shown_at[node]]))

    def topmost(self, item: int) -> int:
        above = int(self.tree.parent[item])
        while above > 0 and self.tree.size[above] == 1:
            item, above = above, int(self.tree.parent[above])
        return item

    def is_opening(self, item: int) -> bool:
        """Whether an item is a group with more than one node below."""
        return bool(self.nodes[item] < 0 and self.tree.size[item] > 1)

    def ancestors(self, item: int) -> list[int]:
        """The root first, without the item."""
        found = []
        item = int(self.tree.parent[item])
        while item >= 0:
            found.append(item)
            item = int(self.tree.parent[item])
        return found[::-1]

    # Sums and ranges

    def prefix_sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of a column of the nodes, so that an item's sum is one subtraction; all members of a repeat count."""
        sums = np.zeros(len(self.represents) + 1, np.float64)
        if len(values):
            np.cumsum(
                np.bincount(self.shown_at, weights=values, minlength=len(self.represents)), out=sums[1:]
            )
        return sums

    def range_of(self, item: int) -> tuple[int, int]:
        lo = int(self.tree.lo[item])
        return lo, lo + int(self.tree.size[item])

    @cached_property
    def counts(self) -> NDArray[Any]:
        return self.prefix_sums(np.ones(len(self.graph)))

    @cached_property
    def wires(self) -> NDArray[Any]:
        """How many edges of the file begin or end at each position, as prefix sums."""
        graph = self.graph
        inside = graph.edge_from >= 0
        ends = np.bincount(graph.edge_to, minlength=len(graph)) + np.bincount(
            graph.edge_from[inside], minlength=len(graph)
        )
        return self.prefix_sums(ends)

    @cached_property
    def port_ends(self) -> tuple[Ints, Ints]:
        """Edges from folded nodes to shown ones, by where they end: the positions, and the folded nodes."""
        graph = self.graph
        kind = self.folding.kind
        edges = np.flatnonzero((graph.edge_from >= 0) & ~graph.edge_control)
        edges = edges[(kind[graph.edge_from[edges]] > 0) & (kind[graph.edge_to[edges]] == 0)]
        # Of a repeat, those of the first member.
        at = self.position[graph.edge_to[edges]]
        kept = self.represents[at] == at
        edges, at = edges[kept], at[kept]
        order = np.argsort(at, kind="stable")
        return at[order], graph.edge_from[edges[order]]

    def incoming(self, item: int) -> slice:
        """Edges that end inside of an item."""
        lo, hi = self.range_of(item)
        start, end = np.searchsorted(self.edge_to, (lo, hi))
        return slice(int(start), int(end))

    def outgoing(self, item: int) -> Ints:
        """Edges that start inside of an item."""
        lo, hi = self.range_of(item)
        start, end = np.searchsorted(self._sorted_start, (lo, hi))
        return self._by_start[start:end]


class _Builder:
    """The parents of items while series and parts are put between them."""

    def __init__(self, hierarchy: Hierarchy, is_shown: NDArray[np.bool_]) -> None:
        self.parent: Ints = hierarchy.parent.copy()
        self.added: list[int] = []
        self.nodes: Ints = hierarchy.nodes
        self.is_leaf = np.zeros(len(self.parent), np.bool_)
        self.is_leaf[hierarchy.items[is_shown]] = True

    def add(self, group: int, members: tuple[int, ...] | Ints) -> int:
        item = len(self.parent) + len(self.added)
        self.added.append(group)
        self.parent[np.asarray(members)] = item
        return item

    def cut(self, labels: list[str], parts: set[int]) -> None:
        parent, rank, is_leaf, nodes = self.columns()
        if np.bincount(parent[parent >= 0], minlength=1).max() <= MAX_CHILDREN:
            return
        self.parent, self.nodes, self.is_leaf, self.added = parent, nodes, is_leaf, []
        tree = Tree(parent, rank, is_leaf)
        for group in np.flatnonzero(np.diff(tree.first) > MAX_CHILDREN).tolist():
            self._cut_group(group, tree.children(group), labels, parts)

    def _cut_group(self, group: int, kids: Ints, labels: list[str], parts: set[int]) -> None:
        size = PART
        while len(kids) > size * PART:
            size *= PART
        for start in range(0, len(kids), size):
            some = kids[start : start + size]
            item = len(self.parent) + len(self.added)
            self.added.append(group)
            parts.add(item)
            labels.append(f"[{start + 1}-{start + len(some)}]")
            if len(some) > MAX_CHILDREN:
                self._cut_group(item, some, labels, parts)
            else:
                self.parent[some] = item

    def columns(self) -> tuple[Ints, Ints, NDArray[np.bool_], Ints]:
        parent = np.concatenate([self.parent, np.asarray(self.added, np.int32)])
        missing = len(parent) - len(self.nodes)
        nodes = np.concatenate([self.nodes, np.full(missing, -1, np.int32)])
        is_leaf = np.concatenate([self.is_leaf, np.zeros(missing, np.bool_)])
        return parent, first_leaves(parent, is_leaf), is_leaf, nodes


def first_leaves(parent: Ints, is_leaf: NDArray[np.bool_]) -> Ints:
    """Items in the order of the file: a group stands where its first leaf does."""
    count = len(parent)
    rank = np.where(is_leaf, np.arange(count), count).astype(np.int32)
    leaves = np.flatnonzero(is_leaf)
    above = parent[leaves]
    first = rank[leaves]
    while True:
        inside = above >= 0
        if not inside.any():
            return rank
        above, first = above[inside], first[inside]
        np.minimum.at(rank, above, first)
        above = parent[above]
