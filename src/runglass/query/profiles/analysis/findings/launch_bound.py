"""Many short kernels: the device waits for the host to launch the next one."""

from __future__ import annotations

from collections import Counter

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.launching import launches
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import Int64

# A launch takes about as long.
SHORT_PS = 5 * 10**6
# Longer gaps have other reasons.
GAP_PS = 200 * 10**6
WORTH_GAPS = 0.2
WORTH_SHORT = 0.5
MIN_KERNELS = 100
# Sources are looked up for so many of them.
LOOKED_AT = 300


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    events = facts.works
    if len(events) < MIN_KERNELS * max(facts.count, 1):
        return []
    short = events[trace.duration_ps[events] < SHORT_PS]
    if len(short) < WORTH_SHORT * len(events):
        return []
    waits = 0
    for idle in facts.idle.values():
        long = idle.end - idle.start
        waits += int(long[long < GAP_PS].sum())
    gain = waits / facts.count
    if gain < WORTH_GAPS * facts.step_ps:
        return []
    cause, share, line, call = find_cause(facts, short)
    is_optimizer = cause.startswith("Optimizer.")
    if is_optimizer:
        action = "Let the optimizer update all parameters at once: fused=True, or foreach=True."
    else:
        action = (
            "Launch less: one operation on a batch instead of a loop over its parts, larger batches, "
            + facts.words(
                torch="torch.compile or a CUDA graph around the step.",
                jax="jax.jit around the whole step instead of its parts, vmap or lax.scan in place of loops.",
                tensorflow="tf.function(jit_compile=True) around the whole step.",
            )
        )
    number = len(events) / facts.count
    return [
        Finding(
            id="launch_bound",
            title="Short kernels: the device waits for launches",
            evidence=f"{number:,.0f} kernels and copies in a step, {show_share(len(short) / len(events))} of them shorter than "
            f"{show_time(SHORT_PS)}; the gaps between them add up to {show_time(gain)} ({show_share(gain / facts.step_ps)} of a step). "
            f"{show_share(share)} of the short ones come from {cause}.",
            action=action,
            gain_ps=gain,
            gain_share=gain / facts.step_ps,
            where=None if call < 0 else facts.where(call),
            framework=facts.framework,
            source=line,
        )
    ]


def find_cause(facts: Facts, short: Int64) -> tuple[str, float, str, int]:
    """Where most short kernels come from: a part of the training that has a name, or a line of code."""
    trace = facts.trace
    calls, works = launches(trace)
    at = np.searchsorted(works, short)
    known = (at < len(works)) & (
        works[np.minimum(at, max(len(works) - 1, 0))] == short if len(works) else False
    )
    chosen = calls[at[known]]
    if not len(chosen):
        return "the whole step", 1.0, "", -1
    looked = chosen[:: max(len(chosen) // LOOKED_AT, 1)]
    causes: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for call in looked.tolist():
        around = [trace.name_of(each) for each in facts.around(call)]
        named = next((name for name in around if name.startswith("Optimizer.")), None)
        line = facts.source(call)
        key = (named or line or next((name for name in around if "::" in name), around[0]), line)
        causes[key] += 1
        first.setdefault(key, call)
    (cause, line), count = causes.most_common(1)[0]
    return cause, count / len(looked), line, first[cause, line]
