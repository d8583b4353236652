"""One chart in a browser: what drags, wheels, keys and clicks do to its axes, its marks and its selected steps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from playwright.sync_api import FloatRect, Locator, Page, expect
from tests.support.page import (
    address_has,
    card,
    chart,
    go,
    read_pixels,
    reload,
    tick_labels,
    wait_ready,
    written_address,
)

from runglass.query.memory import MemorySource

RESET = "Reset zoom of loss"


def waves(points: int = 1_000) -> MemorySource:
    step = np.arange(points)
    source = MemorySource().add_scalars("sine", "loss", step=step, value=np.sin(step / 100))
    return source.add_scalars("cosine", "loss", step=step, value=np.cos(step / 100))


def box_of(page: Page, tag: str = "loss") -> FloatRect:
    box = chart(page, tag).bounding_box()
    assert box is not None
    return box


def drag(
    page: Page,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    keys: Iterable[str] = (),
    button: str = "left",
) -> None:
    """Between two places given as parts of the chart's width and height."""
    box = box_of(page)
    at = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (start, end)]
    page.mouse.move(*at[0])
    for key in keys:
        page.keyboard.down(key)
    page.mouse.down(button=button)
    page.mouse.move(*at[1], steps=4)
    page.mouse.up(button=button)
    for key in keys:
        page.keyboard.up(key)
    wait_ready(page)


def questions(asked: list[dict[str, Any]]) -> int:
    """How often lines were asked for."""
    return sum("x_range" in body for body in asked)


def x_shown(page: Page) -> tuple[int, int]:
    """What the x axis of the card spans, as the address has it once the card was zoomed."""
    expect(page).to_have_url(re.compile(r"[;=]x:"))
    found = re.search(r"[;=]x:(-?\d+),(-?\d+)", written_address(page))
    assert found
    return int(found[1]), int(found[2])


def y_labels(page: Page) -> list[str]:
    return [label for label in tick_labels(page, "loss") if "." in label]


def handles(page: Page) -> Locator:
    return chart(page, "loss").get_by_role("slider")


def test_drags_zoom_and_pan(open_page, asked):
    # A box zooms both axes and a double click resets them
    page = open_page(waves(), "#/scalars?smoothing=0")
    whole = tick_labels(page, "loss")
    drag(page, (0.4, 0.2), (0.7, 0.5))
    assert x_shown(page)[1] - x_shown(page)[0] < 500
    zoomed = tick_labels(page, "loss")
    assert zoomed != whole
    assert y_labels(page) != [label for label in whole if "." in label]
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_be_visible()
    chart(page, "loss").dblclick()
    wait_ready(page)
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_have_count(0)
    # Its clicks leave the cursor where it was, so Back has nothing to go through.
    address_has(page, "#/scalars?smoothing=0")
    expect(page).not_to_have_url(re.compile("cursor"))
    assert tick_labels(page, "loss") == whole

    # A level drag leaves y alone and an upright one x
    go(page, "#/scalars?smoothing=0")
    asks = questions(asked)
    drag(page, (0.5, 0.2), (0.51, 0.6))
    # Only y: nothing new is asked for.
    assert questions(asked) == asks
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_be_visible()
    card(page, "loss").get_by_role("button", name=RESET).click()
    drag(page, (0.3, 0.5), (0.6, 0.52))
    low, high = x_shown(page)
    assert 150 < low < 350 < 500 < high < 700

    # Dragging an axis zooms that axis
    go(page, "#/scalars?smoothing=0")
    asks = questions(asked)
    drag(page, (0.02, 0.3), (0.02, 0.6))
    assert questions(asked) == asks
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_be_visible()
    before = y_labels(page)
    drag(page, (0.4, 0.95), (0.6, 0.95))
    zoomed = x_shown(page)
    assert y_labels(page) == before
    # Twice on an axis resets that axis only.
    chart(page, "loss").dblclick(position={"x": 12, "y": 80})
    assert x_shown(page) == zoomed
    assert y_labels(page) != before

    # After a drag the wheel scrolls the page
    go(page, "#/scalars?smoothing=0")
    box = box_of(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 40, y - 30)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=3)
    page.mouse.up()
    address_has(page, "x:")
    wait_ready(page)
    asks, shown = questions(asked), x_shown(page)
    page.mouse.wheel(0, -200)
    expect(chart(page, "loss").get_by_role("status")).to_contain_text("Hold Ctrl or Alt")
    assert (questions(asked), x_shown(page)) == (asks, shown)

    # Panning keeps the span
    for keys, button in ((["Shift"], "left"), (["Alt"], "left"), ([], "middle")):
        go(page, "#/scalars?smoothing=0&card=loss;x:400,600")
        drag(page, (0.7, 0.5), (0.4, 0.5), keys=keys, button=button)
        # The address follows while the drag goes on.
        expect(page).to_have_url(re.compile(r"x:4[4-9]\d,6[4-9]\d"))
        low, high = x_shown(page)
        assert high - low == 200


def test_wheel_keys_and_typed_limits(open_page, asked):
    # The wheel zooms with a key or in a focused chart and else explains itself
    page = open_page(waves(), "#/scalars?smoothing=0")
    box = box_of(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    asks = questions(asked)
    page.mouse.wheel(0, -200)
    hint = chart(page, "loss").get_by_role("status")
    expect(hint).to_contain_text("Hold Ctrl or Alt")
    assert questions(asked) == asks
    expect(hint).to_have_count(0)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    wait_ready(page)
    low, high = x_shown(page)
    assert 0 < low < 500 < high < 999
    chart(page, "loss").focus()
    page.mouse.wheel(0, 2_000)
    page.mouse.wheel(0, 2_000)
    expect(page).to_have_url(re.compile(r"x:-\d+,\d{4}"))
    wait_ready(page)
    # Beyond the data there is room.
    assert x_shown(page)[0] < 0
    assert x_shown(page)[1] > 1_000

    # Y is zoomed by keyboard too
    go(page, "#/scalars?smoothing=0")
    chart(page, "loss").focus()
    page.keyboard.press("y")
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_be_visible()
    page.keyboard.press("0")
    expect(card(page, "loss").get_by_role("button", name=RESET)).to_have_count(0)

    # A step is selected by keyboard
    go(page, "#/scalars?smoothing=0")
    chart(page, "loss").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("s")
    expect(handles(page)).to_have_count(1)

    # Limits are typed
    go(page, "#/scalars?smoothing=0")
    card(page, "loss").get_by_role("button", name="More for loss").click()
    page.get_by_role("menuitem", name="Axis limits…").click()
    fields = page.get_by_role("dialog", name="Axis limits of loss")
    fields.get_by_role("textbox", name="Y axis from").fill("-5")
    fields.get_by_role("textbox", name="Y axis to").fill("5")
    fields.get_by_role("textbox", name="X axis from").fill("0")
    fields.get_by_role("textbox", name="X axis to").fill("500")
    fields.get_by_role("button", name="Apply").click()
    wait_ready(page)
    assert {"−4", "0", "4"} <= set(tick_labels(page, "loss"))
    address_has(page, "x:0,500;y:-5,5")
    reload(page)
    assert {"−4", "0", "4", "500"} <= set(tick_labels(page, "loss"))


def test_the_outlier_badge_shows_all_values(open_page):
    step = np.arange(200)
    source = MemorySource().add_scalars("calm", "loss", step=step, value=np.exp(-step / 50))
    source.add_scalars("wild", "loss", step=[0, 1, 2, 3], value=[1.0, 2.0, 900.0, 5_000.0])
    page = open_page(source, "#/scalars?smoothing=0")
    badge = chart(page, "loss").get_by_role("button", name="up to 5000")
    badge.click()
    expect(badge).to_have_count(0)
    assert "5000" in tick_labels(page, "loss") or "4000" in tick_labels(page, "loss")
    expect(page.get_by_role("tooltip")).to_have_count(0)


def test_either_axis_has_a_badge_of_its_own(open_page):
    step = np.arange(200)
    source = MemorySource()
    for tag, spike in (("loss", 5_000.0), ("norm", 70_000.0)):
        value = np.exp(-step / 50)
        value[3] = spike
        source.add_scalars("run", tag, step=step, value=value)
    page = open_page(source, "#/scalars?smoothing=0&pin=panel1&panel=panel1;%3Closs;%3Enorm")
    both = chart(page, "loss · norm")
    left = both.get_by_role("button", name="up to 5000")
    right = both.get_by_role("button", name="up to 70000")
    left_box, right_box = left.bounding_box(), right.bounding_box()
    assert left_box is not None
    assert right_box is not None
    assert left_box["x"] + left_box["width"] < right_box["x"]
    right.click()
    expect(right).to_have_count(0)
    expect(left).to_be_visible()
    address_has(page, "y2")


def test_nan_and_infinities_have_marks_that_the_pointer_finds(open_page):
    value = np.ones(100)
    value[[30, 60, 80]] = np.nan, np.inf, -np.inf
    page = open_page(
        MemorySource().add_scalars("run", "loss", step=np.arange(100), value=value), "#/scalars?smoothing=0"
    )
    ink = read_pixels(page, "loss")[..., 3] > 100
    height, width = ink.shape
    top = np.flatnonzero(ink[: height // 6].any(axis=0)) / width
    bottom = np.flatnonzero(ink[-height // 6 :].any(axis=0)) / width
    assert 0.55 < top.mean() < 0.7
    assert bottom.min() < 0.45 < 0.75 < bottom.max()
    box = box_of(page)
    page.mouse.move(box["x"] + bottom.min() * box["width"] + 3, box["y"] + box["height"] - 24)
    expect(page.get_by_role("tooltip")).to_contain_text("NaN")


def test_steps_are_selected_dragged_typed_and_taken_away(open_page):
    page = open_page(waves(100), "#/scalars?smoothing=0")
    box = box_of(page)
    strip_y = box["y"] + box["height"] - 8
    page.mouse.move(box["x"] + box["width"] * 0.5, strip_y)
    page.mouse.click(box["x"] + box["width"] * 0.5, strip_y)
    expect(handles(page)).to_have_count(1)
    page.mouse.click(box["x"] + box["width"] * 0.8, strip_y)
    expect(handles(page)).to_have_count(2)
    first, last = (int(handle.get_attribute("aria-valuenow") or "") for handle in handles(page).all())
    assert 30 < first < 60 < last < 90

    # The first is dragged across the last: they change places.
    at = handles(page).first.bounding_box()
    assert at is not None
    page.mouse.move(at["x"] + 4, at["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.95, strip_y, steps=6)
    page.mouse.up()
    expect(handles(page).first).to_have_attribute("aria-valuenow", str(last))
    assert int(handles(page).last.get_attribute("aria-valuenow") or "") > last

    handles(page).last.click()
    field = chart(page, "loss").get_by_role("textbox", name="Last selected step, enter a value")
    field.fill("0")
    field.press("Enter")
    # Smaller than the other one, so it is the first now.
    expect(handles(page).first).to_have_attribute("aria-valuenow", "0")
    handles(page).first.press("ArrowRight")
    expect(handles(page).first).to_have_attribute("aria-valuenow", "1")

    chart(page, "loss").get_by_role("button", name="Remove last selected step").click()
    expect(handles(page)).to_have_count(1)
    handles(page).first.press("Delete")
    expect(handles(page)).to_have_count(0)


def test_scales_of_both_axes(open_page):
    step = np.arange(1_000)
    value = np.where(step < 500, 10.0 ** (step / 100), -(10.0 ** (step / 200)))
    source = MemorySource().add_scalars("run", "loss", step=step, value=value)
    page = open_page(source, "#/scalars?smoothing=0")
    for scale in ("log", "symlog"):
        go(page, f"#/scalars?smoothing=0&card=loss;xScale:{scale};yScale:{scale}")
        labels = tick_labels(page, "loss")
        badge = chart(page, "loss").get_by_text("1 line has points ≤ 0")
        if scale == "log":
            assert {"1", "10", "100"} <= set(labels)
            assert not any(label.startswith("−") for label in labels)
            expect(badge).to_be_visible()
        else:
            assert "0" in labels
            assert any(label.startswith("−") for label in labels)
            expect(badge).to_have_count(0)
        # The pointer finds points where they are drawn.
        box = box_of(page)
        page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5)
        expect(page.get_by_role("tooltip")).to_contain_text("run")
        page.mouse.move(5, 880)
        expect(page.get_by_role("tooltip")).to_have_count(0)


def test_a_crosshair_is_seen_in_the_other_cards(open_page):
    step = np.arange(200)
    source = MemorySource().add_scalars("run", "a", step=step, value=np.sin(step / 20))
    source.add_scalars("run", "b", step=step, value=np.cos(step / 20))
    page = open_page(source, "#/scalars?smoothing=0")
    for other in ("a", "b"):
        expect(chart(page, other).locator(".crosshair")).to_have_count(0)
    box = box_of(page, "a")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(chart(page, "b").locator(".crosshair")).to_have_count(1)
    expect(chart(page, "b").locator("svg circle")).to_have_count(1)
    page.mouse.move(5, 500)
    expect(chart(page, "b").locator(".crosshair")).to_have_count(0)
