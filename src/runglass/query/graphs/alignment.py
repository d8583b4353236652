"""Which nodes of two graphs are the same: by name, and by structure and order where names moved."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.hierarchy import Tree
from runglass.query.graphs.repeats import Hashes, hash_structure, mix, split_number
from runglass.query.graphs.structure import Known
from runglass.query.graphs.trace import Wires

# Groups that moved to another place and have another name are believed to be the same only if they are this large.
MIN_MOVED = 4
MIN_RENAMED = 8
# How often nodes that names do not tell apart are looked at again, once more of their inputs are known.
MAX_ROUNDS = 4
# Above this product of lengths, sequences are compared by counting and not in order.
MAX_PRODUCT = 4_000_000


class Side:
    """One of the two graphs: all its nodes in the tree of their paths, folded ones too."""

    def __init__(self, known: Known) -> None:
        graph = known.graph
        hierarchy = known.hierarchy
        self.known = known
        self.graph = graph
        self.nodes = hierarchy.nodes
        self.items = hierarchy.items
        self.labels = hierarchy.labels
        # In file order; a group stands where its first node does.
        is_leaf = hierarchy.nodes >= 0
        self.tree = Tree(hierarchy.parent, np.arange(len(hierarchy.parent), dtype=np.int32), is_leaf)
        own = np.zeros(len(hierarchy.parent), np.uint64)
        own[hierarchy.items] = known.op_hashes
        position = self.tree.lo[hierarchy.items]
        self.node_at = np.zeros(len(graph), np.int32)
        self.node_at[position] = np.arange(len(graph), dtype=np.int32)
        inside = np.flatnonzero(graph.edge_from >= 0)
        words = mix(graph.edge_output[inside].astype(np.uint64))
        self.hashes: Hashes = hash_structure(
            self.tree, own, position[graph.edge_from[inside]], position[graph.edge_to[inside]], words
        )
        # Equal only where names are equal too; Python's hashes of texts, so for this process alone.
        names = np.fromiter((hash(label) for label in self.labels), np.int64, len(self.labels)).view(
            np.uint64
        )
        with np.errstate(over="ignore"):
            self.named_hashes: Hashes = hash_structure(
                self.tree,
                own + mix(names),
                position[graph.edge_from[inside]],
                position[graph.edge_to[inside]],
                words,
            )
        # Everything below an item follows it in this order.
        self.preorder = np.lexsort((self.tree.depth, self.tree.lo))
        self.place = np.empty(len(self.labels), np.int64)
        self.place[self.preorder] = np.arange(len(self.labels))
        self._kids = self.tree.children_of_all.tolist()
        self._first = self.tree.first.tolist()
        self._is_leaf = (hierarchy.nodes >= 0).tolist()
        self.op_hashes = known.op_hashes.tolist()
        self.type_of: dict[int, str] = {
            hierarchy.groups[path]: name
            for path, name in graph.group_types.items()
            if path in hierarchy.groups
        }

    def split(self, group: int) -> tuple[list[int], list[int]]:
        """Groups and leaves among the children."""
        groups: list[int] = []
        leaves: list[int] = []
        for item in self._kids[self._first[group] : self._first[group + 1]]:
            (leaves if self._is_leaf[item] else groups).append(item)
        return groups, leaves

    def below(self, group: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The groups and the leaves of a subtree, in order; the group itself among them."""
        lo, start = int(self.tree.lo[group]), int(self.place[group])
        end = int(np.searchsorted(self._ordered_lo, lo + int(self.tree.size[group])))
        items = self.preorder[start:end]
        is_leaf = self.nodes[items] >= 0
        return items[~is_leaf], items[is_leaf]

    @cached_property
    def _ordered_lo(self) -> NDArray[Any]:
        return self.tree.lo[self.preorder]

    @cached_property
    def _wires(self) -> Wires:
        graph = self.graph
        data = np.flatnonzero(~graph.edge_control)
        return Wires(graph.edge_to[data], graph.edge_from[data], len(graph))

    def inputs(self, node: int) -> list[int]:
        """The nodes it reads, in order; -1 for missing ones."""
        wires = self._wires
        found: list[int] = wires.ends[wires.first[node] : wires.first[node + 1]].tolist()
        return found


class Alignment:
    """`a_to_b` and `b_to_a` by node, -1 where there is no counterpart; `groups`: pairs of items."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a = a
        self.b = b
        self.a_to_b = np.full(len(a.graph), -1, np.int32)
        self.b_to_a = np.full(len(b.graph), -1, np.int32)
        self.groups: dict[int, int] = {}
        # Leaves of a pair of groups that have one key, but not equally often.
        self._unclear: list[tuple[list[int], list[int]]] = []
        lost_a, lost_b = self._walk([(0, 0)])
        self._match_moved(lost_a, lost_b)
        self._match_by_inputs()

    def _pair(self, leaf_a: int, leaf_b: int) -> None:
        node_a, node_b = int(self.a.nodes[leaf_a]), int(self.b.nodes[leaf_b])
        self.a_to_b[node_a] = node_b
        self.b_to_a[node_b] = node_a

    def _pair_whole(self, group_a: int, group_b: int) -> None:
        """Groups that are equal in names and structure."""
        groups_a, leaves_a = self.a.below(group_a)
        groups_b, leaves_b = self.b.below(group_b)
        self.groups.update(zip(groups_a.tolist(), groups_b.tolist(), strict=True))
        nodes_a, nodes_b = self.a.nodes[leaves_a], self.b.nodes[leaves_b]
        self.a_to_b[nodes_a] = nodes_b
        self.b_to_a[nodes_b] = nodes_a

    def _walk(self, pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
        """Pairs of groups and what is inside them; returns the groups without a counterpart."""
        lost_a: list[int] = []
        lost_b: list[int] = []
        waiting = list(pairs)
        while waiting:
            group_a, group_b = waiting.pop()
            if self.a.named_hashes[group_a] == self.b.named_hashes[group_b]:
                self._pair_whole(group_a, group_b)
                continue
            self.groups[group_a] = group_b
            groups_a, leaves_a = self.a.split(group_a)
            groups_b, leaves_b = self.b.split(group_b)
            self._match_leaves(leaves_a, leaves_b)
            by_label = {self.b.labels[item]: item for item in groups_b}
            rest_a = []
            for item in groups_a:
                other = by_label.pop(self.a.labels[item], None)
                if other is None:
                    rest_a.append(item)
                else:
                    waiting.append((item, other))
            rest_b = list(by_label.values())
            if rest_a and rest_b:
                found = align(
                    [self._key(self.a, item) for item in rest_a], [self._key(self.b, item) for item in rest_b]
                )
                waiting += [(rest_a[x], rest_b[y]) for x, y in found]
                taken_a, taken_b = {x for x, _ in found}, {y for _, y in found}
                rest_a = [item for place, item in enumerate(rest_a) if place not in taken_a]
                rest_b = [item for place, item in enumerate(rest_b) if place not in taken_b]
            lost_a += rest_a
            lost_b += rest_b
        return lost_a, lost_b

    def _key(self, side: Side, item: int) -> Hashable:
        return int(side.hashes[item])

    def _match_leaves(self, leaves_a: list[int], leaves_b: list[int]) -> None:
        a, b = self.a, self.b
        keys_a = [leaf_key(a.labels[leaf], a.op_hashes[a.nodes[leaf]]) for leaf in leaves_a]
        keys_b = [leaf_key(b.labels[leaf], b.op_hashes[b.nodes[leaf]]) for leaf in leaves_b]
        if keys_a != keys_b:
            often_a, often_b = Counter(keys_a), Counter(keys_b)
            for key in [key for key, count in often_a.items() if often_b.get(key, count) != count]:
                self._unclear.append(
                    (
                        [leaf for leaf, own in zip(leaves_a, keys_a, strict=True) if own == key],
                        [leaf for leaf, own in zip(leaves_b, keys_b, strict=True) if own == key],
                    )
                )
            leaves_a, keys_a = _only(leaves_a, keys_a, lambda key: often_b.get(key) in (None, often_a[key]))
            leaves_b, keys_b = _only(leaves_b, keys_b, lambda key: often_a.get(key) in (None, often_b[key]))
        for x, y in align(keys_a, keys_b):
            self._pair(leaves_a[x], leaves_b[y])
        self._match_labels(leaves_a, leaves_b)

    def _match_labels(self, leaves_a: list[int], leaves_b: list[int]) -> None:
        a, b = self.a, self.b
        rest = {b.labels[leaf]: leaf for leaf in leaves_b if self.b_to_a[b.nodes[leaf]] < 0}
        if rest:
            for leaf in leaves_a:
                if self.a_to_b[a.nodes[leaf]] < 0:
                    other = rest.pop(a.labels[leaf], None)
                    # A number alone is no name.
                    if other is not None and not a.labels[leaf].isdigit():
                        self._pair(leaf, other)

    def _match_by_inputs(self) -> None:
        """Nodes of one key by what they read, and in order where that does not tell."""
        for _ in range(MAX_ROUNDS):
            is_new = False
            for leaves_a, leaves_b in self._unclear:
                waiting: dict[Hashable, deque[int]] = defaultdict(deque)
                for leaf in leaves_b:
                    node = int(self.b.nodes[leaf])
                    if self.b_to_a[node] < 0:
                        waiting[tuple(self.b.inputs(node))].append(leaf)
                for leaf in leaves_a:
                    node = int(self.a.nodes[leaf])
                    if self.a_to_b[node] < 0:
                        mapped = tuple(int(self.a_to_b[each]) for each in self.a.inputs(node))
                        if mapped and -1 not in mapped and waiting.get(mapped):
                            self._pair(leaf, waiting[mapped].popleft())
                            is_new = True
            if not is_new:
                break
        for leaves_a, leaves_b in self._unclear:
            rest_a = [leaf for leaf in leaves_a if self.a_to_b[self.a.nodes[leaf]] < 0]
            rest_b = [leaf for leaf in leaves_b if self.b_to_a[self.b.nodes[leaf]] < 0]
            labels_b = {self.b.labels[leaf] for leaf in rest_b}
            if not any(self.a.labels[leaf] in labels_b for leaf in rest_a):
                for x, y in zip(rest_a, rest_b, strict=False):
                    self._pair(x, y)
            else:
                self._match_labels(rest_a, rest_b)

    def _match_moved(self, lost_a: list[int], lost_b: list[int]) -> None:
        """Groups that stand elsewhere now, the largest first, also below groups that are gone."""
        by_hash: dict[int, deque[int]] = defaultdict(deque)
        for item in sorted(self._below(self.b, lost_b), key=lambda item: -int(self.b.tree.size[item])):
            by_hash[int(self.b.hashes[item])].append(item)
        if not by_hash:
            return
        done: set[int] = set()
        taken: set[int] = set()
        for item in sorted(self._below(self.a, lost_a), key=lambda item: -int(self.a.tree.size[item])):
            size = int(self.a.tree.size[item])
            if item in done or size < MIN_MOVED:
                continue
            waiting = by_hash.get(int(self.a.hashes[item]))
            while waiting and waiting[0] in taken:
                waiting.popleft()
            if waiting and (size >= MIN_RENAMED or self.a.labels[item] == self.b.labels[waiting[0]]):
                other = waiting.popleft()
                done.update(self._below(self.a, [item]))
                taken.update(self._below(self.b, [other]))
                self._walk([(item, other)])

    def _below(self, side: Side, groups: Sequence[int]) -> list[int]:
        found = []
        waiting = list(groups)
        while waiting:
            item = waiting.pop()
            found.append(item)
            waiting += side.split(item)[0]
        return found


def _only(
    leaves: list[int], keys: list[Hashable], is_kept: Callable[[Hashable], bool]
) -> tuple[list[int], list[Hashable]]:
    kept = [place for place, key in enumerate(keys) if is_kept(key)]
    return [leaves[place] for place in kept], [keys[place] for place in kept]


def leaf_key(label: str, op: int) -> Hashable:
    """Numbers at the end of names count nodes, so they move when one is added."""
    parts = split_number(label)
    return (parts[0].rstrip("_.-") if parts is not None and not parts[2] else label, op)


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of places with equal keys, in order in both."""
    if list(a) == list(b):
        return [(place, place) for place in range(len(a))]
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    pairs = [(place, place) for place in range(start)]
    middle_a, middle_b = a[start : len(a) - end], b[start : len(b) - end]
    if len(middle_a) * len(middle_b) <= MAX_PRODUCT:
        matcher = SequenceMatcher(None, middle_a, middle_b, autojunk=False)
        for x, y, size in matcher.get_matching_blocks():
            pairs += [(start + x + step, start + y + step) for step in range(size)]
    else:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for place, key in enumerate(middle_b):
            waiting[key].append(place)
        for place, key in enumerate(middle_a):
            if waiting[key]:
                pairs.append((start + place, start + waiting[key].popleft()))
    pairs += [(len(a) - end + step, len(b) - end + step) for step in range(end)]
    return pairs
