import numpy as np
import pytest
from tests.support.graphs import layers, make_graph, show

from runglass.query.graphs import search as graph_search
from runglass.query.graphs.families import Curves, find_family, list_families, statistic_of
from runglass.query.graphs.matching import Names
from runglass.query.graphs.model import GraphUnknown
from runglass.query.graphs.node_info import find_attribute, read_node
from runglass.query.graphs.node_table import read_table, to_rows
from runglass.query.graphs.paint import (
    match_values,
    paint_items,
    paint_measure,
    tag_of_node,
)
from runglass.query.graphs.patterns import is_quick, lower_pattern, needed_of_each, needed_texts
from runglass.query.graphs.search import search
from runglass.query.graphs.searchable import Searchable
from runglass.query.graphs.structure import Known
from runglass.query.graphs.trace import trace
from runglass.query.memory import MemorySource
from runglass.store.model import Kind


def find(shown, query, limit=100):
    return search(shown, Searchable, query, limit)


def names(answer):
    return [match.name for match in answer.matches]


SMALL = [
    ("x", "Placeholder", []),
    ("dense/w", "VarHandleOp", []),
    ("dense/matmul", "MatMul", ["x", "dense/w", "^x"]),
    ("dense/bias", "BiasAdd", ["dense/matmul:1", "gone"]),
    ("softmax", "Softmax", ["dense/bias"]),
]
DETAILS = {
    "x": {"shapes": [(32, 96)], "dtypes": ["f32"]},
    "dense/w": {"parameters": 7},
    "dense/matmul": {
        "shapes": [(1,), (32, 8, 96)],
        "dtypes": ["f32", "i64"],
        "attributes": {"transpose_a": True, "long": "y" * 5_000},
        "device": "/device:GPU:0",
        "flops": 10.0,
    },
    "softmax": {"shapes": [(32, 8, 96)], "dtypes": ["bf16"], "attributes": {"axis": -1}, "flops": 2.0},
}


@pytest.fixture
def small():
    return show(make_graph(SMALL, details=DETAILS), times={"softmax": 2.5, "dense/bias": 1.0})


def test_a_node_in_full(small):
    got = read_node(small, "dense/matmul")
    assert (got.name, got.type, got.op, got.device, got.parameters) == (
        "dense/matmul",
        "op",
        "MatMul",
        "/device:GPU:0",
        7,
    )
    assert [(each.id, each.label) for each in got.where] == [("dense", "dense")]
    assert [(each.name, each.size, each.is_cut) for each in got.attributes] == [
        ("long", 5_000, True),
        ("transpose_a", 4, False),
    ]
    assert [(each.id, each.shape, each.dtype, each.control) for each in got.inputs] == [
        ("x", "32×96", "f32", False),
        ("dense/w", "", "", False),
    ]
    assert [(each.id, each.output, each.shape, each.dtype) for each in got.outputs] == [
        ("dense/bias", 1, "32×8×96", "i64")
    ]
    assert len(find_attribute(small, "dense/matmul", "long")) == 5_000


def test_an_input_that_is_missing_is_named(small):
    got = read_node(small, "dense/bias")
    assert [(each.id, each.name, each.is_missing) for each in got.inputs] == [
        ("dense/matmul", "dense/matmul", False),
        ("", "gone", True),
    ]


def test_a_group_has_the_sum_of_its_nodes(small):
    got = read_node(small, "dense")
    assert (got.count, got.parameters, got.flops, got.time) == (3, 7, 10.0, 1.0)
    assert [(each.name, each.count) for each in got.ops] == [
        ("VarHandleOp", 1),
        ("MatMul", 1),
        ("BiasAdd", 1),
    ]
    assert [each.id for each in got.inputs] == ["x"]
    assert [each.id for each in got.outputs] == ["softmax"]
    assert got.tpu is not None
    assert got.tpu.compatible == 1.0


def test_a_folded_node_says_where_it_is_drawn(small):
    got = read_node(small, "dense/w")
    assert (got.port, got.port_of, got.parameters) == ("variable", "dense/matmul", 7)


@pytest.mark.parametrize(
    ("query", "expected", "found"),
    [
        ("MATMUL", ["dense/matmul"], "name"),
        ("op:soft", ["softmax"], "op"),
        ("shape:8x96", ["softmax"], "shape"),
        ("32x96", ["x"], "shape"),
        ("dtype:bf16", ["softmax"], "dtype"),
        ("bf16", ["softmax"], "dtype"),
        ("device:gpu", ["dense/matmul"], "device"),
        ("attr:axis", ["softmax"], "attribute"),
        ("attr:transpose_a=true", ["dense/matmul"], "attribute"),
        ("/^dense.(w|b)/", ["dense/w", "dense/bias"], "name"),
        ("/DENSE.w|softm|nothing/", ["dense/w", "softmax"], "name"),
        ("dense op:bias", ["dense/bias"], "op"),
        ('"dense/m"', ["dense/matmul"], "name"),
        ("aten::add", [], ""),
    ],
)
def test_search(small, query, expected, found):
    got = find(small, query)
    assert names(got) == expected
    assert {match.found for match in got.matches} <= {found}


def test_attributes_are_read_while_their_prefix_is_typed(small):
    texts = Searchable(small.root.structure.graph)
    search(small, lambda _: texts, "soft", 10)
    assert texts._ahead is None
    search(small, lambda _: texts, "dense at", 10)
    assert texts._ahead is not None
    texts._ahead.join()
    assert texts._attributes.is_complete
    assert "axis=-1" in texts.read_attributes(lambda: False)


def test_search_counts_all_and_lists_some(small):
    got = find(small, "dense", limit=1)
    assert (got.count, len(got.matches), got.groups) == (3, 1, {"dense": 3})


def test_search_finds_folded_nodes_and_members_of_repeats():
    got = find(show(make_graph(layers(4))), "weight")
    assert got.count == 4
    assert (got.matches[1].name, got.matches[1].port_of) == (
        "encoder/layers.1/linear/weight",
        "encoder/layers.0-3/linear",
    )
    assert got.groups == {"encoder": 4, "encoder/layers.0-3": 4}


@pytest.mark.parametrize("query", ["/[a/", "/(a+)+$/", "/(a*)*b/", "/a{99999999999999999999}/"])
def test_patterns_that_cannot_be_searched_for_are_explained(small, query):
    got = find(small, query)
    assert (got.count, got.problem is None) == (0, False)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"head_\d+.*Mul", ["head_", "mul"]),
        ("abc?def", ["def", "ab"]),
        ("ab+cd", ["cd"]),
        ("a{1234}bc", ["bc"]),
        ("[abc]def", ["def"]),
        (r"\bfoo\.bar", ["foo", "bar"]),
        ("ab|cd", []),
        ("(ab)", []),
        ("^Softmax$", ["softmax"]),
        (".*", []),
        (r"[\]abc]xy", []),
    ],
)
def test_texts_that_a_pattern_needs(pattern, expected):
    assert sorted(needed_texts(pattern)) == sorted(expected)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("Query|.*value$", ["query", "value"]),
        ("ab.cde|fg?hi", ["cde", "hi"]),
        ("query", ["query"]),
        ("query|v", []),
        ("query|", []),
        ("a(bc|de)", []),
        ("[ab|cd]ef", []),
        (r"ab\|cd", []),
        ("ab|cd|ef|gh|ij", []),
    ],
)
def test_texts_that_alternatives_need(pattern, expected):
    assert needed_of_each(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "lower"),
    [
        (r"Head_\d+.*Mul$", r"head_\d+.*mul$"),
        ("(Q|K)_(?:proj)?", "(q|k)_(?:proj)?"),
        (r"[A-F0-9_-]{2,3}\.W", r"[a-f0-9_-]{2,3}\.w"),
        # These tell letters of either case apart, or may.
        (r"\Sab", None),
        (r"\x41", None),
        ("[A-z]", None),
        ("[@-Z]", None),
        ("(?-i:A)b", None),
        ("(?=A)b", None),
        ("é", None),
        (r"\ſ", None),
    ],
)
def test_patterns_that_find_the_same_in_lower_case(pattern, lower):
    assert lower_pattern(pattern) == lower


@pytest.mark.parametrize(
    ("pattern", "is_so"),
    [
        (r"head_\d+.*Mul|^query$", True),
        ("[abc]?x", True),
        ("(ab)", False),
        ("a*a*a*b", False),
        ("a?b?c{9}", False),
    ],
)
def test_patterns_without_groups_and_many_repetitions_are_quick(pattern, is_so):
    assert is_quick(pattern) == is_so


def test_texts_are_found_in_names_one_by_one():
    graph = make_graph([(name, "A", []) for name in ("ab", "É\nabx", "bab", "日本/xa", "b", "\udcff/ab")])
    texts = Searchable(graph)
    for query in ("ab", "É", "ba", "xab", "本/X", "x", "bb", "\nab", "\udcff", ""):
        expected = [bool(query) and query.lower() in name.lower() for name in graph.names]
        assert texts.names_with([query]).tolist() == expected
    assert texts.names_with(["日", "BAB"]).tolist() == [False, False, True, True, False, False]
    assert find(show(graph), "/BAB|日/").count == 2


def test_a_search_that_takes_too_long_says_so(small, monkeypatch):
    monkeypatch.setattr(graph_search, "BUDGET_S", 0.0)
    assert "took longer" in find(small, "/s.*x/").problem


def test_patterns_find_either_case_in_any_alphabet():
    shown = show(make_graph([("Straße/ÉTÉ", "A", []), ("straße/été", "A", []), ("plain/Été", "A", [])]))
    assert find(shown, "/été/").count == 3
    assert find(shown, "/STRASSE/").count == 0
    assert find(shown, "/straß/").count == 2
    cased = show(make_graph([("Up/Low", "A", []), ("up/low", "A", [])]))
    assert find(cased, "/(?-i:Up)/").count == 1
    assert find(cased, "/UP.l/").count == 2


def test_search_looks_into_functions():
    inner = make_graph([("a", "_Arg", []), ("secret", "Mul", ["a"])], arguments=1)
    shown = show(
        make_graph([("call", "PartitionedCall", [])], functions={"f": inner}, calls={"call": ("f",)})
    )
    got = find(shown, "secret")
    assert [(match.id, match.name) for match in got.matches] == [("call/secret", "secret")]
    assert got.groups == {"call": 1}


def test_trace():
    shown = show(make_graph(SMALL, details=DETAILS))
    ids = ["x", "dense", "softmax", "nothing"]
    back = trace(shown, "softmax", "inputs", None, ids)
    assert (back.count, back.parameters, back.distances) == (4, 7, [3, 1, 0, -1])
    ahead = trace(shown, "x", "outputs", None, ids)
    assert (ahead.count, ahead.distances) == (3, [0, 1, 3, -1])
    path = trace(shown, "softmax", "path", "x", ids)
    assert (path.count, path.distances) == (3, [3, 1, 0, -1])
    with pytest.raises(GraphUnknown, match="A path needs"):
        trace(shown, "x", "path", None, [])


def test_a_trace_goes_through_all_members_of_a_repeat():
    shown = show(make_graph(layers(5)))
    got = trace(shown, "loss", "inputs", None, ["x", "encoder", "encoder/layers.0-4/norm"])
    # The nearest member counts.
    assert (got.count, got.distances) == (36, [6, 1, 5])


def test_measures_add_up_in_groups(small):
    got = paint_measure(small, "flops", ["dense", "softmax", "x", "nothing"], 1)
    assert (got.unit, got.values, got.min, got.max) == ("FLOP", [10.0, 2.0, None, None], 2.0, 10.0)
    assert [(each.id, each.where, each.value) for each in got.ranking] == [("dense/matmul", "dense", 10.0)]
    assert got.histogram is not None
    assert sum(got.histogram.counts) == 2


def named(graph):
    return Names(Known(graph))


def test_values_by_name_are_found_with_dots_slashes_and_tensors():
    graph = make_graph(layers(2), group_types={})
    found, unmatched = match_values(
        named(graph), {"encoder.layers.0.linear.weight": 1.0, "layers.1.norm": 4.0, "LOSS": 2.0, "no": 3.0}
    )
    assert unmatched == 1
    shown = show(graph)
    got = paint_items(shown, found, ["encoder", "encoder/layers.0-1", "loss", "x"], 10, unmatched)
    assert (got.values, got.matched, got.unmatched) == ([4.0, 4.0, 2.0, None], 3, 1)
    assert [(each.id, each.label, each.where) for each in got.ranking] == [
        ("encoder/layers.0-1/norm", "norm", "encoder/layers.1"),
        ("loss", "loss", ""),
        ("encoder/layers.0-1/linear", "weight", "encoder/layers.0/linear"),
    ]


def test_what_is_not_a_number_is_shown_first():
    graph = make_graph(layers(2))
    found, _ = match_values(named(graph), {"encoder.layers.0.norm": float("nan"), "loss": 2.0})
    got = paint_items(show(graph), found, ["encoder", "loss"], 10, 0)
    assert np.isnan(got.values[0] or 0.0)
    assert [each.label for each in got.ranking] == ["norm", "loss"]
    assert (got.min, got.max) == (2.0, 2.0)


@pytest.fixture
def watched():
    source = MemorySource()
    for number in range(3):
        tag = f"grad_norm/layers.{number}.linear.weight"
        source.add_scalars("train", tag, step=[0, 10], value=[1.0, number + 0.5])
        buckets = np.array([[-1.0, 0.0, 1.0], [0.0, 2.0, 3.0]])
        source.add_values(
            "train", f"layers.{number}.norm/grad", Kind.HISTOGRAM, step=[4], values=[buckets * (number + 1)]
        )
    source.add_scalars("train", "loss", step=[0], value=[1.0])
    source.add_scalars("other", "lr", step=[0], value=[1.0])
    return source


def test_families_of_tags_are_found(watched):
    graph = make_graph(layers(3))
    found = list_families(watched, named(graph), "train")
    assert [(each.id, each.label, each.kind, len(each.tags), each.count, each.run) for each in found] == [
        ("scalar:grad_norm|", "grad_norm", "scalar", 3, 3, "train"),
        ("histogram:|grad", "grad", "histogram", 3, 3, "train"),
    ]


def test_a_family_is_painted_at_a_step(watched):
    graph = make_graph(layers(3))
    shown = show(graph)
    family = find_family(watched, named(graph), "scalar:grad_norm|", "train")
    curves = Curves(watched, family, "mean")
    assert curves.steps() == [0, 10]
    shown_ids = ["encoder", "encoder/layers.0-2/linear", "loss"]
    assert paint_items(shown, curves.values_at(None), shown_ids, 10, 0).values == [2.5, 2.5, None]
    assert paint_items(shown, curves.values_at(9), shown_ids, 10, 0).values == [1.0, 1.0, None]
    tag = tag_of_node(shown, curves, "encoder/layers.0-2/linear", None)
    assert tag == "grad_norm/layers.2.linear.weight"
    assert curves.curve(tag) == ([0, 10], [1.0, 2.5])
    with pytest.raises(GraphUnknown, match="no family"):
        find_family(watched, named(graph), "nothing", "train")


def test_statistics_of_histograms():
    buckets = np.array([[-1.0, 0.0, 1.0], [0.0, 2.0, 3.0]])
    assert statistic_of(buckets, "mean") == 0.625
    assert statistic_of(buckets, "min") == -1.0
    assert statistic_of(buckets, "max") == 2.0
    assert statistic_of(buckets, "zeros") == 0.75
    assert statistic_of(buckets, "std") == pytest.approx(
        np.sqrt((1.125**2 + 1 / 12 + 3 * (0.375**2 + 4 / 12)) / 4)
    )
    assert statistic_of(np.zeros((0, 3)), "mean") is None


def test_the_table_has_a_row_per_node():
    graph = make_graph(SMALL, details=DETAILS)
    header, rows = to_rows(read_table(show(graph)))
    assert header == ["id", "name", "op", "group", "shape", "dtype", "device", "parameters", "flops"]
    assert len(rows) == 5
    assert rows[2] == [
        "dense/matmul",
        "dense/matmul",
        "MatMul",
        "dense",
        "1",
        "f32",
        "/device:GPU:0",
        None,
        10.0,
    ]
