"""Memory of profiles: the peak that XProf finds, and what a plain replay of torch's events finds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.plain_traces import PROFILES, read_chrome, read_truth

from runglass.query.profiles.analysis.alive import BEFORE
from runglass.query.profiles.analysis.memory import memory
from runglass.query.profiles.read import read_file


def read(case, ending):
    path = next((PROFILES / case / "logdir").rglob(f"*{ending}"))
    return path, read_file(path.name, path.read_bytes())


def test_the_peak_of_jax_as_xprof_finds_it():
    _, trace = read("jax_profile_gpu", ".xplane.pb")
    truth = read_truth("jax_profile_gpu", "memory_profile")["memoryProfilePerAllocator"]
    view = memory(trace)
    assert {curve.allocator for curve in view.curves} == truth.keys()
    (curve,) = view.curves
    stats = truth[curve.allocator]["profileSummary"]["peakStats"]
    assert curve.peak_bytes == int(stats["heapAllocatedBytes"])
    assert curve.device == 0
    assert sum(row.bytes for row in view.at_peak) == curve.peak_bytes
    # XProf lists what was allocated in the step of the peak; ours has that, and what was allocated before.
    alive = {
        (int(each["activityMetadata"]["address"]), int(each["activityMetadata"]["allocationBytes"]))
        for each in truth[curve.allocator]["memoryProfileSnapshots"]
    }
    made = view.allocations
    at_peak = (made.start_ps <= curve.peak_ps) & ((made.end_ps < 0) | (made.end_ps > curve.peak_ps))
    ours = set(zip(made.address[at_peak].tolist(), made.bytes[at_peak].tolist(), strict=True))
    assert alive <= ours


@pytest.mark.parametrize(
    ("case", "ending"),
    [("torch_profiler_gpu", ".gz"), ("torch_profiler_full", "1794705289884105709.pt.trace.json")],
)
def test_torch_as_a_plain_replay(case, ending):
    path, trace = read(case, ending)
    view = memory(trace)
    said = [e for e in read_chrome(path).events if e.name == "[memory]"]
    kinds = {e.arguments["Device Type"] for e in said}
    assert {curve.allocator for curve in view.curves} == {
        "Memory" if kind else "Host memory" for kind in kinds
    }
    for kind in kinds:
        (curve,) = (each for each in view.curves if each.allocator == ("Memory" if kind else "Host memory"))
        own = sorted((e for e in said if e.arguments["Device Type"] == kind), key=lambda e: e.start_ps)
        assert curve.peak_bytes == max(e.arguments["Total Allocated"] for e in own)
        assert curve.allocated.tolist() == [e.arguments["Total Allocated"] for e in own]
    assert (view.allocations.bytes > 0).all()
    assert len(view.allocations.bytes) == sum(e.arguments["Bytes"] > 0 for e in said)
    alive: dict[tuple[int, int], tuple[int, int]] = {}
    lifetimes = []
    for e in sorted(said, key=lambda e: e.start_ps):
        key = (e.arguments["Device Type"], e.arguments["Addr"])
        if e.arguments["Bytes"] > 0:
            alive[key] = (e.start_ps, e.arguments["Bytes"])
        elif key in alive:
            start, size = alive.pop(key)
            lifetimes.append((e.start_ps - start, size))
    made = view.allocations
    freed = made.end_ps >= 0
    ours = zip((made.end_ps - made.start_ps)[freed].tolist(), made.bytes[freed].tolist(), strict=True)
    assert sorted(ours) == sorted(lifetimes)
    highest = max(view.curves, key=lambda curve: curve.peak_bytes)
    assert sum(row.bytes for row in view.at_peak) == highest.peak_bytes


def test_torch_names_the_op_that_asked():
    _, trace = read("torch_profiler_full", "1794705292013680843.pt.trace.json")
    view = memory(trace)
    truth = {
        row["name"]: row for row in read_truth("torch_profiler_full", "key_averages_last")["key_averages"]
    }
    made = view.allocations
    by_op: dict[str, int] = {}
    for op, size in zip(made.op.tolist(), made.bytes.tolist(), strict=True):
        by_op[trace.text(op)] = by_op.get(trace.text(op), 0) + size
    # torch takes off what is freed inside an op, which this one does not do.
    assert by_op["aten::cat"] == truth["aten::cat"]["self_cpu_memory_usage"]
    assert np.array_equal(made.event >= 0, made.op >= 0)
    assert BEFORE not in by_op


def test_no_memory_is_said():
    _, trace = read("jax_profile", ".xplane.pb")
    view = memory(trace)
    assert (view.curves, view.at_peak, view.allocations) == ([], [], None)
    assert "save_device_memory_profile" in view.notes[0]
