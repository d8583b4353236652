from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from tests.support.projector import (
    DIMENSIONS,
    ROWS,
    STEPS,
    TILE,
    WORDS,
    ask,
    blocks,
    make_source,
    reduce,
    vectors_at,
)

from runglass.dashboards.projector import loaded
from runglass.query.embeddings.read import read_embedding
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Family, Kind


@pytest.fixture
def source():
    return make_source()


@pytest.fixture
def client(source):
    app = App(source)
    yield InProcess(app)
    app.close()


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
    at_first = {**WORDS, "step": 0}
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


def test_sequences_are_no_column_to_look_at(client, source):
    text = "word\t__next__\n" + "".join(
        f"w{row}\t{(row + 1) % ROWS if row % 4 else ''}\n" for row in range(ROWS)
    )
    source.add_asset("train", Family.VECTORS, "meta.tsv", text.encode())
    about = ask(client, "about")
    assert (about["has_sequences"], [each["name"] for each in about["columns"]]) == (True, ["word"])
    head, got = blocks(client, "column", column="__next__")
    assert (head["type"], got["next"].tolist()[:5]) == ("sequence", [-1, 2, 3, 4, -1])


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


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("about", {"embedding": {}}, 400, "run"),
        ("about", {"embedding": {"run": "x", "name": "words"}}, 404, "no run"),
        ("about", {"embedding": {"run": "train", "name": "x"}}, 404, "words"),
        ("about", {"embedding": {**WORDS, "step": 5}}, 404, "step 5"),
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
