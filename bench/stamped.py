"""PNG pictures that are all different and quickly made: one of sixteen bodies, compressed once, under a stamp of its own.

The stamp is a row of black and white squares across the top, the picture's number in bits, so that whoever sees a picture can say
which it is. Shares no code with any reader.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache

import numpy as np

BITS = 16
BODIES = 16
# Bits of the number that are the step; the tag has the next three, the run the rest.
STEP_BITS, TAG_BITS = 8, 3
ADLER_BASE = 65521


def picture_number(run: int, tag: int, step: int) -> int:
    return (run << TAG_BITS | tag) << STEP_BITS | step


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def deflated(data: bytes, *, is_last: bool) -> bytes:
    """A piece of a deflate stream that others may stand before and, unless it is the last, after."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, -15)
    return compressor.compress(data) + compressor.flush(zlib.Z_FINISH if is_last else zlib.Z_FULL_FLUSH)


def filtered(pixels: np.ndarray) -> bytes:
    """Rows with the number of their filter in front: each pixel less the one to its left."""
    height, width, channels = pixels.shape
    rows = np.ones((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = np.diff(pixels, axis=1, prepend=np.uint8(0)).reshape(height, -1)
    return rows.tobytes()


def adler_of_both(first: int, second: int, second_bytes: int) -> int:
    low = ((first & 0xFFFF) + (second & 0xFFFF) - 1) % ADLER_BASE
    high = ((first >> 16) + (second >> 16) + second_bytes * ((first & 0xFFFF) - 1)) % ADLER_BASE
    return high << 16 | low


@cache
def body(size: int, number: int) -> tuple[bytes, int, int]:
    """Waves under noise of one bit: the chunk, and checksum and length of what is compressed in it."""
    rng = np.random.default_rng(number)
    y, x = np.mgrid[size // BITS : size, 0:size]
    waves = 127 + 60 * np.sin(x * (number + 4) / 800.0) * np.cos(y * (number + 5) / 300.0)
    colours = waves[:, :, None] + np.array([0, 20, 40]) + rng.integers(0, 2, (*x.shape, 3))
    rows = filtered(colours.clip(0, 255).astype(np.uint8))
    return chunk(b"IDAT", deflated(rows, is_last=True)), zlib.adler32(rows), len(rows)


def stamped_png(size: int, number: int) -> bytes:
    side = size // BITS
    squares = np.array([number >> (BITS - 1 - bit) & 1 for bit in range(BITS)], np.uint8) * 255
    stamp = filtered(np.tile(squares.repeat(side)[None, :, None], (side, 1, 3)))
    below, checksum, length = body(size, number % BODIES)
    total = adler_of_both(zlib.adler32(stamp), checksum, length)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)),
            chunk(b"IDAT", b"\x78\x01" + deflated(stamp, is_last=False)),
            below,
            chunk(b"IDAT", struct.pack(">I", total)),
            chunk(b"IEND", b""),
        ]
    )
