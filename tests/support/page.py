"""The page as browser tests find it: cards and charts by their labels, pixels, colours and the address."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Error, Locator, Page, expect

# A loaded machine is slow, not wrong.
PATIENCE_MS = 60_000


# Settles when a frame has been drawn. A page in the background draws none.
NEXT_FRAME = """() => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 300);
})"""


def wait_ready(page: Page) -> None:
    # What a change leads to, such as a card that comes into view, may begin only in the next frame.
    try:
        page.evaluate(NEXT_FRAME)
    except Error as error:
        if "navigation" not in str(error):
            raise
    # At once: assertions look again only after longer and longer rests.
    page.wait_for_selector("html[data-ready=true]", state="attached")


# Settles when the page was told. The page writes its address a moment late: an equal one may be about to change.
GO = """async (hash) => {
  const set = () => {
    const before = location.hash;
    location.hash = hash;
    return location.hash !== before;
  };
  const told = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  if (!set()) {
    await new Promise((done) => setTimeout(done, 200));
    if (!set()) return;
  }
  await told;
}"""


def go(page: Page, view: str) -> None:
    """To another view of the page that is open, which is not loaded anew.

    Name an option in it: with a bare address the page shows what the browser keeps.
    """
    page.evaluate(GO, view)
    wait_ready(page)


def card(page: Page, tag: str) -> Locator:
    return page.get_by_role("article", name=tag, exact=True)


def chart(page: Page, tag: str) -> Locator:
    return page.get_by_role("application", name=f"Chart of {tag}", exact=True)


def read_pixels(page: Page, tag: str) -> NDArray[np.int16]:
    """The pixels of a card's chart."""
    return read_canvas(chart(page, tag).locator("canvas"))


# The pixels of an ImageData as text, because a list of numbers takes seconds on its way here. A clamped array has no `toHex`.
AS_TEXT = """({ width, height, data }) => {
  const bytes = new Uint8Array(data.buffer);
  return [width, height, bytes.toHex?.() ?? Array.from(bytes, (v) => v.toString(16).padStart(2, "0")).join("")];
}"""


def read_canvas(canvas: Locator) -> NDArray[np.int16]:
    """What a canvas shows, as rows of pixels of red, green, blue and opacity."""
    width, height, data = canvas.evaluate(
        """(canvas) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      return (AS_TEXT)(copy.getImageData(0, 0, canvas.width, canvas.height));
    }""".replace("AS_TEXT", AS_TEXT)
    )
    return np.frombuffer(bytes.fromhex(data), np.uint8).reshape(height, width, 4).astype(np.int16)


def is_drawn(page: Page, tag: str, color: str) -> bool:
    """Whether a line of this colour (#rrggbb) can be seen in a card."""
    pixels = read_pixels(page, tag)
    wanted = np.frombuffer(bytes.fromhex(color.removeprefix("#")), np.uint8).astype(np.int16)
    # The edges of a line are translucent, and their colour is rounded.
    near = (pixels[..., 3] > 100) & (np.abs(pixels[..., :3] - wanted).max(axis=-1) <= 8)
    return bool(near.sum() >= 20)


def run_color(page: Page, run: str) -> str:
    """The colour of a run's box in the run list."""
    painted = page.get_by_role("checkbox", name=run, exact=True).evaluate(
        "(box) => getComputedStyle(box).getPropertyValue('--color')"
    )
    return str(painted).strip()


def tick_labels(page: Page, tag: str) -> list[str]:
    return chart(page, tag).locator("svg text").all_text_contents()


def address_has(page: Page, part: str) -> None:
    expect(page).to_have_url(re.compile(re.escape(part)))


def written_address(page: Page) -> str:
    """The address once it has all that is shown: the page writes it when nothing has changed for 120 ms."""
    address = page.evaluate("() => new Promise((done) => setTimeout(() => done(location.href), 200))")
    return str(address)


def reload(page: Page) -> None:
    written_address(page)
    page.reload()
    wait_ready(page)
