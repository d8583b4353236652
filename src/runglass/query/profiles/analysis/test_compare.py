from __future__ import annotations

import pytest
from tests.support.planted_training import STEP_US, Training, planted

from runglass.errors import BadRequest
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.breakdown import step_times
from runglass.query.profiles.analysis.compare import compare
from runglass.query.profiles.analysis.memory import read_curves
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.model import KEPT_ANSWERS

PS = 10**6


def test_a_slow_and_a_tuned_training():
    slow = Training()
    for number in range(5):
        begin = number * 2 * STEP_US
        slow.host(f"ProfilerStep#{number}", begin, 2 * STEP_US - 1, "user_annotation")
        for each in range(40):
            at = begin + 40 + each * 490
            slow.host("aten::copy_", at - 20, 10)
            slow.launch(at - 15, "sgemm_f32f32", at, 480)
    found = compare(slow.trace(), planted("healthy").trace())
    assert found.before_ps == pytest.approx(2 * STEP_US * PS, rel=0.01)
    assert found.after_ps == pytest.approx(STEP_US * PS, rel=0.01)
    kernels = {cause.name: cause for cause in found.causes if cause.kind == "kernel"}
    old = kernels.pop("sgemm_f32f32")
    assert (old.calls_before, old.calls_after, old.after) == (40, 0, 0)
    assert old.before == pytest.approx(40 * 480 * PS)
    # Less time of this, more of the other: together they are the difference.
    (new,) = kernels.values()
    assert old.share + new.share == pytest.approx(0.95, abs=0.05)
    assert new.share < 0 < old.share
    copies = next(cause for cause in found.causes if cause.name == "aten::copy_")
    assert (copies.kind, copies.calls_before, copies.calls_after) == ("op", 40, 0)
    assert {change.part: change.before_ps > change.after_ps for change in found.parts}["device_compute"]
    assert [finding.id for finding in found.gone] == ["full_precision"]
    assert found.fresh == []


def test_what_explains_most_comes_first_on_host_and_device():
    def training(loader_us: int, kernel_us: int) -> Training:
        made = Training()
        for number in range(5):
            begin = number * 10_000
            made.host(f"ProfilerStep#{number}", begin, 9_999, "user_annotation")
            made.host("DataLoader.__next__", begin + 10, loader_us)
            made.launch(begin + loader_us + 20, "gemm", begin + loader_us + 30, kernel_us)
        return made

    found = compare(training(100, 900).trace(), training(5_000, 910).trace())
    sizes = [abs(cause.after - cause.before) for cause in found.causes if cause.kind != "memory"]
    assert sizes == sorted(sizes, reverse=True)
    assert [cause.kind for cause in found.causes if cause.name in ("DataLoader.__next__", "gemm")] == [
        "op",
        "kernel",
    ]


def one_slow_step() -> Training:
    """Five steps of 10 ms; the fourth copies for 4 ms more, on a kernel that is larger."""
    made = Training()
    for number in range(5):
        begin, late = number * 20_000, 4_000 * (number == 3)
        made.host(f"ProfilerStep#{number}", begin, 10_000 + late, "user_annotation")
        for each in range(2 + 38 * bool(late)):
            made.host("aten::copy_", begin + 100 + each * 100, 90)
        made.launch(begin + 6_000, "gemm", begin + 6_100, 1_000 + late // 4)
    return made


def test_functions_of_python_are_the_time_of_the_op_that_runs_them():
    """What a loader takes is the same, whether stacks were recorded or not."""
    stacked = planted("slow_loader")
    for each in [each for each in stacked.events if each["name"].startswith("enumerate(DataLoader)")]:
        stacked.host("data.py(7): __getitem__", each["ts"] + 10, each["dur"] - 20, "python_function")
    for slow in (planted("slow_loader"), stacked):
        causes = {cause.name: cause for cause in compare(planted("healthy").trace(), slow.trace()).causes}
        loader = next(name for name in causes if name.startswith("enumerate(DataLoader)"))
        assert causes[loader].after == 5_900 * PS


def test_two_steps_of_one_profile():
    trace = one_slow_step().trace()
    found = compare(trace, trace, before_step=1, after_step=3)
    assert (found.before_ps, found.after_ps) == (10_000 * PS, 14_000 * PS)
    copies, kernel = found.causes[:2]
    assert (copies.name, copies.calls_before, copies.calls_after) == ("aten::copy_", 2, 40)
    assert (copies.after - copies.before) / PS == 38 * 90
    assert (kernel.name, kernel.before, kernel.after) == ("gemm", 1_000 * PS, 2_000 * PS)
    assert sum(part.after_ps - part.before_ps for part in found.parts) == 4_000 * PS
    assert (found.gone, found.fresh) == ([], [])
    assert found.notes == [
        "Findings are about all steps of a profile, so they are not compared for single steps."
    ]
    # Against an average step, and the other way round.
    usual = compare(trace, trace, after_step=3)
    assert (usual.before_ps, usual.after_ps) == (10_800 * PS, 14_000 * PS)
    back = compare(trace, trace, before_step=3, after_step=1)
    assert [cause.name for cause in back.causes[:2]] == ["aten::copy_", "gemm"]
    assert back.causes[0].share == pytest.approx(copies.share)


def test_the_memory_of_a_step_is_its_own():
    trace = planted("leak").trace()
    found = compare(trace, trace, before_step=0, after_step=4)
    (memory,) = (cause for cause in found.causes if cause.kind == "memory")
    assert 0 < memory.before < memory.after == max(curve.peak_bytes for curve in read_curves(trace))


def test_a_step_that_is_not_there():
    trace = one_slow_step().trace()
    with pytest.raises(BadRequest, match=r"no step 9; it has steps from 0 to 4"):
        compare(trace, trace, after_step=9)
    bare = Training()
    bare.host("aten::add", 0, 10)
    with pytest.raises(BadRequest, match=r"no step 1; nothing in it marks steps"):
        compare(bare.trace(), trace, before_step=1)


def test_a_profile_and_itself():
    trace = planted("slow_loader").trace()
    found = compare(trace, trace)
    assert found.before_ps == found.after_ps
    assert (found.causes, found.gone, found.fresh, found.notes) == ([], [], [], [])


def test_memory_and_new_advice():
    found = compare(planted("healthy").trace(), planted("leak").trace())
    (cause,) = (each for each in found.causes if each.kind == "memory")
    assert (cause.name, cause.before) == ("Memory", 0)
    assert cause.after == 4 * 5_000_000 + 50_000_000
    assert [finding.id for finding in found.fresh] == ["memory_grows"]


def test_different_programs_are_said():
    other = Training()
    other.host("ProfilerStep#0", 0, STEP_US, "user_annotation")
    for each in range(40):
        other.launch(100 + each * 200, f"kernel {each}", 110 + each * 200, 100)
    found = compare(planted("healthy").trace(), other.trace())
    assert any("1 step:" in note for note in found.notes)
    assert any("different programs" in note for note in found.notes)


def test_answers_are_kept_with_their_trace():
    trace = planted("slow_loader").trace()
    assert ops(trace) == [*ops(trace, place="host"), *ops(trace, place="device")]
    assert step_times(trace) is step_times(trace)
    assert advice(trace) is advice(trace)
    other = planted("slow_loader").trace()
    assert step_times(other) is not step_times(trace)
    for number in range(KEPT_ANSWERS):
        trace.computed.get(number, lambda: "answer")
    assert step_times(trace).start.tolist() == step_times(other).start.tolist()


def test_the_same_ops_with_other_kernels_are_the_same_program():
    """As after a change of precision."""
    runs = []
    for kind in ("f32", "bf16"):
        made = Training()
        for number in range(2):
            begin = number * STEP_US
            made.host(f"ProfilerStep#{number}", begin, STEP_US - 1, "user_annotation")
            for each in range(10):
                made.host(f"aten::op{each}", begin + 100 + each * 200, 50)
                made.launch(begin + 110 + each * 200, f"{kind} kernel {each}", begin + 130 + each * 200, 100)
        runs.append(made.trace())
    assert compare(*runs).notes == []
