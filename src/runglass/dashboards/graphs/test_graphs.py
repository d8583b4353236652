import numpy as np
import pytest

from runglass.native.wire import encode
from runglass.query.memory import MemorySource
from runglass.schema.graph import GRAPH
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

NODES = [
    {"name": "x", "op": "Placeholder"},
    {"name": "dense/kernel", "op": "VarHandleOp"},
    {"name": "dense/read", "op": "ReadVariableOp", "input": ["dense/kernel"]},
    {
        "name": "dense/matmul",
        "op": "MatMul",
        "input": ["x", "dense/read"],
        "attr": {"note": {"s": b"n" * 2_000}},
    },
    {"name": "dense/relu", "op": "Relu", "input": ["dense/matmul"]},
    {"name": "loss", "op": "Sum", "input": ["dense/relu", "gone"]},
]
GRAPH_REF = {"run": "train", "name": "model"}


def graph_def(nodes=NODES):
    return encode(GRAPH, {"node": nodes})


@pytest.fixture
def source():
    source = MemorySource()
    changed = [*NODES[:4], {"name": "dense/gelu", "op": "Gelu", "input": ["dense/matmul"]}]
    changed.append({"name": "loss", "op": "Sum", "input": ["dense/gelu", "gone"]})
    values = [graph_def(), graph_def(changed)]
    source.add_values("train", "model", Kind.GRAPH, step=[0, 5], values=values, plugin="graphs")
    for number, tag in enumerate(("grad/dense.matmul", "grad/loss")):
        source.add_scalars("train", tag, step=[0, 10], value=[1.0, number + 2.0])
    return source


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, path, **body):
    got = client.post(f"/api/graphs/{path}", {"graph": {**GRAPH_REF, "step": 0}, **body})
    assert got.status == 200, got.text
    return got.json


def test_graphs_are_listed(client):
    assert client.get("/api/graphs").json["graphs"] == [
        {
            "run": "train",
            "name": "model",
            "format": "GraphDef",
            "steps": [0, 5],
            "is_asset": False,
            "has_profile": False,
        }
    ]


def test_levels_leave_out_what_is_usual(client):
    got = ask(client, "levels", groups=["", "dense"])
    facts = got["graph"]
    assert (facts["nodes"], facts["edges"], facts["depth"], facts["measures"]) == (6, 6, 2, ["tpu"])
    assert facts["problems"] == ["1 input of nodes that are not in the graph ('gone')."]
    assert facts["ops"][0] == {"name": "Placeholder", "count": 1}
    root, dense = got["levels"]
    assert [node["id"] for node in root["nodes"]] == ["x", "dense", "loss"]
    assert set(root["nodes"][0]) == {"id", "label", "type", "op", "structure", "tpu"}
    assert root["edges"] == [{"from": 0, "to": 1}, {"from": 1, "to": 2}]
    assert dense["in"] == [{"outer": "x", "to": 0}]
    assert dense["out"] == [{"from": 1, "outer": "loss"}]
    assert dense["nodes"][0]["ports"] == [{"id": "dense/read", "label": "read", "kind": "variable"}]


def test_the_newest_graph_is_shown_unless_a_step_is_asked_for(client):
    body = {"graph": GRAPH_REF, "groups": ["dense"]}
    newest = client.post("/api/graphs/levels", body).json
    assert [node["label"] for node in newest["levels"][0]["nodes"]] == ["matmul", "gelu"]
    got = client.post("/api/graphs/levels", {"graph": {**GRAPH_REF, "step": 3}})
    assert (got.status, got.json["error"]["code"]) == (404, "graph_unknown")


def test_a_graph_that_is_logged_later_is_shown(client, source):
    source.add_values("late", "model", Kind.GRAPH, step=[0], values=[graph_def(NODES[:1])], plugin="graphs")
    got = client.post("/api/graphs/levels", {"graph": {"run": "late"}})
    assert got.json["graph"]["nodes"] == 1
    source.add_values("late", "model", Kind.GRAPH, step=[1], values=[graph_def()], plugin="graphs")
    got = client.post("/api/graphs/levels", {"graph": {"run": "late"}})
    assert got.json["graph"]["nodes"] == 6


def test_one_node_and_one_attribute(client):
    got = ask(client, "node", id="dense/matmul")
    assert (got["op"], got["inputs"][1]["id"], got["where"]) == (
        "MatMul",
        "dense/read",
        [{"id": "dense", "label": "dense"}],
    )
    (note,) = got["attributes"]
    assert (note["name"], note["is_cut"], len(note["text"])) == ("note", True, 1_024)
    assert len(ask(client, "attribute", id="dense/matmul", name="note")["text"]) >= 2_000


def test_search_trace_and_table(client):
    found = ask(client, "search", q="op:relu")
    assert (found["count"], found["matches"], found["groups"]) == (
        1,
        [{"id": "dense/relu", "name": "dense/relu", "op": "Relu", "found": "op"}],
        {"dense": 1},
    )
    traced = ask(client, "trace", id="loss", direction="inputs", shown=["x", "dense"])
    assert (traced["count"], traced["distances"]) == (5, [3, 1])
    table = ask(client, "table")
    assert [column["name"] for column in table["columns"]] == ["id", "name", "op", "group"]
    rows = client.get("/api/graphs/table?run=train&name=model&step=0&format=csv")
    assert rows.text.splitlines()[4] == "dense/matmul,dense/matmul,MatMul,dense"
    assert "train-model.csv" in rows.headers["content-disposition"]


def test_patterns_that_may_take_long_are_matched_in_a_worker_that_is_there_when_one_is_typed(source):
    app = App(source)
    client = InProcess(app)
    odd = [{"name": "dense/two\nlines", "op": "Relu"}, {"name": "dense/É", "op": "Relu"}]
    source.add_values(
        "odd", "model", Kind.GRAPH, step=[0], values=[graph_def([*NODES, *odd])], plugin="graphs"
    )
    workers = app.open().result().runner._workers
    ask(client, "search", q="dense")
    assert workers._free == []
    assert ask(client, "search", q="/DENSE.*re/")["count"] == 2
    assert workers._free == []
    ask(client, "search", q="op:relu /(de")
    (worker,) = workers._free
    for q, expected in (
        ("/(DENSE).re/", ["dense/read", "dense/relu"]),
        ("op:/^(?:mat|re)/ /u$/", ["dense/relu"]),
        ("/(nothing)/", []),
    ):
        assert [match["name"] for match in ask(client, "search", q=q)["matches"]] == expected
    found = ask(client, "search", graph={"run": "odd"}, q=r"/e\/(two.lines|two\slines|é)$/")
    assert [match["name"] for match in found["matches"]] == ["dense/two\nlines", "dense/É"]
    assert workers._free == [worker]
    app.close()


def test_families_are_painted(client):
    (family,) = ask(client, "families")["families"]
    assert (family["label"], family["matched"], family["tags"], family["run"]) == ("grad", 2, 2, "train")
    by = {"family": family["id"]}
    got = ask(client, "paint", by=by, shown=["dense", "loss", "x"], node="dense", step=3)
    assert (got["values"], got["steps"], got["step"]) == ([1.0, 1.0, None], [0, 10], 3)
    assert got["series"] == {"tag": "grad/dense.matmul", "steps": [0, 10], "values": [1.0, 2.0]}
    newest = ask(client, "paint", by=by, shown=["dense", "loss"])
    assert (newest["values"], newest["step"], newest["ranking"][0]["id"]) == ([2.0, 3.0], 10, "loss")
    own = ask(client, "paint", by={"values": {"loss": 4.0, "what": 1.0}}, shown=["loss"])
    assert (own["values"], own["matched"], own["unmatched"]) == ([4.0], 1, 1)
    assert client.post("/api/graphs/paint", {"graph": GRAPH_REF, "by": {}}).status == 400


def test_two_steps_are_compared(client):
    a, b = {**GRAPH_REF, "step": 0}, {**GRAPH_REF, "step": 5}
    got = client.post(
        "/api/graphs/difference", {"a": a, "b": b, "shown_a": ["dense"], "shown_b": ["dense", "x"]}
    ).json
    assert [(row["state"], row["label"], row["what"]) for row in got["rows"]] == [
        ("added", "gelu", "Gelu"),
        ("removed", "relu", "Relu"),
    ]
    assert (got["states_a"], got["states_b"]) == (["inside"], ["inside", "same"])
    assert got["ghosts"] == [
        {"group": "dense", "label": "relu", "op": "Relu", "from": ["dense/matmul"], "to": ["loss"]}
    ]


def test_a_dropped_file_is_a_graph_until_others_push_it_out(client):
    tokens = []
    for _ in range(5):
        got = client.post("/api/graphs/file?name=model.pb", graph_def())
        assert (got.status, got.json["format"], got.json["nodes"]) == (200, "GraphDef", 6)
        tokens.append(got.json["file"])
    shown = client.post("/api/graphs/levels", {"graph": {"file": tokens[-1]}})
    assert [node["id"] for node in shown.json["levels"][0]["nodes"]] == ["x", "dense", "loss"]
    gone = client.post("/api/graphs/levels", {"graph": {"file": tokens[0]}})
    assert (gone.status, gone.json["error"]["where"]) == (404, "file")


def test_what_is_no_graph_is_said(client, source):
    source.add_values("bad", "model", Kind.GRAPH, step=[0], values=[b"\xff\xff nonsense"], plugin="graphs")
    got = client.post("/api/graphs/levels", {"graph": {"run": "bad"}})
    assert (got.status, got.json["error"]["code"]) == (422, "graph_damaged")
    assert "byte 0" in got.json["error"]["message"]
    dropped = client.post("/api/graphs/file?name=x.bin", b"\x00\x01\x02")
    assert dropped.status == 422
    for graph, code in (({"run": "no"}, "run_unknown"), ({"run": "train", "name": "no"}, "graph_unknown")):
        unknown = client.post("/api/graphs/levels", {"graph": graph})
        assert (unknown.status, unknown.json["error"]["code"]) == (404, code)
    assert client.post("/api/graphs/levels", {"graph": {}}).status == 400


def test_values_that_are_no_numbers_are_sent_as_words(client, source):
    source.add_scalars("train", "grad/x", step=[0], value=[np.nan])
    got = ask(client, "paint", by={"family": "scalar:grad|"}, shown=["x"])
    assert (got["values"], got["ranking"][0]["value"]) == (["NaN"], "NaN")
