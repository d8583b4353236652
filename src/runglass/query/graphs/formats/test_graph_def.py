"""GraphDefs as no framework writes them: what can be read is read, and the rest is said."""

from __future__ import annotations

import numpy as np
import pytest

from runglass.native.wire import encode
from runglass.query.graphs.formats.graph_def import parse_graph_def
from runglass.query.graphs.formats.run_metadata import node_of, parse_profile, parse_run_metadata
from runglass.query.graphs.model import Frame, GraphDamaged, GraphUnknown
from runglass.query.graphs.rows import LogGraph
from runglass.schema.graph import GRAPH
from runglass.schema.run_metadata import RUN_METADATA
from runglass.schema.tensor import DataType


def graph_of(*nodes, **more):
    fields = [{"name": name, "op": op, "input": inputs, **extra} for name, op, inputs, extra in nodes]
    return parse_graph_def(encode(GRAPH, {"node": fields, **more}))


def node(name, op="Op", *inputs, **extra):
    return name, op, list(inputs), extra


def shape(*sizes):
    return {"dim": [{"size": size} for size in sizes]}


def output_shapes(*shapes):
    return {"_output_shapes": {"list": {"shape": list(shapes)}}}


def edges(graph):
    return [
        (int(start), int(end), int(output), bool(control))
        for start, end, output, control in zip(
            graph.edge_from, graph.edge_to, graph.edge_output, graph.edge_control, strict=True
        )
    ]


def test_inputs_name_nodes_outputs_and_control_edges():
    graph = graph_of(node("a"), node("b", "Split", "a:1", "a"), node("c", "Op", "^b", "b:12"))
    assert edges(graph) == [(0, 1, 1, False), (0, 1, 0, False), (1, 2, 0, True), (1, 2, 12, False)]
    assert graph.problems == ()


def test_cycles_stay():
    graph = graph_of(node("a", "Merge", "b"), node("b", "NextIteration", "a"), node("self", "Op", "self"))
    assert edges(graph) == [(1, 0, 0, False), (0, 1, 0, False), (2, 2, 0, False)]


def test_missing_inputs_keep_their_edge():
    graph = graph_of(node("a", "Op", "gone:3", "^lost", "a"))
    assert edges(graph) == [(-1, 0, 0, False), (-1, 0, 0, True), (0, 0, 0, False)]
    assert graph.missing == {0: "gone:3", 1: "lost"}
    assert graph.problems == ("2 inputs of nodes that are not in the graph ('gone:3', 'lost').",)


def test_two_nodes_of_one_name():
    graph = graph_of(node("a"), node("a"), node("a#2"), node("b", "Op", "a"))
    assert graph.names == ["a", "a", "a#2", "b"]
    assert graph.paths == ["a", "a#3", "a#2", "b"]
    assert edges(graph) == [(0, 3, 0, False)]
    assert graph.problems == ("1 node with the name of another ('a'); edges lead to the first.",)


@pytest.mark.parametrize(
    "name",
    ["a//b", "/a", "a/", "", " ", "<b>x</b>", "a" * 10_240, "a:b", "a:1", "^a", "\u202eabc", "日本/語"],
)
def test_odd_names(name):
    graph = graph_of(node(name), node("user", "Op", name if not name.startswith("^") else "x"))
    assert graph.names == [name, "user"]
    # A leading slash is of ONNX, where all names have it.
    assert graph.paths == [name.removeprefix("/"), "user"]
    if not name.startswith("^"):
        assert edges(graph) == [(0, 1, 0, False)]


def test_names_that_are_not_utf8():
    data = encode(GRAPH, {"node": [b"\x0a\x02\xff\xfe\x12\x01A"]})
    assert parse_graph_def(data).names == ["\ufffd\ufffd"]


def test_an_empty_graph():
    graph = parse_graph_def(b"")
    assert (len(graph), len(graph.edge_to), len(graph.functions), graph.problems) == (0, 0, 0, ())
    assert graph.parameters.tolist() == []


def test_a_large_attribute_is_cut_and_whole_on_request():
    text = "x" * (1 << 20)
    graph = graph_of(node("a", attr={"text": {"s": text.encode()}, "n": {"i": 5}}))
    found = graph.attributes(0)
    assert found["text"].text == text[:1024]
    assert found["text"].is_cut
    assert found["text"].size > 1 << 20
    assert (found["n"].text, found["n"].is_cut) == ("5", False)
    assert graph.attribute_text(0, "text") == text
    with pytest.raises(GraphUnknown, match="no attribute 'other'"):
        graph.attribute_text(0, "other")


def test_attributes_as_text_and_as_values():
    attr = {
        "T": {"type": DataType.FLOAT},
        "flag": {"b": True},
        "rate": {"f": 0.1},
        "name": {"s": b"caf\xc3\xa9"},
        "bytes": {"s": b"\x00\xff"},
        "shape": {"shape": {"dim": [{"size": -1}, {"size": 3}]}},
        "unknown": {"shape": {"unknown_rank": True}},
        "sizes": {"list": {"i": [1, 2, 2, 1]}},
        "f": {"func": {"name": "body"}},
        "value": {"tensor": {"dtype": DataType.INT32, "tensor_shape": shape(3), "int_val": [1, 2, 3]}},
        "weights": {"tensor": {"dtype": DataType.FLOAT, "tensor_shape": shape(1000, 1000)}},
        "wrong": {"tensor": {"dtype": 77, "int_val": [1]}},
    }
    graph = graph_of(node("a", attr=attr))
    assert {name: each.text for name, each in graph.attributes(0).items()} == {
        "T": "f32",
        "bytes": "\\x00\\xff",
        "f": "body",
        "flag": "true",
        "name": "café",
        "rate": "0.1",
        "shape": "[?, 3]",
        "sizes": "[1, 2, 2, 1]",
        "unknown": "unknown",
        "value": "i32[3] 1, 2, 3",
        "weights": "f32[1000, 1000]",
        "wrong": graph.attributes(0)["wrong"].text,
    }
    values = graph.values(0)
    assert values["value"].tolist() == [1, 2, 3]
    assert (values["T"], values["shape"], values["unknown"]) == ("f32", (None, 3), None)
    assert (values["sizes"], values["bytes"], values["wrong"]) == ([1, 2, 2, 1], b"\x00\xff", None)


def test_a_cut_off_graph_keeps_what_stands_before():
    whole = encode(
        GRAPH, {"node": [{"name": f"n{i}", "op": "Op", "input": [f"n{i - 1}"][:i]} for i in range(20)]}
    )
    counts = set()
    for end in range(len(whole)):
        try:
            graph = parse_graph_def(whole[:end])
        except GraphDamaged:
            # Not even one node is whole.
            assert end < 12
            continue
        counts.add(len(graph))
        if graph.problems:
            assert graph.problems[0].startswith(f"Byte {graph.problems[0].split()[1]} of {end}")
    assert counts >= set(range(20))


def test_bytes_that_are_no_graph():
    with pytest.raises(GraphDamaged, match="not a GraphDef: byte 0 of 4"):
        parse_graph_def(b"\xff\xff\xff\xff")


def function(name, nodes, inputs=(), outputs=(), ret=None):
    return {
        "signature": {
            "name": name,
            "input_arg": [{"name": each, "type": DataType.FLOAT} for each in inputs],
            "output_arg": [{"name": each, "type": DataType.FLOAT} for each in outputs],
        },
        "node_def": nodes,
        "ret": ret or {},
    }


def test_functions():
    body = [
        {"name": "norm", "op": "FusedBatchNormV3", "input": ["x"]},
        {"name": "add", "op": "AddV2", "input": ["norm:batch_variance:0", "x"]},
    ]
    library = {"function": [function("f", body, ["x"], ["y"], {"y": "add:z:0"})]}
    graph = graph_of(
        node("direct", "f"),
        node("call", "PartitionedCall", attr={"f": {"func": {"name": "f"}}}),
        library=library,
    )
    assert graph.calls == {0: ("f",), 1: ("f",)}
    inner = graph.functions["f"]
    assert inner.names == ["x", "norm", "add", "y"]
    assert [inner.op_names[code] for code in inner.ops] == ["_Arg", "FusedBatchNormV3", "AddV2", "_Retval"]
    assert (inner.arguments, inner.results, inner.file_nodes) == (1, 1, range(1, 3))
    # The variance is the third output of the op.
    assert edges(inner) == [(0, 1, 0, False), (1, 2, 2, False), (0, 2, 0, False), (2, 3, 0, False)]
    assert inner.functions is graph.functions
    assert inner.dtypes(0) == ("f32",)
    shown = LogGraph(graph, "g").functions["f"]
    assert [each.name for each in shown.nodes] == ["norm", "add"]
    assert shown.edges == [("x", "norm"), ("norm", "add"), ("x", "add")]
    assert (shown.arguments, shown.results) == (["x"], ["y"])


def test_a_function_that_calls_itself():
    library = {"function": [function("f", [{"name": "again", "op": "f", "input": ["x"]}], ["x"])]}
    graph = graph_of(node("a", "f"), library=library)
    inner = graph.functions["f"]
    assert inner.calls == {1: ("f",)}
    assert inner.functions["f"] is inner


def test_functions_of_a_loop_in_the_order_of_reading():
    names = [function(name, []) for name in ("b", "c")]
    attr = {
        "body": {"func": {"name": "b"}},
        "cond": {"func": {"name": "c"}},
        "other": {"func": {"name": "gone"}},
    }
    assert graph_of(node("w", "While", attr=attr), library={"function": names}).calls == {0: ("c", "b")}


def test_shapes_and_types():
    graph = graph_of(
        node("a", attr={**output_shapes(shape(2, -1), shape()), "T": {"type": DataType.HALF}}),
        node("b", "Less", attr={"T": {"type": DataType.FLOAT}}),
        node(
            "c",
            "VarHandleOp",
            attr={**output_shapes(shape()), "shape": {"shape": shape(3, 4)}, "dtype": {"type": 1}},
        ),
        node(
            "d",
            "Const",
            attr={"value": {"tensor": {"dtype": 3, "tensor_shape": shape(7)}}, "dtype": {"type": 3}},
        ),
        node("e", attr=output_shapes({"unknown_rank": True})),
        node("f", "Cast", attr={"SrcT": {"type": 1}, "DstT": {"type": 14}, "T": {"type": 1}}),
    )
    assert [graph.shapes(i) for i in range(6)] == [((2, None), ()), (), ((3, 4),), ((7,),), (None,), ()]
    assert [graph.dtypes(i) for i in range(6)] == [("f16",), ("bool",), ("f32",), ("i32",), (), ("bf16",)]
    assert graph.parameters.tolist() == [0, 0, 12, 0, 0, 0]


def test_operations_of_products_and_convolutions():
    def shaped(*sizes):
        return output_shapes(shape(*sizes))

    graph = graph_of(
        node("x", attr=shaped(-1, 8, 8, 3)),
        node("k", attr=shaped(3, 3, 3, 16)),
        node("conv", "Conv2D", "x", "k", "^x", attr=shaped(-1, 6, 6, 16)),
        node("d", attr=shaped(3, 3, 16, 2)),
        node("depth", "DepthwiseConv2dNative", "conv", "d", attr=shaped(-1, 4, 4, 32)),
        node("m", attr=shaped(5, 7)),
        node("n", attr=shaped(7, 11)),
        node("mul", "MatMul", "m", "n", attr=shaped(5, 11)),
        node("no_shape", "MatMul", "m", "n"),
        node("id", "Identity", "mul"),
    )
    flops = dict(zip(graph.names, graph.flops.tolist(), strict=True))
    assert flops["conv"] == 2 * 6 * 6 * 16 * 3 * 3 * 3
    assert flops["depth"] == 2 * 4 * 4 * 32 * 3 * 3
    assert flops["mul"] == 2 * 5 * 7 * 11
    assert np.isnan(flops["no_shape"])
    assert flops["id"] == 0


def test_source_lines():
    info = {
        "files": ["train.py"],
        "frames_by_id": {1: {"line": 3, "func": "main"}, 2: {"line": 9, "func": "layer", "code": "x @ w"}},
        "traces_by_id": {7: {"frame_id": [2, 1]}},
        "name_to_trace_id": {"a@": 7},
        "traces": {"b": {"file_line_cols": [{"line": 4}]}},
    }
    graph = graph_of(node("a"), node("b"), node("c"), debug_info=info)
    assert graph.source(0) == (Frame("train.py", 3, "main"), Frame("train.py", 9, "layer", "x @ w"))
    assert graph.source(1) == (Frame("train.py", 4),)
    assert graph.source(2) == ()


def test_devices_and_clusters():
    graph = graph_of(
        node("a", device="/gpu:0", attr={"_XlaCluster": {"s": b"cluster_1"}}),
        node("b"),
        node("c", device="/gpu:0"),
    )
    assert (graph.device_names, graph.devices.tolist()) == (["/gpu:0"], [0, -1, 0])
    assert (graph.cluster_names, graph.clusters.tolist()) == (["cluster_1"], [0, -1, -1])


def test_very_many_nodes_of_one_name():
    one = encode(GRAPH, {"node": [{"name": "s/n", "op": "Op", "input": ["s/n"]}]})
    graph = parse_graph_def(one * 100_000)
    assert len(graph) == len(graph.edge_to) == 100_000
    assert graph.paths[-1] == "s/n#100000"
    assert len(graph.problems) == 1


# ---- run metadata


def test_a_trace_of_two_graphs_is_merged():
    def traced(name):
        library = {"function": [function("g", [{"name": "in", "op": "h"}]), function("h", [])]}
        nodes = [{"name": name, "op": "g"}, {"name": "last", "op": "Op", "input": [f"^{name}", f"{name}:1"]}]
        return {"pre_optimization_graph": {"node": nodes, "library": library}}

    graph = parse_run_metadata(encode(RUN_METADATA, {"function_graphs": [traced("a"), traced("b")]}))
    assert graph.names == ["graph_1/a", "graph_1/last", "graph_2/b", "graph_2/last"]
    assert edges(graph) == [(0, 1, 0, True), (0, 1, 1, False), (2, 3, 0, True), (2, 3, 1, False)]
    assert graph.calls == {0: ("graph_1_g",), 2: ("graph_2_g",)}
    assert graph.functions["graph_2_g"].calls == {0: ("graph_2_h",)}
    alone = parse_run_metadata(encode(RUN_METADATA, {"function_graphs": [traced("a")]}))
    assert (alone.names, list(alone.functions)) == (["a", "last"], ["g", "h"])


def test_damaged_run_metadata():
    with pytest.raises(GraphDamaged, match="not a RunMetadata"):
        parse_run_metadata(b"\xff\xff")
    with pytest.raises(GraphDamaged, match="profile cannot be decoded"):
        parse_profile(b"\xff\xff")


def test_profiles_sum_what_runs_more_than_once():
    def ran(name, end, *memory):
        return {
            "node_name": name,
            "all_end_rel_micros": end,
            "memory": [{"total_bytes": each} for each in memory],
        }

    stats = [
        {"device": "/cpu:0", "node_stats": [ran("a", 5, 100, 20), ran("a:MatMul", 6), ran("b (f32)", 1)]},
        {"device": "/gpu:0", "node_stats": [ran("a", 40, -7)]},
        {"device": "/idle"},
    ]
    profile = parse_profile(encode(RUN_METADATA, {"step_stats": {"dev_stats": stats}}))
    assert profile is not None
    assert profile.devices == ["/cpu:0", "/gpu:0", "/idle"]
    assert profile.time() == {"a": 51.0, "b": 1.0}
    assert profile.time(["/cpu:0"]) == {"a": 11.0, "b": 1.0}
    assert profile.memory() == {"a": 120.0, "b": 0.0}
    assert parse_profile(encode(RUN_METADATA, {"step_stats": {"dev_stats": [{"device": "/cpu:0"}]}})) is None


def test_names_in_profiles():
    assert [node_of(name) for name in ("a", "a:Op", "a (x)", "x/y:1:2")] == ["a", "a", "a", "x/y"]
