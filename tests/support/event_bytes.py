"""Event files encoded by hand: framing, wire format, Event and Summary, in every shape a writer may choose.

Shares no code with the package, so that what it writes can judge all of it. Slow, and meant to be read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

DTYPES = {
    "float": 1,
    "double": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "bfloat16": 14,
    "uint16": 17,
    "half": 19,
    "uint32": 22,
    "uint64": 23,
}
# How one element of each type lies in tensor_content.
CONTENT_FORMATS = {
    "float": "<f",
    "double": "<d",
    "int32": "<i",
    "uint8": "<B",
    "int16": "<h",
    "int8": "<b",
    "int64": "<q",
    "bool": "<B",
    "bfloat16": "<H",
    "uint16": "<H",
    "half": "<e",
    "uint32": "<I",
    "uint64": "<Q",
}
TYPED_FIELDS = {
    "float": 5,
    "double": 6,
    "int32": 7,
    "uint8": 7,
    "int16": 7,
    "int8": 7,
    "int64": 10,
    "bool": 11,
    "bfloat16": 13,
    "half": 13,
    "uint16": 7,
    "uint32": 16,
    "uint64": 17,
}


# ---- checksums and framing


def crc_table() -> list[int]:
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        table.append(number)
    return table


TABLE = crc_table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def checksum(data: bytes) -> int:
    """CRC32C in the masked form that files hold."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def header(length: int) -> bytes:
    size = struct.pack("<Q", length)
    return size + struct.pack("<I", checksum(size))


def record(payload: bytes) -> bytes:
    return header(len(payload)) + payload + struct.pack("<I", checksum(payload))


def records(*payloads: bytes) -> bytes:
    return b"".join(map(record, payloads))


# ---- wire format


def varint(number: int) -> bytes:
    number &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def chunk(field: int, body: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(body)) + body


def fixed32(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def fixed64(field: int, value: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<d", value)


# ---- events


def event(*parts: bytes, wall_time: float | None = None, step: int | None = None) -> bytes:
    """An Event's payload. `parts` are encoded fields; wall time and step stand before them, as every writer puts them."""
    head = b"" if wall_time is None else fixed64(1, wall_time)
    head += b"" if step is None else number(2, step)
    return head + b"".join(parts)


def file_version(wall_time: float = 1.7e9) -> bytes:
    return event(chunk(3, b"brain.Event:2"), wall_time=wall_time)


def session_log(step: int, *, status: int = 1, wall_time: float = 1.7e9) -> bytes:
    return event(chunk(7, number(1, status)), wall_time=wall_time, step=step)


def graph(body: bytes, *, wall_time: float = 1.7e9, step: int = 0) -> bytes:
    return event(chunk(4, body), wall_time=wall_time, step=step)


def meta_graph(graph_body: bytes, *, wall_time: float = 1.7e9, step: int = 0) -> bytes:
    return event(chunk(9, chunk(1, b"") + chunk(2, graph_body)), wall_time=wall_time, step=step)


def run_metadata(tag: str, body: bytes, *, wall_time: float = 1.7e9, step: int = 0) -> bytes:
    return event(chunk(8, chunk(1, tag.encode()) + chunk(2, body)), wall_time=wall_time, step=step)


def summary(*values: bytes) -> bytes:
    return chunk(5, b"".join(chunk(1, value) for value in values))


def scalar(tag: str, value: float, *, step: int, wall_time: float | None = None) -> bytes:
    """The commonest event: one number in the old encoding."""
    return event(
        summary(simple(tag, value)), wall_time=1.7e9 + step if wall_time is None else wall_time, step=step
    )


def scalars(
    tag: str, values: Iterable[float], *, first_step: int = 0, first_wall_time: float = 1.7e9
) -> list[bytes]:
    return [
        scalar(tag, value, step=first_step + index, wall_time=first_wall_time + index)
        for index, value in enumerate(values)
    ]


# ---- Summary.Value


def value(tag: str | bytes, *parts: bytes) -> bytes:
    return chunk(1, tag.encode() if isinstance(tag, str) else tag) + b"".join(parts)


def simple(tag: str | bytes, number_: float) -> bytes:
    return value(tag, fixed32(2, number_))


def metadata(
    plugin: str, *, content: bytes = b"", display_name: str = "", description: str = "", data_class: int = 0
) -> bytes:
    body = chunk(1, chunk(1, plugin.encode()) + (chunk(2, content) if content else b""))
    body += chunk(2, display_name.encode()) if display_name else b""
    body += chunk(3, description.encode()) if description else b""
    body += number(4, data_class) if data_class else b""
    return chunk(9, body)


def tensor_value(tag: str | bytes, tensor: bytes, *, plugin: str | None = None) -> bytes:
    return value(tag, chunk(8, tensor), b"" if plugin is None else metadata(plugin))


def image_value(tag: str, png: bytes, width: int, height: int) -> bytes:
    body = number(1, height) + number(2, width) + number(3, 1) + chunk(4, png)
    return value(tag, chunk(4, body))


def audio_value(tag: str, wav: bytes, *, sample_rate: float, frames: int) -> bytes:
    body = fixed32(1, sample_rate) + number(2, 1) + number(3, frames) + chunk(4, wav) + chunk(5, b"audio/wav")
    return value(tag, chunk(6, body))


def histogram_value(tag: str, limits: list[float], counts: list[float], low: float, high: float) -> bytes:
    body = fixed64(1, low) + fixed64(2, high) + fixed64(3, sum(counts))
    body += chunk(6, struct.pack(f"<{len(limits)}d", *limits)) + chunk(
        7, struct.pack(f"<{len(counts)}d", *counts)
    )
    return value(tag, chunk(5, body))


# ---- TensorProto


def shape(dims: Iterable[int]) -> bytes:
    return chunk(2, b"".join(chunk(2, number(1, size) if size else b"") for size in dims))


def tensor(dtype: str, *parts: bytes, dims: Iterable[int] | None = ()) -> bytes:
    """A TensorProto; `dims` None leaves the shape out."""
    return number(1, DTYPES[dtype]) + (b"" if dims is None else shape(dims)) + b"".join(parts)


def content(dtype: str, values: Iterable[float]) -> bytes:
    """tensor_content of some numbers; of bfloat16, their bit patterns."""
    return chunk(4, b"".join(struct.pack(CONTENT_FORMATS[dtype], item) for item in values))


def typed(dtype: str, values: Iterable[float], *, packed: bool = True) -> bytes:
    """The typed field of some numbers; of half and bfloat16, their bit patterns."""
    field = TYPED_FIELDS[dtype]
    items = list(values)
    if dtype in ("float", "double"):
        form, encode = ("<f", fixed32) if dtype == "float" else ("<d", fixed64)
        body = b"".join(struct.pack(form, item) for item in items)
        return chunk(field, body) if packed else b"".join(encode(field, item) for item in items)
    if packed:
        return chunk(field, b"".join(varint(int(item)) for item in items))
    return b"".join(number(field, int(item)) for item in items)


def strings(items: Iterable[bytes], *, dims: Iterable[int] | None = ()) -> bytes:
    return tensor("string", *(chunk(8, item) for item in items), dims=dims)


def floats(items: list[float], dims: Iterable[int]) -> bytes:
    return tensor("float", content("float", items), dims=dims)


# ---- small files of other kinds


def png(width: int, height: int, *, padding: int = 0) -> bytes:
    """A grey picture; `padding` makes it that many bytes larger with a chunk that viewers ignore."""

    def piece(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    rows = b"".join(b"\0" + bytes((x * 7 + y * 13) % 256 for x in range(width)) for y in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + piece(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + (piece(b"teSt", bytes(index * 31 % 251 for index in range(padding))) if padding else b"")
        + piece(b"IDAT", zlib.compress(rows))
        + piece(b"IEND", b"")
    )


def wav(frames: int, *, rate: int = 8000) -> bytes:
    samples = struct.pack(f"<{frames}h", *((index * 321) % 2000 - 1000 for index in range(frames)))
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * 2, 2, 16)
    body = (
        b"WAVE"
        + b"fmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", len(samples))
        + samples
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def graph_def(names: Iterable[str]) -> bytes:
    return b"".join(chunk(1, chunk(1, name.encode()) + chunk(2, b"NoOp")) for name in names)
