"""Arrays as PNG files, with nothing but NumPy and zlib. The axes are already in order."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.deflate import deflate_runs
from runglass.native.pixels import rows_less_the_row_above, unit_to_bytes

PNG_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
# For less data zlib is fast enough, and its code tables take fewer bytes.
SMALL_BYTES = 1 << 14


def encode_png(pixels: NDArray[Any]) -> bytes:
    """A picture of shape (height, width) or (height, width, 1 to 4 channels).

    Float pixels range from 0 to 1; uint16 becomes a 16-bit picture.
    """
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    if pixels.ndim != 3 or pixels.shape[2] not in PNG_COLOR_TYPES or 0 in pixels.shape:
        raise BadArgument(
            f"An image needs the shape (height, width) or (height, width, 1 to 4 channels), got {pixels.shape}."
        )
    height, width, channels = pixels.shape
    if pixels.dtype == np.uint16:
        samples = np.ascontiguousarray(pixels, dtype=">u2").view(np.uint8)
        depth_bits = 16
    else:
        samples = as_uint8(pixels)
        depth_bits = 8
    # The difference of each row to the row above compresses well, in photos and in plots.
    filtered = rows_less_the_row_above(samples)
    header = struct.pack(">IIBBBBB", width, height, depth_bits, PNG_COLOR_TYPES[channels], 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            png_chunk(b"IHDR", header),
            png_chunk(b"IDAT", compressed(filtered.reshape(-1).data)),
            png_chunk(b"IEND", b""),
        ]
    )


def compressed(data: memoryview) -> bytes:
    """A zlib stream."""
    if data.nbytes < SMALL_BYTES:
        return zlib.compress(data, 9)
    return b"\x78\x01" + deflate_runs(data) + struct.pack(">I", zlib.adler32(data))


def png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def as_uint8(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Float pixels range from 0 to 1. Keeps the memory order of `pixels`; returns `pixels` itself if it is uint8."""
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype.kind == "f":
        turned, order = in_memory_order(pixels)
        wanted = np.float32 if pixels.dtype.itemsize <= 4 else np.float64
        turned = np.ascontiguousarray(turned, dtype=wanted)
        made, _ = unit_as_uint8(turned, np.empty(turned.size, np.uint8))
        return made.transpose(order)
    raise BadArgument(
        f"Image pixels must be uint8, uint16, bool or float, got {pixels.dtype}. Convert them to uint8 (0 to 255) first."
    )


def in_memory_order(pixels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Its axes as they follow each other in memory, and the order that brings them back."""
    order = np.argsort([-stride for stride in pixels.strides], kind="stable")
    return pixels.transpose(order), np.argsort(order)


def unit_as_uint8(
    pixels: NDArray[Any], out: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], tuple[float, float]]:
    """Contiguous float32 or float64 from 0 to 1, as bytes in the memory of `out`; and the limits of unit_to_bytes."""
    limits = unit_to_bytes(pixels.reshape(-1), out)
    return out.reshape(pixels.shape), limits
