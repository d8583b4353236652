"""What is known of one node or group: attributes, inputs, outputs, where it stands, what it costs."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct, field

from runglass.query.graphs.folding import KINDS, PortKind
from runglass.query.graphs.levels import LevelReader, NodeType, edge_label, plain_label
from runglass.query.graphs.model import Frame, Graph, GraphUnknown, shape_text
from runglass.query.graphs.shown import Place, Shown
from runglass.query.graphs.tpu import is_compatible

MAX_ENDS = 500
MAX_INCOMPATIBLE = 200
MAX_OPS = 200


class NodeName(Struct, frozen=True):
    id: str
    label: str


class AttributeAnswer(Struct, frozen=True):
    name: str
    text: str
    # Characters of the whole text.
    size: int
    # Whether there is more of the text.
    is_cut: bool


class NodeEnd(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The other end of an edge."""

    id: str
    name: str
    op: str = ""
    output: Annotated[int, Meta(description="Which output of the node where the edge starts.")] = 0
    shape: str = ""
    dtype: str = ""
    control: bool = False
    is_missing: Annotated[bool, Meta(description="No node of the graph has this name.")] = False


class OpCount(Struct, frozen=True):
    name: str
    count: int


class NamedOp(Struct, frozen=True):
    id: str
    name: str
    op: str


class TpuAnswer(Struct, frozen=True):
    compatible: Annotated[float, Meta(description="Share of ops that TPUs can run.")]
    count: Annotated[int, Meta(description="How many they cannot run.")]
    # Ops that TPUs cannot run.
    incompatible: list[NamedOp]


class NodeAnswer(Struct, kw_only=True):
    id: str
    name: Annotated[str, Meta(description="As in the file; of a group its path.")]
    label: str
    type: NodeType
    op: str
    where: Annotated[list[NodeName], Meta(description="Its groups, the outermost first.")]
    count: int
    repeats: int | None = None
    # What is not equal in all members of a repeat.
    differs: list[str] = field(default_factory=list)
    port: Annotated[PortKind | None, Meta(description="What it is as a port of its user.")] = None
    # Node that it is drawn as a part of; null for none.
    port_of: str | None = None
    attributes: list[AttributeAnswer] = field(default_factory=list)
    # Nodes that feed it.
    inputs: list[NodeEnd] = field(default_factory=list)
    # How many there are, also those that are not listed.
    input_count: int = 0
    # Nodes that it feeds.
    outputs: list[NodeEnd] = field(default_factory=list)
    # How many there are, also those that are not listed.
    output_count: int = 0
    device: str = ""
    dtype: str = ""
    shape: str = ""
    cluster: str = ""
    time: float | None = None
    # Bytes; null where they are not known.
    memory: float | None = None
    flops: float | None = None
    parameters: int | None = None
    source: list[Frame] = field(default_factory=list)
    functions: Annotated[list[str], Meta(description="That it calls.")] = field(default_factory=list)
    ops: Annotated[list[OpCount], Meta(description="Of a group.")] = field(default_factory=list)
    # Whether its ops can run on TPUs; null where that was not asked.
    tpu: TpuAnswer | None = None


def read_node(shown: Shown, id: str) -> NodeAnswer:
    """Raises GraphUnknown."""
    place = shown.find(id)
    structure = place.reader.structure
    if place.node is None and (place.item == 0 or structure.is_opening(place.item)):
        return _read_group(shown, place, id)
    node = place.node
    if node is None:
        node = int(structure.node_at[structure.tree.lo[place.item]])
    return _read_leaf(shown, place, node, id)


def find_attribute(shown: Shown, id: str, name: str) -> str:
    """The whole text of an attribute. Raises GraphUnknown."""
    place = shown.find(id)
    structure = place.reader.structure
    if place.node is None and (place.item == 0 or structure.is_opening(place.item)):
        raise GraphUnknown(f"{id[:200]!r} is a group; it has no attributes.", where=id[:200])
    node = place.node
    if node is None:
        node = int(structure.node_at[structure.tree.lo[place.item]])
    return place.graph.attribute_text(node, name)


def node_id(reader: LevelReader, node: int) -> str:
    """Of a folded node its path; else what is drawn for it."""
    structure = reader.structure
    if structure.folding.kind[node]:
        return reader.prefix + structure.known.hierarchy.path(node)
    return reader.id(structure.shown_item(node))


def _read_leaf(shown: Shown, place: Place, node: int, id: str) -> NodeAnswer:
    reader, graph = place.reader, place.graph
    structure = reader.structure
    drawn = reader.node(place.item, id)
    kind = int(structure.folding.kind[node])
    is_own = place.node is None
    ins, in_count = _ends(reader, np.flatnonzero(graph.edge_to == node), is_in=True)
    outs, out_count = _ends(reader, np.flatnonzero(graph.edge_from == node), is_in=False)
    compatible = is_compatible(graph)
    return NodeAnswer(
        id=id,
        name=graph.names[node],
        label=drawn.label
        if is_own
        else plain_label(structure.labels[int(structure.known.hierarchy.items[node])]),
        type=drawn.type if is_own else "op",
        op=graph.op_names[graph.ops[node]],
        where=[NodeName(*each) for each in shown.ancestors(place)],
        count=drawn.count if is_own else 1,
        repeats=drawn.repeats if is_own else None,
        differs=drawn.differs if is_own else [],
        port=KINDS[kind - 1] if kind else None,
        port_of=reader.id(place.item) if kind else None,
        attributes=[
            AttributeAnswer(name, found.text, found.size, found.is_cut)
            for name, found in graph.attributes(node).items()
        ],
        inputs=ins,
        input_count=in_count,
        outputs=outs,
        output_count=out_count,
        device=_name(graph.device_names, int(graph.devices[node])),
        dtype=_name(graph.dtype_names, int(graph.first_dtypes[node])),
        shape=_shape(graph, node),
        cluster=_name(graph.cluster_names, int(graph.clusters[node])),
        time=drawn.time if is_own else shown.measures.time_of(graph.names[node], reader.calls),
        memory=drawn.memory if is_own else shown.measures.memory_of(graph.names[node], reader.calls),
        flops=drawn.flops if is_own else _number(graph.flops[node]),
        parameters=drawn.parameters if is_own else int(graph.parameters[node]) or None,
        source=list(graph.source(node)),
        functions=list(graph.calls.get(node, ())),
        tpu=None if compatible is None else _tpu(reader, np.asarray([node])),
    )


def _read_group(shown: Shown, place: Place, id: str) -> NodeAnswer:
    reader, graph = place.reader, place.graph
    structure = reader.structure
    lo, hi = structure.range_of(place.item)
    drawn = reader.node(place.item, id)
    inside = np.flatnonzero((structure.shown_at >= lo) & (structure.shown_at < hi))
    counts = np.bincount(graph.ops[inside], minlength=len(graph.op_names))
    order = np.argsort(-counts, kind="stable")[:MAX_OPS].tolist()
    incoming = np.arange(len(structure.edges))[structure.incoming(place.item)]
    start = structure.edge_from[incoming]
    entering = structure.edges[incoming[(start < lo) | (start >= hi)]]
    outgoing = structure.outgoing(place.item)
    end = structure.edge_to[outgoing]
    leaving = structure.edges[outgoing[(end < lo) | (end >= hi)]]
    ins, in_count = _ends(reader, entering, is_in=True)
    outs, out_count = _ends(reader, leaving, is_in=False)
    return NodeAnswer(
        id=id,
        name=id,
        label=drawn.label,
        type=drawn.type,
        op=drawn.op,
        where=[NodeName(*each) for each in shown.ancestors(place)],
        count=drawn.count,
        repeats=drawn.repeats,
        differs=drawn.differs,
        inputs=ins,
        input_count=in_count,
        outputs=outs,
        output_count=out_count,
        device=drawn.device,
        dtype=drawn.dtype,
        cluster=drawn.cluster,
        time=drawn.time,
        memory=drawn.memory,
        flops=drawn.flops,
        parameters=drawn.parameters,
        ops=[OpCount(graph.op_names[code], int(counts[code])) for code in order if counts[code]],
        tpu=_tpu(reader, inside),
    )


def _ends(reader: LevelReader, edges: Any, *, is_in: bool) -> tuple[list[NodeEnd], int]:
    """The far ends of edges, each tensor or user once; and how many there are."""
    graph = reader.structure.graph
    found: dict[tuple[int, int, str], NodeEnd] = {}
    for edge in edges.tolist():
        source, output = int(graph.edge_from[edge]), int(graph.edge_output[edge])
        far = source if is_in else int(graph.edge_to[edge])
        missing = graph.missing.get(edge, "") if is_in and source < 0 else ""
        if far < 0 and not missing:
            continue
        key = far, output if is_in else 0, missing
        if key in found:
            continue
        if len(found) >= MAX_ENDS:
            return list(found.values()), len(edges)
        control = bool(graph.edge_control[edge])
        found[key] = NodeEnd(
            id="" if missing else node_id(reader, far),
            name=missing or graph.names[far],
            op="" if missing else graph.op_names[graph.ops[far]],
            output=output,
            shape="" if control or missing else edge_label(graph, edge),
            dtype="" if control or missing else _dtype(graph, source, output),
            control=control,
            is_missing=bool(missing),
        )
    return list(found.values()), len(found)


def _tpu(reader: LevelReader, nodes: Any) -> TpuAnswer | None:
    graph = reader.structure.graph
    compatible = is_compatible(graph)
    if compatible is None or not len(nodes):
        return None
    bad = nodes[~compatible[nodes]].tolist()
    return TpuAnswer(
        1 - len(bad) / len(nodes),
        len(bad),
        [
            NamedOp(node_id(reader, node), graph.names[node], graph.op_names[graph.ops[node]])
            for node in bad[:MAX_INCOMPATIBLE]
        ],
    )


def _dtype(graph: Graph, node: int, output: int) -> str:
    if output == 0:
        return _name(graph.dtype_names, int(graph.first_dtypes[node]))
    dtypes = graph.dtypes(node)
    return dtypes[output] if output < len(dtypes) else ""


def _shape(graph: Graph, node: int) -> str:
    code = int(graph.first_shapes[node])
    return shape_text(graph.shape_names[code]) if code >= 0 else ""


def _name(names: list[str], code: int) -> str:
    return names[code] if code >= 0 else ""


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
