"""Which thread of a host explains what a device waits for: the one that runs the training, not one that only waits or launches."""

from __future__ import annotations

from tests.support.planted_training import STEP_US, STEPS, Training

from runglass.query.profiles.busy import stepping_thread
from runglass.query.profiles.critical_path import find_path
from runglass.query.profiles.gaps import find_gaps

PS = 10**6


def made() -> Training:
    """Each step loads for 6 ms, then a thread beside the training launches a kernel; a third thread waits all the time."""
    training = Training()
    for thread in (200, 300):
        training.track(1, 100, "CPU", thread, f"helper {thread}")
    training.add("X", "acquire", 0, 100, 300, "python_function", {}, dur=STEP_US * STEPS)
    training.add("X", "idle loop", 0, 100, 300, "cpu_op", {}, dur=STEP_US * STEPS)
    for number in range(STEPS):
        begin = number * STEP_US
        training.host(f"ProfilerStep#{number}", begin, STEP_US - 1, "user_annotation")
        training.host("load", begin + 10, 6_000)
        training.add("X", "dispatch", begin + 6_100, 100, 200, "cpu_op", {}, dur=20)
        correlation = {"correlation": number + 1}
        training.add("X", "cudaLaunchKernel", begin + 6_105, 100, 200, "cuda_runtime", correlation, dur=5)
        training.add("X", "kernel", begin + 6_200, 0, 7, "kernel", {**correlation, "device": 0}, dur=3_000)
    return training


def test_the_thread_that_marks_the_steps():
    trace = made().trace()
    main = stepping_thread(trace, trace.info.hosts[0])
    assert main is not None
    assert trace.tracks[main].thread_id == "100"
    assert stepping_thread(trace, "nobody") is None


def test_a_gap_is_explained_by_the_training_not_by_the_thread_that_launches():
    trace = made().trace()
    gaps = find_gaps(trace, 0, trace.info.end_ps, min_ps=100 * PS, limit=10).gaps
    # As far as steps go: before the first kernel and after the last one, too.
    names = [trace.name_of(gap.host.event) for gap in gaps if gap.host]
    assert names == ["load"] * STEPS + [f"ProfilerStep#{STEPS - 1}"]
    assert sum(gap.duration_ps for gap in gaps) == (STEPS * (STEP_US - 3_000) - 1) * PS


def test_a_path_goes_through_the_training_not_through_who_waits():
    trace = made().trace()
    took: dict[str, int] = {}
    for each in find_path(trace, 0, trace.info.end_ps).segments:
        name = "" if each.event is None else trace.name_of(each.event)
        took[name] = took.get(name, 0) + each.end_ps - each.start_ps
    assert not took.keys() & {"acquire", "idle loop"}
    assert took["load"] == STEPS * 6_000 * PS
    # The host waits for no kernel; the end waits for the last one.
    assert took["kernel"] == 3_000 * PS
