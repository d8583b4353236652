"""The graph of a PyTorch model: traced once, its nodes named as torch.utils.tensorboard names them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.run_metadata import RUN_METADATA
from runglass.writer.graphs.arguments import call_arguments
from runglass.writer.graphs.node import IO_NODE, Graph, Node, data_type, graph_event

# The tracer's name of the model itself in the scopes of nodes.
ROOT = "__module"
# PyTorch's writer adds this empty profile, and some readers look for it.
NO_PROFILE = {
    "tag": "step1",
    "run_metadata": encode(RUN_METADATA, {"step_stats": {"dev_stats": [{"device": "/device:CPU:0"}]}}),
}
BLOCKS = {"prim::If": ("then", "else"), "prim::Loop": ("body",)}

# Part of a tracer's error message, and what helps. The first match goes into our message.
FIXES = (
    ("strict=False", "Pass use_strict_trace=False: the model returns or changes a dict or a list."),
    ("Only tensors, lists, tuples", "Pass a module whose forward returns tensors, or tuples or dicts of them."),
    ("cannot infer type", "Pass a module whose forward returns tensors, or tuples or dicts of them."),
    ("Only Tensors and", "Pass tensors as inputs; bind other arguments in a small wrapper module."),
    ("same device", "Move the inputs to the device of the model."),
    ("same dtype", "Give the inputs the dtype of the model's weights."),
    ("should be the same", "Give the inputs the device and the dtype of the model's weights."),
    ("positional argument", "Pass the inputs as forward takes them: a tensor, a tuple of arguments, or a dict by name."),
    ("shapes cannot be multiplied", "Pass inputs of the shape that the model takes, with the batch axis."),
    ("uninitialized parameters", "Call the model once first, so that its lazy layers know their shapes."),
)  # fmt: skip
UNKNOWN_FIX = (
    "Check that model(*inputs) runs in evaluation mode, and wrap it in a small module without code that is not a "
    "PyTorch operation."
)


def is_torch(model: object, inputs: object) -> bool:
    """A module, a scripted function, or any function that is called with tensors."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return False
    if isinstance(model, torch.nn.Module | torch.jit.ScriptFunction):
        return True
    if not callable(model):
        return False
    args, kwargs = call_arguments(model, inputs)
    return any(isinstance(item, torch.Tensor) for item in (*args, *kwargs.values()))


def torch_graph(model: Any, inputs: object, *, is_verbose: bool, uses_strict_trace: bool) -> Graph:
    if inputs is None:
        raise BadArgument(
            "add_graph needs input_to_model for a PyTorch model, because its graph comes from tracing an example: "
            "add_graph(model, torch.zeros(1, 3, 32, 32)). Pass several arguments as a tuple."
        )
    # A compiled module cannot be traced, but its original can.
    model = getattr(model, "_orig_mod", model)
    traced = trace(model, inputs, uses_strict_trace)
    graph = inlined(traced, is_ours=traced is not model)
    if is_verbose:
        print(graph)
    return Graph(
        events=[graph_event(TraceReader(traced, graph).nodes), {"tagged_run_metadata": NO_PROFILE}],
    )


def trace(model: Any, inputs: object, is_strict: bool) -> Any:
    torch: Any = sys.modules["torch"]
    args, kwargs = call_arguments(getattr(model, "forward", model), inputs)
    with restored_afterwards(model), warnings.catch_warnings():
        # The tracer warns about values that become constants and about its own deprecation; neither matters for a picture.
        warnings.simplefilter("ignore")
        try:
            if kwargs:
                return torch.jit.trace(
                    model, example_kwarg_inputs=kwargs, strict=is_strict, check_trace=False
                )
            return torch.jit.trace(model, args, strict=is_strict, check_trace=False)
        except Exception as error:
            raise untraceable(model, error) from error


def inlined(traced: Any, *, is_ours: bool) -> Any:
    """The graph without calls. Changes ours in place, because PyTorch renumbers the values of a copy."""
    torch: Any = sys.modules["torch"]
    if not is_ours:
        return traced.inlined_graph
    graph = traced.graph
    torch._C._jit_pass_inline(graph)
    return graph


class UntraceableModel(BadArgument, RuntimeError):
    """A RuntimeError too, which torch's own add_graph raises and callers catch."""


def untraceable(model: object, error: Exception) -> BadArgument:
    text = str(error).strip()
    fix = next((fix for sign, fix in FIXES if sign in text), UNKNOWN_FIX)
    name = getattr(model, "__name__", type(model).__name__)
    what = text.splitlines()[0].rstrip(".") if text else type(error).__name__
    return UntraceableModel(f"add_graph cannot trace {name}: {what}. {fix}")


@contextmanager
def restored_afterwards(model: Any) -> Iterator[None]:
    """Evaluation mode inside; afterwards restores the mode and buffers of every module, and the random state."""
    torch: Any = sys.modules["torch"]
    modules = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    modes = [module.training for module in modules]
    buffers = [
        (module, name, buffer, buffer._version, buffer.detach().clone())
        for module in modules
        for name, buffer in module.named_buffers(recurse=False)
        if not torch.nn.parameter.is_lazy(buffer) and not buffer.is_inference()
    ]
    tensors = [tensor for module in modules for tensor in module.parameters(recurse=False)]
    gpus = sorted({tensor.device.index for tensor in tensors if tensor.device.type == "cuda"})
    with torch.random.fork_rng(devices=gpus):
        try:
            if modules:
                model.eval()
            yield
        finally:
            for module, mode in zip(modules, modes, strict=True):
                module.training = mode
            for module, name, buffer, version, content in buffers:
                if buffer._version != version:
                    with torch.no_grad():
                        buffer.copy_(content)
                if getattr(module, name) is not buffer:
                    setattr(module, name, buffer)


class TraceReader:
    """The nodes of a traced graph: one for each value that an operation makes."""

    def __init__(self, traced: Any, graph: Any) -> None:
        self.nodes: list[Node] = []
        # The node that makes a value, by the tracer's name of the value.
        self._sources: dict[str, str] = {}
        # The path of a module from the model, spelled like scopes, by the tracer's name of the value.
        self._modules: dict[str, list[str]] = {}
        self._root, self._labels = module_labels(traced)
        # Parameters and buffers, by the last item of their path.
        self._weights = held_tensors(traced)
        for value in graph.inputs():
            if value.uses() and not is_module(value):
                self._add(value, f"input/{value.debugName()}", IO_NODE)
        self._read(graph.nodes(), self._root)
        for index, value in enumerate(graph.outputs(), 1):
            self._add(value, f"output/output.{index}", IO_NODE, [value], is_given=False)

    def _read(self, nodes: Any, base: str) -> None:
        for node in nodes:
            kind = node.kind()
            if kind == "prim::GetAttr":
                value = node.output()
                owner = self._modules.get(node.input().debugName(), [])
                path = [*owner, f"{owner[-1] if owner else ROOT}.{node.s('name')}"]
                self._modules[value.debugName()] = path
                if is_module(value):
                    continue
            else:
                path = list(full_path(node.scopeName()))
            scope = "/".join([base, *map(self._label, path)])
            outputs = list(node.outputs())
            sources = [
                *node.inputs(),
                *self._read_blocks(node, f"{scope}/{outputs[0].debugName()}" if outputs else scope),
            ]
            for value in outputs:
                self._add(value, f"{scope}/{value.debugName()}", kind, sources, attributes_text(node))

    def _read_blocks(self, node: Any, scope: str) -> list[Any]:
        """The nodes inside a condition or a loop of scripted code; returns its results.

        Differs from PyTorch's writer, which leaves these out.
        """
        results = []
        for index, block in enumerate(node.blocks()):
            labels = BLOCKS.get(node.kind(), ())
            # The first input of a body is the round; before the carried values a loop takes its limit and condition.
            for inner, outer in zip(list(block.inputs())[1:], list(node.inputs())[2:], strict=False):
                if outer.debugName() in self._sources:
                    self._sources[inner.debugName()] = self._sources[outer.debugName()]
            self._read(block.nodes(), f"{scope}/{labels[index] if index < len(labels) else index}")
            results += block.outputs()
        return results

    def _label(self, alias: str) -> str:
        return self._labels.get(alias) or alias.rpartition(".")[2]

    def _add(
        self, value: Any, name: str, op: str, sources: Any = (), attributes: str = "", is_given: bool = True
    ) -> None:
        # A module has no node, so its attributes have no edge to it. Differs from PyTorch's writer.
        inputs = [self._sources[each.debugName()] for each in sources if each.debugName() in self._sources]
        if is_given:
            self._sources[value.debugName()] = name
        node = Node(name=name, op=op, inputs=inputs, attrs={"attr": attributes})
        weight = self._weights.get(self._modules.get(value.debugName(), [""])[-1])
        if weight is not None:
            node.shapes, node.dtype = [list(weight.shape)], data_type(weight.dtype)
            node.device = device_name(weight.device)
        elif value.isCompleteTensor():
            kind = value.type()
            node.shapes, node.dtype = [kind.sizes()], data_type(kind.dtype())
            node.device = device_name(kind.device())
        self.nodes.append(node)


def module_labels(traced: Any) -> tuple[str, dict[str, str]]:
    """The name of the model, and the label of each module, its class and attribute, by its alias in scopes."""
    if not hasattr(traced, "named_modules"):
        return traced.name, {}
    labels = {
        alias: f"{module.original_name}[{alias.rpartition('.')[2]}]"
        for alias, module in traced.named_modules(prefix=ROOT)
    }
    return traced.original_name, labels


def held_tensors(traced: Any) -> dict[str, Any]:
    """Parameters and buffers by alias. Differs from PyTorch's writer, which shows no shapes of weights."""
    if not hasattr(traced, "named_modules"):
        return {}
    return dict([*traced.named_parameters(ROOT), *traced.named_buffers(ROOT)])


def full_path(scope: str) -> Iterator[str]:
    """The aliases of a scope, including modules that are never called, such as a ModuleList.

    Differs from PyTorch's writer, which merges the layers of two lists and separates them from their weights.
    """
    outer = ROOT
    for alias in filter(None, scope.split("/")):
        if alias.startswith(f"{outer}."):
            for name in alias[len(outer) + 1 :].split("."):
                outer = f"{outer}.{name}"
                yield outer
        else:
            yield alias
        outer = alias


def is_module(value: Any) -> bool:
    return bool(value.type().kind() == "ClassType")


def attributes_text(node: Any) -> str:
    """As PyTorch's writer spells them, without quotes."""
    attributes = {name: getattr(node, node.kindOf(name))(name) for name in node.attributeNames()}
    return str(attributes).replace("'", " ")


def device_name(device: Any) -> str:
    kind = {"cuda": "GPU"}.get(device.type, device.type.upper())
    return f"/device:{kind}:{device.index or 0}"
