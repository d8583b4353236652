"""Ops of TensorFlow's and JAX's profiles, as XProf sums them."""

from __future__ import annotations

import msgspec
import pytest
from tests.support.plain_traces import read_truth
from tests.support.profiles import golden_path, load_profile, table_rows

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.analysis.model import OpRow
from runglass.query.profiles.analysis.op_names import OpName, parse_op
from runglass.query.profiles.analysis.ops_xplane import ops
from runglass.query.profiles.analysis.tree import time_tree
from runglass.query.profiles.build import build_trace

IDLE = "IDLE"


@pytest.mark.parametrize("case", ["keras_callback_profile", "tf_graph_trace", "jax_profile_gpu"])
@pytest.mark.parametrize("with_idle", [True, False])
def test_as_xprof_sums_them(case, with_idle):
    trace = load_profile(golden_path(case, ".xplane.pb"))
    found = {(row.place, row.type, row.name): row for row in ops(trace, with_idle=with_idle)}
    truth = table_rows(read_truth(case, "framework_op_stats")[0 if with_idle else 1])
    # XProf finds no op on JAX's devices, and so takes all of their time for idle.
    busy_us = sum(row.total_ps for row in ops(trace, place="device")) / 1e6
    for expected in truth:
        place = expected["host_or_device"].lower()
        row = found.pop((place, expected["type"], expected["operation"]))
        missed_us = busy_us if (place, row.type) == ("device", IDLE) else 0
        assert row.occurrences == expected["occurrences"]
        assert row.total_ps / 1e6 == pytest.approx(expected["total_time"] - missed_us, abs=0.001)
        assert row.self_ps / 1e6 == pytest.approx(expected["total_self_time"] - missed_us, abs=0.001)
        assert row.is_eager == (expected["eager"] != "Function")
        if not with_idle and place == "host":
            assert row.share == pytest.approx(expected["host_total_self_time_percent"])
    assert all(place == "device" for place, _, _ in found)
    assert len(truth) > 0


def test_what_a_cpu_executed_of_a_program():
    trace = load_profile(golden_path("jax_profile", ".xplane.pb"))
    found = ops(trace, place="host")
    assert {row.type for row in found} == {"HLO"}
    assert {"dot.1", "ynn_fusion"} <= {row.name for row in found}
    assert sum(row.share for row in found) == pytest.approx(1)
    assert ops(trace, place="device") == []


@pytest.mark.parametrize("by", ["type", "module", "category", "shapes"])
def test_other_groups_have_the_same_sums(by):
    for case in ("keras_callback_profile", "jax_profile_gpu"):
        trace = load_profile(golden_path(case, ".xplane.pb"))
        names, groups = ops(trace), ops(trace, by=by)
        for place in ("host", "device"):
            for column in ("occurrences", "total_ps", "self_ps", "device_total_ps", "device_self_ps"):
                assert sum(getattr(row, column) for row in groups if row.place == place) == sum(
                    getattr(row, column) for row in names if row.place == place
                )
        assert len(groups) <= len(names)


def test_types_and_modules_of_keras():
    trace = load_profile(golden_path("keras_callback_profile", ".xplane.pb"))
    types = {row.type: row for row in ops(trace, by="type")}
    assert types["Dataset"].occurrences == 333
    modules = {row.name for row in ops(trace, by="module")}
    assert "StatefulPartitionedCall/sequential_1/dense_1" in modules


def test_kernels_count_for_the_op_that_launched_them():
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    host = rows.add_track("/host:CPU", "1", process_name="/host:CPU", thread_name="python")
    stream = rows.add_track("/device:GPU:0", "7", process_name="/device:GPU:0", thread_name="Stream #7")
    rows.add_row("X", host, 0, 1000, "model/call:PartitionedCall")
    rows.add_row("X", host, 100, 300, "model/dense/MatMul:MatMul")
    for correlation, at in ((1, 50), (2, 150), (3, 200)):
        rows.add_row("X", host, at, 10, "launch", arguments={"correlation_id": correlation})
        rows.add_row(
            "X",
            stream,
            1000 * correlation,
            100 * correlation,
            "sgemm_16816",
            arguments={
                "correlation_id": correlation,
                "tf_op": "model/dense/MatMul:MatMul",
                "flops": 50,
                "bytes_accessed": 10,
            },
        )
    rows.freeze()
    trace = build_trace(rows, "xplane", sizes=[1])
    call, product = sorted(ops(trace, place="host"), key=lambda row: row.name)
    assert (call.total_ps, call.self_ps) == (1000, 700)
    assert (call.device_total_ps, call.device_self_ps) == (600, 100)
    assert (product.device_total_ps, product.device_self_ps, product.module) == (500, 500, "model/dense")
    (device,) = ops(trace, place="device")
    assert (device.name, device.type, device.occurrences, device.total_ps) == (
        "model/dense/MatMul",
        "MatMul",
        3,
        600,
    )
    assert (device.flops, device.bytes, device.intensity) == (150, 30, 5)
    assert device.flop_rate == pytest.approx(150 / 600e-12)
    assert device.tensor_cores == 1.0
    assert [row.occurrences for row in ops(trace, place="device", range=(0, 2000))] == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b/MatMul_1:_MklMatMul", OpName("a/b/MatMul_1", "_MklMatMul")),
        ("jit(f)/dot", None),
        ("f/dot:dot_general[dims=1]", OpName("f/dot", "dot_general")),
        ("a/Relu_12:", OpName("a/Relu_12", "Relu")),
        ("Iterator::Root::Map", OpName("Iterator::Root::Map", "Dataset")),
        ("ThreadpoolListener::Record", None),
        ("MemcpyH2D", OpName("MemcpyH2D", "MemcpyHToD")),
        ("memcpy128", None),
        ("", None),
    ],
)
def test_names(text, expected):
    assert parse_op(text) == expected


def test_instructions_of_xla_are_counted_by_their_programs():
    trace = load_profile(golden_path("jax_profile_gpu", ".xplane.pb"))
    rows = {row.name: row for row in ops(trace, place="device")}
    # dot(f32[512,256], f32[256,512]), five times, and dot(f32[512,8,64], f32[8,64,8]) on the larger of its input and 0.
    product = rows["gemm_fusion_dot_general_5"]
    assert product.flops == 5 * 2 * 512 * 256 * 512
    assert product.bytes == 5 * 4 * (512 * 256 + 256 * 512 + 512 * 512)
    assert product.intensity == product.flops / product.bytes
    assert product.source.endswith("j.py:7")
    assert rows["gemm_fusion_dot_2"].flops == 5 * (2 * 512 * 8 * 64 * 8 + 512 * 8 * 64)
    assert product.bound_by == "memory"
    # As the route sends them.
    assert msgspec.convert(
        msgspec.json.decode(msgspec.json.encode(list(rows.values()))), list[OpRow]
    ) == list(rows.values())
    assert all(row.flop_rate < 1070e12 for row in rows.values() if row.flop_rate)
    tree = time_tree(trace, "program", "device")
    at = tree.name.index("gemm_fusion_dot_general_5")
    around = [tree.name[tree.parent[at]], tree.name[tree.parent[tree.parent[at]]]]
    assert (around, tree.total[at]) == (["custom fusion", "jit_st"], product.self_ps)
