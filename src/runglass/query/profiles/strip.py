"""The whole trace in one strip: what kinds of work host and devices did over time."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from runglass.query.profiles.busy import annotation_mask, busy_of_tracks, busy_ps, work_tracks
from runglass.query.profiles.model import Float64, Int32, Trace

# Less is not seen.
MIN_SHARE = 0.004


class Strip(Struct):
    # 0: host, 1: device.
    place: Int32
    category: Int32
    pixel: Int32
    share: Float64
    # Share of the trace in which a device was busy, on average over devices; None without devices.
    busy: float | None


def make_strip(trace: Trace, width: int) -> Strip:
    end = max(trace.info.end_ps, 1)
    category_of = trace.category
    if (marked := annotation_mask(trace)).any():
        category_of = np.where(marked[trace.category], -1, trace.category).astype(np.int32)
    found: list[tuple[Int32, Int32, Int32, Float64]] = []
    for place, name in enumerate(("host", "device")):
        tracks = work_tracks(trace, name)
        if name == "host":
            # The thread that trains; others would cover it.
            threads = [each for each in tracks if trace.tracks[each].kind == "thread"]
            best = max(threads, key=busy_of_tracks(trace).__getitem__, default=None)
            tracks = [] if best is None else [best]
            if best is not None and trace.sibling[best] >= 0:
                tracks.append(int(trace.sibling[best]))
        if not tracks:
            continue
        rows = trace.rows_of_tracks(tracks)
        shares = trace.view.spread(rows, category_of, trace.parent, len(trace.info.categories), 0, end, width)
        shares *= width / end
        total = shares.sum(axis=0)
        # Several streams and devices at once.
        shares /= np.maximum(total, 1.0)
        category, pixel = np.nonzero(shares > MIN_SHARE)
        found.append(
            (
                np.full(len(pixel), place, np.int32),
                category.astype(np.int32),
                pixel.astype(np.int32),
                np.minimum(shares[category, pixel], 1.0),
            )
        )
    devices = devices_of(trace)
    busy = None
    if devices:
        busy = sum(busy_ps(trace, tracks, 0, end) for tracks in devices.values()) / (end * len(devices))
    if not found:
        empty = np.empty(0, np.int32)
        return Strip(empty, empty, empty, np.empty(0, np.float64), busy)
    columns = [np.concatenate(each) for each in zip(*found, strict=True)]
    return Strip(columns[0], columns[1], columns[2], columns[3], busy)


def devices_of(trace: Trace) -> dict[tuple[str, int | None], list[int]]:
    """Tracks with work by host and device."""
    found: dict[tuple[str, int | None], list[int]] = {}
    for number in work_tracks(trace, "device"):
        track = trace.tracks[number]
        found.setdefault((track.host, track.device), []).append(number)
    return found
