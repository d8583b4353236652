from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from runglass.errors import BadArgument
from runglass.native.lzw import compress_pixels
from runglass.writer.values.video import encode_gif, encoded_videos, quantize_colours


def uncompress(data):
    """LZW decoding by its definition."""
    bits = int.from_bytes(data, "little")
    at, width = 0, 9
    table: dict[int, bytes] = {}
    out = b""
    before = b""
    while True:
        code = (bits >> at) & ((1 << width) - 1)
        at += width
        if code == 256:
            table = {code: bytes([code]) for code in range(256)} | {256: b"", 257: b""}
            width, before = 9, b""
            continue
        if code == 257:
            assert len(data) == -(-at // 8)
            return out
        found = table[code] if code in table else before + before[:1]
        out += found
        if before and len(table) < 4096:
            table[len(table)] = before + found[:1]
        before = found
        if len(table) == 1 << width and width < 12:
            width += 1


@pytest.mark.parametrize("count", [0, 1, 2, 254, 255, 256, 300, 766, 767, 768, 5000, 30000])
@pytest.mark.parametrize("colours", [1, 2, 256])
def test_pixels_are_read_back(count, colours):
    pixels = np.random.default_rng(count).integers(0, colours, count, dtype=np.uint8)
    assert uncompress(compress_pixels(pixels)) == pixels.tobytes()


def frames_of(data):
    image = Image.open(io.BytesIO(data))
    frames = []
    for number in range(image.n_frames):
        image.seek(number)
        frames.append(np.asarray(image.convert("RGB")))
    return np.stack(frames), image.info


def test_few_colours_are_exact():
    frames = np.random.default_rng(0).integers(0, 6, (5, 9, 11, 3), dtype=np.uint8) * np.uint8(51)
    found, info = frames_of(encode_gif(frames, 10))
    np.testing.assert_array_equal(found, frames)
    assert (info["duration"], info["loop"]) == (100, 0)


def test_grey_is_exact():
    frames = np.random.default_rng(0).integers(0, 256, (3, 16, 16, 1), dtype=np.uint8)
    found, _ = frames_of(encode_gif(frames, 4))
    np.testing.assert_array_equal(found, np.repeat(frames, 3, axis=3))


def test_many_colours_come_close():
    y, x = np.mgrid[0:64, 0:64]
    frame = np.stack([x * 4, y * 4, (x + y) * 2], axis=2).astype(np.uint8)
    palette, indices = quantize_colours(frame[np.newaxis])
    assert np.abs(palette[indices[0]].astype(int) - frame).mean() < 6


def test_floats_and_alpha():
    frames = np.zeros((1, 2, 2, 4))
    frames[..., 0] = 1.0
    found, _ = frames_of(encode_gif(frames, 1000))
    np.testing.assert_array_equal(found[0, 0, 0], [255, 0, 0])


@pytest.mark.parametrize(
    ("frames", "fps"), [(np.zeros((2, 3, 4)), 4), (np.zeros((0, 2, 2, 3)), 4), (np.zeros((1, 2, 2, 3)), -1)]
)
def test_arrays_that_are_not_videos(frames, fps):
    with pytest.raises(BadArgument):
        encode_gif(frames, fps)


GIF = encode_gif(np.zeros((2, 4, 4, 1), np.uint8), 4)
VIDEOS = Path(__file__).parents[4] / "tests" / "support" / "videos"


def test_encoded_videos_are_unchanged():
    path = VIDEOS / "video.mp4"
    mp4 = path.read_bytes()
    assert encoded_videos(GIF, "x") == [GIF]
    assert encoded_videos(bytearray(mp4), "x") == [mp4]
    assert encoded_videos(path, "x") == encoded_videos(str(path), "x") == [mp4]
    assert encoded_videos([GIF, path], "x") == [GIF, mp4]


@pytest.mark.parametrize("pixels", [np.zeros((1, 2, 3, 4, 4)), [[[[[1]]]]], [], None])
def test_arrays_are_not_encoded_videos(pixels):
    assert encoded_videos(pixels, "x") is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", "expected a GIF, MP4 or WebM video in these 0 bytes, found something else"),
        (b"<html>", "in these 6 bytes, found HTML"),
        (b"\x89PNG\r\n\x1a\n", "found PNG. Log a picture with add_image"),
        (GIF[:-20], "the GIF video in these .* bytes is cut short"),
        ("nowhere/video.mp4", "nowhere/video.mp4 cannot be read .No such file"),
        ([GIF, b"x"], "in these 1 bytes, found something else"),
    ],
)
def test_files_that_are_not_videos(given, words):
    with pytest.raises(BadArgument, match=words):
        encoded_videos(given, "Video 'x'")
