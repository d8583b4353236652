from __future__ import annotations

import struct

import pytest

from runglass.media.formats import parse_audio, parse_image

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 12, 34)
BMP = b"BM" + bytes(16) + struct.pack("<ii", 5, -7)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x04ab"
    + b"\xff\xc4\x00\x02"
    + b"\xff\xc2\x00\x11\x08"
    + struct.pack(">HH", 30, 40)
    + bytes(4)
)


@pytest.mark.parametrize(
    ("data", "form", "size"),
    [
        (PNG, "png", (640, 480)),
        (GIF, "gif", (12, 34)),
        (BMP, "bmp", (5, 7)),
        (JPEG, "jpeg", (40, 30)),
        (b"RIFF\0\0\0\0WEBPVP8 ", "webp", (1, 2)),
        (b"\n<svg xmlns=", "svg", (1, 2)),
        (b'<?xml version="1.0"?><svg/>', "svg", (1, 2)),
        (PNG[:20], "png", (1, 2)),
        (JPEG[:8], "jpeg", (1, 2)),
        (b"", "", (1, 2)),
        (b"plain text", "", (1, 2)),
    ],
)
def test_a_picture_header_gives_format_and_size(data, form, size):
    image = parse_image(data, (1, 2))
    assert (image.format, (image.width, image.height)) == (form, size)
    assert image.data == data


def wav(rate=8000, channels=2, frames=10, *, extra=b"", data_size=None):
    body = (
        b"fmt "
        + struct.pack("<IHHIIHH", 16, 1, channels, rate, rate * channels * 2, channels * 2, 16)
        + extra
    )
    size = frames * channels * 2
    body += b"data" + struct.pack("<I", size if data_size is None else data_size) + bytes(size)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


@pytest.mark.parametrize(
    "data",
    [wav(), wav(extra=b"LIST" + struct.pack("<I", 3) + b"abc\0"), wav(data_size=0xFFFFFFFF)],
    ids=["plain", "odd chunk between", "size left open"],
)
def test_a_wav_header_gives_its_numbers(data):
    audio = parse_audio(data, sample_rate=1.0, channels=9, frames=9, label="x")
    assert (audio.sample_rate, audio.channels, audio.frames) == (8000.0, 2, 10)
    assert (audio.format, audio.label) == ("wav", "x")


@pytest.mark.parametrize(
    ("data", "form"), [(wav()[:20], "wav"), (b"OggS", "ogg"), (b"fLaC", "flac"), (b"ID3", "mp3"), (b"", "")]
)
def test_without_a_readable_header_the_event_gives_the_numbers(data, form):
    audio = parse_audio(data, sample_rate=44100.0, channels=1, frames=5)
    assert (audio.sample_rate, audio.channels, audio.frames, audio.format) == (44100.0, 1, 5, form)
