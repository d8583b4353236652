"""The histograms dashboard: real logs, the three ways to draw them, runs compared, the ranking, and buckets that make no sense."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, Request, expect
from tests.support.golden_logs import open_golden
from tests.support.page import address_has, card, go, wait_ready

from runglass.errors import ValueDamaged
from runglass.query.memory import MemorySource
from runglass.store.model import Kind

VIEW = "#/histograms"


def counted(values: NDArray[np.float64], buckets: int = 20) -> NDArray[np.float64]:
    counts, edges = np.histogram(values, buckets)
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


def two_runs(steps: int = 30) -> MemorySource:
    """A tag that drifts away in one run and a tag that stays in both."""
    source = MemorySource(locations=["logs/two"])
    bell = np.random.default_rng(5).normal(size=2_000)
    for run, drift in (("calm", 0.0), ("drifting", 0.2)):
        moved = [counted(bell + drift * step) for step in range(steps)]
        source.add_values(run, "layer/kernel", Kind.HISTOGRAM, step=np.arange(steps) * 10, values=moved)
        still = [counted(np.linspace(-1, 1, 500))] * steps
        source.add_values(run, "layer/bias", Kind.HISTOGRAM, step=np.arange(steps) * 10, values=still)
    return source


def chart_of(page: Page, name: str) -> Locator:
    return page.get_by_role("application", name=f"Histograms of {name}", exact=True)


def inked(chart: Locator) -> float:
    """The part of the canvas that has been painted."""
    return float(
        chart.locator("canvas").evaluate(
            """(canvas) => {
              const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
              copy.drawImage(canvas, 0, 0);
              const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
              let painted = 0;
              for (let i = 3; i < data.length; i += 4) painted += data[i] > 0 ? 1 : 0;
              return painted / (data.length / 4);
            }"""
        )
    )


@pytest.fixture
def questions(page: Page) -> list[dict[str, Any]]:
    bodies: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/histograms/series"):
            bodies.append(request.post_data_json)

    page.on("request", note)
    return bodies


def test_real_logs_are_drawn(open_page: Callable[..., Page], page: Page) -> None:
    shown = {
        "tf_summary_all": "weights/normal, train",
        "keras_callback_all": "conv/kernel/histogram, all_options/train",
        "torch_writer_all": "hist/tensorflow, all",
        "tensorboardX_writer_all": "hist/auto, all",
        "tf_v1_legacy": "layer1/activations, test",
    }
    page.set_viewport_size({"width": 1440, "height": 1500})
    tags = "|".join(name.split(", ")[0] for name in shown.values())
    open_page(open_golden(*shown), f"{VIEW}?tags=^({tags})$")
    for case, name in shown.items():
        tag, run = name.split(", ")
        own = f"{tag}, {case}/{run}"
        card(page, own).scroll_into_view_if_needed()
        expect(card(page, own)).to_have_attribute("data-ready", "true")
        assert inked(chart_of(page, own)) > 0.02, own
        expect(chart_of(page, own).locator("svg text").first).to_be_visible()


def test_charts_are_read_zoomed_compared_ranked_and_drawn_in_every_mode(
    open_page: Callable[..., Page], questions: list[dict[str, Any]]
) -> None:
    # Modes, bins and scales
    page = open_page(two_runs(), f"{VIEW}?tags=kernel")
    assert questions[-1]["bins"] == 50
    chart = chart_of(page, "layer/kernel, drifting")
    for mode in ("Overlay", "Heat map", "Offset"):
        page.get_by_role("radio", name=mode).check(force=True)
        wait_ready(page)
        assert inked(chart) > 0.02
    page.get_by_role("button", name="Bins and axes").click()
    page.get_by_role("spinbutton", name="Bins, exact").fill("12")
    page.get_by_role("spinbutton", name="Bins, exact").press("Enter")
    address_has(page, "histograms.bins;12")
    wait_ready(page)
    assert questions[-1]["bins"] == 12
    page.get_by_role("combobox", name="Values").select_option("symlog")
    wait_ready(page)
    assert questions[-1]["x_scale"] == "symlog"
    page.get_by_role("button", name="Show buckets as stored").click()
    wait_ready(page)
    assert questions[-1]["bins"] is None
    chart.press("End")
    # A stored count is a whole number, whatever else is set.
    expect(page.get_by_role("tooltip").get_by_role("row", name=re.compile(r"count [\d,]+$"))).to_be_visible()
    chart.press("Escape")

    # Pointing reads a bucket and a click moves the cursor
    go(page, f"{VIEW}?tags=kernel")
    chart = chart_of(page, "layer/kernel, calm")
    box = chart.bounding_box()
    assert box is not None
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] - 40})
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text(re.compile(r"step 290"))
    expect(tip).to_contain_text(re.compile(r"\[.+, .+\)"))
    for name in ("count", "share", "percentile"):
        expect(tip).to_contain_text(name)
    expect(tip).to_contain_text("2,000")
    chart.click(position={"x": box["width"] / 2, "y": box["height"] - 40})
    address_has(page, "cursor=290")
    expect(chart.locator("path.cursor")).to_have_count(1)
    # The same by keys: to the oldest, and there.
    chart.press("Home")
    expect(tip).to_contain_text("step 0")
    chart.press("Enter")
    address_has(page, "cursor=0")
    chart.press("Escape")
    expect(tip).to_have_count(0)

    # Dragging zooms into the values
    go(page, f"{VIEW}?tags=kernel")
    chart = chart_of(page, "layer/kernel, calm")
    box = chart.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.4, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=4)
    page.mouse.up()
    wait_ready(page)
    low, high = questions[-1]["x_range"]
    assert -2 < low < high < 2
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] - 40})
    expect(page.get_by_role("tooltip")).to_contain_text("not on this axis")
    page.get_by_role("button", name="Reset zoom of layer/kernel").click()
    wait_ready(page)
    assert questions[-1]["x_range"] is None

    # Runs are compared at the cursor
    go(page, f"{VIEW}?tags=kernel")
    page.get_by_role("button", name="Compare runs at the cursor").click()
    address_has(page, "histograms.compare;1")
    wait_ready(page)
    both = card(page, "layer/kernel")
    expect(both).to_have_attribute("data-ready", "true")
    chart = chart_of(page, "layer/kernel")
    box = chart.bounding_box()
    assert box is not None
    chart.hover(position={"x": box["width"] * 0.3, "y": box["height"] / 2})
    tip = page.get_by_role("tooltip")
    expect(tip.get_by_role("row")).to_have_count(3)
    expect(tip).to_contain_text("drifting")

    # The ranking leads to what moved
    go(page, f"{VIEW}?smoothing=0.6")
    page.get_by_role("button", name="Rank tags by change").click()
    table = page.get_by_role("table", name="Histograms by change")
    first = table.get_by_role("row").nth(1)
    expect(first).to_contain_text("layer/kernel")
    expect(first).to_contain_text("drifting")
    page.get_by_role("combobox", name="Changed since").select_option("run:calm")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("row").nth(1)).to_contain_text("layer/kernel")
    table.get_by_role("button", name="layer/kernel").click()
    expect(card(page, "layer/kernel, drifting")).to_be_in_viewport()
    # It has what the tag filter shows, and leaves the filter alone.
    go(page, f"{VIEW}?tags=bias&option=histograms.ranking;1")
    expect(table.get_by_role("button", name="layer/kernel")).to_have_count(0)
    table.get_by_role("button", name="layer/bias").first.click()
    expect(card(page, "layer/bias, calm")).to_be_in_viewport()
    expect(page.get_by_role("combobox", name="Filter tags (regex)")).to_have_value("bias")


def test_cards_ask_together_and_say_which_steps_they_draw(
    open_page: Callable[..., Page], questions: list[dict[str, Any]]
) -> None:
    page = open_page(two_runs(steps=200), VIEW)
    # The first alone, to be seen early; the others in as many requests as there were moments.
    assert sum(len(body["series"]) for body in questions) == 4
    assert len(questions) < 4
    expect(card(page, "layer/kernel, calm")).to_contain_text("51 of 200 steps")
    page.get_by_role("group", name="Cursor", exact=True).get_by_role("textbox").fill("1250")
    page.keyboard.press("Enter")
    # The step at the cursor is there, though an even choice would not have had it.
    expect(card(page, "layer/kernel, calm")).to_contain_text("52 of 200 steps")
    expect(chart_of(page, "layer/kernel, calm").locator("path.cursor")).to_have_count(1)


def test_says_that_the_selected_range_has_no_histograms(open_page: Callable[..., Page]) -> None:
    page = open_page(two_runs(), f"{VIEW}?tags=kernel&select=range&linked=1&at=2000,3000")
    shown = card(page, "layer/kernel, calm")
    expect(shown).to_contain_text("No histograms in the selected range")
    expect(shown).to_contain_text("0 of 30 steps")
    expect(shown).not_to_contain_text("step 290")
    go(page, f"{VIEW}?tags=kernel&select=range&linked=1&at=0,45")
    expect(shown).to_contain_text("5 of 30 steps")


@pytest.mark.parametrize("view", ["", "?option=histograms.mode;heat", "?option=histograms.bins;40"])
def test_cards_do_not_request_again_what_was_prefetched(
    open_page: Callable[..., Page], questions: list[dict[str, Any]], view: str
) -> None:
    open_page(two_runs(), f"#/histograms{view}")
    series = [(each["run"], each["tag"]) for question in questions for each in question["series"]]
    assert len(series) == len(set(series)) > 0


def test_downloads_hold_the_buckets_of_the_file(open_page: Callable[..., Page]) -> None:
    page = open_page(two_runs(steps=3), f"{VIEW}?tags=bias")
    card(page, "layer/bias, calm").get_by_role("button", name="More for layer/bias").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "step,wall_time,left,right,count"
    assert len(lines) == 1 + 3 * 20


def test_bad_histograms_are_drawn_as_far_as_they_go_and_said(open_page: Callable[..., Page]) -> None:
    source = MemorySource(locations=["logs/odd"])
    fine = np.array([[0.0, 1, 5], [1, 2, 8]])
    odd = [
        fine,
        np.array([[1.0, 2, 5], [0, 1, 5], [0.5, 1.5, 2]]),
        np.array([[0.0, 1, -3], [nan, 1, 4], [1, 2, 6]]),
        np.array([[0.0, 1, 5], [nan, nan, 2], [-inf, -inf, 1], [inf, inf, 4]]),
        np.array([[1.5, 1.5, 7]]),
        np.zeros(4),
        ValueDamaged("Torn in two."),
    ]
    source.add_values("a", "odd", Kind.HISTOGRAM, step=range(7), values=odd)
    source.add_values("a", "empty", Kind.HISTOGRAM, step=[0], values=[np.zeros((30, 3))])
    source.add_values("a", "nan", Kind.HISTOGRAM, step=[0], values=[np.array([[nan, nan, 9.0]])])
    source.add_values(
        "a", "huge", Kind.HISTOGRAM, step=[0, 1], values=[np.array([[-1.7e308, 1.7e308, 9.0]])] * 2
    )
    source.add_values("a", "point", Kind.HISTOGRAM, step=[0, 1], values=[np.array([[3.0, 3.0, 9.0]])] * 2)
    page = open_page(source, VIEW)
    broken = card(page, "odd, a")
    expect(broken).to_contain_text("4 odd steps")
    expect(broken.get_by_text("4 odd steps")).to_have_attribute(
        "title", re.compile(r"overlap(.|\n)*negative count(.|\n)*Torn in two")
    )
    expect(broken.get_by_text("NaN ∞")).to_have_attribute("title", re.compile("6 NaN, 4 ∞, 1 −∞"))
    assert inked(chart_of(page, "odd, a")) > 0.01
    expect(card(page, "empty, a")).to_contain_text("All buckets are empty")
    expect(card(page, "nan, a")).to_contain_text("9 NaN")
    for mode in ("Overlay", "Heat map", "Offset"):
        page.get_by_role("radio", name=mode).check(force=True)
        wait_ready(page)
        for tag in ("huge", "point"):
            assert inked(chart_of(page, f"{tag}, a")) > 0.001
    page.get_by_role("button", name="Bins and axes").click()
    page.get_by_role("button", name="Show buckets as stored").click()
    wait_ready(page)
    assert inked(chart_of(page, "odd, a")) > 0.01


def test_a_log_axis_says_what_has_no_place(open_page: Callable[..., Page]) -> None:
    below, both = [-2.0, -1.0, 6.0], [1.0, 2.0, 2.0]
    source = MemorySource(locations=["logs/signs"])
    for tag, buckets in (("below", [below]), ("both", [below, both])):
        source.add_values("a", tag, Kind.HISTOGRAM, step=[0, 1], values=[np.array(buckets)] * 2)
    page = open_page(source, "#/histograms?option=histograms.x;log")
    expect(card(page, "below, a")).to_contain_text("All values are zero or below")
    expect(card(page, "both, a")).to_contain_text("75 % ≤ 0")
    assert inked(chart_of(page, "both, a")) > 0.01
    # The same for runs beside each other.
    page.get_by_role("button", name="Compare runs").click()
    expect(card(page, "below")).to_contain_text("No value at the cursor is within this axis.")
    expect(card(page, "both")).to_contain_text("75 % ≤ 0")
