"""Copies between host and device that a step would not need: from memory that is not pinned, and back to the host."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.facts import Facts, show_bytes, show_count, show_share, show_time
from runglass.query.profiles.analysis.launching import launches
from runglass.query.profiles.analysis.model import Finding
from runglass.query.profiles.model import MISSING, Int64, marked_numbers, named_like, texts_like

WORTH = 0.01
WORTH_BYTES = 1 << 20
# As torch says it, and CUPTI in files of XLA with its details: "kind_src:pageable kind_dst:device".
TO_DEVICE = re.compile(r"memcpy ?h(?:to|2)d", re.IGNORECASE)
TO_HOST = re.compile(r"memcpy ?d(?:to|2)h", re.IGNORECASE)
PAGEABLE = re.compile(r"pageable ->|kind_src:pageable", re.IGNORECASE)
SIZE = re.compile(r"(?:size|num_bytes):(\d+)")


class Copies:
    """Copies of one direction in the steps."""

    def __init__(self, facts: Facts, pattern: re.Pattern[str], *, pageable: bool = False) -> None:
        trace = facts.trace
        names = [number for number, name in facts.names.items() if pattern.match(name)]
        events = facts.works[marked_numbers(trace, names, trace.name[facts.works])]
        (said,), (details,) = columns(trace, ["bytes"], ["memcpy_details"], events)
        if pageable:
            chosen = named_like(trace, PAGEABLE, events) | texts_like(trace, PAGEABLE, details)
            events, details, said = events[chosen], details[chosen], said[chosen]
        self.events: Int64 = events
        count = max(facts.count, 1)
        self.time = float(trace.duration_ps[events].sum()) / count
        is_said = said != MISSING
        size = int(said[is_said].sum())
        for detail, times in Counter(details[~is_said].tolist()).items():
            match = SIZE.search(trace.text(detail))
            size += int(match[1]) * times if match else 0
        self.bytes = size / count
        self.number = len(events) / count

    @property
    def rate(self) -> str:
        return f"{self.bytes / self.time * 1e3:.3g} GB/s" if self.time else ""


def find(facts: Facts) -> list[Finding]:
    return [*find_pageable(facts), *find_returning(facts)]


def find_pageable(facts: Facts) -> list[Finding]:
    copies = Copies(facts, TO_DEVICE, pageable=True)
    if not len(copies.events) or copies.time < WORTH * facts.step_ps or copies.bytes < WORTH_BYTES:
        return []
    longest = int(copies.events[facts.trace.duration_ps[copies.events].argmax()])
    return [
        Finding(
            id="pageable_memory",
            title="Batches are copied from memory that is not pinned",
            evidence=f"{show_count(copies.number, 'copy', 'copies')} to the device in a step, {show_bytes(copies.bytes)}, take {show_time(copies.time)} "
            f"({show_share(copies.time / facts.step_ps)} of a step) at {copies.rate}; the host waits for each.",
            action=facts.words(
                torch="Pin the host's memory: DataLoader(pin_memory=True), and tensor.to(device, non_blocking=True), so that copies are "
                "several times as fast and run beside the computation.",
                jax="jax.device_put the next batch while this one is computed, so that the copy runs beside it.",
                tensorflow="Copy the next batch while this one is computed: tf.data.experimental.prefetch_to_device('/gpu:0') at the end.",
            ),
            gain_ps=copies.time,
            gain_share=copies.time / facts.step_ps,
            where=facts.where(longest),
            framework=facts.framework,
            source=source_of(facts, longest),
        )
    ]


def find_returning(facts: Facts) -> list[Finding]:
    copies = Copies(facts, TO_HOST)
    if not len(copies.events) or copies.time < WORTH * facts.step_ps:
        return []
    longest = int(copies.events[facts.trace.duration_ps[copies.events].argmax()])
    return [
        Finding(
            id="copies_to_host",
            title="Data goes back to the host in every step",
            evidence=f"{show_count(copies.number, 'copy', 'copies')} from the device to the host in a step, {show_bytes(copies.bytes)}, take "
            f"{show_time(copies.time)} ({show_share(copies.time / facts.step_ps)} of a step) at {copies.rate}.",
            action="Keep the data on the device: compute there what the host needs of it, and copy that, less often.",
            gain_ps=copies.time,
            gain_share=copies.time / facts.step_ps,
            where=facts.where(longest),
            source=source_of(facts, longest),
        )
    ]


def source_of(facts: Facts, work: int) -> str:
    """The line that launched some work of a device."""
    calls, works = launches(facts.trace)
    at = np.searchsorted(works, work)
    return facts.source(int(calls[at])) if at < len(works) and works[at] == work else ""
