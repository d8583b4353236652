"""Graphs of real models, written by the real frameworks and read by Runglass: as the frameworks themselves count them."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import runglass
from runglass.query.graphs.read import read_file
from runglass.query.graphs.rows import LogGraph

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]


def dropped(path: Path) -> LogGraph:
    return LogGraph(read_file(path.name, path.read_bytes()), path.name)


def resnet50() -> Any:
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Bottleneck(nn.Module):
        def __init__(self, size: int, width: int, stride: int) -> None:
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(size, width, 1, bias=False), nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(width)
            self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
            self.relu = nn.ReLU()
            self.downsample = None
            if stride != 1 or size != 4 * width:
                self.downsample = nn.Sequential(
                    nn.Conv2d(size, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
                )

        def forward(self, x: Any) -> Any:
            kept = x if self.downsample is None else self.downsample(x)
            x = self.relu(self.bn1(self.conv1(x)))
            x = self.relu(self.bn2(self.conv2(x)))
            return self.relu(self.bn3(self.conv3(x)) + kept)

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
            )
            size, stages = 64, []
            for depth, width, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
                blocks = []
                for number in range(depth):
                    blocks.append(Bottleneck(size, width, stride if number == 0 else 1))
                    size = 4 * width
                stages.append(nn.Sequential(*blocks))
            self.layers = nn.ModuleList(stages)
            self.fc = nn.Linear(2048, 1000)

        def forward(self, x: Any) -> Any:
            x = self.stem(x)
            for stage in self.layers:
                x = stage(x)
            return self.fc(x.mean((2, 3)))

    return ResNet().eval(), torch.zeros(1, 3, 64, 64)


def transformer() -> Any:
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(100, 32)
            self.layers = nn.ModuleList(
                nn.TransformerEncoderLayer(32, 4, 64, batch_first=True) for _ in range(4)
            )
            self.head = nn.Linear(32, 100)

        def forward(self, tokens: Any) -> Any:
            x = self.embed(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.head(x)

    return Model().eval(), torch.zeros(2, 12, dtype=torch.long)


def weights(model: Any) -> int:
    return sum(each.numel() for each in model.parameters())


def graph_def(logdir: Path) -> Any:
    """The run's graph as TensorBoard's loader has it."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    accumulator = EventAccumulator(str(logdir))
    accumulator.Reload()
    return accumulator.Graph()


def compare(graph: LogGraph, truth: Any) -> None:
    assert [node.name for node in graph.nodes] == [node.name for node in truth.node]
    assert graph.ops == dict(Counter(node.op for node in truth.node))
    assert [node.inputs for node in graph.nodes] == [list(node.input) for node in truth.node]
    assert {name: len(body.nodes) for name, body in graph.functions.items()} == {
        each.signature.name: len(each.node_def) for each in truth.library.function
    }


def test_resnet_50_by_the_writer_of_pytorch(tmp_path):
    model, inputs = resnet50()
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, inputs)
    graph = runglass.open(tmp_path).graph(".")
    compare(graph, graph_def(tmp_path))
    types = graph.columns.group_types
    assert (types[""], types["layers.2"], types["layers.2/5"]) == ("ResNet", "Sequential", "Bottleneck")
    assert graph.ops["aten::_convolution"] == 53
    assert graph.problems == ()


def test_resnet_50_by_our_writer(tmp_path):
    model, inputs = resnet50()
    with runglass.SummaryWriter(tmp_path) as writer:
        writer.add_graph(model, inputs)
    graph = runglass.open(tmp_path).graph(".")
    assert graph.parameters == weights(model) == 25_557_032
    # 4.1 GFLOPs of multiply-adds at 224 x 224 are 0.33 at 64 x 64.
    assert 0.6e9 < graph.flops < 0.75e9


def test_a_transformer_exported_by_torch(tmp_path):
    torch = pytest.importorskip("torch")
    model, inputs = transformer()
    program = torch.export.export(model, (inputs,))
    torch.export.save(program, tmp_path / "model.pt2")
    graph = runglass.open(tmp_path).graph(".", "model.pt2")
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    assert [node.name for node in graph.nodes] == [node.name for node in calls]
    assert len(graph.edges) == sum(len(node.all_input_nodes) for node in calls)
    assert graph.arguments == [node.name for node in program.graph.nodes if node.op == "placeholder"]
    assert graph.parameters == weights(model)
    for node in calls:
        value = node.meta["val"]
        if isinstance(value, torch.Tensor):
            assert graph.node(node.name).shapes == (tuple(value.shape),)
    assert graph.columns.group_types["layers.3/self_attn"] == "MultiheadAttention"
    assert graph.nodes[0].source[0].file.endswith("test_graph_sources.py")


@pytest.mark.parametrize("is_dynamo", [True, False])
def test_a_transformer_exported_to_onnx(tmp_path, is_dynamo):
    torch = pytest.importorskip("torch")
    onnx = pytest.importorskip("onnx")
    model, inputs = transformer()
    path = tmp_path / "model.onnx"
    torch.onnx.export(model, (inputs,), path, dynamo=is_dynamo, **({"verbose": False} if is_dynamo else {}))
    truth = onnx.load(path, load_external_data=False).graph
    graph = dropped(path)
    assert [node.op for node in graph.nodes] == [node.op_type for node in truth.node]
    assert len(graph.edges) == sum(bool(name) for node in truth.node for name in node.input)
    assert set(graph.arguments) >= {each.name for each in truth.initializer}
    floats = [each for each in truth.initializer if each.data_type == onnx.TensorProto.FLOAT]
    assert graph.parameters == sum(math.prod(each.dims) for each in floats)
    assert {path.partition("/")[0] for path in graph.columns.paths} >= {f"layers.{i}" for i in range(4)}
    assert graph.problems == ()


def test_a_keras_application(tmp_path):
    keras = pytest.importorskip("keras")
    model = keras.applications.MobileNetV2(weights=None, input_shape=(64, 64, 3), classes=10)
    with runglass.SummaryWriter(tmp_path) as writer:
        writer.add_graph(model)
    model.save(tmp_path / "model.keras")
    log = runglass.open(tmp_path)
    for name in log.graphs("."):
        graph = log.graph(".", name)
        assert [(node.op, node.path) for node in graph.nodes] == [
            (type(layer).__name__, layer.name) for layer in model.layers
        ]
        assert graph.parameters == model.count_params()
        for layer in model.layers:
            shape = layer.output.shape if not isinstance(layer.output, list) else layer.output[0].shape
            assert graph.node(layer.name).shapes == (tuple(shape),)


def test_a_tf_function(tmp_path):
    tf = pytest.importorskip("tensorflow")
    from tensorflow.core.protobuf import saved_model_pb2

    class Model(tf.Module):
        def __init__(self) -> None:
            self.weight = tf.Variable(tf.ones((4, 4)), name="weight")

        @tf.function(input_signature=[tf.TensorSpec((None, 4), tf.float32)])
        def call(self, x: Any) -> Any:
            for _ in tf.range(3):
                x = tf.nn.relu(x @ self.weight)
            return x

    model = Model()
    traced = model.call.get_concrete_function().graph
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.graph(traced)
        tf.summary.trace_on(graph=True)
        model.call(tf.ones((2, 4)))
        tf.summary.trace_export("traced", step=7)
    writer.close()
    tf.saved_model.save(model, str(tmp_path / "saved"))
    log = runglass.open(tmp_path)
    compare(log.graph("."), traced.as_graph_def(add_shapes=True))
    assert len(log.graph(".", "traced", step=7).nodes) > 0
    saved = saved_model_pb2.SavedModel()
    saved.ParseFromString((tmp_path / "saved/saved_model.pb").read_bytes())
    graph = log.graph("saved", "saved_model.pb")
    compare(graph, saved.meta_graphs[0].graph_def)
    assert graph.parameters == 16
