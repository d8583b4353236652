"""Arrays as PNG and WAV files, with nothing but NumPy and zlib."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument

PNG_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
# Each row holds its difference to the row above, which compresses pictures and plots alike well.
PNG_FILTER_UP = 2


def encode_png(pixels: NDArray[Any]) -> bytes:
    """A picture of shape (height, width) or (height, width, 1 to 4 channels); float pixels count from 0 to 1."""
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    if pixels.ndim != 3 or pixels.shape[2] not in PNG_COLOR_TYPES or 0 in pixels.shape:
        raise BadArgument(
            f"An image needs the shape (height, width) or (height, width, 1 to 4 channels), got {pixels.shape}."
        )
    height, width, channels = pixels.shape
    rows = as_uint8(pixels).reshape(height, width * channels)
    filtered = np.empty((height, 1 + width * channels), dtype=np.uint8)
    filtered[:, 0] = PNG_FILTER_UP
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, PNG_COLOR_TYPES[channels], 0, 0, 0)
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            png_chunk(b"IHDR", header),
            png_chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)),
            png_chunk(b"IEND", b""),
        ]
    )


def png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def as_uint8(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype.kind == "f":
        # As TensorFlow scales: each of the 256 values gets an equal share of [0, 1]. NaN becomes black.
        return (np.clip(np.nan_to_num(pixels.astype(np.float64)), 0.0, 1.0) * 255.5).astype(np.uint8)
    raise BadArgument(
        f"Image pixels must be uint8, bool or float, got {pixels.dtype}. Scale them to 0…255 first."
    )


def encode_wav(samples: NDArray[Any], sample_rate: int) -> bytes:
    """16-bit PCM from shape (frames,) or (frames, channels); float samples count from -1 to 1."""
    if samples.ndim == 1:
        samples = samples[:, np.newaxis]
    if samples.ndim != 2 or not 1 <= samples.shape[1] <= 32:
        raise BadArgument(f"Audio needs the shape (frames,) or (frames, channels), got {samples.shape}.")
    if samples.dtype.kind == "f":
        clipped = np.clip(np.nan_to_num(samples.astype(np.float64)), -1.0, 1.0)
        samples = np.rint(clipped * 32767).astype(np.int16)
    elif samples.dtype != np.int16:
        raise BadArgument(f"Audio samples must be float or int16, got {samples.dtype}.")
    channels = samples.shape[1]
    data = samples.astype("<i2", copy=False).tobytes()
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(data),
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        sample_rate,
        sample_rate * channels * 2,
        channels * 2,
        16,
        b"data",
        len(data),
    )
    return header + data
