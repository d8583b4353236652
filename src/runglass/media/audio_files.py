"""The header of an encoded clip: its format, its numbers, and the place of the samples in a WAV. Decodes no sample.

Headers can be wrong. This reads no further than the bytes go, and describes every correction.
"""

from __future__ import annotations

import struct
from typing import Literal

from msgspec import Struct

# The type of one sample: unsigned, signed or float, and its bits. Little endian.
Encoding = Literal["u8", "s16", "s24", "s32", "f32", "f64"]

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
# The sizes that streaming writers leave when they do not know the size yet.
OPEN_SIZES = (0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF - 36, 0xFFFFFFFF - 36)
HIGHEST_RATE = 1_536_000
# The rate of a clip whose header has no plausible one.
ASSUMED_RATE = 44_100
_INTEGERS: dict[int, Encoding] = {1: "u8", 2: "s16", 3: "s24", 4: "s32"}
_FLOATS: dict[int, Encoding] = {4: "f32", 8: "f64"}
_MP3_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


class SampleLayout(Struct, frozen=True):
    """The place and type of the samples in a WAV, with the channels side by side in each frame."""

    # Type of one sample.
    encoding: Encoding
    # Where the samples begin in the file.
    start_byte: int
    # Bytes of one sample of all channels.
    frame_bytes: int


class AudioHeader(Struct, frozen=True, kw_only=True):
    # "" for an unknown format.
    format: str = ""
    # 0 if the file does not say.
    sample_rate: float = 0.0
    channels: int = 0
    frames: int = 0
    # None if only a decoder can tell.
    layout: SampleLayout | None = None
    # What is wrong or missing in the header, and which value was used instead; "" for nothing.
    problem: str = ""


def read_audio_header(data: bytes) -> AudioHeader:
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        return read_wav(data)
    if data.startswith(b"fLaC"):
        return read_flac(data)
    if data.startswith(b"OggS"):
        return read_ogg(data)
    if data.startswith(b"ID3") or is_mp3_frame(data):
        return read_mp3(data)
    return AudioHeader(
        problem="These bytes are not a WAV, MP3, FLAC or Ogg file." if data else "The clip is empty."
    )


def read_wav(data: bytes) -> AudioHeader:
    shape: bytes | None = None
    at = 12
    while at + 8 <= len(data):
        name = data[at : at + 4]
        (size,) = struct.unpack_from("<I", data, at + 4)
        at += 8
        if name == b"fmt ":
            shape = data[at : at + min(size, 40)]
        elif name == b"data":
            if shape is None or len(shape) < 16:
                return AudioHeader(format="wav", problem="The WAV has no format before its samples.")
            return read_samples(data, shape, at, size)
        at += size + (size & 1)
    missing = "samples (a data chunk)" if shape is not None else "format and no samples"
    return AudioHeader(format="wav", problem=f"The WAV of {len(data):,} bytes has no {missing}.")


def read_samples(data: bytes, shape: bytes, at: int, size: int) -> AudioHeader:
    code, channels, rate, byte_rate, frame_bytes, bits = struct.unpack_from("<HHIIHH", shape)
    if code == EXTENSIBLE and len(shape) >= 26:
        (code,) = struct.unpack_from("<H", shape, 24)
    if code not in (PCM, FLOAT):
        # Compressed: only a decoder can find the frames.
        return AudioHeader(format="wav", sample_rate=float(rate), channels=channels)
    wrong: list[str] = []
    sample_bytes = (bits + 7) // 8
    encoding = (_INTEGERS if code == PCM else _FLOATS).get(sample_bytes)
    if encoding is None:
        kind = "integers" if code == PCM else "floats"
        return AudioHeader(
            format="wav",
            sample_rate=float(rate),
            channels=channels,
            problem=f"The WAV's header says that its samples are {kind} of {bits} bits, which no WAV has.",
        )
    if channels == 0:
        channels = max(frame_bytes // sample_bytes, 1)
        wrong.append(f"0 channels, taken as {channels}")
    if frame_bytes != channels * sample_bytes:
        wrong.append(f"frames of {frame_bytes} bytes, taken as {channels * sample_bytes}")
        frame_bytes = channels * sample_bytes
    if not 0 < rate <= HIGHEST_RATE:
        told = byte_rate // frame_bytes
        believed = told if 0 < told <= HIGHEST_RATE else ASSUMED_RATE
        wrong.append(f"{rate:,} samples a second, taken as {believed:,}")
        rate = believed
    there = len(data) - at
    frames = min(size, there) // frame_bytes
    if size > there and size not in OPEN_SIZES:
        wrong.append(f"{size // frame_bytes:,} frames where there are {frames:,}")
    elif size == 0 and there >= frame_bytes:
        frames = there // frame_bytes
        wrong.append(f"no frames where there are {frames:,}")
    return AudioHeader(
        format="wav",
        sample_rate=float(rate),
        channels=channels,
        frames=frames,
        layout=SampleLayout(encoding, at, frame_bytes),
        problem=f"The WAV's header says {'; '.join(wrong)}."
        if wrong
        else ""
        if frames
        else "The WAV has no samples.",
    )


def read_flac(data: bytes) -> AudioHeader:
    if len(data) < 26 or data[4] & 0x7F:
        return AudioHeader(format="flac", problem="The FLAC file ends before it says what it holds.")
    # 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of frames.
    packed = int.from_bytes(data[18:26], "big")
    return AudioHeader(
        format="flac",
        sample_rate=float(packed >> 44),
        channels=(packed >> 41 & 7) + 1,
        frames=packed & (1 << 36) - 1,
    )


def read_ogg(data: bytes) -> AudioHeader:
    start = data[:128]
    if (at := start.find(b"\x01vorbis")) >= 0 and at + 16 <= len(data):
        channels, rate = struct.unpack_from("<BI", data, at + 11)
        return AudioHeader(format="ogg", sample_rate=float(rate), channels=channels)
    if (at := start.find(b"OpusHead")) >= 0 and at + 10 <= len(data):
        # Decoders of Opus always produce this rate.
        return AudioHeader(format="ogg", sample_rate=48_000.0, channels=data[at + 9])
    return AudioHeader(format="ogg")


def is_mp3_frame(data: bytes) -> bool:
    """Eleven set bits, then a valid version, layer and rate."""
    if len(data) < 4 or data[0] != 0xFF or data[1] & 0xE0 != 0xE0:
        return False
    version, layer = data[1] >> 3 & 3, data[1] >> 1 & 3
    return version != 1 and layer == 1 and data[2] >> 2 & 3 != 3 and data[2] >> 4 != 15


def read_mp3(data: bytes) -> AudioHeader:
    at = 0
    if data.startswith(b"ID3") and len(data) >= 10:
        # The size of the tag has seven bits per byte.
        at = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    frame = data[at : at + 4]
    if not is_mp3_frame(frame):
        return AudioHeader(format="mp3")
    rate = _MP3_RATES[frame[1] >> 3 & 3][frame[2] >> 2 & 3]
    return AudioHeader(format="mp3", sample_rate=float(rate), channels=1 if frame[3] >> 6 == 3 else 2)
