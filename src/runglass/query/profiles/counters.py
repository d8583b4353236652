"""Counters of a trace: those of the file, memory from what allocators say, and how many launched kernels wait."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.native.trace_rows import TraceRows, arguments_of, numbers_of
from runglass.query.profiles.model import FALSE, FLOAT, INTEGER, MISSING, TRUE, Float64, Int64

BYTES = re.compile(r"byte|memory|alloc|reserved|\bsize\b", re.IGNORECASE)
PERCENT = re.compile(r"%|percent|util|occupancy|_pct", re.IGNORECASE)
TORCH_MEMORY = "[memory]"
TORCH_TOTALS = (("Total Allocated", "allocated"), ("Total Reserved", "reserved"))


class Samples(Struct):
    """A counter on the way: times as in the rows."""

    # Of the rows; which device it is about is known by its track, or said here.
    track: int
    name: str
    time: Int64
    value: Float64
    unit: str = ""
    title: str = ""
    device: int | None = None


def unit_of(name: str) -> str:
    if PERCENT.search(name):
        return "%"
    return "bytes" if BYTES.search(name) else ""


def read_counters(rows: TraceRows, chosen: Int64) -> list[Samples]:
    """The events of phase C: one counter for each track, name and argument."""
    found: dict[tuple[int, int, int], tuple[list[int], list[float]]] = {}
    ends = rows.arguments_end
    texts = rows.strings
    columns = rows.track[chosen].tolist(), rows.name[chosen].tolist(), rows.start_ps[chosen].tolist()
    for row, track, name, time in zip(chosen.tolist(), *columns, strict=True):
        begin = int(ends[row - 1]) if row else 0
        for key, kind, value in arguments_of(rows.arguments, begin, int(ends[row])):
            if kind in (INTEGER, FLOAT, TRUE, FALSE):
                times, values = found.setdefault((track, name, key), ([], []))
                times.append(time)
                values.append(float(value if kind in (INTEGER, FLOAT) else kind == TRUE))
    keys_of: dict[tuple[int, int], int] = {}
    for track, name, _ in found:
        keys_of[track, name] = keys_of.get((track, name), 0) + 1
    made = []
    for (track, name, key), (times, values) in found.items():
        title, own = texts[name], texts[key]
        shown = (
            title if keys_of[track, name] == 1 and own in ("value", title, "") else f"{title} {own}".strip()
        )
        made.append(
            Samples(
                track=track,
                name=shown,
                time=np.array(times, np.int64),
                value=np.array(values, np.float64),
                unit=unit_of(shown),
                title=title,
            )
        )
    return made


def read_memory(rows: TraceRows, chosen: Int64) -> list[Samples]:
    """Torch's memory: instants that say how much each device holds."""

    def column(key: str) -> Int64:
        number = next((at for at, text in known.items() if text == key), -1)
        every = numbers_of(rows.arguments, rows.arguments_end, number)
        found: Int64 = every[chosen]
        return found

    known = {}
    wanted = {"Device Type", "Device Id", *(key for key, _ in TORCH_TOTALS)}
    # The keys are among those of the first event.
    row = int(chosen[0])
    begin = int(rows.arguments_end[row - 1]) if row else 0
    for key, _, _ in arguments_of(rows.arguments, begin, int(rows.arguments_end[row])):
        if rows.strings[key] in wanted:
            known[key] = rows.strings[key]
    kind, device = column("Device Type"), column("Device Id")
    time, track = rows.start_ps[chosen], rows.track[chosen]
    made = []
    for key, shown in TORCH_TOTALS:
        value = column(key)
        has = value != MISSING
        for each in sorted(set(zip(kind[has].tolist(), device[has].tolist(), strict=True))):
            here = np.flatnonzero(has & (kind == each[0]) & (device == each[1]))
            on_device = each[0] != 0
            made.append(
                Samples(
                    track=int(track[here[0]]),
                    name=f"Memory {shown}" if on_device else f"Host memory {shown}",
                    time=time[here],
                    value=value[here].astype(np.float64),
                    unit="bytes",
                    title="Memory" if on_device else "Host memory",
                    device=max(each[1], 0) if on_device else None,
                )
            )
    # What is never reserved is not worth a line.
    return [each for each in made if each.value.any()]


def count_waiting(launched: Int64, began: Int64) -> tuple[Int64, Float64]:
    """How many kernels were launched and have not begun, at each change."""
    time = np.concatenate([launched, began])
    change = np.repeat(np.array([1.0, -1.0]), len(launched))
    order = np.argsort(time, kind="stable")
    time, waiting = time[order], np.cumsum(change[order])
    last = np.append(time[1:] != time[:-1], True)
    return time[last], waiting[last]


def lay_out(samples: list[tuple[Int64, Float64]]) -> tuple[Int64, Int64, Float64]:
    """Samples of all counters after each other, each in the order of time; where each begins."""
    starts = np.cumsum([0, *(len(time) for time, _ in samples)], dtype=np.int64)
    times, values = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
    for time, value in samples:
        order = np.argsort(time, kind="stable")
        times.append(time[order])
        values.append(value[order])
    return starts, np.concatenate(times), np.concatenate(values)
