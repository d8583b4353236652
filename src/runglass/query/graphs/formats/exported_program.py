"""Programs of torch.export (`.pt2`) as graphs, from the JSON in the archive. Weights and pickles in it are not touched.

Inputs, parameters and buffers stand before the nodes of the file, outputs after them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from runglass.query.graphs.formats.archives import Archive
from runglass.query.graphs.formats.build import GraphBuilder
from runglass.query.graphs.formats.costs import graph_def_costs
from runglass.query.graphs.formats.torch_names import Modules, read_stack
from runglass.query.graphs.model import Costs, Graph, GraphDamaged, Shape

FORMAT = "torch.export"
# In this order: of torch 2.8 and later, and of those before.
MODEL_FILES = re.compile(
    r"(?:[^/]+/)?(?:models/model\.json|serialized_exported_program\.json|models/[^/]+\.json)"
)
OUTPUT_OP = "Output"
# By the kind of an input in the signature: the op of its node.
INPUT_OPS = {
    "parameter": "Parameter",
    "buffer": "Buffer",
    "tensor_constant": "Constant",
    "user_input": "Input",
    "custom_obj": "Object",
    "token": "Token",
    "constant_input": "Input",
}
NAMES = {"parameter": "parameter_name", "buffer": "buffer_name", "tensor_constant": "tensor_constant_name"}
DTYPES = {
    **dict(
        enumerate(
            ("u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c32", "c64", "c128", "bool", "bf16"), 1
        )
    ),
    **dict(enumerate(("u16", "f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"), 28)),
}
MAX_DEPTH = 32


def parse_archive(archive: Archive) -> Graph:
    names = [name for name in archive.names if MODEL_FILES.fullmatch(name)]
    if not names:
        raise GraphDamaged(
            "This archive has no models/model.json, so it is not a program of torch.export. Write one with torch.export.save."
        )
    names.sort(key=lambda name: (not name.endswith(("models/model.json", "program.json")), name))
    problems = list(archive.problems)
    if len(names) > 1:
        problems.append(f"Of {len(names)} models in the archive, {names[0]} is shown.")
    return parse_program(archive.read(names[0]), problems)


def parse_program(data: bytes, problems: list[str] | None = None) -> Graph:
    try:
        program = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise GraphDamaged(f"The program of torch.export is not JSON: {error}.") from None
    module = as_dict(as_dict(program).get("graph_module"))
    if not isinstance(module.get("graph"), dict):
        raise GraphDamaged(
            'This is not a program of torch.export: expected "graph_module" with a "graph" in it.'
        )
    reader = ProgramReader(module["graph"], as_dict(module.get("signature")), {}, 0)
    return reader.make_graph(problems or [])


class ProgramReader:
    def __init__(
        self, graph: dict[str, Any], signature: dict[str, Any], functions: dict[str, Graph], depth: int
    ) -> None:
        if depth > MAX_DEPTH:
            raise GraphDamaged(f"The graphs of this program are nested more than {MAX_DEPTH} deep.")
        self._graph = graph
        self._functions = functions
        self._depth = depth
        self._builder = GraphBuilder(FORMAT)
        self._modules = Modules()
        self._groups: dict[str, str] = {}
        self._calls: dict[int, tuple[str, ...]] = {}
        self._makers: dict[str, tuple[int, int]] = {}
        self._tensors = as_dict(graph.get("tensor_values"))
        self._specs = dict(read_specs(signature))
        self._nodes = [as_dict(node) for node in as_list(graph.get("nodes"))]
        # Names of the values that each node takes and makes.
        self._inputs = [list(input_values(node)) for node in self._nodes]
        self._outputs = [list(output_values(node)) for node in self._nodes]
        self._places = [self._place(number, node) for number, node in enumerate(self._nodes)]

    def make_graph(self, problems: list[str]) -> Graph:
        arguments = self._add_arguments()
        for number, (name, path) in enumerate(self._places):
            self._add_node(number, name, path)
        for number, values in enumerate(self._inputs):
            for value in values:
                self._link(value, arguments + number)
        results = 0
        for output in as_list(self._graph.get("outputs")):
            for value in argument_values(output):
                shapes, dtypes, device = self._facts([value])
                # Its own name is that of the value, which its maker may have.
                result = self._builder.add(
                    f"output_{results + 1}",
                    OUTPUT_OP,
                    path=f"output_{results + 1}",
                    shapes=shapes,
                    dtypes=dtypes,
                    device=device,
                    flops=0.0,
                )
                self._link(value, result)
                results += 1
        builder = self._builder
        return builder.finish(
            group_types=self._modules.types,
            functions=self._functions,
            calls=self._calls,
            arguments=arguments,
            results=results,
            problems=problems,
            costs=lambda made: Costs(builder.costs.parameters, graph_def_costs(made).flops),
        )

    def _place(self, number: int, node: dict[str, Any]) -> tuple[str, str]:
        outputs = self._outputs[number]
        name = str(node.get("name") or (outputs[0] if outputs else f"node_{number}"))
        stack = str(as_dict(node.get("metadata")).get("nn_module_stack") or "")
        # Most nodes share their modules with others.
        group = self._groups.get(stack)
        if group is None:
            # Each entry has a key, the path of the module and its class.
            entries = [entry.split(",") for entry in stack.split(";")]
            scopes = ((each[1].partition("@")[0], each[2]) for each in entries if len(each) > 2)
            group = self._groups[stack] = self._modules.add(scopes)
        return name, f"{group}/{name}" if group else name

    def _facts(self, values: list[str]) -> tuple[list[Shape | None], list[str], str]:
        """Shapes and data types of values, and the device of the first."""
        metas = [as_dict(self._tensors.get(value)) for value in values]
        if not any(metas):
            return [], [], ""
        device = as_dict(metas[0].get("device"))
        index = device.get("index")
        where = f"{device.get('type')}{'' if index is None else f':{index}'}" if device.get("type") else ""
        return (
            [read_sizes(meta.get("sizes")) for meta in metas],
            [DTYPES.get(meta.get("dtype", 0), "") for meta in metas],
            where,
        )

    def _add_arguments(self) -> int:
        scopes: dict[str, str] = {}
        for values, (_, path) in zip(self._inputs, self._places, strict=True):
            for value in values:
                scopes.setdefault(value, path.rpartition("/")[0])
        count = 0
        for argument in as_list(self._graph.get("inputs")):
            for value in argument_values(argument):
                kind, target = self._specs.get(value, ("user_input", ""))
                shapes, dtypes, device = self._facts([value])
                held = math.prod(size or 0 for size in shapes[0]) if shapes and shapes[0] is not None else 0
                path = self._modules.place_weight(target, scopes.get(value, "")) if target else value
                number = self._builder.add(
                    value,
                    INPUT_OPS.get(kind, "Input"),
                    path=path,
                    shapes=shapes,
                    dtypes=dtypes,
                    device=device,
                    attributes={"name": target} if target else None,
                    parameters=min(held, 2**62) if kind == "parameter" else 0,
                    flops=0.0,
                )
                self._makers[value] = (number, 0)
                count += 1
        return count

    def _add_node(self, at: int, name: str, path: str) -> None:
        node, outputs = self._nodes[at], self._outputs[at]
        shapes, dtypes, device = self._facts(outputs)
        number = self._builder.add(
            name,
            op_name(str(node.get("target") or "")),
            path=path,
            shapes=shapes,
            dtypes=dtypes,
            device=device,
            attributes=lambda: node_attributes(node),
            source=lambda: read_stack(str(as_dict(node.get("metadata")).get("stack_trace") or "")),
        )
        for output, value in enumerate(outputs):
            self._makers.setdefault(value, (number, output))
        called = []
        for graph in inner_graphs(node):
            label = str(graph.get("name") or f"{name}_body")
            if label not in self._functions:
                body = ProgramReader(as_dict(graph.get("graph")), {}, self._functions, self._depth + 1)
                self._functions[label] = body.make_graph([])
            called.append(label)
        if called:
            self._calls[number] = tuple(dict.fromkeys(called))

    def _link(self, value: str, end: int) -> None:
        maker = self._makers.get(value)
        self._builder.connect(maker[0] if maker else None, end, output=maker[1] if maker else 0, name=value)


def op_name(target: str) -> str:
    """As PyTorch's graphs in event files name it: torch.ops.aten.add.Tensor is aten::add."""
    parts = target.split(".")
    if parts[:2] == ["torch", "ops"] and len(parts) >= 4:
        return parts[3] if parts[2] == "higher_order" else f"{parts[2]}::{parts[3]}"
    return target.removeprefix("_operator.")


def read_specs(signature: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """By the name of an input: what kind it is, and what a parameter or buffer is called in the model."""
    for spec in as_list(signature.get("input_specs")):
        for kind, content in as_dict(spec).items():
            for value in argument_values(as_dict(content).get("arg")):
                yield value, (str(kind), str(as_dict(content).get(NAMES.get(kind, ""), "") or ""))


def read_sizes(sizes: Any) -> Shape | None:
    if not isinstance(sizes, list):
        return None
    found = (as_dict(size).get("as_int") for size in sizes)
    return tuple(size if type(size) is int and size >= 0 else None for size in found)


def argument_values(argument: Any, depth: int = 0) -> Iterator[str]:
    """The names of all values in an argument, in order."""
    if depth > MAX_DEPTH:
        return
    if isinstance(argument, dict) and len(argument) == 1 and isinstance(argument.get("as_tensor"), dict):
        # By far the commonest.
        name = argument["as_tensor"].get("name")
        if isinstance(name, str):
            yield name
        return
    if isinstance(argument, list):
        for item in argument:
            yield from argument_values(item, depth + 1)
    elif isinstance(argument, dict):
        for kind, content in argument.items():
            if kind in {"as_name", "name"} and isinstance(content, str):
                yield content
            elif kind not in {"as_graph", "as_string", "as_strings", "as_device", "as_operator"}:
                yield from argument_values(content, depth + 1)


def input_values(node: dict[str, Any]) -> Iterator[str]:
    for each in as_list(node.get("inputs")):
        yield from argument_values(as_dict(each).get("arg"))


def output_values(node: dict[str, Any]) -> Iterator[str]:
    for each in as_list(node.get("outputs")):
        yield from argument_values(each)


def inner_graphs(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in as_list(node.get("inputs")):
        graph = as_dict(as_dict(as_dict(each).get("arg")).get("as_graph"))
        if graph:
            yield graph


def node_attributes(node: dict[str, Any]) -> dict[str, Any]:
    """Arguments that are no tensors, and the full name of the op."""
    found: dict[str, Any] = {"target": node.get("target", "")}
    for each in as_list(node.get("inputs")):
        argument = as_dict(each).get("arg")
        if not any(True for _ in argument_values(argument)) and not as_dict(argument).get("as_graph"):
            values = list(as_dict(argument).values())
            found[str(as_dict(each).get("name", ""))] = values[0] if len(values) == 1 else argument
    for key, value in as_dict(node.get("metadata")).items():
        if key != "stack_trace":
            found[str(key)] = value
    return found


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
