from __future__ import annotations

import numpy as np
import pytest
from tests.support.projector import (
    DIMENSIONS,
    ROWS,
    STEPS,
    config,
    encoded,
    make_source,
    reduce,
    run_job,
    vectors_at,
)

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
