"""Where the time of the input goes, as XProf has it."""

from __future__ import annotations

import pytest
from tests.support.plain_traces import read_truth
from tests.support.profiles import golden_path, load_profile, table_rows

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.analysis.input_pipeline import input_pipeline
from runglass.query.profiles.analysis.loading import plain_name
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.steps_xplane import find_steps


def test_iterators_as_xprof_sums_them():
    found = input_pipeline(load_profile(golden_path("keras_callback_profile", ".xplane.pb")))
    table = read_truth("keras_callback_profile", "input_pipeline_analyzer")[2]

    def full_name(at: int) -> str:
        row = found.iterators[at]
        return f"{full_name(row.parent)}::{row.name}" if row.parent >= 0 else f"Iterator::{row.name}"

    mine = {full_name(at): row for at, row in enumerate(found.iterators)}
    truth = table_rows(table)
    assert mine.keys() == {expected["opName"] for expected in truth}
    for expected in truth:
        row = mine[expected["opName"]]
        assert row.calls == expected["count"]
        assert row.total_ps / 1e9 == pytest.approx(expected["timeInMs"], abs=1e-6)
        assert row.self_ps / 1e9 == pytest.approx(expected["selfTimeInMs"], abs=1e-6)
    times = {stage.stage: stage.time_ps for stage in found.stages}
    assert times["preprocess"] / 1e6 == pytest.approx(float(table["p"]["preprocessing_us"]), abs=0.001)
    assert times["read"] == 0
    assert sum(stage.share for stage in found.stages) == pytest.approx(1)
    # Prefetching only waits for what it asks.
    assert [row.name for row in found.iterators if row.is_bottleneck] == ["TensorSlice"]
    assert found.notes == []


@pytest.mark.parametrize(
    ("case", "ending"), [("jax_profile", ".xplane.pb"), ("jax_profile_gpu", ".xplane.pb")]
)
def test_where_nothing_tells_of_input(case, ending):
    found = input_pipeline(load_profile(golden_path(case, ending)))
    assert found.iterators == []
    assert found.loaders == []
    assert len(found.notes) == 1
    assert "TraceAnnotation" in found.notes[0]
    # What the host does on its own may be loading.
    assert found.verdict == "perhaps"


def test_loaders_of_torch():
    found = input_pipeline(load_profile(golden_path("torch_profiler_full", ".pt.trace.json")))
    assert any("DataLoader" in row.name for row in found.loaders)
    assert found.notes == []
    # The training's own process makes the batches: all of the wait is in functions of the loader.
    made = next(row.time_ps for row in found.stages if row.stage == "preprocess")
    assert made == sum(row.total_ps for row in found.loaders if "__next__" in row.name)
    assert 0.9 * made < sum(row.self_ps for row in found.inside) <= made
    slowest = found.inside[0]
    assert (slowest.name, slowest.source, slowest.calls) == (
        "<genexpr>",
        "torch/utils/data/dataset.py:206",
        288,
    )


def test_names_of_built_in_functions():
    assert (
        plain_name("<built-in method sort of numpy.ndarray object at 0x7eff39a8cb10>") == "numpy.ndarray.sort"
    )
    assert plain_name("<built-in method from_numpy of type object at 0x7f0179d3e180>") == "from_numpy"
    assert plain_name("<built-in function read>") == "read"
    assert plain_name("aten::stack") == "aten::stack"


@pytest.mark.parametrize(
    ("wait", "other", "expected"),
    [(300, 0, "input"), (100, 0, "both"), (10, 100, "perhaps"), (10, 0, "device")],
)
def test_verdicts(wait, other, expected):
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    host = rows.add_track("/host:CPU", "1", process_name="/host:CPU", thread_name="python")
    rows.add_row("X", host, 0, 1000, "train", arguments={"step_num": 3, "_r": 1})
    rows.add_row("X", host, 0, wait, "IteratorGetNextOp::DoCompute")
    rows.add_row("X", host, wait, 1000 - wait - other, "work")
    rows.freeze()
    found = input_pipeline(build_trace(rows, "xplane", sizes=[1], find_steps=find_steps))
    assert found.verdict == expected
    assert found.input_share == wait / 1000


def test_without_events():
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    rows.freeze()
    found = input_pipeline(build_trace(rows, "xplane", sizes=[1], find_steps=find_steps))
    assert (found.verdict, found.input_share, found.steps) == ("unknown", 0.0, [])
