"""Ops of torch's profiles: torch's own key_averages, and on a GPU what the file says of each launch."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.plain_traces import PROFILES, PlainEvent, read_chrome, read_truth

from runglass.query.profiles.analysis.ops_torch import IDLE, STEPS, ops
from runglass.query.profiles.read import read_file

US = 10**6
GPU = next((PROFILES / "torch_profiler_gpu").rglob("*.pt.trace.json.gz"))


def test_key_averages():
    path = sorted((PROFILES / "torch_profiler_full").rglob("*.pt.trace.json"))[-1]
    rows = {row.name: row for row in ops(read_file(path.name, path.read_bytes()))}
    truth = {
        row["name"]: row for row in read_truth("torch_profiler_full", "key_averages_last")["key_averages"]
    }
    assert {name for name in truth if name.startswith("aten::")} <= rows.keys()
    for name, row in rows.items():
        expected = truth[name]
        assert row.occurrences == expected["count"], name
        assert row.total_ps / US == pytest.approx(expected["cpu_time_total_us"], abs=0.002), name
        # A step ends inside the call that ends it: what of that call is the step's own is a matter of taste.
        if name != STEPS:
            assert row.self_ps / US == pytest.approx(expected["self_cpu_time_total_us"], abs=0.002), name


def test_device_time_belongs_to_the_op_that_launched_it():
    plain = read_chrome(GPU)
    trace = read_file(GPU.name, GPU.read_bytes())
    spans = plain.of("X")
    kernels = [e for e in spans if e.category in ("kernel", "gpu_memcpy", "gpu_memset")]
    calls = {e.arguments["correlation"]: e for e in spans if e.category in ("cuda_runtime", "cuda_driver")}
    expected_self: Counter[str] = Counter()
    expected_total: Counter[str] = Counter()
    for kernel in kernels:
        call = calls[kernel.arguments["correlation"]]
        around = [e for e in spans if e.track == call.track and e is not call and contains(e, call)]
        around.sort(key=lambda e: (e.start_ps, -e.duration_ps))
        for op in around:
            if op.category == "cpu_op":
                expected_total[op.name] += kernel.duration_ps
        inner = [op for op in around if op.category == "cpu_op"]
        expected_self[inner[-1].name if inner else call.name] += kernel.duration_ps
    rows = {row.name: row for row in ops(trace, place="host")}
    assert {name: row.device_self_ps for name, row in rows.items() if row.device_self_ps} == expected_self
    assert {name: rows[name].device_total_ps for name in expected_total} == expected_total
    on_device = ops(trace, place="device")
    assert sum(row.total_ps for row in on_device) == sum(e.duration_ps for e in kernels)
    assert Counter({row.name: row.occurrences for row in on_device}) == Counter(e.name for e in kernels)
    assert sum(row.share for row in on_device) == pytest.approx(1)


def contains(outer: PlainEvent, inner: PlainEvent) -> bool:
    return (
        outer.start_ps <= inner.start_ps
        and inner.start_ps + inner.duration_ps <= outer.start_ps + outer.duration_ps
    )


def test_groups_idle_and_ranges():
    trace = read_file(GPU.name, GPU.read_bytes())
    by_name = ops(trace)
    for by in ("type", "module", "shapes", "category"):
        rows = ops(trace, by=by)
        for place in ("host", "device"):
            assert sum(row.self_ps for row in rows if row.place == place) == sum(
                row.self_ps for row in by_name if row.place == place
            )
    idle = next(row for row in ops(trace, place="device", with_idle=True) if row.name == IDLE)
    busy = sum(row.total_ps for row in ops(trace, place="device"))
    assert idle.self_ps == pytest.approx(trace.info.end_ps - busy, rel=1e-3)
    step = trace.steps[1]
    inside = ops(trace, place="host", range=(step.start_ps, step.end_ps))
    assert 0 < sum(row.occurrences for row in inside) < sum(row.occurrences for row in by_name)
    assert any(row.shapes.startswith("[[64, ") for row in ops(trace, by="shapes"))
