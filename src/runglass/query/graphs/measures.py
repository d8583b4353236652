"""Numbers of nodes that add up in groups: parameters, FLOPs, time, memory, and ops that TPUs can run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.calls import CallPath, Calls
from runglass.query.graphs.model import Float64, Graph
from runglass.query.graphs.structure import Structure
from runglass.query.graphs.tpu import is_compatible

Measure = Literal["time", "memory", "parameters", "flops"]
# Bodies in bodies whose values are added up to those of a call.
MAX_NESTED = 64
AFTER_SLASH = chr(ord("/") + 1)


class Sums(Struct, frozen=True):
    """Prefix sums over positions; None where nothing is known."""

    parameters: NDArray[Any]
    flops: NDArray[Any] | None
    time: NDArray[Any] | None
    memory: NDArray[Any] | None
    tpu: NDArray[Any] | None


class Profiled:
    """A value of nodes by the names that a profile gives them."""

    def __init__(self, calls: Calls, values: Mapping[str, float]) -> None:
        self._calls = calls
        self._values = values
        root = calls.body("")
        self._own = root.index if values and root.calls else {}
        # Names of no node of the graph: those of nodes in bodies that stand in the place of their calls.
        self._inner = sorted(values.keys() - self._own.keys()) if self._own else []
        self._until = np.cumsum([0.0, *(values[name] for name in self._inner)])

    def column(self, function: str = "", paths: tuple[CallPath, ...] = ((),), depth: int = 0) -> Float64:
        """Of each node of the body that these calls lead to, all calls together; 0 where it is unknown.

        A call without a value of its own has that of its body, where that is known to belong to this call alone.
        """
        graph = self._calls.body(function)
        if not self._values:
            return np.zeros(len(graph))
        before = [self._calls.name(path) for path in paths]
        names = graph.names
        column = np.fromiter((self._value(name, before) for name in names), np.float64, len(names))
        for node in graph.calls:
            if not column[node]:
                column[node] = sum(self._inside(f"{each}{names[node]}/") for each in before)
            if not column[node] and depth < MAX_NESTED:
                column[node] = sum(
                    self.column(call.function, tuple((*path, call) for path in paths), depth + 1).sum()
                    for call in self._calls.of_node(graph, node)
                    if self._calls.counts[call.function] == 1
                )
        return column

    def value(self, name: str, paths: tuple[CallPath, ...]) -> float:
        """Of one node, without those in its body."""
        return self._value(name, [self._calls.name(path) for path in paths])

    def _value(self, name: str, before: list[str]) -> float:
        if before == [""]:
            return self._values.get(name, 0.0)
        found = sum(self._values.get(f"{each}{name}", 0.0) for each in before)
        # Some runtimes name nodes of bodies as the file does.
        return found or (0.0 if name in self._own else self._values.get(name, 0.0))

    def _inside(self, start: str) -> float:
        """The sum of names that begin so."""
        first, last = bisect_left(self._inner, start), bisect_left(self._inner, start[:-1] + AFTER_SLASH)
        return float(self._until[last] - self._until[first])


class Measures:
    """Of a graph and its functions. `times` and `memories`: of nodes by name."""

    def __init__(
        self,
        graph: Graph,
        times: Mapping[str, float] | None = None,
        memories: Mapping[str, float] | None = None,
    ) -> None:
        calls = Calls(graph)
        self.times = times or {}
        self.memories = memories or {}
        self._profiled = {
            "time": Profiled(calls, self.times),
            "memory": Profiled(calls, self.memories),
        }

    def column(self, graph: Graph, measure: Measure, paths: tuple[CallPath, ...] = ((),)) -> Float64:
        """Of each node of the graph, or of the body that these calls lead to; 0 where it is unknown."""
        if measure == "parameters":
            return graph.parameters.astype(np.float64)
        if measure == "flops":
            return np.nan_to_num(graph.flops)
        return self._profiled[measure].column(paths[0][-1].function if paths[0] else "", paths)

    def time_of(self, name: str, paths: tuple[CallPath, ...]) -> float | None:
        return self._profiled["time"].value(name, paths) or None

    def memory_of(self, name: str, paths: tuple[CallPath, ...]) -> float | None:
        return self._profiled["memory"].value(name, paths) or None

    def sum_up(self, structure: Structure, paths: tuple[CallPath, ...]) -> Sums:
        graph = structure.graph
        compatible = is_compatible(graph)
        return Sums(
            structure.prefix_sums(graph.parameters),
            None if np.isnan(graph.flops).all() else structure.prefix_sums(np.nan_to_num(graph.flops)),
            structure.prefix_sums(self.column(graph, "time", paths)) if self.times else None,
            structure.prefix_sums(self.column(graph, "memory", paths)) if self.memories else None,
            None if compatible is None else structure.prefix_sums(compatible),
        )

    def has_tpu(self, graph: Graph) -> bool:
        return is_compatible(graph) is not None
