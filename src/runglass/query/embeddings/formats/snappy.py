"""Snappy's block format, decompressed. Checkpoints of old versions use it for the blocks of their tables."""

from __future__ import annotations


class SnappyError(ValueError):
    """Bytes that are not Snappy's."""


def decompress(data: bytes, limit: int) -> bytes:
    """Raises SnappyError, also if there would be more than `limit` bytes."""
    try:
        return _decompress(data, limit)
    except IndexError:
        raise SnappyError("compressed data that is cut short") from None


def _decompress(data: bytes, limit: int) -> bytes:
    size = shift = at = 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    if size > limit:
        raise SnappyError(f"compressed data of {size:,} bytes")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                count = length - 59
                length = int.from_bytes(data[at : at + count], "little")
                at += count
            length += 1
            if at + length > len(data):
                raise SnappyError("compressed data that is cut short")
            out += data[at : at + length]
            at += length
        else:
            if tag & 3 == 1:
                length, offset = 4 + (tag >> 2 & 7), (tag >> 5) << 8 | data[at]
                at += 1
            else:
                length, count = 1 + (tag >> 2), 2 if tag & 3 == 2 else 4
                if at + count > len(data):
                    raise SnappyError("compressed data that is cut short")
                offset = int.from_bytes(data[at : at + count], "little")
                at += count
            _copy(out, offset, length)
        if len(out) > size:
            raise SnappyError("more compressed data than it says")
    if len(out) != size:
        raise SnappyError("compressed data that is cut short")
    return bytes(out)


def _copy(out: bytearray, offset: int, length: int) -> None:
    if not 0 < offset <= len(out):
        raise SnappyError("a copy from before the beginning")
    start = len(out) - offset
    if offset >= length:
        out += out[start : start + length]
        return
    # The copy overlaps what it makes: a pattern that repeats.
    pattern = bytes(out[start:])
    out += (pattern * (length // offset + 1))[:length]
