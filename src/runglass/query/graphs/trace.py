"""Everything that leads to a node, everything that it leads to, and the paths between two nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.query.graphs.distinct import distinct_values
from runglass.query.graphs.hierarchy import Ints
from runglass.query.graphs.levels import LevelReader
from runglass.query.graphs.model import Graph, GraphUnknown
from runglass.query.graphs.shown import Place, Shown

Direction = Literal["inputs", "outputs", "path"]
FAR = np.iinfo(np.int32).max


class TraceAnswer(Struct, frozen=True):
    count: Annotated[int, Meta(description="Nodes that were reached, without those asked for.")]
    parameters: int
    distances: Annotated[
        list[int],
        Meta(description="For each shown id: steps away, of a group the least; -1: not on the way."),
    ]


class Wires:
    """The edges of a graph by the node where they start, for one direction."""

    def __init__(self, start: Ints, end: Ints, count: int) -> None:
        order = np.argsort(start, kind="stable")
        self.ends = end[order]
        self.first = np.searchsorted(start[order], np.arange(count + 1))

    def next(self, nodes: Ints) -> Ints:
        """Where the edges of nodes end; some may come twice."""
        starts, stops = self.first[nodes], self.first[nodes + 1]
        lengths = stops - starts
        total = int(lengths.sum())
        if not total:
            return np.empty(0, np.int64)
        shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        found: Ints = self.ends[np.arange(total) + shift]
        return found


def reach(wires: Wires, nodes: Ints, count: int) -> Ints:
    """Steps from any of `nodes` to every node; FAR where none lead."""
    steps = np.full(count, FAR, np.int32)
    steps[nodes] = 0
    at = 0
    while len(nodes):
        at += 1
        nodes = wires.next(nodes)
        nodes = distinct_values(nodes[steps[nodes] == FAR])
        steps[nodes] = at
    return steps


def trace(shown: Shown, id: str, direction: Direction, to: str | None, ids: Sequence[str]) -> TraceAnswer:
    """Raises GraphUnknown."""
    place = shown.find(id)
    graph = place.graph
    nodes = nodes_of(place)
    if direction == "path":
        steps = _on_path(graph, nodes, _target(shown, place, to))
    else:
        steps = _trace(graph, nodes, is_back=direction == "inputs")
    reached = (steps < FAR) & (steps > 0)
    reached[nodes] = False
    lit = reached.copy()
    lit[nodes] = True
    return TraceAnswer(
        int(reached.sum()), int(graph.parameters[lit].sum()), _distances(shown, place.reader, steps, ids)
    )


def nodes_of(place: Place) -> Ints:
    """The nodes that an id stands for; of a repeat, those of all members."""
    structure = place.reader.structure
    if place.node is not None:
        return np.asarray([place.node])
    lo, hi = structure.range_of(place.item)
    inside = (structure.shown_at >= lo) & (structure.shown_at < hi) & (structure.folding.kind == 0)
    return np.flatnonzero(inside)


def _target(shown: Shown, place: Place, to: str | None) -> Ints:
    if to is None:
        raise GraphUnknown("A path needs a node to lead to.", where="to")
    end = shown.find(to)
    while end.reader is not place.reader and end.caller is not None:
        end = end.caller
    if end.reader is not place.reader:
        raise GraphUnknown(
            f"{to[:200]!r} is in the body of another function; no path leads there.", where="to"
        )
    return nodes_of(end)


def _wires(graph: Graph, is_data: NDArray[np.bool_], *, is_back: bool) -> Wires:
    start, end = graph.edge_from[is_data], graph.edge_to[is_data]
    return Wires(end, start, len(graph)) if is_back else Wires(start, end, len(graph))


def _trace(graph: Graph, nodes: Ints, *, is_back: bool) -> Ints:
    there = graph.edge_from >= 0
    data = _wires(graph, there & ~graph.edge_control, is_back=is_back)
    if not len(data.next(nodes)):
        # A node that only waits for others, such as a NoOp.
        data = _wires(graph, there, is_back=is_back)
    return reach(data, nodes, len(graph))


def _on_path(graph: Graph, start: Ints, end: Ints) -> Ints:
    """Steps from the start for all nodes on a path to the end, in the direction of edges, or against it if none leads there."""
    there = (graph.edge_from >= 0) & ~graph.edge_control
    ahead, back = _wires(graph, there, is_back=False), _wires(graph, there, is_back=True)
    for first, second in ((ahead, back), (back, ahead)):
        steps = reach(first, start, len(graph))
        if (steps[end] < FAR).any():
            steps[reach(second, end, len(graph)) == FAR] = FAR
            return steps
    return np.full(len(graph), FAR, np.int32)


def _distances(shown: Shown, reader: LevelReader, steps: Ints, ids: Sequence[str]) -> list[int]:
    structure = reader.structure
    least = np.full(len(structure.represents) + 1, FAR, np.int64)
    np.minimum.at(least, structure.shown_at, steps)
    found = []
    for id in ids:
        item = item_in(shown, reader, id)
        value = FAR
        if item is not None:
            lo, hi = structure.range_of(item)
            value = int(least[lo:hi].min(initial=FAR))
        found.append(-1 if value == FAR else value)
    return found


def item_in(shown: Shown, reader: LevelReader, id: str) -> int | None:
    """The item of this graph that an id is, or that it is inside of the function of; None for ids that are not there."""
    try:
        place: Place | None = shown.find(id)
    except GraphUnknown:
        return None
    while place is not None and place.reader is not reader:
        place = place.caller
    return None if place is None else place.item
