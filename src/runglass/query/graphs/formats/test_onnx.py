"""ONNX models encoded by hand: weights, functions, graphs in nodes, and what is left out or unknown."""

from __future__ import annotations

import numpy as np
import pytest

from runglass.native.wire import Field, Message, encode
from runglass.query.graphs.formats.files import Content, parse_content
from runglass.query.graphs.formats.onnx import parse_onnx
from runglass.query.graphs.formats.skim import skim
from runglass.query.graphs.model import Frame, GraphDamaged
from runglass.query.graphs.read import read_file
from runglass.query.graphs.rows import LogGraph
from runglass.schema import onnx

# With the values of weights, to write them.
TENSOR = Message("TensorProto", *onnx.TENSOR.fields, Field(9, "raw_data", "bytes"))
ATTRIBUTE = Message("AttributeProto")
NODE = Message(
    "NodeProto",
    *(each for each in onnx.NODE.fields if each.name != "attribute"),
    Field(5, "attribute", ATTRIBUTE, repeated=True),
)
GRAPH = Message(
    "GraphProto",
    *(each for each in onnx.GRAPH.fields if each.name not in {"node", "initializer"}),
    Field(1, "node", NODE, repeated=True),
    Field(5, "initializer", TENSOR, repeated=True),
)
ATTRIBUTE.define(
    *(each for each in onnx.ATTRIBUTE.fields if each.name not in {"t", "g"}),
    Field(5, "t", TENSOR),
    Field(6, "g", GRAPH),
)
FUNCTION = Message(
    "FunctionProto",
    *(each for each in onnx.FUNCTION.fields if each.name != "node"),
    Field(7, "node", NODE, repeated=True),
)
MODEL = Message(
    "ModelProto",
    Field(1, "ir_version", "int64"),
    Field(2, "producer_name", "string"),
    Field(7, "graph", GRAPH),
    Field(25, "functions", FUNCTION, repeated=True),
)


def value(name, *sizes, kind=1):
    dims = [{"dim_param": size} if isinstance(size, str) else {"dim_value": size} for size in sizes]
    return {"name": name, "type": {"tensor_type": {"elem_type": kind, "shape": {"dim": dims}}}}


def weight(name, *sizes, kind=1, data=b""):
    return {"name": name, "dims": sizes, "data_type": kind, "raw_data": data}


def node(op, inputs, outputs, name="", attribute=(), **more):
    return {
        "op_type": op,
        "input": inputs,
        "output": outputs,
        "name": name,
        "attribute": list(attribute),
        **more,
    }


def model(graph, **more):
    return encode(MODEL, {"ir_version": 9, "producer_name": "test", "graph": graph, **more})


def edges(graph):
    return [
        (
            graph.names[start] if start >= 0 else graph.missing[number],
            graph.names[end],
            int(graph.edge_output[number]),
        )
        for number, (start, end) in enumerate(
            zip(graph.edge_from.tolist(), graph.edge_to.tolist(), strict=True)
        )
    ]


MLP = {
    "input": [value("x", "batch", 4), value("w", 4, 8)],
    "initializer": [weight("w", 4, 8), weight("shape", 2, kind=7)],
    "node": [
        node("MatMul", ["x", "w"], ["h"], "/fc/MatMul"),
        node("Split", ["h", ""], ["a", "b"], "/fc/Split"),
        node(
            "Strange",
            ["b", "shape", "nowhere"],
            ["y"],
            domain="com.example",
            attribute=[{"name": "k", "i": 3, "type": 2}],
        ),
    ],
    "output": [value("y", "batch", 4)],
    "value_info": [value("h", "batch", 8)],
}


def test_nodes_weights_and_ends():
    graph = parse_onnx(model(MLP))
    assert graph.names == ["x", "w", "shape", "/fc/MatMul", "/fc/Split", "Strange_2", "y"]
    assert graph.paths == ["x", "fc/w", "shape", "fc/MatMul", "fc/Split", "Strange_2", "y"]
    assert graph.problems == ("1 input of nodes that are not in the graph ('nowhere').",)
    assert [graph.op_names[code] for code in graph.ops] == [
        *("Input", "Initializer", "Initializer", "MatMul", "Split", "Strange", "Output")
    ]
    assert (graph.arguments, graph.results) == (3, 1)
    assert edges(graph) == [
        ("x", "/fc/MatMul", 0),
        ("w", "/fc/MatMul", 0),
        ("/fc/MatMul", "/fc/Split", 0),
        ("/fc/Split", "Strange_2", 1),
        ("shape", "Strange_2", 0),
        ("nowhere", "Strange_2", 0),
        ("Strange_2", "y", 0),
    ]
    assert graph.shapes(3) == ((None, 8),)
    # Shapes and indices are no weights.
    assert graph.parameters.tolist() == [0, 32, 0, 0, 0, 0, 0]
    assert graph.flops[3] == 2 * 4 * 8
    assert np.isnan(graph.flops[5])
    assert graph.values(5) == {"domain": "com.example", "k": 3}
    shown = LogGraph(graph, "m")
    assert [each.op for each in shown.nodes] == ["MatMul", "Split", "Strange"]
    assert len(shown.edges) == 6


def test_attributes():
    attribute = [
        {"name": "zero", "type": 2},
        {"name": "rate", "f": 0.5, "type": 1},
        {"name": "text", "s": b"SAME", "type": 3},
        {"name": "sizes", "ints": [1, 2], "type": 7},
        {"name": "words", "strings": [b"a", b"b"], "type": 8},
        {"name": "value", "t": weight("", 2, kind=7, data=np.array([3, 4], "<i8").tobytes()), "type": 4},
        {"name": "odd", "t": weight("", 2, kind=99, data=b"123"), "type": 4},
    ]
    graph = parse_onnx(model({"node": [node("Constant", [], ["c"], attribute=attribute)]}))
    assert {name: each.text for name, each in graph.attributes(0).items()} == {
        "odd": "[2]",
        "rate": "0.5",
        "sizes": "[1, 2]",
        "text": "SAME",
        "value": "i64[2] 3, 4",
        "words": '["a", "b"]',
        "zero": "0",
    }


def test_graphs_in_nodes_are_functions():
    branch = {"node": [node("Relu", ["outer"], ["r"], "relu")], "output": [value("r", 3)]}
    nodes = [
        node("Abs", ["x"], ["outer"], "abs"),
        node(
            "If",
            ["c"],
            ["y"],
            "if",
            [{"name": "then_branch", "g": branch}, {"name": "else_branch", "g": branch}],
        ),
    ]
    graph = parse_onnx(model({"node": nodes, "input": [value("x", 3), value("c", kind=9)]}))
    call = graph.index["if"]
    assert graph.calls == {call: ("if.then_branch", "if.else_branch")}
    body = graph.functions["if.then_branch"]
    # What it takes from outside is an argument.
    assert (body.names, body.arguments, body.results) == (["outer", "relu", "r"], 1, 1)
    assert edges(body) == [("outer", "relu", 0), ("relu", "r", 0)]
    assert graph.problems == body.problems == ()


def test_functions_that_call_each_other():
    functions = [
        {
            "name": "f",
            "domain": "d",
            "input": ["a"],
            "output": ["b"],
            "node": [node("g", ["a"], ["b"], "n", domain="d")],
        },
        {
            "name": "g",
            "domain": "d",
            "input": ["a"],
            "output": ["b"],
            "node": [node("f", ["a"], ["b"], "n", domain="d")],
        },
    ]
    graph = parse_onnx(
        model(
            {"node": [node("f", ["x"], ["y"], "call", domain="d")], "input": [value("x", 1)]},
            functions=functions,
        )
    )
    assert graph.calls == {1: ("d.f",)}
    assert graph.functions["d.f"].calls == {1: ("d.g",)}
    assert graph.functions["d.g"].calls == {1: ("d.f",)}
    assert (graph.functions["d.f"].arguments, graph.functions["d.f"].results) == (1, 1)


def test_modules_of_torch():
    props = [
        {"key": "pkg.torch.onnx.name_scopes", "value": "['', 'enc', 'enc.layers.0', 'linear']"},
        {
            "key": "pkg.torch.onnx.class_hierarchy",
            "value": "['m.Net', 'm.Encoder', 'torch.nn.Linear', 'aten.linear']",
        },
        {
            "key": "pkg.torch.onnx.stack_trace",
            "value": 'File "net.py", line 12, in forward\n    return self.fc(x)\n',
        },
    ]
    bad = [{"key": "pkg.torch.onnx.name_scopes", "value": "__import__('os')"}]
    nodes = [
        node("Gemm", ["x", "enc.layers.0.weight"], ["h"], "node_linear", metadata_props=props),
        node("Relu", ["h"], ["y"], "r", metadata_props=bad),
    ]
    graph = parse_onnx(model({"node": nodes, "initializer": [weight("enc.layers.0.weight", 2, 2)]}))
    assert graph.paths == ["enc/layers.0/weight", "enc/layers.0/node_linear", "r"]
    assert graph.group_types == {"": "Net", "enc": "Encoder", "enc/layers.0": "Linear"}
    assert graph.source(1) == (Frame("net.py", 12, "forward", "return self.fc(x)"),)


def test_weights_stay_on_disk():
    data = model(
        {
            **MLP,
            "initializer": [
                weight("w", 1000, 1000, data=bytes(4_000_000)),
                weight("v", 1000, data=bytes(4000)),
            ],
        }
    )
    at = data.index(bytes(100_000))
    read = []

    def reads(offset, size):
        read.append((offset, size))
        return data[offset : offset + size]

    reduced, cut_at = skim(reads, len(data), "onnx")
    assert cut_at is None
    assert len(reduced) < 10_000
    # Reading ahead touches the beginning of the weights and no more.
    assert sum(min(offset + size, len(data)) - offset for offset, size in read) < 1_000_000
    assert not any(at + 600_000 < offset < at + 3_400_000 for offset, _ in read)
    graph = parse_content(Content("m.onnx", reads, len(data) + 0))
    assert graph.parameters.sum() == 1_001_000


def test_of_a_file_that_is_cut_off_the_whole_nodes_are_shown():
    whole = model(MLP)
    counts = set()
    for end in range(1, len(whole)):
        part = whole[:end]
        try:
            graph = read_file("m.onnx", part)
        except GraphDamaged:
            # Before the graph begins.
            assert end < 12
            continue
        counts.add(len(LogGraph(graph, "m").nodes))
        assert graph.problems[0].startswith(
            f"The file ends at byte {end:,}, in the middle of the field at byte "
        )
    assert counts == {0, 1, 2, 3}


def test_what_is_no_model():
    with pytest.raises(GraphDamaged, match="has no graph"):
        parse_onnx(b"\x08\x09")
    with pytest.raises(GraphDamaged, match="This is not an ONNX model: byte 0: no field begins here"):
        read_file("m.onnx", b"\xff" * 100)
    with pytest.raises(GraphDamaged, match="This is not an ONNX model: byte 2 of 5: no field begins here"):
        read_file("m.onnx", b"hello")
    # A graph in a node in a graph, and so on.
    deep = b""
    for _ in range(40):
        deep = encode(
            GRAPH,
            {"node": [encode(NODE, {"attribute": [encode(ATTRIBUTE, {"g": deep})]})], "name": "x" * 20_000},
        )
    data = encode(MODEL, {"graph": deep})
    assert len(read_file("m.onnx", data)) == 1
    with pytest.raises(GraphDamaged, match="nested more than"):
        skim(lambda at, size: data[at : at + size], len(data), "onnx")
