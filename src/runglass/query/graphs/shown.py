"""A graph as one view shows it, with the functions that its nodes call: finds ids in it and reads levels.

The body of a function opens in place, below the node that calls it, and is made only then: functions may call themselves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from runglass.query.graphs.calls import Call, CallPath, Calls
from runglass.query.graphs.levels import (
    InEdge,
    Level,
    LevelNode,
    LevelReader,
    OutEdge,
    edge_label,
    plain_label,
)
from runglass.query.graphs.measures import Measures
from runglass.query.graphs.model import Graph, GraphUnknown
from runglass.query.graphs.structure import Known, Structure, StructureView

# Groups that a depth opens. Series and parts are opened by hand.
OPENED = frozenset({"group", "repeat", "function"})
MAX_NESTED = 64
# Calls that one body is drawn for, where those that call it are drawn as one.
MAX_CALLS = 1_000
LOOPS = frozenset({"While", "StatelessWhile"})


class Place(Struct, frozen=True):
    """Where an id leads: to an item, to a node that is folded or stands in a repeat, or to one of several functions of a call."""

    reader: LevelReader
    item: int
    # The node that is meant, where the item stands for others too or for none.
    node: int | None = None
    function: str | None = None
    # The call that the reader's graph is the body of.
    caller: Place | None = None

    @property
    def graph(self) -> Graph:
        return self.reader.structure.graph


class Shown:
    def __init__(self, known: Known, view: StructureView, measures: Measures) -> None:
        self.view = view
        self.measures = measures
        self.root = LevelReader(Structure(known, view, frozenset(view.each)), view, measures)
        self._known = known
        self._structures: dict[tuple[str, frozenset[str]], Structure] = {}
        self._readers: dict[str, LevelReader] = {}

    @property
    def graph(self) -> Graph:
        return self.root.structure.graph

    @property
    def calls(self) -> Calls:
        return self._known.calls

    def _enter(self, caller: LevelReader, item: int, function: str, prefix: str) -> LevelReader:
        """The body of a function that an item calls."""
        reader = self._readers.get(prefix)
        if reader is None:
            each = frozenset(name.removeprefix(prefix) for name in self.view.each if name.startswith(prefix))
            structure = self._structures.get((function, each))
            if structure is None:
                known = self._known.body(function)
                structure = self._structures[function, each] = Structure(known, self.view, each)
            nodes = np.flatnonzero(caller.structure.shown_at == caller.structure.tree.lo[item])
            callers = [
                node for node in nodes.tolist() if function in caller.structure.graph.calls.get(node, ())
            ]
            paths = [(*path, Call(node, function)) for path in caller.calls for node in callers]
            reader = LevelReader(structure, self.view, self.measures, prefix, tuple(paths[:MAX_CALLS]))
            self._readers[prefix] = reader
        return reader

    def enter_function(self, place: Place) -> LevelReader:
        """The body of that one of several functions of a call that a place means."""
        function = place.function or self.called(place)[0]
        node = int(place.reader.structure.node_at[place.reader.structure.tree.lo[place.item]])
        prefix = self._body_prefix(place.reader, node, place.item, function)
        return self._enter(place.reader, place.item, function, prefix)

    def enter(self, path: CallPath) -> LevelReader:
        """The body that calls lead to."""
        reader = self.root
        for node, function in path:
            item = reader.structure.shown_item(node)
            reader = self._enter(reader, item, function, self._body_prefix(reader, node, item, function))
        return reader

    def _body_prefix(self, reader: LevelReader, node: int, item: int, function: str) -> str:
        """What ids in a body begin with. Of several functions of one call, each has a name of its own there."""
        graph = reader.structure.graph
        names = [name for name in graph.calls[node] if name in graph.functions]
        inner = f"{function_segment(function)}/" if len(names) > 1 else ""
        return f"{reader.id(item)}/{inner}"

    def find(self, id: str) -> Place:
        """Raises GraphUnknown."""
        place = Place(self.root, 0)
        entered = [place]
        rest = id
        for _ in range(MAX_NESTED):
            reader = place.reader
            item, left = reader.structure.walk(place.item, rest)
            place = Place(reader, item, caller=place.caller)
            if not left:
                return place
            called = self.called(place)
            if not called:
                break
            prefix = f"{reader.id(item)}/"
            function = called[0]
            if len(called) > 1:
                segment, _, below = left.partition("/")
                matches = [name for name in called if function_segment(name) == segment]
                if not matches:
                    break
                function = matches[0]
                place = Place(reader, item, function=function, caller=place.caller)
                if not below:
                    return place
                prefix, left = f"{prefix}{segment}/", below
            place = Place(self._enter(reader, item, function, prefix), 0, caller=place)
            entered.append(place)
            rest = left
        # What is folded or stands in a repeat. It may also be beside a call of which its name begins with the name.
        for begun in reversed(entered):
            structure = begun.reader.structure
            node = structure.known.hierarchy.find(id.removeprefix(begun.reader.prefix))
            if node is not None:
                return Place(begun.reader, structure.shown_item(node), node=node, caller=begun.caller)
        raise GraphUnknown(f"This graph has no node {id[:200]!r}.", where=id[:200])

    def called(self, place: Place) -> tuple[str, ...]:
        """The functions that a place opens to."""
        structure = place.reader.structure
        if place.item == 0 or structure.is_opening(place.item):
            return ()
        node = int(structure.node_at[structure.tree.lo[place.item]])
        return tuple(name for name in place.graph.calls.get(node, ()) if name in place.graph.functions)

    # Levels

    def read_level(self, id: str) -> Level:
        place = self.find(id)
        structure = place.reader.structure
        if place.item == 0 or structure.is_opening(place.item):
            return place.reader.read(place.item)
        called = self.called(place)
        if not called:
            raise GraphUnknown(f"{id[:200]!r} is a node, not a group; it has no level.", where=id[:200])
        if place.function is None and len(called) > 1:
            return self._read_choice(place, called, id)
        return self._read_body(place, place.function or called[0], id)

    def read_levels(self, ids: Sequence[str], *, depth: int, limit: int) -> list[Level]:
        """Of these groups, and of groups below them as long as all levels together have at most `limit` nodes.

        Groups that are not there are left out. Raises GraphUnknown if none is.
        """
        levels: list[Level] = []
        waiting = deque((id, 1) for id in ids)
        asked = set(ids)
        unknown: GraphUnknown | None = None
        total = 0
        while waiting:
            id, at = waiting.popleft()
            if at > 1 and total >= limit:
                break
            try:
                level = self.read_level(id)
            except GraphUnknown as error:
                # An old address may name groups that another view has.
                unknown = error
                continue
            if at > 1 and total + len(level.nodes) > limit:
                continue
            levels.append(level)
            total += len(level.nodes)
            if at < depth:
                for node in level.nodes:
                    if node.can_open and node.type in OPENED and node.id not in asked and not node.is_aside:
                        asked.add(node.id)
                        waiting.append((node.id, at + 1))
        if unknown is not None and not levels:
            raise unknown
        return levels

    def _ends(self, place: Place) -> Iterator[tuple[bool, int, str, bool, int]]:
        """Edges of a call: whether they lead in, the number of the argument or result, the outer id, control, the edge."""
        reader = place.reader
        structure = reader.structure
        graph = structure.graph
        node = int(structure.node_at[structure.tree.lo[place.item]])
        inputs = np.flatnonzero((graph.edge_to == node) & ~graph.edge_control)
        numbers = {int(edge): number for number, edge in enumerate(inputs)}
        incoming = np.arange(len(structure.edges))[structure.incoming(place.item)]
        outgoing = structure.outgoing(place.item)
        for is_in, chosen, ends in (
            (True, incoming, structure.edge_from),
            (False, outgoing, structure.edge_to),
        ):
            outer = reader._outer(place.item, ends[chosen]).tolist()
            for edge, far in zip(structure.edges[chosen].tolist(), outer, strict=True):
                if (
                    far < 0
                    or far in reader.asides(int(structure.tree.parent[far]))
                    or graph.edge_control[edge]
                ):
                    continue
                number = numbers.get(edge, -1) if is_in else int(graph.edge_output[edge])
                yield is_in, number, reader.id(far), False, edge

    def _read_body(self, place: Place, function: str, id: str) -> Level:
        graph = place.graph
        body = self._enter(place.reader, place.item, function, f"{id}/")
        level = body.read(0)
        inside = body.structure.graph
        places = {node.id: at for at, node in enumerate(level.nodes)}
        for is_in, number, outer, control, edge in self._ends(place):
            if is_in and 0 <= number < inside.arguments:
                end = number
            elif not is_in and 0 <= number < inside.results:
                end = len(inside) - inside.results + number
            else:
                continue
            at = places.get(body.id(body.structure.shown_item(end)))
            if at is None:
                continue
            label = edge_label(graph, edge)
            if is_in:
                level.ins.append(InEdge(outer=outer, target=at, control=control, label=label))
            else:
                level.outs.append(OutEdge(source=at, outer=outer, control=control, label=label))
        return level

    def _read_choice(self, place: Place, called: tuple[str, ...], id: str) -> Level:
        graph = place.graph
        nodes = [
            LevelNode(
                id=f"{id}/{function_segment(name)}",
                label=plain_label(name),
                type="function",
                op=name,
                count=len(graph.functions[name]),
                can_open=True,
            )
            for name in called
        ]
        level = Level(group=id, nodes=nodes, edges=[], ins=[], outs=[])
        node = int(place.reader.structure.node_at[place.reader.structure.tree.lo[place.item]])
        # The condition of a loop feeds nothing but the loop.
        is_loop = graph.op_names[graph.ops[node]] in LOOPS
        for is_in, _, outer, control, edge in self._ends(place):
            label = edge_label(graph, edge)
            for at in range(len(nodes)):
                if is_in:
                    level.ins.append(InEdge(outer=outer, target=at, control=control, label=label))
                elif not is_loop or at == len(nodes) - 1:
                    level.outs.append(OutEdge(source=at, outer=outer, control=control, label=label))
        return level

    def bodies(self) -> Iterator[tuple[LevelReader, list[str]]]:
        """This graph and the body of each function that it calls, at the first call; with the ids of all groups around it."""
        around: dict[CallPath, list[str]] = {(): []}
        yield self.root, []
        for path in self._known.calls.first.values():
            outer = self.enter(path[:-1])
            item = outer.structure.shown_item(path[-1].node)
            reader = self.enter(path)
            ids = [*(outer.id(each) for each in outer.structure.ancestors(item)[1:]), outer.id(item)]
            if reader.prefix != f"{ids[-1]}/":
                ids.append(reader.prefix.removesuffix("/"))
            around[path] = [*around[path[:-1]], *ids]
            yield reader, around[path]

    # Ancestors

    def ancestors(self, place: Place) -> list[tuple[str, str]]:
        """Ids and labels of the groups around a place, the outermost first."""
        found: list[tuple[str, str]] = []
        at: Place | None = place
        is_inner = False
        while at is not None:
            reader = at.reader
            structure = reader.structure
            own = [*structure.ancestors(at.item)[1:], *([at.item] if is_inner and at.item else [])]
            found = (
                [(reader.id(item), plain_label(structure.segment(item))) for item in own]
                + (
                    [(f"{reader.id(at.item)}/{function_segment(at.function)}", at.function)]
                    if is_inner and at.function is not None
                    else []
                )
                + found
            )
            is_inner = True
            at = at.caller
        return found


def function_segment(name: str) -> str:
    """As a part of an id."""
    return name.replace("/", "_")
