"""Recognises the format of encoded pictures, videos and clips by their first bytes. Decodes no pixel and no sample."""

from __future__ import annotations

import re

from runglass.media.audio_files import read_audio_header
from runglass.media.picture_files import header_size
from runglass.store.model import Audio, Image

# Still pictures in an MP4 container: AVIF and HEIC.
STILL_BRANDS = (b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1")
MARKUP = re.compile(rb"<(svg|!doctype html|html|head|body|script|iframe|div)\b", re.IGNORECASE)
# What a page can show. A type that a browser would run, or open as a page, must never be among them.
PICTURE_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
}
VIDEO_TYPES = {"mp4": "video/mp4", "webm": "video/webm"}


def parse_image(data: bytes, size: tuple[int, int] = (0, 0)) -> Image:
    """`size` is the width and height in the event; the header of the picture wins if it can be read."""
    form = image_format(data)
    width, height = header_size(data, form) or size
    return Image(data=data, width=width, height=height, format=form)


def image_format(data: bytes) -> str:
    """The name of the format, or "" if it is unknown. It may be "svg" or "html", which a page must not show as a picture."""
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
    if data[4:8] == b"ftyp":
        return "" if data[8:12] in STILL_BRANDS else "mp4"
    if data.startswith(b"\x1aE\xdf\xa3"):
        return "webm" if b"webm" in data[:64] else ""
    return markup_format(data[:1024])


def markup_format(start: bytes) -> str:
    start = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    found = MARKUP.search(start) if start.startswith(b"<") else None
    if found is None:
        return ""
    return "svg" if found[1].lower() == b"svg" else "html"


def parse_audio(
    data: bytes, *, sample_rate: float = 0.0, channels: int = 0, frames: int = 0, label: str = ""
) -> Audio:
    """The numbers are those in the event; the header of the file wins if it has them."""
    header = read_audio_header(data)
    return Audio(
        data,
        header.sample_rate or sample_rate,
        header.channels or channels,
        header.frames if header.layout is not None else header.frames or frames,
        header.format,
        label,
    )
