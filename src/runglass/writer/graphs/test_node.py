from __future__ import annotations

from typing import Any

from runglass.native.wire import decode
from runglass.schema.graph import GRAPH
from runglass.schema.tensor import DataType
from runglass.writer.graphs.node import ATTR_LIMIT_BYTES, Names, Node, data_type, encode_graph


def only_node(node: Node) -> dict[str, Any]:
    (found,) = decode(GRAPH, encode_graph([node]))["node"]
    return found


def test_a_graph_of_two_nodes():
    nodes = [
        Node(name="input/x", op="IO Node", shapes=[[2, 3]], dtype=DataType.FLOAT),
        Node(name="net/relu", op="relu", inputs=["input/x"], device="/device:GPU:1"),
    ]
    assert decode(GRAPH, encode_graph(nodes)) == {
        "node": [
            {
                "name": "input/x",
                "op": "IO Node",
                "attr": {
                    "_output_shapes": {"list": {"shape": [{"dim": [{"size": 2}, {"size": 3}]}]}},
                    "dtype": {"type": DataType.FLOAT},
                },
            },
            {"name": "net/relu", "op": "relu", "input": ["input/x"], "device": "/device:GPU:1"},
        ],
        "versions": {"producer": 22},
    }


def test_attributes_keep_their_types():
    attrs = {
        "flag": True,
        "count": -3,
        "rate": 0.5,
        "text": "é\ud800",
        "raw": b"\xff",
        "kind": DataType.INT64,
        "huge": 2**70,
        "list": [1, 2],
        "empty": [],
    }
    assert only_node(Node(name="n", op="o", attrs=attrs))["attr"] == {
        "flag": {"b": True},
        "count": {"i": -3},
        "rate": {"f": 0.5},
        "text": {"s": "é?".encode()},
        "raw": {"s": b"\xff"},
        "kind": {"type": DataType.INT64},
        "huge": {"s": str(2**70).encode()},
        "list": {"list": {"i": [1, 2]}},
        "empty": {"list": {}},
    }


def test_large_attributes_are_listed_but_not_copied():
    node = Node(name="n", op="o", attrs={"small": "x" * 1000, "large": b"x" * ATTR_LIMIT_BYTES})
    assert only_node(node)["attr"] == {
        "small": {"s": b"x" * 1000},
        "_too_large_attrs": {"list": {"s": [b"large"]}},
    }


def test_an_unknown_shape_beside_a_known_one():
    attr = only_node(Node(name="n", op="o", shapes=[None, [-1]]))["attr"]
    assert attr["_output_shapes"] == {"list": {"shape": [{"unknown_rank": True}, {"dim": [{"size": -1}]}]}}
    assert "attr" not in only_node(Node(name="n", op="o", shapes=[None]))


def test_every_name_is_given_once():
    names = Names()
    given = [names.take(wanted) for wanted in ["a", "a", "a_1", "a", "/a//b/", "x:0", "^c", "", "/"]]
    assert given == ["a", "a_1", "a_1_1", "a_2", "a/b", "x_0", "c", "node", "node_1"]


def test_types_by_the_names_that_frameworks_use():
    assert data_type("torch.float32") == data_type("float32") == DataType.FLOAT
    assert data_type("bfloat16") == DataType.BFLOAT16
    assert data_type("torch.float16") == DataType.HALF
    assert data_type("key<fry>") is None
