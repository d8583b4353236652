"""Arrays as PNG and WAV files, with nothing but NumPy and zlib. How pixels and samples are laid out is settled before."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.deflate import deflate_runs
from runglass.native.pixels import rows_less_the_row_above, unit_to_bytes
from runglass.writer.values.arrays import to_numpy

PNG_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
# Below this zlib takes no time, and says what its codes are in fewer bytes.
SMALL_BYTES = 1 << 14
MOST_CHANNELS = 8
# What a WAV header of so many channels can say.
MOST_SAMPLES_PER_S = 2**32 // (2 * MOST_CHANNELS) - 1


def encode_png(pixels: NDArray[Any]) -> bytes:
    """A picture of shape (height, width) or (height, width, 1 to 4 channels).

    Float pixels count from 0 to 1; uint16 becomes a picture of 16 bits.
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
    # What is left of a row without the row above compresses well in pictures and plots alike.
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
    """Float pixels count from 0 to 1. In the memory order of `pixels`, and shared with it if it is uint8 already."""
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype.kind == "f":
        order = np.argsort([-stride for stride in pixels.strides], kind="stable")
        wanted = np.float32 if pixels.dtype.itemsize <= 4 else np.float64
        flat: NDArray[Any] = np.ascontiguousarray(pixels.transpose(order), dtype=wanted)
        turned = unit_to_bytes(flat.reshape(-1)).reshape(flat.shape)
        return turned.transpose(np.argsort(order))
    raise BadArgument(
        f"Image pixels must be uint8, uint16, bool or float, got {pixels.dtype}. Convert them to uint8 (0 to 255) first."
    )


def to_clip(value: object, what: str) -> NDArray[Any]:
    """Samples as (frames,) or (frames, channels). Of two axes the shorter one is that of the channels."""
    samples = to_numpy(value, what)
    shape = samples.shape
    if samples.ndim == 3 and shape[0] == 1:
        # A batch of one clip.
        samples = samples[0]
        shape = shape[1:]
    if samples.ndim == 2 and shape[0] <= shape[1]:
        samples = samples.T
    if not samples.size:
        raise BadArgument(f"{what} is empty: its shape is {shape}.")
    if samples.ndim not in (1, 2) or (samples.ndim == 2 and samples.shape[1] > MOST_CHANNELS):
        raise BadArgument(
            f"{what} needs the shape (frames,), (channels, frames) or (frames, channels) with at most {MOST_CHANNELS} "
            f"channels, got {shape}. Log clips one by one."
        )
    if samples.dtype.kind != "f" and samples.dtype != np.int16:
        raise BadArgument(
            f"{what}: samples must be float (-1 to 1) or int16, got {samples.dtype}. Convert them first."
        )
    return samples


def clip_trouble(samples: NDArray[Any]) -> str:
    """Says so when float samples leave -1…1; they will be cut there."""
    if samples.dtype.kind != "f" or not samples.size:
        return ""
    low, high = float(np.fmin.reduce(samples, axis=None)), float(np.fmax.reduce(samples, axis=None))
    if not (low < -1.01 or high > 1.01):
        return ""
    return f"float samples from {low:.4g} to {high:.4g} are cut to -1…1. Scale them, or pass int16 if they count to 32767."


def encode_wav(samples: NDArray[Any], sample_rate: int) -> bytes:
    """16-bit PCM from shape (frames,) or (frames, channels); float samples count from -1 to 1."""
    if samples.ndim == 1:
        samples = samples[:, np.newaxis]
    if samples.ndim != 2 or not 1 <= samples.shape[1] <= MOST_CHANNELS:
        raise BadArgument(f"Audio needs the shape (frames,) or (frames, channels), got {samples.shape}.")
    if not 1 <= sample_rate <= MOST_SAMPLES_PER_S:
        raise BadArgument(
            f"Audio needs a sample rate from 1 to {MOST_SAMPLES_PER_S} per second, got {sample_rate}."
        )
    if samples.dtype.kind == "f":
        clipped = np.clip(np.nan_to_num(samples.astype(np.float64)), -1.0, 1.0)
        samples = np.rint(clipped * 32767).astype(np.int16)
    elif samples.dtype != np.int16:
        raise BadArgument(
            f"Audio samples must be float (-1 to 1) or int16, got {samples.dtype}. Convert them first."
        )
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
