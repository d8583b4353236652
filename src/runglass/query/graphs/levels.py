"""One level of a graph: the nodes of one group, the edges between them, and those that cross its border."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.query.graphs.aside import find_aside
from runglass.query.graphs.calls import CallPath
from runglass.query.graphs.distinct import distinct_values, find_distinct
from runglass.query.graphs.folding import KINDS, VARIABLE, PortKind
from runglass.query.graphs.hierarchy import Ints
from runglass.query.graphs.measures import Measures, Sums
from runglass.query.graphs.model import Graph, shape_text
from runglass.query.graphs.ordering import order_level
from runglass.query.graphs.repeats import what_differs
from runglass.query.graphs.structure import Structure, StructureView

NodeType = Literal["op", "group", "function", "repeat", "series", "part", "argument", "result"]

ARGUMENT_OPS = frozenset({"_Arg", "Placeholder", "placeholder", "InputLayer", "parameter", "Input"})
RESULT_OPS = frozenset({"_Retval", "output", "Output", "_DeviceRetval"})
# torch's inputs and outputs have one op.
EITHER_OPS = frozenset({"IO LevelNode"})
MAX_PORTS = 8
# What differs between members of a repeat is looked for in the attributes of this many nodes.
MAX_COMPARED = 64
MAX_ASIDE_USES = 16


class NodePort(Struct, frozen=True):
    """A constant, variable or parameter that is drawn on its user."""

    id: str
    label: str
    kind: PortKind


class LevelNode(Struct, omit_defaults=True, kw_only=True):
    id: str
    label: str
    type: NodeType
    op: Annotated[str, Meta(description="Op type, class of a module, or function.")] = ""
    count: Annotated[int, Meta(description="Nodes inside.")] = 1
    repeats: int | None = None
    differs: Annotated[list[str], Meta(description="What is not equal in all members of a repeat.")] = []
    # Whether it is a group that can be opened.
    can_open: bool = False
    structure: Annotated[int, Meta(description="Equal numbers stand for equal structure.")] = 0
    device: str = ""
    dtype: str = ""
    cluster: str = ""
    shape: Annotated[str, Meta(description="Of the first output.")] = ""
    parameters: int | None = None
    flops: float | None = None
    time: Annotated[float | None, Meta(description="Microseconds.")] = None
    memory: Annotated[float | None, Meta(description="Bytes.")] = None
    # Whether it is drawn aside, because so many are wired to it.
    is_aside: bool = False
    uses: Annotated[int, Meta(description="How many nodes use it.")] = 0
    aside_uses: Annotated[list[str], Meta(description="Nodes set aside that it is wired to.")] = []
    # Constants and weights that are drawn as parts of it.
    ports: list[NodePort] = []
    tpu: Annotated[float | None, Meta(description="Share of its ops that TPUs can run.")] = None
    # Whether any edge of the level leads to it.
    is_connected: bool = True


class LevelEdge(Struct, omit_defaults=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """Between two nodes of a level, by their places in `nodes`."""

    source: int
    target: int
    count: Annotated[int, Meta(description="Edges of the file.")] = 1
    control: bool = False
    label: Annotated[str, Meta(description="The shape of its tensor, or how many tensors.")] = ""
    is_back: Annotated[bool, Meta(description="Whether it closes a loop.")] = False


class InEdge(Struct, omit_defaults=True, kw_only=True, rename={"target": "to"}):
    """From outside of the group: `outer` is the node that has the other end, in the nearest level that has both."""

    outer: str
    target: int
    count: int = 1
    control: bool = False
    label: str = ""


class OutEdge(Struct, omit_defaults=True, kw_only=True, rename={"source": "from"}):
    source: int
    outer: str
    count: int = 1
    control: bool = False
    label: str = ""


class Level(Struct, kw_only=True, rename={"ins": "in", "outs": "out"}):
    group: str
    nodes: list[LevelNode]
    edges: list[LevelEdge]
    ins: list[InEdge]
    outs: list[OutEdge]


class Bundle(Struct, frozen=True):
    """Edges with the same two ends, as columns."""

    start: Ints
    end: Ints
    control: NDArray[np.bool_]
    count: Ints
    labels: list[str]


class LevelReader:
    """Levels of one structure. Ids begin with `prefix`: that of the node that calls this graph, if any.

    `calls`: the calls that it is the body of; several where they are drawn as one.
    """

    def __init__(
        self,
        structure: Structure,
        view: StructureView,
        measures: Measures,
        prefix: str = "",
        calls: tuple[CallPath, ...] = ((),),
    ) -> None:
        self.structure = structure
        self.view = view
        self.measures = measures
        self.prefix = prefix
        self.calls = calls
        self._back = frozenset(self._own_ids(view.back))
        self._out = frozenset(self._own_ids(view.out))
        self._aside: dict[int, frozenset[int]] = {}

    @property
    def function(self) -> str:
        """ "": this is the graph itself."""
        return self.calls[0][-1].function if self.calls[0] else ""

    @cached_property
    def sums(self) -> Sums:
        return self.measures.sum_up(self.structure, self.calls)

    def _own_ids(self, ids: tuple[str, ...]) -> list[str]:
        return [each.removeprefix(self.prefix) for each in ids if each.startswith(self.prefix)]

    def id(self, item: int) -> str:
        return self.prefix + self.structure.id(item)

    # Edges

    def _kid_of(self, kids: Ints, positions: Ints) -> Ints:
        return np.searchsorted(self.structure.tree.lo[kids], positions, side="right") - 1

    def _inside(self, item: int, kids: Ints) -> tuple[Ints, Ints, Ints]:
        """Edges between different children: numbers of the edges, and the places of their ends."""
        structure = self.structure
        lo, hi = structure.range_of(item)
        chosen = np.arange(len(structure.edges))[structure.incoming(item)]
        start = structure.edge_from[chosen]
        chosen = chosen[(start >= lo) & (start < hi)]
        a = self._kid_of(kids, structure.edge_from[chosen])
        b = self._kid_of(kids, structure.edge_to[chosen])
        differ = a != b
        return chosen[differ], a[differ], b[differ]

    def _bundle(self, chosen: Ints, a: Ints, b: Ints) -> Bundle:
        structure = self.structure
        graph = structure.graph
        control = graph.edge_control[structure.edges[chosen]]
        keys = (a.astype(np.int64) << 33) | (b.astype(np.int64) << 1) | control
        found = find_distinct(keys)
        first = found.first
        tensors = (structure.edge_from[chosen].astype(np.int64) << 16) | np.minimum(
            graph.edge_output[structure.edges[chosen]], 65535
        )
        # The first of each tensor on each edge.
        order = np.lexsort((tensors, found.codes))
        codes, tensors = found.codes[order], tensors[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (codes[1:] != codes[:-1]) | (tensors[1:] != tensors[:-1])
        distinct = np.bincount(codes[is_new], minlength=len(first))
        labels = []
        for edge, number, is_control in zip(
            structure.edges[chosen[first]].tolist(), distinct.tolist(), control[first].tolist(), strict=True
        ):
            if is_control:
                labels.append("")
            else:
                labels.append(f"{number:,} tensors" if number > 1 else edge_label(graph, edge))
        return Bundle(a[first], b[first], control[first], found.counts, labels)

    # Set aside

    def asides(self, item: int) -> frozenset[int]:
        """Children of a group that are drawn aside."""
        known = self._aside.get(item)
        if known is not None:
            return known
        structure = self.structure
        kids = structure.children(item)
        found: set[int] = set()
        if self.view.aside:
            _, a, b = self._inside(item, kids)
            pairs = distinct_values((a.astype(np.int64) << 32) | b)
            is_op = np.fromiter((self._may_stand_aside(kid) for kid in kids.tolist()), np.bool_, len(kids))
            marked = find_aside(len(kids), pairs >> 32, pairs & 0xFFFFFFFF, is_op)
            found.update(kids[marked].tolist())
        if self._back or self._out:
            for kid in kids.tolist():
                name = structure.id(kid)
                if name in self._out:
                    found.add(kid)
                elif name in self._back:
                    found.discard(kid)
        known = self._aside[item] = frozenset(found)
        return known

    def _may_stand_aside(self, item: int) -> bool:
        return self.structure.tree.size[item] == 1 and self._type_of(item) not in ("argument", "result")

    # Levels

    def read(self, item: int) -> Level:
        structure = self.structure
        tree = structure.tree
        kids = structure.children(item)
        asides = self.asides(item)
        is_aside = np.fromiter((kid in asides for kid in kids.tolist()), np.bool_, len(kids))
        chosen, a, b = self._inside(item, kids)
        drawn = ~(is_aside[a] | is_aside[b])
        bundle = self._bundle(chosen[drawn], a[drawn], b[drawn])
        order, is_back = order_level(len(kids), bundle.start, bundle.end)
        place = np.empty(len(kids), np.int64)
        place[order] = np.arange(len(kids))
        uses: dict[int, dict[str, None]] = {}
        self._note_asides(uses, a[~drawn], b[~drawn], is_aside, kids)
        lo, hi = structure.range_of(item)
        incoming = np.arange(len(structure.edges))[structure.incoming(item)]
        start = structure.edge_from[incoming]
        incoming = incoming[(start < lo) | (start >= hi)]
        outgoing = structure.outgoing(item)
        end = structure.edge_to[outgoing]
        outgoing = outgoing[(end < lo) | (end >= hi)]
        ins: list[InEdge] = []
        outs: list[OutEdge] = []
        for is_in, edges in ((True, incoming), (False, outgoing)):
            inner = self._kid_of(kids, (structure.edge_to if is_in else structure.edge_from)[edges])
            outer = self._outer(item, (structure.edge_from if is_in else structure.edge_to)[edges])
            known = find_distinct(outer)
            outer_items, outer_codes = known.values, known.codes
            names = [self.id(each) for each in outer_items.tolist()]
            far = np.fromiter(
                (each in self.asides(int(tree.parent[each])) for each in outer_items.tolist()),
                np.bool_,
                len(outer_items),
            )
            hidden = (far[outer_codes] if len(outer_codes) else np.zeros(0, np.bool_)) | is_aside[inner]
            for kid, code in sorted(
                set(zip(inner[hidden].tolist(), outer_codes[hidden].tolist(), strict=True))
            ):
                if far[code]:
                    uses.setdefault(kid, {})[names[code]] = None
            edges, inner, outer_codes = edges[~hidden], inner[~hidden], outer_codes[~hidden]
            crossing = self._bundle(edges, *((outer_codes, inner) if is_in else (inner, outer_codes)))
            for x, y, control, count, label in zip(
                crossing.start.tolist(),
                crossing.end.tolist(),
                crossing.control.tolist(),
                crossing.count.tolist(),
                crossing.labels,
                strict=True,
            ):
                if is_in:
                    ins.append(
                        InEdge(
                            outer=names[x], target=int(place[y]), count=count, control=control, label=label
                        )
                    )
                else:
                    outs.append(
                        OutEdge(
                            source=int(place[x]), outer=names[y], count=count, control=control, label=label
                        )
                    )
        above = self.prefix + structure.id(item)
        base = f"{above}/" if item else self.prefix
        nodes = []
        for kid_place in order.tolist():
            kid = int(kids[kid_place])
            node = self.node(kid, base + structure.segment(kid))
            node.is_aside = bool(is_aside[kid_place])
            node.aside_uses = list(uses.get(kid_place, ()))[:MAX_ASIDE_USES]
            node.is_connected = self._is_connected(kid)
            if node.is_aside:
                node.uses = self._count_uses(kid)
            nodes.append(node)
        return Level(
            group=above.removesuffix("/") if not item else above,
            nodes=nodes,
            edges=[
                LevelEdge(source=x, target=y, count=count, control=control, label=label, is_back=back)
                for x, y, count, control, label, back in zip(
                    place[bundle.start].tolist(),
                    place[bundle.end].tolist(),
                    bundle.count.tolist(),
                    bundle.control.tolist(),
                    bundle.labels,
                    is_back.tolist(),
                    strict=True,
                )
            ],
            ins=ins,
            outs=outs,
        )

    def _note_asides(
        self, uses: dict[int, dict[str, None]], a: Ints, b: Ints, is_aside: NDArray[np.bool_], kids: Ints
    ) -> None:
        for x, y in sorted(set(zip(a.tolist(), b.tolist(), strict=True))):
            if is_aside[x]:
                uses.setdefault(y, {})[self.id(int(kids[x]))] = None
            if is_aside[y]:
                uses.setdefault(x, {})[self.id(int(kids[y]))] = None

    def _outer(self, item: int, positions: Ints) -> Ints:
        """For positions outside of an item: the child that holds them of the nearest ancestor that does."""
        structure = self.structure
        outer = np.full(len(positions), -1, np.int64)
        for ancestor in reversed(structure.ancestors(item)):
            lo, hi = structure.range_of(ancestor)
            here = np.flatnonzero((outer < 0) & (positions >= lo) & (positions < hi))
            if len(here):
                kids = structure.children(ancestor)
                outer[here] = kids[self._kid_of(kids, positions[here])]
        return outer

    def _is_connected(self, item: int) -> bool:
        lo, hi = self.structure.range_of(item)
        wires = self.structure.wires
        return bool(wires[hi] > wires[lo])

    def _count_uses(self, item: int) -> int:
        """Of a node that uses many itself, how many those are."""
        structure = self.structure
        uses = len(distinct_values(structure.edge_to[structure.outgoing(item)]))
        return uses or len(distinct_values(structure.edge_from[structure.incoming(item)]))

    # Nodes

    def _type_of(self, item: int) -> NodeType:
        structure = self.structure
        if item in structure.repeats:
            return "repeat"
        if item in structure.series:
            return "series"
        if item in structure.parts:
            return "part"
        if structure.is_opening(item):
            return "group"
        node = int(structure.node_at[structure.tree.lo[item]])
        graph = structure.graph
        if node in graph.calls:
            return "function"
        op = graph.op_names[graph.ops[node]]
        if op in ARGUMENT_OPS:
            return "argument"
        if op in RESULT_OPS:
            return "result"
        if op in EITHER_OPS:
            return "result" if structure.incoming(item).stop > structure.incoming(item).start else "argument"
        return "op"

    def node(self, item: int, name: str) -> LevelNode:
        structure = self.structure
        graph = structure.graph
        type = self._type_of(item)
        lo, hi = structure.range_of(item)
        made = LevelNode(
            id=name,
            label=structure.segment(item),
            type=type,
            structure=int(structure.hashes[item] >> np.uint64(33)),
            count=int(structure.counts[hi] - structure.counts[lo]),
        )
        made.label = plain_label(made.label)
        if item in structure.repeats:
            made.label = made.label.replace("-", "–") if made.label.count("-") == 1 else made.label
        self._measure(made, lo, hi)
        made.ports = self._ports(item)
        repeat = structure.repeats.get(item)
        if repeat is not None:
            made.repeats = len(repeat.members)
            made.differs = self.differs(item)
        series = structure.series.get(item)
        if series is not None:
            made.repeats = len(series)
        made.can_open = structure.is_opening(item)
        made.op = self._class_of(item)
        if not made.can_open:
            node = int(structure.node_at[lo])
            if node in graph.calls:
                made.can_open = True
                made.op = graph.calls[node][0]
                made.count = sum(len(graph.functions[called]) for called in graph.calls[node])
            elif repeat is None:
                made.count = 1
            made.op = made.op or graph.op_names[graph.ops[node]]
            shape = int(graph.first_shapes[node])
            made.shape = shape_text(graph.shape_names[shape]) if shape >= 0 else ""
        elif series is not None:
            made.op = graph.op_names[graph.ops[structure.node_at[lo]]]
        nodes = structure.node_at[lo:hi]
        made.device = _common(graph.devices[nodes], graph.device_names)
        made.dtype = _common(graph.first_dtypes[nodes], graph.dtype_names)
        made.cluster = _common(graph.clusters[nodes], graph.cluster_names)
        return made

    def _measure(self, made: LevelNode, lo: int, hi: int) -> None:
        sums = self.sums
        parameters = sums.parameters[hi] - sums.parameters[lo]
        made.parameters = int(parameters) if parameters else None
        made.flops = _sum_or_none(sums.flops, lo, hi)
        made.time = _sum_or_none(sums.time, lo, hi)
        made.memory = _sum_or_none(sums.memory, lo, hi)
        if sums.tpu is not None:
            count = self.structure.counts[hi] - self.structure.counts[lo]
            made.tpu = float((sums.tpu[hi] - sums.tpu[lo]) / count) if count else None

    def _class_of(self, item: int) -> str:
        types = self.structure.graph.group_types
        if not types or self.structure.nodes[item] >= 0:
            return ""
        return types.get(self._path(item), "")

    def _path(self, item: int) -> str:
        """As in the file: a repeat is its first member."""
        structure = self.structure
        parts = []
        while item > 0:
            if item not in structure.series and item not in structure.parts:
                parts.append(structure.labels[item])
            item = int(structure.tree.parent[item])
        return "/".join(reversed(parts))

    def _ports(self, item: int) -> list[NodePort]:
        structure = self.structure
        lo, hi = structure.range_of(item)
        ends, sources = structure.port_ends
        start, end = np.searchsorted(ends, (lo, hi))
        if start == end:
            return []
        found = sources[start:end]
        kinds = structure.folding.kind[found]
        if structure.is_opening(item):
            found = found[kinds >= VARIABLE]
            if len(found) > MAX_PORTS:
                return []
        return [
            NodePort(
                self.prefix + structure.known.hierarchy.path(node),
                self._port_label(node, item),
                KINDS[structure.folding.kind[node] - 1],
            )
            for node in list(dict.fromkeys(found.tolist()))[: MAX_PORTS * 4]
        ]

    def _port_label(self, node: int, item: int) -> str:
        """On a group, with the module that has it: "q_proj.weight"."""
        structure = self.structure
        hierarchy = structure.known.hierarchy
        own = int(hierarchy.items[node])
        label = plain_label(hierarchy.labels[own])
        above = int(hierarchy.parent[own])
        if not structure.is_opening(item) or above in (0, item):
            return label
        around = plain_label(hierarchy.labels[above])
        # A parameter is often a group of its own name with the nodes that read it.
        if around == label and int(hierarchy.parent[above]) not in (0, item):
            around = plain_label(hierarchy.labels[int(hierarchy.parent[above])])
        return label if around == label else f"{around}.{label}"

    def differs(self, item: int) -> list[str]:
        """Between members of a repeat: shapes, dtypes, devices, and attributes of the first nodes."""
        structure = self.structure
        graph = structure.graph
        repeat = structure.repeats.get(item)
        if repeat is None:
            return []
        size = int(structure.tree.size[item])
        starts = np.asarray([structure.tree.lo[member] for member in repeat.members])
        nodes = structure.node_at[starts[:, None] + np.arange(size)]
        found = []
        for what, codes, names in (
            ("shape", graph.first_shapes, graph.shape_names),
            ("dtype", graph.first_dtypes, graph.dtype_names),
            ("device", graph.devices, graph.device_names),
        ):
            columns = codes[nodes]
            different = np.flatnonzero((columns != columns[0]).any(axis=0))
            if len(different):
                at = int(different[0])
                texts = [
                    "" if code < 0 else shape_text(names[code]) if what == "shape" else names[code]
                    for code in columns[:, at].tolist()
                ]
                label = structure.labels[int(structure.item_at[starts[0] + at])]
                found += what_differs([(f"{what} of {label}:", texts)])
        return found


def edge_label(graph: Graph, edge: int) -> str:
    """The shape of the tensor on an edge; empty where it is unknown."""
    node, output = int(graph.edge_from[edge]), int(graph.edge_output[edge])
    if output == 0:
        code = int(graph.first_shapes[node])
        return shape_text(graph.shape_names[code]) if code >= 0 else ""
    shapes = graph.shapes(node)
    shape = shapes[output] if output < len(shapes) else None
    return "" if shape is None else shape_text(shape)


def plain_label(label: str) -> str:
    """Without the brackets of a node that stands inside a group of its own name."""
    return label[1:-1] if len(label) > 2 and label[0] == "(" and label[-1] == ")" else label


def _common(codes: NDArray[Any], names: list[str]) -> str:
    """The one value that all have; empty where they differ or have none."""
    if not len(codes) or not names:
        return ""
    first = int(codes.max())
    if first < 0:
        return ""
    return names[first] if bool(((codes == first) | (codes < 0)).all()) else ""


def _sum_or_none(sums: NDArray[Any] | None, lo: int, hi: int) -> float | None:
    if sums is None:
        return None
    value = float(sums[hi] - sums[lo])
    return value if value else None
