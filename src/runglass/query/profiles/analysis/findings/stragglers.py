"""One worker of several comes late to the collectives, and all others wait for it."""

from __future__ import annotations

import re

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_share, show_time
from runglass.query.profiles.analysis.launching import PYTHON, has_category
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import Int64

WORTH = 0.05
# Late in so many of the collectives.
MOSTLY = 0.7
MIN_CALLS = 3
COLLECTIVE = re.compile(
    r"(?:gloo|nccl|mpi|ucc):(?:all_?reduce|all_?gather|reduce_?scatter|broadcast|all_?to_?all|reduce)\w*"
    r"|nccl(?:Dev)?Kernel_\w+|c10d::\w+_",
    re.IGNORECASE,
)


def find(facts: Facts) -> list[Finding]:
    trace = facts.trace
    if len(facts.hosts) < 2 or trace.info.clocks_differ:
        return []
    names = [number for number, name in facts.names.items() if COLLECTIVE.match(name)]
    best = None
    for name in names:
        begun = starts_by_host(facts, name)
        if begun is None:
            continue
        late = begun - begun.min(axis=0)
        last = np.bincount(begun.argmax(axis=0), minlength=len(begun))
        worst = int(last.argmax())
        # How long the others wait for it in an average step: those of one step are late for the same reason.
        others = np.delete(begun, worst, axis=0).max(axis=0)
        steps = max(facts.count // len(facts.hosts), 1)
        most = np.zeros(steps, np.int64)
        of_step = np.arange(late.shape[1]) * steps // late.shape[1]
        np.maximum.at(most, of_step, np.maximum(begun[worst] - others, 0))
        wait = float(most.mean())
        if last[worst] >= MOSTLY * late.shape[1] and (best is None or wait > best[0]):
            best = wait, worst, name, late.shape[1], int(last[worst])
    if best is None or best[0] < WORTH * facts.step_ps:
        return []
    wait, worst, name, calls, times = best
    host = facts.hosts[worst]
    own = np.flatnonzero((trace.name == name) & facts.of_host(host) & ~facts.on_device)
    first = int(own[0]) if len(own) else None
    return [
        Finding(
            id="straggler",
            title=f"{host} holds up the other workers",
            evidence=f"{host} is the last to begin {trace.text(name)} in {times} of {calls} calls. The others wait {show_time(wait)} "
            f"for it in an average step ({show_share(wait / facts.step_ps)}).",
            action=f"Look at what {host} does before the collective: its input, its share of the data, its machine.",
            gain_ps=wait,
            gain_share=wait / facts.step_ps,
            where=None if first is None else facts.where(first),
        )
    ]


def starts_by_host(facts: Facts, name: int) -> Int64 | None:
    """When each worker begins the k-th call; None if they do not have the same number of calls."""
    trace = facts.trace
    chosen = np.flatnonzero((trace.name == name) & ~has_category(trace, PYTHON) & (trace.duration_ps > 0))
    found = []
    for host in facts.hosts:
        own = facts.in_steps(chosen[facts.of_host(host)[chosen]])
        found.append(np.sort(trace.start_ps[own]))
    calls = min(len(each) for each in found)
    if calls < MIN_CALLS or any(len(each) != calls for each in found):
        return None
    return np.stack(found)
