"""The tracks of a trace from the processes and threads of its files: which are on devices, in which order, and what else gets a track."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.model import Int32, Place, Track, TrackKind

# A page cannot show more; threads beyond share a track for each process, and processes beyond one for each file.
MAX_TRACKS = 10_000
MAX_SHARED = 1_000
DEVICE_LABEL = re.compile(r"(?:GPU|XPU|TPU|MTIA|HPU|NPU|MPS)\s*(\d+)\b", re.IGNORECASE)
DEVICE_PLANE = re.compile(r"/device:([A-Z_]+):(\d+)")
STREAM = re.compile(r"stream\b", re.IGNORECASE)
STEPS = ("Steps", "Sparse Core Steps")
# Torch: how long it recorded, as a process of its own.
SPANS = ("Spans", "Traces")


class RawTrack(Struct, frozen=True):
    process: str
    process_id: str
    thread: str
    thread_id: str
    labels: str
    host: str
    place: Place
    device: int | None
    kind: TrackKind
    # Tracks are ordered by that.
    order: tuple[int, ...]


def read_tracks(rows: TraceRows, hosts: list[str]) -> tuple[list[RawTrack], Int32, str | None]:
    """The tracks of the files, which of them each track of the rows is, and what must be said. `hosts`: of each file."""
    texts = rows.strings

    def text(number: int) -> str:
        return texts[number] if number >= 0 else ""

    processes = rows.processes
    found: list[RawTrack] = []
    # Tracks of those beyond, by file and process; of all other processes under -1.
    shared: dict[tuple[int, int], int] = {}
    listed = rows.tracks
    numbers = np.empty(len(listed), np.int32)
    joined = 0
    for number, (process, thread_id, thread_name, thread_order) in enumerate(listed):
        file, process_id, name, labels, process_order = processes[process]
        is_beyond = number >= MAX_TRACKS
        is_other = is_beyond and len(shared) >= MAX_SHARED and (file, process) not in shared
        key = file, -1 if is_other else process
        if is_beyond and key in shared:
            numbers[number] = shared[key]
            joined += 1
            continue
        thread, label = text(thread_name), text(labels)
        place, device = locate(text(name), label, thread, text(process_id))
        kind: TrackKind = "thread" if place == "host" else "stream"
        if thread in STEPS or text(process_id) in SPANS:
            kind = "steps"
        # What a profiler says of itself comes last.
        rank = 2 if text(process_id) in SPANS or not text(process_id) else int(place == "device")
        made = RawTrack(
            process="Other processes" if is_other else text(name),
            process_id="" if is_other else text(process_id),
            thread="Other threads" if is_beyond else thread.strip(),
            thread_id="" if is_beyond else text(thread_id),
            labels=label,
            host=hosts[file],
            place=place,
            device=device,
            kind=kind,
            order=(file, rank, process_order, process, kind != "steps", thread_order, number),
        )
        if is_beyond:
            shared[key] = len(found)
        numbers[number] = len(found)
        found.append(made)
    note = None
    if joined:
        note = (
            f"There are {len(listed):,} threads. Those after the first {MAX_TRACKS:,} share one track for each process, "
            f"and those of more than {MAX_SHARED:,} more processes one for each file."
        )
    return found, numbers, note


def locate(process: str, labels: str, thread: str, process_id: str) -> tuple[Place, int | None]:
    """Whether a thread is on a device, and on which."""
    match = DEVICE_PLANE.search(process)
    if match is not None:
        return ("host", None) if match[1] == "CPU" else ("device", int(match[2]))
    match = DEVICE_LABEL.match(labels.strip()) or DEVICE_LABEL.fullmatch(process.strip())
    if match is not None:
        return "device", int(match[1])
    if STREAM.match(thread.strip()) and process_id.isdigit() and int(process_id) < 1024:
        return "device", int(process_id)
    return "host", None


def make_track(
    raw: RawTrack, number: int, *, kind: TrackKind | None = None, thread: str | None = None
) -> Track:
    return Track(
        id=number,
        process=raw.process,
        process_id=raw.process_id,
        thread=raw.thread if thread is None else thread,
        thread_id=raw.thread_id,
        kind=raw.kind if kind is None else kind,
        place=raw.place,
        device=raw.device,
        host=raw.host,
        labels=raw.labels,
    )
