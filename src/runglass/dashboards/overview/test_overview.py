"""The overview's summary over a MemorySource: states, best values, trouble, and what is newest."""

from __future__ import annotations

import time
from math import inf, nan

import numpy as np
import pytest

from runglass.query.memory import MemorySource
from runglass.schema.hparams import EXPERIMENT_TAG, SESSION_END_TAG, SessionOutcome
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import FileState, Kind

HOUR_S = 3600.0


@pytest.fixture
def source():
    return MemorySource()


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, **body):
    got = client.post("/api/overview/summary", body)
    assert got.status == 200, got.body
    return got.json


def states(client):
    return {name: count for name, count in ask(client)["states"].items() if count}


def add_run(source, run, *, steps=100, ended_s, every_s=1.0, tag="loss", value=None, **known):
    """Its newest value is `ended_s` seconds old."""
    wall_time = time.time() - ended_s - every_s * np.arange(steps)[::-1]
    value = np.linspace(2, 1, steps) if value is None else value
    return source.add_scalars(run, tag, step=np.arange(steps), value=value, wall_time=wall_time, **known)


def end(source, run, outcome, *, ended_s):
    values = [{"session_end_info": {"status": int(outcome)}}]
    wall_time = [time.time() - ended_s]
    source.add_values(run, SESSION_END_TAG, Kind.HPARAMS, step=[0], values=values, wall_time=wall_time)


def test_nothing_is_nothing(client):
    found = ask(client)
    assert found["trainings"] == 0
    assert (found["running"], found["best"], found["trouble"], found["images"]) == ([], [], [], [])


@pytest.mark.parametrize(
    ("ended_s", "every_s", "state"),
    [
        (5, 1.0, "running"),
        (55, 0.01, "running"),
        (100, 1.0, "silent"),
        # Four of its usual pauses.
        (3.5 * HOUR_S, HOUR_S, "running"),
        (4.5 * HOUR_S, HOUR_S, "silent"),
        # Long ago.
        (25 * HOUR_S, 1.0, "finished"),
    ],
)
def test_a_run_is_running_for_a_few_of_its_own_pauses(client, source, ended_s, every_s, state):
    add_run(source, "a", ended_s=ended_s, every_s=every_s)
    assert states(client) == {state: 1}


def test_a_long_pause_in_every_epoch_is_not_silence(client, source):
    wall_time = time.time() - 150 + np.concatenate([np.arange(-500.0, -400), np.arange(-100.0, 0)])
    source.add_scalars("a", "loss", step=range(200), value=np.ones(200), wall_time=wall_time)
    assert states(client) == {"running": 1}


def test_a_session_says_how_it_ended(client, source):
    for run, outcome in (("good", SessionOutcome.SUCCESS), ("bad", SessionOutcome.FAILURE)):
        add_run(source, run, ended_s=3)
        end(source, run, outcome, ended_s=3)
    # Resumed: its values are newer than its end.
    add_run(source, "again", ended_s=3, every_s=10.0)
    end(source, "again", SessionOutcome.SUCCESS, ended_s=500)
    assert states(client) == {"finished": 1, "failed": 1, "running": 1}
    assert [(each["kind"], each["name"]) for each in ask(client)["trouble"]] == [("failed", "bad")]


def test_the_record_of_a_sweep_is_no_training(client, source):
    add_run(source, "sweep/1", ended_s=2 * HOUR_S)
    end(source, "sweep/1", SessionOutcome.SUCCESS, ended_s=2 * HOUR_S)
    wall_time = [time.time() - 3 * HOUR_S]
    source.add_values("sweep", EXPERIMENT_TAG, Kind.HPARAMS, step=[0], values=[{}], wall_time=wall_time)
    assert states(client) == {"finished": 1}
    assert ask(client)["trouble"] == []


def test_runs_of_one_folder_tell_each_other_how_long_a_training_is(client, source):
    for seed in (1, 2):
        add_run(source, f"x/{seed}", ended_s=1000, steps=100)
    add_run(source, "x/short", ended_s=1000, steps=60)
    add_run(source, "y/alone", ended_s=1000, steps=100)
    assert states(client) == {"finished": 2, "silent": 2}
    assert {each["name"] for each in ask(client)["trouble"]} == {"x/short", "y/alone"}
    end(source, "x/short", SessionOutcome.SUCCESS, ended_s=1000)
    assert states(client) == {"finished": 3, "silent": 1}


def test_a_loss_that_ends_in_nan_has_failed(client, source):
    add_run(source, "a", ended_s=1000, value=np.r_[np.ones(40), [nan] * 60])
    add_run(source, "a", ended_s=1000, tag="grad", value=np.r_[np.ones(30), [inf] * 70])
    add_run(source, "b", ended_s=5, value=np.r_[np.ones(99), [nan]])
    assert states(client) == {"failed": 1, "running": 1}
    by_name = {each["name"]: each for each in ask(client)["trouble"]}
    assert (by_name["a"]["kind"], by_name["a"]["tag"], by_name["a"]["step"]) == ("nan", "loss", 40)
    assert by_name["a"]["tags"] == 2
    assert by_name["b"]["step"] == 99
    add_run(source, "c", ended_s=1000, value=np.r_[np.ones(98), inf, nan])
    found = ask(client, runs=["a", "c"])["trouble"]
    assert {each["name"]: each["is_infinite"] for each in found} == {"a": False, "c": True}


def test_a_run_and_its_parts_are_one_training(client, source):
    add_run(source, "a/train", ended_s=300, every_s=1)
    add_run(source, "a/validation", ended_s=5, steps=10, every_s=10)
    add_run(source, "b", ended_s=25 * HOUR_S, steps=200)
    found = ask(client)
    assert found["trainings"] == 2
    assert found["states"] == {"running": 1, "finished": 1, "silent": 0, "failed": 0}
    (running,) = found["running"]
    assert (running["name"], running["run"], running["step"]) == ("a", "a/train", 99)
    assert running["total_steps"] == 199
    assert running["left_s"] == pytest.approx(100.0)
    assert (running["line"]["run"], running["line"]["tag"]) == ("a/train", "loss")
    assert (running["line"]["step"][-1], running["line"]["value"][-1]) == (99, 1.0)
    assert ask(client, runs=["b"])["trainings"] == 1


def test_the_best_value_is_of_data_that_was_held_out(client, source):
    now = time.time()
    for run, at, value in (("a", 7, 0.25), ("b", 3, 0.5)):
        loss = np.ones(10)
        loss[at] = value
        wall_time = now - 100 + np.arange(10.0)
        source.add_scalars(f"{run}/train", "loss", step=range(10), value=loss / 10, wall_time=wall_time)
        source.add_scalars(f"{run}/val", "loss", step=range(10), value=loss, wall_time=wall_time)
    source.add_scalars("c", "loss", step=[0], value=[0.01], wall_time=[now])
    (best,) = ask(client)["best"]
    assert (best["tag"], best["best"], best["name"], best["run"]) == ("loss", "min", "a", "a/val")
    assert (best["value"], best["step"], best["baseline"]) == (0.25, 7, None)
    assert best["wall_time"] == pytest.approx(now - 93)
    (best,) = ask(client, baseline="b/train")["best"]
    assert (best["baseline"], best["is_baseline"]) == (0.5, False)
    (best,) = ask(client, baseline="a")["best"]
    assert (best["baseline"], best["is_baseline"]) == (None, True)
    (highest,) = ask(client, metrics=[{"tag": "loss", "best": "max"}])["best"]
    assert highest["value"] == 1.0
    assert ask(client, metrics=[])["best"] == []
    assert ask(client, metrics=[{"tag": "none", "best": "max"}])["best"] == []


def test_damaged_files_and_restarts_are_trouble(client, source):
    add_run(source, "a/train", ended_s=25 * HOUR_S)
    source.set_file("a/train", "a/x.1", FileState.DAMAGED, size_bytes=5000, read_bytes=2900)
    source.set_file("a/train", "a/x.2", FileState.SKIPPED, size_bytes=100, read_bytes=90, skipped_records=2)
    source.add_scalars("b", "loss", step=range(50), value=np.ones(50))
    source.add_scalars("b", "loss", step=range(20, 60), value=np.ones(40), restart=True)
    damaged, restarted = ask(client)["trouble"]
    assert (damaged["kind"], damaged["name"], damaged["run"]) == ("damaged", "a", "a/train")
    assert (damaged["lost_bytes"], damaged["skipped_records"]) == (2100, 2)
    assert (restarted["kind"], restarted["name"], restarted["step"]) == ("restarted", "b", 20)


def test_the_newest_images_and_texts(client, source):
    for number in range(5):
        source.add_values(
            "a", f"image{number}", Kind.IMAGE, step=[0, 4], values=[[], []], wall_time=[1.0, 10.0 - number]
        )
    source.add_values("b", "log", Kind.TEXT, step=[0, 7], values=["x", "y"], wall_time=[1.0, 3.0])
    found = ask(client)
    assert [each["tag"] for each in found["images"]] == ["image0", "image1", "image2"]
    assert found["texts"] == [{"run": "b", "tag": "log", "row": 1, "step": 7, "wall_time": 3.0}]


def test_facts_are_read_again_when_a_run_has_changed(client, source):
    add_run(source, "a", ended_s=5)
    add_run(source, "b", ended_s=5)
    assert ask(client)["best"][0]["value"] == 1.0
    source.add_scalars("a", "loss", step=[100], value=[0.5], wall_time=[time.time()])
    assert ask(client)["best"][0]["value"] == 0.5
    source.remove_run("a")
    found = ask(client)
    assert (found["trainings"], found["best"][0]["name"]) == (1, "b")


def test_texts_that_several_runs_logged_alike(client, source):
    table = np.array([["a", "b"]], dtype=object)
    for run, plan, steps in (("a", "same", [0]), ("b", "same", [0]), ("c", "same", [1]), ("d", "other", [0])):
        source.add_values(run, "plan", Kind.TEXT, step=steps, values=[plan])
        source.add_values(run, "table", Kind.TEXT, step=[0], values=[table])
        source.add_values(run, "long", Kind.TEXT, step=range(5), values=["x"] * 5)
    source.add_values("a", "alone", Kind.TEXT, step=[0], values=["x"])

    def same(**body):
        texts = client.post("/api/overview/same_texts", body).json["texts"]
        return {each["tag"]: each["runs"] for each in texts}

    assert same() == {"plan": ["a", "b"], "table": ["a", "b", "c", "d"]}
    assert same(runs=["b", "c"]) == {"table": ["b", "c"]}
    source.add_values("b", "plan", Kind.TEXT, step=[1], values=["more"])
    assert "plan" not in same()


def test_a_request_for_too_much_is_refused(client):
    metrics = [{"tag": "a", "best": "min"}] * 9
    assert client.post("/api/overview/summary", {"metrics": metrics}).status == 400


def test_the_line_of_a_run_with_the_largest_steps(client, source):
    wall_time = time.time() - np.arange(3)[::-1]
    source.add_scalars("a", "loss", step=[0, 1, 2**63 - 1], value=[3.0, 2.0, 1.0], wall_time=wall_time)
    (running,) = ask(client)["running"]
    assert running["line"]["step"][-1] == pytest.approx(2**63)
