"""Small graphs made in code, for tests of questions about graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runglass.query.graphs.formats.build import GraphBuilder
from runglass.query.graphs.measures import Measures
from runglass.query.graphs.model import Graph
from runglass.query.graphs.shown import Shown
from runglass.query.graphs.structure import Known, StructureView

PLAIN = StructureView(repeats=False, series=False, fold=False, aside=False)


def make_graph(
    nodes: Sequence[tuple[str, str, Sequence[str]]],
    *,
    format: str = "GraphDef",
    details: Mapping[str, Mapping[str, Any]] | None = None,
    **finish: Any,
) -> Graph:
    """Nodes as path, op and inputs: "a", "a:1" (output 1), "^a" (control). `details`: more about nodes by path."""
    builder = GraphBuilder(format)
    numbers: dict[str, int] = {}
    for path, op, _ in nodes:
        numbers.setdefault(path, builder.add(path, op, **(details or {}).get(path, {})))
    for end, (_, _, inputs) in enumerate(nodes):
        for text in inputs:
            name, _, output = text.removeprefix("^").partition(":")
            start = numbers.get(name)
            builder.connect(start, end, output=int(output or 0), control=text.startswith("^"), name=name)
    calls = {numbers[path]: called for path, called in finish.pop("calls", {}).items()}
    return builder.finish(calls=calls, **finish)


def show(graph: Graph, view: StructureView | None = None, **measures: Any) -> Shown:
    return Shown(Known(graph), StructureView() if view is None else view, Measures(graph, **measures))


def layers(
    count: int, *, group: str = "encoder", norm: str = "LayerNorm"
) -> list[tuple[str, str, list[str]]]:
    """A row of equal blocks, each with a norm, a product with a weight and a sum."""
    nodes: list[tuple[str, str, list[str]]] = [("x", "Placeholder", [])]
    last = "x"
    for number in range(count):
        at = f"{group}/layers.{number}"
        nodes += [
            (f"{at}/norm/normalize", norm, [last]),
            (f"{at}/norm/mul", "Mul", [f"{at}/norm/normalize"]),
            (f"{at}/linear/weight", "VariableV2", []),
            (f"{at}/linear/matmul", "MatMul", [f"{at}/norm/mul", f"{at}/linear/weight"]),
            (f"{at}/relu", "Relu", [f"{at}/linear/matmul"]),
            (f"{at}/dropout", "Mul", [f"{at}/relu"]),
            (f"{at}/add", "AddV2", [f"{at}/dropout", last]),
        ]
        last = f"{at}/add"
    return [*nodes, ("loss", "Sum", [last])]
