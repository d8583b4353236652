"""Questions about graphs against counterparts that are written to be read: what levels hold, and what a search finds."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.graphs import PLAIN, make_graph, show

from runglass.query.graphs.alignment import Side
from runglass.query.graphs.difference import Difference
from runglass.query.graphs.levels import Level
from runglass.query.graphs.model import Graph
from runglass.query.graphs.patterns import lower_pattern
from runglass.query.graphs.search import search
from runglass.query.graphs.searchable import Searchable
from runglass.query.graphs.shown import Shown
from runglass.query.graphs.structure import Known, StructureView
from runglass.query.graphs.trace import trace

SEGMENTS = st.sampled_from(
    ["a", "b", "layers.0", "layers.1", "layers.2", "add", "add_1", "add_2", "", "x y", "<b>"]
)
OPS = st.sampled_from(["Add", "Mul", "Const", "MatMul", "VarHandleOp", "ReadVariableOp", "NoOp", "Identity"])
FLAGS = st.builds(
    StructureView, repeats=st.booleans(), series=st.booleans(), fold=st.booleans(), aside=st.booleans()
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    paths = draw(st.lists(st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join), min_size=1, max_size=25))
    paths = list(dict.fromkeys(paths))
    nodes = []
    for path in paths:
        inputs = draw(st.lists(st.tuples(st.sampled_from(paths), st.booleans()), max_size=3))
        nodes.append((path, draw(OPS), [f"{'^' if control else ''}{name}" for name, control in inputs]))
    return make_graph(nodes)


@st.composite
def rows(draw: st.DrawFn) -> Graph:
    """Blocks that repeat, with blocks that repeat inside of them, and sometimes one that differs."""
    inner, outer = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    size = draw(st.integers(1, 3))
    wiring = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=4))
    odd = draw(st.one_of(st.none(), st.integers(0, outer - 1)))
    nodes = [("x", "Placeholder", [])]
    last = "x"
    for block in range(outer):
        for head in range(inner):
            at = f"net/layers.{block}/heads.{head}"
            inputs: list[list[str]] = [[] for _ in range(size)]
            for start, end in wiring:
                inputs[end].append(f"{at}/op{start}x")
            inputs[0].append(last)
            op = "Tanh" if block == odd and head == 0 else "Mul"
            nodes += [
                (f"{at}/op{place}x", op if place == 0 else "Add", inputs[place]) for place in range(size)
            ]
        names = [f"net/layers.{block}/heads.{head}/op0x" for head in range(inner)]
        nodes += [
            (f"net/layers.{block}/w", "Const", []),
            (f"net/layers.{block}/sum", "AddN", [*names, f"net/layers.{block}/w"]),
        ]
        last = f"net/layers.{block}/sum"
    return make_graph([*nodes, ("loss", "Sum", [last])])


def all_levels(shown: Shown) -> dict[str, Level]:
    levels = {}
    waiting = [""]
    while waiting:
        level = shown.read_level(waiting.pop())
        levels[level.group] = level
        waiting += [node.id for node in level.nodes if node.can_open]
    return levels


@given(st.one_of(graphs(), rows()))
@settings(deadline=None)
def test_every_node_is_in_one_level_and_every_edge_too(graph: Graph) -> None:
    levels = all_levels(show(graph, PLAIN))
    shown = [node for level in levels.values() for node in level.nodes if not node.can_open]
    assert len(shown) == len(graph)
    assert len({node.id for node in shown}) == len(graph)
    assert Counter(node.op for node in shown) == Counter(graph.op_names[code] for code in graph.ops)
    between = sum(edge.count for level in levels.values() for edge in level.edges)
    own = int((graph.edge_from == graph.edge_to).sum())
    assert between == len(graph.edge_from) - own


@given(st.one_of(graphs(), rows()), FLAGS)
@settings(deadline=None)
def test_nodes_of_all_levels_and_ports_stand_for_every_node_once(graph: Graph, view: StructureView) -> None:
    shown = show(graph, view)
    structure = shown.root.structure
    levels = all_levels(shown)
    # What is counted at the root is the whole graph, whatever is folded.
    root = shown.root.node(0, "")
    assert root.count == len(graph) or len(graph) == 1
    ids = [node.id for level in levels.values() for node in level.nodes]
    assert len(ids) == len(set(ids))
    for node in range(len(graph)):
        assert shown.root.id(structure.shown_item(node)) in ids
    for level in levels.values():
        for edge in level.edges:
            assert edge.source != edge.target
            assert not level.nodes[edge.source].is_aside
            assert not level.nodes[edge.target].is_aside


@given(rows(), st.booleans())
@settings(deadline=None)
def test_what_repeats_show_adds_up_to_the_graph(graph: Graph, fold: bool) -> None:
    plain = all_levels(show(graph, StructureView(repeats=False, series=False, fold=fold, aside=False)))
    folded = all_levels(show(graph, StructureView(series=False, fold=fold, aside=False)))
    ops = Counter(node.op for level in plain.values() for node in level.nodes if not node.can_open)
    times = {"": 1}
    found: Counter[str] = Counter()
    for id, level in folded.items():
        for node in level.nodes:
            often = times[id] * (node.repeats or 1)
            if node.can_open:
                times[node.id] = often
            else:
                found[node.op] += often
    assert found == ops


@given(st.one_of(graphs(), rows()), FLAGS)
@settings(deadline=None)
def test_an_edge_continues_in_every_level_that_it_crosses(graph: Graph, view: StructureView) -> None:
    levels = all_levels(show(graph, view))
    where = {node.id: level for level in levels.values() for node in level.nodes}
    for level in levels.values():
        for edge in level.ins:
            # The other end is a node of a level further out, and that level has an edge from it towards this one.
            outer = where[edge.outer]
            assert level.group != outer.group
            assert f"{level.group}/".startswith(f"{outer.group}/" if outer.group else "")


@given(st.one_of(graphs(), rows()), FLAGS)
@settings(deadline=None)
def test_ids_of_levels_are_found_again(graph: Graph, view: StructureView) -> None:
    shown = show(graph, view)
    for level in all_levels(shown).values():
        for node in level.nodes:
            place = shown.find(node.id)
            assert shown.root.id(place.item) == node.id


@given(
    graphs(), FLAGS, st.sampled_from(["a", "add", "MUL", "layers.1/a", "op:const", "zzz", "x", "a op:mul"])
)
@settings(deadline=None)
def test_search_counts_what_looking_at_every_node_finds(
    graph: Graph, view: StructureView, query: str
) -> None:
    found = search(show(graph, view), Searchable, query, 5)
    words = query.split()
    expected = 0
    for node, name in enumerate(graph.names):
        op = graph.op_names[graph.ops[node]].lower()
        expected += all(
            word.removeprefix("op:").lower() in op
            if word.startswith("op:")
            else word.lower() in name.lower() or word.lower() in op
            for word in words
        )
    assert (found.count, found.problem) == (expected, None)
    assert len(found.matches) == min(expected, 5)


PIECES = [
    "a",
    "B",
    "ab",
    r"\d",
    r"\w",
    ".",
    "[a-c]",
    "[^B-Z]",
    "[0-9_]",
    "(a|B1)",
    "(?:Ab)",
    "_",
    r"\.",
    "^",
    "$",
]


@given(
    st.lists(
        st.sampled_from(PIECES).flatmap(lambda piece: st.sampled_from([piece, f"(?:{piece})?"])), min_size=1
    ),
    st.lists(st.text("aAbBzZ19_./", max_size=8)),
)
def test_patterns_find_in_lower_case_what_they_find_in_either(pieces: list[str], texts: list[str]) -> None:
    pattern = "".join(pieces)
    lower = lower_pattern(pattern)
    assert lower is not None
    either = re.compile(pattern, re.IGNORECASE)
    assert [bool(re.search(lower, text.lower())) for text in texts] == [
        bool(either.search(text)) for text in texts
    ]


@given(st.one_of(graphs(), rows()), FLAGS)
@settings(deadline=None)
def test_a_graph_does_not_differ_from_itself(graph: Graph, view: StructureView) -> None:
    shown = show(graph, view)
    ids = [node.id for level in all_levels(shown).values() for node in level.nodes]
    got = Difference(Side(Known(graph)), Side(Known(graph))).answer(shown, shown, ids, ids)
    assert (got.rows, got.ops, got.ghosts) == ([], [], [])
    assert set(got.states_a) | set(got.states_b) <= {"same"}


@given(st.one_of(graphs(), rows()), st.one_of(graphs(), rows()))
@settings(deadline=None)
def test_a_difference_counts_every_node_once(a: Graph, b: Graph) -> None:
    found = Difference(Side(Known(a)), Side(Known(b)))
    pairs = found.alignment
    matched = [(x, int(y)) for x, y in enumerate(pairs.a_to_b) if y >= 0]
    assert all(pairs.b_to_a[y] == x for x, y in matched)
    assert len({y for _, y in matched}) == len(matched)
    lost = {"removed": len(a) - len(matched), "added": len(b) - len(matched)}
    for state, side in (("removed", found.a), ("added", found.b)):
        items = [unit.a if state == "removed" else unit.b for unit in found.units if unit.state == state]
        assert sum(int(side.tree.size[item]) for item in items) == lost[state]


@given(st.one_of(graphs(), rows()), st.data())
@settings(deadline=None)
def test_a_trace_reaches_what_a_walk_reaches(graph: Graph, data: st.DataObject) -> None:
    node = data.draw(st.integers(0, len(graph) - 1))
    edges = list(
        zip(graph.edge_from.tolist(), graph.edge_to.tolist(), graph.edge_control.tolist(), strict=True)
    )
    is_data = any(end == node and not control for _, end, control in edges)
    reached = {node}
    while True:
        more = {start for start, end, control in edges if end in reached and not (control and is_data)}
        if more <= reached:
            break
        reached |= more
    shown = show(graph, PLAIN)
    id = shown.root.id(shown.root.structure.shown_item(node))
    assert trace(shown, id, "inputs", None, []).count == len(reached) - 1
