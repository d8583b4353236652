"""Steps of series of any kind over HTTP: rows that survive a restart, and forms that agree."""

from __future__ import annotations

import json
from math import nan

import numpy as np
import pytest

from runglass.api.steps import MAX_SERIES
from runglass.query.memory import DEFAULT_START_S, MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind


@pytest.fixture
def source():
    source = MemorySource()
    for run in ("a", "b"):
        source.add_values(run, "note", Kind.TEXT, step=[0, 5, 10], values=["x", "y", "z"])
    return source.add_scalars("a", "loss", step=[0, 1], value=[1.0, 2.0])


def ask(source, *series, kind="text", **more):
    refs = [{"run": run, "tag": tag} for run, tag in series]
    got = InProcess(App(source)).post("/api/steps", {"kind": kind, "series": refs, **more})
    assert got.status == 200, got.text
    return got


def test_every_value_has_a_row_a_step_and_a_time(source):
    got = ask(source, ("a", "note"), ("b", "note")).json
    assert got["generation"] == source.generation
    assert [(each["run"], each["tag"]) for each in got["series"]] == [("a", "note"), ("b", "note")]
    first = got["series"][0]
    assert (first["row"], first["step"]) == ([0, 1, 2], [0, 5, 10])
    assert first["wall_time"] == [DEFAULT_START_S + step for step in (0, 5, 10)]
    assert first["size_bytes"] is None


def test_rows_count_what_a_restart_has_overwritten(source):
    source.add_values("a", "note", Kind.TEXT, step=[5, 6], values=["p", "q"], restart=True)
    (latest,) = ask(source, ("a", "note")).json["series"]
    assert (latest["row"], latest["step"]) == ([0, 3, 4], [0, 5, 6])
    (every,) = ask(source, ("a", "note"), attempts="all").json["series"]
    assert (every["row"], every["step"]) == ([0, 1, 2, 3, 4], [0, 5, 10, 5, 6])


def test_steps_keep_the_order_in_which_they_were_logged(source):
    source.add_values("a", "back", Kind.TEXT, step=[3, -1, 3, 2**53 + 1], values=list("pqrs"))
    (series,) = ask(source, ("a", "back")).json["series"]
    assert (series["step"], series["row"]) == ([3, -1, 3, 2**53 + 1], [0, 1, 2, 3])


def test_unknown_series_are_left_out(source):
    got = ask(source, ("a", "note"), ("gone", "note"), ("a", "gone"), ("a", "loss")).json
    assert [(each["run"], each["tag"]) for each in got["series"]] == [("a", "note")]
    assert [each["tag"] for each in ask(source, ("a", "loss"), kind="scalar").json["series"]] == ["loss"]
    assert ask(source).json["series"] == []


def test_the_binary_form_says_the_same(source):
    source.add_values("a", "note", Kind.TEXT, step=[5], values=["p"], wall_time=[nan], restart=True)
    plain = ask(source, ("a", "note"), ("b", "note")).json
    data = ask(source, ("a", "note"), ("b", "note"), format="columns").body
    assert data[:4] == b"RGC1"
    length = int.from_bytes(data[4:8], "little")
    head = json.loads(data[8 : 8 + length])
    assert (head["version"], head["generation"]) == (1, plain["generation"])
    at = 8 + length
    for series, expected in zip(head["series"], plain["series"], strict=True):
        count = series["count"]
        assert {name: series[name] for name in ("run", "tag", "generation")} == {
            name: expected[name] for name in ("run", "tag", "generation")
        }
        step, wall_time = np.frombuffer(data, "<f8", 2 * count, at).reshape(2, count)
        row = np.frombuffer(data, "<u4", count, at + 16 * count)
        # Blocks start at multiples of eight bytes.
        at += 16 * count + 4 * count + 4 * (count % 2)
        assert step.tolist() == expected["step"]
        assert row.tolist() == expected["row"]
        np.testing.assert_array_equal(wall_time, [float(time) for time in expected["wall_time"]])
    assert at == len(data)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"kind": "text"}, "series"),
        ({"kind": "smell", "series": []}, "smell"),
        ({"kind": "text", "series": [{"run": "a"}]}, "tag"),
        ({"kind": "text", "series": [], "attempts": "some"}, "some"),
        ({"kind": "text", "series": [{"run": "a", "tag": "b"}] * (MAX_SERIES + 1)}, "at most 10,000"),
    ],
)
def test_invalid_requests(source, body, words):
    got = InProcess(App(source)).post("/api/steps", body)
    assert (got.status, got.json["error"]["code"]) == (400, "bad_request")
    assert words in got.json["error"]["message"]
