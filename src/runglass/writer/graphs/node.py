"""A graph as plain nodes, and nodes as the bytes of a GraphDef. Knows no framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from runglass.native.wire import encode
from runglass.schema.graph import ATTR_VALUE, GRAPH
from runglass.schema.tensor import DataType

# The version that current readers expect; PyTorch writes it too.
PRODUCER = 22
# TensorBoard drops larger attributes when it shows a graph, and lists their names under this key.
ATTR_LIMIT_BYTES = 1024
TOO_LARGE = "_too_large_attrs"
# The op of a graph's inputs and outputs, as in PyTorch.
IO_NODE = "IO Node"

DATA_TYPES = {
    **{kind.name.lower(): kind for kind in DataType if kind != DataType.INVALID},
    "float16": DataType.HALF,
    "float32": DataType.FLOAT,
    "float64": DataType.DOUBLE,
}

Attr = bool | int | float | str | bytes | DataType
Shape = Sequence[int]


class Node(msgspec.Struct, kw_only=True):
    name: str
    op: str
    # "name" of another node, or "name:k" for its output k.
    inputs: Sequence[str] = ()
    # One per output, None if it is unknown; -1 is a size that varies.
    shapes: Sequence[Shape | None] = ()
    dtype: DataType | None = None
    device: str = ""
    attrs: dict[str, Attr | list[Attr]] = {}


class Graph(msgspec.Struct):
    """A graph in the form of an event file: fields of whole events, and serialized summary values."""

    events: list[dict[str, Any]] = []
    values: list[bytes] = []


class Names:
    """Makes names of nodes and scopes unique within one graph."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        # "^" and ":" have a special meaning in the inputs of a node.
        clean = "/".join(filter(None, wanted.replace(":", "_").split("/"))).lstrip("^") or "node"
        name = clean
        while name in self._taken:
            self._taken[clean] += 1
            name = f"{clean}_{self._taken[clean]}"
        self._taken[name] = 0
        return name


def output_name(node: str, index: int) -> str:
    return f"{node}:{index}" if index else node


def data_type(name: object) -> DataType | None:
    """`name` is spelled as in NumPy, JAX and PyTorch."""
    return DATA_TYPES.get(str(name).removeprefix("torch."))


def graph_event(nodes: Sequence[Node]) -> dict[str, Any]:
    return {"graph_def": encode_graph(nodes)}


def encode_graph(nodes: Sequence[Node]) -> bytes:
    return encode(GRAPH, {"node": [node_fields(node) for node in nodes], "versions": {"producer": PRODUCER}})


def node_fields(node: Node) -> dict[str, Any]:
    attrs = without_large({key: attr_fields(value) for key, value in node.attrs.items()})
    if any(shape is not None for shape in node.shapes):
        attrs["_output_shapes"] = {"list": {"shape": [shape_fields(shape) for shape in node.shapes]}}
    if node.dtype is not None:
        attrs["dtype"] = {"type": node.dtype}
    fields: dict[str, Any] = {"name": node.name, "op": node.op, "input": node.inputs, "attr": attrs}
    if node.device:
        fields["device"] = node.device
    return fields


def without_large(attrs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    large = [key for key, fields in attrs.items() if len(encode(ATTR_VALUE, fields)) > ATTR_LIMIT_BYTES]
    if not large:
        return attrs
    kept = {key: fields for key, fields in attrs.items() if key not in large}
    named = [key.encode("utf-8", "replace") for key in large]
    return {**kept, TOO_LARGE: {"list": {"s": named}}}


def shape_fields(shape: Shape | None) -> dict[str, Any]:
    return {"unknown_rank": True} if shape is None else {"dim": [{"size": size} for size in shape]}


def attr_fields(value: Attr | list[Attr]) -> dict[str, Any]:
    if not isinstance(value, list):
        kind, item = attr_item(value)
        return {kind: item}
    fields: dict[str, list[Any]] = {}
    for each in value:
        kind, item = attr_item(each)
        fields.setdefault(kind, []).append(item)
    return {"list": fields}


def attr_item(value: Attr) -> tuple[str, Any]:
    """The field of AttrValue for a value, and its content."""
    if isinstance(value, DataType):
        return "type", value
    if isinstance(value, bool):
        return "b", value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return "i", value
    if isinstance(value, float):
        return "f", value
    return "s", value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
