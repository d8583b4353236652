from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runglass.errors import BadArgument
from runglass.native.wire import Field, Message, decode, encode
from runglass.schema.graph import GRAPH
from runglass.schema.onnx import MODEL
from runglass.schema.tensor import DataType
from runglass.writer.graphs.onnx_graph import onnx_graph


def value(name: str, *sizes: int | str, elem_type: int = 1) -> dict[str, Any]:
    dims = [{"dim_value": size} if isinstance(size, int) else {"dim_param": size} for size in sizes]
    return {"name": name, "type": {"tensor_type": {"elem_type": elem_type, "shape": {"dim": dims}}}}


def weight(name: str, *dims: int) -> dict[str, Any]:
    return {"name": name, "dims": dims, "data_type": 1}


def node(op: str, inputs: list[str], outputs: list[str], name: str = "", **attributes: Any) -> dict[str, Any]:
    described = [{"name": key, **fields} for key, fields in attributes.items()]
    return {"op_type": op, "input": inputs, "output": outputs, "name": name, "attribute": described}


CLASSIFIER = {
    "node": [
        node("Gemm", ["x", "fc1.weight", "shared"], ["h"], "/fc1/Gemm", alpha={"f": 1.0}, transB={"i": 1}),
        node("Relu", ["h"], ["r"], "/act/Relu"),
        node("Split", ["r", ""], ["a", "b"], axis={"type": 2}, split={"ints": [2, 2]}),
        node("Gemm", ["b", "fc2.weight", "shared"], ["y"], "/fc2/Gemm", mode={"s": b"fast"}),
    ],
    "initializer": [weight("fc1.weight", 4, 8), weight("fc2.weight", 4, 2), weight("shared", 4)],
    # Models before ONNX 1.4 list weights as inputs.
    "input": [value("x", "batch", 8), value("shared", 4)],
    "output": [value("y", "batch", 4)],
    "value_info": [value("h", "batch", 4), value("b", 1, 2, elem_type=10)],
}


def read(graph: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (event,) = onnx_graph(encode(MODEL, {"ir_version": 8, "graph": graph})).events
    nodes = decode(GRAPH, event["graph_def"])["node"]
    found = {node["name"]: node for node in nodes}
    assert len(found) == len(nodes)
    return found


def sizes(node: dict[str, Any]) -> list[list[int]]:
    shapes = node["attr"]["_output_shapes"]["list"]["shape"]
    return [[dim["size"] for dim in shape.get("dim", [])] for shape in shapes]


def test_nodes_and_edges():
    nodes = read(CLASSIFIER)
    assert {name: (node["op"], node.get("input", [])) for name, node in nodes.items()} == {
        "input/x": ("IO Node", []),
        "fc1/fc1.weight": ("Initializer", []),
        "fc2/fc2.weight": ("Initializer", []),
        "shared": ("Initializer", []),
        "fc1/Gemm": ("Gemm", ["input/x", "fc1/fc1.weight", "shared"]),
        "act/Relu": ("Relu", ["fc1/Gemm"]),
        "Split": ("Split", ["act/Relu"]),
        "fc2/Gemm": ("Gemm", ["Split:1", "fc2/fc2.weight", "shared"]),
        "output/y": ("IO Node", ["fc2/Gemm"]),
    }


def test_shapes_types_and_attributes():
    nodes = read(CLASSIFIER)
    assert sizes(nodes["input/x"]) == [[-1, 8]]
    assert sizes(nodes["fc1/fc1.weight"]) == [[4, 8]]
    assert sizes(nodes["fc1/Gemm"]) == [[-1, 4]]
    assert sizes(nodes["Split"]) == [[], [1, 2]]
    assert nodes["input/x"]["attr"]["dtype"] == {"type": DataType.FLOAT}
    assert nodes["fc1/Gemm"]["attr"]["alpha"] == {"f": 1.0}
    assert nodes["fc1/Gemm"]["attr"]["transB"] == {"i": 1}
    assert nodes["fc2/Gemm"]["attr"]["mode"] == {"s": b"fast"}
    assert nodes["Split"]["attr"]["axis"] == {"i": 0}
    assert nodes["Split"]["attr"]["split"] == {"list": {"i": [2, 2]}}


def test_modules_that_only_properties_name():
    convolution = node("Conv", ["x"], ["y"], "node_conv")
    convolution["metadata_props"] = [
        {"key": "namespace", "value": "other"},
        {"key": "pkg.torch.onnx.name_scopes", "value": "['', 'features', 'features.0', 'conv']"},
    ]
    nodes = read({"node": [convolution], "input": [value("x", 1)], "output": [value("y", 1)]})
    assert nodes["features/features.0/node_conv"]["input"] == ["input/x"]


def test_branches_are_scopes_that_see_what_is_outside():
    branch = {"node": [node("Neg", ["x"], ["n"])], "output": [value("n", 1)]}
    graph = {
        "node": [node("If", ["c"], ["y"], "choice", then_branch={"g": branch}, else_branch={"g": branch})],
        "input": [value("x", 1), value("c", elem_type=9)],
        "output": [value("y", 1)],
    }
    nodes = read(graph)
    assert nodes["choice/then_branch/Neg"]["input"] == ["input/x"]
    assert nodes["choice"]["input"] == ["input/c", "choice/then_branch/Neg", "choice/else_branch/Neg"]


def test_weights_of_a_file_are_skipped(tmp_path: Path):
    tensor = Message(
        "T", Field(1, "dims", "int64", repeated=True), Field(8, "name", "string"), Field(9, "raw", "bytes")
    )
    graph = Message(
        "G", Field(1, "node", "bytes", repeated=True), Field(5, "initializer", tensor, repeated=True)
    )
    relu = b"\x0a\x01w\x12\x01y\x22\x04Relu"
    weights = {"dims": [1000], "name": "w", "raw": bytes(4000)}
    model = Message("M", Field(7, "graph", graph))
    path = tmp_path / "model.onnx"
    path.write_bytes(encode(model, {"graph": {"node": [relu], "initializer": [weights]}}))
    (event,) = onnx_graph(path).events
    assert len(event["graph_def"]) < 200
    assert [node["name"] for node in decode(GRAPH, event["graph_def"])["node"]] == ["w", "Relu"]
    assert onnx_graph(str(path)) == onnx_graph(path.read_bytes())


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 not a model", b"\x08\x08", b"\x3a\xff\xff\xff\xff\x0f"]
)
def test_values_that_are_not_models(content: bytes, tmp_path: Path):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(BadArgument, match=r"model\.onnx"):
        onnx_graph(path)
    with pytest.raises(BadArgument, match="the bytes given"):
        onnx_graph(content)


def test_files_that_cannot_be_read():
    with pytest.raises(BadArgument, match=r"nowhere\.onnx: .*No such file"):
        onnx_graph("nowhere.onnx")
    with pytest.raises(BadArgument, match="got int"):
        onnx_graph(3)
