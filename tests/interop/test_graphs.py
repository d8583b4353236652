"""Graphs of real models: as PyTorch's own writer writes them, and as TensorBoard's graph routes and runglass.open read them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import runglass
from runglass.errors import BadArgument
from runglass.native.wire import decode
from runglass.schema.graph import GRAPH
from runglass.schema.tensor import DataType
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.graphs import model_graph

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]


def written(logdir: Path, model: Any, inputs: object = None, **options: bool) -> dict[str, dict[str, Any]]:
    """Writes a model's graph and returns the nodes that come back, by name."""
    graph = model_graph(model, inputs, **options)
    with EventWriter(logdir) as writer:
        for event in graph.events:
            writer.add_event(event)
        if graph.values:
            writer.add_values(graph.values, 0)
    nodes = decode(GRAPH, runglass.open(logdir).read(".", "__run_graph__").value[0])["node"]
    found = {node["name"]: node for node in nodes}
    assert len(found) == len(nodes)
    assert {name.partition(":")[0] for node in nodes for name in node.get("input", [])} <= set(found)
    return found


def tensorboard_answer(logdir: Path, route: str, **query: str) -> Any:
    """The answers of TensorBoard's graph plugin over HTTP."""
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.graph.graphs_plugin import GraphsPlugin
    from werkzeug.test import Client

    multiplexer = EventMultiplexer().AddRunsFromDirectory(str(logdir))
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, str(logdir))
    plugin = GraphsPlugin(TBContext(logdir=str(logdir), multiplexer=multiplexer, data_provider=provider))
    answer = Client(plugin.get_plugin_apps()[route]).get(route, query_string=query)
    assert answer.status_code == 200
    return answer.get_json() if answer.is_json else answer.get_data(as_text=True)


def shown_by_tensorboard(logdir: Path) -> Any:
    from google.protobuf import text_format
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    limits = {"limit_attr_size": "1024", "large_attrs_key": "_too_large_attrs"}
    return text_format.Parse(tensorboard_answer(logdir, "/graph", run=".", **limits), GraphDef())


def shape(node: dict[str, Any], output: int = 0) -> list[int]:
    found = node["attr"]["_output_shapes"]["list"]["shape"][output]
    return [dim["size"] for dim in found.get("dim", [])]


# ---- PyTorch


def torch_models() -> dict[str, tuple[Any, Any, bool]]:
    """By name: a model, its inputs, and whether the trace is strict."""
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Mlp(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = nn.Linear(8, 16)
            self.fc2 = nn.Linear(16, 4)
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x: Any) -> Any:
            return self.fc2(torch.relu(self.fc1(x))) * self.scale

    class Cnn(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout()
            )
            self.head = nn.Linear(8 * 15 * 15, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.features(x).flatten(1))

    class TwoInputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left = nn.Linear(4, 3)
            self.right = nn.Linear(5, 3)

        def forward(self, x: Any, y: Any) -> dict[str, Any]:
            both = self.left(x) + self.right(y)
            values, places = both.max(dim=1)
            return {"square": both * both, "best": values, "where": places}

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(20, 6)
            self.lstm = nn.LSTM(6, 5, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.lstm(self.embed(x))

    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return {
        "mlp": (Mlp(), torch.zeros(2, 8), True),
        "cnn": (Cnn(), (torch.zeros(2, 3, 32, 32),), True),
        "two inputs": (TwoInputs(), (torch.zeros(2, 4), torch.zeros(2, 5)), False),
        "recurrent": (Recurrent(), torch.zeros(2, 7, dtype=torch.int64), True),
        "transformer": (
            nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
            torch.zeros(2, 3, 8),
            True,
        ),
    }


@pytest.mark.parametrize("name", ["mlp", "cnn", "two inputs", "recurrent"])
def test_torch_models_are_written_as_pytorch_writes_them(name: str, tmp_path: Path) -> None:
    model, inputs, is_strict = torch_models()[name]
    from torch.utils.tensorboard._pytorch_graph import graph as peer_graph

    peer, _ = peer_graph(model, inputs, use_strict_trace=is_strict)
    nodes = written(tmp_path, model, inputs, uses_strict_trace=is_strict)
    assert sorted(nodes) == sorted(node.name for node in peer.node)
    for theirs in peer.node:
        ours = nodes[theirs.name]
        assert ours["op"] == theirs.op
        # PyTorch's writer adds edges from modules, which are not nodes.
        assert ours.get("input", []) == [each for each in theirs.input if each in nodes], theirs.name
        assert ours["attr"]["attr"]["s"] == theirs.attr["attr"].s
        sizes = (
            [dim.size for dim in theirs.attr["_output_shapes"].list.shape[0].dim]
            if "_output_shapes" in theirs.attr
            else None
        )
        if theirs.op == "prim::GetAttr":
            # PyTorch's writer gives weights no shape.
            assert sizes is None
        elif "_output_shapes" in ours["attr"]:
            assert shape(ours) == sizes
        else:
            # Only tensors have a shape; PyTorch's writer invents one for inputs and outputs.
            assert sizes is None or (ours["op"], sizes) == ("IO Node", [1])
    assert {node.name for node in shown_by_tensorboard(tmp_path).node} == set(nodes)


def test_a_model_that_pytorch_cannot_write(tmp_path: Path) -> None:
    # Its second trace, a check of the first, takes another path through a transformer.
    model, inputs, _ = torch_models()["transformer"]
    nodes = written(tmp_path, model, inputs)
    attention = (
        "TransformerEncoder/ModuleList[layers]/TransformerEncoderLayer[1]/MultiheadAttention[self_attn]/"
    )
    inside = {node["op"] for name, node in nodes.items() if name.startswith(attention)}
    assert {"aten::scaled_dot_product_attention", "prim::GetAttr"} <= inside


def test_two_lists_of_layers_stay_two(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Towers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.left = torch.nn.ModuleList([torch.nn.Linear(2, 2)])
            self.right = torch.nn.ModuleList([torch.nn.Linear(2, 2)])

        def forward(self, x: Any) -> Any:
            return self.left[0](x) + self.right[0](x)

    nodes = written(tmp_path, Towers(), torch.zeros(1, 2))
    scopes = {name.rpartition("/")[0] for name, node in nodes.items() if node["op"] == "aten::linear"}
    assert scopes == {"Towers/ModuleList[left]/Linear[0]", "Towers/ModuleList[right]/Linear[0]"}


def test_torch_shapes_types_and_devices(tmp_path: Path) -> None:
    model, inputs, _ = torch_models()["mlp"]
    nodes = written(tmp_path, model, inputs)
    (linear,) = [
        node
        for node in nodes.values()
        if node["name"].startswith("Mlp/Linear[fc2]/") and node["op"] == "aten::linear"
    ]
    assert shape(linear) == [2, 4]
    assert linear["attr"]["dtype"]["type"] == DataType.FLOAT
    assert linear["device"] == "/device:CPU:0"
    assert [shape(nodes[name]) for name in linear["input"][1:]] == [[4, 16], [4]]
    info = tensorboard_answer(tmp_path, "/info")["."]
    assert info["run_graph"]
    assert info["tags"]["step1"]["profile"]


def test_a_torch_model_is_unchanged_afterwards() -> None:
    torch = pytest.importorskip("torch")

    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout())
            self.register_buffer("calls", torch.zeros(1))
            self.register_buffer("last", torch.zeros(1))

        def forward(self, x: Any) -> Any:
            self.calls += 1
            self.last = x.mean().reshape(1)
            return self.net(x) + torch.randn(3)

    model = Counting().train()
    model.net[1].eval()
    model.net(torch.ones(2, 3)).sum().backward()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    grads = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    modes = [module.training for module in model.modules()]
    random = torch.random.get_rng_state()
    held = model.calls, model.last
    model_graph(model, torch.ones(2, 3))
    with pytest.raises(BadArgument):
        model_graph(model, torch.ones(2, 4))
    assert [module.training for module in model.modules()] == modes
    assert held[0] is model.calls
    assert held[1] is model.last
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    left = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    assert len(left) == len(grads) == 4
    assert all(map(torch.equal, left, grads))
    assert torch.equal(torch.random.get_rng_state(), random)


def test_torch_models_that_cannot_be_traced() -> None:
    torch = pytest.importorskip("torch")
    model, inputs, _ = torch_models()["two inputs"]
    with pytest.raises(BadArgument, match=r"cannot trace TwoInputs.*use_strict_trace=False"):
        model_graph(model, inputs)
    with pytest.raises(BadArgument, match=r"needs input_to_model.*add_graph"):
        model_graph(model)
    with pytest.raises(BadArgument, match="as forward takes them"):
        model_graph(model, torch.zeros(2, 4))
    with pytest.raises(BadArgument, match="shape that the model takes"):
        model_graph(model, (torch.zeros(2, 3), torch.zeros(2, 5)))

    class Texts(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return str(x)

    with pytest.raises(BadArgument, match=r"cannot trace Texts.*returns tensors"):
        model_graph(Texts(), torch.zeros(2))


def test_torch_inputs_by_name_and_functions(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    model, (x, y), _ = torch_models()["two inputs"]
    by_name = written(tmp_path / "names", model, {"y": y, "x": x}, uses_strict_trace=False)
    by_place = written(tmp_path / "places", model, (x, y), uses_strict_trace=False)
    assert {node["op"] for node in by_name.values()} == {node["op"] for node in by_place.values()}

    def double(x: Any) -> Any:
        return x + x

    nodes = written(tmp_path / "function", double, torch.zeros(2))
    (add,) = [node for node in nodes.values() if node["op"] == "aten::add"]
    assert add["name"].startswith("double/")
    assert add["input"][0] == add["input"][1]
    assert add["input"][0].startswith("input/")


def test_scripted_torch_code_shows_its_branches(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Choosing(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.relu(x) if x.sum() > 0 else torch.sigmoid(x)
            for _ in range(3):
                y = torch.tanh(y)
            return y

    # TorchScript looks up its source, with `torch` among the names of this module.
    globals()["torch"] = torch
    scripted = torch.jit.script(Choosing())
    source = str(scripted.graph)
    nodes = written(tmp_path, scripted, torch.zeros(2))
    assert str(scripted.graph) == source
    scopes = {node["op"]: node["name"].split("/") for node in nodes.values()}
    assert "then" in scopes["aten::relu"]
    assert "else" in scopes["aten::sigmoid"]
    assert "body" in scopes["aten::tanh"]
    (choice,) = [node for node in nodes.values() if node["op"] == "prim::If"]
    assert {nodes[name]["op"] for name in choice["input"]} >= {"aten::relu", "aten::sigmoid"}


# ---- JAX


def test_a_jax_function(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy

    @jax.jit
    def hidden(layer: dict[str, Any], x: Any) -> Any:
        return jax.nn.relu(x @ layer["kernel"] + layer["bias"])

    def net(params: dict[str, Any], x: Any) -> dict[str, Any]:
        with jax.named_scope("encoder"):
            h = hidden(params["first"], x)
        total, steps = jax.lax.scan(lambda carry, row: (carry + row, jnp.sin(row)), jnp.zeros(4), h)
        choice = jax.lax.cond(total[0] > 0, jnp.exp, jnp.cos, total)
        rounds = jax.lax.while_loop(
            lambda pair: pair[0] < 3, lambda pair: (pair[0] + 1, pair[1] * 2.0), (0, choice)
        )
        return {"steps": steps, "choice": rounds[1]}

    params = {"first": {"kernel": jnp.ones((3, 4)), "bias": jnp.zeros(4)}}
    nodes = written(tmp_path, net, (params, jnp.ones((5, 3), jnp.float32)))
    assert shape(nodes["input/params/first/kernel"]) == [3, 4]
    assert nodes["input/x"]["attr"]["dtype"]["type"] == DataType.FLOAT
    (dot,) = [node for node in nodes.values() if node["op"] == "dot_general"]
    assert dot["name"] == "encoder/hidden/dot_general"
    assert dot["input"] == ["input/x", "input/params/first/kernel"]
    assert shape(dot) == [5, 4]
    assert nodes["scan/body/sin"]["op"] == "sin"
    assert {name for name in nodes if name.startswith("cond/branches_")}
    assert nodes["while/cond/lt"]["op"] == "lt"
    assert nodes["output/choice"]["input"] == ["while:1"]
    assert shape(nodes["output/steps"]) == [5, 4]
    assert {node.name for node in shown_by_tensorboard(tmp_path).node} == set(nodes)


def test_jax_gradients_and_large_constants(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    import numpy as np

    table = np.arange(10_000, dtype=np.float32)
    graph = model_graph(jax.grad(lambda x: (jax.nn.softplus(x) * table).sum()), np.ones(10_000, np.float32))
    assert len(graph.events[0]["graph_def"]) < 20_000
    nodes = written(tmp_path, jax.checkpoint(lambda x: x * 2.0), np.ones(3, np.float32))
    (mul,) = [node for node in nodes.values() if node["op"] == "mul"]
    assert mul["input"] == ["input/x"]
    assert mul["attr"]["input_1"] == {"f": 2.0}


def test_a_jax_function_that_cannot_be_traced() -> None:
    jax = pytest.importorskip("jax")

    def choosing(x: Any, name: str = "relu") -> Any:
        return jax.nn.relu(x) if x > 0 and name else x

    with pytest.raises(BadArgument, match=r"cannot trace choosing with JAX.*functools\.partial"):
        model_graph(choosing, 1.0)
    with pytest.raises(BadArgument, match="input_to_model"):
        model_graph(partial(jax.numpy.add))


# ---- Keras and TensorFlow

KERAS = """
import sys
import keras
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.graphs import model_graph

x = keras.Input((4,), name="x")
model = keras.Model(x, keras.layers.Dense(2, name="out")(keras.layers.Dense(3, name="hidden")(x)), name="net")
graph = model_graph(model)
assert graph.events == []
with EventWriter(sys.argv[1]) as writer:
    writer.add_values(graph.values, 0)
print(keras.backend.backend(), model.to_json())
"""


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_a_keras_model(backend: str, tmp_path: Path) -> None:
    pytest.importorskip("keras")
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KERAS, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    used, _, text = done.stdout.strip().splitlines()[-1].partition(" ")
    assert used == backend
    series = runglass.open(tmp_path).read(".", "keras")
    assert series.kind == "graph"
    assert json.loads(series.value[0]) == json.loads(text)
    assert tensorboard_answer(tmp_path, "/info")["."]["tags"]["keras"]["conceptual_graph"]
    shown = tensorboard_answer(tmp_path, "/graph", run=".", tag="keras", conceptual="true")
    assert 'name: "net/hidden"' in shown


def test_a_tensorflow_function(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tf = pytest.importorskip("tensorflow")
    weights = tf.constant([[0.5] * 600], name="weights")

    @tf.function
    def double(x: Any) -> Any:
        return tf.add(x, tf.constant([0.25] * 600), name="total") + tf.matmul(
            weights, weights, transpose_b=True
        )

    nodes = written(tmp_path, double, tf.zeros([1, 600]))
    assert nodes["total"]["op"] == "AddV2"
    (large,) = [node for node in nodes.values() if "_too_large_attrs" in node["attr"]]
    assert large["attr"]["_too_large_attrs"]["list"]["s"] == [b"value"]
    assert {node.name for node in shown_by_tensorboard(tmp_path).node} == set(nodes)


# ---- ONNX


def test_an_onnx_file(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w"], ["y"], name="/fc/Gemm", transB=1)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 600])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 2])],
        [numpy_helper.from_array(np.ones((2, 600), np.float32), "w")],
    )
    model = helper.make_model(graph)
    onnx.save(model, str(tmp_path / "net.onnx"))
    nodes = written(tmp_path / "logs", tmp_path / "net.onnx")
    assert nodes["fc/Gemm"]["input"] == ["input/x", "fc/w"]
    assert shape(nodes["fc/w"]) == [2, 600]
    assert model_graph(model) == model_graph(tmp_path / "net.onnx")
    assert {node.name for node in shown_by_tensorboard(tmp_path / "logs").node} == set(nodes)


def test_files_of_the_torch_exporter(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU())
    path = tmp_path / "net.onnx"
    torch.onnx.export(net, (torch.zeros(1, 1, 8, 8),), str(path), dynamo=True, verbose=False)
    nodes = written(tmp_path / "logs", path)
    (convolution,) = [node for node in nodes.values() if node["op"] == "Conv"]
    assert convolution["name"].startswith("0/")
    assert {nodes[name]["op"] for name in convolution["input"]} == {"IO Node", "Initializer"}
    assert shape(convolution) == [1, 4, 6, 6]
