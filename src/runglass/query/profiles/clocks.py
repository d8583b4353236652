"""One clock for the files of a session."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.model import Int32, Int64, TraceFile, TraceInfo

DAY_NS = 86_400 * 10**9
# Longer events, and those that begin further away, are cut: sums of two must fit into 64 bits.
LIMIT_PS = 1 << 61


def place_files(rows: TraceRows, info: TraceInfo, sizes: list[int]) -> Int64:
    """What is added to the times of each file, so that all have one clock. Time 0 is a whole nanosecond at or before the first event."""
    bases = [file.base_ns for file in rows.files]
    first = []
    for file, size in zip(rows.files, sizes, strict=True):
        own = rows.start_ps[file.first_row : file.row_end]
        is_event = rows.phase[file.first_row : file.row_end] != ord("M")
        low = int(own.min(where=is_event, initial=np.iinfo(np.int64).max)) if is_event.any() else None
        first.append(None if low is None else max(-LIMIT_PS, min(low, LIMIT_PS)))
        info.files.append(
            TraceFile(
                name=file.name,
                host=file.host,
                size_bytes=size,
                events=file.row_end - file.first_row,
                base_ns=file.base_ns,
            )
        )
        info.metadata.append(clean(file.metadata))
        if file.host not in info.hosts:
            info.hosts.append(file.host)
    used = [number for number, low in enumerate(first) if low is not None]
    shifts = np.zeros(len(bases), np.int64)
    if not used:
        return shifts
    known = [base for number in used if (base := bases[number]) is not None]
    if len(known) < len(used) or max(known) - min(known) > DAY_NS:
        info.clocks_differ = len(used) > 1
        for number in used:
            shifts[number] = -(first[number] or 0)
        if len(used) == 1 and known:
            info.origin_ns = known[0] + (first[used[0]] or 0) // 1000
        if info.clocks_differ:
            info.problems.append(
                "The clocks of these hosts cannot be compared: every one of them begins at 0 here."
            )
        return shifts
    beginnings = [(bases[number] or 0) * 1000 + (first[number] or 0) for number in used]
    info.origin_ns = min(beginnings) // 1000
    for number in used:
        shifts[number] = (bases[number] or 0) * 1000 - info.origin_ns * 1000
    return shifts


def clean(metadata: dict[str, Any]) -> dict[str, Any]:
    """What can be kept as JSON, without what is long."""
    kept = {}
    for key, value in metadata.items():
        try:
            text = json.dumps(value, default=str)
        except (TypeError, ValueError, RecursionError):
            continue
        # The instructions of programs are bounded where they are read.
        if len(text) <= 100_000 or key in ("programs", "buffers"):
            kept[str(key)] = json.loads(text)
    return kept


def shift_of(rows: TraceRows, shifts: Int64, chosen: Int32 | Int64) -> Int64:
    """What is added to the time of these rows."""
    if len(shifts) == 1:
        return np.broadcast_to(shifts[0], len(chosen))
    ends = np.array([file.row_end for file in rows.files], np.int64)
    moved: Int64 = shifts[np.searchsorted(ends, chosen, side="right")]
    return moved
