"""Memory that grows from step to step, or is nearly used up."""

from __future__ import annotations

from collections import Counter

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_bytes, show_share
from runglass.query.profiles.analysis.memory import measure, read_curves
from runglass.query.profiles.analysis.model import Finding, MemoryCurve, Where

MIN_STEPS = 3
WORTH_BYTES = 1 << 20
WORTH_GROWTH = 0.005
FULL = 0.9


def find(facts: Facts) -> list[Finding]:
    if not facts.trace.info.has_memory:
        return []
    found = []
    for curve in read_curves(facts.trace):
        if curve.device is not None:
            found += find_growth(facts, curve)
            found += find_full(facts, curve)
    return found


def find_growth(facts: Facts, curve: MemoryCurve) -> list[Finding]:
    # On the host: memory is asked for there, long before the device comes to use it.
    steps = facts.host_steps(curve.host)
    if len(steps) < MIN_STEPS:
        return []
    begins = facts.trace.start_ps[steps]
    limits = begins + facts.trace.duration_ps[steps]
    starts, ends = np.searchsorted(curve.times_ps, begins), np.searchsorted(curve.times_ps, limits)
    if (ends <= starts).any():
        return []
    # What is left when a step needs least.
    edges = np.stack([starts, ends], axis=1).reshape(-1)
    low = np.minimum.reduceat(np.append(curve.allocated, np.inf), edges)[::2]
    growth = np.diff(low)
    mean = float(growth.mean())
    if (growth <= 0).any() or mean < max(WORTH_BYTES, WORTH_GROWTH * low[0]):
        return []
    # What is kept is about the same in each step.
    if growth.max() > 3 * growth.min():
        return []
    return [
        Finding(
            id="memory_grows",
            title="Memory grows from step to step",
            evidence=f"The least that is allocated in a step grows by {show_bytes(mean)} in each of {len(growth)} steps, from "
            f"{show_bytes(low[0])} to {show_bytes(low[-1])}{describe_kept(facts, int(begins[0]), int(begins[-1]))}.",
            action="Something keeps values of every step: losses or outputs in a list "
            + facts.words(
                torch="(keep .item() or .detach().cpu()), a metric that holds its graph, hooks.",
                jax="(keep float(loss)), an old state beside the new one.",
                tensorflow="(keep .numpy()), a tape that is persistent.",
            ),
            where=Where(from_ps=int(begins[0]), to_ps=int(limits[-1])),
            framework=facts.framework,
        )
    ]


def describe_kept(facts: Facts, low: int, high: int) -> str:
    """Which op made what was allocated in the steps and is never freed."""
    made = measure(facts.trace).allocations
    if made is None:
        return ""
    kept = np.flatnonzero(
        (made.end_ps < 0) & (made.start_ps >= low) & (made.start_ps < high) & (made.op >= 0)
    )
    sizes: Counter[str] = Counter()
    for op, size in zip(made.op[kept].tolist(), made.bytes[kept].tolist(), strict=True):
        sizes[facts.trace.text(op)] += size
    if not sizes:
        return ""
    (op, size), *_ = sizes.most_common(1)
    return f"; most of what is never freed, {show_bytes(size)}, was made by {op}"


def find_full(facts: Facts, curve: MemoryCurve) -> list[Finding]:
    if not curve.limit_bytes:
        return []
    used = float(curve.reserved.max()) if curve.reserved is not None else 0.0
    used = max(used, curve.peak_bytes)
    if used < FULL * curve.limit_bytes:
        return []
    return [
        Finding(
            id="memory_full",
            title="The memory of the device is nearly used up",
            evidence=f"{show_bytes(used)} of {show_bytes(curve.limit_bytes)} on device {curve.device} "
            f"({show_share(used / curve.limit_bytes)}); {show_bytes(curve.peak_bytes)} of it is allocated at the peak.",
            action="A smaller batch with accumulated gradients, mixed precision, an optimizer with less state, "
            + facts.words(
                torch="activation checkpointing (torch.utils.checkpoint).",
                jax="activation checkpointing (jax.checkpoint), and donation of the state that a step replaces: "
                "jax.jit(step, donate_argnums=0).",
                tensorflow="activation checkpointing (tf.recompute_grad).",
            ),
            where=Where(from_ps=max(curve.peak_ps - 10**9, 0), to_ps=curve.peak_ps + 10**9),
            framework=facts.framework,
        )
    ]
