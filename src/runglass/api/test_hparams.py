"""Hyperparameters over HTTP: which run has which, and their types."""

from __future__ import annotations

from math import inf, nan

import pytest

from runglass.errors import ValueDamaged
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

START = "_hparams_/session_start_info"


class Source(MemorySource):
    """Counts how often values are decoded."""

    loads = 0

    def load_value(self, values, index):
        self.loads += 1
        value = super().load_value(values, index)
        if value == "damaged":
            raise ValueDamaged("It cannot be decoded.")
        return value

    def start(self, run, **hparams):
        self.add_values(
            run, START, Kind.HPARAMS, step=[0], values=[{"session_start_info": {"hparams": hparams}}]
        )
        return self


@pytest.fixture
def source():
    return Source()


def ask(source):
    got = InProcess(App(source)).get("/api/hparams")
    assert got.status == 200, got.text
    return got.json


def test_a_log_without_any(source):
    source.add_scalars("a", "loss", step=[0], value=[1.0])
    assert ask(source) == {"generation": source.generation, "names": [], "runs": {}, "merged": {}}


def test_types_and_distinct_values(source):
    source.start("a", lr=0.1, opt="sgd", fast=True, layers=[1, 2], mixed=1.0, none=None)
    source.start("b", lr=nan, opt="adam", fast=False, layers=[1, 2], mixed="one")
    source.start("c", lr=inf, opt="adam", mixed=True)
    got = ask(source)
    assert [(each["name"], each["type"], each["values"]) for each in got["names"]] == [
        ("lr", "number", 3),
        ("opt", "string", 2),
        ("fast", "bool", 2),
        ("layers", "string", 1),
        ("mixed", "string", 3),
    ]
    assert got["runs"]["a"] == {"lr": 0.1, "opt": "sgd", "fast": True, "layers": "[1,2]", "mixed": 1}
    assert (got["runs"]["b"]["lr"], got["runs"]["c"]["lr"]) == ("NaN", "Infinity")


def test_runs_without_their_own(source):
    source.start("exp", lr=1.0).start("exp/deep", lr=2.0).start("torch/17", lr=3.0)
    source.start("two/a", lr=4.0).start("two/b", lr=5.0)
    for run in ("exp/train", "exp/deep/x/y", "torch", "torch/other", "two", "expert"):
        source.add_run(run)
    runs = {run: hparams["lr"] for run, hparams in ask(source)["runs"].items()}
    assert runs == {
        "exp": 1, "exp/train": 1, "exp/deep": 2, "exp/deep/x/y": 2, "torch/17": 3, "torch": 3, "two/a": 4, "two/b": 5
    }  # fmt: skip


def test_the_root_is_above_all(source):
    source.start(".", lr=1.0).start("a", lr=2.0).add_run("b/c")
    assert {run: hparams["lr"] for run, hparams in ask(source)["runs"].items()} == {".": 1, "a": 2, "b/c": 1}
    below = Source().start("a/1", lr=2.0).add_run(".")
    assert ask(below)["runs"] == {"a/1": {"lr": 2}, ".": {"lr": 2}}


def test_a_run_that_only_holds_the_records_of_another(source):
    source.add_scalars("run", "loss", step=[0, 1], value=[1.0, 0.5]).start("run/1700000000.5", lr=0.5)
    source.add_values("run/1700000000.5", "exp", Kind.HPARAMS, step=[0], values=[{"experiment": {}}])
    source.add_values(
        "run/1700000000.5", "end", Kind.HPARAMS, step=[0], values=[{"session_end_info": {"status": 1}}]
    )
    assert ask(source)["merged"] == {"run/1700000000.5": "run"}


def test_damaged_values_and_other_messages_are_left_out(source):
    source.add_values("a", "end", Kind.HPARAMS, step=[0], values=[{"session_end_info": {"status": 1}}])
    source.add_values("b", START, Kind.HPARAMS, step=[0], values=["damaged"])
    source.add_values("c", START, Kind.HPARAMS, step=[], values=[])
    source.start("d", lr=1.0).start("e")
    assert ask(source)["runs"] == {"d": {"lr": 1}}


def test_only_changed_series_are_decoded_again(source):
    source.start("a", lr=1.0).start("b", lr=2.0)
    client = InProcess(App(source))
    first = client.get("/api/hparams").json
    assert client.get("/api/hparams").json == first
    assert source.loads == 2
    source.start("b", lr=3.0).add_scalars("a", "loss", step=[0], value=[1.0])
    got = client.get("/api/hparams").json
    assert (got["generation"], got["runs"]["b"]["lr"]) == (source.generation, 3)
    assert source.loads == 3
