"""TensorFlow's GraphDef, which most event files hold, as a graph. Nodes are scanned natively and decoded one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from runglass.native.graph import AttributeCodes, NodeScan, resolve_inputs, scan_nodes
from runglass.native.wire import Field, Message, WireError, decode
from runglass.query.graphs.formats.attribute_text import make_attribute, plain_value, read_shape
from runglass.query.graphs.formats.costs import graph_def_costs
from runglass.query.graphs.formats.torch_names import WEIGHT_OP, is_torch, path_of, split_names
from runglass.query.graphs.formats.words import of_data_type
from runglass.query.graphs.model import (
    ARGUMENT_OP,
    RESULT_OP,
    Attribute,
    Frame,
    Graph,
    GraphDamaged,
    Int32,
    Int64,
    Shape,
    is_op,
    to_codes,
)
from runglass.schema.graph import ARG, ATTR_VALUE, DEBUG_INFO
from runglass.schema.tensor import SHAPE, DataType

FORMAT = "GraphDef"
# Field numbers of GraphDef and FunctionDef.
GRAPH_NODE, GRAPH_LIBRARY, GRAPH_DEBUG_INFO = 1, 2, 5
FUNCTION_SIGNATURE, FUNCTION_NODE, FUNCTION_RESULT = 1, 3, 4

# A node with its attributes left as bytes.
NODE_ATTRIBUTES = Message("NodeDef", Field(5, "attr", "bytes", key="string"))
SIGNATURE = Message(
    "OpDef",
    Field(1, "name", "string"),
    Field(2, "input_arg", ARG, repeated=True),
    Field(3, "output_arg", ARG, repeated=True),
)
FUNCTION_HEAD = Message(
    "FunctionDef", Field(1, "signature", SIGNATURE), Field(4, "ret", "string", key="string")
)
LIBRARY = Message("FunctionDefLibrary", Field(1, "function", "bytes", repeated=True))

VARIABLE_OPS = frozenset({"VarHandleOp", "VariableV2", "AutoReloadVariable"})
# Ops whose `T` is the type of what they compare, not of their answer.
BOOL_OPS = frozenset(
    {
        *("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "ApproximateEqual", "IsNan"),
        *("IsInf", "IsFinite", "LogicalAnd", "LogicalOr", "LogicalNot", "VarIsInitializedOp", "All", "Any"),
    }
)
BOOL_TYPE = DataType.BOOL.value
# Attributes that name functions, in the order that people read them.
CALL_ORDER = {"f": 0, "cond": 1, "body": 2, "then_branch": 3, "else_branch": 4, "branches": 5}
# The outputs of ops that have several with names, in order: bodies of functions name outputs.
OUTPUT_NAMES = {
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV3": (
        *("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"),
    ),
    "FusedBatchNormGradV3": (
        *("x_backprop", "scale_backprop", "offset_backprop", "reserve_space_4", "reserve_space_5"),
    ),
    "BroadcastGradientArgs": ("r0", "r1"),
    "SparseSoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "SoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "TopKV2": ("values", "indices"),
    "TopK": ("values", "indices"),
    "Unique": ("y", "idx"),
    "UniqueV2": ("y", "idx"),
    "UniqueWithCounts": ("y", "idx", "count"),
    "Switch": ("output_false", "output_true"),
    "Merge": ("output", "value_index"),
    "MaxPoolWithArgmax": ("output", "argmax"),
    "TensorListPopBack": ("output_handle", "tensor"),
    "TensorArrayV3": ("handle", "flow"),
    "Svd": ("s", "u", "v"),
    "Qr": ("q", "r"),
    "SelfAdjointEigV2": ("e", "v"),
    "Where": ("index",),
    "IteratorV2": ("handle",),
    "CudnnRNNV3": ("output", "output_h", "output_c", "reserve_space", "host_reserved"),
    "NonMaxSuppressionV5": ("selected_indices", "selected_scores", "valid_outputs"),
    "StatelessRandomGetKeyCounter": ("key", "counter"),
    "StatelessRandomGetKeyCounterAlg": ("key", "counter", "alg"),
    "Moments": ("mean", "variance"),
}


class Part(NamedTuple):
    """A GraphDef in some bytes, and what its names begin with once it is merged with others."""

    start: int
    end: int
    node_prefix: str = ""
    function_prefix: str = ""


class Argument(NamedTuple):
    name: str
    dtype: int


def parse_graph_def(data: bytes) -> Graph:
    """Keeps what stands before a fault. Raises GraphDamaged if that is nothing."""
    return parse_parts(data, [Part(0, len(data))])


def parse_parts(data: bytes, parts: Sequence[Part], problems: Sequence[str] = ()) -> Graph:
    """The GraphDefs at these places of `data` as one graph."""
    scans = [scan_nodes(data, part.start, part.end, GRAPH_NODE) for part in parts]
    faults = [
        f"Byte {scan.fault_at:,} of {len(data):,}: {scan.fault}. What stands before it is shown."
        for scan in scans
        if scan.fault
    ]
    if faults and not any(scan.names for scan in scans):
        fault = next(scan for scan in scans if scan.fault)
        raise GraphDamaged(
            f"This is not a GraphDef: byte {fault.fault_at:,} of {len(data):,}: {fault.fault}. "
            "The file may be cut off, or of another format."
        )
    functions = Functions(data)
    for part, scan in zip(parts, scans, strict=True):
        functions.add_library(part, scan)
    debug = [
        (start, start + size)
        for scan in scans
        for number, start, size in scan.others
        if number == GRAPH_DEBUG_INFO
    ]
    body = Body(data, scans, parts, functions)
    return body.make_graph(problems=(*problems, *functions.problems, *faults), debug=debug)


class Functions(Mapping[str, Graph]):
    """The functions of a graph, each parsed when it is first asked for."""

    def __init__(self, data: bytes) -> None:
        self.problems: list[str] = []
        self._data = data
        # Where each stands, and the part of the graph that it belongs to.
        self._places: dict[str, tuple[int, int, Part]] = {}
        self._parsed: dict[str, Graph] = {}

    def add_library(self, part: Part, scan: NodeScan) -> None:
        for number, start, size in scan.others:
            if number != GRAPH_LIBRARY:
                continue
            library = scan_nodes(self._data, start, start + size, GRAPH_LIBRARY << 20)
            for field, at, length in library.others:
                if field == 1:
                    name = self._read_name(at, length)
                    self._places.setdefault(f"{part.function_prefix}{name}", (at, at + length, part))

    def _read_name(self, at: int, length: int) -> str:
        head = scan_nodes(self._data, at, at + length, FUNCTION_NODE << 20)
        for field, start, size in head.others:
            if field == FUNCTION_SIGNATURE:
                # The name comes first, so the rest of the signature is not decoded here.
                for inner, begin, count in scan_nodes(self._data, start, start + size, 1 << 20).others:
                    if inner == 1:
                        return self._data[begin : begin + count].decode("utf-8", "replace")
        return ""

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> Graph:
        known = self._parsed.get(name)
        if known is None:
            known = self._parsed[name] = self._parse(*self._places[name])
        return known

    def _parse(self, start: int, end: int, part: Part) -> Graph:
        try:
            head = decode(FUNCTION_HEAD, self._data[start:end])
        except WireError:
            head = {}
        signature = head.get("signature", {})
        arguments = [
            Argument(arg.get("name", ""), arg.get("type", 0)) for arg in signature.get("input_arg", ())
        ]
        results = [
            Argument(arg.get("name", ""), arg.get("type", 0)) for arg in signature.get("output_arg", ())
        ]
        scan = scan_nodes(self._data, start, end, FUNCTION_NODE)
        problems = [f"Byte {scan.fault_at:,}: {scan.fault}."] if scan.fault else []
        bare = Part(start, end, "", part.function_prefix)
        body = Body(self._data, [scan], [bare], self, arguments, results, head.get("ret", {}))
        return body.make_graph(problems=problems, debug=[])


class Body:
    """The nodes of a graph or of a function's body, from one scan or several, joined."""

    def __init__(
        self,
        data: bytes,
        scans: Sequence[NodeScan],
        parts: Sequence[Part],
        functions: Functions,
        arguments: Sequence[Argument] = (),
        results: Sequence[Argument] = (),
        returned: Mapping[str, str] | None = None,
    ) -> None:
        self._data = data
        self._scans = scans
        self._parts = parts
        self._functions = functions
        self._arguments = arguments
        self._results = results
        self._returned = returned or {}

    def make_graph(self, *, problems: Sequence[str], debug: Sequence[tuple[int, int]]) -> Graph:
        before, after = len(self._arguments), len(self._results)
        names = [argument.name for argument in self._arguments]
        for part, scan in zip(self._parts, self._scans, strict=True):
            names += [f"{part.node_prefix}{name}" for name in scan.names] if part.node_prefix else scan.names
        names += [result.name for result in self._results]
        op_names, ops = self._join("op_names", "ops")
        device_names, devices = self._join("device_names", "devices")
        cluster_names, clusters = self._join("cluster_names", "clusters")
        shape_bytes, shapes = self._join("shape_names", "shapes")
        _, own_shapes = self._join("shape_names", "own_shapes")
        op_names, ops = self._with_ends(op_names, ops)
        is_variable = is_op(ops, op_names, VARIABLE_OPS)
        # The output of a variable is a handle; what people want to see is the shape of what it holds.
        shapes = np.where((is_variable | (shapes < 0)) & (own_shapes >= 0), own_shapes, shapes)
        shape_names, first_shapes = decode_shapes(shape_bytes, shapes)
        dtype_names, dtypes = self._dtypes(ops, op_names)
        edges = self._edges(names, ops, op_names)
        details = NodeDetails(
            self._data,
            np.concatenate([np.empty(0, np.int64), *(scan.starts for scan in self._scans)]),
            np.concatenate([np.empty(0, np.int64), *(scan.sizes for scan in self._scans)]),
            [*self._arguments],
            [*self._results],
            debug,
        )
        paths, group_types = None, None
        if is_torch(op_names):
            weight = op_names.index(WEIGHT_OP) if WEIGHT_OP in op_names else -1
            holders = np.flatnonzero(ops == weight).tolist()
            paths, group_types = split_names(names, [names[node] for node in holders])
        elif any(name.startswith("/") for name in names):
            # Nodes of an ONNX model, which PyTorch's writer keeps in a GraphDef.
            paths = [path_of(name) for name in names]
        graph = Graph(
            format=FORMAT,
            names=names,
            paths=paths,
            group_types=group_types,
            op_names=op_names,
            ops=ops,
            device_names=device_names,
            devices=devices,
            cluster_names=cluster_names,
            clusters=clusters,
            shape_names=shape_names,
            first_shapes=first_shapes,
            dtype_names=dtype_names,
            first_dtypes=dtypes,
            **edges,
            functions=self._functions,
            calls=self._calls(ops, op_names),
            arguments=before,
            results=after,
            details=details,
            costs=graph_def_costs,
            problems=problems,
        )
        details.bind(graph)
        return graph

    def _join(self, names: str, codes: str) -> tuple[list[Any], Int32]:
        """One column of all scans, with -1 for arguments and results."""
        known: dict[Any, int] = {}
        columns = [np.full(len(self._arguments), -1, np.int32)]
        for scan in self._scans:
            found: list[Any] = getattr(scan, names)
            # The last is for -1.
            numbers = [known.setdefault(name, len(known)) for name in found]
            columns.append(np.array([*numbers, -1], np.int32)[getattr(scan, codes)])
        columns.append(np.full(len(self._results), -1, np.int32))
        return list(known), np.concatenate(columns)

    def _with_ends(self, op_names: list[str], ops: Int32) -> tuple[list[str], Int32]:
        before, after = len(self._arguments), len(self._results)
        for op, place in ((ARGUMENT_OP, slice(0, before)), (RESULT_OP, slice(len(ops) - after, len(ops)))):
            if place.stop > place.start:
                if op not in op_names:
                    op_names.append(op)
                ops[place] = op_names.index(op)
        return op_names, ops

    def _dtypes(self, ops: Int32, op_names: list[str]) -> tuple[list[str], Int32]:
        numbers = np.concatenate(
            [
                np.array([argument.dtype for argument in self._arguments], np.int32),
                *(scan.dtypes for scan in self._scans),
                np.array([result.dtype for result in self._results], np.int32),
            ]
        )
        numbers[is_op(ops, op_names, BOOL_OPS)] = BOOL_TYPE
        words: dict[int, str | None] = {}
        for number in numbers.tolist():
            if number not in words:
                words[number] = of_data_type(number) or None
        return to_codes([words[number] for number in numbers.tolist()])

    def _edges(self, names: list[str], ops: Int32, op_names: list[str]) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {"from": [], "to": [], "output": [], "control": []}
        missing: dict[int, str] = {}
        base = len(self._arguments)
        count = 0
        for scan in self._scans:
            # A name means a node of its own part; of two with one name, the first.
            index = {name: base + at for at, name in reversed(list(enumerate(scan.names)))}
            index.update({argument.name: at for at, argument in enumerate(self._arguments)})
            nodes, outputs, control, output_names, output_codes, lost = resolve_inputs(
                self._data, scan.input_starts, scan.input_sizes, index
            )
            columns["from"].append(nodes)
            columns["to"].append(scan.input_nodes + np.int32(base))
            columns["output"].append(self._number(nodes, outputs, output_names, output_codes, ops, op_names))
            columns["control"].append(control)
            missing.update({count + edge: name for edge, name in lost.items()})
            count += len(nodes)
            base += len(scan.names)
        for at, result in enumerate(self._results):
            text = self._returned.get(result.name)
            if text is None:
                continue
            # One more input, as the file spells it.
            spelled = text.encode("utf-8", "replace")
            nodes, outputs, control, output_names, output_codes, lost = resolve_inputs(
                spelled, np.zeros(1, np.int64), np.array([len(spelled)], np.int64), index
            )
            columns["from"].append(nodes)
            columns["to"].append(np.array([base + at], np.int32))
            columns["output"].append(self._number(nodes, outputs, output_names, output_codes, ops, op_names))
            columns["control"].append(control)
            missing.update({count + edge: name for edge, name in lost.items()})
            count += 1
        types = {"from": np.int32, "to": np.int32, "output": np.int32, "control": np.bool_}
        joined: dict[str, Any] = {
            f"edge_{name}": np.concatenate([np.empty(0, types[name]), *arrays]).astype(types[name])
            for name, arrays in columns.items()
        }
        return {**joined, "missing": missing}

    def _number(
        self,
        nodes: Int32,
        outputs: Int32,
        output_names: list[str],
        output_codes: Int32,
        ops: Int32,
        op_names: list[str],
    ) -> Int32:
        """Adds the place of a named output to its number within that name."""
        if not output_names:
            return outputs
        for name_code, name in enumerate(output_names):
            for op_code, op in enumerate(op_names):
                place = OUTPUT_NAMES.get(op, ())
                if name in place and place.index(name):
                    chosen = (output_codes == name_code) & (ops[nodes] == op_code)
                    outputs[chosen] += place.index(name)
        return outputs

    def _calls(self, ops: Int32, op_names: list[str]) -> dict[int, tuple[str, ...]]:
        calls: dict[int, dict[str, None]] = {}
        base = len(self._arguments)
        for part, scan in zip(self._parts, self._scans, strict=True):
            for code, op in enumerate(scan.op_names):
                name = f"{part.function_prefix}{op}"
                if name in self._functions:
                    for found in np.flatnonzero(scan.ops == code).tolist():
                        calls.setdefault(base + found, {})[name] = None
            # Attributes have no order in a file. Stable, because branches do.
            for node, _, function in sorted(
                scan.functions, key=lambda each: (each[0], CALL_ORDER.get(each[1], 9), each[1])
            ):
                name = f"{part.function_prefix}{function}"
                if name in self._functions:
                    calls.setdefault(base + node, {})[name] = None
            base += len(scan.names)
        return {node: tuple(names) for node, names in calls.items()}


def decode_shapes(shape_bytes: list[bytes], codes: Int32) -> tuple[list[Shape], Int32]:
    """Distinct shapes and their numbers; those of unknown rank become -1."""
    decoded: list[Shape | None] = []
    for each in shape_bytes:
        try:
            decoded.append(read_shape(decode(SHAPE, each)))
        except WireError:
            decoded.append(None)
    names, numbers = to_codes(decoded)
    return names, np.append(numbers, np.int32(-1))[codes]


class NodeDetails:
    """Decodes single nodes where they stand."""

    def __init__(
        self,
        data: bytes,
        starts: Any,
        sizes: Any,
        arguments: list[Argument],
        results: list[Argument],
        debug: Sequence[tuple[int, int]],
    ) -> None:
        self._data = data
        self._starts = starts
        self._sizes = sizes
        self._arguments = arguments
        self._results = results
        self._debug = debug
        self._graph: Graph | None = None

    def bind(self, graph: Graph) -> None:
        self._graph = graph

    def _values(self, node: int) -> dict[str, bytes]:
        at = node - len(self._arguments)
        if not 0 <= at < len(self._starts):
            return {}
        start = int(self._starts[at])
        try:
            decoded = decode(NODE_ATTRIBUTES, self._data[start : start + int(self._sizes[at])])
        except WireError:
            return {}
        values: dict[str, bytes] = decoded.get("attr", {})
        return values

    def _end(self, node: int) -> Argument | None:
        """The argument or result that this node is."""
        at = node - len(self._arguments)
        if at < 0:
            return self._arguments[node]
        at -= len(self._starts)
        return self._results[at] if at >= 0 else None

    def attributes(self, node: int, limit: int) -> dict[str, Attribute]:
        end = self._end(node)
        if end is not None:
            word = of_data_type(end.dtype)
            return {"dtype": Attribute(word, len(word))} if word else {}
        values = self._values(node)
        return {name: make_attribute(values[name], limit) for name in sorted(values)}

    def attribute_key(self, node: int) -> tuple[tuple[str, bytes], ...]:
        end = self._end(node)
        if end is not None:
            return (("dtype", b"%d" % end.dtype),)
        return tuple(sorted(self._values(node).items()))

    def number_attributes(self, limit: int) -> ScannedAttributes | None:
        """None for the body of a function, whose arguments and results stand elsewhere."""
        has_ends = bool(self._arguments or self._results)
        return None if has_ends else ScannedAttributes(self._data, self._starts, self._sizes, limit)

    def values(self, node: int) -> dict[str, Any]:
        end = self._end(node)
        if end is not None:
            return {"dtype": of_data_type(end.dtype)} if end.dtype else {}
        return {name: plain_value(value) for name, value in sorted(self._values(node).items())}

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        graph = self._graph
        first = None
        if graph is not None and graph.first_shapes[node] >= 0:
            first = graph.shape_names[graph.first_shapes[node]]
        listed = self._values(node).get("_output_shapes")
        if listed is not None:
            try:
                shapes = decode(ATTR_VALUE, listed).get("list", {}).get("shape", [])
            except WireError:
                shapes = []
            if len(shapes) > 1:
                return tuple(read_shape(shape) for shape in shapes)
            if shapes and first is None:
                return (read_shape(shapes[0]),)
        return () if first is None else (first,)

    def dtypes(self, node: int) -> tuple[str, ...]:
        for name in ("Tout", "output_types", "_output_dtypes"):
            value = self._values(node).get(name)
            if value is not None:
                try:
                    types = decode(ATTR_VALUE, value).get("list", {}).get("type", [])
                except WireError:
                    types = []
                if types:
                    return tuple(of_data_type(each) for each in types)
        graph = self._graph
        if graph is None or graph.first_dtypes[node] < 0:
            return ()
        return (graph.dtype_names[graph.first_dtypes[node]],)

    def source(self, node: int) -> tuple[Frame, ...]:
        if not self._debug or self._graph is None:
            return ()
        return self._frames.get(self._graph.names[node], ())

    @cached_property
    def _frames(self) -> dict[str, tuple[Frame, ...]]:
        frames: dict[str, tuple[Frame, ...]] = {}
        for start, end in self._debug:
            try:
                frames.update(read_debug_info(decode(DEBUG_INFO, self._data[start:end])))
            except WireError:
                continue
        return frames


def read_debug_info(info: dict[str, Any]) -> dict[str, tuple[Frame, ...]]:
    files: list[str] = info.get("files", [])
    by_id: dict[int, dict[str, Any]] = info.get("frames_by_id", {})

    def frame(line: dict[str, Any]) -> Frame:
        number = line.get("file_index", 0)
        file = files[number] if 0 <= number < len(files) else ""
        return Frame(file, line.get("line", 0), line.get("func", ""), line.get("code", ""))

    def frames(trace: dict[str, Any]) -> tuple[Frame, ...]:
        lines = trace.get("file_line_cols") or [by_id.get(each, {}) for each in trace.get("frame_id", [])]
        # The file has the innermost call first.
        return tuple(frame(line) for line in reversed(lines))

    found = {name: frames(trace) for name, trace in info.get("traces", {}).items()}
    traces_by_id: dict[int, dict[str, Any]] = info.get("traces_by_id", {})
    for name, number in info.get("name_to_trace_id", {}).items():
        if number in traces_by_id:
            found[name] = frames(traces_by_id[number])
    # "node@function" in libraries; the graph itself knows only the node.
    return {name.partition("@")[0]: trace for name, trace in found.items()}


class ScannedAttributes:
    """Attributes numbered by their bytes; each is made into text once."""

    def __init__(self, data: bytes, starts: Int64, sizes: Int64, limit: int) -> None:
        self._data = data
        self._starts = starts
        self._sizes = sizes
        self._limit = limit
        self._codes = AttributeCodes()

    def read(self, first: int, last: int) -> tuple[Int32, Int32, list[tuple[str, str]]]:
        codes = self._codes
        known = len(codes.names)
        counts, numbers = codes.read(self._data, self._starts[first:last], self._sizes[first:last])
        fresh = [
            (name, make_attribute(self._data[start : start + size], self._limit).text)
            for name, start, size in zip(
                codes.names[known:], codes.starts[known:], codes.sizes[known:], strict=True
            )
        ]
        return counts, numbers, fresh
