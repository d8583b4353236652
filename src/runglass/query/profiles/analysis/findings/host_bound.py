"""The device is idle for most of a step, and nothing else that was found says why: the host does not keep it busy."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from runglass.native.trace_groups import begin_within, sums_by_number
from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.launching import ANNOTATIONS, events_in, is_python
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import Int64

WORTH = 0.5
NAMED = 3
# "<built-in method run_backward of torch._C._EngineBase object at 0x7f72b0bdc7f0>"
BUILT_IN = re.compile(r"<built-in method (\w+) of .*>")


def find(facts: Facts, told: Sequence[Finding]) -> list[Finding]:
    """`told`: what was found before this."""
    wait = facts.idle_ps - sum(each.gain_ps or 0.0 for each in told)
    if wait < WORTH * facts.step_ps:
        return []
    trace = facts.trace
    events = events_in(
        trace,
        lambda each: each.place == "host" and each.meaning != "step" and each.name.lower() not in ANNOTATIONS,
    )
    events = facts.in_steps(events[trace.self_ps[events] > 0])
    action = (
        "Give the device more to do in a step (a larger batch), and the host less: prepare data ahead or on the device, "
        + facts.words(
            torch="torch.compile or a CUDA graph around the step.",
            jax="jax.jit around the whole step, several steps in one call by lax.scan, and no waiting for results.",
            tensorflow="tf.function around the whole step, several steps in one call (steps_per_execution of Keras).",
        )
    )
    if any(is_python(each) and each.events for each in trace.info.categories):
        action += " Stacks slow the host down by themselves: profile once without them."
    start = np.concatenate([idle.start for idle in facts.idle.values()])
    end = np.concatenate([idle.end for idle in facts.idle.values()])
    at = int((end - start).argmax())
    longest = int(start[at]), int(end[at])
    during = during_gap(facts, events, *longest)
    return [
        Finding(
            id="host_bound",
            title="The device waits for the host",
            evidence=f"In an average step of {show_time(facts.step_ps)} the device is idle for {show_time(facts.idle_ps)} "
            f"({show_share(facts.idle_ps / facts.step_ps)}).{most_time(facts, events)}",
            action=action,
            gain_ps=wait,
            gain_share=wait / facts.step_ps,
            where=None if during < 0 else facts.where(during),
            framework=facts.framework,
            source="" if during < 0 else facts.source(during),
        )
    ]


def most_time(facts: Facts, events: Int64) -> str:
    """Where the host is most of the time in a step."""
    trace = facts.trace
    if not len(events):
        return ""
    # Events without a name come first.
    own_ps = sums_by_number(trace.name, trace.self_ps, events, len(trace.strings)) / facts.count
    first = [each for each in np.argsort(-own_ps, kind="stable")[:NAMED].tolist() if own_ps[each] > 0]
    shown = [BUILT_IN.sub(r"\1", trace.text(each - 1)) for each in first]
    told = [f"{name} ({show_time(own_ps[each])})" for name, each in zip(shown, first, strict=True)]
    return f" The host is longest in {', '.join(told)}."


def during_gap(facts: Facts, events: Int64, start_ps: int, end_ps: int) -> int:
    """What the host does longest of all that begins while the device is idle; -1: nothing."""
    gap = np.array([start_ps], np.int64), np.array([end_ps], np.int64)
    inside = begin_within(events, facts.trace.start_ps, *gap)
    return int(inside[facts.trace.self_ps[inside].argmax()]) if len(inside) else -1
