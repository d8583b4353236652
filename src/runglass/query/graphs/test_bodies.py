"""Values on nodes in the bodies of functions: times, tags and named values, and what their calls show of them."""

import pytest
from tests.support.graphs import make_graph, show

from runglass.query.graphs.families import Curves, find_family, list_families
from runglass.query.graphs.matching import Meant, Names
from runglass.query.graphs.node_info import read_node
from runglass.query.graphs.node_table import read_table, to_rows
from runglass.query.graphs.paint import match_values, paint_items, paint_measure, tag_of_node
from runglass.query.graphs.structure import Known
from runglass.query.memory import MemorySource

BLOCK = make_graph(
    [("x", "_Arg", []), ("dense/matmul", "MatMul", ["x"]), ("dense/bias", "BiasAdd", ["dense/matmul"])],
    arguments=1,
)
FUNCTIONS = {"f": BLOCK}
FUNCTIONS["g"] = make_graph(
    [("block", "PartitionedCall", []), ("softmax", "Softmax", ["block"])],
    functions=FUNCTIONS,
    calls={"block": ("f",)},
)
NODES = [("x", "Placeholder", []), ("one", "PartitionedCall", ["x"]), ("two", "PartitionedCall", ["one"])]


def model(calls=None, nodes=NODES):
    """Two calls of one function; or others."""
    calls = calls or {"one": ("f",), "two": ("f",)}
    return make_graph(nodes, functions=FUNCTIONS, calls=calls)


def values_of(graph, values, ids, top=10):
    found, unmatched = match_values(Names(Known(graph)), values)
    return paint_items(show(graph), found, ids, top, unmatched)


def test_a_value_in_a_body_is_shown_wherever_the_function_is_called():
    got = values_of(
        model(), {"dense": 3.0, "x": 1.0, "nothing": 9.0}, ["x", "one", "two", "one/dense", "two/dense"]
    )
    assert (got.values, got.matched, got.unmatched) == ([1.0, 3.0, 3.0, 3.0, 3.0], 2, 1)
    assert [(each.id, each.label, each.where) for each in got.ranking] == [
        ("one/dense", "dense", "one"),
        ("x", "x", ""),
    ]


def test_a_name_with_its_call_is_of_that_call_alone():
    got = values_of(
        model(),
        {"two/dense/matmul": 3.0, "one.dense.bias": 2.0},
        ["one", "two", "two/dense/matmul", "two/dense/bias"],
    )
    assert got.values == [2.0, 3.0, 3.0, None]
    assert [each.id for each in got.ranking] == ["two/dense/matmul", "one/dense/bias"]


def test_values_come_out_of_functions_in_functions():
    graph = model({"one": ("g",), "two": ("f",)})
    assert Names(Known(graph)).find("one/block/dense") == Meant(
        Known(BLOCK).hierarchy.groups["dense"], "f", ((1, "g"), (0, "f"))
    )
    ids = ["one", "one/block", "one/block/dense", "one/softmax", "two"]
    assert values_of(graph, {"one/block/dense": 5.0}, ids).values == [5.0, 5.0, 5.0, None, None]
    not_a_number = pytest.approx(float("nan"), nan_ok=True)
    got = values_of(graph, {"softmax": float("nan")}, ids).values
    assert got == [not_a_number, None, None, not_a_number, None]


def test_a_function_that_calls_itself_has_values():
    functions = {}
    functions["loop"] = make_graph(
        [("again", "PartitionedCall", []), ("leaf", "Add", [])],
        functions=functions,
        calls={"again": ("loop",)},
    )
    graph = make_graph([("call", "PartitionedCall", [])], functions=functions, calls={"call": ("loop",)})
    got = values_of(graph, {"leaf": 2.0}, ["call", "call/again", "call/again/leaf", "call/again/again/leaf"])
    assert got.values == [2.0, 2.0, 2.0, 2.0]


def test_one_of_several_functions_of_a_call():
    graph = model({"one": ("f", "g")})
    got = values_of(graph, {"softmax": 2.0}, ["one", "one/f", "one/g", "one/g/softmax"])
    assert got.values == [2.0, None, 2.0, 2.0]


def test_tags_that_mean_nodes_of_a_body():
    source = MemorySource()
    for name, value in (("matmul", 4.0), ("bias", 2.0)):
        source.add_scalars("train", f"norm/dense/{name}", step=[0, 5], value=[1.0, value])
    graph = model()
    names = Names(Known(graph))
    assert [(each.label, len(each.tags)) for each in list_families(source, names, "train")] == [("norm", 2)]
    curves = Curves(source, find_family(source, names, "scalar:norm|", "train"), "mean")
    shown = show(graph)
    painted = paint_items(shown, curves.values_at(None), ["one", "one/dense/bias", "x"], 10, 0)
    assert painted.values == [4.0, 2.0, None]
    assert tag_of_node(shown, curves, "one/dense/bias", None) == "norm/dense/bias"
    assert tag_of_node(shown, curves, "two", None) == "norm/dense/matmul"
    assert tag_of_node(shown, curves, "x", None) is None


def test_times_of_bodies_that_stand_in_the_place_of_their_calls():
    times = {"one/dense/matmul": 3.0, "one/dense/bias": 1.0, "two/dense/matmul": 5.0, "x": 0.5}
    shown = show(model(), times=times)
    ids = ["x", "one", "one/dense", "one/dense/matmul", "two", "two/dense/bias"]
    got = paint_measure(shown, "time", ids, 10)
    assert got.values == [0.5, 4.0, 4.0, 3.0, 5.0, None]
    assert (read_node(shown, "one").time, read_node(shown, "two/dense/matmul").time) == (4.0, 5.0)


def test_times_under_the_names_of_the_body():
    graph = model({"one": ("f",)})
    shown = show(graph, times={"dense/matmul": 3.0, "dense/bias": 1.0})
    got = paint_measure(shown, "time", ["one", "one/dense/bias", "two"], 10)
    assert got.values == [4.0, 1.0, None]
    assert [(each.id, each.value) for each in got.ranking] == [
        ("one/dense/matmul", 3.0),
        ("one/dense/bias", 1.0),
    ]
    # Of two calls nobody knows which of them took how long.
    shown = show(model(), times={"dense/matmul": 3.0})
    assert paint_measure(shown, "time", ["one", "one/dense"], 10).values == [None, 3.0]


def test_the_table_has_the_nodes_of_bodies_once():
    shown = show(model({"one": ("g",), "two": ("f",)}), times={"two/dense/matmul": 3.0, "x": 1.0})
    header, rows = to_rows(read_table(shown))
    assert header == ["id", "name", "op", "group", "time"]
    assert rows == [
        ["x", "x", "Placeholder", "", 1.0],
        ["one", "one", "PartitionedCall", "", None],
        ["two", "two", "PartitionedCall", "", 3.0],
        ["one/block", "block", "PartitionedCall", "one", None],
        ["one/softmax", "softmax", "Softmax", "one", None],
        ["two/dense/matmul", "dense/matmul", "MatMul", "two/dense", 3.0],
        ["two/dense/bias", "dense/bias", "BiasAdd", "two/dense", None],
    ]
    assert [read_node(shown, row[0]).op for row in rows] == [row[2] for row in rows]


def test_the_table_of_a_function_without_nodes():
    passing = make_graph([("x", "_Arg", [])], arguments=1)
    graph = make_graph(NODES[:2], functions={"f": passing}, calls={"one": ("f",)})
    _, rows = to_rows(read_table(show(graph)))
    assert [row[0] for row in rows] == ["x", "one"]
    assert read_table(show(make_graph([]))).count == 0


@pytest.mark.parametrize("functions", [("f",), ("f", "g")])
def test_a_folded_node_below_the_name_of_a_call_is_found(functions):
    nodes = [("loop/counter", "Const", []), ("loop", "While", ["loop/counter"]), ("use", "Relu", ["loop"])]
    shown = show(model({"loop": functions}, nodes))
    _, rows = to_rows(read_table(shown))
    assert "loop/counter" in [row[0] for row in rows]
    assert [read_node(shown, row[0]).op for row in rows] == [row[2] for row in rows]


def test_a_call_that_was_measured_keeps_its_time():
    shown = show(model({"one": ("f",)}), times={"one": 7.0, "dense/matmul": 3.0})
    assert paint_measure(shown, "time", ["one", "one/dense/matmul"], 10).values == [7.0, 3.0]


def test_equal_calls_that_are_drawn_as_one_share_a_body():
    nodes = [(f"layers.{number}/call", "PartitionedCall", []) for number in range(3)]
    nodes += [(f"layers.{number}/add", "Add", [f"layers.{number}/call"]) for number in range(3)]
    calls = {f"layers.{number}/call": ("f",) for number in range(3)}
    graph = model(calls, nodes)
    times = {f"layers.{number}/call/dense/matmul": float(number + 1) for number in range(3)}
    got = paint_measure(
        show(graph, times=times), "time", ["layers.0-2", "layers.0-2/call", "layers.0-2/call/dense"], 1
    )
    assert got.values == [6.0, 6.0, 6.0]
    painted = values_of(graph, {"layers.2/call/dense": 8.0}, ["layers.0-2/call/dense", "layers.0-2"])
    assert painted.values == [8.0, 8.0]
