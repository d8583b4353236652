"""Log directories with large profiles, made once under bench/out from real ones: the same steps again and again, later each time.

Every repetition has times, step numbers, correlation ids and flow ids of its own, and kernels take turns among VARIANTS names, as the layers
of a deeper model have. Nothing else is made up: what is long, short, nested or idle is so because it was in the real profile.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from bench import wire
from bench.workloads import OUT, write_once

# Raised when the bytes change.
LAYOUT = 1
PROFILES = Path(__file__).parent.parent / "tests" / "golden" / "profiles"
TORCH = PROFILES / "torch_profiler_gpu/logdir/cnn/h200.1794706253023051283.pt.trace.json.gz"
JAX = PROFILES / "jax_profile_gpu/logdir/run/plugins/profile/2026_11_15_01_31_25/vm.xplane.pb"
SESSION = "2026_11_15_01_31_25"
VARIANTS = 16
VARIED = {"kernel", "cpu_op"}
# Repetitions that are in memory at a time.
BLOCK = 512


@dataclass(frozen=True)
class TraceLog:
    kind: str
    # Chrome's JSON: at least this many bytes. XPlane: at least this many events.
    size_bytes: int = 0
    events: int = 0
    layout: int = LAYOUT

    @property
    def path(self) -> Path:
        size = f"{self.size_bytes // 10**6}MB" if self.size_bytes else f"{self.events}"
        return OUT / "logs" / f"trace-{self.kind}-{size}"

    @property
    def run(self) -> str:
        return "train"

    @property
    def file(self) -> Path:
        if self.kind == "torch":
            return self.path / self.run / "gpu0.1794706253023051283.pt.trace.json"
        return self.path / self.run / "plugins" / "profile" / SESSION / "host0.xplane.pb"


def torch_log(size_bytes: int) -> TraceLog:
    """Makes sure that it is on disk."""
    return made(TraceLog("torch", size_bytes=size_bytes))


def xplane_log(events: int) -> TraceLog:
    return made(TraceLog("xplane", events=events))


def made(log: TraceLog) -> TraceLog:
    write_once(log.path, lambda: asdict(log), lambda: write(log))
    return log


def write(log: TraceLog) -> None:
    shutil.rmtree(log.path, ignore_errors=True)
    log.file.parent.mkdir(parents=True)
    with log.file.open("wb") as out:
        for part in torch_parts(log.size_bytes) if log.kind == "torch" else xplane_parts(log.events):
            out.write(part)
    # Dirty pages written back during a measurement would be charged to whoever runs then.
    os.sync()


# Chrome's JSON as torch writes it

# Ids that one event has and no other, or that two events share which belong together.
IDS = ("External id", "correlation", "Ev Idx", "Sequence number")


def torch_parts(size_bytes: int) -> Iterator[bytes]:
    document = json.loads(gzip.decompress(TORCH.read_bytes()), parse_float=Decimal)
    events = document.pop("traceEvents")
    about = [event for event in events if event["ph"] == "M"]
    timed = [event for event in events if event["ph"] != "M" and event.get("name") != "Record Window End"]
    first = min(event["ts"] for event in timed)
    last = max(event["ts"] + event.get("dur", 0) for event in timed)
    shift_ns = int((last - first) * 1000) + 100_000
    steps = [int(event["name"].split("#")[1]) for event in timed if event["name"].startswith("ProfilerStep#")]
    step_count = max(steps) - min(steps) + 1
    id_count = 1 + max(number for event in timed for number in ids_of(event))
    pieces = [template_of(event) for event in timed]
    template = ",\n".join(text for text, _ in pieces)
    # What is put into the template: times in ns in two parts, ids, steps and variants.
    numbers = np.array([number for _, found in pieces for number, _ in found], dtype=np.int64)
    kinds = np.array(["nmisv".index(kind) for _, found in pieces for _, kind in found])
    factors = np.array([shift_ns, shift_ns, id_count, step_count, 1])[kinds]
    head = json.dumps(document, default=str)[:-1] + ', "traceEvents": [\n'
    yield head.encode()
    written = len(head)
    yield ",\n".join(json.dumps(event, default=float) for event in about).encode()
    repetition = 0
    while written < size_bytes:
        values = numbers + factors * repetition
        values[kinds == 0] //= 1000
        values[kinds == 1] %= 1000
        values[kinds == 4] %= VARIANTS
        part = (",\n" + template % tuple(values.tolist())).encode()
        yield part
        written += len(part)
        repetition += 1
    yield b'\n], "traceName": "gpu0.json"}\n'


def ids_of(event: dict[str, Any]) -> Iterator[int]:
    yield event.get("id", 0)
    yield from (event.get("args", {}).get(key, 0) for key in IDS)


def template_of(event: dict[str, Any]) -> tuple[str, list[tuple[int, str]]]:
    """The event as a text for `%`, and the numbers of the first repetition with what each of them is.

    n, m: a time in ns, its whole µs and the rest; i: an id; s: a step; v: a variant of a name.
    """
    marks: dict[str, list[tuple[int, str]]] = {}

    def mark(what: list[tuple[int, str]]) -> str:
        key = f"@{len(marks)}@"
        marks[key] = what
        return key

    changed = dict(event)
    ns = int(event["ts"] * 1000)
    changed["ts"] = mark([(ns, "n"), (ns, "m")])
    if "dur" in event:
        changed["dur"] = float(event["dur"])
    if "id" in event:
        changed["id"] = mark([(event["id"], "i")])
    name, number = event["name"], event["name"].partition("#")[2]
    if name.startswith("ProfilerStep#"):
        changed["name"] = f"ProfilerStep#{mark([(int(number), 's')])}"
    elif event.get("cat") in VARIED:
        changed["name"] = f"{name} [{mark([(0, 'v')])}]"
    if "args" in event:
        changed["args"] = {
            key: mark([(value, "i")]) if key in IDS and value > 0 else value
            for key, value in event["args"].items()
        }
    text = json.dumps(changed, separators=(",", ":"), default=float).replace("%", "%%")
    found: list[tuple[int, str]] = []
    for key in sorted(marks, key=text.index):
        kinds = "".join(kind for _, kind in marks[key])
        found += marks[key]
        is_in_name = kinds in {"s", "v"}
        text = text.replace(key if is_in_name else f'"{key}"', "%d.%03d" if kinds == "nm" else "%d")
    return text, found


# XPlane

# Widths of numbers that change, as varints: a number that would fit into fewer bytes is written with zero bits above it.
WIDE = {"offset": 7, "id": 5, "step": 4, "name": 3}
# By stat name: what its value is.
CHANGING = {"correlation_id": "id", "step_num": "step", "_c": "id", "_p": "id"}


def xplane_parts(events: int) -> Iterator[bytes]:
    planes = [value for number, value in fields_of(JAX.read_bytes()) if number == 1]
    found = [each for plane in planes for each in offsets_of(plane)]
    shift_ps = max(end for _, end in found) - min(start for start, _ in found) + 100_000_000
    repetitions = -(-events // len(found))
    for plane in planes:
        yield from plane_parts(plane, repetitions, shift_ps)
    yield wire.field_bytes(4, b"host0")


def offsets_of(plane: bytes) -> list[tuple[int, int]]:
    """Where each event starts and ends, in ps of the file's clock."""
    found = []
    for number, line in fields_of(plane):
        if number == 3:
            parts = fields_of(line)
            zero = dict(parts).get(3, 0) * 1000
            for at, event in parts:
                if at == 4:
                    values = dict(fields_of(event))
                    start = zero + values.get(2, 0)
                    found.append((start, start + values.get(3, 0)))
    return found


def plane_parts(plane: bytes, repetitions: int, shift_ps: int) -> Iterator[bytes]:
    fields = fields_of(plane)
    stat_names = {key: dict(fields_of(value)).get(2, b"").decode() for key, value in map_of(fields, 5)}
    kinds = dict(map_of(fields, 4))
    is_varied = dict(fields).get(2, b"").startswith(b"/device:")
    others: list[bytes] = [field(number, value) for number, value in fields if number not in (3, 4)]
    stride = max(kinds, default=0) + 1
    for variant in range(VARIANTS if is_varied else 1):
        for key, value in kinds.items():
            named = renamed(value, key + variant * stride, variant)
            entry = wire.field_varint(1, key + variant * stride) + wire.field_bytes(2, named)
            others.append(wire.field_bytes(4, entry))
    lines = [
        line_parts(value, stat_names, stride if is_varied else 0, repetitions, shift_ps)
        for number, value in fields
        if number == 3
    ]
    size = sum(map(len, others)) + sum(len(head) + length for head, length, _ in lines)
    yield wire.varint(1 << 3 | 2) + wire.varint(size)
    yield from others
    for head, _, blocks in lines:
        yield head
        yield from blocks


def line_parts(
    line: bytes, stat_names: dict[int, str], stride: int, repetitions: int, shift_ps: int
) -> tuple[bytes, int, Iterator[bytes]]:
    """The head of the line (its tag and length included), the bytes of its events, and those bytes in blocks."""
    fields = fields_of(line)
    head = b"".join(field(number, value) for number, value in fields if number != 4)
    once = bytearray()
    # Where in `once` a number stands, how wide it is, its first value and what is added each time.
    places: list[tuple[int, int, int, int]] = []
    names: list[int] = []

    def put(number: int, what: str, value: int, added: int) -> None:
        once.extend(wire.varint(number << 3))
        places.append((len(once), WIDE[what], value, added))
        once.extend(bytes(WIDE[what]))

    for number, event in fields:
        if number != 4:
            continue
        values = dict(fields_of(event))
        start = len(once)
        put(1, "name", values.get(1, 0), 0)
        names.append(len(places) - 1)
        put(2, "offset", values.get(2, 0), shift_ps)
        once.extend(wire.field_varint(3, values.get(3, 0)))
        for at, stat in fields_of(event):
            if at == 4:
                parts = dict(fields_of(stat))
                what = CHANGING.get(stat_names.get(parts.get(1, 0), ""))
                kept = next((key for key in (3, 4) if key in parts), None)
                # Some of them are hashes rather than counts.
                if what is None or kept is None or parts[kept] >= 1 << 31:
                    once.extend(wire.field_bytes(4, stat))
                    continue
                head_of_stat = wire.field_varint(1, parts[1]) + wire.varint(kept << 3)
                once.extend(
                    wire.varint(4 << 3 | 2) + wire.varint(len(head_of_stat) + WIDE[what]) + head_of_stat
                )
                places.append((len(once), WIDE[what], parts[kept], 5 if what == "step" else 1000))
                once.extend(bytes(WIDE[what]))
        length = len(once) - start
        tag = wire.varint(4 << 3 | 2) + wire.varint(length)
        once[start:start] = tag
        for index in range(len(places)):
            if places[index][0] >= start:
                at, *rest = places[index]
                places[index] = (at + len(tag), *rest)  # type: ignore[assignment]
    total = len(once) * repetitions
    start_of_line = wire.varint(3 << 3 | 2) + wire.varint(len(head) + total) + head
    return start_of_line, total, tiles(bytes(once), places, set(names), stride, repetitions)


def tiles(
    once: bytes, places: list[tuple[int, int, int, int]], names: set[int], stride: int, repetitions: int
) -> Iterator[bytes]:
    for begin in range(0, repetitions, BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, repetitions), dtype=np.int64)
        block = np.tile(np.frombuffer(once, dtype=np.uint8), (len(rows), 1))
        for index, (at, width, first, added) in enumerate(places):
            values = first + rows * added
            if index in names:
                values = first + (rows % VARIANTS) * stride
            for byte in range(width):
                above = 0x80 if byte < width - 1 else 0
                block[:, at + byte] = (values >> 7 * byte & 0x7F) | above
        yield block.tobytes()


def renamed(kind: bytes, key: int, variant: int) -> bytes:
    """The metadata of an event under another id, its names with the number of the variant."""
    made = b""
    for number, value in fields_of(kind):
        if number == 1:
            value = key
        elif number in (2, 4) and variant:
            value += f"_{variant}".encode()
        made += field(number, value)
    return made


# The wire format, as pairs of field number and value: varints as numbers, eight bytes as a float, messages as bytes.


def fields_of(data: bytes) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    at = 0
    while at < len(data):
        key, at = varint_at(data, at)
        if key & 7 == 0:
            value, at = varint_at(data, at)
            found.append((key >> 3, value))
            continue
        if key & 7 == 1:
            found.append((key >> 3, np.frombuffer(data, "<f8", 1, at)[0]))
            at += 8
            continue
        size, at = varint_at(data, at)
        found.append((key >> 3, data[at : at + size]))
        at += size
    return found


def varint_at(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def field(number: int, value: Any) -> bytes:
    if isinstance(value, bytes):
        return wire.field_bytes(number, value)
    if isinstance(value, float):
        return wire.field_double(number, float(value))
    return wire.field_varint(number, value)


def map_of(fields: list[tuple[int, Any]], number: int) -> Iterator[tuple[int, bytes]]:
    for at, value in fields:
        if at == number:
            entry = dict(fields_of(value))
            yield entry.get(1, 0), entry.get(2, b"")


if __name__ == "__main__":
    # python -m bench.traces torch=500 (MB) xplane=2000000 (events) xplane=10000000
    for wish in sys.argv[1:] or ["torch=500", "xplane=2000000"]:
        kind, _, size = wish.partition("=")
        log = torch_log(int(size) * 10**6) if kind == "torch" else xplane_log(int(size))
        print(log.file, f"{log.file.stat().st_size:,} bytes")
