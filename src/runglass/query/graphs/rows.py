"""A graph for code: nodes with names, edges as pairs of names, functions by name. Adds nothing to what the file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from runglass.query.graphs.model import Frame, Graph, GraphUnknown, Shape


class Edge(tuple[str, str]):
    """The names of two nodes: what makes a value, and what takes it."""

    output: int
    control: bool

    def __new__(cls, source: str, target: str, output: int = 0, control: bool = False) -> Edge:
        edge = super().__new__(cls, (source, target))
        # Which output of the source it is.
        edge.output = output
        # Whether it only orders the two, and carries no value.
        edge.control = control
        return edge

    @property
    def source(self) -> str:
        return self[0]

    @property
    def target(self) -> str:
        return self[1]

    def __repr__(self) -> str:
        return f"Edge({self[0]!r}, {self[1]!r}, output={self.output}, control={self.control})"


class GraphNode:
    """One node. What it does not hold itself is decoded when you ask for it."""

    __slots__ = ("_graph", "_number")

    def __init__(self, graph: Graph, number: int) -> None:
        self._graph = graph
        self._number = number

    def __repr__(self) -> str:
        return f"<{self.op} {self.name!r}>"

    @property
    def name(self) -> str:
        return self._graph.names[self._number]

    @property
    def path(self) -> str:
        """Where it stands: the groups around it and its own name, joined by "/"."""
        return self._graph.file_paths[self._number]

    @property
    def op(self) -> str:
        return self._graph.op_names[int(self._graph.ops[self._number])]

    @property
    def device(self) -> str:
        """Empty if the file names none."""
        code = int(self._graph.devices[self._number])
        return self._graph.device_names[code] if code >= 0 else ""

    @property
    def inputs(self) -> list[str]:
        """In the order of the file: "node", "node:2" for its third output, "^node" for an edge that carries no value."""
        graph = self._graph
        texts = []
        for edge in graph.input_edges(self._number):
            name = edge_source(graph, edge)
            output = f":{graph.edge_output[edge]}" if graph.edge_output[edge] else ""
            texts.append(f"{'^' if graph.edge_control[edge] else ''}{name}{output}")
        return texts

    @property
    def attributes(self) -> dict[str, Any]:
        """Plain Python: numbers, texts, lists; shapes are tuples, tensors are arrays, data types words like "f32"."""
        return self._graph.values(self._number)

    @property
    def shapes(self) -> tuple[Shape | None, ...]:
        """Of the outputs; None is a size, or a whole shape, that is not fixed."""
        return self._graph.shapes(self._number)

    @property
    def dtypes(self) -> tuple[str, ...]:
        return self._graph.dtypes(self._number)

    @property
    def parameters(self) -> int:
        """Weights that the node holds."""
        return int(self._graph.parameters[self._number])

    @property
    def flops(self) -> float | None:
        """Floating-point operations, a multiply-add being two; None if they are unknown."""
        found = float(self._graph.flops[self._number])
        return None if np.isnan(found) else found

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that it calls."""
        return self._graph.calls.get(self._number, ())

    @property
    def source(self) -> tuple[Frame, ...]:
        """The calls that led to it in the user's code, innermost last; empty if the file does not tell."""
        return self._graph.source(self._number)


class GraphNodes(Sequence[GraphNode]):
    """The nodes of a file, in its order."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._numbers = graph.file_nodes

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> GraphNode: ...
    @overload
    def __getitem__(self, index: slice) -> list[GraphNode]: ...
    def __getitem__(self, index: int | slice) -> GraphNode | list[GraphNode]:
        if isinstance(index, slice):
            return [GraphNode(self._graph, number) for number in self._numbers[index]]
        return GraphNode(self._graph, self._numbers[index])

    def __iter__(self) -> Iterator[GraphNode]:
        return (GraphNode(self._graph, number) for number in self._numbers)


class LogGraph:
    """A graph of a run, or the body of a function: `nodes`, `edges`, `functions`, and totals.

    >>> graph = log.graph("train")
    >>> [node.name for node in graph.nodes]
    """

    def __init__(self, graph: Graph, name: str) -> None:
        self.name = name
        # The same in columns, for whoever needs all of it at once.
        self.columns = graph

    def __repr__(self) -> str:
        return f"<{self.format} graph {self.name!r} of {len(self.nodes):,} nodes>"

    @property
    def format(self) -> str:
        """ "GraphDef", "Keras", "ONNX", "torch.export" or "HLO".

        >>> graph.format
        """
        return self.columns.format

    @cached_property
    def nodes(self) -> GraphNodes:
        return GraphNodes(self.columns)

    def node(self, name: str) -> GraphNode:
        """By its name, or by its path.

        >>> graph.node("encoder/layer_0").op
        """
        for index in (self.columns.index, self.columns.path_index):
            if name in index:
                return GraphNode(self.columns, index[name])
        if name in self.columns.file_paths:
            return GraphNode(self.columns, self.columns.file_paths.index(name))
        raise GraphUnknown(f"Graph {self.name!r} has no node {name!r}.", where=name)

    @cached_property
    def edges(self) -> list[Edge]:
        """One for every input in the file: `for source, target in graph.edges`. Each also has `control` and `output`.

        A source that is not among the nodes has the name that the file gives.
        """
        graph = self.columns
        nodes = graph.file_nodes
        return [
            Edge(
                edge_source(graph, edge),
                graph.names[target],
                int(graph.edge_output[edge]),
                bool(graph.edge_control[edge]),
            )
            for edge, target in enumerate(graph.edge_to.tolist())
            if target in nodes
        ]

    @cached_property
    def functions(self) -> Mapping[str, LogGraph]:
        return LogFunctions(self.columns.functions)

    @property
    def arguments(self) -> list[str]:
        """Of a function; edges begin at them too.

        >>> graph.functions["step"].arguments
        """
        return self.columns.names[: self.columns.arguments]

    @property
    def results(self) -> list[str]:
        """Of a function: the nodes that it returns.

        >>> graph.functions["step"].results
        """
        return self.columns.names[len(self.columns.names) - self.columns.results :]

    @property
    def ops(self) -> dict[str, int]:
        """How many nodes there are of each op, in the order they first occur.

        >>> graph.ops
        """
        graph = self.columns
        return dict(Counter(graph.op_names[code] for code in graph.ops[graph.file_nodes].tolist()))

    @property
    def parameters(self) -> int:
        """Number of its weights.

        >>> graph.parameters
        """
        return int(self.columns.parameters.sum())

    @property
    def flops(self) -> float | None:
        """Of the nodes whose operations are known; None if there are none.

        >>> graph.flops
        """
        return float(np.nansum(self.columns.flops)) or None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the graph, in sentences.

        >>> graph.problems
        """
        return self.columns.problems


class LogFunctions(Mapping[str, LogGraph]):
    def __init__(self, functions: Mapping[str, Graph]) -> None:
        self._functions = functions

    def __len__(self) -> int:
        return len(self._functions)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __getitem__(self, name: str) -> LogGraph:
        return LogGraph(self._functions[name], name)


def edge_source(graph: Graph, edge: int) -> str:
    start = int(graph.edge_from[edge])
    return graph.names[start] if start >= 0 else graph.missing.get(edge, "")
