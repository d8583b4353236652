"""Finds nodes by name, op, attribute, shape, dtype or device, in a graph and in the functions that it calls."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.query.graphs.levels import LevelReader
from runglass.query.graphs.model import Graph, shape_text
from runglass.query.graphs.node_info import node_id
from runglass.query.graphs.shown import Shown

Found = Literal["name", "op", "attribute", "shape", "dtype", "device"]
FIELDS: dict[str, Found] = {
    "name": "name",
    "op": "op",
    "attr": "attribute",
    "attribute": "attribute",
    "shape": "shape",
    "dtype": "dtype",
    "device": "device",
}
# A term: field, then a pattern, a quoted text or a word.
TERM = re.compile(r"(?:([a-z]+):)?(?:/((?:[^/\\]|\\.)+)/|\"([^\"]*)\"|(\S+))")
SPECIAL = re.compile(r"[|()]|\[[^\]]*\\")
CLASS = re.compile(r"\[\]?[^\]]*\]")
ESCAPED = re.compile(r"\\.")
REPEATED = re.compile(r".(?:[*?+]|\{[^}]*\})")
OTHER = re.compile(r"[^A-Za-z0-9_/ -]+")
MAX_GROUPS = 5_000
MAX_QUERY = 1_000
# What a pattern may look at of one name, and how long a search may take.
MAX_TEXT = 400
BUDGET_S = 2.0
AHEAD_S = 30.0
ATTRIBUTES_PER_CHECK = 256
MAX_KNOWN = 1_000

Mask = NDArray[np.bool_]
Matcher = Callable[[str], Any]


class Match(Struct, frozen=True, omit_defaults=True):
    id: str
    name: str
    op: str
    found: Annotated[Found, Meta(description="What of the node has the text.")]
    text: Annotated[str, Meta(description="What was found, where it is not the name or the op.")] = ""
    port_of: Annotated[str, Meta(description="The node that it is drawn on, if it is folded.")] = ""


class SearchAnswer(Struct, frozen=True):
    count: Annotated[int, Meta(description="All matches, also those that are not listed.")]
    matches: list[Match]
    groups: Annotated[dict[str, int], Meta(description="How many matches are inside of groups, by id.")]
    problem: Annotated[str | None, Meta(description="What is wrong with the query, or with the search.")] = (
        None
    )


class Term(Struct, frozen=True):
    # None: name, op, shape, dtype or device.
    field: Found | None
    text: str
    is_pattern: bool


class Searchable:
    """The texts of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # Several requests may read attributes at once.
        self._lock = threading.Lock()
        self._ahead: threading.Thread | None = None
        self._attributes: list[str] = []
        self._known_attributes: dict[Hashable, str] = {}

    @cached_property
    def names(self) -> list[str]:
        return [name.lower() for name in self.graph.names]

    @cached_property
    def short_names(self) -> list[str]:
        """For patterns."""
        names = self.graph.names
        if max(map(len, names), default=0) <= MAX_TEXT:
            return names
        return [name[:MAX_TEXT] for name in names]

    @cached_property
    def shapes(self) -> list[str]:
        return [shape_text(shape).replace("×", "x") for shape in self.graph.shape_names]

    def read_attributes(self, until: float) -> list[str]:
        """Names and values of each node's attributes in one text, as far as the time allows."""
        graph = self.graph
        while len(self._attributes) < len(graph) and time.monotonic() < until:
            with self._lock:
                self._read_some(graph)
                if len(self._attributes) == len(graph):
                    self._known_attributes.clear()
        return self._attributes

    def read_ahead(self) -> None:
        """Read the attributes meanwhile."""
        if self._ahead is None and len(self._attributes) < len(self.graph):
            until = time.monotonic() + AHEAD_S
            self._ahead = threading.Thread(target=self.read_attributes, args=(until,), daemon=True)
            self._ahead.start()

    def _read_some(self, graph: Graph) -> None:
        start = len(self._attributes)
        for node in range(start, min(start + ATTRIBUTES_PER_CHECK, len(graph))):
            # Most nodes have the attributes of others, which are not made into text again.
            key = graph.attribute_key(node)
            text = self._known_attributes.get(key)
            if text is None:
                lines = [f"{name}={value.text}" for name, value in graph.attributes(node).items()]
                text = "\n".join(lines).lower()
                # Long ones are hardly the same twice, and their keys are as long as their values.
                if len(text) <= MAX_KNOWN:
                    self._known_attributes[key] = text
            self._attributes.append(text)


def parse_query(query: str) -> list[Term]:
    terms = []
    for found in TERM.finditer(query[:MAX_QUERY]):
        name, pattern, quoted, word = found.groups()
        text = pattern if pattern is not None else quoted if quoted is not None else word
        chosen = FIELDS.get(name) if name else None
        if name and chosen is None:
            # A colon that belongs to the text: "aten::add".
            text, pattern = found.group(0), None
        if text:
            terms.append(Term(chosen, text, pattern is not None))
    return terms


def find_problem(pattern: str) -> str | None:
    """Why a pattern is not searched for. Repetition of a repetition can take longer than anybody waits."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"The pattern /{pattern}/ cannot be read: {error}."
    if re.search(r"[+*}]\??\)[+*{]", pattern):
        return f"The pattern /{pattern}/ repeats a repetition, which can take very long. Write it without."
    return None


def search(shown: Shown, texts: Callable[[Graph], Searchable], query: str, limit: int) -> SearchAnswer:
    terms = parse_query(query)
    for term in terms:
        problem = find_problem(term.text) if term.is_pattern else None
        if problem is not None:
            return SearchAnswer(0, [], {}, problem)
    if not terms:
        return SearchAnswer(0, [], {})
    if any(_becomes_attribute(term) for term in terms):
        for reader, _ in shown.bodies():
            texts(reader.structure.graph).read_ahead()
    until = time.monotonic() + BUDGET_S
    count = 0
    matches: list[Match] = []
    groups: dict[str, int] = {}
    problem = None
    for reader, above in shown.bodies():
        try:
            found, kinds = _search_graph(texts(reader.structure.graph), terms, until)
        except TimeoutError as error:
            problem = str(error)
            break
        if not len(found):
            continue
        count += len(found)
        matches += _list_matches(reader, found[: limit - len(matches)], kinds, terms)
        for id in above:
            if id in groups or len(groups) < MAX_GROUPS:
                groups[id] = groups.get(id, 0) + len(found)
        _count_groups(reader, found, groups)
    return SearchAnswer(count, matches, groups, problem)


def _becomes_attribute(term: Term) -> bool:
    """Whether what is typed may be the beginning of `attr:`."""
    return term.field is None and len(term.text) > 1 and "attribute:".startswith(term.text.lower())


def _matcher(term: Term) -> Matcher:
    if term.is_pattern:
        pattern = re.compile(term.text, re.IGNORECASE)
        return lambda text: pattern.search(text[:MAX_TEXT])
    wanted = term.text.lower()
    return lambda text: wanted in text


def _search_graph(texts: Searchable, terms: Sequence[Term], until: float) -> tuple[Any, dict[int, Found]]:
    """Nodes that have all terms; and of each what was found, where it is not the name."""
    graph = texts.graph
    mask = np.ones(len(graph), np.bool_)
    kinds = np.zeros(len(graph), np.int8)
    for term in terms:
        has, kind = _match(texts, term, mask, until)
        mask &= has
        kinds = np.where(kinds == 0, kind, kinds)
    found = np.flatnonzero(mask)
    return found, {int(node): ORDER[kinds[node]] for node in found.tolist() if kinds[node]}


ORDER: tuple[Found, ...] = ("name", "op", "attribute", "shape", "dtype", "device")


def _match(texts: Searchable, term: Term, mask: Mask, until: float) -> tuple[Mask, NDArray[np.int8]]:
    graph = texts.graph
    matches = _matcher(term)
    has = np.zeros(len(graph), np.bool_)
    kind = np.zeros(len(graph), np.int8)

    def add(which: Found, found: Mask) -> None:
        kind[found & ~has] = ORDER.index(which)
        has[found] = True

    wanted = term.field
    if wanted in (None, "name"):
        add("name", _match_names(texts, term, until))
    if wanted in (None, "op"):
        add("op", _by_code(graph.ops, [name.lower() for name in graph.op_names], matches))
    if wanted == "shape" or (wanted is None and not term.is_pattern):
        shape = term.text.lower().replace("×", "x").replace("*", "x")
        is_shape = wanted == "shape" or "x" in shape.strip("x?")
        if is_shape and (
            wanted == "shape" or all(part.isdigit() or part == "?" for part in shape.split("x"))
        ):
            if term.is_pattern:
                add("shape", _by_code(graph.first_shapes, texts.shapes, matches))
            else:
                add("shape", _by_code(graph.first_shapes, texts.shapes, lambda text: _has_shape(text, shape)))
    if wanted == "dtype":
        add("dtype", _by_code(graph.first_dtypes, graph.dtype_names, matches))
    elif wanted is None and not term.is_pattern:
        add("dtype", _by_code(graph.first_dtypes, graph.dtype_names, lambda text: text == term.text.lower()))
    if wanted in (None, "device"):
        add("device", _by_code(graph.devices, [name.lower() for name in graph.device_names], matches))
    if wanted == "attribute":
        add("attribute", _match_attributes(texts, matches, mask, until))
    return has, kind


def _has_shape(text: str, wanted: str) -> bool:
    """Sizes next to each other: 8x96 is in 32x8x96, not in 18x96."""
    return f"x{wanted}x" in f"x{text}x"


def _match_names(texts: Searchable, term: Term, until: float) -> Mask:
    names = texts.names
    if not term.is_pattern:
        wanted = term.text.lower()
        return np.fromiter((wanted in name for name in names), np.bool_, len(names))
    seen = re.compile(term.text, re.IGNORECASE).search
    names = texts.short_names
    found = np.zeros(len(names), np.bool_)
    places: Sequence[int] = range(len(names))
    for text in needed_texts(term.text):
        places = [place for place in places if text in texts.names[place]]
    for start in range(0, len(places), 1_000):
        if time.monotonic() > until:
            raise TimeoutError("The search took too long and was stopped. A simpler pattern is faster.")
        for place in places[start : start + 1_000]:
            if seen(names[place]) is not None:
                found[place] = True
    return found


def needed_texts(pattern: str) -> list[str]:
    """Texts in lower case that everything that a pattern matches contains, the longest first, as far as that is obvious."""
    if SPECIAL.search(pattern):
        return []
    # A character that may be missing or come often is none of the text.
    plain = REPEATED.sub("\0", ESCAPED.sub("\0", CLASS.sub("\0", pattern)))
    return sorted({text.lower() for text in OTHER.split(plain) if len(text) > 1}, key=len)[::-1]


def _match_attributes(texts: Searchable, matches: Matcher, mask: Mask, until: float) -> Mask:
    lines = texts.read_attributes(until)
    if len(lines) < len(texts.graph):
        done = len(lines) / len(texts.graph)
        raise TimeoutError(f"Attributes are still being read ({done:.0%}). Search again in a moment.")
    cache: dict[str, bool] = {}
    found = np.zeros(len(lines), np.bool_)
    for node in np.flatnonzero(mask).tolist():
        line = lines[node]
        known = cache.get(line)
        if known is None:
            known = cache[line] = any(matches(part) for part in line.split("\n"))
        found[node] = known
    return found


def _by_code(codes: Any, names: Sequence[str], matches: Matcher) -> Mask:
    has = np.fromiter((bool(matches(name)) for name in names), np.bool_, len(names))
    found: Mask = np.append(has, False)[codes]
    return found


def _list_matches(
    reader: LevelReader, nodes: Any, kinds: dict[int, Found], terms: Sequence[Term]
) -> list[Match]:
    structure = reader.structure
    graph = structure.graph
    listed = []
    for node in nodes.tolist():
        kind = kinds.get(node, "name")
        is_folded = bool(structure.folding.kind[node])
        listed.append(
            Match(
                node_id(reader, node),
                graph.names[node],
                graph.op_names[graph.ops[node]],
                kind,
                _found_text(graph, node, kind, terms),
                reader.id(structure.shown_item(node)) if is_folded else "",
            )
        )
    return listed


def _found_text(graph: Graph, node: int, kind: Found, terms: Sequence[Term]) -> str:
    if kind == "shape":
        return shape_text(graph.shape_names[int(graph.first_shapes[node])])
    if kind == "dtype":
        return graph.dtype_names[int(graph.first_dtypes[node])]
    if kind == "device":
        return graph.device_names[int(graph.devices[node])]
    if kind == "attribute":
        matchers = [_matcher(term) for term in terms if term.field == "attribute"]
        for name, value in graph.attributes(node).items():
            text = f"{name}={value.text}"
            if any(matches(text.lower()) for matches in matchers):
                return f"{name} = {value.text[:200]}"
    return ""


def _count_groups(reader: LevelReader, nodes: Any, groups: dict[str, int]) -> None:
    structure = reader.structure
    tree = structure.tree
    counts = np.zeros(len(tree.parent), np.int64)
    np.add.at(counts, structure.item_at[structure.shown_at[nodes]], 1)
    for items in reversed(tree.by_depth[1:]):
        np.add.at(counts, tree.parent[items], counts[items])
    around = np.flatnonzero((counts > 0) & (structure.nodes < 0) & (tree.size > 1))
    around = around[around > 0]
    for item in around[np.argsort(tree.depth[around], kind="stable")][: MAX_GROUPS - len(groups)].tolist():
        groups[reader.id(item)] = int(counts[item])
