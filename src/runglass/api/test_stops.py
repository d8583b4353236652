"""Where the cursor can stop: every step of every shown series, on each time axis."""

from __future__ import annotations

import json
from math import nan

import numpy as np
import pytest

from runglass.api import stops
from runglass.query.memory import DEFAULT_START_S, MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind


@pytest.fixture
def source():
    source = MemorySource()
    source.add_scalars("a", "loss", step=[0, 10, 20], value=[3.0, 2.0, 1.0])
    source.add_scalars("a", "other", step=[5], value=[1.0])
    source.add_values("a", "note", Kind.TEXT, step=[7, 20], values=["x", "y"])
    return source.add_scalars("b", "loss", step=[1, 3], value=[1.0, 2.0])


def ask(source, **body):
    got = InProcess(App(source)).post("/api/stops", body)
    assert got.status == 200, got.text
    return got


def test_stops_are_the_steps_of_all_series_of_all_kinds(source):
    got = ask(source).json
    assert got["generation"] == source.generation
    assert got["at"] == [0, 1, 3, 5, 7, 10, 20]
    assert got["samples"] == [7, 20]


def test_runs_and_tags_limit_them(source):
    assert ask(source, runs=["a", "gone"]).json["at"] == [0, 5, 7, 10, 20]
    assert ask(source, tags=["loss"]).json["at"] == [0, 1, 3, 10, 20]
    assert ask(source, runs=["b"], tags=["note"]).json["at"] == []


def test_the_clock_is_that_of_the_run_that_lasted_longest(source):
    clock = ask(source).json["clock"]
    assert (clock["run"], clock["start_time"]) == ("a", DEFAULT_START_S)
    assert (clock["step"], clock["wall_time"]) == (
        [0, 10, 20],
        [DEFAULT_START_S + step for step in (0, 10, 20)],
    )
    assert ask(source, runs=[]).json["clock"] is None


def test_times_are_those_of_the_steps_in_each_run(source):
    source.add_scalars(
        "late", "loss", step=[0, 100], value=[1.0, 2.0], wall_time=[DEFAULT_START_S + t for t in (50, 60)]
    )
    at = [time - DEFAULT_START_S for time in ask(source, axis="wall").json["at"]]
    assert at == [0, 1, 3, 5, 7, 10, 20, 50, 60]
    assert ask(source, axis="relative", runs=["late"]).json["at"] == [0, 10]
    assert ask(source, axis="relative", runs=["a"]).json["samples"] == [7, 20]


def test_the_newest_value_is_that_of_the_run_that_was_written_to_last(source):
    assert ask(source).json["newest"] == 20
    times = [DEFAULT_START_S + 50, DEFAULT_START_S + 60]
    source.add_scalars("late", "loss", step=[0, 4], value=[1.0, 2.0], wall_time=times)
    assert ask(source).json["newest"] == 4
    assert ask(source, axis="relative").json["newest"] == 10
    assert ask(source, runs=[]).json["newest"] is None


def test_times_that_are_no_numbers_are_no_stops():
    source = MemorySource().add_scalars("a", "loss", step=[0, 1], value=[1.0, 2.0], wall_time=[nan, nan])
    got = ask(source, axis="wall").json
    assert (got["at"], got["clock"]) == ([], None)
    assert ask(source).json["at"] == [0, 1]


def test_overwritten_steps_are_left_out(source):
    source.add_scalars("b", "loss", step=[2], value=[5.0], restart=True)
    assert ask(source, runs=["b"]).json["at"] == [1, 2]


def test_many_stops_are_thinned_and_keep_both_ends(source, monkeypatch):
    monkeypatch.setattr(stops, "MAX_STOPS", 4)
    at = ask(source).json["at"]
    assert (len(at), at[0], at[-1]) == (4, 0, 20)


def test_many_times_are_thinned_in_every_run(monkeypatch):
    source = MemorySource()
    for run in ("a", "b"):
        source.add_scalars(run, "loss", step=range(1_000), value=[0.0] * 1_000)
    whole = ask(source, axis="relative", runs=["a"]).json["at"]
    monkeypatch.setattr(stops, "MAX_STOPS", 10)
    at = ask(source, axis="relative").json["at"]
    assert len(at) == 10
    assert (at[0], at[-1]) == (whole[0], whole[-1])
    assert set(at) <= set(whole)


def test_the_binary_form_says_the_same(source):
    for axis in ("step", "relative", "wall"):
        says = ask(source, axis=axis).json
        body = ask(source, axis=axis, format="columns").body
        end = 8 + int.from_bytes(body[4:8], "little")
        head = json.loads(body[8:end])
        values = np.frombuffer(body, "<f8", offset=end).tolist()
        clock = head["clock"]
        assert (clock["run"], clock["start_time"]) == (says["clock"]["run"], says["clock"]["start_time"])
        expected = says["at"] + says["samples"] + says["clock"]["step"] + says["clock"]["wall_time"]
        assert values == expected
        assert [head["stops"], head["samples"], clock["points"]] == [
            len(says["at"]),
            len(says["samples"]),
            len(says["clock"]["step"]),
        ]


def test_too_many_names_are_refused(source, monkeypatch):
    monkeypatch.setattr(stops, "MAX_NAMES", 2)
    got = InProcess(App(source)).post("/api/stops", {"runs": ["a", "b", "c"]})
    assert got.status == 400


def test_the_clock_of_a_run_is_read_once(source, monkeypatch):
    read: list[str] = []
    real = stops._read_clock
    monkeypatch.setattr(stops, "_read_clock", lambda source, run: read.append(run.name) or real(source, run))
    ask(source, axis="wall")
    assert sorted(read) == ["a", "b"]
