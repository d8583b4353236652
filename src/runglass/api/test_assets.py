from __future__ import annotations

import pytest

from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Family

CONFIG = b'embeddings { tensor_path: "vectors.tsv" metadata_path: "gone.tsv" }'


@pytest.fixture
def source():
    return (
        MemorySource()
        .add_asset("b", Family.GRAPH, "model.onnx", b"12345")
        .add_asset("a", Family.PROJECTOR, "sub/projector_config.pbtxt", CONFIG, modified_time=1.5)
        .add_asset("a", Family.VECTORS, "sub/vectors.tsv", b"1\t2\n")
    )


@pytest.fixture
def client(source):
    return InProcess(App(source))


def names(client: InProcess, query: str) -> list[tuple[str, str]]:
    return [(each["run"], each["name"]) for each in client.get(f"/api/assets{query}").json["assets"]]


def test_every_asset_with_all_that_is_known_of_it(client, source):
    got = client.get("/api/assets?family=projector").json
    config = {
        "run": "a",
        "family": "projector",
        "name": "sub/projector_config.pbtxt",
        "size_bytes": len(CONFIG),
        "modified_time": 1.5,
        "generation": 2,
    }
    assert got == {"generation": source.generation, "assets": [config]}


def test_chosen_by_run_and_family(client):
    assert names(client, "?run=b") == [("b", "model.onnx")]
    assert names(client, "?run=b&family=profile") == []
    assert names(client, "?family=graph") == [("b", "model.onnx")]
    assert names(client, "?run=a&family=vectors") == [("a", "sub/vectors.tsv")]


def test_unknown_runs_and_families(client):
    got = client.get("/api/assets?run=nope")
    assert (got.status, got.json["error"]["code"]) == (404, "run_unknown")
    got = client.get("/api/assets?family=nope")
    assert (got.status, got.json["error"]["code"]) == (400, "bad_request")


def test_a_source_without_assets_is_not_asked_for_them(monkeypatch):
    class NoAssets(MemorySource):
        capabilities = frozenset()

        def list_assets(self, **_):
            raise NotImplementedError

    client = InProcess(App(NoAssets().add_run("a")))
    assert names(client, "") == []
