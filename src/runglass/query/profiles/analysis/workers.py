"""Workers of a distributed training beside each other: computing, communicating, both at once; waiting for others and moving data."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct, field

from runglass.query.profiles.analysis.facts import Facts
from runglass.query.profiles.analysis.intervals import Cover, cover
from runglass.query.profiles.analysis.launching import PYTHON, has_category, has_meaning
from runglass.query.profiles.analysis.messages import moved_bytes
from runglass.query.profiles.model import Int64, Mask, Trace, distinct, named, used_names

# As torch names what its backends do, and NCCL its kernels.
COLLECTIVE = re.compile(
    r"(?:gloo|nccl|mpi|ucc):\w+|(?:nccl|rccl)\w*Kernel\w*|(?:all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)\S*",
    re.IGNORECASE,
)


class WorkerRow(Struct, frozen=True, kw_only=True):
    """One worker in an average step. The four parts add up to the step."""

    host: str
    steps: int
    step_ps: float
    # Of the devices alone, of devices while data is moved, of moving data alone, and the rest.
    computation_ps: float
    # Devices compute while data moves.
    overlap_ps: float
    # Data moves, and nothing is computed.
    communication_ps: float
    # The rest of the step.
    other_ps: float
    # Of the collectives: until the last worker has come, and from then on. None where calls cannot be matched.
    waiting_ps: float | None = None
    transfer_ps: float | None = None


class CollectiveRow(Struct, frozen=True, kw_only=True):
    """All collectives of one name that move as much."""

    name: str
    # What one call moves; None where the profile does not tell.
    bytes: int | None = None
    # Of each worker.
    calls: int
    total_ps: int
    waiting_ps: int
    transfer_ps: int
    # Bytes per second while data moves: what a call moves over its mean time of transfer.
    bandwidth: float | None = None
    # The worker that came last most often, and how often.
    last: str
    # How often that worker came last.
    last_times: int


class Workers(Struct, frozen=True, kw_only=True):
    workers: list[WorkerRow]
    # Numbers of the steps, and for each worker how long they took; None where it has no such step.
    steps: list[int]
    step_ps: list[list[int | None]]
    # Of that, how long it waited for others in collectives; empty where calls cannot be matched. Workers that wait for each other take
    # equally long for a step: who holds up the others shows in the time without waiting.
    step_waiting_ps: list[list[int | None]] = field(default_factory=list)
    collectives: list[CollectiveRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Matched(Struct, frozen=True):
    """When a worker waits for others in collectives, and when data moves. Several collectives may run at once."""

    waiting: Cover
    transfer: Cover


def missing_workers(trace: Trace) -> str | None:
    """What is to be said where the training had more workers than this session has profiles of."""
    told = [
        given["world_size"]
        for metadata in trace.info.metadata
        if isinstance(given := metadata.get("distributedInfo"), dict)
        and isinstance(given.get("world_size"), int)
    ]
    there, all_workers = len(trace.info.hosts), max(told, default=0)
    if all_workers <= there:
        return None
    return (
        f"The training had {all_workers:,} workers; profiles of {there:,} of them are here. What the others did, and who waited for them, "
        "is not known."
    )


def workers(trace: Trace) -> Workers:
    facts = Facts(trace)
    names = [number for number in used_names(trace) if COLLECTIVE.fullmatch(trace.text(number))]
    moving = (
        named(trace, names) & ~has_category(trace, PYTHON | {"gpu_user_annotation"}) & (trace.duration_ps > 0)
    )
    moving |= facts.work & has_meaning(trace, frozenset({"communication"}))
    missing = missing_workers(trace)
    notes = [] if missing is None else [missing]
    matched: dict[str, Matched] = {}
    collectives: list[CollectiveRow] = []
    if len(facts.hosts) < 2:
        notes.append("This profile has one worker: nothing can be said of waiting for others.")
    elif trace.info.clocks_differ:
        notes.append("The clocks of the workers cannot be compared: waiting and transfer are not told apart.")
    elif not moving.any():
        notes.append("No collective is in this profile.")
    else:
        collectives, matched = match_calls(facts, np.flatnonzero(moving), names)
        if not collectives:
            notes.append(
                "The workers do not have the same collectives: waiting and transfer are not told apart."
            )
    numbers = sorted({step.number for step in trace.steps})
    took = {(step.host, step.number): step.end_ps - step.start_ps for step in trace.steps}
    waited: dict[tuple[str, int], int] = {}
    for host, found in matched.items():
        own = [step for step in trace.steps if step.host == host]
        start, end = (
            np.array(each, np.int64) for each in ([s.start_ps for s in own], [s.end_ps for s in own])
        )
        for step, wait in zip(own, found.waiting.within(start, end).tolist(), strict=True):
            waited[host, step.number] = wait
    return Workers(
        workers=[describe(facts, host, moving, matched.get(host)) for host in facts.hosts],
        steps=numbers,
        step_ps=[[took.get((host, number)) for number in numbers] for host in facts.hosts],
        step_waiting_ps=[[waited.get((host, number)) for number in numbers] for host in facts.hosts]
        if waited
        else [],
        collectives=collectives,
        notes=notes,
    )


def describe(facts: Facts, host: str, moving: Mask, matched: Matched | None) -> WorkerRow:
    own = facts.of_host(host)
    start, end = facts.windows_of(host)
    count = max(len(start), 1)
    computing = facts.spans(np.flatnonzero(facts.work & own & ~moving))
    talking = facts.spans(np.flatnonzero(moving & own))
    both = computing.common(talking)
    whole = int((end - start).sum())
    computed, moved, overlap = (int(each.within(start, end).sum()) for each in (computing, talking, both))
    return WorkerRow(
        host=host,
        steps=len(start),
        step_ps=whole / count,
        computation_ps=(computed - overlap) / count,
        overlap_ps=overlap / count,
        communication_ps=(moved - overlap) / count,
        other_ps=(whole - computed - moved + overlap) / count,
        waiting_ps=None if matched is None else matched.waiting.total / count,
        transfer_ps=None if matched is None else matched.transfer.total / count,
    )


def match_calls(
    facts: Facts, moving: Int64, names: list[int]
) -> tuple[list[CollectiveRow], dict[str, Matched]]:
    """The k-th call of each name is the same collective on all workers."""
    trace = facts.trace
    rows: list[CollectiveRow] = []
    waits: list[list[Int64]] = [[] for _ in facts.hosts]
    for name in names:
        calls = []
        for host in facts.hosts:
            events = facts.in_steps(moving[(trace.name[moving] == name) & facts.of_host(host)[moving]])
            calls.append(events[np.argsort(trace.start_ps[events], kind="stable")])
        if not len(calls[0]) or len({len(each) for each in calls}) > 1:
            continue
        events = np.stack(calls)
        start, duration = trace.start_ps[events], trace.duration_ps[events]
        waiting = np.minimum(start.max(axis=0) - start, duration)
        sizes = np.array([moved_bytes(trace, event) for event in events[0].tolist()], np.int64)
        for size in distinct(sizes).tolist():
            of = sizes == size
            rows.append(sum_up(facts, trace.text(name), size, start[:, of], duration[:, of], waiting[:, of]))
        for at in range(len(facts.hosts)):
            waits[at].append(np.stack([start[at], waiting[at], duration[at]]))
    found = {}
    for host, own in zip(facts.hosts, waits, strict=True):
        if own:
            begin, wait, long = np.concatenate(own, axis=1)
            found[host] = Matched(cover(begin, begin + wait), cover(begin + wait, begin + long))
    return sorted(rows, key=lambda row: -row.total_ps), found


def sum_up(
    facts: Facts, name: str, size: int, start: Int64, duration: Int64, waiting: Int64
) -> CollectiveRow:
    """Of calls that are alike: one row for each worker, one column for each call."""
    last = np.bincount(start.argmax(axis=0), minlength=len(facts.hosts))
    transfer = int((duration - waiting).sum())
    return CollectiveRow(
        name=name,
        bytes=None if size < 0 else size,
        calls=start.shape[1],
        total_ps=int(duration.sum()),
        waiting_ps=int(waiting.sum()),
        transfer_ps=transfer,
        bandwidth=size * start.size / transfer * 1e12 if size > 0 and transfer > 0 else None,
        last=facts.hosts[int(last.argmax())],
        last_times=int(last.max()),
    )
