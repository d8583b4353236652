"""Kernels of profiles that frameworks wrote, as XProf sums them."""

from __future__ import annotations

import pytest
from tests.support.plain_traces import read_chrome, read_truth
from tests.support.profiles import golden_path, load_profile, table_rows

from runglass.query.profiles.analysis.kernels import kernels, parse_sizes


def test_as_xprof_sums_them():
    trace = load_profile(golden_path("jax_profile_gpu", ".xplane.pb"))
    found = kernels(trace)
    truth = table_rows(read_truth("jax_profile_gpu", "kernel_stats"))
    assert len(found) == len(truth) == 15
    by_name = {row.name: row for row in found}
    for expected in truth:
        row = by_name[expected["kernel_name"]]
        assert row.op == expected["op_name"]
        assert ",".join(map(str, row.grid)) == expected["grid_dim"]
        assert ",".join(map(str, row.block)) == expected["block_dim"]
        assert row.registers == expected["registers_per_thread"]
        assert row.shared_bytes == expected["shmem_bytes"]
        assert row.occupancy == expected["occupancy_pct"]
        assert row.occurrences == expected["occurrences"]
        # XProf counts whole nanoseconds and rounds its means.
        assert row.total_ps / 1e6 == pytest.approx(expected["total_duration_us"], abs=0.001)
        assert row.mean_ps / 1e6 == pytest.approx(expected["avg_duration_us"], abs=0.001)
        assert row.min_ps / 1e6 == pytest.approx(expected["min_duration_us"], abs=0.001)
        assert row.max_ps / 1e6 == pytest.approx(expected["max_duration_us"], abs=0.001)
        assert row.tensor_cores == expected["is_kernel_using_tensor_core"]
        assert row.is_eligible == expected["is_op_tensor_core_eligible"]
    assert [row.total_ps for row in found] == sorted((row.total_ps for row in found), reverse=True)
    assert sum(row.share for row in found) == pytest.approx(1)


def test_of_torch_as_the_plain_reader_sums_them():
    path = golden_path("torch_profiler_gpu", ".pt.trace.json.gz")
    found = kernels(load_profile(path))
    events = [event for event in read_chrome(path).of("X") if event.category == "kernel"]
    assert sum(row.occurrences for row in found) == len(events)
    assert sum(row.total_ps for row in found) == sum(event.duration_ps for event in events)
    shapes = {(row.name, row.grid, row.block, row.registers, row.shared_bytes) for row in found}
    assert shapes == {
        (
            event.name,
            tuple(event.arguments["grid"]),
            tuple(event.arguments["block"]),
            event.arguments["registers per thread"],
            event.arguments["shared memory"],
        )
        for event in events
    }
    assert all(row.op for row in found)
    assert any(row.tensor_cores and row.is_eligible for row in found)


def test_idle_times_before_kernels_as_brute_force_has_them():
    path = golden_path("torch_profiler_gpu", ".pt.trace.json.gz")
    on_device = {"kernel", "gpu_memcpy", "gpu_memset"}
    expected: dict[str, int] = {}
    busy_until = None
    work = [event for event in read_chrome(path).of("X") if event.category in on_device]
    for event in sorted(work, key=lambda each: each.start_ps):
        if event.category == "kernel":
            gap = 0 if busy_until is None else max(event.start_ps - busy_until, 0)
            expected[event.name] = expected.get(event.name, 0) + gap
        busy_until = max(busy_until or 0, event.start_ps + event.duration_ps)
    found: dict[str, int] = {}
    for row in kernels(load_profile(path)):
        found[row.name] = found.get(row.name, 0) + row.idle_before_ps
    assert found == expected
    assert max(found.values()) > 10**9


def test_a_range_and_no_kernels():
    trace = load_profile(golden_path("jax_profile_gpu", ".xplane.pb"))
    step = trace.steps[0]
    assert sum(row.occurrences for row in kernels(trace, range=(step.start_ps, step.end_ps))) == 15
    assert kernels(trace, range=(0, 0)) == []
    assert kernels(load_profile(golden_path("tf_graph_trace", ".xplane.pb"))) == []


@pytest.mark.parametrize(
    ("text", "sizes"), [("40,1,1", (40, 1, 1)), ("[2, 3]", (2, 3)), ("", ()), ("1,x", ()), ("-1", ())]
)
def test_sizes(text, sizes):
    assert parse_sizes(text) == sizes
