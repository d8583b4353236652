"""Series with values that are not finite over HTTP: in order of time, cached by run, and never older than the source."""

from __future__ import annotations

from math import inf, nan

import pytest

from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess


class CountingSource(MemorySource):
    """Records the runs whose columns are read."""

    def __init__(self):
        super().__init__()
        self.read = []

    def read_columns(self, keys, **how):
        self.read += [key.run for key in keys]
        return super().read_columns(keys, **how)


@pytest.fixture
def source():
    return (
        CountingSource()
        .add_scalars("a", "loss", step=[0, 1, 2], value=[3.0, nan, nan], wall_time=[10.0, 11.0, 12.0])
        .add_scalars("a", "grad/norm", step=[0, 1, 2], value=[inf, -inf, nan], wall_time=[9.0, 10.5, 11.5])
        .add_scalars("b", "loss", step=[0, 1], value=[1.0, 2.0])
    )


def test_the_first_in_time_comes_first(source):
    got = InProcess(App(source)).get("/api/runs/not_finite").json
    assert [(each["run"], each["tag"], each["step"], each["wall_time"]) for each in got["series"]] == [
        ("a", "grad/norm", 0, 9.0),
        ("a", "loss", 1, 11.0),
    ]
    assert [(each["nan_count"], each["inf_count"], each["value_count"]) for each in got["series"]] == [
        (1, 2, 3),
        (2, 0, 3),
    ]


def test_only_runs_that_changed_are_read_again(source):
    client = InProcess(App(source))
    client.get("/api/runs/not_finite")
    assert sorted(source.read) == ["a", "a", "b"]
    source.read.clear()
    client.get("/api/runs/not_finite")
    assert source.read == []
    source.add_scalars("b", "loss", step=[2], value=[nan], wall_time=[20.0])
    got = client.get("/api/runs/not_finite").json
    assert source.read == ["b"]
    assert [(each["run"], each["step"]) for each in got["series"]] == [("a", 0), ("a", 1), ("b", 2)]
