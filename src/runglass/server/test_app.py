"""The app as a client sees it: general routes, paths, prefixes, limits and failures."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest

from runglass.errors import BadArgument
from runglass.query.memory import MemorySource
from runglass.server.app import MAX_BODY_BYTES, MAX_QUERY_BYTES, App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings
from runglass.store.model import Family, FileState, Kind, Progress


@pytest.fixture
def source():
    return (
        MemorySource(locations=["logs"])
        .add_scalars("b", "loss", step=[0, 1], value=[1.0, 2.0], wall_time=[200.0, 210.5])
        .add_scalars(
            "a", "loss", step=[0], value=[1.0], wall_time=[100.0], display_name="Loss", description="*d*"
        )
        .add_values("a", "note", Kind.TEXT, step=[0], values=["hi"], plugin="text", wall_time=[100.0])
        .set_file(
            "b", "b/events.1", FileState.DAMAGED, size_bytes=90, read_bytes=40, byte=40, reason="checksum"
        )
        .set_file("b", "b/events.2", size_bytes=10, read_bytes=10, records=3)
        .add_asset("b", Family.GRAPH, "model.onnx", b"12345")
    )


@pytest.fixture
def client(source):
    return InProcess(App(source, Settings(version="1.2.3", window_title="Mine")))


def test_status(client, source):
    assert client.get("/api/status").json == {
        "version": "1.2.3",
        "locations": ["logs"],
        "window_title": "Mine",
        "generation": source.generation,
        "missing": [],
        "is_loaded": True,
        "runs": 2,
        "series": 3,
        "points": 4,
        "size_bytes": 100,
        "files": {"damaged": 1, "ok": 1},
        "assets": 1,
        "asset_bytes": 5,
        "progress": {
            "runs_found": 2,
            "runs_loaded": 2,
            "bytes_found": 100,
            "bytes_read": 100,
            "bytes_indexed": 0,
        },
        "live": True,
        "token_required": False,
        "exports": ["csv", "json", *(["parquet"] if find_spec("pyarrow") else [])],
        "project": None,
        "person": {"name": "", "can_mark": True},
        "overlay_revision": None,
        "remote": [],
    }
    source.set_progress(Progress(False, 5, 2, 100, 40))
    status = client.get("/api/status").json
    assert status["is_loaded"] is False
    assert status["progress"] == {
        "runs_found": 5,
        "runs_loaded": 2,
        "bytes_found": 100,
        "bytes_read": 40,
        "bytes_indexed": 0,
    }


def test_runs_follow_the_source(client, source):
    runs = client.get("/api/runs").json
    assert [run["name"] for run in runs["runs"]] == ["a", "b"]
    assert runs["runs"][1] == {
        "name": "b",
        "start_time": 200.0,
        "last_wall_time": 210.5,
        "series": 1,
        "points": 2,
        "files": 2,
        "size_bytes": 100,
        "health": "damaged",
        "restarts": 0,
        "assets": 1,
        "asset_bytes": 5,
    }
    source.add_run("c")
    after = client.get("/api/runs").json
    assert [run["name"] for run in after["runs"]] == ["a", "b", "c"]
    assert after["generation"] > runs["generation"]


def test_tags(client, source):
    tags = client.get("/api/tags").json
    assert tags["tag_sets"][tags["runs"]["a"]] == {"loss": "scalar", "note": "text"}
    scalars = client.get("/api/tags?kind=scalar").json
    assert (scalars["runs"], scalars["tag_sets"]) == ({"b": 0, "a": 0}, [{"loss": "scalar"}])
    assert client.get("/api/tags?run=a&kind=text").json["tag_sets"] == [{"note": "text"}]
    assert client.get("/api/tags?run=a").json["runs"] == {"a": 0}
    source.add_scalars("c", "acc", step=[0], value=[1.0])
    assert set(client.get("/api/tags").json["runs"]) == {"a", "b", "c"}


def test_lists_are_what_each_route_says(client, source):
    lists = client.get("/api/lists?kind=scalar&kind=text").json
    for name in ("status", "runs", "dashboards"):
        assert lists[name] == client.get(f"/api/{name}").json
    assert lists["tags"] == {kind: client.get(f"/api/tags?kind={kind}").json for kind in ("scalar", "text")}
    assert client.get("/api/lists").json["tags"] == {}
    source.add_run("c")
    assert [run["name"] for run in client.get("/api/lists").json["runs"]["runs"]] == ["a", "b", "c"]
    assert client.get("/api/lists?kind=colour").json["error"]["where"].startswith("kind")


def test_series(client, source):
    got = client.get("/api/series?run=a").json
    assert got["generation"] == source.generation
    assert got["series"][0] == {
        "tag": "loss",
        "kind": "scalar",
        "plugin": "scalars",
        "display_name": "Loss",
        "description": "*d*",
        "count": 1,
        "generation": source.list_series(run="a")[0].generation,
    }
    assert [each["tag"] for each in got["series"]] == ["loss", "note"]
    assert [each["tag"] for each in client.get("/api/series?run=a&tag=note").json["series"]] == ["note"]
    assert client.get("/api/series?run=a&tag=gone").json["series"] == []
    assert client.get("/api/series?run=gone&tag=loss").json["error"]["code"] == "run_unknown"


def test_unknown_parameters_are_rejected_except_those_that_a_proxy_adds(client):
    assert client.get("/api/status?athuser=0").json["error"]["where"] == "athuser"
    assert client.get("/api/status?authuser=0").status == 200
    assert client.get("/api/series?run=a&authuser=1").status == 200


def test_health(client):
    files = client.get("/api/health").json["files"]
    assert files[0] == {
        "run": "b",
        "path": "b/events.1",
        "state": "damaged",
        "size_bytes": 90,
        "read_bytes": 40,
        "records": 0,
        "skipped_records": 0,
        "byte": 40,
        "reason": "checksum",
        "advice": "",
    }
    assert client.get("/api/health?run=a").json == {"files": []}
    assert client.get("/api/health?run=nope").json["error"]["code"] == "run_unknown"


def test_dashboards_know_whether_they_have_data(client):
    listed = {each["name"]: each for each in client.get("/api/dashboards").json["dashboards"]}
    assert listed["scalars"] == {
        "name": "scalars",
        "title": "Scalars",
        "kinds": ["scalar"],
        "families": [],
        "is_active": True,
    }
    assert listed["overview"]["is_active"]
    assert not listed["mesh"]["is_active"]
    empty = InProcess(App(MemorySource()))
    assert not any(each["is_active"] for each in empty.get("/api/dashboards").json["dashboards"])


def test_every_answer_carries_the_security_headers(client):
    for url in ("/api/runs", "/api/nothing", "/"):
        headers = client.get(url).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "url", ["/api", "/api/", "/api/nope", "/api/runs/", "/api//runs", "/nope", "/index.php"]
)
def test_unknown_paths(client, url):
    got = client.get(url)
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (404, "not_found", url)


@pytest.mark.parametrize(
    ("method", "url", "allow"),
    [
        ("POST", "/api/runs", "GET, HEAD"),
        ("GET", "/api/scalars/lines", "POST"),
        ("OPTIONS", "/api/runs", "GET, HEAD"),
        ("DELETE", "/", "GET, HEAD"),
    ],
)
def test_wrong_method(client, method, url, allow):
    got = client.ask(method, url)
    assert (got.status, got.json["error"]["code"], got.headers["allow"]) == (405, "method_not_allowed", allow)


def test_head_is_allowed_where_get_is(client):
    assert client.ask("HEAD", "/api/runs").status == 200
    live = client.ask("HEAD", "/api/live")
    assert (live.status, live.headers["content-type"], live.body) == (200, "text/event-stream", b"")


def test_limits(client):
    long = client.get("/api/tags?run=" + "x" * MAX_QUERY_BYTES)
    assert (long.status, long.json["error"]["code"]) == (413, "too_large")
    body = b'{"tags":["' + b"x" * MAX_BODY_BYTES + b'"]}'
    big = client.post("/api/scalars/lines", body)
    assert (big.status, big.json["error"]["where"]) == (413, "body")
    declared = client.post("/api/scalars/lines", b"{}", content_length=str(MAX_BODY_BYTES + 1))
    assert declared.status == 413


def test_a_failure_has_a_number_that_is_in_the_log(client, source, monkeypatch, caplog):
    def fail() -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(source, "list_runs", fail)
    with caplog.at_level(logging.ERROR):
        got = client.get("/api/runs")
    assert (got.status, got.json["error"]["code"]) == (500, "internal")
    assert "secret" not in got.text
    assert got.json["error"]["where"] in caplog.text
    assert "RuntimeError: secret detail" in caplog.text


def test_a_failure_in_a_thread_looks_the_same(client, source, monkeypatch, caplog):
    monkeypatch.setattr(source, "read_lines", lambda *_: 1 / 0)
    got = client.post("/api/scalars/lines", {"tags": ["loss"]})
    assert (got.status, got.json["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" in caplog.text


def test_names_that_are_not_utf8():
    client = InProcess(App(MemorySource().add_scalars("bad\udcff", "x", step=[0], value=[1.0])))
    assert json.loads(client.get("/api/tags").body)["runs"] == {"bad\udcff": 0}
    assert json.loads(client.get("/api/lists?kind=scalar").body)["tags"]["scalar"]["runs"] == {"bad\udcff": 0}
    assert client.post("/api/scalars/lines", {"tags": ["x"]}).status == 200


def test_prefix(source):
    client = InProcess(App(source, Settings(path_prefix="/x/y")))
    moved = client.get("/x/y?a=1")
    assert (moved.status, moved.headers["location"]) == (301, "y/?a=1")
    assert client.get("/x/y/api/runs").status == 200
    for outside in ("/", "/api/runs", "/x", "/x/yz/api/runs"):
        got = client.get(outside)
        assert (got.status, got.json["error"]["code"]) == (404, "not_found")
        assert "/x/y/" in got.json["error"]["message"]


@pytest.mark.parametrize("prefix", ["x", "/x/", "/", "//x", "/a?b", "/a%20b"])
def test_invalid_prefixes(prefix):
    with pytest.raises(BadArgument, match="path prefix"):
        Settings(path_prefix=prefix)


def test_the_source_is_opened_once_and_only_the_api_waits_for_it(source, tmp_path):
    (tmp_path / "index.html").write_text("page")
    may_open = threading.Event()
    opened: list[int] = []

    def open_source() -> MemorySource:
        may_open.wait(30)
        opened.append(1)
        return source

    app = App(open_source, Settings(page=tmp_path))
    client = InProcess(app)
    app.open()
    assert client.get("/").body == b"page"
    assert opened == []
    may_open.set()
    assert client.get("/api/runs").status == 200
    assert client.get("/api/runs").status == 200
    assert opened == [1]


def test_a_source_that_cannot_be_opened():
    def open_source() -> MemorySource:
        raise BadArgument("There is no directory logs.", where="logs")

    client = InProcess(App(open_source))
    for _ in range(2):
        got = client.get("/api/runs")
        assert (got.status, got.json["error"]["message"]) == (400, "There is no directory logs.")


def test_the_page_can_be_served_before_numpy_and_dashboards_are_imported():
    program = (
        "import sys, runglass.server.app\n"
        "late = [name for name in sys.modules if name == 'numpy' or name.startswith('runglass.dashboards')]\n"
        "assert late == [], late"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
