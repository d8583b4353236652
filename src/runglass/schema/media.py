"""What encoded pictures and clips say about themselves in their first bytes. Decodes no pixel and no sample."""

from __future__ import annotations

import struct

from runglass.store.model import Audio, Image


def parse_image(data: bytes, size: tuple[int, int] = (0, 0)) -> Image:
    """`size` is the width and height that the event claims; the picture's own header wins where it can be read."""
    form = image_format(data)
    width, height = header_size(data, form) or size
    return Image(data=data, width=width, height=height, format=form)


def image_format(data: bytes) -> str:
    if data.startswith(b"\x89PNG"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith(b"GIF8"):
        return "gif"
    if data.startswith(b"BM"):
        return "bmp"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    start = data[:256].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"<svg") or (start.startswith(b"<?xml") and b"<svg" in data[:1024]):
        return "svg"
    return ""


def header_size(data: bytes, form: str) -> tuple[int, int] | None:
    if form == "png" and len(data) >= 24:
        return struct.unpack_from(">II", data, 16)
    if form == "gif" and len(data) >= 10:
        return struct.unpack_from("<HH", data, 6)
    if form == "bmp" and len(data) >= 26:
        width, height = struct.unpack_from("<ii", data, 18)
        return abs(width), abs(height)
    if form == "jpeg":
        return jpeg_size(data)
    return None


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        # Start-of-frame markers; C4, C8 and CC are tables in the same range.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])
    return None


def parse_audio(
    data: bytes, *, sample_rate: float = 0.0, channels: int = 0, frames: int = 0, label: str = ""
) -> Audio:
    """The numbers are what the event claims; a WAV's own header wins."""
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        found = wav_numbers(data)
        if found is not None:
            sample_rate, channels, frames = found
        return Audio(data, sample_rate, channels, frames, "wav", label)
    return Audio(data, sample_rate, channels, frames, audio_format(data), label)


def audio_format(data: bytes) -> str:
    if data.startswith(b"fLaC"):
        return "flac"
    if data.startswith(b"OggS"):
        return "ogg"
    if data.startswith(b"ID3") or data[:2] in (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"):
        return "mp3"
    return ""


def wav_numbers(data: bytes) -> tuple[float, int, int] | None:
    """Sample rate, channels and frames; None when the header is cut short or says nothing usable."""
    at = 12
    rate, channels, frame_bytes = 0.0, 0, 0
    while at + 8 <= len(data):
        name = data[at : at + 4]
        (size,) = struct.unpack_from("<I", data, at + 4)
        at += 8
        if name == b"fmt " and at + 16 <= len(data):
            _, channels, rate, _, frame_bytes = struct.unpack_from("<HHIIH", data, at)
        elif name == b"data" and frame_bytes:
            # Streaming writers leave the size at its maximum; what is there is what counts.
            return float(rate), channels, min(size, len(data) - at) // frame_bytes
        at += size + (size & 1)
    return None
