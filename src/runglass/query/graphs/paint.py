"""Values on nodes: what nodes take or hold, a family of tags at a step, or values of a file. Knows no colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.calls import Call
from runglass.query.graphs.families import Curves
from runglass.query.graphs.hierarchy import Tree
from runglass.query.graphs.levels import LevelReader, plain_label
from runglass.query.graphs.matching import Meant, Names
from runglass.query.graphs.measures import Measure, Sums
from runglass.query.graphs.model import GraphUnknown
from runglass.query.graphs.node_info import node_id
from runglass.query.graphs.shown import Place, Shown
from runglass.query.graphs.structure import Structure
from runglass.query.source import Float64, Int64

UNITS: dict[Measure, str] = {"time": "µs", "memory": "B", "parameters": "", "flops": "FLOP"}

BINS = 40
# Values that span more than this are counted in logarithmic bins.
LOG_RATIO = 20.0


class Ranked(NamedTuple):
    id: str
    label: str
    where: str
    value: float


class Counts(Struct, frozen=True):
    edges: list[float]
    counts: list[int]
    # Whether the bins are even on a logarithmic scale.
    is_log: bool


class Painted(Struct, frozen=True):
    unit: str
    # For each shown id.
    values: list[float | None]
    min: float | None
    max: float | None
    histogram: Counts | None
    ranking: list[Ranked]
    matched: int
    unmatched: int


# Measures


def paint_measure(shown: Shown, measure: Measure, ids: Sequence[str], top: int) -> Painted:
    """Values of a group are the sum of its nodes'."""
    values: list[float | None] = []
    for id in ids:
        place = _find(shown, id)
        sums = None if place is None else _sums(place.reader.sums, measure)
        if place is None or sums is None:
            values.append(None)
            continue
        lo, hi = place.reader.structure.range_of(place.item)
        value = float(sums[hi] - sums[lo])
        values.append(value or None)
    columns = _list_columns(shown, measure)
    ranking: list[Ranked] = []
    for reader, column in columns:
        known = np.flatnonzero(column > 0)
        order = known[np.argsort(-column[known], kind="stable")]
        ranking += [_rank_node(reader, int(node), float(column[node])) for node in order[:top].tolist()]
    ranking.sort(key=lambda each: -each.value)
    column = np.concatenate([column for _, column in columns])
    known = np.flatnonzero(column > 0)
    return _painted(
        UNITS[measure], values, column[known], ranking[:top], len(known), len(column) - len(known)
    )


def _list_columns(shown: Shown, measure: Measure) -> list[tuple[LevelReader, Float64]]:
    """Of the graph and of each body. A call has no value where the nodes of its only body have them."""
    columns = {
        reader.function: (reader, reader.measures.column(reader.structure.graph, measure, reader.calls))
        for reader, _ in shown.bodies()
    }
    calls = shown.calls
    has_values = {function for function, (_, column) in columns.items() if column.any()}
    for reader, column in columns.values():
        for call in calls.of(reader.structure.graph):
            if call.function in has_values and calls.counts[call.function] == 1:
                column[call.node] = 0.0
    return list(columns.values())


def _sums(sums: Sums, measure: Measure) -> NDArray[Any] | None:
    return {
        "time": sums.time,
        "memory": sums.memory,
        "parameters": sums.parameters,
        "flops": sums.flops,
    }[measure]


def _find(shown: Shown, id: str) -> Any:
    try:
        return shown.find(id)
    except GraphUnknown:
        return None


def _rank_node(reader: LevelReader, node: int, value: float) -> Ranked:
    label, where = _words(reader, int(reader.structure.known.hierarchy.items[node]))
    return Ranked(node_id(reader, node), label, where, value)


def _words(reader: LevelReader, item: int) -> tuple[str, str]:
    """The label of an item of the hierarchy, and the path of its group."""
    hierarchy = reader.structure.known.hierarchy
    above = []
    at = int(hierarchy.parent[item])
    while at > 0:
        above.append(hierarchy.labels[at])
        at = int(hierarchy.parent[at])
    where = reader.prefix + "/".join(reversed(above))
    return plain_label(hierarchy.labels[item]), where.removesuffix("/")


# Values by item


class Holders:
    """What is drawn for what names mean: items of one reader, which may be calls whose bodies have it."""

    def __init__(self, shown: Shown, reader: LevelReader) -> None:
        self._reader = reader
        self._paths = frozenset(reader.calls)
        self._leading: dict[str, list[Call]] = {}
        for call in shown.calls.of(reader.structure.graph):
            for function in shown.calls.reached(call.function):
                self._leading.setdefault(function, []).append(call)

    def find(self, meant: Meant) -> list[int]:
        structure = self._reader.structure
        items = []
        if meant.function == self._reader.function and (not meant.path or meant.path in self._paths):
            item = drawn_item(structure, meant.item)
            items += [] if item is None else [item]
        for call in self._leading.get(meant.function, ()):
            if not meant.path or any(meant.path[: len(path) + 1] == (*path, call) for path in self._paths):
                items.append(int(structure.item_at[structure.shown_at[call.node]]))
        return items


class Heights(NamedTuple):
    """Of the items of one reader: the largest value in each, and whether any in it is not a number."""

    largest: Float64
    is_nan: NDArray[np.bool_]

    def of(self, item: int) -> float | None:
        if self.is_nan[item]:
            return float("nan")
        value = float(self.largest[item])
        return None if value == -np.inf else value


def paint_items(
    shown: Shown, found: Sequence[tuple[Meant, float]], ids: Sequence[str], top: int, unmatched: int
) -> Painted:
    """`found`: what has values. A group, or a call of a function, shows the largest value of itself and of what is inside."""
    known: dict[str, Heights] = {}
    values: list[float | None] = []
    for id in ids:
        place = _find(shown, id)
        if place is None:
            values.append(None)
            continue
        reader = place.reader
        heights = known.get(reader.prefix)
        if heights is None:
            heights = known[reader.prefix] = _measure_heights(shown, reader, found)
        values.append(_of_function(shown, place, found) if place.function else heights.of(place.item))
    # What is not finite is what one looks for.
    order = sorted(range(len(found)), key=lambda at: -np.inf if np.isnan(found[at][1]) else -found[at][1])
    ranked = (_rank_meant(shown, *found[at]) for at in order)
    ranking = list(islice((each for each in ranked if each is not None), top))
    column = np.asarray([value for _, value in found], np.float64)
    return _painted("", values, column, ranking, len(found), unmatched)


def _measure_heights(shown: Shown, reader: LevelReader, found: Sequence[tuple[Meant, float]]) -> Heights:
    tree = reader.structure.tree
    holders = Holders(shown, reader)
    largest = np.full(len(tree.parent), -np.inf)
    is_nan = np.zeros(len(largest), np.bool_)
    for meant, value in found:
        for item in holders.find(meant):
            if np.isnan(value):
                is_nan[item] = True
            else:
                largest[item] = max(largest[item], value)
    for items in reversed(tree.by_depth[1:]):
        np.maximum.at(largest, tree.parent[items], largest[items])
        np.logical_or.at(is_nan, tree.parent[items], is_nan[items])
    return Heights(largest, is_nan)


def _of_function(shown: Shown, place: Place, found: Sequence[tuple[Meant, float]]) -> float | None:
    """Of one of several functions of a call."""
    body = shown.enter_function(place)
    return _measure_heights(shown, body, found).of(0)


def _rank_meant(shown: Shown, meant: Meant, value: float) -> Ranked | None:
    path = meant.path or shown.calls.first.get(meant.function, ())
    reader = shown.enter(path)
    structure = reader.structure
    item = drawn_item(structure, meant.item)
    if item is None:
        return None
    label, where = _words(reader, meant.item)
    return Ranked(reader.id(structure.topmost(item)), label, where, value)


def drawn_item(structure: Structure, item: int) -> int | None:
    """What is drawn for an item of the hierarchy: itself, its counterpart in a repeat's first member, or the user of a folded node."""
    tree = structure.tree
    node = int(structure.nodes[item])
    if node >= 0:
        return int(structure.item_at[structure.shown_at[node]])
    if not tree.size[item]:
        # Everything inside is folded.
        inside = _nodes_below(structure, item)
        return int(structure.item_at[structure.shown_at[inside[0]]]) if len(inside) else None
    at = int(structure.represents[tree.lo[item]])
    found = int(structure.item_at[at])
    while tree.depth[found] > tree.depth[item]:
        found = int(tree.parent[found])
    return found


def _nodes_below(structure: Structure, item: int) -> Int64:
    hierarchy = structure.known.hierarchy
    above = hierarchy.parent[hierarchy.items]
    found = np.zeros(len(above), np.bool_)
    while (above > 0).any():
        found |= above == item
        above = np.where(above > 0, hierarchy.parent[above], 0)
    return np.flatnonzero(found)


def _painted(
    unit: str,
    values: list[float | None],
    column: Float64,
    ranking: list[Ranked],
    matched: int,
    unmatched: int,
) -> Painted:
    finite = column[np.isfinite(column)]
    if not len(finite):
        return Painted(unit, values, None, None, None, ranking, matched, unmatched)
    low, high = float(finite.min()), float(finite.max())
    return Painted(unit, values, low, high, count_values(finite), ranking, matched, unmatched)


def count_values(values: Float64) -> Counts:
    low, high = float(values.min()), float(values.max())
    is_log = low > 0 and high / low >= LOG_RATIO
    if low == high:
        return Counts([low, high], [len(values)], False)
    edges = np.geomspace(low, high, BINS + 1) if is_log else np.linspace(low, high, BINS + 1)
    edges[0], edges[-1] = low, high
    counts, _ = np.histogram(values, edges)
    return Counts(edges.tolist(), counts.tolist(), is_log)


def tag_of_node(shown: Shown, curves: Curves, id: str, step: int | None) -> str | None:
    """The tag whose value a shown node has."""
    place = _find(shown, id)
    if place is None:
        return None
    tree = place.reader.structure.tree
    holders = Holders(shown, place.reader)
    best: tuple[float, str] | None = None
    for tag, meant in curves.family.tags:
        if not any(_is_inside(tree, item, place.item) for item in holders.find(meant)):
            continue
        value = curves.value_at(tag, step)
        rank = -np.inf if value is None else np.inf if np.isnan(value) else value
        if best is None or rank > best[0]:
            best = rank, tag
    return None if best is None else best[1]


def _is_inside(tree: Tree, item: int, group: int) -> bool:
    while item > 0 and item != group:
        item = int(tree.parent[item])
    return item == group


def match_values(names: Names, values: Mapping[str, float]) -> tuple[list[tuple[Meant, float]], int]:
    """What named values mean, and how many names mean nothing."""
    found = []
    for name, value in values.items():
        meant = names.find(name)
        if meant is not None:
            found.append((meant, value))
    return found, len(values) - len(found)
