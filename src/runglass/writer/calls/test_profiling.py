"""runglass.profile with a profiler that only says what it was asked; the real ones are in tests/interop."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import runglass
from runglass.errors import BadArgument
from runglass.writer.calls.profilers import PROFILERS, Recorded, worker_name
from runglass.writer.calls.profiling import Schedule, find_framework


@pytest.fixture
def said(monkeypatch):
    """What the profiler was asked, in order."""
    heard: list[str] = []

    class Fake:
        def __init__(self, run_dir, recorded):
            heard.append(f"made {run_dir} {recorded}")

        def prepare(self):
            heard.append("prepare")

        def start(self):
            heard.append("start")

        @contextmanager
        def step(self, name, number):
            heard.append(f"{name} {number}")
            yield
            heard.append(f"/{number}")

        @contextmanager
        def span(self, name):
            heard.append(name)
            yield

        def stop(self):
            heard.append("stop")

    monkeypatch.setitem(PROFILERS, "torch", Fake)
    return heard


def train(steps: int, **options) -> None:
    with runglass.profile("logs", framework="torch", **options) as p:
        for _ in range(steps):
            with p.span("forward"):
                pass
            p.step()


PLAIN = f"made logs {Recorded()}"


def test_without_a_schedule_everything_is_recorded(said):
    train(2)
    assert said == [
        PLAIN,
        "start",
        "train 0",
        "forward",
        "/0",
        "train 1",
        "forward",
        "/1",
        "train 2",
        "/2",
        "stop",
    ]


def test_a_schedule(said):
    train(9, wait=1, warmup=1, active=2, repeat=2, first_step=100)
    once = ["prepare", "start"]
    assert said == [
        *(PLAIN, *once, "train 102", "forward", "/102", "train 103", "forward", "/103", "stop"),
        *(PLAIN, *once, "train 106", "forward", "/106", "train 107", "forward", "/107", "stop"),
    ]


def test_a_loop_that_ends_early_leaves_its_profile(said):
    train(2, active=5)
    assert said[-1] == "stop"
    said.clear()
    train(2, wait=5, active=5)
    assert said == []
    # Prepared, but nothing was recorded.
    train(1, warmup=5, active=5)
    assert said == [PLAIN, "prepare"]


def test_an_error_in_the_loop_is_kept_and_the_profile_too(said):
    with pytest.raises(ZeroDivisionError), runglass.profile("logs", framework="torch"):
        _ = 1 / 0
    assert said[-1] == "stop"


def test_options_reach_the_profiler(said):
    train(0, memory=True, stacks=True)
    assert said[0] == f"made logs {Recorded(memory=True, shapes=False, stacks=True)}"


def test_a_profiler_that_fails_does_not_end_the_training(said, monkeypatch):
    def fail(*_):
        raise RuntimeError("another profiler runs")

    monkeypatch.setattr(PROFILERS["torch"], "start", fail)
    with pytest.warns(UserWarning, match="another profiler runs"):
        train(1)
    monkeypatch.undo()
    monkeypatch.setitem(PROFILERS, "torch", lambda *_: SimpleNamespace(start=fail))
    with pytest.warns(UserWarning, match="did not start"):
        train(2, active=1)


def test_a_profile_that_cannot_be_written_does_not_end_the_training(said, monkeypatch):
    def fail(_):
        raise OSError("no space left")

    monkeypatch.setattr(PROFILERS["torch"], "stop", fail)
    with pytest.warns(UserWarning, match="no space left"):
        train(1)


def test_rounds_go_on_until_the_end():
    schedule = Schedule(wait=1, warmup=0, active=1, repeat=0)
    assert [schedule.state(index) for index in range(4)] == ["rest", "record", "rest", "record"]


@pytest.mark.parametrize("wrong", [{"wait": -1}, {"active": 0}, {"repeat": 1.5}, {"warmup": "2"}])
def test_schedules_are_checked(wrong):
    with pytest.raises(BadArgument, match=next(iter(wrong))):
        runglass.profile("logs", framework="torch", **wrong)


def test_the_framework_is_the_one_that_is_imported(monkeypatch):
    for name in (*PROFILERS, "keras"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(BadArgument, match="No framework is imported"):
        runglass.profile("logs")
    with pytest.raises(BadArgument, match="local directory"):
        runglass.profile("memory://logs", framework="torch")
    with pytest.raises(BadArgument, match="torch, jax, tensorflow"):
        runglass.profile("logs", framework="mxnet")
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace())
    assert find_framework() == "tensorflow"
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace())
    assert find_framework() == "jax"
    keras = SimpleNamespace(config=SimpleNamespace(backend=lambda: "tensorflow"))
    monkeypatch.setitem(sys.modules, "keras", keras)
    assert find_framework() == "tensorflow"


def test_a_worker_is_named_by_its_rank(monkeypatch):
    monkeypatch.setenv("RANK", "3")
    assert worker_name().endswith("_rank3")
    monkeypatch.setenv("RANK", "x")
    assert "rank" not in worker_name()
