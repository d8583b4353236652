"""What steps of profiles went to, as XProf has it, and as brute force has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.plain_traces import read_truth
from tests.support.profiles import golden_path, load_profile, table_rows

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.analysis.breakdown import part_of_name, rows_of, step_times
from runglass.query.profiles.analysis.intervals import cover
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.overview import find_outliers, overview
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.model import Category
from runglass.query.profiles.steps_xplane import find_steps

CASES = [
    ("jax_profile", ".xplane.pb"),
    ("jax_profile_gpu", ".xplane.pb"),
    ("keras_callback_profile", ".xplane.pb"),
    ("tf_graph_trace", ".xplane.pb"),
    ("torch_profiler_full", ".pt.trace.json"),
    ("torch_profiler_gpu", ".pt.trace.json.gz"),
]


def break_down(trace):
    return rows_of(step_times(trace))


def test_steps_of_jax_on_a_cpu_as_xprof_has_them():
    found = {step.name: step for step in break_down(load_profile(golden_path("jax_profile", ".xplane.pb")))}
    truth = table_rows(read_truth("jax_profile", "overview_page")[1])
    # XProf leaves out the first step and the last.
    assert [step["stepnum"] for step in truth] == ["train 1", "train 2", "train 3", "train 4"]
    for expected in truth:
        step = found[expected["stepnum"]]
        assert step.duration_ps / 1e9 == pytest.approx(expected["stepTimeMs"], abs=1e-6)
        # It counts the time of a pool's thread in which it only waited for the next task as the host's: 0.1 ms of one step.
        missed = 0.11 if step.name == "train 2" else 1e-6
        assert step.parts["host_compute"] / 1e9 == pytest.approx(expected["hostComputeTimeMs"], abs=missed)
        assert step.parts["other"] / 1e9 == pytest.approx(expected["otherTimeMs"], abs=missed)
    assert found["train 0"].parts["compilation"] > 0.9 * found["train 0"].duration_ps


def test_steps_of_jax_on_a_gpu_as_xprof_has_them():
    """XProf takes the work of the device for the step. A step is what the training loop says it is; its device time is equal."""
    found = break_down(load_profile(golden_path("jax_profile_gpu", ".xplane.pb")))
    truth = table_rows(read_truth("jax_profile_gpu", "overview_page")[1])
    for step, expected in zip(found, truth, strict=True):
        assert str(step.number) == expected["stepnum"]
        assert step.parts["device_compute"] / 1e9 == pytest.approx(expected["deviceComputeTimeMs"], abs=1e-6)
        assert step.duration_ps / 1e9 > expected["stepTimeMs"]


@pytest.mark.parametrize(("case", "ending"), CASES)
def test_parts_add_up(case, ending):
    trace = load_profile(golden_path(case, ending))
    found = overview(trace)
    assert len(found.steps) == len(trace.steps) > 0
    for step in found.steps:
        assert sum(step.parts.values()) == step.duration_ps
        assert min(step.parts.values()) >= 0
    assert found.step_ps is not None
    assert sum(found.parts.values()) == pytest.approx(found.step_ps.mean)
    shares = (found.device_busy, found.device_op_share, found.tensor_core_share, found.compute_16bit_share)
    for share in (*shares, found.sm_efficiency):
        assert share is None or 0 <= share <= 1
    assert (found.device_busy is None) == (not trace.info.devices)
    assert 0 < len(found.top_ops) <= 10
    assert found.is_synthetic == (trace.info.steps_note is not None)


@pytest.mark.parametrize("case", ["keras_callback_profile", "tf_graph_trace"])
def test_where_ops_ran_as_xprof_has_it(case):
    """XProf knows no op on the device of jax_profile_gpu: there the programs name them."""
    said = read_truth(case, "overview_page")[0]["p"]
    found = overview(load_profile(golden_path(case, ".xplane.pb")))
    assert f"{100 * found.device_op_share:.1f}%" == said["device_tf_op_percent"]
    assert f"{100 - 100 * found.device_op_share:.1f}%" == said["host_tf_op_percent"]


def test_what_a_gpu_was_used_for():
    found = overview(load_profile(golden_path("torch_profiler_gpu", ".pt.trace.json.gz")))
    assert found.device_names == ["NVIDIA H200"]
    # It was trained with bfloat16.
    assert found.compute_16bit_share > 0.1
    assert found.tensor_core_share > 0
    assert found.occupancy > 0
    rows = ops(load_profile(golden_path("torch_profiler_gpu", ".pt.trace.json.gz")))
    own = {place: sum(row.self_ps for row in rows if row.place == place) for place in ("host", "device")}
    assert found.device_op_share == own["device"] / (own["device"] + own["host"]) > 0
    assert found.environment["cuda_driver_version"] == 13000
    assert "schemaVersion" not in found.environment
    of_jax = overview(load_profile(golden_path("jax_profile_gpu", ".xplane.pb")))
    assert of_jax.environment["jax_version"] == "0.11.2"
    assert of_jax.compute_16bit_share == 0.0
    assert of_jax.peak_flop_rate == pytest.approx(1070.5e12, rel=1e-3)


def test_the_most_telling_activity_counts():
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    host = rows.add_track("/host:CPU", "1", process_name="/host:CPU", thread_name="python")
    stream = rows.add_track("/device:GPU:0", "7", process_name="/device:GPU:0", thread_name="Stream #7")
    rows.add_row("X", host, 0, 1000, "train", arguments={"step_num": 3, "_r": 1})
    rows.add_row("X", host, 0, 100, "IteratorGetNextOp::DoCompute")
    rows.add_row("X", host, 100, 400, "my_function")
    rows.add_row("X", host, 200, 50, "cuLaunchKernel", "cuda_runtime", arguments={"correlation_id": 1})
    rows.add_row("X", stream, 50, 10, "MemcpyH2D", "gpu_memcpy")
    rows.add_row("X", stream, 220, 100, "gemm", "kernel", arguments={"correlation_id": 1})
    rows.add_row("X", stream, 300, 50, "ncclDevKernel_AllReduce", "kernel")
    rows.add_row("X", stream, 600, 30, "MemcpyD2H", "gpu_memcpy")
    rows.add_row("X", stream, 990, 30, "gemm", "kernel")
    rows.freeze()
    (step,) = break_down(build_trace(rows, "xplane", sizes=[1], find_steps=find_steps))
    assert {part: time for part, time in step.parts.items() if time} == {
        "input": 100,
        "kernel_launch": 20,
        "device_compute": 110,
        "collectives": 30,
        "output": 30,
        "host_compute": 100 + 150,
        "other": 100 + 360,
    }


@pytest.mark.parametrize(
    ("name", "kind", "place", "part"),
    [
        ("MemcpyH2D", "copy", "device", "host_to_device"),
        ("MEMCPYDtoH", "copy", "device", "output"),
        ("Memcpy DtoD (Device -> Device)", "copy", "device", "device_to_device"),
        ("Memset (Device)", "copy", "device", "device_to_device"),
        ("memcpy128", "device", "device", "device_compute"),
        ("ProfilerStep#3", "step", "device", None),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "input", "host", "input"),
        ("Iterator::Map", "input", "host", "host_compute"),
        ("PjRtCpuClient::Compile", "compile", "host", "compilation"),
        ("EagerExecute", "op", "host", None),
    ],
)
def test_parts_of_names(name, kind, place, part):
    category = Category(name="", meaning=kind, place=place)
    assert part_of_name(name, category) == part


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12)


@given(spans, spans)
def test_covers_as_brute_force_has_them(intervals, asked):
    start = np.array([each[0] for each in intervals], np.int64)
    end = start + np.array([each[1] for each in intervals], np.int64)
    found = cover(start, end)
    moments = {time for first, length in intervals for time in range(first, first + length)}
    assert found.total == len(moments)
    low = np.array([each[0] for each in asked], np.int64)
    high = low + np.array([each[1] for each in asked], np.int64)
    assert found.within(low, high).tolist() == [
        len(moments & set(range(first, first + length))) for first, length in asked
    ]


def test_outliers():
    trace = load_profile(golden_path("jax_profile", ".xplane.pb"))
    assert [step.name for step in overview(trace).steps if step.is_outlier] == ["train 0"]
    assert not find_outliers(step_times(trace).duration[:3]).any()


def test_what_two_covers_share():
    first = cover(np.array([0, 10, 30]), np.array([5, 20, 40]))
    second = cover(np.array([4, 12, 15, 35]), np.array([11, 13, 31, 36]))
    both = first.common(second)
    assert list(zip(both.start.tolist(), both.end.tolist(), strict=True)) == [
        (4, 5),
        (10, 11),
        (12, 13),
        (15, 20),
        (30, 31),
        (35, 36),
    ]
    assert first.common(cover(np.empty(0, np.int64), np.empty(0, np.int64))).total == 0
    assert both.total == first.shared(second)
