"""Keras models as JSON: of Keras 2 and 3, nested, shared, and of layers that nobody knows."""

from __future__ import annotations

import json

import pytest

from runglass.query.graphs.formats.keras_json import parse_keras
from runglass.query.graphs.model import GraphDamaged


def layer(kind, name, inbound=None, **config):
    found = {"class_name": kind, "config": {"name": name, **config}, "name": name}
    return found if inbound is None else {**found, "inbound_nodes": inbound}


def model(kind, name, layers, **config):
    return {"class_name": kind, "config": {"name": name, "layers": layers, **config}}


def tensor(name, output=0, shape=None):
    config = {"shape": shape, "dtype": "float32", "keras_history": [name, 0, output]}
    return {"class_name": "__keras_tensor__", "config": config}


def call(*args, **kwargs):
    return {"args": list(args), "kwargs": kwargs}


def facts(found):
    graph = parse_keras(json.dumps(found))
    edges = [
        (graph.names[start] if start >= 0 else graph.missing[number], graph.names[end])
        for number, (start, end) in enumerate(
            zip(graph.edge_from.tolist(), graph.edge_to.tolist(), strict=True)
        )
    ]
    return graph, edges


def test_sequential_of_keras_2():
    layers = [
        layer(
            "Conv2D", "c", filters=4, kernel_size=[3, 3], batch_input_shape=[None, 8, 8, 3], dtype="float32"
        ),
        layer("Flatten", "f"),
        layer("Dense", "d", units=10),
    ]
    graph, edges = facts(model("Sequential", "s", layers))
    assert graph.names == ["s/c", "s/f", "s/d"]
    assert graph.paths == ["c", "f", "d"]
    assert edges == [("s/c", "s/f"), ("s/f", "s/d")]
    assert [graph.shapes(node) for node in range(3)] == [((None, 6, 6, 4),), ((None, 144),), ((None, 10),)]
    assert graph.parameters.tolist() == [3 * 3 * 3 * 4 + 4, 0, 144 * 10 + 10]
    assert graph.group_types == {"": "Sequential"}


def test_the_oldest_sequential_has_a_list_for_a_config():
    graph, edges = facts({"class_name": "Sequential", "config": [layer("Dense", "a"), layer("Dense", "b")]})
    assert (graph.names, edges) == (["sequential/a", "sequential/b"], [("sequential/a", "sequential/b")])


def test_functional_of_keras_2_with_a_shared_layer():
    layers = [
        layer("InputLayer", "x", [], batch_input_shape=[None, 4]),
        layer("Dense", "twice", [[["x", 0, 0, {}]], [["twice", 0, 0, {}]]], units=4),
        layer("Add", "sum", [[["twice", 0, 0, {}], ["twice", 1, 0, {"mask": ["x", 0, 0]}]]]),
        layer("Lambda", "lost", [[["gone", 0, 0, {}]]]),
    ]
    graph, edges = facts(
        model("Functional", "m", layers, input_layers=[["x", 0, 0]], output_layers=[["sum", 0, 0]])
    )
    assert edges == [
        ("m/x", "m/twice"),
        ("m/twice", "m/twice"),
        ("m/twice", "m/sum"),
        ("m/twice", "m/sum"),
        ("m/x", "m/sum"),
        ("m/gone", "m/lost"),
    ]
    assert graph.problems == ("1 input of nodes that are not in the graph ('m/gone').",)


@pytest.mark.parametrize("is_flat", [True, False])
def test_nested_models_of_keras_3(is_flat):
    outputs = [["p", 0, 0], ["q", 0, 0]]
    inner = model(
        "Functional",
        "inner",
        [
            layer("InputLayer", "i", [], batch_shape=[None, 4]),
            layer("Dense", "p", [call(tensor("i"))], units=2),
            layer("Dense", "q", [call(tensor("i"))], units=3),
        ],
        input_layers=["i", 0, 0] if is_flat else [["i", 0, 0]],
        output_layers=outputs,
    )
    steps = model("Sequential", "steps", [layer("Dense", "one", units=1), layer("ReLU", "two")])
    layers = [
        layer("InputLayer", "x", [], batch_shape=[None, 4]),
        {**inner, "inbound_nodes": [call(tensor("x", 0, [None, 4]))]},
        layer("Concatenate", "cat", [call([tensor("inner", 1), tensor("inner", 0)], axis=-1)]),
        {**steps, "inbound_nodes": [call(tensor("cat"))]},
        layer("Dense", "end", [call(other={"deep": [tensor("steps")]})], units=1),
    ]
    graph, edges = facts(model("Functional", "m", layers, input_layers=[["x", 0, 0]]))
    assert edges == [
        ("m/x", "m/inner/i"),
        ("m/inner/i", "m/inner/p"),
        ("m/inner/i", "m/inner/q"),
        ("m/inner/q", "m/cat"),
        ("m/inner/p", "m/cat"),
        ("m/cat", "m/steps/one"),
        ("m/steps/one", "m/steps/two"),
        ("m/steps/two", "m/end"),
    ]
    assert graph.group_types == {"": "Functional", "inner": "Functional", "steps": "Sequential"}
    assert graph.shapes(graph.index["m/cat"]) == ((None, 5),)


def test_unknown_layers_and_strange_values():
    layers = [
        layer("InputLayer", "x", [], batch_shape=[None, 4]),
        layer(
            "MyLayer",
            "mine",
            [call(tensor("x"))],
            dtype={"class_name": "DTypePolicy", "config": {"name": "mixed_bfloat16"}},
        ),
        layer("Dense", "strange", [call(tensor("mine"))], units="many"),
        layer("Conv2D", "wrong", [call(tensor("x"))], filters=3, kernel_size=[3, 3, 3]),
        {"class_name": "Odd", "config": None, "inbound_nodes": [None, 5, "text"]},
        "no layer at all",
    ]
    graph, _ = facts(model("Functional", "m", layers))
    assert [graph.op_names[code] for code in graph.ops] == ["InputLayer", "MyLayer", "Dense", "Conv2D", "Odd"]
    assert graph.dtypes(1) == ("mixed_bfloat16",)
    assert graph.parameters.sum() == 0


def test_a_class_of_the_users_own():
    graph, _ = facts({"class_name": "MyModel", "config": {"width": 4, "name": "mine"}})
    assert (graph.names, len(graph.problems)) == (["mine"], 1)
    assert "does not say which layers it has" in graph.problems[0]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"a": 1}', '{"class_name": "X", "config": 3}'])
def test_what_is_no_model(text):
    with pytest.raises(GraphDamaged, match="not a Keras model"):
        parse_keras(text)


def test_models_nested_without_end():
    found = model("Sequential", "s", [layer("Dense", "d")])
    for _ in range(100):
        found = model("Sequential", "s", [found])
    with pytest.raises(GraphDamaged, match="nested more than"):
        facts(found)


def test_attributes_are_the_configuration():
    graph, _ = facts(
        model("Sequential", "s", [layer("Dense", "d", units=3, dtype="float16", kernel={"a": [1]})])
    )
    assert {name: each.text for name, each in graph.attributes(0).items()} == {
        "dtype": "float16",
        "keras_class": "Dense",
        "kernel": '{"a": [1]}',
        "units": "3",
    }
