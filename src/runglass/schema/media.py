"""What encoded pictures and clips say about themselves in their first bytes. Decodes no pixel and no sample."""

from __future__ import annotations

import struct

from runglass.schema.audio_header import read_audio_header
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
    """The numbers are what the event claims; the file's own win where it has them."""
    header = read_audio_header(data)
    return Audio(
        data,
        header.sample_rate or sample_rate,
        header.channels or channels,
        header.frames if header.layout is not None else header.frames or frames,
        header.format,
        label,
    )
