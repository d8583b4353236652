"""Series: nodes of one op and one numbered name in a group, such as add_1 … add_9, that are drawn as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from runglass.query.graphs.distinct import find_distinct
from runglass.query.graphs.hierarchy import Bools, Ints
from runglass.query.graphs.repeats import split_number

# As TensorBoard.
MIN_SERIES = 5
# Whether a series can be drawn as one node without a circle is looked at for this many of a group.
MAX_CHECKED = 50
# Names of more nodes than this would take seconds to look at.
MAX_LOOKED_AT = 200_000


class Series(Struct, frozen=True):
    """Leaves in a row."""

    group: int
    members: tuple[int, ...]
    # "add[1-9]"
    label: str


def find_series(
    parent: Ints,
    items: Ints,
    *,
    ops: Ints,
    labels: Sequence[str],
    is_shown: Bools,
    edge_from: Ints,
    edge_to: Ints,
) -> list[Series]:
    """`items`: those of the nodes; the other columns are by node, edges too."""
    nodes = np.flatnonzero(is_shown)
    if len(nodes) < MIN_SERIES:
        return []
    keys = parent[items[nodes]].astype(np.int64) << 32 | ops[nodes]
    found_keys = find_distinct(keys)
    nodes = nodes[found_keys.counts[found_keys.codes] >= MIN_SERIES]
    if len(nodes) > MAX_LOOKED_AT:
        return []
    candidates: dict[tuple[int, int, str, str], list[tuple[int, int]]] = defaultdict(list)
    for node in nodes.tolist():
        item = int(items[node])
        parts = split_number(labels[item])
        if parts is not None:
            stem = parts[0].rstrip("_.-")
            candidates[int(parent[item]), int(ops[node]), stem, parts[2]].append((parts[1], node))
    by_group: dict[int, list[list[tuple[int, int]]]] = defaultdict(list)
    for (group, *_), members in candidates.items():
        for row in _rows(sorted(members)):
            if len(row) >= MIN_SERIES:
                by_group[group].append(row)
    found = []
    for group, rows in by_group.items():
        if len(rows) > MAX_CHECKED:
            continue
        inside = np.flatnonzero((parent[items[edge_from]] == group) & (parent[items[edge_to]] == group))
        after = defaultdict(list)
        for source, target in zip(edge_from[inside].tolist(), edge_to[inside].tolist(), strict=True):
            after[source].append(target)
        for row in rows:
            nodes_in = [node for _, node in row]
            if not _makes_circle(set(nodes_in), after):
                label = labels[int(items[nodes_in[0]])]
                stem = (split_number(label) or (label, 0, ""))[0].rstrip("_.-")
                found.append(
                    Series(
                        group,
                        tuple(int(items[node]) for node in nodes_in),
                        f"{stem}[{row[0][0]}-{row[-1][0]}]",
                    )
                )
    return found


def _rows(members: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    rows: list[list[tuple[int, int]]] = []
    for number, node in members:
        if rows and rows[-1][-1][0] + 1 == number:
            rows[-1].append((number, node))
        else:
            rows.append([(number, node)])
    return rows


def _makes_circle(members: set[int], after: dict[int, list[int]]) -> bool:
    """Whether a path leaves the series and comes back: drawn as one node, it would look like a loop."""
    waiting = [target for node in members for target in after.get(node, ()) if target not in members]
    seen = set(waiting)
    while waiting:
        for target in after.get(waiting.pop(), ()):
            if target in members:
                return True
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return False
