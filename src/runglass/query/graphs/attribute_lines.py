"""The attributes of all nodes of a graph as lines of text, each different one once, and which nodes have them.

Read a part at a time, because the attributes of a large graph take a moment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.model import Graph, Int32

NODES_PER_PART = 4_096

Mask = NDArray[np.bool_]


class AttributeLines:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._numbered = graph.number_attributes()
        self.nodes_read = 0
        # "name=value" in lower case, as every search wants it, and the number of each.
        self._lines: dict[str, int] = {}
        # Attributes with a line, one entry for each line of each; and which attributes nodes have.
        self._attributes: list[int] = []
        self._line_of: list[int] = []
        self._count = 0
        self._parts: list[tuple[Int32, Int32]] = []

    @property
    def is_complete(self) -> bool:
        return self.nodes_read == len(self._graph)

    @property
    def texts(self) -> list[str]:
        return list(self._lines)

    def read_part(self) -> None:
        first, last = self.nodes_read, min(self.nodes_read + NODES_PER_PART, len(self._graph))
        counts, numbers, fresh = self._numbered.read(first, last)
        for name, text in fresh:
            for line in f"{name}={text}".lower().split("\n"):
                self._attributes.append(self._count)
                self._line_of.append(self._lines.setdefault(line, len(self._lines)))
            self._count += 1
        self._parts.append((np.repeat(np.arange(first, last, dtype=np.int32), counts), numbers))
        self.nodes_read = last

    def nodes_with(self, wanted: set[str]) -> Mask:
        """Nodes that were read and have one of these lines."""
        is_wanted = np.zeros(len(self._lines), np.bool_)
        is_wanted[[self._lines[text] for text in wanted]] = True
        has = np.zeros(self._count, np.bool_)
        has[np.asarray(self._attributes, np.int64)[is_wanted[self._line_of]]] = True
        found = np.zeros(self.nodes_read, np.bool_)
        for nodes, numbers in self._parts:
            found[nodes[has[numbers]]] = True
        return found
