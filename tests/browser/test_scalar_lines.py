"""What scalar cards draw in a browser: smoothing, axes, zoom, gaps, attempts and groups of runs."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Page, expect
from tests.support.page import (
    address_has,
    card,
    chart,
    go,
    is_drawn,
    read_pixels,
    reload,
    run_color,
    tick_labels,
    wait_ready,
)
from tests.support.scalar_cards import chart_settings, choose, three_runs

from runglass.query.memory import MemorySource


def long_run() -> MemorySource:
    """More points than a card has room for."""
    return MemorySource().add_scalars("long", "loss", step=np.arange(20_000), value=np.arange(20_000) % 7)


def test_smoothing_asks_the_server_and_has_kinds_with_their_own_units(open_page, asked):
    # Kinds have their own units
    page = open_page(long_run())
    for name, kind, unit in (
        ("Gaussian", "gaussian", "points"),
        ("Time-weighted", "time_ema", "steps"),
        ("Running median", "median", "points"),
    ):
        page.get_by_role("button", name="Smoothing kind").click()
        page.get_by_role("menuitemcheckbox", name=name).click()
        wait_ready(page)
        assert asked[-1]["smoothing"]["kind"] == kind
        expect(page.get_by_role("slider", name="Smoothing")).to_have_attribute(
            "aria-valuetext", re.compile(unit)
        )
    address_has(page, "smoothing=median,9")
    page.get_by_role("button", name="Smoothing kind").click()
    page.get_by_role("menuitemcheckbox", name="None").click()
    wait_ready(page)
    assert asked[-1]["smoothing"]["kind"] == "none"

    # It stays in the address
    go(page, "#/scalars?smoothing=0.6")
    page.get_by_role("slider", name="Smoothing").fill("0.9")
    wait_ready(page)
    assert asked[-1]["smoothing"] == {"kind": "ema", "amount": 0.9}
    assert asked[-1]["raw"] is True
    address_has(page, "smoothing=0.9")
    reload(page)
    expect(page.get_by_role("slider", name="Smoothing")).to_have_value("0.9")
    page.get_by_role("spinbutton", name="Smoothing, exact").fill("0")
    page.get_by_role("spinbutton", name="Smoothing, exact").press("Enter")
    wait_ready(page)
    assert asked[-1]["smoothing"] == {"kind": "none", "amount": 0}


def test_raw_line_is_faint_behind_the_smoothed_one(open_page):
    rising = np.arange(400) / 100 + np.where(np.arange(400) % 2 == 0, 0.0, 1.0)
    page = open_page(
        MemorySource().add_scalars("noisy", "loss", step=np.arange(400), value=rising),
        "#/scalars?smoothing=0.99",
    )
    opacity = read_pixels(page, "loss")[..., 3]
    behind = ((opacity > 0) & (opacity < 100)).sum()
    assert behind > 1_000
    chart_settings(page).get_by_role("checkbox", name="Show unsmoothed lines").uncheck()
    wait_ready(page)
    opacity = read_pixels(page, "loss")[..., 3]
    # What is left is the edge of the smoothed line.
    assert ((opacity > 0) & (opacity < 100)).sum() < behind / 10


def test_raw_lines_are_left_out_of_a_crowd_and_it_is_said(open_page, asked):
    source = MemorySource()
    for index in range(60):
        source.add_scalars(f"run{index}", "loss", step=[0, 1], value=[0.0, index])
    page = open_page(source)
    assert asked[0]["raw"] is False
    expect(page.get_by_text("no raw lines")).to_have_attribute("title", re.compile("more than 30 runs"))


def drag_across(page: Page, tag: str, start: float, end: float) -> None:
    box = chart(page, tag).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * start, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * end, box["y"] + 60, steps=4)
    page.mouse.up()


def test_drag_zooms_into_finer_data_and_double_click_goes_back(open_page, asked):
    step = np.arange(50_000)
    page = open_page(MemorySource().add_scalars("long", "loss", step=step, value=np.sin(step / 500.0)))
    whole = tick_labels(page, "loss")
    drag_across(page, "loss", 0.5, 0.6)
    wait_ready(page)
    low, high = asked[-1]["x_range"]
    # With a margin, so that panning has something to show.
    assert 15_000 < low < 25_000 < 30_000 < high < 40_000
    assert tick_labels(page, "loss") != whole
    address_has(page, "card=loss;x:")
    reload(page)
    assert asked[-1]["x_range"] == [low, high]
    chart(page, "loss").dblclick()
    wait_ready(page)
    assert asked[-1]["x_range"] is None
    assert tick_labels(page, "loss") == whole


def test_zoom_asks_nothing_where_every_point_is_here(open_page, asked):
    page = open_page(three_runs(points=50))
    asked.clear()
    drag_across(page, "train/loss", 0.5, 0.8)
    wait_ready(page)
    address_has(page, "card=train/loss;x:")
    assert asked == []


def test_axis_scales_are_a_card_s_own_or_the_page_s(open_page):
    values = 10.0 ** -np.linspace(0, 4, 100)
    source = MemorySource().add_scalars("run", "a/loss", step=np.arange(100), value=values)
    source.add_scalars("run", "b/loss", step=np.arange(100), value=values)
    page = open_page(source, "#/scalars?smoothing=0")
    choose(page, "a/loss", "Y axis logarithmic")
    wait_ready(page)
    assert {"0.001", "0.01", "0.1", "1"} <= set(tick_labels(page, "a/loss"))
    assert "0.001" not in tick_labels(page, "b/loss")
    address_has(page, "card=a/loss;yScale:log")
    chart_settings(page).get_by_role("radiogroup", name="Y scale").get_by_text("Log", exact=True).click()
    wait_ready(page)
    assert "0.001" in tick_labels(page, "b/loss")
    address_has(page, "yscale=log")


def test_a_diverging_run_flattens_nothing_and_is_told(open_page):
    step = np.arange(200)
    source = MemorySource().add_scalars("calm", "loss", step=step, value=np.exp(-step / 50))
    source.add_scalars("wild", "loss", step=[0, 1, 2, 3], value=[1.0, 2.0, 900.0, 3e13])
    page = open_page(source, "#/scalars?smoothing=0")
    expect(chart(page, "loss").get_by_text("up to 3.00e13")).to_be_visible()
    chart_settings(page).get_by_role("checkbox", name="Ignore outliers").uncheck()
    wait_ready(page)
    expect(chart(page, "loss").get_by_text("up to")).to_have_count(0)
    assert "30T" in tick_labels(page, "loss")
    address_has(page, "cut=0")


def test_gaps_and_single_points_are_told_and_drawn(open_page):
    source = MemorySource().add_scalars(
        "gap", "loss", step=range(60), value=[1.0] * 20 + [np.nan] * 20 + [1.0] * 20
    )
    source.add_scalars("gap", "once", step=[5], value=[2.0])
    page = open_page(source, "#/scalars?smoothing=0")
    expect(card(page, "loss").get_by_text("NaN @ 20")).to_be_visible()
    # One line with a hole in its middle third; what is not a number has marks on the axis.
    columns = read_pixels(page, "loss")[:-40, :, 3].any(axis=0)
    inked = np.flatnonzero(columns)
    assert 0.2 < 1 - columns[inked[0] : inked[-1] + 1].mean() < 0.5
    assert 8 <= (read_pixels(page, "once")[..., 3] > 0).sum() <= 80


def test_earlier_attempts_are_shown_on_request(open_page, asked):
    source = MemorySource().add_scalars("a", "loss", step=range(100), value=np.linspace(9, 5, 100))
    source.add_scalars("a", "loss", step=range(50, 150), value=np.linspace(2, 1, 100), restart=True)
    page = open_page(source, "#/scalars?smoothing=0")
    assert asked[-1]["earlier"] is False
    before = (read_pixels(page, "loss")[..., 3] > 0).sum()
    page.get_by_role("button", name="1 restart").click()
    wait_ready(page)
    assert asked[-1]["earlier"] is True
    assert (read_pixels(page, "loss")[..., 3] > 0).sum() > before
    address_has(page, "earlier=1")


def test_axes_and_runs_are_changed(open_page, asked):
    # Fewer runs are shown without asking again
    source = three_runs()
    for run in ("low", "middle", "high/one"):
        source.add_scalars(run, "epoch", step=np.arange(200) * 10, value=np.arange(200) / 20)
    page = open_page(source)
    color = run_color(page, "low")
    assert is_drawn(page, "train/loss", color)
    asked.clear()
    page.get_by_role("checkbox", name="low", exact=True).uncheck()
    wait_ready(page)
    assert not is_drawn(page, "train/loss", color)
    assert asked == []
    page.get_by_role("checkbox", name="low", exact=True).check()
    wait_ready(page)
    assert is_drawn(page, "train/loss", color)
    assert asked == []

    # A line that is whole is smoothed without asking
    go(page, "#/scalars?smoothing=0")
    before = len(asked)
    unsmoothed = read_pixels(page, "train/loss")
    page.get_by_role("slider", name="Smoothing").fill("0.9")
    wait_ready(page)
    assert not np.array_equal(read_pixels(page, "train/loss"), unsmoothed)
    assert len(asked) == before

    # Any scalar can be x
    go(page, "#/scalars?smoothing=0.6")
    page.get_by_role("button", name="Use a scalar as x axis").click()
    page.get_by_role("combobox", name="Scalar for the x axis").fill("epo")
    page.keyboard.press("Enter")
    wait_ready(page)
    assert asked[-1]["x"] == "epoch"
    address_has(page, "x=epoch")
    assert {"2", "4", "6", "8"} <= set(tick_labels(page, "train/loss"))

    # The x axis is changed by name
    for axis, name in (("relative", "Relative"), ("wall", "Wall")):
        go(page, "#/scalars?smoothing=0.6")
        before = tick_labels(page, "train/loss")
        page.get_by_role("radio", name=name, exact=True).check(force=True)
        wait_ready(page)
        assert asked[-1]["x"] == axis
        assert tick_labels(page, "train/loss") != before
        address_has(page, f"x={axis}")

    # Zoom is linked on request
    go(page, "#/scalars?smoothing=0.6")
    chart_settings(page).get_by_role("checkbox", name="Link zoom across cards").check()
    page.keyboard.press("Escape")
    before = tick_labels(page, "val/loss")
    drag_across(page, "train/loss", 0.5, 0.8)
    wait_ready(page)
    assert tick_labels(page, "val/loss") == tick_labels(page, "train/loss") != before
    address_has(page, "link=1&zoom=")
    card(page, "val/loss").get_by_role("button", name="Reset zoom of val/loss").click()
    wait_ready(page)
    assert tick_labels(page, "train/loss") == before

    # Limits are typed and put in order
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "train/loss", "Axis limits…")
    dialog = page.get_by_role("dialog", name="Axis limits of train/loss")
    dialog.get_by_role("textbox", name="Y axis from").fill("10")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_contain_text("both limits")
    dialog.get_by_role("textbox", name="Y axis to").fill("-10")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog).to_have_count(0)
    wait_ready(page)
    address_has(page, "card=train/loss;y:-10,10")
    assert {"−10", "-10"} & set(tick_labels(page, "train/loss"))


def test_runs_are_grouped_with_a_band(open_page, asked):
    source = MemorySource()
    for group, height in (("a", 1.0), ("b", 5.0)):
        for seed in range(3):
            source.add_scalars(
                f"{group}/seed{seed}", "loss", step=range(100), value=np.full(100, height + seed / 10)
            )
    page = open_page(source, "#/scalars?smoothing=0")
    page.get_by_role("radio", name="Mean ± band").check(force=True)
    wait_ready(page)
    assert [group["runs"] for group in asked[-1]["groups"]] == [
        [f"{group}/seed{seed}" for seed in range(3)] for group in "ab"
    ]
    legend = card(page, "loss").get_by_role("list", name="Legend")
    expect(legend.get_by_role("listitem")).to_have_count(2)
    expect(legend).to_contain_text("n=3")
    address_has(page, "group=config")
    page.get_by_role("button", name="Groups and bands").click()
    page.get_by_role("combobox", name="Group by").select_option("Directory, level 1")
    page.get_by_role("combobox", name="Band").select_option("95 % bootstrap interval")
    page.get_by_role("combobox", name="Line").select_option("Median")
    wait_ready(page)
    assert (asked[-1]["spread"], asked[-1]["center"]) == ("bootstrap", "median")
    assert [group["name"] for group in asked[-1]["groups"]] == ["a", "b"]
    address_has(page, "group=directory:1")
