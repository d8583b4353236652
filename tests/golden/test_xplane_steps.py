"""Steps of TensorFlow's and JAX's profiles: every event that XProf puts into a step is in the same one here."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from tests.support.plain_traces import PROFILES, list_profiles, read_truth, to_ps
from tests.support.trace_rows import Content

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.formats import xplane
from runglass.query.profiles.model import Trace
from runglass.query.profiles.steps_xplane import find_steps

EXPECTED = {
    "jax_profile": [f"train {number}" for number in range(6)],
    "jax_profile_gpu": [f"train {number}" for number in range(5)],
    # Keras counts batches from 1; the callback began with the second one.
    "keras_callback_profile": [f"Profiled batch {number}" for number in range(2, 6)],
    "tf_graph_trace": [f"FunctionRun {number}" for number in range(3)],
}
# How many events of the file XProf puts into a step. Work in pools, such as compiling, is followed further here.
COUNTS = {
    "jax_profile": 2133,
    "jax_profile_gpu": 255,
    "keras_callback_profile": 427,
    "tf_graph_trace": 15,
}


def build(rows: TraceRows) -> Trace:
    rows.freeze()
    return build_trace(rows, "xplane", sizes=[1] * len(rows.files), find_steps=find_steps)


def groups_of_xprof(case: str) -> dict[tuple[str, int, int, str], str]:
    """(thread, start, duration, name) to the group of events that have one."""
    events = read_truth(case, "trace_viewer")["traceEvents"]
    threads = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event.get("name") == "thread_name"
    }
    return {
        (
            threads[event["pid"], event["tid"]],
            to_ps(Decimal(str(event["ts"]))),
            to_ps(Decimal(str(event["dur"]))),
            event["name"],
        ): event["args"]["group_id"]
        for event in events
        if event.get("ph") == "X" and "group_id" in event.get("args", {})
    }


@pytest.mark.parametrize("case", EXPECTED)
def test_as_xprof_groups_them(case):
    (path,) = (path for path in list_profiles(".xplane.pb") if path.relative_to(PROFILES).parts[0] == case)
    rows = TraceRows()
    file = xplane.read(Content(path.read_bytes()), path.name, rows)
    trace = build(rows)
    assert [step.name for step in trace.steps] == EXPECTED[case]
    assert trace.info.steps_note is None
    groups = groups_of_xprof(case)
    shift_ps = ((trace.info.origin_ns or 0) - (file.base_ns or 0)) * 1000
    compared = 0
    for event in range(len(trace)):
        thread = trace.tracks[trace.track[event]].thread
        name = trace.strings[trace.name[event]]
        step = int(trace.step[event])
        for shown in (name, trace.steps[step].name):
            group = groups.get(
                (thread, int(trace.start_ps[event]) + shift_ps, int(trace.duration_ps[event]), shown)
            )
            if group is not None:
                compared += 1
                assert (thread, name, str(step)) == (thread, name, group)
                break
    assert compared == COUNTS[case] <= (trace.step >= 0).sum()


# --- traces made here


def made() -> tuple[TraceRows, int]:
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    return rows, rows.add_track("/host:CPU", "1", process_name="/host:CPU", thread_name="python")


def test_work_of_other_threads_and_devices_belongs_to_the_step_that_started_it():
    rows, main = made()
    pool = rows.add_track("/host:CPU", "2", process_name="/host:CPU", thread_name="pool")
    stream = rows.add_track("/device:GPU:0", "7", process_name="/device:GPU:0", thread_name="Stream #7")
    for number in (11, 12):
        at = 1000 * number
        rows.add_row("X", main, at, 500, "train", arguments={"step_num": number, "_r": 1})
        rows.add_row("X", main, at + 10, 5, "give", arguments={"_pt": 3, "_p": number})
        # Long after the mark has ended.
        begin = at + 2000
        rows.add_row(
            "X", pool, begin, 0, "ThreadpoolListener::StartRegion", arguments={"_ct": 3, "_c": number}
        )
        rows.add_row("X", pool, begin + 1, 20, "work")
        rows.add_row("X", pool, begin + 2, 5, "launch", arguments={"correlation_id": number})
        rows.add_row("X", pool, begin + 30, 0, "ThreadpoolListener::StopRegion")
        rows.add_row("X", pool, begin + 40, 5, "idle")
        rows.add_row("X", stream, begin + 5000, 9, "kernel", arguments={"correlation_id": number})
    trace = build(rows)
    assert [(step.number, step.name, step.host) for step in trace.steps] == [
        (11, "train 11", "a"),
        (12, "train 12", "a"),
    ]
    names = np.array([trace.strings[each] for each in trace.name])
    for name in ("train", "give", "work", "launch", "kernel"):
        assert trace.step[names == name].tolist() == [0, 1], name
    assert trace.step[names == "idle"].tolist() == [-1, -1]


def test_work_of_a_pool_that_never_ends():
    """The profile began or ended in the middle of it."""
    rows, main = made()
    rows.add_row("X", main, 0, 500, "train", arguments={"step_num": 1, "_r": 1})
    for number, edges in enumerate((("StopRegion", "StartRegion"), ("StartRegion", "StartRegion"))):
        pool = rows.add_track("/host:CPU", f"p{number}", process_name="/host:CPU", thread_name="pool")
        for at, edge in enumerate(edges):
            rows.add_row("X", pool, 10 * at, 0, f"ThreadpoolListener::{edge}")
    trace = build(rows)
    assert [step.name for step in trace.steps] == ["train 1"]
    assert (trace.step >= 0).sum() == 1


def test_a_line_of_steps_of_the_device():
    rows, main = made()
    rows.add_row("X", main, 0, 10, "anything")
    steps = rows.add_track("/device:TPU:0", "1", process_name="/device:TPU:0", thread_name="Steps")
    ops = rows.add_track("/device:TPU:0", "2", process_name="/device:TPU:0", thread_name="XLA Ops")
    for number in (4, 5):
        rows.add_row("X", steps, 1000 * number, 900, str(number))
        rows.add_row("X", ops, 1000 * number + 100, 50, "fusion")
    rows.add_row("X", ops, 4950, 10, "between")
    trace = build(rows)
    assert [(step.number, step.name) for step in trace.steps] == [(4, "step 4"), (5, "step 5")]
    names = np.array([trace.strings[each] for each in trace.name])
    assert trace.step[names == "fusion"].tolist() == [0, 1]
    assert trace.step[names == "between"].tolist() == [-1]


def test_groups_that_the_file_names():
    rows, main = made()
    other = rows.add_track("/host:CPU", "2", process_name="/host:CPU", thread_name="other")
    for number in (0, 1):
        group = {"group_id": number + 7}
        rows.add_row(
            "X", main, 100 * number, 50, "train", arguments={"_r": 1, "step_name": f"step {number}", **group}
        )
        rows.add_row("X", other, 100 * number + 70, 50, "work", arguments=group)
    rows.add_row("X", other, 500, 5, "work")
    trace = build(rows)
    assert [step.name for step in trace.steps] == ["step 0", "step 1"]
    names = np.array([trace.strings[each] for each in trace.name])
    assert sorted(trace.step[names == "work"].tolist()) == [-1, 0, 1]


def test_nothing_marks_a_step():
    rows, main = made()
    rows.add_row("X", main, 0, 10, "host")
    stream = rows.add_track("/device:GPU:0", "7", process_name="/device:GPU:0", thread_name="Stream #7")
    rows.add_row("X", stream, 100, 10, "a")
    rows.add_row("X", stream, 200, 10, "b")
    trace = build(rows)
    (step,) = trace.steps
    assert (step.start_ps, step.end_ps) == (100, 210)
    assert trace.info.steps_note is not None
    assert sorted(trace.step.tolist()) == [-1, 0, 0]


def test_an_empty_trace_has_no_steps():
    rows, _ = made()
    assert build(rows).steps == []
