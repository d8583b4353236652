"""Which nodes call functions, and which calls lead to the body of one. Bodies are looked into only as far as somebody asks."""

from __future__ import annotations

from collections import Counter, deque
from functools import cached_property
from typing import NamedTuple

from runglass.query.graphs.model import Graph

# Functions whose bodies are looked into, each once.
MAX_BODIES = 1_000


class Call(NamedTuple):
    node: int
    function: str


CallPath = tuple[Call, ...]
"""From the graph into a body: the call of each body in the one before. Empty for the graph itself."""


class Calls:
    """Of a graph and of the functions that it calls."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._reached: dict[str, frozenset[str]] = {}

    def body(self, function: str) -> Graph:
        """Of "", the graph itself."""
        return self._graph.functions[function] if function else self._graph

    def of(self, graph: Graph) -> list[Call]:
        """The calls in the graph, or in a body."""
        return [call for node in graph.calls for call in self.of_node(graph, node)]

    def of_node(self, graph: Graph, node: int) -> list[Call]:
        return [Call(node, name) for name in graph.calls.get(node, ()) if name in self._graph.functions]

    @cached_property
    def first(self) -> dict[str, CallPath]:
        """How to get to each function by the fewest calls, the nearest first."""
        found: dict[str, CallPath] = {}
        waiting: deque[CallPath] = deque([()])
        while waiting:
            path = waiting.popleft()
            for call in self.of(self.body(path[-1].function if path else "")):
                if call.function not in found and len(found) < MAX_BODIES:
                    found[call.function] = (*path, call)
                    waiting.append(found[call.function])
        return found

    @cached_property
    def counts(self) -> Counter[str]:
        """How many nodes call each function."""
        graphs = [self._graph, *(self.body(name) for name in self.first)]
        return Counter(call.function for graph in graphs for call in self.of(graph))

    def reached(self, function: str) -> frozenset[str]:
        """The function and all that its body leads to."""
        known = self._reached.get(function)
        if known is None:
            found = {function: None}
            for name in (waiting := [function]):
                fresh = dict.fromkeys(call.function for call in self.of(self.body(name)))
                waiting += [each for each in fresh if each not in found and len(found) < MAX_BODIES]
                found |= fresh
            known = self._reached[function] = frozenset(found)
        return known

    def name(self, path: CallPath) -> str:
        """What a runtime that puts bodies in the place of their calls writes before the names of their nodes: "call/"."""
        parts = []
        at = self._graph
        for call in path:
            parts.append(f"{at.names[call.node]}/")
            at = self.body(call.function)
        return "".join(parts)
