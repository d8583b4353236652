"""The tree of groups that the paths of a graph's nodes make, and the arithmetic on trees that all questions share.

A tree is columns, one entry per item: item 0 is the root, then come groups and leaves (nodes of the graph). Leaves that are
shown have positions in the order of the tree, so a group is a range of positions and everything below it is a slice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.model import Graph

Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]

# Deeper segments stay together in one label: a name of 10 kB may consist of slashes.
MAX_DEPTH = 64
EMPTY = "(empty)"


class Hierarchy:
    """Groups by path. A node whose path is also the path of a group stands inside that group."""

    def __init__(self, graph: Graph) -> None:
        groups: dict[str, int] = {"": 0}
        labels: list[str] = [""]
        parents: list[int] = [-1]
        items: list[int] = []
        odd: dict[int, str] = {}
        last: str | None = None
        group = 0
        for path in graph.paths:
            above, slash, label = path.rpartition("/")
            # Neighbours in the file are mostly in one group.
            if above != last or not above or not label:
                last, group = None, 0
                if slash:
                    found = groups.get(above) if above and label else None
                    if found is not None:
                        last = above
                    else:
                        found, label = _find_group(path, groups, labels, parents)
                        if "//" in path or path[0] == "/" or path[-1] == "/":
                            odd[len(items)] = path
                    group = found
                elif not path:
                    odd[len(items)] = path
            items.append(len(labels))
            labels.append(label or EMPTY)
            parents.append(group)
        self._graph = graph
        # Paths with empty segments, as they are spelled in ids; and back.
        self._spelled: dict[int, str] = {}
        self._odd: dict[str, int] = {}
        for node, path in odd.items():
            spelled = spelling = "/".join(split_path(path))
            number = 1
            while spelled in self._odd or spelled in graph.path_index:
                number += 1
                spelled = f"{spelling}#{number}"
            labels[items[node]] += spelled[len(spelling) :]
            self._spelled[node] = spelled
            self._odd[spelled] = node
        for path, group in groups.items():
            own = self.find(path) if group else None
            if own is not None:
                parents[items[own]] = group
                labels[items[own]] = f"({labels[group]})"
        # The last segment of each item's path.
        self.labels = labels
        self.parent = np.asarray(parents, np.int32)
        # Items by node, and nodes by item; -1 for groups.
        self.items = np.asarray(items, np.int32)
        self.nodes = np.full(len(labels), -1, np.int32)
        self.nodes[self.items] = np.arange(len(items), dtype=np.int32)
        # Items of groups by path.
        self.groups = groups

    def find(self, path: str) -> int | None:
        """A node by its path as ids spell it."""
        node = self._odd.get(path)
        return self._graph.path_index.get(path) if node is None and path else node

    def path(self, node: int) -> str:
        """As ids spell it."""
        return self._spelled.get(node) or self._graph.paths[node]


def split_path(path: str) -> list[str]:
    """Its segments; empty ones get a name, because they would make ids that mean something else."""
    return [segment or EMPTY for segment in path.split("/", MAX_DEPTH)]


def _find_group(path: str, groups: dict[str, int], labels: list[str], parents: list[int]) -> tuple[int, str]:
    *above, label = split_path(path)
    group = 0
    known = ""
    for segment in above:
        known = f"{known}/{segment}" if known else segment
        found = groups.get(known)
        if found is None:
            found = groups[known] = len(labels)
            labels.append(segment)
            parents.append(group)
        group = found
    return group, label


class Tree:
    """Items in order: children by parent, ranges of positions, depths."""

    def __init__(self, parent: Ints, rank: Ints, is_leaf: Bools) -> None:
        """`is_leaf`: leaves that are shown. Items without any below them are left out of `children`."""
        self.parent = parent
        count = len(parent)
        self.depth = depth_of(parent)
        by_depth = np.argsort(self.depth, kind="stable")
        bounds = np.searchsorted(self.depth[by_depth], np.arange(self.depth.max(initial=0) + 2))
        self.by_depth = [by_depth[start:end] for start, end in pairwise(bounds.tolist())]
        self.size = is_leaf.astype(np.int32)
        for items in reversed(self.by_depth[1:]):
            np.add.at(self.size, parent[items], self.size[items])
        order = np.lexsort((rank, parent))
        order = order[self.size[order] > 0]
        order = order[parent[order] >= 0]
        self.children_of_all = order.astype(np.int32)
        self.first = np.searchsorted(parent[order], np.arange(count + 1))
        sizes = self.size[order].astype(np.int64)
        before = np.cumsum(sizes) - sizes
        self.place = np.zeros(count, np.int32)
        self.lo = np.zeros(count, np.int32)
        if len(order):
            starts = self.first[parent[order]]
            offset = np.zeros(count, np.int64)
            offset[order] = before - before[starts]
            self.place[order] = np.arange(len(order)) - starts
            for items in self.by_depth[1:]:
                self.lo[items] = self.lo[parent[items]] + offset[items]

    def children(self, item: int) -> Ints:
        """In order, and so in the order of their positions."""
        return self.children_of_all[self.first[item] : self.first[item + 1]]

    def common_ancestors(self, some: Ints, others: Ints) -> Ints:
        """Of pairs of items."""
        a, b = some.copy(), others.copy()
        while True:
            unequal = np.flatnonzero(a != b)
            if not len(unequal):
                return a
            da, db = self.depth[a[unequal]], self.depth[b[unequal]]
            up_a, up_b = unequal[da >= db], unequal[db >= da]
            a[up_a] = self.parent[a[up_a]]
            b[up_b] = self.parent[b[up_b]]


def branches(tree: Tree, some: Ints, others: Ints) -> Ints:
    """Of pairs of items, neither inside of the other: the child of their common ancestor that the first one is in or is."""
    common = tree.common_ancestors(some, others)
    found = some.copy()
    while True:
        below = np.flatnonzero((tree.parent[found] != common) & (found != common))
        if not len(below):
            return found
        found[below] = tree.parent[found[below]]


def depth_of(parent: Ints) -> Ints:
    depth = np.zeros(len(parent), np.int32)
    above = parent.copy()
    while True:
        inside = np.flatnonzero(above >= 0)
        if not len(inside):
            return depth
        depth[inside] += 1
        above[inside] = parent[above[inside]]
