from __future__ import annotations

import io
import itertools
from collections import Counter

import numpy as np
import pytest
from msgspec import structs
from tests.support.projector import ROWS, WORDS, encoded, make_source, reduce, run_job, vectors_at
from tests.support.waiting import until

from runglass.api.blocks import decode_blocks
from runglass.dashboards.projector.clustering import choose_words, split_words
from runglass.dashboards.projector.reducing import estimate
from runglass.dashboards.projector.shape import EmbeddingRef, ReduceBody, Reducing
from runglass.dashboards.projector.works import WORKS
from runglass.errors import BadRequest
from runglass.jobs.runner import Limits, Runner
from runglass.jobs.work import JobState
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Family


@pytest.fixture
def source():
    return make_source()


@pytest.fixture
def client(source):
    app = App(source)
    yield InProcess(app)
    app.close()


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
        "/api/jobs", {"work": "projector.reduce", "question": {"embedding": WORDS, "method": "custom"}}
    )
    assert (got.status, got.json["error"]["where"]) == (400, "axes")


def test_the_same_question_is_computed_once(client):
    first = reduce(client, method="pca", seed=3)
    assert reduce(client, method="pca", seed=3)[0] == first[0]
    assert reduce(client, method="pca", seed=4)[0] != first[0]


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
    got = client.post("/api/jobs", {"work": "projector.reduce", "question": {"embedding": WORDS, **question}})
    if got.status == 200:
        client.get(f"/api/jobs/events?id={got.json['id']}")
        got = client.get(f"/api/jobs/result?id={got.json['id']}")
    assert got.status in (400, 404)
    assert says in got.json["error"]["message"], got.text


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


def test_clusters_have_names(client):
    job, _, _ = reduce(client, method="pca")
    question = {"embedding": WORDS, "job": job, "axes": [0, 1], "column": "kind"}
    _, head, got = run_job(client, "projector.clusters", **question)
    assert len(got["codes"]) == ROWS
    sizes = np.bincount(got["codes"][got["codes"] >= 0])
    assert [each["size"] for each in head["clusters"]] == sizes.tolist()
    assert {each["name"] for each in head["clusters"]} <= {"cat", "dog"}
    # Every point has another name: the first of them would say nothing about its cluster.
    _, head, _ = run_job(client, "projector.clusters", **question | {"column": "name"})
    assert {each["name"] for each in head["clusters"]} == {""}


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
