"""Steps of torch's profiles: every event is in the step that the plain reader finds by time and correlation."""

from __future__ import annotations

import re

import pytest
from tests.support.plain_traces import PROFILES, PlainEvent, list_profiles, read_chrome

from runglass.query.profiles.read import read_file

TRACES = list_profiles(".pt.trace.json", ".pt.trace.json.gz")
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}


def host_step(marks: list[PlainEvent], time_ps: int) -> str | None:
    return next(
        (mark.name for mark in marks if mark.start_ps <= time_ps < mark.start_ps + mark.duration_ps), None
    )


@pytest.mark.parametrize("path", TRACES, ids=lambda path: str(path.relative_to(PROFILES).parts[0]))
def test_steps(path):
    plain = read_chrome(path)
    trace = read_file(path.name, path.read_bytes())
    marks = [e for e in plain.events if re.match("ProfilerStep#", e.name) and e.category == "user_annotation"]
    assert len(marks) == 3
    launches = {
        e.arguments["correlation"]: e.start_ps
        for e in plain.of("X")
        if e.category in ("cuda_runtime", "cuda_driver") and "correlation" in e.arguments
    }
    expected: dict[tuple[str, str, int], str | None] = {}
    lasts = {mark.name: mark.start_ps + mark.duration_ps for mark in marks}
    first = min(e.start_ps for e in plain.events)
    for e in plain.of("X"):
        if e.category == "gpu_user_annotation":
            continue
        on_device = e.category in DEVICE
        step = host_step(marks, launches[e.arguments["correlation"]] if on_device else e.start_ps)
        if on_device and step is not None:
            lasts[step] = max(lasts[step], e.start_ps + e.duration_ps)
        expected[(e.name, e.category, e.start_ps - first)] = step
    assert [(each.number, each.name) for each in trace.steps] == [
        (int(mark.name.partition("#")[2]), mark.name) for mark in marks
    ]
    origin = first // 1000 * 1000
    assert [each.end_ps for each in trace.steps] == [lasts[mark.name] - origin for mark in marks]
    for before, after in zip(trace.steps, trace.steps[1:], strict=False):
        assert before.end_ps <= after.start_ps
    found = {}
    for event in range(len(trace)):
        step = int(trace.step[event])
        category = trace.info.categories[int(trace.category[event])].name
        start = int(trace.start_ps[event]) + origin - first
        found[(trace.name_of(event), category, start)] = trace.steps[step].name if step >= 0 else None
    assert {key: found[key] for key in expected} == expected
    assert {step for key, step in found.items() if key[1] == "kernel"} <= {mark.name for mark in marks} | {
        None
    }
