"""A profile at a glance: how long steps took and what for, how well the devices were used, what ran the longest."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from runglass.native.trace_groups import find_spans
from runglass.query.profiles.analysis.breakdown import parts_of_events, pick_steps, rows_of, step_times, thin
from runglass.query.profiles.analysis.columns import floats
from runglass.query.profiles.analysis.flops import count_work
from runglass.query.profiles.analysis.intervals import cover, cover_events
from runglass.query.profiles.analysis.kernels import TENSOR_CORES, kernel_events
from runglass.query.profiles.analysis.launching import on_device
from runglass.query.profiles.analysis.model import PARTS, OpRow, Overview, Spread
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.programs import executed
from runglass.query.profiles.analysis.workers import missing_workers
from runglass.query.profiles.model import Float64, Int8, Int64, Mask, Place, Trace, median, named_like

TOP_OPS = 10
# A step is an outlier if it is this many times the usual distance away from the median, and longer than this many medians.
OUTLIER_DISTANCE = 5.0
OUTLIER_RATIO = 1.25
# Fewer steps say nothing of what is usual.
OUTLIER_STEPS = 4
# Names of kernels that compute with 16 bits or fewer. XProf knows only the first two.
SHORT_FLOATS = re.compile(
    r"half|fp16|bf16|bfloat16|(?<![a-z0-9])f16|hgemm|s16816|s161616|h1688|h884|hmma|nvjet_sm\d+_[ht]|float8|fp8|e4m3|e5m2",
    re.IGNORECASE,
)
PLACES: tuple[Place, ...] = ("host", "device")
VERSIONS = re.compile(r"version|backend|platform", re.IGNORECASE)
# Of torch's files: says nothing of the training.
TRACE_SCHEMA = "schemaVersion"


def overview(trace: Trace, *, most_steps: int | None = None) -> Overview:
    """`most_steps`: of more than that, the longest of every few."""
    part_of = parts_of_events(trace)
    times = step_times(trace)
    is_outlier = find_outliers(times.duration)
    start, end = times.start, times.end
    whole = int((end - start).sum())
    kernels = kernel_events(trace)
    kernels = kernels[in_steps(trace, start, end, kernels)]
    duration = trace.duration_ps[kernels]
    time = int(duration.sum())
    has_device = any(track.place == "device" for track in trace.tracks)
    by_place = {place: ops(trace, place=place) for place in PLACES}
    top = by_place["device" if has_device else "host"]
    shown, each = thin(times, len(times) if most_steps is None else most_steps)
    return Overview(
        steps=rows_of(pick_steps(times, shown), is_outlier[shown]),
        step_count=len(times),
        steps_each=each,
        step_ps=spread(times.duration),
        parts={part: times.mean(part) for part in PARTS},
        outliers=np.flatnonzero(is_outlier[shown]).tolist(),
        is_synthetic=trace.info.steps_note is not None,
        device_busy=busy_share(trace, part_of, start, end) if has_device and whole else None,
        device_op_share=device_op_share(by_place),
        sm_efficiency=sm_efficiency(trace, kernels, whole),
        occupancy=weighted(floats(trace, "est. achieved occupancy %", kernels), duration),
        tensor_core_share=None if not time else share_of(trace, kernels, TENSOR_CORES) / time,
        compute_16bit_share=None if not time else share_of(trace, kernels, SHORT_FLOATS) / time,
        flop_rate=flop_rate(trace, start, end, whole),
        peak_flop_rate=peak_flop_rate(trace),
        device_names=list(dict.fromkeys(device.name for device in trace.info.devices)),
        top_ops=top[:TOP_OPS],
        environment=environment(trace),
        notes=notes(trace, has_device=has_device),
    )


def spread(values: Int64) -> Spread | None:
    if not len(values):
        return None
    column = values.astype(np.float64)
    return Spread(
        mean=float(column.mean()),
        # Of the steps as a sample, as XProf has it.
        deviation=float(column.std(ddof=1)) if len(column) > 1 else 0.0,
        min=float(column.min()),
        max=float(column.max()),
        median=median(column),
    )


def find_outliers(values: Int64) -> Mask:
    """Which steps are much longer than usual."""
    if len(values) < OUTLIER_STEPS:
        return np.zeros(len(values), np.bool_)
    duration = values.astype(np.float64)
    usual = median(duration)
    distance = median(np.abs(duration - usual))
    limit = max(usual + OUTLIER_DISTANCE * 1.4826 * distance, usual * OUTLIER_RATIO)
    return duration > limit


def in_steps(trace: Trace, start: Int64, end: Int64, events: Int64) -> Mask:
    """Which of these events begin in a step."""
    covered = cover(start, end)
    return find_spans(trace.start_ps[events], covered.start, covered.end) >= 0


def busy_share(trace: Trace, part_of: Int8, start: Int64, end: Int64) -> float:
    """The share of the steps' time in which a device did anything, over all devices."""
    devices = sorted({(track.host, track.device) for track in trace.tracks if track.device is not None})
    covered = cover(start, end)
    shares = []
    for device in devices:
        own = trace.events_on([(track.host, track.device) == device for track in trace.tracks])
        busy = cover_events(trace, own & (part_of >= 0))
        shares.append(int(busy.within(covered.start, covered.end).sum()) / max(covered.total, 1))
    return sum(shares) / len(shares) if shares else 0.0


def device_op_share(by_place: dict[Place, list[OpRow]]) -> float | None:
    own = {place: sum(row.self_ps for row in rows) for place, rows in by_place.items()}
    total = sum(own.values())
    return own["device"] / total if total else None


def sm_efficiency(trace: Trace, kernels: Int64, whole: int) -> float | None:
    """The share of the steps' time in which a multiprocessor had at least a block, as torch estimates it. Kernels that run at the same time
    each count their own, so that the sum may be more than there is."""
    blocks = floats(trace, "blocks per SM", kernels)
    known = ~np.isnan(blocks)
    if not known.any() or not whole:
        return None
    return min(float((np.minimum(blocks[known], 1) * trace.duration_ps[kernels][known]).sum()) / whole, 1.0)


def weighted(values: Float64, weights: Int64) -> float | None:
    known = ~np.isnan(values)
    total = int(weights[known].sum())
    return float((values[known] * weights[known]).sum()) / total if total else None


def share_of(trace: Trace, kernels: Int64, pattern: re.Pattern[str]) -> int:
    """Time of the kernels whose names match."""
    return int(trace.duration_ps[kernels][named_like(trace, pattern, kernels)].sum())


def flop_rate(trace: Trace, start: Int64, end: Int64, whole: int) -> float | None:
    """Of what ops computed, as they say or as follows from their shapes, over the time of the steps."""
    work = count_work(trace) if whole else None
    if work is not None:
        known = np.flatnonzero(work.own > 0)
        flops = work.own[known]
    else:
        known = np.flatnonzero(on_device(trace) & (trace.duration_ps > 0))
        ran = executed(trace, known) if whole else None
        if ran is None:
            return None
        flops = ran.flops
    inside = in_steps(trace, start, end, known)
    return float(flops[inside].sum()) / (whole / 1e12) if inside.any() else None


def peak_flop_rate(trace: Trace) -> float | None:
    peaks = [device.peak_flops for device in trace.info.devices]
    return sum(each for each in peaks if each) if peaks and all(peaks) else None


def environment(trace: Trace) -> dict[str, Any]:
    found: dict[str, Any] = {
        "hosts": len(trace.info.hosts),
        "devices": len(trace.info.devices),
        "device_names": list(dict.fromkeys(device.name for device in trace.info.devices)),
    }
    for metadata in trace.info.metadata:
        for plane in metadata.get("planes") or ():
            for key, value in (plane.get("stats") or {}).items():
                if VERSIONS.search(key):
                    found.setdefault(key, value)
        for key, value in metadata.items():
            if VERSIONS.search(key) and key != TRACE_SCHEMA and isinstance(value, str | int | float):
                found.setdefault(key, value)
        distributed = metadata.get("distributedInfo")
        if isinstance(distributed, dict):
            found.setdefault("world_size", distributed.get("world_size"))
            found.setdefault("backend", distributed.get("backend"))
    return found


def notes(trace: Trace, *, has_device: bool) -> list[str]:
    found = [] if trace.info.steps_note is None else [trace.info.steps_note]
    missing = missing_workers(trace)
    if missing is not None:
        found.append(missing)
    if trace.info.kind in ("memory snapshot", "pprof"):
        found.append("This profile tells of memory alone.")
    elif not has_device:
        found.append("No device is in this profile: what is shown is the host's.")
    return found
