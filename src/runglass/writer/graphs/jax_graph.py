"""The graph of a function of JAX arrays: its jaxpr, primitive by primitive, with inner functions as scopes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.graphs.arguments import BY_PLACE, call_arguments, parameter_names
from runglass.writer.graphs.node import IO_NODE, Attr, Graph, Names, Node, data_type, graph_event, output_name

# These do not run their inner functions exactly once, so each stays visible as a node.
CONTROL_FLOW = {"scan", "while", "cond"}


def jax_graph(function: Callable[..., Any], inputs: object, *, is_verbose: bool) -> Graph:
    jax: Any = sys.modules["jax"]
    args, kwargs = call_arguments(function, () if inputs is None else inputs)
    try:
        closed, results = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
    except Exception as error:
        what = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
        raise BadArgument(
            f"add_graph cannot trace {getattr(function, '__name__', type(function).__name__)} with JAX: {what}. Pass the "
            "arguments as input_to_model, several in a tuple; bind arguments that are not arrays with functools.partial; "
            "for a Flax module pass model.apply and (variables, x)."
        ) from error
    if is_verbose:
        print(closed)
    flatten = jax.tree_util.tree_flatten_with_path
    named = parameter_names(function, BY_PLACE)
    arguments = [argument_name(path, named) for path, _ in flatten((args, kwargs))[0]]
    outputs = ["/".join(map(key_text, path)) for path, _ in flatten(results)[0]]
    return Graph(events=[graph_event(JaxprReader(closed, arguments, outputs).nodes)])


def argument_name(path: Sequence[Any], named: Sequence[str]) -> str:
    """`path` leads into the pair of positional and keyword arguments."""
    position, *rest = path[1:]
    index = getattr(position, "idx", None)
    if index is None:
        first = key_text(position)
    else:
        first = named[index] if index < len(named) else f"argument.{index + 1}"
    return "/".join([first, *map(key_text, rest)])


def key_text(key: Any) -> str:
    """One step into a tree, through any kind of container."""
    return str(next((getattr(key, name) for name in ("key", "name", "idx") if hasattr(key, name)), key))


class JaxprReader:
    def __init__(self, closed: Any, arguments: Sequence[str], outputs: Sequence[str]) -> None:
        self.nodes: list[Node] = []
        self._names = Names()
        inputs = [
            self._add(f"input/{name}", IO_NODE, outputs=[variable])
            for name, variable in zip(arguments, closed.jaxpr.invars, strict=True)
        ]
        results = self._read(closed, inputs, "")
        for index, (name, variable) in enumerate(zip(outputs, closed.jaxpr.outvars, strict=True)):
            inputs = filter_known([results[index]])
            self._add(f"output/{name or f'output.{index + 1}'}", IO_NODE, inputs, [variable])

    def _read(self, closed: Any, inputs: Sequence[str | None], scope: str) -> list[str | None]:
        """Adds the nodes of a jaxpr that is called with `inputs`; returns the source of each of its results."""
        jaxpr = getattr(closed, "jaxpr", closed)
        # The node of each variable of this jaxpr; None for a variable without a node.
        sources: dict[Any, str | None] = dict(zip(jaxpr.invars, inputs, strict=True))
        for constant in jaxpr.constvars:
            sources[constant] = self._add(f"{scope}/constant", "Const", outputs=[constant])
        for equation in jaxpr.eqns:
            taken = [None if is_literal(each) else sources.get(each) for each in equation.invars]
            # "jvp()" is a derivative outside all named scopes.
            where = f"{scope}/{equation.source_info.name_stack}".replace("()", "")
            sources.update(zip(equation.outvars, self._read_equation(equation, taken, where), strict=True))
        return [None if is_literal(each) else sources.get(each) for each in jaxpr.outvars]

    def _read_equation(self, equation: Any, taken: list[str | None], where: str) -> list[str | None]:
        primitive = equation.primitive.name
        inner = dict(inner_jaxprs(equation.params))
        if is_call(equation, list(inner.values())):
            (called,) = inner.values()
            scope = self._names.take(f"{where}/{equation.params.get('name') or primitive}")
            return self._read(called, taken, scope)
        name = self._names.take(f"{where}/{primitive}")
        inputs = filter_known(taken)
        if primitive in CONTROL_FLOW or any(takes_as_many(each, equation) for each in inner.values()):
            results: list[str | None] = []
            for label, each in inner.items():
                results += self._read(
                    each, inner_inputs(primitive, label, each, equation, taken), f"{name}/{label}"
                )
            inputs = list(dict.fromkeys([*inputs, *filter_known(results)]))
        self._add(name, primitive, inputs, equation.outvars, parameters(equation), is_named=True)
        return [output_name(name, index) for index in range(len(equation.outvars))]

    def _add(
        self,
        name: str,
        op: str,
        inputs: Sequence[str] = (),
        outputs: Sequence[Any] = (),
        attrs: dict[str, Attr | list[Attr]] | None = None,
        is_named: bool = False,
    ) -> str:
        name = name if is_named else self._names.take(name)
        shapes = [shape_of(each) for each in outputs]
        dtype = data_type(getattr(outputs[0].aval, "dtype", None)) if outputs else None
        self.nodes.append(
            Node(name=name, op=op, inputs=inputs, shapes=shapes, dtype=dtype, attrs=attrs or {})
        )
        return name


def is_literal(variable: Any) -> bool:
    return hasattr(variable, "val")


def filter_known(sources: Sequence[str | None]) -> list[str]:
    return [source for source in sources if source is not None]


def inner_jaxprs(params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in params.items():
        for index, each in enumerate(value if isinstance(value, tuple | list) else [value]):
            if hasattr(each, "eqns") or hasattr(each, "jaxpr"):
                label = name.removesuffix("jaxpr").rstrip("_") or "body"
                yield (f"{label}_{index}" if isinstance(value, tuple | list) else label), each


def signature(jaxpr: Any) -> tuple[list[Any], list[Any]]:
    inner = getattr(jaxpr, "jaxpr", jaxpr)
    return [each.aval for each in inner.invars], [each.aval for each in inner.outvars]


def is_call(equation: Any, inner: list[Any]) -> bool:
    """Whether an equation only calls its one inner function: jit, checkpoint, custom derivatives."""
    if equation.primitive.name in CONTROL_FLOW or len(inner) != 1:
        return False
    described = [
        [(each.shape, each.dtype) for each in side if hasattr(each, "shape")] for side in signature(inner[0])
    ]
    return described == [
        [(each.aval.shape, each.aval.dtype) for each in side if hasattr(each.aval, "shape")]
        for side in (equation.invars, equation.outvars)
    ]


def takes_as_many(jaxpr: Any, equation: Any) -> bool:
    return len(signature(jaxpr)[0]) == len(equation.invars)


def inner_inputs(
    primitive: str, label: str, jaxpr: Any, equation: Any, taken: Sequence[str | None]
) -> list[str | None]:
    """The arguments of an inner function. Before them come the choice of a cond and the other constants of a while."""
    count = len(signature(jaxpr)[0])
    if primitive == "while" and label == "cond":
        constants = equation.params["cond_nconsts"]
        return [*taken[:constants], *taken[len(taken) - (count - constants) :]]
    if count > len(taken):
        return [None] * count
    return list(taken[len(taken) - count :])


def parameters(equation: Any) -> dict[str, Attr | list[Attr]]:
    found: dict[str, Attr | list[Attr]] = {}
    for name, value in equation.params.items():
        if isinstance(value, bool | int | float):
            found[name] = value
        elif value is not None and not callable(value) and not dict(inner_jaxprs({name: value})):
            found[name] = str(value)
    for index, each in enumerate(equation.invars):
        if is_literal(each):
            found[f"input_{index}"] = literal_value(each.val)
    return found


def literal_value(value: Any) -> Attr:
    plain = value.item() if getattr(value, "size", 0) == 1 else value
    # JAX has subclasses of Python's numbers.
    return next((kind(plain) for kind in (bool, int, float) if isinstance(plain, kind)), str(plain))


def shape_of(variable: Any) -> list[int] | None:
    shape = getattr(variable.aval, "shape", None)
    return None if shape is None else [size if isinstance(size, int) else -1 for size in shape]
