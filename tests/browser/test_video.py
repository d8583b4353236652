"""Videos in the image cards: real files play, every frame can be shown, and what cannot be played is said."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from tests.support.page import go

import runglass
from runglass.media.formats import parse_image
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey
from runglass.writer.values.video import encode_gif

VIDEOS = Path(__file__).parents[1] / "support" / "videos"
GOLDEN = Path(__file__).parents[1] / "golden" / "logs"
# Each frame of the videos is of one colour: its hue goes around in eight steps.
COLOURS = [
    (255, 0, 0),
    (255, 191, 0),
    (128, 255, 0),
    (0, 255, 64),
    (0, 255, 255),
    (0, 64, 255),
    (128, 0, 255),
    (255, 0, 191),
]


FRAMES = np.broadcast_to(np.array(COLOURS, np.uint8)[:, np.newaxis, np.newaxis], (8, 48, 64, 3))


def gif(fps=10):
    return encode_gif(FRAMES, fps)


def moving(form):
    first, *others = [Image.fromarray(np.ascontiguousarray(frame)) for frame in FRAMES]
    file = io.BytesIO()
    first.save(file, form, save_all=True, append_images=others, duration=100, loop=0, lossless=True)
    return file.getvalue()


def source_of(**files):
    source = MemorySource()
    for tag, data in files.items():
        source.add_values("train", tag, Kind.IMAGE, step=[0], values=[[parse_image(each) for each in data]])
    return source


def video(name):
    if name == "video.gif":
        return gif()
    return (VIDEOS / name).read_bytes() if (VIDEOS / name).exists() else moving(name.rpartition(".")[2])


def player(page: Page, tag: str) -> Locator:
    return page.get_by_role("group", name=f"Video of {tag}, train", exact=True)


# The number of the colour that comes nearest to what is on screen.
NEAREST = """([label, colours]) => {
  const shown = document.querySelector(`[aria-label="${label}"]`).querySelector("canvas, video");
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.drawImage(shown, 0, 0, 1, 1);
  const { data } = context.getImageData(0, 0, 1, 1);
  const distances = colours.map((colour) => colour.reduce((sum, value, i) => sum + Math.abs(value - data[i]), 0));
  return distances.indexOf(Math.min(...distances));
}"""


def shows_frame(page: Page, tag: str, number: int) -> None:
    expect(player(page, tag)).to_have_attribute("data-frame", str(number))
    page.wait_for_function(
        f"([label, colours, number]) => ({NEAREST})([label, colours]) === number",
        arg=[f"Video of {tag}, train", COLOURS, number],
    )


READ = """(canvas) => {
  const context = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  context.drawImage(canvas, 0, 0);
  return Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data);
}"""


def test_shows_what_tensorboardx_logged_to_the_pixel(open_page):
    source = runglass.open(GOLDEN / "tensorboardX_writer_all" / "logdir").source
    page = open_page(source, "#/images?tags=video/(gif|float)")
    for tag in ("video/gif", "video/float"):
        check_video(page, source, tag)


def check_video(page: Page, source: DataSource, tag: str) -> None:
    values = source.read_values(SeriesKey("all", tag), kind=Kind.IMAGE)
    (logged,) = source.load_value(values, len(values.step) - 1)
    stored = Image.open(io.BytesIO(logged.data))
    own = page.get_by_role("group", name=f"Video of {tag}, all", exact=True)
    slider = own.get_by_role("slider", name=f"Frame of {tag}, all")
    expect(slider).to_have_attribute("max", str(stored.n_frames - 1))
    for number in range(stored.n_frames):
        slider.fill(str(number))
        expect(own).to_have_attribute("data-frame", str(number))
        stored.seek(number)
        assert own.locator("canvas").evaluate(READ) == list(stored.convert("RGBA").tobytes())


def test_every_frame_can_be_shown(open_page, page):
    page.set_viewport_size({"width": 1440, "height": 1500})
    names = ("video.gif", "video.webp", "video.png", "video.mp4", "video.webm", "stream.mp4")
    open_page(source_of(**{name: [video(name)] for name in names}), "#/images")
    for name in names:
        own = player(page, name)
        own.scroll_into_view_if_needed()
        expect(own).to_have_attribute("data-ready", "true")
        slider = own.get_by_role("slider", name=f"Frame of {name}, train")
        expect(slider).to_have_attribute("max", "7")
        # It begins by itself.
        expect(own.get_by_role("button", name=f"Pause {name}, train")).to_be_visible()
        slider.fill("0")
        expect(own.get_by_role("button", name=f"Play {name}, train")).to_be_visible()
        for number in range(8):
            shows_frame(page, name, number)
            slider.press(".")
        for number in (6, 5, 4):
            own.get_by_role("button", name=f"Previous frame of {name}, train").click()
            shows_frame(page, name, number)


def test_it_plays_to_its_end_and_again(open_page):
    names = ("video.gif", "video.mp4")
    page = open_page(source_of(**{name: [video(name)] for name in names}), "#/images?tags=none")
    for name in names:
        go(page, f"#/images?tags=^{name}$")
        check_playing(page, name)


def check_playing(page: Page, name: str) -> None:
    own = player(page, name)
    own.get_by_role("combobox", name=f"Speed of {name}, train").select_option("4×")
    own.get_by_role("button", name=f"Loop {name}, train").click()
    expect(own.get_by_role("button", name=f"Play {name}, train")).to_be_visible()
    shows_frame(page, name, 7)
    own.get_by_role("button", name=f"Loop {name}, train").click()
    own.get_by_role("button", name=f"Play {name}, train").click()
    own.get_by_role("combobox", name=f"Speed of {name}, train").select_option("1×")
    # Ever onwards, until it begins anew.
    seen = page.evaluate(
        """async (label) => {
      const own = document.querySelector(`[aria-label="${label}"]`);
      const seen = [];
      while (seen.length < 2 || seen.at(-1) > seen.at(-2)) {
        const frame = Number(own.dataset.frame);
        if (frame !== seen.at(-1)) seen.push(frame);
        await new Promise(requestAnimationFrame);
      }
      return seen;
    }""",
        f"Video of {name}, train",
    )
    assert seen[-1] < seen[-2]


def test_less_motion_is_respected(page, serve):
    page.emulate_media(reduced_motion="reduce")
    page.goto(serve(source_of(clip=[gif()])).url + "#/images")
    own = player(page, "clip")
    expect(own).to_have_attribute("data-ready", "true")
    expect(own.get_by_role("button", name="Play clip, train")).to_be_visible()
    shows_frame(page, "clip", 0)
    own.get_by_role("slider", name="Frame of clip, train").press(" ")
    expect(own.get_by_role("button", name="Pause clip, train")).to_be_visible()


def test_several_videos_play_side_by_side(open_page):
    page = open_page(source_of(clip=[gif(), video("video.webm"), gif(5)]), "#/images")
    expect(page.locator("canvas[aria-label], video[aria-label]")).to_have_count(3)


def test_what_cannot_be_played_is_said(open_page):
    hollow = b"\x1aE\xdf\xa3\x84webm" + bytes(40)
    page = open_page(source_of(cut=[video("video.mp4")[:200]], hollow=[hollow]), "#/images")
    expect(page.get_by_text("This MP4 file is truncated")).to_be_visible()
    expect(page.get_by_text("This browser cannot play this video")).to_be_visible()
