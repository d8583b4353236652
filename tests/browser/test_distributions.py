"""The distributions dashboard in a browser: percentiles of histograms of every framework, read, chosen, zoomed, and bad ones said."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect
from tests.support.golden_logs import open_golden
from tests.support.page import address_has, card, chart, go, is_drawn, reload, tick_labels, wait_ready

from runglass.query.buckets import percentiles, tidy
from runglass.query.memory import MemorySource
from runglass.store.model import Kind, SeriesKey

USUAL = np.array([0, 6.68, 15.87, 30.85, 50, 69.15, 84.13, 93.32, 100])


FRAMEWORKS = (
    ("tf_summary_all/train", "weights/normal"),
    ("keras_callback_all/all_options/train", "conv/kernel/histogram"),
    ("torch_writer_all/all", "hist/auto"),
    ("tensorboardX_writer_all/all", "hist/auto"),
)


def test_shows_histograms_of_every_framework(open_page):
    source = open_golden(*(run.split("/")[0] for run, _ in FRAMEWORKS))
    assert set(FRAMEWORKS) <= {info.key for info in source.list_series(kind=Kind.HISTOGRAM)}
    page = open_page(source, "#/distributions")
    for run, tag in FRAMEWORKS:
        page.evaluate("(hash) => void (location.hash = hash)", f"#/distributions?tags=^{tag}$&filter=^{run}$")
        expect(page.get_by_role("article")).to_have_count(1)
        wait_ready(page)
        expect(card(page, f"{tag}, {run}")).to_have_attribute("data-ready", "true")
        assert is_drawn(page, tag, run_color_of(page, f"{tag}, {run}"))
        # The last histogram, as read at the right edge.
        values = source.read_values(SeriesKey(run, tag), kind=Kind.HISTOGRAM)
        rows = read_tip(page, tag, part=0.999)
        assert rows.pop("step") == f"{values.step.max():,}"
        at = int(np.flatnonzero(values.step == values.step.max())[-1])
        wanted = percentiles(tidy(source.load_value(values, at)).buckets, USUAL)
        assert [
            float(text.replace("−", "-").replace(",", "")) for text in reversed(rows.values())
        ] == pytest.approx(wanted, rel=2e-3, abs=1e-4)
        # The next card is not to be pointed at before its tooltip is looked for.
        page.mouse.move(0, 0)
        expect(page.get_by_role("tooltip")).to_have_count(0)


def run_color_of(page: Page, name: str) -> str:
    """The colour of the mark beside the run's name in a card."""
    painted = card(page, name).locator(".mark").evaluate("(mark) => getComputedStyle(mark).backgroundColor")
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", painted)[:3])


def read_tip(page: Page, tag: str, *, part: float) -> dict[str, str]:
    """What stands beside the pointer when it is so far to the right in the chart's plot: the step, and by name the values."""
    box = chart(page, tag).bounding_box()
    assert box
    left, right = box["x"] + 60, box["x"] + box["width"] - 16
    page.mouse.move(left + (right - left) * part, box["y"] + box["height"] / 2)
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    step = re.search(r"step (\S+)", tip.inner_text())
    assert step
    names, values = tip.get_by_role("rowheader").all_inner_texts(), tip.get_by_role("cell").all_inner_texts()
    return {"step": step[1], **dict(zip(names, values, strict=True))}


def flat(low: float, high: float) -> NDArray[np.float64]:
    return np.array([[low, high, 10.0]])


def two_runs() -> MemorySource:
    source = MemorySource()
    for run, height in (("a", 1.0), ("b", 100.0)):
        step = np.arange(0, 1000, 10)
        source.add_values(
            run,
            "weights",
            Kind.HISTOGRAM,
            step=step,
            values=[flat(0, height * (1 + at / 1000)) for at in step],
        )
    return source


def test_percentiles_overlay_cursor_scales_and_files(open_page):
    # Percentiles are chosen
    page = open_page(two_runs(), "#/distributions?filter=^a$")
    rows = read_tip(page, "weights", part=0.0)
    assert list(rows)[1:] == [
        "largest", "93.32 %", "84.13 %", "69.15 %", "median", "30.85 %", "15.87 %", "6.68 %", "smallest",
    ]  # fmt: skip
    high = 1 + int(rows["step"]) / 1000
    assert (rows["largest"], rows["median"], rows["smallest"]) == (f"{high:.4f}", f"{high / 2:.4f}", "0.0000")
    page.get_by_role("button", name="Percentiles").click()
    field = page.get_by_role("textbox", name="Percentiles, 0 to 100")
    field.fill("10 x")
    expect(page.get_by_role("alert")).to_contain_text("“x” is not a number from 0 to 100")
    expect(page.get_by_role("button", name="Apply percentiles")).to_be_disabled()
    field.fill("90, 10")
    field.press("Enter")
    address_has(page, "distributions.percentiles;")
    wait_ready(page)
    rows = read_tip(page, "weights", part=0.0)
    assert list(rows)[1:] == ["90 %", "10 %"]
    assert float(rows["90 %"]) == pytest.approx(0.9 * high, abs=1e-3)
    reload(page)
    assert list(read_tip(page, "weights", part=0.0))[1:] == ["90 %", "10 %"]

    # A click moves the cursor of all
    go(page, "#/distributions?smoothing=0.6")
    box = chart(page, "weights").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    address_has(page, "cursor=")
    found = re.search(r"cursor=(\d+)", page.url)
    assert found
    assert 0 < int(found[1]) < 990
    assert int(found[1]) % 10 == 0
    expect(page.get_by_role("slider", name="Step of all cards")).to_have_attribute(
        "aria-valuetext", f"step {int(found[1]):,}"
    )

    # Runs are overlaid in one card
    go(page, "#/distributions?smoothing=0.6")
    page.get_by_role("button", name="Overlay runs, one card per tag").click()
    address_has(page, "distributions.overlay;1")
    wait_ready(page)
    expect(page.get_by_role("article")).to_have_count(1)
    box = chart(page, "weights").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 17, box["y"] + box["height"] / 2)
    rows = page.get_by_role("tooltip").get_by_role("row")
    expect(rows).to_have_text(
        [
            re.compile(r"step 990\s*median\s*15.87 %\s*84.13 %"),
            re.compile(r"b\s*99.5000"),
            re.compile(r"a\s*0.9950"),
        ]
    )
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    address_has(page, "cursor=")
    reload(page)
    expect(page.get_by_role("article")).to_have_count(1)

    # Axes and scales
    go(page, "#/distributions?filter=^b$")
    assert "50" in tick_labels(page, "weights")
    page.get_by_role("radio", name="Symlog").check(force=True)
    address_has(page, "distributions.scale;symlog")
    expect(chart(page, "weights").locator("svg text").filter(has_text=re.compile("^10$"))).to_be_visible()
    page.get_by_role("radio", name="Relative").check(force=True)
    wait_ready(page)
    assert any("m" in label or "s" in label for label in tick_labels(page, "weights"))

    # Every step is saved
    go(page, "#/distributions?filter=^a$")
    card(page, "weights, a").get_by_role("button", name="More for weights").click()
    with page.expect_download() as saving:
        page.get_by_role("menuitem", name="Download CSV").click()
    rows = list(csv.reader(saving.value.path().read_text().splitlines()))
    assert (rows[0][:3], len(rows)) == (["wall_time", "step", "p0"], 101)
    assert float(rows[1][-1]) == 1.0


def test_says_where_the_cursor_and_the_selected_range_have_nothing(open_page):
    page = open_page(two_runs(), "#/distributions?filter=^a$&cursor=333")
    expect(card(page, "weights, a")).to_contain_text("nearest 330")
    go(page, "#/distributions?filter=^a$&cursor=330")
    expect(card(page, "weights, a")).not_to_contain_text("nearest")
    go(page, "#/distributions?filter=^a$&select=range&linked=1&at=2000,3000")
    expect(card(page, "weights, a")).to_contain_text("Nothing in the selected range")
    expect(card(page, "weights, a")).to_contain_text("Logged from 0 to 990.")


def test_zoom_is_kept_and_reaches_every_step(open_page):
    source = MemorySource()
    steps = np.arange(6000)
    source.add_values("run", "long", Kind.HISTOGRAM, step=steps, values=[flat(0, 1 + at % 7) for at in steps])
    page = open_page(
        source, "#/distributions?option=distributions.zoom.@histogram\\;run\\;long;step;3000,3010;"
    )
    wait_ready(page)
    # Of 6,000 in the width of a card not every one is drawn, but here they are.
    steps_seen = {read_tip(page, "long", part=part)["step"] for part in np.linspace(0.05, 0.95, 19)}
    assert {"3,002", "3,003", "3,004", "3,005", "3,006", "3,007"} <= steps_seen
    card(page, "long, run").get_by_role("button", name="Reset zoom of long").click()
    expect(page).not_to_have_url(re.compile("distributions.zoom"))
    wait_ready(page)
    assert "4000" in [label.replace(",", "") for label in tick_labels(page, "long")]


def test_bad_histograms_are_said_and_harm_no_other(open_page):
    good = np.array([[0.0, 1.0, 4.0], [1.0, 2.0, 4.0]])
    source = MemorySource()
    odd = [good, good[::-1], np.array([[0.0, 1.0, -4.0]]), np.array([[np.nan, np.nan, 3.0], [0, 1, 1]]), good]
    source.add_values("run", "odd", Kind.HISTOGRAM, step=range(len(odd)), values=odd)
    source.add_values("run", "none", Kind.HISTOGRAM, step=[0], values=[np.zeros((0, 3))])
    source.add_values("run", "shape", Kind.HISTOGRAM, step=[0], values=[np.zeros((2, 7))])
    source.add_values("run", "one", Kind.HISTOGRAM, step=[3], values=[good])
    page = open_page(source, "#/distributions")
    expect(card(page, "odd, run").get_by_text("odd histograms")).to_have_attribute(
        "title",
        re.compile("Step 1: The buckets were not sorted.*Step 2: 1 bucket has a negative count", re.DOTALL),
    )
    expect(card(page, "none, run")).to_contain_text("These histograms are empty")
    expect(card(page, "shape, run")).to_contain_text("with shape (2, 7), expected (buckets, 3)")
    assert read_tip(page, "odd", part=0.0)["largest"] == "2.0000"
    assert read_tip(page, "one", part=0.5)["median"] == "1.0000"
