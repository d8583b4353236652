"""Finds nodes by name, op, attribute, shape, dtype or device, in a graph and in the functions that it calls.

A pattern may run forever and holds the interpreter meanwhile. A server therefore lets another process match those that are not
quick: `list_patterns` tells what they are looked for in, and `search` gets what was found.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.query.graphs.attribute_lines import Mask
from runglass.query.graphs.levels import LevelReader
from runglass.query.graphs.model import Graph, shape_text
from runglass.query.graphs.node_info import node_id
from runglass.query.graphs.patterns import find_problem, is_quick, plain_texts
from runglass.query.graphs.searchable import Pattern, Searchable, make_pattern
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
MAX_GROUPS = 5_000
MAX_QUERY = 1_000
# How long a search may take, and texts between two looks at the clock.
BUDGET_S = 2.0
CHECK_EVERY = 64

# Where a pattern is looked for: the number of the graph, the number of the term, the kind of texts.
Place = tuple[int, int, Found]
# Numbers of the texts that match.
Matches = Mapping[Place, NDArray[np.int32]]


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


def has_slow_patterns(query: str) -> bool:
    """Whether there is a pattern that may take long, and nothing wrong with any."""
    terms = parse_query(query)
    return _problem_of(terms) is None and any(term.is_pattern and not is_quick(term.text) for term in terms)


def begins_slow_pattern(query: str) -> bool:
    """Whether what is typed becomes such a pattern with another `/`."""
    return any(
        not term.is_pattern and term.text.startswith("/") and not is_quick(term.text)
        for term in parse_query(query)
    )


def list_patterns(
    shown: Shown, texts: Callable[[Graph], Searchable], query: str, check: Callable[[], None]
) -> Iterator[tuple[Place, Pattern]]:
    """Every pattern of a query with its texts. Calls `check` now and then, which may raise."""

    def go_on() -> bool:
        check()
        return True

    for number, (reader, _) in enumerate(shown.bodies()):
        searchable = texts(reader.structure.graph)
        for at, term in enumerate(parse_query(query)):
            if term.is_pattern:
                for kind in _kinds_of(term):
                    check()
                    yield (number, at, kind), _pattern_of(searchable, kind, term, go_on)


def search(
    shown: Shown,
    texts: Callable[[Graph], Searchable],
    query: str,
    limit: int,
    found_texts: Matches | None = None,
) -> SearchAnswer:
    """`found_texts`: numbers of the texts of `list_patterns` that match; None to look for patterns here."""
    terms = parse_query(query)
    problem = _problem_of(terms)
    if problem is not None or not terms:
        return SearchAnswer(0, [], {}, problem)
    if any(_becomes_attribute(term) for term in terms):
        for reader, _ in shown.bodies():
            texts(reader.structure.graph).read_ahead()
    until = time.monotonic() + BUDGET_S
    count = 0
    matches: list[Match] = []
    groups: dict[str, int] = {}
    for number, (reader, above) in enumerate(shown.bodies()):
        one = _Search(number, texts(reader.structure.graph), found_texts, until)
        try:
            found, kinds = one.run(terms)
        except TimeoutError as error:
            problem = str(error)
            break
        if not len(found):
            continue
        count += len(found)
        matches += _list_matches(reader, found[: limit - len(matches)], kinds, one.attributes)
        for id in above:
            if id in groups or len(groups) < MAX_GROUPS:
                groups[id] = groups.get(id, 0) + len(found)
        _count_groups(reader, found, groups)
    return SearchAnswer(count, matches, groups, problem)


def _becomes_attribute(term: Term) -> bool:
    """Whether what is typed may be the beginning of `attr:`."""
    return term.field is None and len(term.text) > 1 and "attribute:".startswith(term.text.lower())


def _problem_of(terms: Sequence[Term]) -> str | None:
    return next(filter(None, (find_problem(term.text) for term in terms if term.is_pattern)), None)


def look_here(pattern: Pattern, is_time: Callable[[], bool]) -> NDArray[np.int32]:
    matches = re.compile(pattern.text, re.IGNORECASE if pattern.ignores_case else 0).search
    found: list[int] = []
    for first in range(0, len(pattern.texts), CHECK_EVERY):
        if not is_time():
            raise TimeoutError(f"The pattern took longer than {BUDGET_S:g} s, so the search stopped.")
        some = pattern.texts[first : first + CHECK_EVERY]
        found += [number for number, text in enumerate(some, first) if matches(text)]
    return np.array(found, np.int32)


class _Search:
    """One search of one graph."""

    def __init__(self, number: int, texts: Searchable, found_texts: Matches | None, until: float) -> None:
        self._number = number
        self._texts = texts
        self._graph = texts.graph
        self._found_texts = found_texts
        self._until = until
        # Attributes that were found, in lower case.
        self.attributes: set[str] = set()

    def run(self, terms: Sequence[Term]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Nodes that have all terms; and what was found of every node, as a place in ORDER."""
        mask = np.ones(len(self._graph), np.bool_)
        kinds = np.zeros(len(self._graph), np.int8)
        for at, term in enumerate(terms):
            has, kind = self._match(at, term)
            mask &= has
            kinds = np.where(kinds == 0, kind, kinds)
        return np.flatnonzero(mask), kinds

    def _match(self, at: int, term: Term) -> tuple[Mask, NDArray[np.int8]]:
        has = np.zeros(len(self._graph), np.bool_)
        kind = np.zeros(len(self._graph), np.int8)
        for which in _kinds_of(term):
            found = self._nodes_with(at, which, term)
            kind[found & ~has] = ORDER.index(which)
            has[found] = True
        return has, kind

    def _is_time(self) -> bool:
        return time.monotonic() < self._until

    def _look(self, place: Place, pattern: Pattern) -> NDArray[np.int32]:
        return look_here(pattern, self._is_time) if self._found_texts is None else self._found_texts[place]

    def _nodes_with(self, at: int, kind: Found, term: Term) -> Mask:
        plain = plain_texts(term.text) if term.is_pattern else [term.text]
        if kind == "name" and plain:
            return self._texts.names_with(plain)
        if term.is_pattern:
            pattern = _pattern_of(self._texts, kind, term, self._is_time)
            texts = pattern.texts
            numbers = self._look((self._number, at, kind), pattern)
        else:
            texts = _texts_of(self._texts, kind, self._is_time)
            numbers = np.array(_find(term, kind, texts), np.int32)
        graph = self._graph
        if kind == "attribute":
            wanted = {texts[number] for number in numbers.tolist()}
            self.attributes |= wanted
            return self._texts.with_attributes(wanted)
        if kind == "name":
            found = np.zeros(len(graph), np.bool_)
            found[self._texts.look_in_names(term.text)[0][numbers]] = True
            return found
        # A node without one has the code -1.
        has = np.zeros(len(texts) + 1, np.bool_)
        has[numbers] = True
        codes: dict[Found, Any] = {
            "op": graph.ops,
            "shape": graph.first_shapes,
            "dtype": graph.first_dtypes,
            "device": graph.devices,
        }
        with_text: Mask = has[codes[kind]]
        return with_text


ORDER: tuple[Found, ...] = ("name", "op", "attribute", "shape", "dtype", "device")


def _kinds_of(term: Term) -> tuple[Found, ...]:
    """What a term is looked for in."""
    if term.field is not None:
        return (term.field,)
    if term.is_pattern:
        return ("name", "op", "device")
    parts = _shape_of(term).split("x")
    is_shape = "x" in _shape_of(term).strip("x?") and all(part.isdigit() or part == "?" for part in parts)
    return ("name", "op", *(("shape",) if is_shape else ()), "dtype", "device")


def _texts_of(texts: Searchable, kind: Found, is_time: Callable[[], bool]) -> Sequence[str]:
    graph = texts.graph
    if kind == "attribute":
        return texts.read_attributes(is_time)
    if kind == "shape":
        return texts.shapes
    if kind == "dtype":
        return graph.dtype_names
    return [name.lower() for name in (graph.op_names if kind == "op" else graph.device_names)]


def _pattern_of(texts: Searchable, kind: Found, term: Term, is_time: Callable[[], bool]) -> Pattern:
    if kind == "name":
        return texts.look_in_names(term.text)[1]
    return make_pattern(term.text, _texts_of(texts, kind, is_time))


def _find(term: Term, kind: Found, texts: Sequence[str]) -> list[int]:
    """Numbers of the texts that have a term that is no pattern."""
    wanted = term.text.lower()
    if kind == "shape":
        shape = _shape_of(term)
        return [number for number, text in enumerate(texts) if _has_shape(text, shape)]
    if kind == "dtype" and term.field is None:
        return [number for number, text in enumerate(texts) if text == wanted]
    return [number for number, text in enumerate(texts) if wanted in text]


def _shape_of(term: Term) -> str:
    return term.text.lower().replace("×", "x").replace("*", "x")


def _has_shape(text: str, wanted: str) -> bool:
    """Sizes next to each other: 8x96 is in 32x8x96, not in 18x96."""
    return f"x{wanted}x" in f"x{text}x"


def _list_matches(
    reader: LevelReader, nodes: NDArray[np.int64], kinds: NDArray[np.int8], attributes: set[str]
) -> list[Match]:
    structure = reader.structure
    graph = structure.graph
    listed = []
    for node in nodes.tolist():
        kind = ORDER[kinds[node]]
        is_folded = bool(structure.folding.kind[node])
        listed.append(
            Match(
                node_id(reader, node),
                graph.names[node],
                graph.op_names[graph.ops[node]],
                kind,
                _found_text(graph, node, kind, attributes),
                reader.id(structure.shown_item(node)) if is_folded else "",
            )
        )
    return listed


def _found_text(graph: Graph, node: int, kind: Found, attributes: set[str]) -> str:
    if kind == "shape":
        return shape_text(graph.shape_names[int(graph.first_shapes[node])])
    if kind == "dtype":
        return graph.dtype_names[int(graph.first_dtypes[node])]
    if kind == "device":
        return graph.device_names[int(graph.devices[node])]
    if kind == "attribute":
        for name, value in graph.attributes(node).items():
            if not attributes.isdisjoint(f"{name}={value.text}".lower().split("\n")):
                return f"{name} = {value.text[:200]}"
    return ""


def _count_groups(reader: LevelReader, nodes: Any, groups: dict[str, int]) -> None:
    structure = reader.structure
    tree = structure.tree
    counts = np.bincount(structure.item_at[structure.shown_at[nodes]], minlength=len(tree.parent))
    for items in reversed(tree.by_depth[1:]):
        np.add.at(counts, tree.parent[items], counts[items])
    around = np.flatnonzero((counts > 0) & (structure.nodes < 0) & (tree.size > 1))
    around = around[around > 0]
    for item in around[np.argsort(tree.depth[around], kind="stable")][: MAX_GROUPS - len(groups)].tolist():
        groups[reader.id(item)] = int(counts[item])
