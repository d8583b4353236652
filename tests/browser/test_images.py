"""The images dashboard: what frameworks logged is shown to the pixel, every step is reached, compared, read and saved, and what is
no picture is said."""

from __future__ import annotations

import base64
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect
from tests.support.golden_logs import open_golden
from tests.support.page import AS_TEXT, address_has, card, go, reload

from runglass.media.formats import parse_image
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource
from runglass.store.model import Image, Kind, SeriesKey
from runglass.writer.values.png import encode_png

STEPS = np.arange(0, 400, 2)

# The pixels of a canvas, or of a file as the browser itself decodes it.
READ = """async (element, file) => {
  let from = element;
  if (file !== null) {
    from = document.createElement("img");
    from.src = file;
    await from.decode();
  }
  const [width, height] = file === null ? [from.width, from.height] : [from.naturalWidth, from.naturalHeight];
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(from, 0, 0);
  return (AS_TEXT)(context.getImageData(0, 0, width, height));
}""".replace("AS_TEXT", AS_TEXT)


def png(pixels: NDArray[Any]) -> Image:
    """Rows of pixels of one to four channels."""
    return parse_image(encode_png(pixels))


def plain(step: int, *, run: int = 0, width: int = 8, height: int = 6) -> Image:
    """A picture that says in its colour which step and run it is of, and has one white pixel."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[...] = (step % 256, step // 256, run * 50)
    pixels[1, 2] = 255
    return png(pixels)


def many_steps() -> MemorySource:
    source = MemorySource()
    for number, run in enumerate(("first", "second")):
        pictures = [[plain(step, run=number)] for step in STEPS]
        source.add_values(run, "samples/plain", Kind.IMAGE, step=STEPS, values=pictures)
    return source


def shown(page: Page, name: str) -> Locator:
    return card(page, name).locator("canvas[data-step]")


def shows_step(page: Page, name: str, step: int) -> None:
    """The picture of the step is on screen, not only its number."""
    expect(shown(page, name)).to_have_attribute("data-step", str(step))
    expect(card(page, name)).to_have_attribute("data-ready", "true")
    _, _, pixels = shown(page, name).evaluate(READ, None)
    assert bytes.fromhex(pixels)[-4:-2] == bytes([step % 256, step // 256])


def data_url(image: Image) -> str:
    return f"data:image/{image.format};base64,{base64.b64encode(image.data).decode()}"


FRAMEWORKS = {
    "torch_writer_all": 8,
    "tensorboardX_writer_all": 6,
    "tf_summary_all": 2,
    "tf_v1_legacy": 6,
    "keras_callback_all": 6,
    "story_pytorch_digits": 2,
}


def test_shows_what_frameworks_logged_to_the_pixel(open_page, page):
    page.set_viewport_size({"width": 1440, "height": 1900})
    source = open_golden(*FRAMEWORKS)
    open_page(source, "#/images?option=images.actual;1")
    for case, least in FRAMEWORKS.items():
        go(page, f"#/images?option=images.actual;1&filter=^{case}/")
        assert count_equal(page, source) >= least, case


def count_equal(page: Page, source: DataSource) -> int:
    """Of the pictures in sight, each of which has to be as it was logged."""
    compared = 0
    for article in page.get_by_role("article").all():
        tag, _, run = str(article.get_attribute("aria-label")).rpartition(", ")
        values = source.read_values(SeriesKey(run, tag), kind=Kind.IMAGE, attempts="latest")
        files = source.load_value(values, len(values.step) - 1)
        if article.get_attribute("data-ready") != "true":
            continue  # Below the edge of the page.
        if len(files) > 1:
            expect(article.get_by_role("button", name=re.compile("^Enlarge image"))).to_have_count(len(files))
            continue
        if files[0].format != "png":
            continue
        canvas = article.locator("canvas[data-step]")
        expect(canvas).to_have_attribute("data-step", str(values.step[-1]))
        assert canvas.evaluate(READ, None) == canvas.evaluate(READ, data_url(files[0])), (run, tag)
        compared += 1
    return compared


def test_every_step_is_reached_at_once_saved_and_followed(open_page, page):
    # The first pictures are asked for before their cards, and once
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("/api/")[2]))
    source = many_steps()
    open_page(source, "#/images?cursor=100")
    shows_step(page, "samples/plain, first", 100)
    # The one at the cursor; those beside it are fetched ahead.
    pictures = [path for path in asked if path.startswith("images/blob?") and "step=100&" in path]
    assert len(pictures) == len(set(pictures)) > 0
    assert asked.count("steps") == 1

    # One picture is saved as it was logged
    go(page, "#/images?cursor=100")
    page.get_by_role("button", name="Actions: samples/plain, second").click()
    with page.expect_download() as saving:
        page.get_by_role("menuitem", name="Save image").click()
    assert saving.value.suggested_filename.endswith(".png")
    assert Path(saving.value.path()).read_bytes() == plain(100, run=1).data

    # Every step is reached
    go(page, "#/images?runs=first")
    name = "samples/plain, first"
    shows_step(page, name, 398)
    slider = card(page, name).get_by_role("slider")
    slider.press("Home")
    shows_step(page, name, 0)
    slider.press("ArrowRight")
    shows_step(page, name, 2)
    slider.press("PageUp")
    shows_step(page, name, 22)
    exact = card(page, name).get_by_role("textbox")
    exact.fill("301")
    exact.press("Enter")
    shows_step(page, name, 302)
    # One cursor for all runs.
    shows_step(page, "samples/plain, second", 302)
    page.get_by_role("button", name=f"Follow the latest step of {name}").click()
    shows_step(page, name, 398)

    # New pictures are followed
    go(page, "#/images?smoothing=0.6")
    source.add_values("first", "samples/plain", Kind.IMAGE, step=[500], values=[[plain(500)]])
    shows_step(page, "samples/plain, first", 500)
    shows_step(page, "samples/plain, second", 398)


def test_samples_are_a_grid_and_each_is_large_in_every_run(open_page):
    source = MemorySource()
    for number, run in enumerate(("first", "second")):
        values = [[plain(step, run=number) for step in (10, 20, 30)]]
        source.add_values(run, "batch", Kind.IMAGE, step=[5], values=values)
    page = open_page(source, "#/images")
    expect(card(page, "batch, first").locator("canvas")).to_have_count(3)
    page.get_by_role("button", name="Enlarge image 2 of batch, first").click()
    for run in ("first", "second"):
        expect(card(page, f"batch, {run}").get_by_role("application")).to_be_visible()
        expect(card(page, f"batch, {run}")).to_contain_text("Image 2 of 3")
    address_has(page, "images.sample/batch;1")
    reload(page)
    card(page, "batch, second").get_by_role("button", name="Next image").click()
    expect(card(page, "batch, first")).to_contain_text("Image 3 of 3")
    card(page, "batch, first").get_by_role("button", name="All images").click()
    expect(card(page, "batch, second").locator("canvas")).to_have_count(3)


def test_zoom_and_pixel_are_shared_by_the_runs_of_a_tag(open_page):
    deep = np.zeros((2, 2, 1), np.uint16)
    source = many_steps()
    for number, run in enumerate(("first", "second")):
        deep[0, 0] = 60_001 + number
        source.add_values(run, "depth", Kind.IMAGE, step=[0], values=[[png(deep)]])
    page = open_page(source, "#/images")
    view = page.get_by_role("application", name="samples/plain, first")
    box = view.bounding_box()
    assert box
    # The white pixel: of 8 x 6 pixels that fill the height, or the width.
    scale = min(box["width"] / 8, box["height"] / 6)
    left, top = (box["width"] - 8 * scale) / 2, (box["height"] - 6 * scale) / 2
    page.mouse.move(box["x"] + left + 2.5 * scale, box["y"] + top + 1.5 * scale)
    for run in ("first", "second"):
        values = card(page, f"samples/plain, {run}").locator(".values")
        expect(values).to_contain_text("(2, 1) R 255 G 255 B 255")
    # A wheel scrolls the page, with Ctrl it zooms.
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    address_has(page, "images.zoom/samples/plain;")
    # What is under the pointer has stayed there.
    expect(card(page, "samples/plain, second").locator(".values")).to_contain_text("(2, 1)")
    page.get_by_role("application", name="samples/plain, second").press("0")
    expect(page).not_to_have_url(re.compile("images.zoom"))

    view = page.get_by_role("application", name="depth, first")
    view.scroll_into_view_if_needed()
    box = view.bounding_box()
    assert box
    side = min(box["width"], box["height"])
    page.mouse.move(
        box["x"] + (box["width"] - side) / 2 + side / 4, box["y"] + (box["height"] - side) / 2 + side / 4
    )
    # Sixteen bits, as stored.
    expect(card(page, "depth, first").locator(".values")).to_contain_text("(0, 0) 60001")
    expect(card(page, "depth, second").locator(".values")).to_contain_text("(0, 0) 60002")


def test_pictures_are_compared_and_look_alike(open_page):
    # Two runs and two steps are compared
    page = open_page(many_steps(), "#/images")
    page.get_by_role("button", name="Compare samples/plain, first").click()
    dialog = page.get_by_role("dialog", name="Compare samples/plain")
    expect(dialog.locator(".compare")).to_have_attribute("data-ready", "true")
    expect(dialog.get_by_role("combobox", name="Run A")).to_have_value("first")
    expect(dialog.get_by_role("combobox", name="Run B")).to_have_value("second")
    expect(dialog.locator("canvas[data-step='398']")).to_have_count(2)
    dialog.get_by_text("Difference", exact=True).click()
    # Blue is 50 in one and 0 in the other, but for one pixel of 48.
    expect(dialog.get_by_role("status")).to_contain_text("97.9 % of pixels differ")
    expect(dialog.get_by_role("status")).to_contain_text("max 50")
    view = dialog.get_by_role("application")
    view.hover()
    expect(dialog.get_by_role("status")).to_contain_text("B − A R 0 G 0 B 50")
    dialog.get_by_text("Wipe", exact=True).click()
    line = dialog.get_by_role("slider", name="Divider between A and B")
    line.press("Home")
    expect(line).to_have_attribute("aria-valuenow", "0")
    dialog.get_by_text("Blink", exact=True).click()
    expect(dialog.get_by_role("application", name=re.compile("^B: "))).to_be_visible()
    # Two steps of one run.
    dialog.get_by_text("Difference", exact=True).click()
    dialog.get_by_role("combobox", name="Run B").select_option("first")
    dialog.get_by_role("checkbox", name="Link steps").uncheck()
    dialog.get_by_role("slider", name="Step of B").press("Home")
    expect(dialog.get_by_role("status")).to_contain_text("max 142")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    # The look is one for all and in the address
    go(page, "#/images?smoothing=0.6")
    page.get_by_role("button", name="Image display").click()
    page.get_by_role("spinbutton", name="Contrast, exact").fill("2.5")
    page.get_by_role("spinbutton", name="Contrast, exact").press("Enter")
    page.get_by_text("B", exact=True).click()
    page.keyboard.press("Escape")
    for run in ("first", "second"):
        expect(shown(page, f"samples/plain, {run}")).to_have_css(
            "filter", re.compile(r'url\("#.+"\) contrast\(2\.5\)')
        )
    address_has(page, "images.contrast;2.5")
    address_has(page, "images.channel;blue")
    reload(page)
    page.get_by_role("button", name="Reset image adjustments").click()
    expect(shown(page, "samples/plain, first")).to_have_css("filter", "none")
    expect(page).not_to_have_url(re.compile("option="))


def test_gallery_shows_all_goes_there_and_saves(open_page):
    source = many_steps()
    source.add_values("first", "samples/long", Kind.IMAGE, step=np.arange(3_000), values=[[plain(0)]] * 3_000)
    page = open_page(source, "#/images")
    page.get_by_role("button", name="All steps and runs of samples/plain").first.click()
    dialog = page.get_by_role("dialog", name="samples/plain: 400 images")
    # It opens where the cursor is.
    expect(dialog.locator("canvas[data-step='398']")).to_have_count(2)
    assert dialog.locator("canvas").count() < 60
    last = dialog.get_by_role("checkbox", name="Select second, step 398")
    last.check()
    dialog.get_by_role("checkbox", name="Select second, step 394").click(modifiers=["Shift"])
    expect(dialog.get_by_role("status")).to_have_text("3 images selected")
    with page.expect_download() as saving:
        dialog.get_by_role("button", name="Save selected images as zip").click()
    with zipfile.ZipFile(saving.value.path()) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    assert sorted(files.values()) == sorted(plain(step, run=1).data for step in (394, 396, 398))
    dialog.get_by_role("button", name="Go to first, step 390").click()
    expect(dialog).to_have_count(0)
    shows_step(page, "samples/plain, first", 390)

    # Thousands of one run, of which a few exist.
    page.get_by_role("button", name="All steps and runs of samples/long").first.click()
    dialog = page.get_by_role("dialog", name="samples/long: 3,000 images")
    expect(dialog.locator("canvas[data-step]").first).to_be_visible()
    assert dialog.locator("canvas").count() < 200
    assert dialog.locator("li").first.get_attribute("aria-setsize") != "3000"


BAD = {
    0: plain(0).data,
    1: plain(0, width=64, height=64).data[:60],
    2: b"<svg xmlns='http://www.w3.org/2000/svg'><script>window.hacked = 1</script></svg>",
    3: b"<!doctype html><script>window.hacked = 1</script>",
    4: b"\x00\x01 no picture at all",
    5: b"",
    6: encode_png(np.zeros((2, 30_000, 1), np.uint8)),
    8: plain(8).data,
}


def test_what_is_no_picture_is_said_and_can_be_saved(open_page):
    values = [[parse_image(data)] for data in BAD.values()]
    source = MemorySource().add_values("run", "odd", Kind.IMAGE, step=list(BAD), values=values)
    page = open_page(source, "#/images")
    shows_step(page, "odd, run", 8)
    said = {}
    for step, data in BAD.items():
        exact = card(page, "odd, run").get_by_role("textbox")
        exact.fill(str(step))
        exact.press("Enter")
        if step in (0, 8):
            shows_step(page, "odd, run", step)
            continue
        note = card(page, "odd, run").get_by_role("note")
        expect(note).to_be_visible()
        expect(card(page, "odd, run")).to_have_attribute("data-ready", "true")
        said[step] = note.inner_text()
        if not data:
            expect(note.get_by_role("link", name="Save file")).to_have_count(0)
            continue
        with page.expect_download() as saving:
            note.get_by_role("link", name="Save file").click()
        assert Path(saving.value.path()).read_bytes() == data
    assert "SVG" in said[2]
    assert "HTML" in said[3]
    assert "30,000" in said[6]
    assert page.evaluate("window.hacked") is None
    # The gallery has a place for each of them too.
    page.get_by_role("button", name="All steps and runs of odd").click()
    expect(page.get_by_role("dialog").get_by_role("button", name=re.compile("^Go to"))).to_have_count(
        len(BAD)
    )
    assert page.evaluate("window.hacked") is None
