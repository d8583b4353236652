"""Graphs that frameworks wrote: nodes, edges, ops and functions equal every manifest that knows them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.graphs import show

import runglass
from runglass.query.graphs.node_info import read_node
from runglass.query.graphs.node_table import read_table, to_rows
from runglass.query.graphs.read import read_file, read_profile
from runglass.query.graphs.rows import LogGraph

LOGS = Path(__file__).parent / "logs"
RUN_METADATA = {"graph_run_metadata", "graph_run_metadata_graph"}


def read_manifest(case: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((LOGS / case / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def list_cases(plugins: set[str]) -> list[tuple[str, str, str]]:
    """(folder, run, tag)"""
    return sorted(
        (path.parent.name, run, tag)
        for path in LOGS.glob("*/manifest.json")
        for run, facts in read_manifest(path.parent.name)["runs"].items()
        for tag, truth in facts["tensors"].items()
        if truth["plugin"] in plugins
    )


def test_there_are_cases():
    assert len(list_cases({"graphs"})) >= 14
    assert len(list_cases(RUN_METADATA)) >= 5
    assert len(list_cases({"graph_keras_model"})) >= 3


@pytest.mark.parametrize(("case", "run", "tag"), list_cases({"graphs"}))
def test_run_graphs(case, run, tag):
    truth = read_manifest(case)["runs"][run]["graph"]
    log = runglass.open(LOGS / case / "logdir")
    assert log.graphs(run)[0] == tag == "__run_graph__"
    graph = log.graph(run)
    names = [node.name for node in graph.nodes]
    assert {
        "nodes": len(graph.nodes),
        "functions": len(graph.functions),
        "function_nodes": {name: len(body.nodes) for name, body in graph.functions.items()},
        "edges": len(graph.edges),
        "ops": graph.ops,
        "first_node": names[0],
        "last_node": names[-1],
        "names_sha256": hashlib.sha256("\n".join(names).encode()).hexdigest(),
    } == {key: truth[key] for key in truth if key != "serialized_bytes"}
    assert sum(len(node.inputs) for node in graph.nodes) == truth["edges"]


@pytest.mark.parametrize(("case", "run", "tag"), list_cases(RUN_METADATA))
def test_traces_are_merged(case, run, tag):
    truth = read_manifest(case)["runs"][run]["tensors"][tag]["last"]
    graph = runglass.open(LOGS / case / "logdir").graph(run, tag)
    sizes = [each["pre"] for each in truth["function_graphs"]]
    names = [node.name for node in graph.nodes]
    assert len(names) == sum(sizes)
    if len(sizes) > 1:
        found = [
            sum(name.startswith(f"graph_{number}/") for name in names) for number in range(1, len(sizes) + 1)
        ]
        assert found == sizes
    assert graph.problems == ()
    shown = show(graph.columns)
    _, rows = to_rows(read_table(shown))
    assert len(rows) >= len(names)
    assert all(read_node(shown, row[0]).name.endswith(row[1]) for row in rows)


@pytest.mark.parametrize(("case", "run", "tag"), list_cases({"graph_keras_model"}))
def test_keras_models(case, run, tag):
    truth = read_manifest(case)["runs"][run]["tensors"][tag]["last"]
    graph = runglass.open(LOGS / case / "logdir").graph(run, tag)
    assert graph.format == "Keras"
    layers = [[node.op, node.name] for node in graph.nodes]
    assert layers == [[kind, f"{truth['name']}/{name}"] for kind, name in truth["layers"]]


@pytest.mark.parametrize(("case", "run", "tag"), list_cases({"graph_tagged_run_metadata"}))
def test_profiles(case, run, tag):
    truth = read_manifest(case)["runs"][run]["tensors"][tag]["last"]["devices"]
    source = runglass.open(LOGS / case / "logdir").source
    if not any(device["node_stats"] for device in truth.values()):
        assert read_profile(source, run) is None
        return
    profile = read_profile(source, run, profile=tag)
    assert profile is not None
    assert {name: sum(profile.time([name]).values()) for name in profile.devices} == {
        name: device["sum_all_end_rel_micros"] for name, device in truth.items()
    }
    assert {name: sum(profile.memory([name]).values()) for name in profile.devices} == {
        name: device["sum_memory_total_bytes"] for name, device in truth.items()
    }


def test_a_merged_trace_has_the_names_of_tensorboard():
    graph = runglass.open(LOGS / "tf_graph_trace/logdir").graph("control_flow", "outer")
    assert graph.node("graph_3/Identity").inputs == ["graph_3/while:3"]
    assert graph.node("graph_3/while").functions == ("graph_3_while_cond_8864", "graph_3_while_body_8865")
    body = graph.functions["graph_3_while_body_8865"]
    assert body.node("while/cond").functions == (
        "graph_3_while_cond_true_8886",
        "graph_3_while_cond_false_8887",
    )
    assert body.arguments[:2] == ["while_while_loop_counter", "while_while_maximum_iterations"]
    assert body.results[0] == "while_identity"
    assert body.node("while/Sum").inputs == ["while_placeholder_1", "while/Const"]


def test_control_edges_are_marked():
    # TensorBoard puts its prefix before the "^" and loses these edges.
    graph = runglass.open(LOGS / "tf_graph_trace/logdir").graph("resnet", "resnet_trace")
    control = [edge for edge in graph.edges if edge.control]
    assert len(control) == 17
    assert {graph.node(edge.source).op for edge in control} == {"NoOp", "ReadVariableOp"}


def test_a_keras_model_with_shapes_and_weights():
    graph = runglass.open(LOGS / "keras_callback_all/logdir").graph("defaults/train")
    assert [edge for edge in graph.edges if edge.target == "two_towers/cat"] == [
        ("two_towers/flat", "two_towers/cat"),
        ("two_towers/pool", "two_towers/cat"),
    ]
    conv = graph.node("two_towers/conv")
    assert (conv.path, conv.shapes, conv.dtypes) == ("conv", ((None, 6, 6, 4),), ("f32",))
    assert (conv.parameters, conv.flops) == (40, 2.0 * 36 * 9 * 4)
    assert conv.attributes["kernel_size"] == [3, 3]
    # As model.count_params() has it.
    assert graph.parameters == 40 + 16 + 240 + 1812 + 130


def test_weights_of_a_tensorflow_1_model_without_those_of_its_optimizer():
    graph = runglass.open(LOGS / "tf_v1_legacy/logdir").graph("train")
    kernel = graph.node("layer1/weights/Variable")
    assert (kernel.op, kernel.shapes, kernel.parameters) == ("VarHandleOp", ((64, 20),), 1280)
    assert graph.node("layer1/weights/Variable/Adam").parameters == 0
    product = (
        graph.node("layer1/Wx_plus_b/MatMul") if "layer1/Wx_plus_b/MatMul" in graph.columns.index else None
    )
    if product is not None:
        assert product.flops == 2.0 * 64 * 20


def test_modules_of_a_torch_model():
    graph = runglass.open(LOGS / "torch_graphs/logdir").graph("cnn")
    node = graph.node("Net/Conv2d[a]/184")
    # PyTorch names the container at the weights, but not at the ops.
    assert node.path == "branch.a/184"
    assert graph.columns.group_types["branch.a"] == "Conv2d"
    assert graph.columns.group_types["conv/1"] == "BatchNorm2d"
    assert graph.columns.group_types[""] == "Net"
    assert [graph.node(end).path for end in ("input/x.1", "output/output.1")] == ["x.1", "output.1"]
    # Modules have no node, so the edges to them begin nowhere; that is how PyTorch writes it, and no fault.
    assert graph.problems == ()


def test_an_onnx_model_in_an_event_file():
    graph = runglass.open(LOGS / "torch_graphs/logdir").graph("onnx")
    assert graph.node("/0/0.1/Relu_output_0").path == "0/1/Relu_output_0"
    assert graph.flops is None


# ---- files


FILES = Path(__file__).parent / "graphs"
EXPECTED = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_files_that_frameworks_wrote(name):
    """The facts are what the frameworks say of the same model."""
    truth = EXPECTED[name]
    graph = LogGraph(read_file(name, (FILES / name).read_bytes()), name)
    names = [node.name for node in graph.nodes]
    found = {
        "made_by": truth["made_by"],
        "nodes": sorted(names) if graph.format == "HLO" else names,
        "ops": [node.op for node in graph.nodes],
        "edges": len(graph.edges),
        "arguments": graph.arguments,
        "weights": sum(op == "Initializer" for op in map(graph_op(graph), range(len(graph.arguments)))),
        "parameters": graph.parameters,
        "function_nodes": {each: len(body.nodes) for each, body in graph.functions.items()},
        "function_edges": {each: len(body.edges) for each, body in graph.functions.items()},
    }
    assert {key: found[key] for key in truth} == truth
    assert graph.problems == ()
    assert [body.problems for body in graph.functions.values()] == [()] * len(graph.functions)


def graph_op(graph):
    columns = graph.columns
    return lambda node: columns.op_names[columns.ops[node]]


def test_modules_are_the_same_groups_in_every_file_of_torch():
    groups = {}
    for name in ("net.onnx", "net.pt2"):
        graph = LogGraph(read_file(name, (FILES / name).read_bytes()), name).columns
        groups[name] = {path.rpartition("/")[0] for path in graph.paths} - {""}
        assert graph.group_types["blocks.0/up"] == "Linear"
    assert groups["net.onnx"] == groups["net.pt2"]
    assert groups["net.pt2"] >= {"embed", "blocks.0", "blocks.1/norm", "head/0"}


def test_instructions_stand_where_their_code_stands():
    graph = LogGraph(read_file("x.hlo_proto.pb", (FILES / "jit_step.hlo_proto.pb").read_bytes()), "x")
    groups = {node.path.rpartition("/")[0] for node in graph.nodes}
    # What all of them have in common, jit(step), is left out.
    assert groups >= {"", "jvp(logits)", "transpose(jvp(hidden))"}
    assert not any(group.startswith("jit(step)") for group in groups)
