from __future__ import annotations

import pytest

from runglass import machine
from runglass.native.columns import Columns
from runglass.store import budget as budget_module
from runglass.store.budget import MemoryBudget, default_budget_bytes
from runglass.store.model import Kind, SeriesMeta
from runglass.store.parts import FileStage, Part
from runglass.store.snapshot import read_snapshot
from runglass.store.stage import RunStage, SeriesStage, Store

ROWS = 1000


@pytest.fixture
def store() -> Store:
    store = Store(["memory"])
    for name in ("a", "b", "c"):
        run = store.runs[name] = RunStage(name, decode=lambda value, meta: value)
        series = run.series["tag"] = SeriesStage("tag", SeriesMeta(Kind.TEXT), is_points=False)
        columns = Columns()
        for step in range(ROWS):
            columns.append_range(step, float(step), 2 * step, 3, 4)
        series.put_part(Part(FileStage("file", "file", "file"), columns))
    return store


def held(store: Store) -> dict[str, int]:
    return {name: run.series["tag"].parts[0].columns.nbytes for name, run in store.runs.items()}


def steps(store: Store, name: str) -> list[int]:
    return read_snapshot(store.runs[name].series["tag"]).arrays[0].tolist()


def test_within_the_budget_nothing_moves(store):
    before = held(store)
    budget = MemoryBudget(sum(before.values()))
    budget.enforce(store)
    assert (held(store), budget.moved_bytes) == (before, 0)


def test_what_was_read_longest_ago_moves_first_and_reads_as_before(store):
    for name in ("b", "a", "c"):
        steps(store, name)
    size = held(store)["a"]
    budget = MemoryBudget(3 * size - 1)
    budget.enforce(store)
    assert held(store) == {"a": size, "b": 0, "c": size}
    assert budget.moved_bytes == size
    assert steps(store, "b") == list(range(ROWS))


def test_moved_columns_grow_on(store):
    MemoryBudget(0).enforce(store)
    assert set(held(store).values()) == {0}
    series = store.runs["a"].series["tag"]
    series.parts[0].columns.append_range(ROWS, 0.0, 0, 0, 0)
    assert held(store)["a"] > 0
    assert steps(store, "a") == list(range(ROWS + 1))


def test_a_run_that_is_being_changed_is_left_alone(store):
    with store.runs["a"].lock:
        MemoryBudget(0).enforce(store)
        assert {name for name, size in held(store).items() if size} == {"a"}
    assert store.runs["b"].lock.acquire(blocking=False)


def test_it_is_not_checked_all_the_time(store, monkeypatch):
    now = 100.0
    monkeypatch.setattr(budget_module.time, "monotonic", lambda: now)
    budget = MemoryBudget(1 << 40)
    budget.enforce(store)
    budget.limit_bytes = 0
    now += 0.5
    budget.enforce(store)
    assert budget.moved_bytes == 0
    now += 0.5
    budget.enforce(store)
    assert budget.moved_bytes > 0


def test_the_default_is_half_of_the_least_limit(monkeypatch):
    monkeypatch.setattr(machine.os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}.get)
    limits = {"/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "3000\n"}
    monkeypatch.setattr(machine.Path, "read_text", lambda path: limits[str(path)])
    assert default_budget_bytes() == 1500
    limits["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9999999\n"
    assert default_budget_bytes() == 4096 * 1000 // 2
