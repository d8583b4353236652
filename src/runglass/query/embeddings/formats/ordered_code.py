"""Keys of slices in checkpoints: the name of a tensor, its rank and the extents of the slice, in an order-preserving code."""

from __future__ import annotations

ESCAPED = {b"\x00": b"\x00\xff", b"\xff": b"\xff\x00"}
TERMINATOR = b"\x00\x01"
# By length of the code: the bits of its first two bytes that tell the length.
HEADERS = (0, 0x8000, 0xC000, 0xE000, 0xF000, 0xF800, 0xFC00, 0xFE00, 0xFF00, 0xFF80, 0xFFC0)


def name_prefix(name: str) -> bytes:
    """What the keys of all slices of a tensor begin with: number 0, and the name."""
    escaped = b"".join(ESCAPED.get(bytes([byte]), bytes([byte])) for byte in name.encode())
    return encode_number(0) + escaped + TERMINATOR


def slice_key(name: str, extents: list[tuple[int, int]]) -> bytes:
    """`extents`: start and length in every dimension, (0, -1) for all of it."""
    signed = b"".join(encode_signed(number) for extent in extents for number in extent)
    return name_prefix(name) + encode_number(len(extents)) + signed


def encode_number(number: int) -> bytes:
    """How many bytes there are, and the bytes, the highest first; 0 has none."""
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return bytes([len(data)]) + data


def encode_signed(number: int) -> bytes:
    """One byte holds 6 bits and the sign, each further byte 7 bits more."""
    magnitude = ~number if number < 0 else number
    length = next(count for count in range(1, 11) if magnitude < 1 << (7 * count - 1))
    data = bytearray(number.to_bytes(max(length, 2), "big", signed=True))
    # The header tells the length in the bits above the sign, flipped for numbers below zero.
    header = HEADERS[length].to_bytes(2, "big")
    if length == 1:
        return bytes([data[1] ^ header[0]])
    data[0] ^= header[0]
    data[1] ^= header[1]
    return bytes(data)
