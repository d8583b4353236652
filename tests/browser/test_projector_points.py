"""Points of an embedding as they are drawn: on the graphics card and without one, picked, turned and saved."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect
from tests.support.page import read_canvas, reload, wait_ready
from tests.support.projector import make_source
from tests.support.waiting import until

import runglass
from runglass.query.source import DataSource

ROWS = 90
# Chromium here only simulates a graphics card, which the page notices by its name.
AS_IF_REAL = """
const { getParameter } = WebGL2RenderingContext.prototype;
WebGL2RenderingContext.prototype.getParameter = function (name) {
  const value = getParameter.call(this, name);
  return typeof value === "string" ? "A graphics card" : value;
};
"""
WITHOUT = """
const { getContext } = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...rest);
};
"""
# Every picture begins with cleared lines and names.
COUNT_PICTURES = """
const { clearRect } = CanvasRenderingContext2D.prototype;
window.pictures = 0;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  window.pictures++;
  return clearRect.call(this, ...box);
};
"""


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """Three directions from the middle, one of each colour."""
    folder = tmp_path_factory.mktemp("points") / "run"
    folder.mkdir()
    rng = np.random.default_rng(3)
    kinds = np.arange(ROWS) % 3
    np.save(folder / "vectors.npy", (np.eye(3)[kinds] * 9 + rng.normal(0, 1, (ROWS, 3))).astype(np.float32))
    lines = ["name\tkind", *(f"point {row}\t{'abc'[kind]}" for row, kind in enumerate(kinds))]
    (folder / "metadata.tsv").write_text("\n".join(lines) + "\n")
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "points" tensor_path: "vectors.npy" metadata_path: "metadata.tsv" }\n'
    )
    return runglass.open(Path(folder).parent).source


def scene(page: Page) -> Locator:
    return page.get_by_role("application")


def drawn(page: Page, canvas: int) -> NDArray[np.intp]:
    """Where the dots are: pixels with a colour that is no grey."""
    pixels = read_canvas(scene(page).locator("canvas").nth(canvas))[..., :3]
    return np.argwhere(pixels.max(axis=2) - pixels.min(axis=2) > 90)


def pointed_at(page: Page, canvas: int) -> str:
    """What the page says about the lowest dot, which no label covers."""
    y, x = drawn(page, canvas)[-1].tolist()
    box = scene(page).bounding_box()
    assert box
    page.mouse.move(box["x"] + x, box["y"] + y - 1)
    tip = page.get_by_role("tooltip").locator("b")
    expect(tip).to_have_text(re.compile(r"^point \d+$"))
    return tip.inner_text()


def test_the_graphics_card_shows_and_finds_the_same_points(page, serve, points):
    url = serve(points).url + "#/projector"
    page.goto(url)
    wait_ready(page)
    expect(scene(page)).to_have_attribute("data-renderer", "canvas")
    expect(page.get_by_text("no WebGL")).to_have_count(0)
    plain = drawn(page, 0)
    found = pointed_at(page, 0)

    page.add_init_script(AS_IF_REAL)
    reload(page)
    expect(scene(page)).to_have_attribute("data-renderer", "webgl")
    card = drawn(page, 1)
    # Edges differ: one canvas is mixed with the background already.
    assert 0.7 < len(card) / len(plain) < 1.6
    assert np.abs(card.max(axis=0) - plain.max(axis=0)).max() <= 2
    assert np.abs(card.min(axis=0) - plain.min(axis=0)).max() <= 2
    assert pointed_at(page, 1) == found

    # The driver takes the card away and gives it back.
    page.evaluate(
        """async () => {
      const canvas = document.querySelectorAll("[role=application] canvas")[1];
      const card = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
      for (const [kind, cause] of [["lost", "loseContext"], ["restored", "restoreContext"]]) {
        const told = new Promise((done) => canvas.addEventListener(`webglcontext${kind}`, done, { once: true }));
        card[cause]();
        await told;
        // The browser gives it back only after all listeners.
        await new Promise((done) => setTimeout(done));
      }
    }"""
    )
    until(lambda: abs(len(drawn(page, 1)) - len(card)) < 0.1 * len(card), "the points as before")


def test_without_webgl_it_says_so_and_turns_all_the_same(page, serve, points):
    page.add_init_script(WITHOUT)
    page.goto(serve(points).url + "#/projector?option=projector.dimensions;3")
    wait_ready(page)
    expect(scene(page)).to_have_attribute("data-renderer", "canvas")
    expect(page.get_by_text("This browser has no WebGL 2")).to_be_visible()
    before = drawn(page, 0)
    box = scene(page).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 30, steps=6)
    page.mouse.up()

    def has_turned() -> bool:
        now = drawn(page, 0)
        return len(now) > 0.5 * len(before) and not np.array_equal(now, before)

    until(has_turned)
    # Nothing changes: after a while, nothing is drawn.
    page.evaluate(
        """() => {
      window.paints = 0;
      const context = document.querySelectorAll("[role=application] canvas")[2].getContext("2d");
      const clear = context.clearRect;
      context.clearRect = function (...box) {
        paints++;
        clear.apply(this, box);
      };
    }"""
    )
    page.wait_for_function("() => window.last === (window.last = paints)", polling=400)


def test_what_other_runs_log_leaves_the_points_alone(open_page, page):
    source = make_source()
    page.add_init_script(COUNT_PICTURES)
    with page.expect_response("**/api/jobs/result*"):
        open_page(source, "#/projector")
    expect(page.get_by_role("button", name="Project all steps together")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.wait_for_function("() => window.last === (window.last = pictures)", polling=1_000)
    pictures = page.evaluate("pictures")
    assert pictures > 0
    for step in range(3):
        with page.expect_response(re.compile(r"/api/projector\?")):
            source.add_scalars("other", "loss", step=[step], value=[1.0])
    page.wait_for_timeout(300)
    assert page.evaluate("pictures") == pictures
