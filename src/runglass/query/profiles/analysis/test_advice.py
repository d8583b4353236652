"""Trainings with one planted fault each: the advice names it, and nothing on the healthy one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.planted_training import STEPS, Training, planted
from tests.support.profiles import golden_path, load_profile

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.facts import show_bytes, show_count, show_time
from runglass.query.profiles.analysis.intervals import cover
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.column_file import ColumnFiles
from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import Content, convert, read_file
from runglass.query.profiles.steps_xplane import find_steps

US = 10**6


def ids(trace: Trace) -> list[str]:
    return [finding.id for finding in advice(trace)]


def test_a_healthy_training_needs_no_advice():
    assert ids(planted("healthy").trace()) == []


@pytest.mark.parametrize(
    ("fault", "finding", "gain", "said"),
    [
        ("slow_loader", "waiting_for_input", 0.59, "num_workers"),
        ("host_code", "host_code", 0.59, "ahead of time"),
        ("no_pin", "pageable_memory", 0.09, "pin_memory"),
        ("copies", "copies_to_host", 0.09, "on the device"),
        ("sync", "synchronisation", 0.1, ".item()"),
        ("tiny_kernels", "launch_bound", 0.72, "fused=True"),
        ("fp32", "full_precision", 0.49, "bfloat16"),
        ("recompile", "recompilation", 0.59, "dynamic"),
        ("leak", "memory_grows", None, "detach"),
        ("full", "memory_full", None, "checkpointing"),
    ],
)
def test_planted_faults_are_named(fault, finding, gain, said):
    trace = planted(fault).trace()
    found = advice(trace)
    assert [each.id for each in found] == [finding]
    assert said in found[0].action
    if gain is None:
        assert found[0].gain_share is None
    else:
        assert found[0].gain_share == pytest.approx(gain, abs=0.02)
    where = found[0].where
    assert where is not None
    assert 0 <= where.from_ps < where.to_ps
    if where.event is not None:
        trace.check_event(where.event)


def test_lines_of_code_are_named():
    (sync,) = advice(planted("sync").trace())
    assert sync.source == "train.py:91"
    assert sync.evidence.startswith("1 wait in a step, most of them in train.py:91.")
    (host,) = advice(planted("host_code").trace())
    assert "make_batch (train.py:15)" in host.evidence


def test_what_to_do_is_in_the_words_of_the_framework():
    (of_torch,) = advice(planted("fp32").trace())
    assert of_torch.framework == "torch"
    assert "torch.autocast" in of_torch.action
    assert "jax" not in of_torch.action.lower()
    (of_jax,) = advice(load_profile(golden_path("jax_profile_gpu", ".xplane.pb")))
    assert (of_jax.id, of_jax.framework) == ("host_bound", "jax")
    assert "jax.jit" in of_jax.action
    assert "torch" not in of_jax.action.lower()


@pytest.mark.parametrize(
    ("eager", "found"), [(0, []), (100, []), (150, ["eager_ops"]), (1000, ["eager_ops"])]
)
def test_ops_outside_of_functions_are_named(eager, found):
    """Of a step of TensorFlow with ops for 1 ms, so many µs are in no tf.function."""
    rows = TraceRows()
    rows.begin_file("a.xplane.pb", "a")
    host = rows.add_track("/host:CPU", "1", process_name="/host:CPU", thread_name="python")
    for number in range(2):
        start = number * 2_000 * US
        rows.add_row("X", host, start, 1_500 * US, "train", arguments={"step_num": number, "_r": 1})
        for name, at, long, is_func in (
            ("MatMul:MatMul", 100, eager, 0),
            ("model/Relu:Relu", 1_200 - eager, 1_000 - eager, 1),
        ):
            rows.add_row(
                "X",
                host,
                start + at * US,
                (long + 1) * US,
                "EagerExecute: op",
                arguments={"is_func": is_func},
            )
            rows.add_row("X", host, start + at * US, long * US, name)
    rows.freeze()
    trace = build_trace(rows, "xplane", sizes=[1], find_steps=find_steps)
    made = advice(trace)
    assert [each.id for each in made] == found
    if made:
        assert made[0].evidence == (
            f"{eager / 10:.0f} % of the time of all ops goes to 1 call a step outside of any tf.function; most of it to MatMul."
        )
        assert made[0].where is not None
        assert trace.start_ps[made[0].where.event] == 100 * US


def test_a_straggler_is_named():
    workers = []
    for rank, late in enumerate((0, 0, 3_000)):
        made = Training()
        for number in range(STEPS):
            begin = made.step(number)
            made.host("gloo:all_reduce", begin + 100 + late, 6_000 - late, "user_annotation")
        workers.append((f"rank{rank}.1.pt.trace.json", made.write(baseTimeNanoseconds=10**18)))
    files = [(name, lambda data=data: Content(data), len(data)) for name, data in workers]
    trace = convert(files, "torch", ["", "", ""], ColumnFiles(None), "", flag=None, report=None)
    assert trace.info.hosts == ["rank0", "rank1", "rank2"]
    (found,) = advice(trace)
    assert (found.id, found.title) == ("straggler", "rank2 holds up the other workers")
    assert found.gain_ps == pytest.approx(3_000 * 10**6)


def test_traces_without_steps_devices_or_events():
    made = planted("slow_loader")
    made.events = [each for each in made.events if not each["name"].startswith("ProfilerStep")]
    assert "waiting_for_input" in ids(made.trace())
    made.events = [each for each in made.events if each["pid"] == 100]
    assert ids(made.trace()) == []
    assert ids(read_file("t.json", b"[]")) == []


def test_what_is_covered_and_what_is_free():
    rng = np.random.default_rng(2)
    for _ in range(50):
        sets = []
        for _ in range(2):
            starts = rng.integers(0, 200, 20)
            sets.append(cover(starts, starts + rng.integers(0, 12, 20)))
        covered = [
            {
                t
                for start, end in zip(each.start.tolist(), each.end.tolist(), strict=True)
                for t in range(start, end)
            }
            for each in sets
        ]
        assert [each.total for each in sets] == [len(each) for each in covered]
        assert sets[0].shared(sets[1]) == len(covered[0] & covered[1])
        assert sets[0].free(50, 150).total == len(set(range(50, 150)) - covered[0])
    nothing = cover(np.empty(0, np.int64), np.empty(0, np.int64))
    assert (nothing.total, nothing.shared(nothing), nothing.free(3, 9).total) == (0, 0, 6)


def test_numbers_are_shown_with_their_units():
    assert (show_time(1.5e9), show_time(2e12), show_time(4e6)) == ("1.5 ms", "2 s", "4 µs")
    assert (show_bytes(2e9), show_bytes(512)) == ("2 GB", "512 B")
    assert (show_count(1, "wait"), show_count(9, "copy", "copies")) == ("1 wait", "9 copies")
