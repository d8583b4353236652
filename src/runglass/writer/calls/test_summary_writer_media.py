"""Images, figures, videos and audio through SummaryWriter."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from tests.support.written import logged

from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.values import pictures
from runglass.writer.values.png import as_uint8
from runglass.writer.values.video import encode_gif


@pytest.fixture
def writer(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        yield writer


def test_encoded_videos_are_logged_unchanged(tmp_path):
    gif = encode_gif(np.zeros((2, 6, 8, 1), np.uint8), 4)
    video = tmp_path / "video.gif"
    video.write_bytes(gif)
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_video("clip", [gif, video], 3)
    ((step, value),) = logged(tmp_path / "run")
    assert (step, value["tensor"]["string_val"]) == (3, [b"8", b"6", gif, gif])
    assert value["metadata"]["plugin_data"]["plugin_name"] == "images"


def test_arrays_may_change_after_they_were_logged(tmp_path):
    later = []
    pixels, clip = np.zeros((3, 4, 4), dtype=np.uint8), np.zeros(9)
    with SummaryWriter(tmp_path) as writer:
        writer.events.add_later = lambda make_values, *_, **__: later.append(make_values)
        writer.add_image("i", pixels)
        writer.add_images("f", pixels[np.newaxis].astype(float))
        writer.add_video("v", pixels[np.newaxis, np.newaxis])
        writer.add_audio("a", clip)
        writer.add_tensor("t", clip)
        writer.add_image_with_boxes("b", pixels, [])
        before = [make_values() for make_values in later]
        pixels += 9
        clip += 1
        assert [make_values() for make_values in later] == before


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("order", ["plain", "channels first", "every other row"])
def test_float_pictures_are_those_of_their_bytes_and_may_change_after_they_were_logged(
    tmp_path, dtype, order
):
    rows = np.random.default_rng(0).random((240, 220, 3), dtype=np.float32).astype(dtype)
    pixels = {"plain": rows, "channels first": rows.transpose(2, 0, 1), "every other row": rows[::2]}[order]
    letters = "CHW" if order == "channels first" else "HWC"
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            rows += dtype(0.001)
            expected = as_uint8(pixels).copy()
            writer.add_image("float", pixels, step, dataformats=letters)
            writer.add_image("bytes", expected, step, dataformats=letters)
            rows[...] = dtype(step / 8)
    files = {(value["tag"], step): value["tensor"]["string_val"] for step, value in logged(tmp_path)}
    assert len(files) == 6
    for step in range(3):
        assert files["float", step] == files["bytes", step]


def test_float_pixels_out_of_range_are_clipped_with_one_warning(writer):
    with pytest.warns(UserWarning, match=r"Image 'i': float pixels up to 255 .*uint8"):
        writer.add_image("i", np.full((3, 4, 4), 255.0))
    writer.add_image("i", np.full((3, 4, 4), 255.0))
    writer.add_image("fine", np.full((3, 4, 4), np.nan))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("letters", ["CHW", "HWC"])
def test_one_float_pixel_out_of_range_is_told(writer, dtype, letters):
    pixels = np.full((3, 65, 127) if letters == "CHW" else (65, 127, 3), 0.5, dtype)
    writer.add_image("fine", pixels, dataformats=letters)
    pixels[2, 60, 1] = np.nan
    pixels[1, 33, 2] = -0.5
    with pytest.warns(UserWarning, match=r"Image 'i': float pixels down to -0.5 are clipped"):
        writer.add_image("i", pixels, dataformats=letters)


def test_float_samples_out_of_range_are_clipped_with_one_warning_at_the_call(writer):
    with pytest.warns(UserWarning, match=r"Audio 'a': float samples from -5 to 2 .*int16") as told:
        writer.add_audio("a", np.array([-5.0, 2.0, np.nan]))
    assert told[0].filename == __file__
    writer.add_audio("a", np.full(3, 5.0))
    writer.add_audio("fine", np.full(3, np.nan))
    writer.add_audio("counts", np.full(3, 30000, np.int16))


def test_figures(tmp_path):
    pyplot.switch_backend("Agg")
    # Those that other tests have left open.
    before = pyplot.get_fignums()
    shown = pyplot.figure(figsize=(2, 1), dpi=50)
    canvas = shown.canvas
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("kept", shown, 1, close=False)
        assert pyplot.fignum_exists(shown.number)
        assert shown.canvas is canvas
        writer.add_figure("closed", [shown, pyplot.figure(figsize=(1, 1), dpi=50)], 1)
        assert pyplot.get_fignums() == before
    (_, kept), (_, closed) = logged(tmp_path)
    assert kept["tensor"]["string_val"][:2] == [b"100", b"50"]
    assert len(closed["tensor"]["string_val"]) == 4


def test_grids(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("grid", np.zeros((9, 2, 3)), dataformats="NHW", as_grid=True)
        writer.add_images("batch", np.zeros((9, 2, 3)), dataformats="NHW")
    (_, grid), (_, batch) = logged(tmp_path)
    assert grid["tensor"]["string_val"][:2] == [b"24", b"4"]
    assert len(batch["tensor"]["string_val"]) == 2 + 9


def test_boxes_are_drawn():
    boxes, names = pictures.to_boxes([[5, 6, 2, 1], [-9, -9, 99, 99]], ["a", "b"], "x")
    drawn = pictures.with_boxes(np.zeros((10, 12, 1)), boxes, None, 1)
    assert drawn.shape == (10, 12, 3)
    red = (drawn == [255, 0, 0]).all(axis=2)
    assert red[1, 2:6].all()
    assert red[6, 2:6].all()
    assert red[1:7, 2].all()
    assert not red[0].any()
    assert not red[9].any()
    assert pictures.with_boxes(np.zeros((10, 12, 4)), boxes, names, 2.5).shape == (25, 30, 4)
    deep = pictures.with_boxes(np.full((10, 12, 3), 0x80FF, np.uint16), boxes, None, 1)
    assert (deep.dtype, deep[9, 0].tolist()) == (np.uint8, [0x80, 0x80, 0x80])
