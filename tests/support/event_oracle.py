"""Reads event files the slow and obvious way, from the format's description alone: what the package has to agree with.

Shares no code with the package. One function per rule; lists of tuples, no columns.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from tests.support.event_bytes import CONTENT_FORMATS, DTYPES, checksum

MAX_RECORD_BYTES = 0x7FFFFFFF
NAMES = {number: name for name, number in DTYPES.items()}
SCALAR_FIELDS = {
    5: "float",
    6: "double",
    7: "int32",
    10: "int64",
    11: "bool",
    13: "half",
    16: "uint32",
    17: "uint64",
}


class Malformed(Exception):
    """Bytes that are no such message."""


@dataclass
class TagRows:
    metadata: bytes | None = None
    # step, wall_time, value
    points: list[tuple[int, float, float]] = field(default_factory=list)
    # step, wall_time, serialized Summary.Value
    blobs: list[tuple[int, float, bytes]] = field(default_factory=list)
    # Points before, blobs before, step that is named.
    starts: list[tuple[int, int, int]] = field(default_factory=list)
    first_is_blob: bool | None = None


@dataclass
class FileRows:
    tags: dict[bytes, TagRows] = field(default_factory=dict)
    # Event field, step, wall_time, body.
    extras: list[tuple[int, int, float, bytes]] = field(default_factory=list)
    records: int = 0
    skipped: int = 0
    first_skipped: int = -1
    offset: int = 0
    stop: str = "end"
    last_start: int | None = None


def read_file(data: bytes) -> FileRows:
    """Everything that can be read of a file's bytes, by the rules for damage."""
    rows = FileRows()
    while True:
        at = rows.offset
        head = data[at : at + 12]
        if not head:
            return rows
        if len(head) < 12:
            rows.stop = "short"
            return rows
        length, found = struct.unpack("<QI", head)
        if checksum(head[:8]) != found:
            rows.stop = "bad_length" if any(head) else "zeros"
            return rows
        if length > MAX_RECORD_BYTES:
            rows.stop = "too_long"
            return rows
        payload = data[at + 12 : at + 12 + length]
        footer = data[at + 12 + length : at + 16 + length]
        if len(footer) < 4:
            rows.stop = "short"
            return rows
        rows.records += 1
        rows.offset += length + 16
        try:
            if checksum(payload) != struct.unpack("<I", footer)[0]:
                raise Malformed
            keep_event(rows, payload)
        except Malformed:
            rows.skipped += 1
            if rows.first_skipped < 0:
                rows.first_skipped = at


def keep_event(rows: FileRows, payload: bytes) -> None:
    wall_time, step = 0.0, 0
    values: list[tuple[dict[int, bytes], float | None, int, bytes]] = []
    extras: list[tuple[int, bytes]] = []
    starts = False
    for number, wire, body in fields(payload):
        if (number, wire) == (1, 1):
            (wall_time,) = struct.unpack("<d", body)
        elif (number, wire) == (2, 0):
            step = signed(varint_of(body), 64)
        elif (number, wire) == (5, 2):
            values.extend(read_value(item) for n, w, item in fields(body) if (n, w) == (1, 2))
        elif (number, wire) == (7, 2):
            starts = any((n, w) == (1, 0) and varint_of(item) == 1 for n, w, item in fields(body))
        elif number in (4, 8, 9) and wire == 2:
            extras.append((number, body))
    # Numbers first, all of them: an event is kept whole or not at all.
    known = {tag: tag_rows.metadata for tag, tag_rows in rows.tags.items()}
    numbers = []
    for parts, simple, what, _ in values:
        tag = parts.get(1) or parts.get(7, b"")
        if known.get(tag) is None and 9 in parts:
            known[tag] = parts[9]
        if what == 8 and plugin_of(known.get(tag)) in ("", "scalars"):
            numbers.append(single_number(parts[8]))
        else:
            numbers.append(simple)
    for (parts, _, what, raw), number_ in zip(values, numbers, strict=True):
        keep_value(rows, parts, what, raw, number_, step, wall_time)
    if starts:
        start_session(rows, step)
    rows.extras.extend((number, step, wall_time, body) for number, body in extras[-1:] if not starts)


def keep_value(
    rows: FileRows,
    parts: dict[int, bytes],
    what: int,
    raw: bytes,
    number: float | None,
    step: int,
    wall_time: float,
) -> None:
    if what == 0 and 9 not in parts:
        return
    tag = parts.get(1) or parts.get(7, b"")
    if tag not in rows.tags:
        rows.tags[tag] = TagRows(starts=[] if rows.last_start is None else [(0, 0, rows.last_start)])
    found = rows.tags[tag]
    if found.metadata is None and 9 in parts:
        found.metadata = parts[9]
    if number is not None:
        found.points.append((step, wall_time, number))
    elif what or plugin_of(found.metadata) != "scalars":
        found.blobs.append((step, wall_time, raw))
    else:
        return
    if found.first_is_blob is None:
        found.first_is_blob = number is None


def start_session(rows: FileRows, step: int) -> None:
    rows.last_start = step
    for tag_rows in rows.tags.values():
        before = (len(tag_rows.points), len(tag_rows.blobs))
        if tag_rows.starts and tag_rows.starts[-1][:2] == before:
            tag_rows.starts.pop()
        tag_rows.starts.append((*before, step))


def read_value(raw: bytes) -> tuple[dict[int, bytes], float | None, int, bytes]:
    """A Summary.Value: its length-delimited fields, its simple value, the field that holds its value (0: none), its bytes."""
    parts: dict[int, bytes] = {}
    simple = None
    what = 0
    for number, wire, body in fields(raw):
        if (number, wire) == (2, 5):
            (simple,) = struct.unpack("<f", body)
            what = 2
        elif wire == 2:
            parts[number] = body
            if number in (3, 4, 5, 6, 8):
                what, simple = number, None
    return parts, simple, what, raw


def plugin_of(metadata: bytes | None) -> str:
    try:
        for number, wire, body in fields(metadata or b""):
            if (number, wire) == (1, 2):
                for inner, inner_wire, name in fields(body):
                    if (inner, inner_wire) == (1, 2):
                        return name.decode("utf-8", "replace")
    except Malformed:
        return "?"
    return ""


def single_number(tensor: bytes) -> float | None:
    """The number in a tensor of exactly one real number; None for any other tensor."""
    dtype = 0
    count = 1
    content = b""
    found: list[tuple[int, bytes]] = []
    for number, wire, body in fields(tensor):
        if (number, wire) == (1, 0):
            dtype = (varint_of(body) & 0xFFFF) % 100
        elif (number, wire) == (2, 2):
            for size in dims(body):
                count *= size
        elif (number, wire) == (4, 2):
            content = body
        elif number in SCALAR_FIELDS:
            found.extend((number, item) for item in items(number, wire, body))
    name = NAMES.get(dtype, "")
    if name not in CONTENT_FORMATS or count != 1 or len(found) > 1:
        return None
    if content:
        if len(content) != struct.calcsize(CONTENT_FORMATS[name]):
            return None
        (stored,) = struct.unpack(CONTENT_FORMATS[name], content)
        if name == "bool":
            return float(bool(stored))
        return from_bits(stored << 16) if name == "bfloat16" else float(stored)
    return typed_number(*found[0], name) if found else 0.0


def typed_number(number: int, body: bytes, dtype: str) -> float:
    if number == 5:
        return float(struct.unpack("<f", body)[0])
    if number == 6:
        return float(struct.unpack("<d", body)[0])
    raw = varint_of(body)
    if number == 13:
        if raw > 0xFFFF:
            return from_bits(raw & 0xFFFFFFFF)
        return (
            from_bits(raw << 16)
            if dtype == "bfloat16"
            else float(struct.unpack("<e", struct.pack("<H", raw))[0])
        )
    if number == 7:
        return float(signed(raw & 0xFFFFFFFF, 32))
    if number == 10:
        return float(signed(raw, 64))
    if number == 11:
        return float(raw != 0)
    return float(raw & 0xFFFFFFFF if number == 16 else raw)


def items(number: int, wire: int, body: bytes) -> list[bytes]:
    """The elements of a repeated number, packed or not."""
    size = {5: 4, 6: 8}.get(number)
    if wire != 2:
        return [body] if wire == {5: 5, 6: 1}.get(number, 0) else []
    if size:
        return [body[at : at + size] for at in range(0, len(body) - size + 1, size)]
    found = []
    at = 0
    while at < len(body):
        end = varint_end(body, at)
        found.append(body[at:end])
        at = end
    return found


def dims(body: bytes) -> list[int]:
    sizes = []
    for number, wire, dim in fields(body):
        if (number, wire) == (2, 2):
            size = 0
            for inner, inner_wire, item in fields(dim):
                if (inner, inner_wire) == (1, 0):
                    size = varint_of(item)
            sizes.append(size)
    return sizes


# ---- wire format


def fields(data: bytes) -> list[tuple[int, int, bytes]]:
    """(field number, wire type, bytes of the value) of every field; a length-delimited one without its length."""
    found = []
    at = 0
    while at < len(data):
        end = varint_end(data, at)
        key = varint_of(data[at:end])
        number, wire = key >> 3, key & 7
        at = end
        if number == 0:
            raise Malformed
        if wire == 0:
            end = varint_end(data, at)
        elif wire in (1, 5):
            end = at + (8 if wire == 1 else 4)
        elif wire == 2:
            end = varint_end(data, at)
            size = varint_of(data[at:end])
            at, end = end, end + size
        else:
            raise Malformed
        if end > len(data):
            raise Malformed
        found.append((number, wire, data[at:end]))
        at = end
    return found


def varint_end(data: bytes, at: int) -> int:
    for end in range(at, min(at + 10, len(data))):
        if data[end] < 0x80:
            return end + 1
    raise Malformed


def varint_of(body: bytes) -> int:
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(body)) & 0xFFFFFFFFFFFFFFFF


def signed(number: int, bits: int) -> int:
    return number - (1 << bits) if number >> (bits - 1) else number


def from_bits(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])
