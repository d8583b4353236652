"""Families of tags whose names are those of nodes or modules, and their values over steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.buckets import share_of_zeros, tidy_loaded
from runglass.query.graphs.distinct import distinct_values
from runglass.query.graphs.matching import (
    Family,
    Meant,
    Names,
    count_like,
    family_id,
    family_label,
    group_by_family,
)
from runglass.query.graphs.model import GraphUnknown
from runglass.query.source import Columns, DataSource, Float64, Values
from runglass.store.model import Kind, SeriesKey

Statistic = Literal["mean", "std", "min", "max", "zeros"]
FamilyKind = Literal["scalar", "histogram"]
KINDS: dict[FamilyKind, Kind] = {"scalar": Kind.SCALAR, "histogram": Kind.HISTOGRAM}

MAX_STEPS = 10_000
MAX_POINTS = 500
MAX_HISTOGRAMS = 100
# One tag with the name of a node is chance; several are a family.
MIN_FAMILY = 2
MAX_FAMILIES = 100
MAX_TAG_SETS = 20


class FoundFamily(Struct, frozen=True):
    id: str
    label: str
    kind: FamilyKind
    # Its tags with what they mean.
    tags: list[tuple[str, Meant]]
    # Tags that look like those of the family, matched or not.
    count: int
    run: str


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
                if len({meant for _, meant in matched}) >= MIN_FAMILY:
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

    def values_at(self, step: int | None) -> list[tuple[Meant, float]]:
        """What tags mean, with the last value up to a step; without a step, the last of all."""
        found = []
        for tag, meant in self.family.tags:
            value = self.value_at(tag, step)
            if value is not None:
                found.append((meant, value))
        return found

    def value_at(self, tag: str, step: int | None) -> float | None:
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


def thin(values: NDArray[Any], most: int) -> NDArray[Any]:
    """At most so many, evenly, with the first and the last."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.int64)]
