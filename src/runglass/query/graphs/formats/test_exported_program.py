"""Archives of torch.export: what is read of them, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from runglass.query.graphs.formats import archives
from runglass.query.graphs.formats.exported_program import op_name
from runglass.query.graphs.model import Frame, GraphDamaged
from runglass.query.graphs.read import read_file


def tensor(name):
    return {"as_tensor": {"name": name}}


def sizes(*values):
    return {
        "dtype": 7,
        "sizes": [
            {"as_int": each} if isinstance(each, int) else {"as_expr": {"expr_str": each}} for each in values
        ],
        "device": {"type": "cuda", "index": 0},
    }


def node(target, inputs, outputs, **metadata):
    arguments = [{"name": name, "arg": argument, "kind": 1} for name, argument in inputs.items()]
    return {
        "target": target,
        "inputs": arguments,
        "outputs": [tensor(each) for each in outputs],
        "metadata": metadata,
    }


STACK = "L__self__,,net.Net;L__self__layers.0,layers.0,torch.nn.modules.linear.Linear"
BRANCH = {
    "inputs": [tensor("b_in")],
    "outputs": [tensor("b_out")],
    "nodes": [node("torch.ops.aten.relu.default", {"self": tensor("b_in")}, ["b_out"])],
    "tensor_values": {},
}
PROGRAM = {
    "graph_module": {
        "graph": {
            "inputs": [tensor("p_w"), tensor("b_unused"), tensor("x")],
            "outputs": [tensor("linear"), {"as_none": True}],
            "nodes": [
                node(
                    "torch.ops.aten.linear.default",
                    {"input": tensor("x"), "weight": tensor("p_w"), "bias": {"as_none": True}},
                    ["linear"],
                    nn_module_stack=STACK,
                    stack_trace='File "net.py", line 5, in forward\n    return self.layers[0](x)',
                ),
                node(
                    "torch.ops.higher_order.cond",
                    {
                        "pred": {"as_bool": True},
                        "true": {"as_graph": {"name": "true_graph_0", "graph": BRANCH}},
                        "operands": {"as_tensors": [{"name": "linear"}, {"name": "gone"}]},
                    },
                    ["chosen", "second"],
                ),
            ],
            "tensor_values": {
                "p_w": sizes(3, 4),
                "x": sizes("s0", 4),
                "linear": sizes("s0", 3),
                "b_unused": sizes(7),
            },
        },
        "signature": {
            "input_specs": [
                {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "layers.0.weight"}},
                {"buffer": {"arg": {"name": "b_unused"}, "buffer_name": "layers.0.count"}},
                {"user_input": {"arg": tensor("x")}},
            ]
        },
    }
}


def archive(members, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return out.getvalue()


def test_a_program():
    graph = read_file(
        "m.pt2", archive({"m/models/model.json": json.dumps(PROGRAM), "m/data/weights/weight_0": b"\x80\x04"})
    )
    assert graph.format == "torch.export"
    assert graph.names == ["p_w", "b_unused", "x", "linear", "chosen", "output_1"]
    assert graph.paths == ["layers.0/weight", "layers.0/count", "x", "layers.0/linear", "chosen", "output_1"]
    assert [graph.op_names[code] for code in graph.ops] == [
        "Parameter",
        "Buffer",
        "Input",
        "aten::linear",
        "cond",
        "Output",
    ]
    assert graph.group_types == {"": "Net", "layers.0": "Linear"}
    assert graph.edge_from.tolist() == [2, 0, 3, -1, 3]
    assert graph.edge_to.tolist() == [3, 3, 4, 4, 5]
    assert graph.missing == {3: "gone"}
    assert graph.shapes(3) == ((None, 3),)
    assert graph.parameters.tolist() == [12, 0, 0, 0, 0, 0]
    assert graph.flops[3] == 2 * 4 * 3
    assert graph.device_names == ["cuda:0"]
    assert graph.source(3) == (Frame("net.py", 5, "forward", "return self.layers[0](x)"),)
    assert graph.calls == {4: ("true_graph_0",)}
    assert graph.functions["true_graph_0"].names == ["b_in", "b_out", "output_1"]


def test_the_older_archive_and_the_json_alone():
    old = read_file(
        "m.pt2", archive({"serialized_exported_program.json": json.dumps(PROGRAM), "version": "8.2"})
    )
    assert old.names == read_file("model.json", json.dumps(PROGRAM).encode()).names


def test_names_of_ops():
    names = ["torch.ops.aten.add.Tensor", "_operator.getitem", "torch.ops.higher_order.cond", "mylib.f", ""]
    assert [op_name(each) for each in names] == ["aten::add", "getitem", "cond", "mylib.f", ""]


def test_paths_that_lead_outside_are_left_alone():
    members = {
        "../../evil.json": "{}",
        "/etc/x": "x",
        "C:/x": "x",
        "m/models/model.json": json.dumps(PROGRAM),
    }
    graph = read_file("m.pt2", archive(members))
    assert len(graph) == 6
    assert graph.problems[0].startswith(
        "The archive names files outside itself ('../../evil.json', '/etc/x', 'C:/x')"
    )
    with pytest.raises(GraphDamaged, match=r"no models/model\.json"):
        read_file("m.pt2", archive({"../models/model.json": json.dumps(PROGRAM)}))


def test_a_zip_bomb(monkeypatch):
    monkeypatch.setattr(archives, "MEMBER_LIMIT_BYTES", 1 << 20)
    bomb = archive({"m/models/model.json": b"{" + b" " * (8 << 20)})
    assert len(bomb) < 1 << 15
    with pytest.raises(GraphDamaged, match="over the limit of 1,048,576"):
        read_file("m.pt2", bomb)
    # One that lies about its size.
    lie = bomb.replace((8 * (1 << 20) + 1).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lie != bomb
    with pytest.raises(GraphDamaged):
        read_file("m.pt2", lie)


@pytest.mark.parametrize(
    "data",
    [
        archive({}),
        archive({"m/models/model.json": "no json"}),
        archive({"m/models/model.json": "[]"}),
        archive({"m/models/model.json": '{"graph_module": {"graph": 5}}'}),
        archive({"m/models/model.json": "[" * 100_000}),
        archive({"m/data.pkl": b"\x80\x04c__builtin__\neval\n."}),
        archive({"m/models/model.json": json.dumps(PROGRAM)})[:-30],
        b"PK\x03\x04 and no more",
    ],
)
def test_what_is_no_program(data):
    with pytest.raises(GraphDamaged):
        read_file("m.pt2", data)


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "text",
        [],
        {},
        [None, 3, "x"],
        {"inputs": 3, "outputs": "x", "nodes": [1, {"inputs": [{"arg": 5}]}]},
    ],
)
def test_odd_json_is_an_odd_graph(value):
    program = {
        "graph_module": {
            "graph": value
            if isinstance(value, dict)
            else {"nodes": value, "inputs": value, "tensor_values": value}
        }
    }
    assert read_file("m.json", json.dumps(program).encode()).format == "torch.export"


def test_graphs_in_graphs_without_end():
    graph = BRANCH
    for number in range(40):
        inner = {"as_graph": {"name": f"g{number}", "graph": graph}}
        graph = {
            "inputs": [],
            "outputs": [],
            "nodes": [node("torch.ops.higher_order.cond", {"true": inner}, ["y"])],
        }
    with pytest.raises(GraphDamaged, match="nested more than"):
        read_file("m.json", json.dumps({"graph_module": {"graph": graph}}).encode())
