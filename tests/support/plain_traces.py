"""Slow, plain readers of profiles: the whole file as Python objects, times exact. What the native readers are compared with.

A file must be whole and well-formed: how damage is read is not known here.
"""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, NamedTuple

PROFILES = Path(__file__).parents[1] / "golden" / "profiles"
PS_OF_NS = 1000
PS_OF_US = 1_000_000
# A mark that older writers of torch put years into the future.
RECORD_WINDOW_END = "Record Window End"
DAY_PS = 86_400 * 10**12


class PlainTrack(NamedTuple):
    """One row of the file: a thread of a process, a line of a plane."""

    process: str
    process_id: str
    thread: str
    thread_id: str


class PlainEvent(NamedTuple):
    # Chrome's letter: X (B and E joined), i, C, s, t, f, b, n, e.
    phase: str
    # (process id, thread id), a key of PlainTrace.tracks.
    track: tuple[str, str]
    name: str
    category: str | None
    # From the zero of the file's own clock, which is `base_ns` in Unix time where the file says so.
    start_ps: int
    duration_ps: int
    arguments: dict[str, Any]
    # Of a flow or an async event.
    link: int | str | None = None


class PlainTrace(NamedTuple):
    events: list[PlainEvent]
    tracks: dict[tuple[str, str], PlainTrack]
    base_ns: int | None
    metadata: dict[str, Any]

    def of(self, phase: str) -> list[PlainEvent]:
        return [event for event in self.events if event.phase == phase]

    def sums(self, phase: str = "X") -> dict[str, tuple[int, int]]:
        """By name: how many events, and the sum of their durations in ps."""
        counts: Counter[str] = Counter()
        totals: Counter[str] = Counter()
        for event in self.of(phase):
            counts[event.name] += 1
            totals[event.name] += event.duration_ps
        return {name: (count, totals[name]) for name, count in counts.items()}


def list_profiles(*endings: str) -> list[Path]:
    """The golden profiles whose names end so, such as ".xplane.pb"."""
    return sorted(path for path in PROFILES.rglob("*") if path.is_file() and path.name.endswith(endings))


def read_truth(case: str, tool: str) -> Any:
    """What XProf or torch itself says of a golden profile: read_truth("jax_profile", "trace_viewer")."""
    return json.loads(gzip.decompress((PROFILES / case / "truth" / f"{tool}.json.gz").read_bytes()))


# Chrome's JSON, torch's too


def read_chrome(path: Path) -> PlainTrace:
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        data = gzip.decompress(data)
    return parse_chrome(data)


def parse_chrome(data: bytes) -> PlainTrace:
    # Decimal keeps what the file says: 3849226996533.025 µs is not a number of type float.
    document = json.loads(data, parse_float=Decimal, strict=False)
    listed = document if isinstance(document, list) else document["traceEvents"]
    metadata = {} if isinstance(document, list) else {k: v for k, v in document.items() if k != "traceEvents"}
    events = [event for event in listed if event.get("ph")]
    processes: dict[str, str] = {}
    threads: dict[tuple[str, str], str] = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[str(event["pid"])] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            threads[(str(event["pid"]), str(event.get("tid", 0)))] = event["args"]["name"]
    found: list[PlainEvent] = []
    tracks: dict[tuple[str, str], PlainTrack] = {}
    open_events: dict[tuple[str, str], list[int]] = {}
    for event in events:
        if event["ph"] == "M":
            continue
        track = (str(event.get("pid", "")), str(event.get("tid", "")))
        start_ps = to_ps(event["ts"])
        tracks.setdefault(
            track, PlainTrack(processes.get(track[0], ""), track[0], threads.get(track, ""), track[1])
        )
        if event["ph"] == "E":
            if open_events.get(track):
                at = open_events[track].pop()
                begun = found[at]
                found[at] = begun._replace(
                    phase="X",
                    duration_ps=start_ps - begun.start_ps,
                    arguments={**begun.arguments, **event.get("args", {})},
                )
            continue
        if event["ph"] == "B":
            open_events.setdefault(track, []).append(len(found))
        found.append(
            PlainEvent(
                # "I" is what instants were called first.
                "i" if event["ph"] == "I" else event["ph"],
                track,
                event.get("name", ""),
                event.get("cat"),
                start_ps,
                to_ps(event.get("dur", 0)),
                event.get("args", {}),
                event.get("id"),
            )
        )
    last_ps = max((e.start_ps + e.duration_ps for e in found if e.name != RECORD_WINDOW_END), default=0)
    found = [e for e in found if e.name != RECORD_WINDOW_END or e.start_ps - last_ps <= DAY_PS]
    used = {event.track for event in found}
    return PlainTrace(
        found,
        {key: track for key, track in tracks.items() if key in used},
        metadata.get("baseTimeNanoseconds"),
        metadata,
    )


def to_ps(microseconds: Decimal | int | str) -> int:
    # JAX writes 15.909999999999 for 15.91: digits below a picosecond are rounded, a half away from zero.
    return int((Decimal(microseconds) * PS_OF_US).to_integral_value(ROUND_HALF_UP))


# XPlane


class PlainLine(NamedTuple):
    id: int
    name: str
    timestamp_ns: int
    # Name, start and duration in ps, effective stats.
    events: list[tuple[str, int, int, dict[str, Any]]]


class PlainPlane(NamedTuple):
    id: int
    name: str
    lines: list[PlainLine]
    stats: dict[str, Any]


class PlainSpace(NamedTuple):
    planes: list[PlainPlane]
    errors: list[str]
    warnings: list[str]
    hostnames: list[str]


def read_space(path: Path) -> PlainSpace:
    """The planes as they are in the file, in its order."""
    return parse_space(path.read_bytes())


def parse_space(data: bytes) -> PlainSpace:
    fields = split_fields(data)
    return PlainSpace(
        [parse_plane(value) for number, value in fields if number == 1],
        [value.decode() for number, value in fields if number == 2],
        [value.decode() for number, value in fields if number == 3],
        [value.decode() for number, value in fields if number == 4],
    )


def read_xplane(path: Path) -> PlainTrace:
    return parse_xplane(path.read_bytes())


# These are threads of the host too: the same line id is the same thread.
HOST_PLANES = frozenset(
    {"/host:CPU", "/host:CUPTI", "/host:NVTX-CUPTI", "/host:ROCTRACER", "/host:python-tracer"}
)


def parse_xplane(data: bytes) -> PlainTrace:
    """The planes as a timeline: what a process is, and a thread of it, as XProf's trace viewer shows them.

    The process id is the plane's name, the thread id the line's id.
    """
    space = parse_space(data)
    events: list[PlainEvent] = []
    tracks: dict[tuple[str, str], PlainTrack] = {}
    base_ns = None
    metadata: dict[str, Any] = {}
    for plane in space.planes:
        process = "/host:CPU" if plane.name in HOST_PLANES else plane.name
        metadata.update({f"{plane.name}.{key}": value for key, value in plane.stats.items()})
        if plane.name == "Task Environment":
            base_ns = plane.stats.get("profile_start_time")
        for line in plane.lines:
            track = (process, str(line.id))
            named = tracks.get(track)
            tracks[track] = PlainTrack(
                process, process, (named.thread if named else "") or line.name, str(line.id)
            )
            for name, start_ps, duration_ps, stats in line.events:
                events.append(PlainEvent("X", track, name, None, start_ps, duration_ps, stats))
    return PlainTrace(events, tracks, base_ns, metadata)


def parse_plane(data: bytes) -> PlainPlane:
    fields = split_fields(data)
    stat_names = {key: text(value, 2) for key, value in parse_map(fields, 5).items()}
    names: dict[int, str] = {}
    shared: dict[int, dict[str, Any]] = {}
    for key, value in parse_map(fields, 4).items():
        parts = split_fields(value)
        # XProf shows the display name where there is one.
        names[key] = text(value, 4) or text(value, 2)
        shared[key] = parse_stats(parts, 5, stat_names)
    lines = []
    for number, value in fields:
        if number == 3:
            lines.append(parse_line(value, names, shared, stat_names))
    return PlainPlane(signed(last(fields, 1)), text(data, 2), lines, parse_stats(fields, 6, stat_names))


def parse_line(
    data: bytes, names: dict[int, str], shared: dict[int, dict[str, Any]], stat_names: dict[int, str]
) -> PlainLine:
    fields = split_fields(data)
    timestamp_ns = signed(last(fields, 3))
    events = []
    for number, value in fields:
        if number != 4:
            continue
        parts = split_fields(value)
        kind = signed(last(parts, 1))
        stats = {**shared.get(kind, {}), **parse_stats(parts, 4, stat_names)}
        start_ps = timestamp_ns * PS_OF_NS + signed(last(parts, 2))
        events.append((names.get(kind, ""), start_ps, signed(last(parts, 3)), stats))
    line_id = signed(last(fields, 10) or last(fields, 1))
    return PlainLine(line_id, text(data, 11) or text(data, 2), timestamp_ns, events)


def parse_stats(fields: list[tuple[int, Any]], number: int, stat_names: dict[int, str]) -> dict[str, Any]:
    found = {}
    for at, value in fields:
        if at == number:
            parts = split_fields(value)
            name = stat_names.get(signed(last(parts, 1)), "")
            found[name] = parse_stat_value(parts, stat_names)
    return found


def parse_stat_value(fields: list[tuple[int, Any]], stat_names: dict[int, str]) -> Any:
    held: Any = None
    for number, value in fields:
        if number == 2:
            held = struct.unpack("<d", value)[0]
        elif number == 3:
            held = value
        elif number == 4:
            held = signed(value)
        elif number == 5:
            held = value.decode(errors="replace")
        elif number == 6:
            held = value
        elif number == 7:
            held = stat_names.get(value, "")
        elif number == 8:
            held = zlib.decompress(value, 47).decode(errors="replace")
    return held


# The wire format of protobuf


def split_fields(data: bytes) -> list[tuple[int, Any]]:
    """(field number, value): whole numbers unsigned, fixed ones and messages as bytes."""
    return list(walk_fields(data))


def walk_fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        value: Any
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            size = 8 if key & 7 == 1 else 4
            if key & 7 == 2:
                size, at = read_varint(data, at)
            elif key & 7 != 1 and key & 7 != 5:
                raise ValueError(f"wire type {key & 7} at byte {at}")
            value = data[at : at + size]
            if len(value) < size:
                raise ValueError(f"a field of {size} bytes at byte {at} of {len(data)}")
            at += size
        yield key >> 3, value


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise ValueError(f"a number without an end at byte {at}")


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def last(fields: list[tuple[int, Any]], number: int) -> int:
    found: int = next((value for at, value in reversed(fields) if at == number), 0)
    return found


def text(data: bytes, number: int) -> str:
    found: bytes = next((value for at, value in reversed(split_fields(data)) if at == number), b"")
    return found.decode(errors="replace")


def parse_map(fields: list[tuple[int, Any]], number: int) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for at, value in fields:
        if at == number:
            entry = dict(split_fields(value))
            found[signed(entry.get(1, 0))] = entry.get(2, b"")
    return found
