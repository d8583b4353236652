from __future__ import annotations

import base64
import io
import itertools
import json
import zlib
from collections import Counter

import numpy as np
import pytest
from msgspec import structs
from tests.support.waiting import until

from runglass.api.blocks import decode_blocks
from runglass.dashboards.projector import loaded
from runglass.dashboards.projector.clustering import choose_words, split_words
from runglass.dashboards.projector.reducing import estimate
from runglass.dashboards.projector.shape import EmbeddingRef, ReduceBody, Reducing
from runglass.dashboards.projector.sheet import encode_png
from runglass.dashboards.projector.works import WORKS
from runglass.errors import BadRequest
from runglass.jobs.runner import Limits, Runner
from runglass.jobs.work import JobState
from runglass.query.embeddings.read import read_embedding
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Family, Kind

ROWS, DIMENSIONS, TILE = 40, 6, 5
STEPS = (0, 10, 20)
E = {"run": "train", "name": "words"}
NAMES = [f"{'cat' if row % 2 else 'dog'} number {row}" for row in range(ROWS)]


def vectors_at(step):
    rng = np.random.default_rng(7)
    noise = rng.normal(0, 1, (ROWS, DIMENSIONS))
    pull = np.where(np.arange(ROWS) % 2, 1.0, -1.0)[:, None] * step / 4
    return (noise + pull).astype(np.float32)


def metadata():
    lines = ["name\tkind\tdigit\tscore"]
    for row in range(ROWS):
        lines.append(f"{NAMES[row]}\t{'cat' if row % 2 else 'dog'}\t{row % 3}\t{row / 4 if row else ''}")
    return "\n".join(lines).encode()


def sprite():
    side = 7
    pixels = np.zeros((side * TILE, side * TILE, 4), np.uint8)
    for row in range(ROWS):
        at = divmod(row, side)
        pixels[at[0] * TILE : (at[0] + 1) * TILE, at[1] * TILE : (at[1] + 1) * TILE] = (
            row,
            255 - row,
            0,
            255,
        )
    return encode_png(pixels)


def config(steps=STEPS):
    entries = [
        f'embeddings {{ tensor_name: "words:{step:05d}" tensor_path: "{step}.bytes" tensor_shape: {ROWS} '
        f'tensor_shape: {DIMENSIONS} metadata_path: "meta.tsv" bookmarks_path: "marks.txt" '
        f'sprite {{ image_path: "sprite.png" single_image_dim: {TILE} single_image_dim: {TILE} }} }}'
        for step in steps
    ]
    other = 'embeddings { tensor_name: "bare" tensor_path: "bare.tsv" }'
    return "\n".join([*entries, other]).encode()


@pytest.fixture
def source():
    source = MemorySource()
    source.add_asset("train", Family.PROJECTOR, "projector_config.pbtxt", config())
    for step in STEPS:
        source.add_asset("train", Family.VECTORS, f"{step}.bytes", vectors_at(step).tobytes())
    source.add_asset("train", Family.VECTORS, "meta.tsv", metadata())
    source.add_asset("train", Family.VECTORS, "sprite.png", sprite())
    source.add_asset("train", Family.VECTORS, "marks.txt", b'[{"label": "a view"}]')
    source.add_asset("train", Family.VECTORS, "bare.tsv", b"1\t2\nnan\t4\n5\t7\n")
    return source


@pytest.fixture
def client(source):
    app = App(source)
    yield InProcess(app)
    app.close()


def ask(client, path, status=200, **body):
    got = client.post(f"/api/projector/{path}", {"embedding": E, **body})
    assert got.status == status, got.text
    return got.json if status == 200 and got.headers["content-type"].startswith("application/json") else got


def blocks(client, path, **body):
    return decode_blocks(ask(client, path, **body).body)


def run_job(client, work, **question):
    """The result of a job: its head and its blocks."""
    got = client.post("/api/jobs", {"work": work, "question": question})
    assert got.status == 200, got.text
    job = got.json
    client.get(f"/api/jobs/events?id={job['id']}")
    got = client.get(f"/api/jobs/result?id={job['id']}")
    if got.status != 200:
        return job["id"], got.json["error"], {}
    return job["id"], *decode_blocks(got.body)


def reduce(client, **question):
    return run_job(client, "projector.reduce", **{"embedding": E, **question})


def encoded(rows):
    return base64.b64encode(np.array(rows, "<i4").tobytes()).decode()


def test_embeddings_are_listed(client):
    words, bare = client.get("/api/projector").json["embeddings"]
    assert (words["name"], words["steps"], words["rows"], words["dimensions"]) == (
        "words",
        [0, 10, 20],
        40,
        6,
    )
    assert (words["has_metadata"], words["has_sprite"], words["has_bookmarks"]) == (True, True, True)
    assert (bare["name"], bare["steps"], bare["has_sprite"], bare["problem"]) == ("bare", [], False, None)


def test_what_a_page_shows_first_is_read_ahead(source, client, monkeypatch):
    read = []

    def note(source, run, name, step):
        read.append((run, name, step))
        return read_embedding(source, run, name, step)

    monkeypatch.setattr(loaded, "read_embedding", note)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(source, "list_remote", lambda: ["s3://bucket"])
        loaded.read_ahead(source)
    with monkeypatch.context() as small:
        small.setattr(loaded, "MAX_AHEAD_BYTES", 4 * ROWS * DIMENSIONS - 1)
        loaded.read_ahead(source)
    assert read == []
    loaded.read_ahead(source)
    assert ask(client, "about")["step"] == 20
    assert read == [("train", "words", 20)]
    loaded.read_ahead(MemorySource())


def test_what_is_known_of_one(client):
    about = ask(client, "about")
    assert (about["rows"], about["dimensions"], about["step"], about["steps"]) == (40, 6, 20, [0, 10, 20])
    assert (about["label"], about["color"], about["left_out"], about["problems"]) == ("name", "kind", 0, [])
    assert about["sprite"] == {"width": TILE, "height": TILE, "count": 49}
    assert about["bookmarks"] == [{"label": "a view"}]
    columns = {each["name"]: each for each in about["columns"]}
    assert {name: each["type"] for name, each in columns.items()} == {
        "name": "category",
        "kind": "category",
        "digit": "number",
        "score": "number",
    }
    assert [name for name, each in columns.items() if each["is_categorical"]] == ["name", "kind", "digit"]
    score = columns["score"]
    assert (score["missing"], score["min"], score["max"], score["distinct"]) == (1, 0.25, 9.75, 39)


def test_what_the_run_logs_for_each_row_is_a_column_at_the_step_of_the_embedding(client, source):
    losses = [np.arange(ROWS, dtype=np.float32) + step / 100 for step in STEPS]
    source.add_values("train", "loss", Kind.TENSOR, step=list(STEPS), values=losses)
    logged = {each["name"]: each for each in ask(client, "about")["columns"] if each["is_logged"]}
    assert list(logged) == ["loss"]
    assert (logged["loss"]["min"], logged["loss"]["max"]) == pytest.approx((0.2, 39.2))
    assert blocks(client, "column", column="loss")[1]["values"][3] == pytest.approx(3.2)
    at_first = {**E, "step": 0}
    assert ask(client, "row", embedding=at_first, row=3)["values"]["loss"] == 3.0
    assert ask(client, "texts", embedding=at_first, column="loss", rows=[1, 2])["texts"] == ["1", "2"]
    # What is logged later is there when it is asked for again.
    source.add_values("train", "margin", Kind.TENSOR, step=[20], values=[np.zeros(ROWS)])
    assert "margin" in {each["name"] for each in ask(client, "about")["columns"]}


def test_rows_that_are_not_finite_are_counted(client):
    about = ask(client, "about", embedding={"run": "train", "name": "bare"})
    assert (about["rows"], about["left_out"], about["label"], about["columns"]) == (3, 1, None, [])


def test_columns_texts_and_rows(client):
    head, got = blocks(client, "column", column="kind")
    assert (head["type"], head["levels"], got["codes"].tolist()[:3]) == (
        "category",
        ["dog", "cat"],
        [0, 1, 0],
    )
    head, got = blocks(client, "column", column="digit")
    assert (head["type"], head["levels"]) == ("number", ["0", "1", "2"])
    assert got["values"].tolist()[:4] == [0.0, 1.0, 2.0, 0.0]
    assert got["codes"].tolist()[:4] == [0, 1, 2, 0]
    head, got = blocks(client, "column", column="score")
    assert np.isnan(got["values"][0])
    assert got["values"][4] == 1.0
    assert ask(client, "texts", column="name", rows=[3, 0])["texts"] == ["cat number 3", "dog number 0"]
    row = ask(client, "row", row=0)
    assert row["values"] == {"name": "dog number 0", "kind": "dog", "digit": 0.0, "score": None}
    assert row["has_picture"] is True
    np.testing.assert_allclose(row["norm"], np.linalg.norm(vectors_at(20)[0]), rtol=1e-6)


def read_png(data):
    """Width, height and pixels of a PNG that encode_png made."""
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    at = data.index(b"IDAT")
    size = int.from_bytes(data[at - 4 : at], "big")
    lines = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + size]), np.uint8).reshape(height, -1)
    return lines[:, 1:].reshape(height, width, 4)


def test_thumbnails_lie_side_by_side(client):
    got = ask(client, "thumbnails", rows=[7, 0, 39], size=TILE)
    assert got.headers["content-type"] == "image/png"
    pixels = read_png(got.body)
    assert pixels.shape == (2 * TILE, 2 * TILE, 4)
    assert [pixels[y * TILE + 2, x * TILE + 2, 0] for y, x in ((0, 0), (0, 1), (1, 0))] == [7, 0, 39]
    # No fourth tile.
    assert pixels[TILE + 2, TILE + 2, 3] == 0
    same = client.get(f"/api/projector/thumbnails?run=train&name=words&rows=7,0,39&size={TILE}")
    assert same.body == got.body
    many = client.get("/api/projector/thumbnails?run=train&name=words&rows=0-9&size=8")
    assert read_png(many.body).shape == (24, 32, 4)


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
        near = ask(client, "neighbors", embedding={**E, "step": step}, row=5, count=8)
        sets.append(set(near["rows"]))
    assert got == {"steps": [0, 10, 20], "kept": [None, len(sets[0] & sets[1]), len(sets[1] & sets[2])]}
    bare = ask(client, "kept", status=400, embedding={"run": "train", "name": "bare"}, row=0)
    assert "no steps" in bare.json["error"]["message"]


def test_principal_components(client):
    _, head, got = reduce(client, method="pca")
    assert (head["method"], head["dimensions"], head["count"], head["left_out"]) == ("pca", 6, ROWS, 0)
    positions = got["positions"].reshape(ROWS, 6)
    vectors = vectors_at(20).astype(np.float64)
    centred = vectors - vectors.mean(axis=0)
    lengths = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(np.sqrt((positions**2).sum(axis=0)), lengths, rtol=1e-4)
    np.testing.assert_allclose(got["variance"], lengths**2 / (lengths**2).sum(), rtol=1e-4)
    assert "rows" not in got


def test_rows_that_are_not_finite_are_left_out(client):
    _, head, got = reduce(client, embedding={"run": "train", "name": "bare"})
    assert (head["count"], head["left_out"], got["rows"].tolist()) == (2, 1, [0, 2])
    assert "1 of 3 rows" in head["notes"][0]


def test_isolated_rows_are_reduced_alone(client):
    rows = [1, 3, 5, 8, 20]
    _, head, got = reduce(client, rows=encoded(rows[::-1]))
    assert (head["count"], got["rows"].tolist()) == (5, rows)
    vectors = vectors_at(20)[rows].astype(np.float64)
    lengths = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False)
    positions = got["positions"].reshape(5, -1)
    np.testing.assert_allclose(np.linalg.norm(positions[:, 0]), lengths[0], rtol=1e-4)


def test_custom_axes(client):
    axis = {"from": {"q": "dog"}, "to": {"column": "kind", "value": "cat"}}
    other = {"from": {"rows": encoded([0, 1])}, "to": {"q": "nothing has this", "mode": "exact"}}
    _, head, got = reduce(client, method="custom", axes={"x": axis, "y": other})
    assert head["matches"] == {"x": [20, 20], "y": [2, 0]}
    assert len(head["problems"]) == 1
    x = got["positions"].reshape(ROWS, 2)[:, 0]
    assert (x[1::2] > 0).all()
    assert (x[::2] < 0).all()
    got = client.post(
        "/api/jobs", {"work": "projector.reduce", "question": {"embedding": E, "method": "custom"}}
    )
    assert (got.status, got.json["error"]["where"]) == (400, "axes")


def test_the_same_question_is_computed_once(client):
    first = reduce(client, method="pca", seed=3)
    assert reduce(client, method="pca", seed=3)[0] == first[0]
    assert reduce(client, method="pca", seed=4)[0] != first[0]


def test_all_steps_have_one_basis(client):
    _, head, got = run_job(client, "projector.steps", run="train", name="words", method="pca", dimensions=3)
    assert (head["steps"], head["dimensions"], head["count"]) == ([0, 10, 20], 3, ROWS)
    positions = got["positions"].reshape(3, ROWS, 3)
    stacked = np.concatenate([vectors_at(step) for step in STEPS]).astype(np.float64)
    stacked -= stacked.mean(axis=0)
    lengths = np.linalg.svd(stacked, compute_uv=False)[:3]
    np.testing.assert_allclose(np.linalg.norm(positions.reshape(-1, 3), axis=0), lengths, rtol=1e-4)
    assert got["movement"][0] == 0
    assert (got["movement"][1:] > 0).all()
    assert got["moved"].shape == (ROWS,)
    assert got["kept"][0] == 1
    assert ((got["changed"] > 0) & (got["changed"] <= 1)).any()
    part = {"run": "train", "name": "words", "rows": encoded([2, 4]), "components": [1, 0]}
    _, head, got = run_job(client, "projector.steps", **part)
    assert (head["count"], got["rows"].tolist(), got["positions"].size) == (2, [2, 4], 12)


def test_clusters_have_names(client):
    job, _, _ = reduce(client, method="pca")
    question = {"embedding": E, "job": job, "axes": [0, 1], "column": "kind"}
    _, head, got = run_job(client, "projector.clusters", **question)
    assert len(got["codes"]) == ROWS
    sizes = np.bincount(got["codes"][got["codes"] >= 0])
    assert [each["size"] for each in head["clusters"]] == sizes.tolist()
    assert {each["name"] for each in head["clusters"]} <= {"cat", "dog"}
    # Every point has another name: the first of them would say nothing about its cluster.
    _, head, _ = run_job(client, "projector.clusters", **question | {"column": "name"})
    assert {each["name"] for each in head["clusters"]} == {""}


def test_positions_as_files(client):
    job, _, result = reduce(client, method="pca", rows=encoded(range(10)))
    url = f"/api/projector/export?run=train&name=words&job={job}"
    lines = client.get(url).text.splitlines()
    assert lines[0] == "row,pc1,pc2,pc3,pc4,pc5,pc6,name,kind,digit,score"
    assert len(lines) == 11
    first = lines[2].split(",")
    assert (first[0], first[7:]) == ("1", ["cat number 1", "cat", "1", "0.25"])
    assert np.float32(first[1]) == result["positions"].reshape(10, -1)[1, 0]
    with np.load(io.BytesIO(client.get(f"{url}&format=npz").body)) as arrays:
        assert arrays["positions"].shape == (10, 6)
        assert arrays["metadata.kind"][1] == "cat"
        assert arrays["metadata.score"][2] == 0.5
    assert client.get(f"{url[:-4]}").status == 404
    assert client.get(f"/api/projector/export?run=train&name=words&job={'0' * 32}").status == 404


def test_files_that_a_user_chose(client):
    got = client.ask("POST", "/api/projector/file?name=v.tsv", data=b"1\t2\n3\t4\n5\t6\n")
    assert (got.json["rows"], got.json["dimensions"]) == (3, 2)
    file = got.json["file"]
    ref = {"file": file}
    assert ask(client, "about", embedding=ref)["columns"] == []
    before = reduce(client, embedding=ref)
    got = client.ask("POST", f"/api/projector/labels?file={file}&name=l.tsv", data=b"a\nb\nc\n")
    assert got.status == 200, got.text
    about = ask(client, "about", embedding=ref)
    (column,) = about["columns"]
    assert (column["distinct"], about["label"]) == (3, column["name"])
    assert reduce(client, embedding=ref)[2]["positions"].tolist() == before[2]["positions"].tolist()
    got = client.ask("POST", "/api/projector/file?name=v.tsv", data=b"\x00\x01\x02")
    assert got.status == 422
    assert (
        ask(client, "about", status=404, embedding={"file": "gone"}).json["error"]["code"]
        == "embedding_unknown"
    )


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("about", {"embedding": {}}, 400, "run"),
        ("about", {"embedding": {"run": "x", "name": "words"}}, 404, "no run"),
        ("about", {"embedding": {"run": "train", "name": "x"}}, 404, "words"),
        ("about", {"embedding": {**E, "step": 5}}, 404, "step 5"),
        ("column", {"column": "x"}, 404, "kind"),
        ("texts", {"column": "name", "rows": [ROWS]}, 404, "40"),
        ("row", {"row": ROWS}, 404, "40"),
        ("neighbors", {"row": ROWS}, 404, "40"),
        ("neighbors", {"row": 1, "count": 2_000}, 400, "1000"),
        ("distances", {"a": 0, "b": ROWS}, 404, "40"),
        ("thumbnails", {"rows": [ROWS]}, 404, "40"),
        ("thumbnails", {"rows": [0], "embedding": {"run": "train", "name": "bare"}}, 404, "no pictures"),
        ("search", {"q": "(", "mode": "pattern"}, 400, "regular expression"),
        ("search", {"q": "a", "column": "x"}, 404, "kind"),
    ],
)
def test_what_cannot_be_answered(client, path, body, status, says):
    error = ask(client, path, status=status, **body).json["error"]
    assert says in error["message"], error


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ({"rows": "?"}, "base64"),
        ({"rows": encoded([ROWS])}, "40"),
        ({"supervise": {"column": "x"}}, "kind"),
        ({"start": "0" * 32}, "no job"),
        ({"method": "custom", "axes": {"x": {"from": {}, "to": {}}}, "dimensions": 1}, "needs"),
        ({"method": "custom", "axes": {"x": {"from": {"q": "a"}, "to": {"q": "b"}}}}, "axis y"),
        ({"embedding": {"run": "train", "name": "x"}}, "words"),
    ],
)
def test_reductions_that_make_no_sense(client, question, says):
    got = client.post("/api/jobs", {"work": "projector.reduce", "question": {"embedding": E, **question}})
    if got.status == 200:
        client.get(f"/api/jobs/events?id={got.json['id']}")
        got = client.get(f"/api/jobs/result?id={got.json['id']}")
    assert got.status in (400, 404)
    assert says in got.json["error"]["message"], got.text


def test_a_bad_pattern_does_not_hang_the_server(client, source, monkeypatch):
    monkeypatch.setattr("runglass.dashboards.projector.searching.WAIT_S", 0.5)
    monkeypatch.setattr("runglass.dashboards.projector.routes.WAIT_S", 0.5)
    names = "\n".join(["a" * 60 + "b"] * 2 + ["x"])
    file = client.ask("POST", "/api/projector/file?name=v.tsv", data=b"1\t2\n3\t4\n5\t6\n").json["file"]
    client.ask("POST", f"/api/projector/labels?file={file}&name=l.tsv", data=names.encode())
    error = ask(client, "search", status=400, embedding={"file": file}, q="(a+)+c", mode="pattern").json[
        "error"
    ]
    assert "longer than" in error["message"]


def test_sequences_are_no_column_to_look_at(client, source):
    text = "word\t__next__\n" + "".join(
        f"w{row}\t{(row + 1) % ROWS if row % 4 else ''}\n" for row in range(ROWS)
    )
    source.add_asset("train", Family.VECTORS, "meta.tsv", text.encode())
    about = ask(client, "about")
    assert (about["has_sequences"], [each["name"] for each in about["columns"]]) == (True, ["word"])
    head, got = blocks(client, "column", column="__next__")
    assert (head["type"], got["next"].tolist()[:5]) == ("sequence", [-1, 2, 3, 4, -1])


def test_words_that_name_a_cluster():
    counts = [Counter(small=40, cat=30, dog=1), Counter(small=60, dog=50, cat=2), Counter()]
    assert choose_words(counts, 0)[0] == "cat"
    assert choose_words(counts, 1)[0] == "dog"
    assert choose_words(counts, 2) == []
    assert split_words("The cat sat on the Mat-like thing", is_text=True) == [
        "cat",
        "sat",
        "Mat-like",
        "thing",
    ]
    assert split_words("a whole category", is_text=False) == ["a whole category"]


def test_files_that_change_are_read_again(client, source):
    before = ask(client, "row", row=0)["norm"]
    source.add_asset("train", Family.VECTORS, "20.bytes", (2 * vectors_at(20)).tobytes())
    np.testing.assert_allclose(ask(client, "row", row=0)["norm"], 2 * before, rtol=1e-5)


def test_answers_about_damaged_files(client, source):
    source.add_asset("train", Family.VECTORS, "marks.txt", b"{not json")
    source.add_asset("train", Family.VECTORS, "sprite.png", b"no picture")
    about = ask(client, "about")
    assert (about["bookmarks"], about["sprite"]) == (None, None)
    assert len(about["problems"]) == 2
    assert json.dumps(about["problems"]).count("bookmarks") == 1
    source.remove_asset("train", "20.bytes")
    assert ask(client, "about", status=404).json["error"]["message"]


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_layouts_keep_kinds_apart(client, method):
    """The two kinds are far from each other at the last step, and so they are in every picture."""
    asked = {"method": method, "perplexity": 5, "iterations": 200, "neighbors": 8, "epochs": 100}
    job, head, got = reduce(client, **asked)
    assert (head["method"], head["dimensions"], head["count"]) == (method, 2, ROWS)
    assert head["iterations"] > 0
    positions = got["positions"].reshape(ROWS, 2)
    assert np.isfinite(positions).all()
    cats, dogs = positions[1::2], positions[::2]
    apart = np.linalg.norm(cats.mean(axis=0) - dogs.mean(axis=0))
    assert apart > 3 * max(cats.std(axis=0).max(), dogs.std(axis=0).max())
    # Going on from there changes little but is another question.
    other, head, further = reduce(client, **{**asked, "iterations": 20, "epochs": 5}, start=job)
    assert other != job
    moved = np.linalg.norm(further["positions"].reshape(ROWS, 2) - positions, axis=1)
    assert np.median(moved) < apart
    _, head, solid = reduce(client, **asked, dimensions=3, supervise={"column": "kind", "weight": 0.5})
    assert (head["dimensions"], solid["positions"].size) == (3, 3 * ROWS)


def test_positions_come_while_it_runs(source):
    """Also where rows are left out: partial results name the rows they have."""
    rows = vectors_at(20)
    rows[4, 2] = np.nan
    source.add_asset("train", Family.VECTORS, "20.bytes", rows.tobytes())
    runner = Runner(source, WORKS)
    question = ReduceBody(embedding=EmbeddingRef("train", "words"), method="umap", epochs=50_000, neighbors=5)
    job = runner.ask("projector.reduce", question)
    until(lambda: job.snapshot().partials > 1)
    head, got = decode_blocks(job.read_partials()[1][-1].data)
    assert (head["method"], head["count"], head["total"]) == ("umap", ROWS - 1, 50_000)
    assert got["rows"].tolist() == [row for row in range(ROWS) if row != 4]
    assert got["positions"].size == 2 * (ROWS - 1)
    runner.pause(job.id)
    runner.resume(job.id)
    runner.cancel(job.id)
    # What a cancelled job had is where another goes on from.
    going_on = structs.replace(question, epochs=10, start=job.id, perturb=0.1)
    further = runner.ask("projector.reduce", going_on)
    assert further.wait(30)
    assert further.state is JobState.DONE, further.snapshot().error
    runner.close(wait_s=30)


def test_a_reduction_can_be_cancelled_at_every_moment(source):
    runner = Runner(source, WORKS)
    for method, wait_s in itertools.product(("pca", "tsne", "umap"), (0.0, 0.01, 0.03, 0.1)):
        question = ReduceBody(
            embedding=EmbeddingRef("train", "words"), method=method, seed=int(1e3 * wait_s), iterations=50_000
        )
        job = runner.ask("projector.reduce", question)
        job.wait(wait_s)
        runner.cancel(job.id)
        assert job.state in (JobState.CANCELLED, JobState.DONE)
    until(lambda: not runner._active)
    runner.close(wait_s=30)


def test_a_movie_goes_back_from_the_last_step(client):
    question = {"run": "train", "name": "words", "method": "umap", "epochs": 60, "neighbors": 8}
    _, head, got = run_job(client, "projector.steps", **question)
    positions = got["positions"].reshape(3, ROWS, 2)
    assert np.isfinite(positions).all()
    _, _, alone = reduce(client, method="umap", epochs=60, neighbors=8)
    np.testing.assert_array_equal(positions[2], alone["positions"].reshape(ROWS, 2))
    assert head["steps"] == list(STEPS)
    # At the first step the kinds are mixed, at the last they are not.
    apart = [np.linalg.norm(each[1::2].mean(axis=0) - each[::2].mean(axis=0)) for each in positions]
    assert apart[2] > apart[0]


def test_a_large_movie_comes_as_a_whole(client, monkeypatch):
    asked = {"run": "train", "name": "words", "method": "pca"}
    small, _, _ = run_job(client, "projector.steps", **asked)
    monkeypatch.setattr("runglass.dashboards.projector.moving.STREAMED_BYTES", 500)
    large, _, got = run_job(client, "projector.steps", **asked, seed=1)
    partials = {job["id"]: job["partials"] for job in client.get("/api/jobs").json["jobs"]}
    assert (partials[small], partials[large]) == (3, 0)
    assert np.isfinite(got["positions"]).all()


def test_steps_of_other_shapes(client, source):
    wide = np.zeros((ROWS, 3), np.float32)
    source.add_asset("train", Family.VECTORS, "0.bytes", wide.tobytes())
    text = config().decode().replace(f"tensor_shape: {DIMENSIONS}", "tensor_shape: 3", 1)
    source.add_asset("train", Family.PROJECTOR, "projector_config.pbtxt", text.encode())
    _, head, got = run_job(client, "projector.steps", run="train", name="words")
    assert (head["steps"], len(head["problems"])) == ([10, 20], 1)
    assert got["positions"].size == 2 * ROWS * 2


def test_what_does_not_fit_says_what_would(source, monkeypatch):
    monkeypatch.setattr("runglass.dashboards.projector.reducing.Limits", lambda: Limits(memory_bytes=1 << 30))
    asked = Reducing(method="umap")
    with pytest.raises(BadRequest, match=r"needs 3\.\d GiB.* 1\.0 GiB here.*points would fit.*PCA"):
        estimate(asked, 2_000_000, 300)
    assert estimate(Reducing(method="pca"), 2_000_000, 300) < 1 << 30


def test_three_points_and_fewer(client):
    for data in (b"1\t2\n", b"1\t2\n1\t2\n", b"3\n4\n5\n"):
        file = client.ask("POST", "/api/projector/file?name=v.tsv", data=data).json["file"]
        for method in ("pca", "tsne", "umap"):
            _, head, got = reduce(client, embedding={"file": file}, method=method, dimensions=3)
            assert "positions" in got, head
            assert np.isfinite(got["positions"]).all()
