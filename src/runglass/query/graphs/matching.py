"""Which nodes and groups names mean that come from elsewhere: tags of scalars and histograms, or values in a file.

Names are compared as sequences of parts: "encoder/layers.0/norm1" and "encoder.layers.0.norm1" are the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from runglass.query.graphs.calls import CallPath
from runglass.query.graphs.structure import Known

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
# Calls within calls that one name may lead through.
MAX_NESTED = 8

Parts = tuple[str, ...]


class Family(NamedTuple):
    """What the tags of a family have around the name of the node: grad_norm/…, …/grad."""

    before: Parts
    after: Parts


class Meant(NamedTuple):
    """What a name stands for: an item of the hierarchy of the graph, or of the body of a function."""

    item: int
    # "": the graph itself.
    function: str = ""
    # The calls that the name tells; none where it means the body wherever it is called.
    path: CallPath = ()


class Matched(Struct, frozen=True):
    family: Family
    meant: Meant


def split_name(name: str) -> Parts:
    return tuple(part for part in SEPARATORS.split(name.lower()) if part)[:MAX_PARTS]


class Names:
    """The nodes and groups of a graph, and of the bodies of its functions, by their parts."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._items: dict[Parts, Meant] = {}
        self._in_bodies: dict[str, dict[Parts, int]] = {}
        for function in ("", *known.calls.first):
            for parts, item in self._of_body(function).items():
                self._items.setdefault(parts, Meant(item, function))

    def _of_body(self, function: str) -> dict[Parts, int]:
        items = self._in_bodies.get(function)
        if items is None:
            known = self._known.body(function)
            # Arguments and results of a function have no names that anybody else knows.
            nodes = known.graph.file_nodes if function else range(len(known.graph))
            items = self._in_bodies[function] = list_parts(known, nodes)
        return items

    def _lookup(self, parts: Parts) -> Meant | None:
        """A name, or names of calls and then one in the body that they lead to."""
        return self._items.get(parts) or self._in_call(parts, (), 0)

    def _in_call(self, parts: Parts, path: CallPath, depth: int) -> Meant | None:
        known = self._known.body(path[-1].function if path else "")
        if not known.graph.calls or depth == MAX_NESTED:
            return None
        items = self._of_body(path[-1].function if path else "")
        for length in range(len(parts) - 1, 0, -1):
            item = items.get(parts[:length])
            node = -1 if item is None else int(known.hierarchy.nodes[item])
            for call in self._known.calls.of_node(known.graph, node) if node >= 0 else ():
                inner = (*path, call)
                found = self._of_body(call.function).get(parts[length:])
                if found is not None:
                    return Meant(found, call.function, inner)
                deeper = self._in_call(parts[length:], inner, depth + 1)
                if deeper is not None:
                    return deeper
        return None

    def find(self, name: str) -> Meant | None:
        parts = split_name(name)
        meant = self._lookup(parts)
        if meant is None and len(parts) > 1 and parts[-1] in TENSORS:
            meant = self._lookup(parts[:-1])
        return meant

    def match(self, tag: str) -> Matched | None:
        """The longest part of a tag that is a name."""
        parts = split_name(tag)
        for length in range(len(parts), 0, -1):
            for start in range(min(len(parts) - length, MAX_BEFORE) + 1):
                meant = self._lookup(parts[start : start + length])
                if meant is None:
                    continue
                after = parts[start + length :]
                if after and after[0] in TENSORS:
                    after = after[1:]
                if len(after) <= MAX_AFTER:
                    return Matched(Family(parts[:start], after), meant)
        return None


def list_parts(known: Known, nodes: range) -> dict[Parts, int]:
    """Nodes and groups of one graph, as items of its hierarchy."""
    graph, hierarchy = known.graph, known.hierarchy
    items: dict[Parts, int] = {}
    for path, group in hierarchy.groups.items():
        if group:
            items.setdefault(split_name(path), group)
    for names in (graph.paths, graph.names):
        for node in nodes:
            items.setdefault(split_name(names[node]), int(hierarchy.items[node]))
        if graph.paths is graph.names:
            break
    # A model is often the only group of its graph, and its own name is not in the names of its modules.
    for parts, item in list(items.items()):
        if len(parts) > 1:
            items.setdefault(parts[1:], item)
    items.pop((), None)
    return items


def group_by_family(names: Names, tags: Iterable[str]) -> dict[Family, list[tuple[str, Meant]]]:
    """Tags with what they mean, the largest family first."""
    families: dict[Family, list[tuple[str, Meant]]] = defaultdict(list)
    for tag in tags:
        matched = names.match(tag)
        if matched is not None:
            families[matched.family].append((tag, matched.meant))
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
