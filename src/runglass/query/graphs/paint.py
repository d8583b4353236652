"""Values on nodes: what nodes take or hold, a family of tags at a step, or values of a file. Knows no colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.buckets import share_of_zeros, tidy_loaded
from runglass.query.graphs.distinct import distinct_values
from runglass.query.graphs.levels import LevelReader, plain_label
from runglass.query.graphs.matching import Family, Names, count_like, family_id, family_label, group_by_family
from runglass.query.graphs.measures import Measures, Sums
from runglass.query.graphs.model import Graph, GraphUnknown
from runglass.query.graphs.node_info import node_id
from runglass.query.graphs.shown import Shown
from runglass.query.graphs.structure import Structure
from runglass.query.source import Columns, DataSource, Float64, Int64, Values
from runglass.store.model import Kind, SeriesKey

Measure = Literal["time", "memory", "parameters", "flops"]
Statistic = Literal["mean", "std", "min", "max", "zeros"]
FamilyKind = Literal["scalar", "histogram"]
UNITS: dict[Measure, str] = {"time": "µs", "memory": "B", "parameters": "", "flops": "FLOP"}
KINDS: dict[FamilyKind, Kind] = {"scalar": Kind.SCALAR, "histogram": Kind.HISTOGRAM}

BINS = 40
MAX_STEPS = 10_000
MAX_POINTS = 500
MAX_HISTOGRAMS = 100
# One tag with the name of a node is chance; several are a family.
MIN_FAMILY = 2
MAX_FAMILIES = 100
MAX_TAG_SETS = 20
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


class FoundFamily(Struct, frozen=True):
    id: str
    label: str
    kind: FamilyKind
    # The items of the hierarchy that its tags mean.
    tags: list[tuple[str, int]]
    # Tags that look like those of the family, matched or not.
    count: int
    run: str


# Measures


def paint_measure(shown: Shown, measure: Measure, ids: Sequence[str], top: int) -> Painted:
    """Values of a group are the sum of its nodes'."""
    values: list[float | None] = []
    for id in ids:
        place = _find(shown, id)
        sums = None if place is None else _sums(shown.measures.of(place.reader.structure), measure)
        if place is None or sums is None:
            values.append(None)
            continue
        lo, hi = place.reader.structure.range_of(place.item)
        value = float(sums[hi] - sums[lo])
        values.append(value or None)
    root = shown.root
    column = measure_column(root.structure.graph, shown.measures, measure)
    known = np.flatnonzero(column > 0)
    order = known[np.argsort(-column[known], kind="stable")]
    ranking = [_rank_node(root, int(node), float(column[node])) for node in order[:top].tolist()]
    return _painted(UNITS[measure], values, column[known], ranking, len(known), len(column) - len(known))


def measure_column(graph: Graph, measures: Measures, measure: Measure) -> Float64:
    """Of each node; 0 where it is unknown."""
    if measure == "parameters":
        return graph.parameters.astype(np.float64)
    if measure == "flops":
        return np.nan_to_num(graph.flops)
    values = measures.times if measure == "time" else measures.memories
    return np.fromiter((values.get(name, 0.0) for name in graph.names), np.float64, len(graph))


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
    item = int(reader.structure.known.hierarchy.items[node])
    label, where = _words(reader.structure, item)
    return Ranked(node_id(reader, node), label, where, value)


def _words(structure: Structure, item: int) -> tuple[str, str]:
    """The label of an item of the hierarchy, and the path of its group."""
    hierarchy = structure.known.hierarchy
    above = []
    at = int(hierarchy.parent[item])
    while at > 0:
        above.append(hierarchy.labels[at])
        at = int(hierarchy.parent[at])
    return plain_label(hierarchy.labels[item]), "/".join(reversed(above))


# Values by item


def paint_items(
    shown: Shown, found: Sequence[tuple[int, float]], ids: Sequence[str], top: int, unmatched: int
) -> Painted:
    """`found`: items of the hierarchy with values. A group shows the largest value of itself and of what is inside."""
    reader = shown.root
    structure = reader.structure
    drawn = np.full(len(structure.tree.parent), -np.inf)
    is_nan = np.zeros(len(drawn), np.bool_)
    ranking: list[Ranked] = []
    for item, value in found:
        place = drawn_item(structure, item)
        if place is None:
            continue
        if np.isnan(value):
            is_nan[place] = True
        else:
            drawn[place] = max(drawn[place], value)
        label, where = _words(structure, item)
        ranking.append(Ranked(reader.id(structure.topmost(place)), label, where, value))
    for items in reversed(structure.tree.by_depth[1:]):
        np.maximum.at(drawn, structure.tree.parent[items], drawn[items])
        np.logical_or.at(is_nan, structure.tree.parent[items], is_nan[items])
    values: list[float | None] = []
    for id in ids:
        place = _find(shown, id)
        if place is None or place.reader is not reader:
            values.append(None)
        elif is_nan[place.item]:
            values.append(float("nan"))
        else:
            value = float(drawn[place.item])
            values.append(None if value == -np.inf else value)
    # What is not finite is what one looks for.
    ranking.sort(key=lambda each: (-np.inf if np.isnan(each.value) else -each.value, each.id))
    column = np.asarray([value for _, value in found], np.float64)
    return _painted("", values, column, ranking[:top], len(found), unmatched)


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


# Families of tags


def list_families(source: DataSource, names: Names, run: str | None) -> list[FoundFamily]:
    """Of all runs; the graph's own run first, and of runs with equal tags only the first."""
    found: list[FoundFamily] = []
    for kind in KINDS:
        of_run, tag_sets = source.list_tag_sets(kind=KINDS[kind])
        sets: dict[int, str] = {}
        for name in sorted(of_run, key=lambda each: _distance(each, run)):
            sets.setdefault(of_run[name], name)
        for index, name in list(sets.items())[:MAX_TAG_SETS]:
            tags = list(tag_sets[index])
            for family, matched in group_by_family(names, tags).items():
                items = {item for _, item in matched}
                if len(items) >= MIN_FAMILY:
                    found.append(
                        FoundFamily(
                            f"{kind}:{family_id(family)}",
                            family_label(family, tags),
                            kind,
                            matched,
                            max(count_like(family, tags), len(matched)),
                            name,
                        )
                    )
    found.sort(key=lambda each: (each.run != run, -len(each.tags) / each.count, -len(each.tags)))
    best: dict[str, FoundFamily] = {}
    for each in found:
        best.setdefault(each.id, each)
    return list(best.values())[:MAX_FAMILIES]


def _distance(name: str, run: str | None) -> tuple[bool, int, str]:
    """Runs in the same directory are nearer."""
    if run is None:
        return False, 0, name
    common = 0
    for a, b in zip(name.split("/"), run.split("/"), strict=False):
        if a != b:
            break
        common += 1
    return name != run, -common, name


def find_family(source: DataSource, names: Names, id: str, run: str | None) -> FoundFamily:
    """Its tags in a run. Raises GraphUnknown, RunUnknown."""
    kind_name, _, rest = id.partition(":")
    before, _, after = rest.partition("|")
    kind = next((each for each in KINDS if each == kind_name), None)
    if kind is None:
        raise GraphUnknown(
            f"There is no family {id[:200]!r}. POST api/graphs/families lists them.", where="family"
        )
    family = Family(tuple(filter(None, before.split("/"))), tuple(filter(None, after.split("/"))))
    if run is None:
        listed = [each for each in list_families(source, names, None) if each.id == id]
        if not listed:
            raise GraphUnknown(f"No run has a family {id[:200]!r}.", where="family")
        return listed[0]
    tags = [info.key.tag for info in source.list_series(run=run, kind=KINDS[kind])]
    matched = group_by_family(names, tags).get(family, [])
    return FoundFamily(
        id, family_label(family, tags), kind, matched, max(count_like(family, tags), len(matched)), run
    )


class Curves:
    """The tags of a family over steps, read once per request."""

    def __init__(self, source: DataSource, family: FoundFamily, statistic: Statistic) -> None:
        self._source = source
        self.family = family
        self._statistic = statistic
        keys = [SeriesKey(family.run, tag) for tag, _ in family.tags]
        self._scalars = (
            {columns.key.tag: columns for columns in source.read_columns(keys)}
            if family.kind == "scalar"
            else {}
        )
        self._histograms: dict[str, Values] = (
            {key.tag: source.read_values(key, kind=Kind.HISTOGRAM) for key in keys}
            if family.kind == "histogram"
            else {}
        )

    def steps(self) -> list[int]:
        """At which any tag has a value; thinned where there are very many."""
        columns = [each.step for each in self._scalars.values()]
        columns += [each.step for each in self._histograms.values()]
        if not columns:
            return []
        steps = distinct_values(np.concatenate(columns))
        return [int(step) for step in thin(steps, MAX_STEPS)]

    def values_at(self, step: int | None) -> list[tuple[int, float]]:
        """Items with the last value up to a step; without a step, the last of all."""
        found = []
        for tag, item in self.family.tags:
            value = self._value_at(tag, step)
            if value is not None:
                found.append((item, value))
        return found

    def _value_at(self, tag: str, step: int | None) -> float | None:
        series: Columns | Values | None = self._scalars.get(tag)
        if series is None:
            series = self._histograms.get(tag)
        if series is None:
            return None
        rows = np.arange(len(series.step)) if step is None else np.flatnonzero(series.step <= step)
        if not len(rows):
            return None
        row = int(rows[-1]) if step is None else int(rows[np.argmax(series.step[rows])])
        if tag in self._scalars:
            return float(self._scalars[tag].value[row])
        return self._load(tag, [row])[0]

    def curve(self, tag: str) -> tuple[list[int], list[float]]:
        scalars = self._scalars.get(tag)
        if scalars is not None:
            rows = thin(np.arange(len(scalars.step)), MAX_POINTS)
            return scalars.step[rows].tolist(), scalars.value[rows].astype(float).tolist()
        values = self._histograms[tag]
        rows = thin(np.arange(len(values.step)), MAX_HISTOGRAMS)
        loaded = self._load(tag, rows.tolist())
        return values.step[rows].tolist(), [float("nan") if each is None else each for each in loaded]

    def _load(self, tag: str, rows: Sequence[int]) -> list[float | None]:
        loaded = self._source.load_values(self._histograms[tag], rows)
        return [statistic_of(tidy_loaded(value).buckets, self._statistic) for value in loaded]


def statistic_of(buckets: Float64, statistic: Statistic) -> float | None:
    counts = buckets[:, 2]
    total = float(counts.sum())
    if not total:
        return None
    held = buckets[counts > 0]
    if statistic == "min":
        return float(held[0, 0])
    if statistic == "max":
        return float(held[-1, 1])
    if statistic == "zeros":
        return share_of_zeros(buckets)[1]
    middle = (held[:, 0] + held[:, 1]) / 2
    mean = float((middle * held[:, 2]).sum() / total)
    if statistic == "mean":
        return mean
    # The mass of a bucket is spread evenly, so a bucket has a variance of its own.
    inner = (held[:, 1] - held[:, 0]) ** 2 / 12
    return float(np.sqrt((((middle - mean) ** 2 + inner) * held[:, 2]).sum() / total))


def tag_of_node(shown: Shown, curves: Curves, id: str, step: int | None) -> str | None:
    """The tag whose value a shown node has."""
    place = _find(shown, id)
    structure = shown.root.structure
    if place is None or place.reader is not shown.root:
        return None
    best: tuple[float, str] | None = None
    for tag, item in curves.family.tags:
        drawn = drawn_item(structure, item)
        while drawn is not None and drawn > 0 and drawn != place.item:
            drawn = int(structure.tree.parent[drawn])
        if drawn != place.item:
            continue
        value = curves._value_at(tag, step)
        rank = -np.inf if value is None else np.inf if np.isnan(value) else value
        if best is None or rank > best[0]:
            best = rank, tag
    return None if best is None else best[1]


def match_values(names: Names, values: Mapping[str, float]) -> tuple[list[tuple[int, float]], int]:
    """Items of named values, and how many names mean nothing."""
    found = []
    for name, value in values.items():
        item = names.find(name)
        if item is not None:
            found.append((item, value))
    return found, len(values) - len(found)


def thin(values: NDArray[Any], most: int) -> NDArray[Any]:
    """At most so many, evenly, with the first and the last."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.int64)]
