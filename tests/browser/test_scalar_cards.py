"""The scalars dashboard in a browser: what is drawn, how it is changed, and that only what is seen is asked for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from runglass.query.memory import MemorySource

from .conftest import address_has, card, chart, is_drawn, read_pixels, run_color, tick_labels, wait_ready


def three_runs(points: int = 200) -> MemorySource:
    source = MemorySource(locations=["logs/three"])
    step = np.arange(points) * 10
    for run, height in (("low", 1.0), ("middle", 2.0), ("high/one", 3.0)):
        for tag in ("train/loss", "train/accuracy", "val/loss"):
            # Level lines: smoothing leaves them alone and their pixels have their run's colour exactly.
            source.add_scalars(run, tag, step=step, value=np.full(points, height))
    return source


def test_shows_every_run_of_every_tag_in_its_color(open_page, asked):
    page = open_page(three_runs())
    for tag in ("train/loss", "train/accuracy", "val/loss"):
        expect(card(page, tag)).to_have_attribute("data-ready", "true")
    colors = {run_color(page, run) for run in ("low", "middle", "high/one")}
    assert len(colors) == 3
    assert all(is_drawn(page, "train/loss", color) for color in colors)
    expect(page.get_by_text("3 of 3 shown")).to_be_visible()
    expect(page.get_by_role("button", name="train 2")).to_be_visible()
    # All runs are not named, so that a thousand cost nothing to ask for.
    assert sorted(body["tags"][0] for body in asked) == ["train/accuracy", "train/loss", "val/loss"]
    assert all("runs" not in body for body in asked)


def test_smoothing_asks_the_server_and_stays_in_the_address(open_page, asked):
    page = open_page(three_runs())
    page.get_by_role("slider", name="Smoothing").fill("0.9")
    wait_ready(page)
    assert asked[-1]["smoothing"] == {"kind": "ema", "amount": 0.9}
    assert asked[-1]["raw"] is True
    address_has(page, "smoothing=0.9")
    page.reload()
    wait_ready(page)
    expect(page.get_by_role("slider", name="Smoothing")).to_have_value("0.9")
    page.get_by_role("spinbutton", name="Smoothing, exact").fill("0")
    page.get_by_role("spinbutton", name="Smoothing, exact").press("Enter")
    wait_ready(page)
    assert asked[-1]["smoothing"] == {"kind": "none", "amount": 0}


def test_raw_line_is_faint_behind_the_smoothed_one(open_page):
    noise = np.where(np.arange(400) % 2 == 0, 0.0, 1.0)
    page = open_page(
        MemorySource().add_scalars("noisy", "loss", step=np.arange(400), value=noise), "#/?smoothing=0.95"
    )
    opacity = read_pixels(page, "loss")[..., 3]
    assert ((opacity > 0) & (opacity < 100)).sum() > 1_000
    assert (opacity > 200).sum() > 200


@pytest.mark.parametrize(("axis", "name"), [("relative", "Relative"), ("wall", "Wall")])
def test_x_axis_is_changed_by_name(open_page, asked, axis, name):
    page = open_page(three_runs())
    before = tick_labels(page, "train/loss")
    page.get_by_role("radio", name=name, exact=True).check(force=True)
    wait_ready(page)
    assert asked[-1]["x"] == axis
    assert tick_labels(page, "train/loss") != before
    address_has(page, f"x={axis}")


def test_drag_zooms_into_finer_data_and_double_click_goes_back(open_page, asked):
    step = np.arange(50_000)
    page = open_page(MemorySource().add_scalars("long", "loss", step=step, value=np.sin(step / 500.0)))
    box = chart(page, "loss").bounding_box()
    whole = tick_labels(page, "loss")
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 60, steps=4)
    page.mouse.up()
    wait_ready(page)
    low, high = asked[-1]["x_range"]
    assert 20_000 < low < high < 32_000
    assert tick_labels(page, "loss") != whole
    address_has(page, f"zoom={low},{high},loss")
    page.reload()
    wait_ready(page)
    assert asked[-1]["x_range"] == [low, high]
    chart(page, "loss").dblclick()
    wait_ready(page)
    assert asked[-1]["x_range"] is None
    assert tick_labels(page, "loss") == whole


def test_pointer_shows_the_nearest_point_of_every_run(open_page):
    page = open_page(three_runs())
    box = chart(page, "train/loss").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.get_by_role("tooltip")
    rows = tip.get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text("high/one")
    expect(rows.nth(1)).to_contain_text("3.0000")
    expect(rows.nth(3)).to_contain_text("low")
    # Value and time come from the exact points, once the pointer rests; every step was a second here.
    expect(rows.nth(3).get_by_role("cell").nth(1)).to_have_text("1.0000")
    expect(rows.nth(3).get_by_role("cell").nth(3)).not_to_have_text("")
    page.mouse.move(5, 500)
    expect(tip).to_have_count(0)


def test_chart_is_read_and_zoomed_by_keyboard(open_page, asked):
    page = open_page(three_runs())
    chart(page, "train/loss").focus()
    page.keyboard.press("ArrowRight")
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    page.keyboard.press("Enter")
    expect(tip).to_contain_text("Esc lets go")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.keyboard.press("+")
    wait_ready(page)
    assert asked[-1]["x_range"] is not None
    page.keyboard.press("0")
    wait_ready(page)
    assert card(page, "train/loss").get_by_role("button", name="Reset zoom of train/loss").count() == 0


def test_log_axis_is_a_toggle_of_its_card(open_page):
    values = 10.0 ** -np.linspace(0, 4, 100)
    source = MemorySource().add_scalars("run", "a/loss", step=np.arange(100), value=values)
    source.add_scalars("run", "b/loss", step=np.arange(100), value=values)
    page = open_page(source, "#/?smoothing=0")
    toggle = page.get_by_role("button", name="Logarithmic y axis for a/loss")
    toggle.click()
    wait_ready(page)
    expect(toggle).to_have_attribute("aria-pressed", "true")
    assert {"0.001", "0.01", "0.1", "1"} <= set(tick_labels(page, "a/loss"))
    assert "0.001" not in tick_labels(page, "b/loss")
    address_has(page, "log=a/loss")


def test_a_diverging_run_flattens_nothing_and_is_told(open_page):
    step = np.arange(200)
    source = MemorySource().add_scalars("calm", "loss", step=step, value=np.exp(-step / 50))
    source.add_scalars("wild", "loss", step=[0, 1, 2, 3], value=[1.0, 2.0, 900.0, 3e13])
    page = open_page(source, "#/?smoothing=0")
    expect(chart(page, "loss").get_by_text("up to 3.00e13")).to_be_visible()
    page.get_by_role("checkbox", name="Cut outliers").uncheck()
    wait_ready(page)
    expect(chart(page, "loss").get_by_text("up to")).to_have_count(0)
    assert "30T" in tick_labels(page, "loss")
    address_has(page, "outliers=shown")


def test_gaps_and_single_points_are_told_and_drawn(open_page):
    source = MemorySource().add_scalars(
        "gap", "loss", step=range(60), value=[1.0] * 20 + [np.nan] * 20 + [1.0] * 20
    )
    source.add_scalars("gap", "once", step=[5], value=[2.0])
    page = open_page(source, "#/?smoothing=0")
    expect(card(page, "loss").get_by_text("NaN @ 20")).to_be_visible()
    # Above the x axis, on which the NaN have marks.
    columns = read_pixels(page, "loss")[:-30, :, 3].any(axis=0)
    inked = np.flatnonzero(columns)
    # One line with a hole in its middle third.
    assert 0.2 < 1 - columns[inked[0] : inked[-1] + 1].mean() < 0.5
    assert 8 <= (read_pixels(page, "once")[..., 3] > 0).sum() <= 60


def test_tags_are_filtered_and_sections_shut(open_page):
    page = open_page(three_runs())
    field = page.get_by_role("textbox", name="Filter tags (regex)")
    field.fill("acc")
    expect(page.get_by_role("article")).to_have_count(1)
    field.fill("acc(")
    expect(page.get_by_role("alert")).to_contain_text("unterminated group")
    field.fill("nothing like it")
    page.get_by_role("button", name="Clear the filter").click()
    expect(page.get_by_role("article")).to_have_count(3)
    heading = page.get_by_role("button", name="train 2")
    heading.click()
    expect(heading).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("article")).to_have_count(1)
    wait_ready(page)
    address_has(page, "shut=train")


def test_only_cards_in_sight_are_asked_for_and_have_a_canvas(open_page, asked):
    source = MemorySource()
    for index in range(300):
        source.add_scalars("run", f"tag{index:03}", step=[0, 1], value=[0.0, 1.0])
    page = open_page(source)
    first = len(asked)
    assert 0 < first <= 15
    assert page.locator("canvas").count() == first
    assert page.get_by_role("article").count() < 30
    card(page, "tag000").hover()
    page.mouse.wheel(0, 12_000)
    wait_ready(page)
    expect(card(page, "tag000")).to_have_count(0)
    new = {body["tags"][0] for body in asked[first:]}
    assert new
    assert not new & {body["tags"][0] for body in asked[:first]}
    assert page.locator("canvas").count() <= 15


def test_one_failing_card_leaves_the_others_and_can_be_tried_again(page, serve, problems):
    def fail(route):
        if route.request.post_data_json["tags"] == ["train/loss"]:
            error = {"code": "internal", "message": "The reduction failed.", "where": None}
            route.fulfill(status=500, content_type="application/json", body=json.dumps({"error": error}))
        else:
            route.continue_()

    page.route("**/api/scalars/lines", fail)
    page.goto(serve(three_runs()).url)
    wait_ready(page)
    broken = card(page, "train/loss")
    expect(broken.get_by_role("alert")).to_contain_text("The reduction failed.")
    expect(card(page, "val/loss")).to_have_attribute("data-ready", "true")
    page.unroute("**/api/scalars/lines")
    broken.get_by_role("button", name="Try again").click()
    expect(broken).to_have_attribute("data-ready", "true")
    assert all("500" in problem for problem in problems)
    problems.clear()
