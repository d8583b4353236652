"""The graph of an ONNX model, without the onnx package and without reading its weights."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from runglass.errors import BadArgument
from runglass.native.wire import WireError, decode
from runglass.schema.onnx import DATA_TYPES, MODEL
from runglass.schema.tensor import DataType
from runglass.writer.graphs.node import IO_NODE, Attr, Graph, Names, Node, graph_event, output_name

# Property in which torch.onnx.export keeps the modules of a node, outermost first.
TORCH_SCOPES = "pkg.torch.onnx.name_scopes"
# By AttributeProto.type.
ZEROS: dict[int, Attr] = {1: 0.0, 2: 0, 3: b""}


def is_onnx(model: object) -> bool:
    return isinstance(model, str | os.PathLike) or type(model).__name__ == "ModelProto"


def onnx_graph(model: Any) -> Graph:
    """`model`: the path of a file, its bytes, or an onnx.ModelProto."""
    return Graph(events=[graph_event(OnnxReader(load_model(model)).nodes)])


def load_model(model: Any) -> dict[str, Any]:
    if isinstance(model, str | os.PathLike):
        where = os.fspath(model)
        try:
            # Mapped, so that gigabytes of weights are skipped and not read.
            with Path(model).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return parse_model(data, where)
        except BadArgument:
            raise
        except (OSError, ValueError) as error:
            raise BadArgument(f"add_onnx_graph cannot read {where}: {error}.") from error
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, bytes | bytearray | memoryview):
        raise BadArgument(
            f"add_onnx_graph takes the path of an ONNX file, its bytes or an onnx.ModelProto, got {type(model).__name__}."
        )
    return parse_model(model, "the bytes given")


def parse_model(data: Any, where: str) -> dict[str, Any]:
    try:
        model = decode(MODEL, data)
    except WireError as error:
        raise BadArgument(
            f"{where} is not an ONNX model: {error}. Write it with torch.onnx.export or onnx.save."
        ) from error
    if not model.get("graph", {}).get("node"):
        raise BadArgument(
            f"{where} is not an ONNX model: it has no graph with nodes. Write it with torch.onnx.export."
        )
    graph: dict[str, Any] = model["graph"]
    return graph


class ValueSource(msgspec.Struct, frozen=True):
    """The node that makes a value, and its type and shape."""

    source: str | None = None
    shape: list[int] | None = None
    dtype: DataType | None = None


class OnnxReader:
    def __init__(self, graph: dict[str, Any]) -> None:
        self.nodes: list[Node] = []
        self._names = Names()
        values: dict[str, ValueSource] = {}
        weights = {tensor.get("name") for tensor in graph.get("initializer", [])}
        # Old models list their weights as inputs too.
        for name, described in declared(graph, "input"):
            if name not in weights:
                values[name] = self._add(f"input/{name}", IO_NODE, [], described)
        self._read(graph, values, "")
        for name, described in declared(graph, "output"):
            self._add(f"output/{name}", IO_NODE, self._inputs([name], values), described)

    def _read(self, graph: dict[str, Any], values: dict[str, ValueSource], scope: str) -> None:
        described = dict(declared(graph, "value_info")) | dict(declared(graph, "output"))
        nodes = graph.get("node", [])
        names = [self._names.take(f"{scope}/{wanted_name(node)}") for node in nodes]
        users: dict[str, list[int]] = {}
        for index, node in enumerate(nodes):
            for name in node.get("input", []):
                users.setdefault(name, []).append(index)
        for tensor in graph.get("initializer", []):
            name = tensor.get("name", "")
            # Beside the one node that uses it, so that weights do not fill the top level of the graph.
            place = names[users[name][0]].rpartition("/")[0] if len(users.get(name, ())) == 1 else scope
            values[name] = self._add(f"{place}/{name}", "Initializer", [], tensor_described(tensor))
        # Nodes should come after their inputs, but a file may break that rule.
        for name, node in zip(names, nodes, strict=True):
            for index, output in enumerate(node.get("output", [])):
                known = described.get(output, ValueSource())
                values[output] = ValueSource(output_name(name, index), known.shape, known.dtype)
        for name, node in zip(names, nodes, strict=True):
            self._read_node(node, name, values)

    def _read_node(self, node: dict[str, Any], name: str, values: dict[str, ValueSource]) -> None:
        inputs = self._inputs(node.get("input", []), values)
        attrs: dict[str, Attr | list[Attr]] = {}
        for attribute in node.get("attribute", []):
            label = attribute.get("name", "")
            bodies = [attribute["g"]] if "g" in attribute else attribute.get("graphs", [])
            for body in bodies:
                # A body sees the values around it; its own values stay inside.
                inside = values | {inner: ValueSource() for inner, _ in declared(body, "input")}
                self._read(body, inside, f"{name}/{label}")
                inputs += self._inputs([result for result, _ in declared(body, "output")], inside)
            if not bodies:
                attrs[label] = attribute_value(attribute)
        if node.get("domain"):
            attrs["domain"] = node["domain"]
        outputs = [values[output] for output in node.get("output", [])]
        self.nodes.append(
            Node(
                name=name,
                op=node.get("op_type", ""),
                inputs=inputs,
                shapes=[output.shape for output in outputs],
                dtype=outputs[0].dtype if outputs else None,
                attrs=attrs,
            )
        )

    def _add(self, name: str, op: str, inputs: list[str], known: ValueSource) -> ValueSource:
        node = Node(
            name=self._names.take(name), op=op, inputs=inputs, shapes=[known.shape], dtype=known.dtype
        )
        self.nodes.append(node)
        return ValueSource(node.name, known.shape, known.dtype)

    def _inputs(self, names: list[str], values: dict[str, ValueSource]) -> list[str]:
        sources = [values[name].source for name in names if name in values]
        return [source for source in sources if source is not None]


def wanted_name(node: dict[str, Any]) -> str:
    """The name of a node, below its modules if only its properties name them."""
    name: str = node.get("name") or node.get("op_type") or "node"
    scopes: list[str] = []
    for each in node.get("metadata_props", []):
        if each.get("key") == TORCH_SCOPES and "/" not in name:
            # A list as Python prints it; its last item is the operation.
            scopes = re.findall(r"'([^']*)'", each.get("value", ""))[:-1]
    return "/".join([*scopes, name])


def declared(graph: dict[str, Any], field: str) -> Iterator[tuple[str, ValueSource]]:
    for info in graph.get(field, []):
        kind = info.get("type", {}).get("tensor_type", {})
        shape = (
            [dim.get("dim_value", -1) for dim in kind["shape"].get("dim", [])] if "shape" in kind else None
        )
        yield info.get("name", ""), ValueSource(None, shape, DATA_TYPES.get(kind.get("elem_type", 0)))


def tensor_described(tensor: dict[str, Any]) -> ValueSource:
    return ValueSource(None, list(tensor.get("dims", [])), DATA_TYPES.get(tensor.get("data_type", 0)))


def attribute_value(attribute: dict[str, Any]) -> Attr | list[Attr]:
    for field in ("i", "f", "s", "ints", "floats", "strings"):
        if field in attribute:
            value: Attr | list[Attr] = attribute[field]
            return value
    if "t" in attribute:
        known = tensor_described(attribute["t"])
        return f"{known.dtype.name.lower() if known.dtype else 'tensor'} {known.shape}"
    # Some writers leave out zero and empty fields.
    return ZEROS.get(attribute.get("type", 0), [])
