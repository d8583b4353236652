"""Checks samples and encodes them as WAV files. Knows no event file."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_numpy

MOST_CHANNELS = 8
# The largest rate that a WAV header can hold with that many channels.
MOST_SAMPLES_PER_S = 2**32 // (2 * MOST_CHANNELS) - 1


def to_clip(value: object, what: str) -> NDArray[Any]:
    """Samples as (frames,) or (frames, channels). Of two axes the shorter one holds the channels."""
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


def clip_warning(samples: NDArray[Any]) -> str:
    """A warning if float samples leave -1…1, where they are clipped; else empty."""
    if samples.dtype.kind != "f" or not samples.size:
        return ""
    low, high = float(np.fmin.reduce(samples, axis=None)), float(np.fmax.reduce(samples, axis=None))
    if not (low < -1.01 or high > 1.01):
        return ""
    return f"float samples from {low:.4g} to {high:.4g} are clipped to -1…1. Scale them, or pass int16 if they range to 32767."


def encode_wav(samples: NDArray[Any], sample_rate: int) -> bytes:
    """16-bit PCM from shape (frames,) or (frames, channels); float samples range from -1 to 1."""
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
