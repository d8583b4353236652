"""The text routes over a MemorySource: values in full or cut, and search that always ends."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from tests.support.waiting import until

from runglass.dashboards.text import search
from runglass.dashboards.text.matching import make_excerpt
from runglass.dashboards.text.reading import as_plain_text, cut
from runglass.dashboards.text.shape import PREVIEW_CHARACTERS
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

LONG = "word " * 1_000_000


def table(rows):
    array = np.empty((len(rows), len(rows[0])), object)
    array[:] = rows
    return array


@pytest.fixture
def source():
    source = MemorySource()
    source.add_values("a", "note", Kind.TEXT, step=[0, 5, 10], values=["# One", "two\nlines", "ümläut end"])
    source.add_values("b", "note", Kind.TEXT, step=[0], values=["One more"])
    source.add_values("b", "grid", Kind.TEXT, step=[3], values=[table([["a", "b"], ["", "one"]])])
    source.add_values("b", "long", Kind.TEXT, step=[1], values=[LONG])
    source.add_values("b", "odd", Kind.TEXT, step=[1, 2], values=[np.zeros((2, 3), np.float32), "caf\ufffd"])
    source.add_scalars("a", "loss", step=[0], value=[1.0])
    return source


@pytest.fixture
def client(source):
    app = App(source)
    yield InProcess(app)
    app.close()


def ask(client, **body):
    return client.post("/api/text/values", body).json


def find(client, **body):
    return client.post("/api/text/search", body).json


def test_texts_of_many_series(client):
    got = ask(
        client, series=[{"run": "a", "tag": "note"}, {"run": "gone", "tag": "x"}, {"run": "b", "tag": "note"}]
    )
    assert [(text["run"], text["row"], text["step"], text["values"]) for text in got["texts"]] == [
        ("a", 0, 0, ["# One"]),
        ("a", 1, 5, ["two\nlines"]),
        ("a", 2, 10, ["ümläut end"]),
        ("b", 0, 0, ["One more"]),
    ]
    assert got["texts"][2]["size_bytes"] == len("ümläut end".encode())
    assert not got["is_partial"]
    assert got["unknown"] == {"series": [{"run": "gone", "tag": "x"}]}


def test_rows_offset_and_limit(client):
    series = [{"run": "a", "tag": "note", "rows": [2, 0, 99, -1]}]
    assert [text["row"] for text in ask(client, series=series)["texts"]] == [2, 0]
    both = [{"run": "a", "tag": "note"}, {"run": "b", "tag": "note"}]
    got = ask(client, series=both, offset=2, limit=2)["texts"]
    assert [(text["run"], text["row"]) for text in got] == [("a", 2), ("b", 0)]


def test_rows_stay_what_they_are_when_a_restart_overwrites_some(client, source):
    source.add_values("a", "note", Kind.TEXT, step=[5], values=["again"], restart=True)
    everything = ask(client, series=[{"run": "a", "tag": "note"}])["texts"]
    assert [(text["row"], text["values"][0]) for text in everything] == [(0, "# One"), (3, "again")]
    (overwritten,) = ask(client, series=[{"run": "a", "tag": "note", "rows": [1]}])["texts"]
    assert overwritten["values"] == ["two\nlines"]


def test_long_texts_are_cut_and_available_in_full(client):
    (text,) = ask(client, series=[{"run": "b", "tag": "long"}])["texts"]
    assert text["is_cut"]
    assert text["size_bytes"] == len(LONG)
    assert text["values"] == [LONG[:PREVIEW_CHARACTERS]]
    assert client.get("/api/text/value?run=b&tag=long").json["values"] == [LONG]


def test_tensors_keep_their_shape(client):
    (text,) = ask(client, series=[{"run": "b", "tag": "grid"}])["texts"]
    assert (text["shape"], text["values"], text["is_cut"]) == ([2, 2], ["a", "b", "", "one"], False)
    plain = client.get("/api/text/value?run=b&tag=grid&format=text")
    assert plain.text == "a\tb\n\tone"


def test_a_value_that_is_not_text_is_reported_and_does_not_affect_others(client):
    odd, marked = ask(client, series=[{"run": "b", "tag": "odd"}])["texts"]
    assert "holds an array of float32 with shape [2, 3], expected text." in odd["problem"]
    assert (marked["problem"], marked["marks"]) == (None, 1)
    got = client.get("/api/text/value?run=b&tag=odd&row=0&format=text")
    assert (got.status, got.json["error"]["code"]) == (422, "value_damaged")


def test_a_text_is_sent_as_plain_text(client):
    got = client.get(
        "/api/text/value?run=a&tag=note&row=0&step=0&wall_time=1700000000.0&format=text&download=1"
    )
    assert got.text == "# One"
    assert got.headers["content-type"] == "text/plain; charset=utf-8"
    assert got.headers["content-disposition"] == 'attachment; filename="a_note_0.txt"'
    assert "sandbox" in got.headers["content-security-policy"]
    assert "immutable" in got.headers["cache-control"]


def test_a_whole_series_is_downloaded_as_json_lines(client):
    got = client.get("/api/text/series?run=a&tag=note")
    assert got.headers["content-disposition"] == 'attachment; filename="a_note.jsonl"'
    lines = [json.loads(line) for line in got.text.splitlines()]
    assert [line["values"] for line in lines] == [["# One"], ["two\nlines"], ["ümläut end"]]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("value?run=a&tag=loss", 404, "series_unknown"),
        ("value?run=x&tag=note", 404, "run_unknown"),
        ("value?run=a&tag=note&row=7", 404, "sample_gone"),
        ("value?run=a&tag=note&row=0&step=5", 404, "sample_gone"),
        ("series?run=a&tag=loss", 404, "series_unknown"),
    ],
)
def test_invalid_requests(client, path, status, code):
    got = client.get(f"/api/text/{path}")
    assert (got.status, got.json["error"]["code"]) == (status, code)


def test_search_over_runs_and_steps(client):
    got = find(client, query="ONE")
    assert [(hit["run"], hit["tag"], hit["step"], hit["cell"]) for hit in got["hits"]] == [
        ("a", "note", 0, 0),
        ("b", "note", 0, 0),
        ("b", "grid", 3, 3),
    ]
    first = got["hits"][0]
    assert (first["excerpt"], first["matches"], first["count"]) == ("# One", [[2, 5]], 1)
    assert (got["searched"], got["total"], got["stopped"]) == (8, 8, None)
    assert [hit["run"] for hit in find(client, query="one", is_case_sensitive=True)["hits"]] == ["b"]
    assert find(client, query="one", runs=["a", "gone"], tags=["note"])["total"] == 3
    assert find(client, query="# O.e")["hits"] == []


def test_search_by_pattern(client):
    got = find(client, query=r"^\w+$", is_regex=True, runs=["a"])
    (hit,) = got["hits"]
    assert (hit["step"], hit["excerpt"], hit["matches"], hit["count"]) == (
        5,
        "two lines",
        [[0, 3], [4, 9]],
        2,
    )
    # Empty matches do not count.
    assert find(client, query="x*", is_regex=True, runs=["a"])["hits"] == []


@pytest.mark.parametrize("query", ["(", "a{99999999999}", "(" * 900, "[z-a]"])
def test_an_invalid_pattern_is_rejected(client, query):
    got = client.post("/api/text/search", {"query": query, "is_regex": True})
    assert (got.status, got.json["error"]["where"]) == (400, "query")
    assert "not a regular expression" in got.json["error"]["message"]


TRAP = {"query": "^(a+)+c$", "is_regex": True}


def test_a_pattern_that_never_ends_is_killed(client, source, monkeypatch):
    monkeypatch.setattr(search, "TIME_BUDGET_S", 1.0)
    source.add_values("c", "trap", Kind.TEXT, step=[0], values=["a" * 60 + "b"])
    found = find(client, **TRAP)
    assert found["hits"] == []
    assert "took longer than 1 s" in found["stopped"]
    assert (found["searched"] < 9, found["total"]) == (True, 9)
    # Nobody waits for it any longer.
    assert [job["state"] for job in client.get("/api/jobs").json["jobs"]] == ["cancelled"]


def test_hits_are_limited_and_the_answer_says_so(client, source):
    source.add_values("c", "many", Kind.TEXT, step=range(500), values=["needle"] * 500)
    got = find(client, query="needle", limit=10)
    # Newest first.
    assert [hit["step"] for hit in got["hits"]] == list(range(499, 489, -1))
    assert "More than 10 values match" in got["stopped"]
    assert find(client, query="needle", limit=500)["stopped"] is None


def test_cut_counts_empty_cells_too():
    assert cut(["ab", "", "cd"], 4) == ["ab", "", "c"]
    assert cut([""] * 100, 5) == [""] * 5
    assert cut([], 5) == []


def test_plain_text_of_every_rank():
    assert as_plain_text([], ["x\ty"]) == "x\ty"
    assert as_plain_text([1], ["x"]) == "x"
    assert as_plain_text([2], ["x", "y"]) == "x\ny"
    assert as_plain_text([2, 1, 2], ["a", "b", "c", "d"]) == "a\tb\nc\td"
    assert as_plain_text([0, 3], []) == ""


def test_excerpts_are_one_line_around_the_first_match():
    text = "x" * 100 + "\nneedle" + "y" * 500 + "needle"
    excerpt, matches = make_excerpt(text, [(101, 107), (607, 613)])
    assert "\n" not in excerpt
    assert [excerpt[at:to] for at, to in matches] == ["needle"]
    assert make_excerpt("a" * 900, [(0, 900)]) == ("a" * 220, [(0, 220)])


# --- as a job


class Gated(MemorySource):
    """Loads one more batch of values for each time that the gate is opened."""

    def __init__(self):
        super().__init__()
        self.gate = threading.Semaphore(0)

    def load_values(self, values, indices):
        assert self.gate.acquire(timeout=30)
        return super().load_values(values, indices)


def start(client, **question):
    return client.post("/api/jobs", {"work": "text.search", "question": question}).json


def read_job(client, job):
    (found,) = [each for each in client.get("/api/jobs").json["jobs"] if each["id"] == job["id"]]
    return found


@pytest.fixture
def gated():
    source = Gated()
    for run in ("a", "b", "c"):
        source.add_values(run, "note", Kind.TEXT, step=range(300), values=[f"{run} needle"] * 300)
    return source


@pytest.fixture
def gated_client(gated):
    app = App(gated)
    yield InProcess(app)
    app.close()
    for _ in range(100):
        gated.gate.release()


def test_hits_stream_while_the_search_runs(gated, gated_client):
    job = start(gated_client, query="a needle", limit=1000)
    gated.gate.release()
    until(lambda: read_job(gated_client, job)["partials"] == 1)
    running = read_job(gated_client, job)
    assert (running["state"], running["title"]) == ("running", "Search texts")
    (part,) = gated_client.get(f"/api/jobs/partials?id={job['id']}").json["partials"]
    assert [hit["step"] for hit in part["hits"]] == list(range(299, 99, -1))
    for _ in range(10):
        gated.gate.release()
    until(lambda: read_job(gated_client, job)["state"] == "done")
    found = gated_client.get(f"/api/jobs/result?id={job['id']}").json
    assert (len(found["hits"]), found["searched"], found["total"], found["stopped"]) == (300, 900, 900, None)
    assert read_job(gated_client, job)["total"] == 900


def test_the_same_search_is_one_job_until_a_text_is_added(client, source):
    first = start(client, query="one")
    assert start(client, query="one")["id"] == first["id"]
    assert start(client, query="two")["id"] != first["id"]
    source.add_scalars("a", "loss", step=[1], value=[1.0])
    assert start(client, query="one")["id"] == first["id"]
    source.add_values("a", "note", Kind.TEXT, step=[11], values=["one more"])
    assert start(client, query="one")["id"] != first["id"]


def test_a_search_is_cancelled(client, source):
    source.add_values("c", "trap", Kind.TEXT, step=[0], values=["a" * 60 + "b"])
    job = start(client, **TRAP)
    until(lambda: read_job(client, job)["state"] == "running")
    assert client.post("/api/jobs/cancel", {"id": job["id"]}).json["state"] == "cancelled"
    got = client.get(f"/api/jobs/result?id={job['id']}")
    assert (got.status, got.json["error"]["code"]) == (409, "job_not_done")


def test_a_search_for_something_that_is_no_pattern_is_no_job(client):
    got = client.post("/api/jobs", {"work": "text.search", "question": {"query": "(", "is_regex": True}})
    assert (got.status, got.json["error"]["where"]) == (400, "query")
    assert client.get("/api/jobs").json["jobs"] == []


def test_charts_do_not_wait_for_searches(source, client, monkeypatch):
    monkeypatch.setattr(search, "TIME_BUDGET_S", 60.0)
    source.add_values("c", "trap", Kind.TEXT, step=[0], values=["a" * 60 + "b"])
    assert client.get("/api/jobs").json["jobs"] == []
    bodies = [{**TRAP, "limit": limit} for limit in range(1, 11)]
    threads = [threading.Thread(target=client.post, args=("/api/text/search", body)) for body in bodies]
    for thread in threads:
        thread.start()
    until(lambda: len(client.get("/api/jobs").json["jobs"]) == 10)
    # More searches than there are threads for answers, and this one needs such a thread.
    assert ask(client, series=[{"run": "a", "tag": "note"}])["texts"]
    assert all(thread.is_alive() for thread in threads)
    for job in client.get("/api/jobs").json["jobs"]:
        client.post("/api/jobs/cancel", {"id": job["id"]})
    for thread in threads:
        thread.join(30)


def test_damaged_values_do_not_end_a_search(client, source):
    # `odd` holds an array of numbers at one of its steps.
    assert [hit["tag"] for hit in find(client, query="caf", runs=["b"])["hits"]] == ["odd"]
