"""Numbers of nodes that add up in groups: parameters, FLOPs, time, memory, and ops that TPUs can run."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.model import Graph
from runglass.query.graphs.structure import Structure
from runglass.query.graphs.tpu import is_compatible


class Sums(Struct, frozen=True):
    """Prefix sums over positions; None where nothing is known."""

    parameters: NDArray[Any]
    flops: NDArray[Any] | None
    time: NDArray[Any] | None
    memory: NDArray[Any] | None
    tpu: NDArray[Any] | None


class Measures:
    """Of a graph and its functions. `times` and `memories`: of nodes by name."""

    def __init__(
        self, times: dict[str, float] | None = None, memories: dict[str, float] | None = None
    ) -> None:
        self.times = times or {}
        self.memories = memories or {}
        self._sums: WeakKeyDictionary[Structure, Sums] = WeakKeyDictionary()

    def of(self, structure: Structure) -> Sums:
        sums = self._sums.get(structure)
        if sums is None:
            graph = structure.graph
            flops = graph.flops
            compatible = is_compatible(graph)
            sums = self._sums[structure] = Sums(
                structure.prefix_sums(graph.parameters),
                None if np.isnan(flops).all() else structure.prefix_sums(np.nan_to_num(flops)),
                self._column(structure, self.times),
                self._column(structure, self.memories),
                None if compatible is None else structure.prefix_sums(compatible),
            )
        return sums

    def has_tpu(self, graph: Graph) -> bool:
        return is_compatible(graph) is not None

    def _column(self, structure: Structure, values: dict[str, float]) -> NDArray[Any] | None:
        if not values:
            return None
        names = structure.graph.names
        return structure.prefix_sums(
            np.fromiter((values.get(name, 0.0) for name in names), np.float64, len(names))
        )
