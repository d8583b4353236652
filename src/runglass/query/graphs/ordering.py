"""The order of the nodes of one level, and which of its edges close a loop."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from runglass.query.graphs.hierarchy import Ints


def order_level(count: int, start: Ints, end: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Every node after those that feed it, in the order of the file otherwise; and the edges that lead back."""
    after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for edge, (source, target) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        after[source].append((target, edge))
    is_back = np.zeros(len(start), np.bool_)
    inputs = np.bincount(end, minlength=count)
    # From nodes without inputs first: so a loop is closed by the edge that leads to its entry.
    roots = [*np.flatnonzero(inputs == 0).tolist(), *np.flatnonzero(inputs > 0).tolist()]
    state = bytearray(count)
    for root in roots:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(after[root]))]
        while stack:
            node, rest = stack[-1]
            for target, edge in rest:
                if state[target] == 1:
                    is_back[edge] = True
                elif not state[target]:
                    state[target] = 1
                    stack.append((target, iter(after[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    waits = np.bincount(end[~is_back], minlength=count).tolist()
    ready = [node for node in range(count) if not waits[node]]
    heapify(ready)
    order: list[int] = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for target, edge in after[node]:
            if not is_back[edge]:
                waits[target] -= 1
                if not waits[target]:
                    heappush(ready, target)
    return np.asarray(order, np.int64), is_back
