"""Which nodes and groups names mean that come from elsewhere: tags of scalars and histograms, or values in a file.

Names are compared as sequences of parts: "encoder/layers.0/norm1" and "encoder.layers.0.norm1" are the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from runglass.query.graphs.hierarchy import Hierarchy
from runglass.query.graphs.model import Graph

SEPARATORS = re.compile(r"[/.:|]+")
# Parts that name a tensor of a module, not a module.
TENSORS = frozenset(
    {
        *(
            "weight",
            "weights",
            "bias",
            "biases",
            "kernel",
            "gamma",
            "beta",
            "running_mean",
            "running_var",
            "moving_mean",
        ),
        *(
            "moving_variance",
            "embeddings",
            "in_proj_weight",
            "in_proj_bias",
            "scale",
            "recurrent_kernel",
            "output",
        ),
        *("activation", "activations"),
    }
)
MAX_BEFORE = 3
MAX_AFTER = 2
MAX_PARTS = 64

Parts = tuple[str, ...]


class Family(NamedTuple):
    """What the tags of a family have around the name of the node: grad_norm/…, …/grad."""

    before: Parts
    after: Parts


class Matched(Struct, frozen=True):
    family: Family
    item: int


def split_name(name: str) -> Parts:
    return tuple(part for part in SEPARATORS.split(name.lower()) if part)[:MAX_PARTS]


class Names:
    """The nodes and groups of a graph by their parts. Items are those of the hierarchy."""

    def __init__(self, graph: Graph, hierarchy: Hierarchy) -> None:
        self._items: dict[Parts, int] = {}
        for path, group in hierarchy.groups.items():
            if group:
                self._items.setdefault(split_name(path), group)
        for names in (graph.paths, graph.names):
            for name, item in zip(names, hierarchy.items.tolist(), strict=True):
                self._items.setdefault(split_name(name), item)
            if graph.paths is graph.names:
                break
        # A model is often the only group of its graph, and its own name is not in the names of its modules.
        for parts, item in list(self._items.items()):
            if len(parts) > 1:
                self._items.setdefault(parts[1:], item)
        self._items.pop((), None)

    def find(self, name: str) -> int | None:
        parts = split_name(name)
        item = self._items.get(parts)
        if item is None and len(parts) > 1 and parts[-1] in TENSORS:
            item = self._items.get(parts[:-1])
        return item

    def match(self, tag: str) -> Matched | None:
        """The longest part of a tag that is a name."""
        parts = split_name(tag)
        for length in range(len(parts), 0, -1):
            for start in range(min(len(parts) - length, MAX_BEFORE) + 1):
                item = self._items.get(parts[start : start + length])
                if item is None:
                    continue
                after = parts[start + length :]
                if after and after[0] in TENSORS:
                    after = after[1:]
                if len(after) <= MAX_AFTER:
                    return Matched(Family(parts[:start], after), item)
        return None


def group_by_family(names: Names, tags: Iterable[str]) -> dict[Family, list[tuple[str, int]]]:
    """Tags with the items that they mean, the largest family first."""
    families: dict[Family, list[tuple[str, int]]] = defaultdict(list)
    for tag in tags:
        matched = names.match(tag)
        if matched is not None:
            families[matched.family].append((tag, matched.item))
    return dict(sorted(families.items(), key=lambda each: -len(each[1])))


def family_label(family: Family, tags: Sequence[str]) -> str:
    """ "grad_norm", "… grad"; of tags that are names of nodes and nothing else, "values"."""
    before, after = "/".join(family.before), "/".join(family.after)
    if before and after:
        return f"{before} … {after}"
    return before or after or "values"


def family_id(family: Family) -> str:
    return "/".join(family.before) + "|" + "/".join(family.after)


def count_like(family: Family, tags: Iterable[str]) -> int:
    """How many tags begin and end like those of a family."""
    count = 0
    for tag in tags:
        parts = split_name(tag)
        before, after = family
        is_before = parts[: len(before)] == before
        is_after = not after or parts[-len(after) :] == after
        count += is_before and is_after and len(parts) > len(before) + len(after)
    return count
