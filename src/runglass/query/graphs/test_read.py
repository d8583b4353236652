"""Which graphs a log has, and which of several under one name is read."""

from __future__ import annotations

import json

import pytest

import runglass
from runglass.errors import RunUnknown
from runglass.native.wire import encode
from runglass.query.graphs.model import GraphDamaged, GraphUnknown
from runglass.query.graphs.read import list_graphs, read_profile
from runglass.schema.graph import GRAPH
from runglass.schema.run_metadata import RUN_METADATA
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import summaries


def graph_def(*names):
    return encode(GRAPH, {"node": [{"name": name, "op": "Op"} for name in names]})


def profile(name, took_us):
    nodes = [{"node_name": name, "all_end_rel_micros": took_us, "timeline_label": "x" * 200}]
    return encode(RUN_METADATA, {"step_stats": {"dev_stats": [{"device": "/cpu:0", "node_stats": nodes}]}})


@pytest.fixture
def logdir(tmp_path):
    model = json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": []}})
    traced = encode(RUN_METADATA, {"function_graphs": [{"pre_optimization_graph": graph_def("t")}]})
    with EventWriter(tmp_path / "run") as writer:
        writer.add_values([summaries.graph("keras", model, plugin="graph_keras_model")], 0)
        writer.add_values([summaries.graph("trace", traced, plugin="graph_run_metadata_graph")], 3)
        writer.add_event({"graph_def": graph_def("old"), "step": 1})
        writer.add_event({"graph_def": graph_def("new", "newer"), "step": 5})
        for tag, took_us in (("step1", 10), ("step2", 20)):
            tagged = {"tag": tag, "run_metadata": profile("new", took_us)}
            writer.add_event({"tagged_run_metadata": tagged, "step": took_us})
        empty = encode(RUN_METADATA, {"step_stats": {"dev_stats": [{"device": "/cpu:0"}]}})
        writer.add_event({"tagged_run_metadata": {"tag": "none", "run_metadata": empty}})
    return tmp_path


def test_graphs_are_listed_without_being_parsed(logdir):
    found = [
        (info.name, info.format, info.steps, info.profiles)
        for info in list_graphs(runglass.open(logdir).source)
    ]
    assert found == [
        ("__run_graph__", "GraphDef", (1, 5), ("step1", "step2")),
        ("keras", "Keras", (0,), ()),
        ("trace", "GraphDef", (3,), ()),
    ]


def test_the_newest_is_read_or_that_of_a_step(logdir):
    log = runglass.open(logdir)
    assert [node.name for node in log.graph("run").nodes] == ["new", "newer"]
    assert [node.name for node in log.graph("run", "__run_graph__", step=1).nodes] == ["old"]
    assert [node.name for node in log.graph("run", "trace").nodes] == ["t"]
    with pytest.raises(GraphUnknown, match="was not logged at step 2"):
        log.graph("run", step=2)
    with pytest.raises(GraphUnknown, match="no graph 'step1', only '__run_graph__', 'keras', 'trace'"):
        log.graph("run", "step1")
    with pytest.raises(RunUnknown):
        log.graphs("other")


def test_the_newest_profile_is_read_or_one_by_name(logdir):
    source = runglass.open(logdir).source
    newest, first = read_profile(source, "run"), read_profile(source, "run", profile="step1")
    assert newest is not None
    assert first is not None
    assert (newest.time(), first.time()) == ({"new": 20.0}, {"new": 10.0})
    assert read_profile(source, "run", "keras") is None
    with pytest.raises(GraphUnknown, match="no profile 'none'"):
        read_profile(source, "run", profile="none")


def test_a_graph_that_is_logged_later(logdir):
    log = runglass.open(logdir)
    before = {info.name: info.generation for info in list_graphs(log.source)}
    with EventWriter(logdir / "run") as writer:
        writer.add_event({"graph_def": b"\xff\xff", "step": 9})
    log.reload()
    after = {info.name: info.generation for info in list_graphs(log.source)}
    assert [name for name in after if after[name] != before[name]] == ["__run_graph__"]
    with pytest.raises(GraphDamaged, match="not a GraphDef"):
        log.graph("run")
    assert len(log.graph("run", step=5).nodes) == 2


def test_a_run_without_graphs(tmp_path):
    with EventWriter(tmp_path) as writer:
        writer.add_values([summaries.scalar("loss", 1.0)], 0)
    log = runglass.open(tmp_path)
    assert log.graphs(".") == []
    with pytest.raises(GraphUnknown, match=r"Run '\.' has no graph\."):
        log.graph(".")
