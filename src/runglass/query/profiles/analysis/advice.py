"""What could be done about a profile: the findings that have evidence in it, those that gain most first."""

from __future__ import annotations

from runglass.query.profiles.analysis.facts import Facts
from runglass.query.profiles.analysis.findings import (
    compilation,
    copies,
    eager,
    host_bound,
    host_code,
    launch_bound,
    memory,
    precision,
    stragglers,
    synchronisation,
    waiting_for_input,
)
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import Trace

FINDERS = (
    waiting_for_input.find,
    host_code.find,
    copies.find,
    synchronisation.find,
    launch_bound.find,
    precision.find,
    eager.find,
    compilation.find,
    memory.find,
    stragglers.find,
)


@kept
def advice(trace: Trace) -> list[Finding]:
    if trace.info.unit != "ps" or not len(trace):
        return []
    facts = Facts(trace)
    if not facts.count:
        return []
    found = [finding for find in FINDERS for finding in find(facts)]
    found += host_bound.find(facts, found)
    return sorted(found, key=lambda each: -(each.gain_ps or 0.0))
