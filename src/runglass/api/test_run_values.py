"""The columns of the run table over HTTP: exact, cached, and never older than the source."""

from __future__ import annotations

from math import nan

import pytest

from runglass.api.run_values import MAX_COLUMNS
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess


class CountingSource(MemorySource):
    """Records the runs that numbers are computed for."""

    def __init__(self):
        super().__init__()
        self.read = []

    def read_run_columns(self, runs, columns):
        self.read += [(run, column.tag) for run in runs for column in columns]
        return super().read_run_columns(runs, columns)


@pytest.fixture
def source():
    return (
        CountingSource()
        .add_scalars("a", "loss", step=[0, 1, 2], value=[3.0, 1.0, 2.0])
        .add_scalars("a", "acc", step=[0, 2], value=[0.5, nan])
        .add_scalars("b", "loss", step=[0], value=[1e300])
        .add_run("empty")
    )


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, *columns, **body):
    got = client.post("/api/runs/values", {"columns": list(columns), **body})
    assert got.status == 200, got.text
    return got.json


def test_every_kind_of_column(client, source):
    got = ask(
        client,
        {"tag": "loss"},
        {"tag": "loss", "stat": "min"},
        {"tag": "acc", "stat": "last"},
        {"tag": "loss", "stat": "count"},
        {"tag": "loss", "stat": "at_step", "step": 1},
        {"tag": "acc", "stat": "at_best", "best_tag": "loss", "best": "min"},
        {"tag": "loss", "stat": "at_best", "best_tag": "acc", "best": "max"},
        {"tag": "gone", "stat": "mean"},
    )
    assert (got["generation"], got["runs"]) == (source.generation, ["a", "b", "empty"])
    assert got["columns"] == [
        [2, 1e300, None],
        [1, 1e300, None],
        ["NaN", None, None],
        [3, 1, None],
        [1, 1e300, None],
        [0.5, None, None],
        [3, None, None],
        [None, None, None],
    ]


def test_expressions(client, source):
    got = ask(
        client,
        {"tag": "={loss} * 2", "stat": "max"},
        {"tag": "loss", "stat": "at_best", "best_tag": "=-{loss}", "best": "max"},
        runs=["a", "empty"],
    )
    assert got["columns"] == [[6, None], [1, None]]


def test_runs_are_those_asked_for_that_exist(client):
    assert ask(client, {"tag": "loss"}, runs=["b", "gone", "b"])["runs"] == ["b"]
    assert ask(client, {"tag": "loss"}, runs=[]) | {"generation": 0} == {
        "generation": 0, "runs": [], "columns": [[]]
    }  # fmt: skip
    assert ask(client)["columns"] == []


def test_only_what_changed_is_read_again(client, source):
    ask(client, {"tag": "loss"}, {"tag": "loss", "stat": "min"})
    source.read.clear()
    ask(client, {"tag": "loss", "stat": "min"}, {"tag": "loss"})
    assert source.read == []
    source.add_scalars("b", "loss", step=[1], value=[-1.0])
    got = ask(client, {"tag": "loss"})
    assert got["columns"] == [[2, -1, None]]
    assert source.read == [("b", "loss")]
    source.add_scalars("c", "loss", step=[1], value=[8.0]).remove_run("a")
    assert ask(client, {"tag": "loss"}) == {
        "generation": source.generation, "runs": ["b", "empty", "c"], "columns": [[-1, None, 8]]
    }  # fmt: skip


def test_only_so_many_columns_are_kept(client, source):
    for step in range(MAX_COLUMNS + 5):
        ask(client, {"tag": "loss", "stat": "at_step", "step": step}, runs=["a"])
    source.read.clear()
    ask(client, {"tag": "loss", "stat": "at_step", "step": 5}, runs=["a"])
    assert source.read == []
    ask(client, {"tag": "loss", "stat": "at_step", "step": 4}, runs=["a"])
    assert source.read == [("a", "loss")]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "columns"),
        ({"columns": [{}]}, "tag"),
        ({"columns": [{"tag": "loss", "stat": "best"}]}, "columns[0].stat"),
        ({"columns": [{"tag": "loss"}, {"tag": "loss", "stat": "at_step"}]}, "columns[1].step"),
        ({"columns": [{"tag": "loss", "stat": "at_step", "step": 2**64}]}, "columns[0].step"),
        ({"columns": [{"tag": "loss", "stat": "at_best"}]}, "columns[0].best_tag"),
        ({"columns": [{"tag": "loss"}] * (MAX_COLUMNS + 1)}, "columns"),
        ({"columns": [], "runs": "a"}, "runs"),
        ({"columns": [{"tag": "=loss"}]}, "columns[0].tag"),
        ({"columns": [{"tag": "loss", "stat": "at_best", "best_tag": "={"}]}, "columns[0].best_tag"),
    ],
)
def test_columns_that_cannot_be_made(client, body, where):
    got = client.post("/api/runs/values", body)
    assert (got.status, got.json["error"]["code"]) == (400, "bad_request")
    assert where in got.json["error"]["where"]
