"""Ops of TensorFlow that Python runs one by one: a tf.function would run them as a graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runglass.query.profiles.analysis.facts import Facts, show_count, show_share
from runglass.query.profiles.analysis.model import Finding, OpRow
from runglass.query.profiles.analysis.op_names import DATASET
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.ops_xplane import eager_events

# As XProf has it.
WORTH = 0.1


def find(facts: Facts) -> list[Finding]:
    if facts.framework != "tensorflow":
        return []
    rows = [row for row in ops(facts.trace, place="host") if row.type != DATASET]
    has_device = any(row.device_self_ps for row in rows)
    eager = [row for row in rows if row.is_eager]
    share = time_of(eager, has_device=has_device) / max(time_of(rows, has_device=has_device), 1)
    if share <= WORTH:
        return []
    trace = facts.trace
    events = facts.in_steps(np.flatnonzero(eager_events(trace) & (trace.duration_ps > 0)))
    longest = int(events[trace.duration_ps[events].argmax()]) if len(events) else None
    calls = sum(row.occurrences for row in eager) / facts.count
    most = max(eager, key=lambda row: time_of([row], has_device=has_device))
    return [
        Finding(
            id="eager_ops",
            title="Python runs ops one by one",
            evidence=f"{show_share(share)} of the time of all ops{' on the device' if has_device else ''} goes to "
            f"{show_count(calls, 'call')} a step outside of any tf.function; most of it to {most.name}.",
            action="Decorate the step with @tf.function, and do not set run_eagerly or tf.config.run_functions_eagerly.",
            where=None if longest is None else facts.where(longest),
            framework=facts.framework,
            source="" if longest is None else facts.source(longest),
        )
    ]


def time_of(rows: Sequence[OpRow], *, has_device: bool) -> int:
    return sum(row.device_self_ps if has_device else row.self_ps for row in rows)
