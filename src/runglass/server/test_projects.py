"""Several projects on one server: addresses, who sees which, opening and closing."""

from __future__ import annotations

import pytest

from runglass.errors import BadRequest
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.projects import Plan, check_name, split_project
from runglass.server.settings import Settings
from runglass.server.tokens import create_token


class Served:
    def __init__(self, tmp_path, **settings) -> None:
        for name, text in (("index.html", "page"), ("projects.html", "projects")):
            (tmp_path / name).write_text(text)
        self.opened: list[str] = []
        self.closed: list[str] = []
        plans = [
            Plan(name, (f"/logs/{name}",), lambda name=name: self.open(name)) for name in ("vision", "speech")
        ]
        self.app = App(plans, Settings(page=tmp_path, version="1", **settings))
        self.client = InProcess(self.app)

    def open(self, name: str):
        self.opened.append(name)
        if name == "broken":
            raise OSError("no")
        source = MemorySource(locations=[f"/logs/{name}"]).add_scalars(name, "loss", step=[0], value=[1.0])
        return source, lambda: self.closed.append(name)


@pytest.fixture
def served(tmp_path):
    return Served(tmp_path)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/", (None, "/")),
        ("/p", (None, "/p")),
        ("/p/", (None, "/p/")),
        ("/p/a", ("a", "")),
        ("/p/a/", ("a", "/")),
        ("/p/a/api/runs", ("a", "/api/runs")),
        ("/api/projects", (None, "/api/projects")),
    ],
)
def test_split_project(path, parts):
    assert split_project(path) == parts


def test_every_project_has_its_own_page_and_data(served):
    get = served.client.get
    assert (get("/").body, get("/p/vision/").body) == (b"projects", b"page")
    assert get("/p/vision").headers["location"] == "vision/"
    assert served.opened == []
    assert [run["name"] for run in get("/p/vision/api/runs").json["runs"]] == ["vision"]
    assert served.opened == ["vision"]
    assert [run["name"] for run in get("/p/speech/api/runs").json["runs"]] == ["speech"]
    assert get("/p/speech/api/status").json["project"] == "speech"
    assert get("/p/none/api/runs").json["error"]["code"] == "project_unknown"
    assert "GET api/projects lists them" in get("/api/runs").json["error"]["message"]


def test_list_of_projects_opens_them_one_by_one(served):
    first = served.client.get("/api/projects").json
    assert [(each["name"], each["path"]) for each in first["projects"]] == [
        ("vision", "p/vision/"),
        ("speech", "p/speech/"),
    ]
    while any(each["runs"] is None for each in served.client.get("/api/projects").json["projects"]):
        pass
    listed = served.client.get("/api/projects").json["projects"]
    assert served.opened == ["vision", "speech"]
    assert [(each["state"], each["runs"]) for each in listed] == [("ready", 1), ("ready", 1)]
    inside = served.client.get("/p/vision/api/projects").json
    assert inside["projects"] == listed


def test_a_project_that_nobody_uses_is_closed_and_opened_again(served, monkeypatch):
    assert served.client.get("/p/vision/api/runs").status == 200
    served.app.look()
    assert served.closed == []
    with monkeypatch.context() as patch:
        patch.setattr("runglass.server.projects.IDLE_S", -1.0)
        # Only here: a pool that starts its threads so would never return.
        patch.setattr("threading.Thread.start", lambda thread: thread.run())
        served.app.look()
    assert served.closed == ["vision"]
    listed = served.app.projects.all()[0].describe()
    assert (listed.state, listed.runs, listed.active) == ("resting", 1, 0)
    assert served.client.get("/p/vision/api/runs").status == 200
    assert served.opened == ["vision", "vision"]


def test_a_token_opens_its_projects_only(tmp_path):
    path = tmp_path / "tokens.json"
    token = create_token(path, "ann", projects=["vision"])
    served = Served(tmp_path, tokens=path)
    headers = {"authorization": f"Bearer {token}"}
    assert [each["name"] for each in served.client.get("/api/projects", **headers).json["projects"]] == [
        "vision"
    ]
    assert served.client.get("/p/vision/api/runs", **headers).status == 200
    hidden = served.client.get("/p/speech/api/runs", **headers)
    missing = served.client.get("/p/spooch/api/runs", **headers)
    assert (hidden.status, missing.status) == (404, 404)
    # Nobody learns which projects there are.
    assert hidden.text.replace("speech", "X") == missing.text.replace("spooch", "X")
    assert "speech" not in served.opened
    inside = served.client.get("/p/vision/api/projects", **headers).json["projects"]
    assert [each["name"] for each in inside] == ["vision"]
    got = served.client.get(f"/p/vision/?token={token}")
    assert (got.status, got.headers["location"]) == (303, "./")
    assert served.client.get("/", **headers).body == b"projects"
    assert served.client.get("/").status == 403


def test_a_project_that_cannot_be_opened_says_why(tmp_path):
    served = Served(tmp_path)
    plan = Plan("broken", (), lambda: served.open("broken"))
    app = App([plan], Settings(page=tmp_path))
    client = InProcess(app)
    assert client.get("/p/broken/api/runs").status == 500
    (listed,) = client.get("/api/projects").json["projects"]
    assert (listed["state"], listed["problem"], listed["runs"]) == ("failed", "no", None)


@pytest.mark.parametrize("name", ["", "a/b", "..", ".a", "a b", "é", "x" * 65])
def test_names_that_are_no_part_of_an_address(name):
    with pytest.raises(BadRequest, match="cannot be the name of a project"):
        check_name(name)


def test_one_name_is_one_project(tmp_path):
    plan = Plan("a", (), lambda: (MemorySource(), lambda: None))
    with pytest.raises(BadRequest, match="same name"):
        App([plan, plan], Settings(page=tmp_path))
