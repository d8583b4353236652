"""ONNX models as graphs. The values of weights are never decoded.

Inputs and weights stand before the nodes of the file, outputs after them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runglass.native.wire import Field, Message, WireError, decode
from runglass.query.graphs.formats.attribute_text import bytes_text, dims_text, items_text
from runglass.query.graphs.formats.build import GraphBuilder
from runglass.query.graphs.formats.torch_names import Modules, path_of, read_stack
from runglass.query.graphs.formats.words import of_data_type
from runglass.query.graphs.model import ATTRIBUTE_LIMIT, Graph, GraphDamaged, Shape
from runglass.schema.onnx import ATTRIBUTE, DATA_TYPES, FUNCTION, GRAPH, NODE, TENSOR_VALUES
from runglass.schema.tensor_values import NUMPY

FORMAT = "ONNX"
INPUT_OP, WEIGHT_OP, OUTPUT_OP = "Input", "Initializer", "Output"
# Properties in which torch.onnx.export keeps the modules of a node and their classes, outermost first.
TORCH_SCOPES = "pkg.torch.onnx.name_scopes"
TORCH_CLASSES = "pkg.torch.onnx.class_hierarchy"
TORCH_STACK = "pkg.torch.onnx.stack_trace"
FLOATS = frozenset({"f16", "bf16", "f32", "f64"})
SINGLE_FIELDS = ("f", "i", "s")
LIST_FIELDS = ("floats", "ints", "strings")
# By AttributeProto.type: what a field that is not on the wire stands for.
ZEROS: dict[int, Any] = {1: 0.0, 2: 0, 3: ""}

# Attributes stay bytes until somebody looks at them, except for the graphs among them.
NODE_HEAD = Message(
    "onnx.NodeProto",
    *(field for field in NODE.fields if field.name != "attribute"),
    Field(5, "attribute", "bytes", repeated=True),
)
GRAPH_HEAD = Message(
    "onnx.GraphProto",
    *(field for field in GRAPH.fields if field.name != "node"),
    Field(1, "node", NODE_HEAD, repeated=True),
)
FUNCTION_HEAD = Message(
    "onnx.FunctionProto",
    *(field for field in FUNCTION.fields if field.name != "node"),
    Field(7, "node", NODE_HEAD, repeated=True),
)
MODEL_HEAD = Message(
    "onnx.ModelProto",
    Field(7, "graph", GRAPH_HEAD),
    Field(25, "functions", FUNCTION_HEAD, repeated=True),
)
ATTRIBUTE_GRAPHS = Message(
    "onnx.AttributeProto",
    Field(1, "name", "string"),
    Field(6, "g", GRAPH_HEAD),
    Field(11, "graphs", GRAPH_HEAD, repeated=True),
)
ATTRIBUTE_VALUES = Message(
    "onnx.AttributeProto",
    *(field for field in ATTRIBUTE.fields if field.name not in {"t", "g", "graphs"}),
    Field(5, "t", TENSOR_VALUES),
    Field(6, "g", Message("onnx.GraphProto", Field(2, "name", "string"))),
    Field(11, "graphs", Message("onnx.GraphProto", Field(2, "name", "string")), repeated=True),
)


class Value(NamedTuple):
    shape: Shape | None
    dtype: str


def parse_onnx(data: bytes | memoryview) -> Graph:
    try:
        model = decode(MODEL_HEAD, data)
    except WireError as error:
        raise GraphDamaged(
            f"This is not an ONNX model: {error}. The file may be cut off, or of another format."
        ) from None
    if "graph" not in model:
        raise GraphDamaged("This is not an ONNX model: it has no graph.")
    return OnnxReader(model).graph


class Functions(Mapping[str, Graph]):
    """Functions of a model, and graphs that are attributes of nodes, made when they are asked for."""

    def __init__(self) -> None:
        self._make: dict[str, Callable[[], Graph]] = {}
        self._made: dict[str, Graph] = {}

    def add(self, name: str, make: Callable[[], Graph]) -> str:
        unique = name
        number = 1
        while unique in self._make:
            number += 1
            unique = f"{name}#{number}"
        self._make[unique] = make
        return unique

    def __len__(self) -> int:
        return len(self._make)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._make))

    def __getitem__(self, name: str) -> Graph:
        if name not in self._made:
            self._made[name] = self._make[name]()
        return self._made[name]


class OnnxReader:
    def __init__(self, model: dict[str, Any]) -> None:
        self._functions = Functions()
        self._names: dict[tuple[str, str, str], str] = {}
        for function in model.get("functions", ()):
            key = tuple(function.get(part, "") for part in ("domain", "name", "overload"))
            label = f"{key[0]}.{key[1]}" if key[0] else key[1]
            self._names[key] = self._functions.add(label, lambda each=function: self._body(each, 0))  # type: ignore[misc]
        self.graph = self._body(model["graph"], 0)

    def _body(self, graph: dict[str, Any], depth: int) -> Graph:
        return BodyReader(graph, self._names, self._functions, depth).graph


class BodyReader:
    """The main graph, a function, or a graph inside a node."""

    def __init__(
        self,
        graph: dict[str, Any],
        names: dict[tuple[str, str, str], str],
        functions: Functions,
        depth: int,
    ) -> None:
        self._builder = GraphBuilder(FORMAT)
        self._names = names
        self._functions = functions
        self._depth = depth
        self._modules = Modules()
        self._groups: dict[str, str] = {}
        self._calls: dict[int, tuple[str, ...]] = {}
        # The node and output that make a value.
        self._makers: dict[str, tuple[int, int]] = {}
        self._values = {each.get("name", ""): read_value(each) for each in typed_values(graph)}
        self._weights = {each.get("name", ""): read_tensor(each) for each in graph.get("initializer", ())}
        outputs = [value_name(each) for each in graph.get("output", ())]
        self._ends = set(outputs)
        nodes = graph.get("node", [])
        places = [self._place(number, node) for number, node in enumerate(nodes)]
        inputs = [value_name(each) for each in graph.get("input", ())]
        arguments = self._add_arguments(inputs, nodes, places)
        for number, node in enumerate(nodes):
            self._add_node(node, *places[number])
        for number, node in enumerate(nodes):
            self._connect(node, arguments + number)
        for name in outputs:
            value = self._values.get(name)
            result = self._add(name, OUTPUT_OP, name, [value])
            self._link(name, result)
        self.graph = self._builder.finish(
            group_types=self._modules.types,
            functions=functions,
            calls=self._calls,
            arguments=arguments,
            results=len(outputs),
        )

    def _add(self, name: str, op: str, path: str, values: Sequence[Value | None], **more: Any) -> int:
        known = [value for value in values if value is not None]
        return self._builder.add(
            name,
            op,
            path=path,
            shapes=[None if value is None else value.shape for value in values] if known else (),
            dtypes=["" if value is None else value.dtype for value in values] if known else (),
            **more,
        )

    def _place(self, number: int, node: dict[str, Any]) -> tuple[str, str]:
        """The name of a node and its path. One without a name has that of a value that it makes and no end of the graph has."""
        values = (value for value in node.get("output", ()) if value and value not in self._ends)
        name = node.get("name") or next(values, "") or f"{node.get('op_type')}_{number}"
        written = property_of(node, TORCH_SCOPES)
        if not written:
            return name, path_of(name)
        # Most nodes share their modules with others; the last scope is the operation itself.
        modules = written.rpartition(",")[0]
        group = self._groups.get(modules)
        if group is None:
            scopes = read_list(written)[:-1]
            classes = read_list(property_of(node, TORCH_CLASSES))
            group = self._modules.add(zip(scopes, [*classes, *([""] * len(scopes))], strict=False))
            self._groups[modules] = group
        last = name.rpartition("/")[2]
        return name, f"{group}/{last}" if group else last

    def _add_arguments(
        self, inputs: list[str], nodes: list[dict[str, Any]], places: list[tuple[str, str]]
    ) -> int:
        """Inputs, then weights, then values of an outer graph. Returns how many they are."""
        scopes: dict[str, str] = {}
        made = {output for node in nodes for output in node.get("output", ())}
        outer: dict[str, None] = {}
        for node, (_, path) in zip(nodes, places, strict=True):
            for name in node.get("input", ()):
                scopes.setdefault(name, path.rpartition("/")[0])
                if (
                    name
                    and self._depth
                    and name not in made
                    and name not in self._weights
                    and name not in inputs
                ):
                    outer[name] = None
        count = 0
        for name in dict.fromkeys([*inputs, *outer]):
            # Old models list weights among the inputs too.
            if name and name not in self._weights:
                self._makers[name] = (self._add(name, INPUT_OP, name, [self._values.get(name)]), 0)
                count += 1
        for name, value in self._weights.items():
            path = self._modules.place_weight(name, scopes.get(name, ""))
            held = math.prod(size or 0 for size in value.shape or ()) if value.dtype in FLOATS else 0
            self._makers[name] = (
                self._add(name, WEIGHT_OP, path, [value], parameters=min(held, 2**62), flops=0.0),
                0,
            )
            count += 1
        return count

    def _add_node(self, node: dict[str, Any], name: str, path: str) -> None:
        op = node.get("op_type", "")
        outputs = node.get("output", [])
        number = self._add(
            name,
            op,
            path,
            [self._values.get(output) for output in outputs],
            attributes=lambda: node_attributes(node),
            source=lambda: read_stack(property_of(node, TORCH_STACK)),
            flops=self._flops(op, node),
        )
        for at, output in enumerate(outputs):
            if output:
                self._makers.setdefault(output, (number, at))
        called = [self._names.get((node.get("domain", ""), op, node.get("overload", "")))]
        called += [
            self._functions.add(f"{name}.{attribute.get('name', '')}", self._inner(graph))
            for attribute in map(read_graphs, node.get("attribute", ()))
            for graph in ([attribute["g"]] if "g" in attribute else attribute.get("graphs", ()))
        ]
        found = tuple(filter(None, called))
        if found:
            self._calls[number] = found

    def _inner(self, graph: dict[str, Any]) -> Callable[[], Graph]:
        return lambda: BodyReader(graph, self._names, self._functions, self._depth + 1).graph

    def _link(self, name: str, end: int) -> None:
        maker = self._makers.get(name)
        self._builder.connect(maker[0] if maker else None, end, output=maker[1] if maker else 0, name=name)

    def _connect(self, node: dict[str, Any], number: int) -> None:
        for name in node.get("input", ()):
            # "" is an optional input that is left out.
            if name:
                self._link(name, number)

    def _value(self, name: str) -> Shape:
        value = self._weights.get(name) or self._values.get(name)
        return (value.shape or ()) if value else ()

    def _flops(self, op: str, node: dict[str, Any]) -> float:
        inputs, outputs = node.get("input", []), node.get("output", [])
        if op in FREE:
            return 0.0
        if len(inputs) < 2 or not outputs:
            return math.nan
        left, right, out = self._value(inputs[0]), self._value(inputs[1]), self._value(outputs[0])
        if op in {"MatMul", "Gemm"} and left and len(right) >= 1:
            if op == "Gemm":
                return 2.0 * count(out) * count(right) / (out[-1] or 1) if out else math.nan
            columns = right[-1] if len(right) > 1 else 1
            return 2.0 * count(left) * (columns or 1)
        if op == "Conv" and out and len(right) >= 3:
            return 2.0 * count(out) * count(right[1:])
        if op == "ConvTranspose" and left and len(right) >= 3:
            return 2.0 * count(left) * count(right[1:])
        return math.nan


FREE = frozenset(
    {
        *(
            "Constant",
            "Identity",
            "Reshape",
            "Transpose",
            "Squeeze",
            "Unsqueeze",
            "Flatten",
            "Concat",
            "Split",
        ),
        *("Slice", "Gather", "Shape", "Size", "Expand", "Tile", "Cast", "Dropout", "ConstantOfShape", "Pad"),
    }
)


def count(shape: Shape) -> float:
    return float(math.prod(1 if size is None else size for size in shape))


def typed_values(graph: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in ("value_info", "input", "output"):
        for each in graph.get(part, ()):
            # The inputs of a function are names alone.
            if isinstance(each, dict):
                yield each


def value_name(value: dict[str, Any] | str) -> str:
    return value if isinstance(value, str) else str(value.get("name", ""))


def dtype_word(number: int) -> str:
    kind = DATA_TYPES.get(number)
    return of_data_type(kind) if kind is not None else ""


def read_value(value: dict[str, Any]) -> Value:
    tensor = value.get("type", {}).get("tensor_type", {})
    shape = tensor.get("shape")
    if shape is None:
        return Value(None, dtype_word(tensor.get("elem_type", 0)))
    sizes = (dim.get("dim_value") for dim in shape.get("dim", ()))
    return Value(
        tuple(None if size is None or size < 0 else size for size in sizes),
        dtype_word(tensor.get("elem_type", 0)),
    )


def read_tensor(tensor: dict[str, Any]) -> Value:
    return Value(
        tuple(max(0, size) for size in tensor.get("dims", ())), dtype_word(tensor.get("data_type", 0))
    )


def property_of(node: dict[str, Any], key: str) -> str:
    return next(
        (each.get("value", "") for each in node.get("metadata_props", ()) if each.get("key") == key), ""
    )


def read_list(text: str) -> list[str]:
    """A list that PyTorch wrote as Python; empty if it is none."""
    try:
        found = ast.literal_eval(text) if text and len(text) < 10_000 else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(item, str) for item in found) else []


def node_attributes(node: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if node.get("domain"):
        found["domain"] = node["domain"]
    for each in node.get("metadata_props", ()):
        if each.get("key") != TORCH_STACK:
            found[each.get("key", "")] = each.get("value", "")
    for each in node.get("attribute", ()):
        try:
            attribute = decode(ATTRIBUTE_VALUES, each)
        except WireError:
            continue
        found[attribute.get("name", "")] = attribute_value(attribute)
    return found


def read_graphs(attribute: bytes) -> dict[str, Any]:
    """The graphs that an attribute holds."""
    try:
        return decode(ATTRIBUTE_GRAPHS, attribute)
    except WireError:
        return {}


def attribute_value(attribute: dict[str, Any]) -> Any:
    if "t" in attribute:
        return tensor_text(attribute["t"])
    if "g" in attribute:
        return f"graph {attribute['g'].get('name', '')}"
    if "graphs" in attribute:
        return f"{len(attribute['graphs'])} graphs"
    for name in (*SINGLE_FIELDS, *LIST_FIELDS):
        if name in attribute:
            value = attribute[name]
            if name == "s":
                return bytes_text(value, 4 << 20)
            return [bytes_text(each, 4 << 20) for each in value] if name == "strings" else value
    return ZEROS.get(attribute.get("type", 0), [])


def tensor_text(tensor: dict[str, Any]) -> str:
    value = read_tensor(tensor)
    head = f"{value.dtype}{dims_text(value.shape)}"
    items = tensor_items(tensor)
    return f"{head} {items_text(items, ATTRIBUTE_LIMIT)}" if items else head


def tensor_items(tensor: dict[str, Any]) -> list[Any]:
    for name in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data"):
        if tensor.get(name):
            return list(tensor[name])
    raw = tensor.get("raw_data", b"")
    kind = DATA_TYPES.get(tensor.get("data_type", 0))
    dtype = NUMPY.get(kind) if kind is not None else None
    if dtype is None or not raw or len(raw) % dtype.itemsize:
        return []
    items: list[Any] = np.frombuffer(raw, dtype).tolist()
    return items
