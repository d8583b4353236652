"""The page on a phone: one column, the runs behind a button, and charts that fingers pan, zoom and read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from tests.support.page import PATIENCE_MS, address_has, chart, written_address

from runglass.query.memory import MemorySource
from runglass.store.model import Kind

WIDTH, HEIGHT = 390, 844


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PATIENCE_MS)
    # A window closes with its last tab.
    context.new_page()
    yield context
    context.close()


def phone_log() -> MemorySource:
    source = MemorySource(locations=["a/long/path/to/some/logs"])
    step = np.arange(101)
    for run in ("first", "second", "a run whose name is wider than a phone, as those of sweeps often are"):
        for tag in ("loss", "accuracy", "train/rate", "val/loss", "val/accuracy"):
            source.add_scalars(run, tag, step=step, value=np.sqrt(step + 1.0))
        source.add_values(run, "train/note", Kind.TEXT, step=[0, 50], values=["begun", "halfway"])
    return source


class Fingers:
    """Fingers on one chart; places are shares of its width, at half its height."""

    def __init__(self, page: Page, on: Locator) -> None:
        self._cdp = page.context.new_cdp_session(page)
        box = on.bounding_box()
        assert box is not None
        self._box = box

    def place(self, share: float) -> tuple[float, float]:
        return self._box["x"] + self._box["width"] * share, self._box["y"] + self._box["height"] / 2

    def _send(self, kind: str, *shares: float, up_px: float = 0) -> None:
        places = enumerate(map(self.place, shares))
        points = [{"id": i, "x": x, "y": y - up_px} for i, (x, y) in places]
        self._cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def put(self, *shares: float) -> None:
        self._send("touchStart", *shares)

    def move(self, *shares: float, up_px: float = 0) -> None:
        self._send("touchMove", *shares, up_px=up_px)

    def lift(self) -> None:
        self._send("touchEnd")


def x_shown(page: Page) -> tuple[float, float]:
    """What the x axis of the accuracy spans, as the address has it once the card was zoomed."""
    expect(page).to_have_url(re.compile(r"card=accuracy;x:"))
    found = re.search(r"card=accuracy;x:([-\d.]+),([-\d.]+)", written_address(page))
    assert found is not None
    return float(found[1]), float(found[2])


def test_fits_the_window_and_keeps_the_runs_behind_a_button(open_page):
    page = open_page(phone_log(), "#/overview")
    for name in ("overview", "scalars"):
        page.goto(re.sub("#.*", f"#/{name}", page.url))
        expect(page.get_by_role("article").first).to_have_attribute("data-ready", "true")
        box = page.get_by_role("article").first.bounding_box()
        assert box is not None
        assert box["width"] > 0.85 * WIDTH
        # Nothing stands out on the right.
        outside = page.evaluate(
            """() => [...document.querySelectorAll("header *, main *")]
              .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
              .map((each) => each.outerHTML.slice(0, 120))"""
        )
        assert outside == []
        # A tab that does not fit is in the menu.
        cut = page.evaluate(
            """() => [...document.querySelectorAll("nav[aria-label=Dashboards] a")]
              .filter((each) => each.checkVisibility({ visibilityProperty: true }))
              .filter((each) => each.offsetWidth > each.parentElement.clientWidth)
              .map((each) => each.textContent.trim())"""
        )
        assert cut == []
    expect(page.get_by_role("treegrid")).to_have_count(0)
    page.get_by_role("button", name="Show runs").tap()
    page.get_by_role("checkbox", name="second", exact=True).uncheck()
    page.get_by_role("button", name="Hide runs").tap()
    expect(page.get_by_role("treegrid")).to_have_count(0)
    address_has(page, "run=-second")


def test_fingers_read_pan_zoom_and_scroll(open_page):
    page = open_page(phone_log(), "#/overview?smoothing=0")
    fingers = Fingers(page, chart(page, "accuracy"))
    tip = page.get_by_role("tooltip")

    page.touchscreen.tap(*fingers.place(0.5))
    place = page.get_by_role("group", name="Cursor", exact=True).get_by_role("textbox")
    expect(place).to_have_value(re.compile(r"^[3-6]\d$"))

    fingers.put(0.4)
    expect(tip).to_contain_text("first")
    # Times give way to values.
    expect(tip.get_by_role("columnheader").last).to_have_text("value")
    tip_box, last_box = tip.bounding_box(), tip.get_by_role("columnheader").last.bounding_box()
    assert tip_box is not None
    assert last_box is not None
    assert last_box["x"] + last_box["width"] <= tip_box["x"] + tip_box["width"]
    before = tip.inner_text()
    fingers.move(0.8)
    expect(tip).not_to_have_text(before)
    fingers.lift()
    expect(tip).to_have_count(0)
    # Reading neither moves the cursor nor the axis.
    expect(place).to_have_value(re.compile(r"^[3-6]\d$"))
    assert "card=accuracy" not in page.url

    fingers.put(0.4, 0.6)
    fingers.move(0.3, 0.7)
    fingers.move(0.2, 0.8)
    fingers.lift()
    low, high = x_shown(page)
    assert 20 < low < high < 80

    fingers.put(0.7)
    for share in (0.65, 0.6, 0.5):
        fingers.move(share)
    fingers.lift()
    expect(page).not_to_have_url(re.compile(f"card=accuracy;x:{low:g},"))
    later, end = x_shown(page)
    assert later > low
    assert end - later == pytest.approx(high - low, abs=2)

    fingers.put(0.5)
    for up_px in range(10, 210, 10):
        fingers.move(0.5, up_px=up_px)
    fingers.lift()
    # Not the place of the chart: it is gone for a moment when it has left the view.
    assert page.evaluate("document.querySelector('main .cards').scrollTop") > 100
    assert x_shown(page) == (later, end)


def test_fingers_read_and_zoom_histograms_and_scroll_past_them(open_page):
    source = MemorySource()
    for tag in ("first", "second", "third"):
        values = [np.array([[-1.0, 0.0, 5.0 + at], [0.0, 1.0, 3.0]]) for at in range(4)]
        source.add_values("run", tag, Kind.HISTOGRAM, step=range(4), values=values)
    page = open_page(source, "#/histograms")
    shown = page.get_by_role("application", name="Histograms of first")
    tip = page.get_by_role("tooltip")
    fingers = Fingers(page, shown)
    fingers.put(0.4)
    expect(tip).to_contain_text("step")
    before = tip.inner_text()
    fingers.move(0.7)
    expect(tip).not_to_have_text(before)
    fingers.lift()
    expect(tip).to_have_count(0)
    assert "card=" not in page.url

    fingers.put(0.5)
    for up_px in range(10, 210, 10):
        fingers.move(0.5, up_px=up_px)
    fingers.lift()
    scrolled = shown.bounding_box()
    assert scrolled is not None
    assert scrolled["y"] < fingers.place(0.5)[1] - 200
    assert "card=" not in page.url
    expect(tip).to_have_count(0)

    fingers = Fingers(page, page.get_by_role("application", name="Histograms of second"))
    fingers.put(0.4, 0.6)
    fingers.move(0.3, 0.7)
    fingers.move(0.2, 0.8)
    fingers.lift()
    address_has(page, "card=")
    page.touchscreen.tap(*fingers.place(0.5))
    address_has(page, "cursor=")
