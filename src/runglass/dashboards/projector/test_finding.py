from __future__ import annotations

import numpy as np
import pytest
from tests.support.projector import ROWS, STEPS, WORDS, ask, blocks, make_source, vectors_at

from runglass.server.app import App
from runglass.server.in_process import InProcess


@pytest.fixture
def source():
    return make_source()


@pytest.fixture
def client(source):
    app = App(source)
    yield InProcess(app)
    app.close()


@pytest.mark.parametrize(
    ("q", "mode", "column", "expected"),
    [
        ("CAT", "text", None, list(range(1, ROWS, 2))),
        ("number 1", "text", "name", [1, *range(10, 20)]),
        ("cat", "exact", "kind", list(range(1, ROWS, 2))),
        ("cat", "exact", "name", []),
        (r"number \d$", "pattern", "name", list(range(10))),
        (r"^9\.", "pattern", None, [36, 37, 38, 39]),
    ],
)
def test_search_finds_all(client, q, mode, column, expected):
    head, got = blocks(client, "search", q=q, mode=mode, column=column)
    assert (head["count"], got["rows"].tolist()) == (len(expected), expected)
    head, got = blocks(client, "search", q=q, mode=mode, column=column, limit=2)
    assert (head["count"], got["rows"].tolist()) == (len(expected), expected[:2])


def test_a_bad_pattern_does_not_hang_the_server(client, source, monkeypatch):
    monkeypatch.setattr("runglass.api.pattern_jobs.WAIT_S", 0.5)
    names = "\n".join(["a" * 60 + "b"] * 2 + ["x"])
    file = client.ask("POST", "/api/projector/file?name=v.tsv", data=b"1\t2\n3\t4\n5\t6\n").json["file"]
    client.ask("POST", f"/api/projector/labels?file={file}&name=l.tsv", data=names.encode())
    error = ask(client, "search", status=400, embedding={"file": file}, q="(a+)+c", mode="pattern").json[
        "error"
    ]
    assert "longer than" in error["message"]


def test_neighbors_are_exact(client):
    vectors = vectors_at(20).astype(np.float64)
    away = np.linalg.norm(vectors - vectors[5], axis=1)
    away[5] = np.inf
    got = ask(client, "neighbors", row=5, count=6, metric="euclidean")
    assert got["rows"] == np.argsort(away)[:6].tolist()
    np.testing.assert_allclose(got["distances"], np.sort(away)[:6], rtol=1e-5)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = 1 - unit @ unit[5]
    cosine[5] = np.inf
    got = ask(client, "neighbors", row=5, count=3)
    assert got["rows"] == np.argsort(cosine)[:3].tolist()
    two = ask(client, "distances", a=5, b=got["rows"][0])
    np.testing.assert_allclose(two["cosine"], got["distances"][0], atol=1e-5)
    np.testing.assert_allclose(two["euclidean"], away[got["rows"][0]], rtol=1e-5)


def test_neighbors_that_stay(client):
    got = ask(client, "kept", row=5, count=8)
    sets = []
    for step in STEPS:
        near = ask(client, "neighbors", embedding={**WORDS, "step": step}, row=5, count=8)
        sets.append(set(near["rows"]))
    assert got == {"steps": [0, 10, 20], "kept": [None, len(sets[0] & sets[1]), len(sets[1] & sets[2])]}
    bare = ask(client, "kept", status=400, embedding={"run": "train", "name": "bare"}, row=0)
    assert "no steps" in bare.json["error"]["message"]
