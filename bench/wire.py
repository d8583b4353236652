"""Event files encoded by hand: record framing and the protobuf wire format of Event and Summary.

Shares no code with any reader, ours included, so that what it writes can judge all of them. Needs only numpy.
"""

from __future__ import annotations

import struct

import numpy as np

DT_FLOAT, DT_DOUBLE, DT_STRING = 1, 2, 7
DATA_CLASS = {"scalars": 1, "histograms": 2, "images": 3}


def crc_table() -> np.ndarray:
    table = np.zeros(256, np.uint32)
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ (0x82F63B78 if c & 1 else 0)
        table[i] = c
    return table


TABLE = crc_table()
TABLE_LIST = [int(x) for x in TABLE]


def mask_crc(crc: int) -> int:
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def crc32c_bytes(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE_LIST[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def shift_table(length: int) -> np.ndarray:
    """What `length` zero bytes do to each of the four bytes of a CRC register: [4, 256]."""
    table = np.arange(256, dtype=np.uint32)[None, :] << np.array([[0], [8], [16], [24]], np.uint32)
    for _ in range(length):
        table = TABLE[table & 0xFF] ^ (table >> 8)
    return table


SHIFTS: dict[int, np.ndarray] = {}


def crc32c(data: bytes) -> int:
    """CRC32C; a long blob is cut into 1,024 lanes computed side by side, because a byte loop would take minutes."""
    lanes, length = 1024, len(data) // 1024
    if length < 64:
        return crc32c_bytes(data)
    if length not in SHIFTS:
        SHIFTS[length] = shift_table(length)
    shift = SHIFTS[length].tolist()
    matrix = np.frombuffer(data, np.uint8, lanes * length).reshape(lanes, length)
    partial = np.zeros(lanes, np.uint32)
    for column in np.ascontiguousarray(matrix.T):
        partial = TABLE[(partial ^ column) & 0xFF] ^ (partial >> 8)
    crc = 0xFFFFFFFF
    for lane in partial.tolist():
        crc = (
            shift[0][crc & 255]
            ^ shift[1][crc >> 8 & 255]
            ^ shift[2][crc >> 16 & 255]
            ^ shift[3][crc >> 24]
            ^ lane
        )
    for byte in data[lanes * length :]:
        crc = TABLE_LIST[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked_crc32c_rows(matrix: np.ndarray) -> np.ndarray:
    """Masked CRC32C of every row of a uint8 matrix [n, width]."""
    crc = np.full(matrix.shape[0], 0xFFFFFFFF, np.uint32)
    for column in np.ascontiguousarray(matrix.T):
        crc = TABLE[(crc ^ column) & 0xFF] ^ (crc >> 8)
    crc ^= np.uint32(0xFFFFFFFF)
    return ((crc >> 15) | (crc << 17)) + np.uint32(0xA282EAD8)  # uint32 wraps, as the mask wants


def varint(n: int) -> bytes:
    out = bytearray()
    while n >= 0x80:
        out.append((n & 0x7F) | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field_varint(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def field_bytes(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def field_double(number: int, value: float) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<d", value)


def field_float(number: int, value: float) -> bytes:
    return varint(number << 3 | 5) + struct.pack("<f", value)


def metadata(plugin: str) -> bytes:
    """SummaryMetadata{plugin_data{plugin_name}, data_class}."""
    return field_bytes(1, field_bytes(1, plugin.encode())) + field_varint(4, DATA_CLASS[plugin])


def shape(*dims: int) -> bytes:
    return b"".join(field_bytes(2, field_varint(1, dim)) for dim in dims)


def scalar_payload(form: str, value: float = 0.0) -> bytes:
    """The Summary.Value fields after `tag`; the value is the last 4 bytes."""
    if form == "simple":
        return field_float(2, value)
    content = field_bytes(4, struct.pack("<f", value))
    return field_bytes(8, field_varint(1, DT_FLOAT) + field_bytes(2, b"") + content)


def event(wall_time: float, step: int, tag: str, payload: bytes, meta: bytes = b"") -> bytes:
    value = field_bytes(1, tag.encode()) + payload
    if meta:
        value += field_bytes(9, meta)
    head = field_double(1, wall_time)
    if step:  # proto3 leaves zero out
        head += field_varint(2, step)
    return head + field_bytes(5, field_bytes(1, value))


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    crc_length, crc_data = (struct.pack("<I", mask_crc(crc32c(part))) for part in (length, data))
    return length + crc_length + data + crc_data


def header_record(wall_time: float) -> bytes:
    return record(field_double(1, wall_time) + field_bytes(3, b"brain.Event:2"))
