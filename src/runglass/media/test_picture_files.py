from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from PIL import Image

from runglass.media.formats import image_format
from runglass.media.picture_files import PARTS_LIMIT, count_frames, header_size, is_cut_short
from runglass.writer.values.png import encode_png
from runglass.writer.values.video import encode_gif

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 255, (20, 30, 3), dtype=np.uint8)


def saved(form, **options):
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, form, **options)
    return file.getvalue()


def moving(form, count):
    others = [Image.fromarray(PIXELS // (n + 2)) for n in range(count - 1)]
    return saved(form, save_all=True, append_images=others)


def box(name, inside):
    return struct.pack(">I4s", 8 + len(inside), name) + inside


def mp4(width=30, height=20):
    def track(width, height):
        return box(b"trak", box(b"tkhd", bytes(76) + struct.pack(">II", width << 16, height << 16)))

    start = box(b"ftyp", b"isom" + bytes(8)) + box(b"mdat", bytes(50))
    return start + box(b"moov", box(b"mvhd", bytes(100)) + track(0, 0) + track(width, height))


def ebml(number, inside, size=None):
    head = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return head + (size or (0x4000 | len(inside)).to_bytes(2, "big")) + inside


def webm(width=30, height=20):
    video = ebml(0xE0, ebml(0xB0, width.to_bytes(2, "big")) + ebml(0xBA, height.to_bytes(2, "big")))
    sound, picture = ebml(0xAE, ebml(0xE1, b"")), ebml(0xAE, video)
    tracks = ebml(0x1654AE6B, sound + picture)
    head = ebml(0x1A45DFA3, ebml(0x4282, b"webm"))
    # A segment of unknown length, as streaming writers leave it.
    return head + ebml(0x18538067, ebml(0x1549A966, bytes(9)) + tracks, b"\x01" + b"\xff" * 7)


WHOLE = {
    "png": saved("png"),
    "png of ours": encode_png(PIXELS),
    "jpeg": saved("jpeg"),
    "jpeg progressive": saved("jpeg", progressive=True),
    "gif": saved("gif"),
    "webp": saved("webp"),
    "webp lossless": saved("webp", lossless=True),
    "webp with alpha": saved("webp", exif=b"Exif\0\0"),
    "bmp": saved("bmp"),
    "mp4": mp4(),
    "webm": webm(),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_file(name):
    data, form = WHOLE[name], name.partition(" ")[0]
    assert image_format(data) == form
    assert header_size(data, form) == (30, 20)
    assert not is_cut_short(data, form)
    assert count_frames(data, form) == (None if form in ("mp4", "webm") else 1)


# Writers stream WebM files, so an incomplete one still plays.
@pytest.mark.parametrize("name", [name for name in WHOLE if name != "webm"])
def test_a_file_without_its_end(name):
    data, form = WHOLE[name], name.partition(" ")[0]
    for size in (16, len(data) // 4, len(data) // 2, len(data) - 20):
        assert is_cut_short(data[:size], form), size


@pytest.mark.parametrize("name", WHOLE)
def test_no_truncation_raises(name):
    data, form = WHOLE[name], name.partition(" ")[0]
    for size in range(min(len(data), 400)):
        assert header_size(data[:size], form) in (None, (30, 20), (0, 0), (0, 30), (30, 0))
        count_frames(data[:size], form)
        is_cut_short(data[:size], form)


@pytest.mark.parametrize("form", ["gif", "png", "webp"])
def test_frames_are_counted(form):
    assert count_frames(moving(form, 5), form) == 5


def test_gifs_of_our_own_encoder():
    data = encode_gif(RNG.integers(0, 255, (7, 40, 50, 3), dtype=np.uint8), 10)
    assert (count_frames(data, "gif"), is_cut_short(data, "gif")) == (7, False)
    # Only the trailer is missing; all frames are complete.
    assert not is_cut_short(data[:-1], "gif")
    assert (count_frames(data[:-40], "gif"), is_cut_short(data[:-40], "gif")) == (6, True)


def test_reading_a_gif_of_countless_blocks_ends():
    data = encode_gif(PIXELS[np.newaxis], 1)[:-1] + b"\x21\xfe" + b"\x01a" * (PARTS_LIMIT + 10)
    assert count_frames(data, "gif") == 1


def test_old_bitmaps_have_small_sides():
    assert header_size(b"BM" + bytes(12) + struct.pack("<IHH", 12, 3, 4), "bmp") == (3, 4)


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"<!DOCTYPE html><title>x", "html"),
        (b"\xef\xbb\xbf\n<HTML>", "html"),
        (b"<script>alert(1)</script>", "html"),
        (b"<!-- a --><svg onload='x'>", "svg"),
        (b'<?xml version="1.0"?><!DOCTYPE svg><svg/>', "svg"),
        (b"<html><svg/></html>", "html"),
        (b"<note>text</note>", ""),
        (b"\x00\x00\x00\x1cftypavif", ""),
        (b"\x1aE\xdf\xa3\x01\x42\x82\x88matroska", ""),
    ],
)
def test_values_that_are_not_pictures(data, form):
    assert image_format(data) == form
