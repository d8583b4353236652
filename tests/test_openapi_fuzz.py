"""Whatever the OpenAPI document allows, and what it does not, gets an answer of the documented shape and never a 5xx.

Schemathesis makes the requests and asks the app in-process, on a small source with odd numbers in it.
"""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import HealthCheck, Phase, settings

from runglass.native.wire import encode
from runglass.query.memory import MemorySource
from runglass.schema.graph import GRAPH
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings
from runglass.store.model import Kind

schemathesis = pytest.importorskip("schemathesis")
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.python.asgi import ASGIClient  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
# A loaded machine is slow, not wrong.
PATIENCE_S = 120

GRAPH_DEF = encode(
    GRAPH,
    {
        "node": [
            {"name": "0", "op": "Const"},
            {"name": "0/0", "op": "0", "input": ["0", "^00", "gone"]},
            {"name": "00", "op": "Add", "input": ["0/0", "0/0"]},
        ]
    },
)


def make_source() -> MemorySource:
    source = MemorySource().set_file("0", "0/events", size_bytes=5).add_run("")
    # Names that generated requests are likely to contain.
    for run in ("0", "00", "\x00"):
        source.add_scalars(run, "0", step=[0, 5, 3, 2**63 - 1], value=[nan, inf, -inf, 1e300])
        source.add_scalars(run, "", step=range(500), value=range(500), wall_time=[nan] * 500)
        source.add_scalars(run, "00", step=[1], value=[0.5]).add_scalars(
            run, "00", step=[0], value=[1.0], restart=True
        )
        source.add_values(run, "graph", Kind.GRAPH, step=[0], values=[GRAPH_DEF], plugin="graphs")
    return source


app = App(make_source(), Settings(allowed_hosts=("testserver",)))
# Live updates never end, and the events of jobs are no JSON; tests beside the code listen to both.
schema = (
    schemathesis.openapi.from_asgi("/api/openapi.json", app)
    .exclude(path="/api/live")
    .exclude(path="/api/jobs/events")
)
# One for all requests; making one for each, and asking the environment for proxies, would take longer than the answers.
client = ASGIClient(app)
client.trust_env = False


def check(case) -> None:
    case.call_and_validate(session=client, checks=CHECKS, timeout=PATIENCE_S)


@schema.parametrize()
@settings(
    # Few, because they are slow to make, and come after some eighty requests per route that walk through its schema.
    max_examples=4,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_route_answers_as_documented(case):
    check(case)
    name_what_exists(case)
    check(case)


def name_what_exists(case) -> None:
    """Made-up names hardly ever meet a run or tag; with real ones the rest of the request is put to the test too."""
    query, body = case.query, case.body
    if case.path.startswith("/api/jobs"):
        name_a_job(query, body)
        return
    if case.path.startswith("/api/graphs"):
        name_a_graph(query, body)
        return
    for name, real in (("run", "0"), ("tag", "0")):
        if name in query:
            query[name] = real
    if isinstance(body, dict) and "columns" in body:
        body.pop("runs", None)
        for column in body["columns"] if isinstance(body["columns"], list) else []:
            if isinstance(column, dict):
                column.update({"tag": "0", "best_tag": "00"})
    elif isinstance(body, dict):
        body.pop("series", None)
        body.pop("runs", None)
        body["tags"] = ["0", "", "00", "=rate({}) / {0}"]
        if "groups" in body:
            body["groups"] = [{"name": "all", "runs": ["0", "00", "\x00"]}]
        if body.get("x") not in (None, "step", "relative", "wall"):
            body["x"] = "00"


def name_a_graph(query, body) -> None:
    if "run" in query:
        query.update({"run": "0", "name": "graph"})
        query.pop("step", None)
    if isinstance(body, dict):
        for name in {"graph", "a", "b"} & body.keys():
            body[name] = {"run": "0"}
        if "id" in body:
            body["id"] = "0/0"
        if "groups" in body:
            body["groups"] = ["", "0"]


def name_a_job(query, body) -> None:
    question = {"query": "0"}
    job = InProcess(app).post("/api/jobs", {"work": "text.search", "question": question}).json
    if "id" in query:
        query["id"] = [job["id"]] if isinstance(query["id"], list) else job["id"]
    if isinstance(body, dict) and "id" in body:
        body["id"] = job["id"]
    if isinstance(body, dict) and "work" in body:
        body.update({"work": "text.search", "question": question})
