"""The routes of jobs over HTTP, with works of the tests: start, follow, fetch, cancel, pause, and what goes wrong."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.support.waiting import until

from runglass.api.dashboard import Dashboard
from runglass.jobs import test_works as works
from runglass.jobs.test_works import make, note, noted
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

WORKS = (
    make(works.add_up, identify=lambda source, question: None),
    make(works.send_bytes, identify=lambda source, question: None),
    make(works.wait_for_go, identify=lambda source, question: None, can_pause=True),
    make(works.step_by_step, identify=lambda source, question: None),
    make(works.refuse, identify=lambda source, question: None),
)


@pytest.fixture
def app():
    app = App(MemorySource(), dashboards=[Dashboard("test", "Test", kinds=(Kind.TEXT,), works=WORKS)])
    yield app
    app.close()


@pytest.fixture
def client(app):
    return InProcess(app)


@pytest.fixture
def ask(client, tmp_path):
    def start(work, **question):
        return client.post(
            "/api/jobs", {"work": work, "question": {"folder": str(tmp_path), **question}}
        ).json

    return start


def events(got):
    return [
        json.loads(line.removeprefix("data: ")) for line in got.text.split("\n\n") if line.startswith("data")
    ]


def test_from_the_question_to_the_result(client, ask):
    job = ask("add_up")
    assert job["title"] == "A test"
    # The stream ends with the job.
    told = events(client.get(f"/api/jobs/events?id={job['id']}"))
    assert told[-1]["job"] == {
        "id": job["id"],
        "work": "add_up",
        "title": "A test",
        "state": "done",
        "phase": "adding",
        "done": 2,
        "total": 3,
        "seconds_left": None,
        "elapsed_s": told[-1]["job"]["elapsed_s"],
        "partials": 3,
        "can_pause": False,
        "error": None,
    }
    partials = [
        (each["since"] + at, part["total"]) for each in told for at, part in enumerate(each["partials"])
    ]
    assert partials == [(0, 0), (1, 1), (2, 3)]
    assert client.get(f"/api/jobs/result?id={job['id']}").json == {"total": 3}
    assert client.get(f"/api/jobs/partials?id={job['id']}&since=1").json == {
        "since": 1,
        "partials": [{"total": 1}, {"total": 3}],
    }
    assert [each["id"] for each in client.get("/api/jobs").json["jobs"]] == [job["id"]]
    assert ask("add_up")["state"] == "done"


@pytest.mark.parametrize("size_bytes", [11, 400_000])
def test_binary_partials_are_blocks_of_columns(client, ask, size_bytes):
    job = ask("send_bytes", steps=4, size_bytes=size_bytes)
    told = events(client.get(f"/api/jobs/events?id={job['id']}"))
    assert all(each["partials"] == [] for each in told)
    got = client.get(f"/api/jobs/partials?id={job['id']}&since=1")
    assert got.headers["content-type"] == "application/vnd.runglass.columns"
    size = int.from_bytes(got.body[4:8], "little")
    head = json.loads(got.body[8 : 8 + size])
    assert head == {
        "version": 1,
        "since": 1,
        "partials": [{"size_bytes": size_bytes, "is_json": False}] * 3,
    }
    step_bytes = size_bytes + -size_bytes % 8
    blocks = got.body[8 + size :]
    assert len(blocks) == 3 * step_bytes
    assert [blocks[at * step_bytes :][:size_bytes] for at in range(3)] == [
        bytes([at]) * size_bytes for at in (1, 2, 3)
    ]
    result = client.get(f"/api/jobs/result?id={job['id']}")
    assert (result.body, result.headers["content-type"]) == (
        b"\x00\xffend",
        "application/vnd.runglass.columns",
    )


def test_large_json_is_sent_whole(client, ask):
    job = ask("add_up", steps=60_000)
    client.get(f"/api/jobs/events?id={job['id']}")
    partials = client.get(f"/api/jobs/partials?id={job['id']}").json["partials"]
    assert (len(partials), partials[-1]["total"]) == (60_000, 60_000 * 59_999 // 2)


def test_several_jobs_on_one_stream(client, ask):
    jobs = [ask("add_up", salt=salt)["id"] for salt in range(3)]
    query = "&".join(f"id={each}" for each in [*jobs, jobs[0]])
    told = events(client.get(f"/api/jobs/events?{query}"))
    last = {each["job"]["id"]: each["job"]["state"] for each in told}
    assert last == dict.fromkeys(jobs, "done")


def test_cancel_pause_and_resume(client, ask, tmp_path):
    job = ask("wait_for_go")
    until(lambda: noted(tmp_path, "started"))
    assert client.post("/api/jobs/pause", {"id": job["id"]}).json["state"] == "paused"
    assert client.post("/api/jobs/resume", {"id": job["id"]}).json["state"] == "running"
    assert client.get(f"/api/jobs/result?id={job['id']}").json["error"]["code"] == "job_not_done"
    note(works.Question(folder=str(tmp_path)), "go")
    assert events(client.get(f"/api/jobs/events?id={job['id']}"))[-1]["job"]["state"] == "done"
    # What has ended stays as it is.
    assert client.post("/api/jobs/cancel", {"id": job["id"]}).json["state"] == "done"
    other = ask("step_by_step")
    assert client.post("/api/jobs/cancel", {"id": other["id"]}).json["state"] == "cancelled"


def test_a_failed_job_says_why(client, ask):
    job = ask("refuse")
    told = events(client.get(f"/api/jobs/events?id={job['id']}"))
    problem = {"code": "bad_request", "message": "The question makes no sense.", "where": "steps"}
    assert (told[-1]["job"]["state"], told[-1]["job"]["error"]) == ("failed", problem)
    got = client.get(f"/api/jobs/result?id={job['id']}")
    assert (got.status, got.json["error"]) == (400, problem)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "", {"work": "none", "question": {}}, 404, "work_unknown"),
        ("POST", "", {"work": "add_up", "question": {"steps": "many"}}, 400, "bad_request"),
        ("POST", "", {"work": "add_up", "question": 7}, 400, "bad_request"),
        ("POST", "/cancel", {"id": "none"}, 404, "job_unknown"),
        ("POST", "/pause", {"id": "none"}, 404, "job_unknown"),
        ("POST", "/resume", {"id": "none"}, 404, "job_unknown"),
        ("GET", "/events?id=none", None, 404, "job_unknown"),
        ("GET", "/events", None, 400, "bad_request"),
        ("GET", "/partials?id=none", None, 404, "job_unknown"),
        ("GET", "/result?id=none", None, 404, "job_unknown"),
    ],
)
def test_what_cannot_be_asked(client, method, path, body, status, code):
    got = client.ask(method, f"/api/jobs{path}", data=json.dumps(body).encode())
    assert (got.status, got.json["error"]["code"]) == (status, code)


def test_one_path_has_two_methods(client):
    got = client.ask("DELETE", "/api/jobs")
    assert (got.status, got.headers["allow"]) == (405, "GET, HEAD, POST")


def test_a_client_that_goes_away_no_longer_listens(app, ask, tmp_path):
    job = ask("step_by_step")

    async def listen():
        api = app.open().result()
        (held,) = api.runner.list_jobs()
        stream = (await api.dispatch("GET", "/api/jobs/events", f"id={job['id']}", None)).chunks
        first = await anext(stream)
        listening = held.listeners
        await stream.aclose()
        return first, listening, held.listeners

    first, during, after = asyncio.run(listen())
    assert json.loads(first.removeprefix(b"data: "))["job"]["id"] == job["id"]
    assert (during, after) == (1, 0)
