"""Display names and descriptions over HTTP: only those that say something."""

from __future__ import annotations

from runglass.api import descriptions
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess


def ask(source):
    got = InProcess(App(source)).get("/api/descriptions")
    assert got.status == 200, got.text
    return {(each["tag"], each["kind"]): each["texts"] for each in got.json["tags"]}


def test_tags_are_listed_that_were_described():
    source = MemorySource()
    for run in ("a", "b"):
        source.add_scalars(
            run, "x/loss", step=[0], value=[1.0], display_name="Loss", description="Lower is better"
        )
    source.add_scalars("c", "x/loss", step=[0], value=[1.0], description="Other words")
    source.add_scalars("a", "plain", step=[0], value=[1.0])
    # Writers that repeat the tag say nothing.
    source.add_scalars("a", "x/acc", step=[0], value=[1.0], display_name="acc")
    source.add_scalars("a", "x/f1", step=[0], value=[1.0], display_name="x/f1")
    assert ask(source) == {
        ("x/loss", "scalar"): [
            {"display_name": "Loss", "description": "Lower is better", "run": "a", "runs": 2},
            {"display_name": "", "description": "Other words", "run": "c", "runs": 1},
        ]
    }


def test_they_are_current():
    source = MemorySource().add_scalars("a", "loss", step=[0], value=[1.0])
    assert ask(source) == {}
    source.add_scalars("b", "loss", step=[0], value=[1.0], description="New")
    assert list(ask(source)) == [("loss", "scalar")]


def test_there_is_a_limit(monkeypatch):
    monkeypatch.setattr(descriptions, "MAX_DESCRIBED", 2)
    source = MemorySource()
    for tag in "abc":
        source.add_scalars("run", tag, step=[0], value=[1.0], description="Something")
    assert len(ask(source)) == 2
