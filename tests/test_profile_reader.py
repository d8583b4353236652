"""Statistics of a profile from code: the same door for every framework."""

from __future__ import annotations

import pytest
from tests.support.plain_traces import PROFILES

import runglass


@pytest.mark.parametrize(
    ("case", "place"),
    [("jax_profile_gpu", "device"), ("keras_callback_profile", "host"), ("torch_profiler_gpu", "device")],
)
def test_statistics_of_a_profile(case, place):
    log = runglass.open(PROFILES / case / "logdir")
    run = next(run for run in log.runs if log.profiles(run))
    profile = log.profile(run)
    ops = profile.ops(place=place)
    assert ops == [row for row in profile.ops() if row.place == place]
    assert profile.overview().top_ops == ops[:10]
    assert [row.self_ps for row in ops] == sorted((row.self_ps for row in ops), reverse=True)
    kernels = profile.kernels()
    assert bool(kernels) == (place == "device")
    if kernels:
        assert sum(row.occurrences for row in kernels) == len(profile.events(category="kernel"))
        step = profile.steps[0]
        first = profile.kernels(range=(step.start_ps, step.end_ps))
        assert 0 < sum(row.occurrences for row in first) < sum(row.occurrences for row in kernels)
    assert [step.number for step in profile.input_pipeline().steps] == [step.number for step in profile.steps]
    assert profile.memory().curves or profile.memory().notes
    assert all(finding.evidence and finding.action for finding in profile.advice())
    same = profile.compare(profile)
    assert (same.before_ps, same.causes, same.gone) == (same.after_ps, [], [])
    assert len(profile.workers().workers) == 1
