"""Counters of a trace: those of the file, memory from what allocators say, and how many launched kernels wait."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.native.trace_rows import TraceRows, columns_of, samples_of
from runglass.query.profiles.arguments import release
from runglass.query.profiles.model import MISSING, Float64, Int32, Int64, Strings

BLOCK_ROWS = 1 << 16
BYTES = re.compile(r"byte|memory|alloc|reserved|\bsize\b", re.IGNORECASE)
PERCENT = re.compile(r"%|percent|util|occupancy|_pct", re.IGNORECASE)
# TensorFlow's and JAX's allocator of a device.
ALLOCATOR = re.compile(r"GPU_(\d+)_bfc")
TORCH_MEMORY = "[memory]"
MOST_DEVICES = 1 << 16
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
    # Said by the samples, not by their track.
    is_placed: bool = False
    device: int | None = None


def unit_of(name: str) -> str:
    if PERCENT.search(name):
        return "%"
    return "bytes" if BYTES.search(name) else ""


def numbers_of_rows(rows: TraceRows, chosen: Int64) -> tuple[Int64, Int32, Float64]:
    """All arguments of some rows that are numbers: place among the rows, key, value. In parts, because a large file is only mapped."""
    found = []
    for first in range(0, max(len(chosen), 1), BLOCK_ROWS):
        at, key, value = samples_of(rows.arguments, rows.arguments_end, chosen[first : first + BLOCK_ROWS])
        found.append((at + first, key, value))
        release(rows.arguments)
    joined = [np.concatenate(each) for each in zip(*found, strict=True)]
    return joined[0], joined[1], joined[2]


def whole_numbers(rows: TraceRows, chosen: Int64, keys: list[str]) -> list[Int64]:
    """The numbers under some keys in some rows, MISSING where there is none."""
    strings = Strings(rows.string_bytes, rows.string_ends)
    numbers = [strings.find(key) for key in keys]
    found = np.empty((len(keys), len(chosen)), np.int64)
    for first in range(0, len(chosen), BLOCK_ROWS):
        some = slice(first, first + BLOCK_ROWS)
        found[:, some] = columns_of(rows.arguments, rows.arguments_end, numbers, [], chosen[some])[0]
        release(rows.arguments)
    return list(found)


def group(*columns: Int32 | Int64) -> list[Int64]:
    """The places that have the same numbers in all columns, in the order of these. There are few different ones, so that small types sort
    fast."""
    code = np.zeros(len(columns[0]), np.uint64)
    total = 1
    for column in columns:
        used = np.flatnonzero(np.bincount(column))
        renumbered = np.zeros(int(used[-1]) + 1 if len(used) else 0, np.uint64)
        renumbered[used] = np.arange(len(used))
        code = code * np.uint64(len(used)) + renumbered[column]
        total *= len(used)
    order = np.argsort(code.astype(np.min_scalar_type(max(total - 1, 0))), kind="stable")
    changes = np.flatnonzero(np.diff(code[order])) + 1
    return np.split(order, changes) if len(order) else []


def read_counters(rows: TraceRows, chosen: Int64) -> list[Samples]:
    """The events of phase C: one counter for each track, name and argument."""
    at, keys, values = numbers_of_rows(rows, chosen)
    tracks, names, times = rows.track[chosen][at], rows.name[chosen][at], rows.start_ps[chosen][at]
    # In the order in which the file has them first.
    found = sorted(group(tracks, names, keys), key=lambda part: int(part[0]))
    texts = rows.strings
    keys_of: dict[tuple[int, int], int] = {}
    for part in found:
        pair = int(tracks[part[0]]), int(names[part[0]])
        keys_of[pair] = keys_of.get(pair, 0) + 1
    made = []
    for part in found:
        track, name = int(tracks[part[0]]), int(names[part[0]])
        title, own = texts[name], texts[int(keys[part[0]])]
        shown = (
            title if keys_of[track, name] == 1 and own in ("value", title, "") else f"{title} {own}".strip()
        )
        made.append(
            Samples(
                track=track,
                name=shown,
                time=times[part],
                value=values[part],
                unit=unit_of(shown),
                title=title,
            )
        )
    return made


def read_memory(rows: TraceRows, chosen: Int64) -> list[Samples]:
    """Torch's memory: instants that say how much each device holds."""
    totals = [key for key, _ in TORCH_TOTALS]
    kind, device, *held_by = whole_numbers(rows, chosen, ["Device Type", "Device Id", *totals])
    time, track = rows.start_ps[chosen], rows.track[chosen]
    ends = np.array([file.row_end for file in rows.files], np.int64)
    file_of = np.searchsorted(ends, chosen, side="right")
    # The host is -1; other numbers are damage.
    is_known = (kind >= 0) & (kind < MOST_DEVICES) & (device >= -1) & (device < MOST_DEVICES)
    made = []
    for (_, shown), held in zip(TORCH_TOTALS, held_by, strict=True):
        has = np.flatnonzero((held != MISSING) & is_known)
        for part in group(kind[has], device[has] + 1, file_of[has]):
            here = has[part]
            on_device = bool(kind[here[0]])
            made.append(
                Samples(
                    track=int(track[here[0]]),
                    name=f"Memory {shown}" if on_device else f"Host memory {shown}",
                    time=time[here],
                    value=held[here].astype(np.float64),
                    unit="bytes",
                    title="Memory" if on_device else "Host memory",
                    is_placed=True,
                    device=max(int(device[here[0]]), 0) if on_device else None,
                )
            )
    # What is never reserved is not worth a line.
    return [each for each in made if each.value.any()]


def count_waiting(launched: Int64, began: Int64) -> tuple[Int64, Float64]:
    """How many kernels were launched and have not begun, at each change. Sorts what it is given."""
    # Both are of several threads or streams, each in order already.
    launched.sort(kind="stable")
    began.sort(kind="stable")
    time = np.concatenate([launched, began])
    order = np.argsort(time, kind="stable")
    waiting = np.cumsum(np.where(order < len(launched), np.int8(1), np.int8(-1)), dtype=np.int32)
    del order
    time.sort(kind="stable")
    last = np.append(time[1:] != time[:-1], True) if len(time) else np.zeros(0, np.bool_)
    return time[last], waiting[last].astype(np.float64)


def lay_out(samples: list[tuple[Int64, Float64]]) -> tuple[Int64, Int64, Float64]:
    """Samples of all counters after each other, each in the order of time; where each begins. Takes them from the list as it goes."""
    starts = np.cumsum([0, *(len(time) for time, _ in samples)], dtype=np.int64)
    times, values = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.float64)
    for first in starts[:-1].tolist():
        time, value = samples.pop(0)
        own = slice(first, first + len(time))
        times[own], values[own] = time, value
        if len(time) and (time[1:] < time[:-1]).any():
            order = np.argsort(time, kind="stable")
            times[own], values[own] = time[order], value[order]
    return starts, times, values
