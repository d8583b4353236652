"""Custom scalars in a browser: charts of logged layouts, trouble said on the card, and layouts made, changed and taken along."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect
from tests.support.page import address_has, card, chart, go, is_drawn, reload, run_color, wait_ready

import runglass
from runglass.query.memory import MemorySource
from runglass.store.model import Kind

GOLDEN = Path(__file__).parents[1] / "golden/logs"
TAG = "custom_scalars__config__"


def two_runs(*charts: dict[str, Any], closed: bool = False) -> MemorySource:
    """Level lines: smoothing leaves them alone and their pixels have their run's colour exactly."""
    source = MemorySource(locations=["logs/custom"])
    step = np.arange(50)
    for run, height in (("low", 1.0), ("high", 2.0)):
        for tag, offset in (
            ("loss/train", 0.0),
            ("loss/val", 0.3),
            ("mean", 0.0),
            ("least", -0.2),
            ("most", 0.2),
        ):
            source.add_scalars(run, tag, step=step, value=np.full(50, height + offset))
    if charts:
        layout = {"category": [{"title": "Losses", "chart": list(charts), "closed": closed}]}
        source.add_values("low", TAG, Kind.CUSTOM_SCALARS, step=[0], values=[layout])
    return source


def multiline(title: str, *tags: str) -> dict[str, Any]:
    return {"title": title, "multiline": {"tag": list(tags)}}


def margin(title: str, value: str, lower: str, upper: str) -> dict[str, Any]:
    return {"title": title, "margin": {"series": [{"value": value, "lower": lower, "upper": upper}]}}


def open_layout_menu(page: Page, item: str) -> None:
    page.get_by_role("button", name="Layout", exact=True).click()
    page.get_by_role("menuitem", name=item).click()


def add_chart(page: Page, title: str, category: str, pattern: str) -> None:
    page.get_by_role("button", name="Add chart").first.click()
    form = page.get_by_role("dialog", name="Add chart")
    form.get_by_label("Title").fill(title)
    form.get_by_label("Category").fill(category)
    form.get_by_label("Pattern (regex").fill(pattern)
    expect(form.get_by_role("status")).to_contain_text("matches")
    form.get_by_role("button", name="Save chart").click()
    expect(form).to_have_count(0)


def test_shows_the_layouts_of_real_logs(open_page):
    page = open_page(runglass.open(GOLDEN / "tb_custom_scalar/logdir").source, "#/custom_scalars")
    for title in ("losses", "baz", "only in run b"):
        expect(card(page, title)).to_have_attribute("data-ready", "true")
        assert is_drawn(page, title, run_color(page, "b"))
    heading = page.get_by_role("button", name="trig functions 3")
    # The layout says that it is closed.
    expect(heading).to_have_attribute("aria-expanded", "false")
    heading.click()
    wait_ready(page)
    expect(card(page, "bad regex")).to_contain_text("“trig(” is not a regular expression: unterminated group")
    expect(card(page, "matches nothing")).to_contain_text("“nope.*” matches no tag.")
    address_has(page, "shut=")
    reload(page)
    expect(heading).to_have_attribute("aria-expanded", "true")


def test_shows_charts_of_torch_with_margins(open_page):
    page = open_page(runglass.open(GOLDEN / "torch_custom_scalars/logdir").source, "#/custom_scalars")
    assert is_drawn(page, "dow", run_color(page, "layout"))
    legend = card(page, "twse").get_by_role("list", name="Legend")
    expect(legend.get_by_role("listitem")).to_have_text(["twse/0050", "twse/2330"])
    # Two runs have logged a chart of the same name.
    expect(page.get_by_role("button", name="default 2")).to_be_visible()


def test_a_band_lies_between_the_bounds(open_page, asked):
    page = open_page(two_runs(margin("spread", "mean", "least", "most")), "#/custom_scalars")
    box = chart(page, "spread").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.get_by_role("tooltip")
    expect(tip.locator("tbody tr")).to_have_count(2)
    heads = tip.get_by_role("columnheader").all_inner_texts()[1:4]
    low = tip.locator("tbody tr", has_text="low").get_by_role("cell").all_inner_texts()[:3]
    assert dict(zip(heads, low, strict=True)) == {"value": "1", "lower": "0.8000", "upper": "1.2000"}
    # What was logged around a value is not smoothed away from it.
    assert [body["smoothing"]["kind"] for body in asked] == ["none"]
    assert sorted(asked[0]["tags"]) == ["least", "mean", "most"]


def test_a_chart_alone_takes_the_height_that_is_left(open_page):
    page = open_page(two_runs(margin("spread", "mean", "least", "most")), "#/custom_scalars")
    alone = page.get_by_role("article").bounding_box()
    assert alone
    assert alone["height"] > 400


def test_missing_tags_are_said(open_page):
    source = two_runs(margin("spread", "mean", "least", "absent"), margin("partly", "mean", "least", "only"))
    source.add_scalars("low", "only", step=[0, 1], value=[3.0, 3.0])
    page = open_page(source, "#/custom_scalars")
    hint = card(page, "spread").get_by_text("1 problem")
    expect(hint).to_have_attribute("title", "No run has “absent”.")
    hint = card(page, "partly").get_by_text("2 problems")
    expect(hint).to_have_attribute("title", re.compile("high has no only\\."))
    expect(hint).to_have_attribute("title", re.compile("only has 2 points"))


def test_a_pattern_that_takes_for_ever_does_not_hold_the_page(open_page):
    source = two_runs(multiline("evil", "(a+)+$"), multiline("fine", "loss"))
    source.add_scalars("low", "a" * 60 + "!", step=[0], value=[1.0])
    page = open_page(source, "#/custom_scalars")
    expect(card(page, "evil")).to_contain_text("takes too long")
    assert is_drawn(page, "fine", run_color(page, "high"))


def test_a_chart_is_made_changed_and_removed(open_page, asked):
    page = open_page(two_runs(), "#/custom_scalars")
    expect(page.get_by_text("No charts yet")).to_be_visible()
    add_chart(page, "mine", "My charts", "loss/.*")
    wait_ready(page)
    assert is_drawn(page, "mine", run_color(page, "low"))
    address_has(page, "option=custom_scalars.layout;")
    reload(page)
    card(page, "mine").get_by_role("button", name="More for mine").click()
    page.get_by_role("menuitem", name="Edit…").click()
    form = page.get_by_role("dialog", name="Edit chart")
    form.get_by_label("Title").fill("yours")
    form.get_by_text("Line with margin").click()
    for role, tag in (("Value", "mean"), ("Lower bound", "least"), ("Upper bound", "most")):
        form.get_by_role("combobox", name=role, exact=True).fill(tag)
        page.keyboard.press("Enter")
    form.get_by_role("button", name="Save chart").click()
    expect(card(page, "yours")).to_have_attribute("data-ready", "true")
    expect(card(page, "mine")).to_have_count(0)
    card(page, "yours").get_by_role("button", name="More for yours").click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(page.get_by_text("No charts yet")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(card(page, "yours")).to_be_visible()

    # Exact tags are picked and bad patterns refused
    go(page, "#/custom_scalars?smoothing=0.6")
    page.get_by_role("button", name="Add chart").first.click()
    form = page.get_by_role("dialog", name="Add chart")
    form.get_by_label("Title").fill("exact")
    form.get_by_label("Pattern (regex").fill("loss(")
    expect(form.get_by_role("status")).to_contain_text("is not a regular expression")
    expect(form.get_by_role("button", name="Save chart")).to_be_disabled()
    form.get_by_label("Pattern (regex").fill("")
    form.get_by_role("option", name="loss/train").click()
    form.get_by_role("button", name="Save chart").click()
    expect(card(page, "exact")).to_have_attribute("data-ready", "true")
    # The other chart has become narrower and may ask again.
    assert ["loss/train"] in [each["tags"] for each in asked]


def test_a_layout_goes_out_as_json_and_python_and_comes_back(open_page, tmp_path):
    page = open_page(
        two_runs(multiline("logged", "loss/.*"), margin("spread", "mean", "least", "most")),
        "#/custom_scalars",
    )
    with page.expect_download() as started:
        open_layout_menu(page, "Save as JSON")
    saved = json.loads(Path(started.value.path()).read_text())
    assert saved["category"][0]["chart"][0] == multiline("logged", "loss/.*")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_layout_menu(page, "Copy as Python")
    expect(page.get_by_text("Copied the Python code of this layout.")).to_be_visible()
    code = page.evaluate("navigator.clipboard.readText()")
    # What it says is what was saved.
    said: list[Any] = []
    call = code[code.index("writer.add_custom_scalars") : code.index("writer.close()")]
    exec(
        call,
        {"writer": type("Writer", (), {"add_custom_scalars": lambda self, layout: said.append(layout)})()},
    )
    assert said == [
        {"Losses": {"logged": ["Multiline", ["loss/.*"]], "spread": ["Margin", ["mean", "least", "most"]]}}
    ]
    saved["category"][0]["title"] = "Brought"
    file = tmp_path / "layout.json"
    file.write_text(json.dumps(saved))
    with page.expect_file_chooser() as chooser:
        open_layout_menu(page, "Add from JSON…")
    chooser.value.set_files(file)
    expect(page.get_by_role("button", name="Brought 2")).to_be_visible()
    file.write_text("[]")
    with page.expect_file_chooser() as chooser:
        open_layout_menu(page, "Add from JSON…")
    chooser.value.set_files(file)
    expect(page.get_by_text("This file is not a layout.")).to_be_visible()


def test_charts_of_a_layout_are_filtered_saved_pinned_and_followed(open_page, asked):
    # Axis, smoothing and filter are those of the page
    source = two_runs(multiline("both", "loss/.*"), multiline("other", "mean"))
    page = open_page(source, "#/custom_scalars")
    page.get_by_role("radio", name="Relative").check(force=True)
    wait_ready(page)
    assert asked[-1]["x"] == "relative"
    page.get_by_role("combobox", name="Filter tags (regex)").fill("val")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(card(page, "both")).to_be_visible()
    page.get_by_role("radio", name="Tag", exact=True).check(force=True)
    # Dashes say which run then.
    legend = card(page, "both").get_by_role("list", name="Legend")
    expect(legend.get_by_role("listitem")).to_have_text(["loss/train", "loss/val", "high", "low"])

    # One series is saved
    go(page, "#/custom_scalars?smoothing=0.6")
    card(page, "both").get_by_role("button", name="More for both").click()
    page.get_by_role("menuitem", name="Download one series as CSV…").click()
    with page.expect_download() as started:
        page.get_by_role("dialog").get_by_role("option", name="high · loss/val").click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert len(lines) == 51
    assert "2.3" in lines[1]

    # Categories are renamed and removed
    go(page, "#/custom_scalars?smoothing=0.6")
    add_chart(page, "mine", "First", "loss")
    open_layout_menu(page, "Edit categories and charts…")
    dialog = page.get_by_role("dialog", name="Charts made here")
    dialog.get_by_label("Title of category First").fill("Second")
    dialog.get_by_role("checkbox", name="Collapsed").check()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Second 1")).to_have_attribute("aria-expanded", "false")
    open_layout_menu(page, "Edit categories and charts…")
    dialog.get_by_role("button", name="Remove category Second").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Second 1")).to_have_count(0)
    expect(card(page, "other")).to_be_visible()

    # A layout that is logged later appears
    go(page, "#/custom_scalars?smoothing=0.6")
    layout = {"category": [{"title": "Late", "chart": [multiline("later", "mean")]}]}
    source.add_values("late", TAG, Kind.CUSTOM_SCALARS, step=[0], values=[layout])
    expect(card(page, "later")).to_have_attribute("data-ready", "true")
    source.add_scalars("high", "loss/new", step=[0, 1], value=[5.0, 5.0])
    legend = card(page, "both").get_by_role("list", name="Legend")
    expect(legend.get_by_role("listitem")).to_have_text(["loss/new", "loss/train", "loss/val"])

    # A pinned chart stands on the overview
    go(page, "#/custom_scalars?smoothing=0.6")
    card(page, "both").get_by_role("button", name="Pin both").click()
    page.get_by_role("link", name="Overview").click()
    wait_ready(page)
    expect(page.get_by_role("button", name="Pinned 1")).to_be_visible()
    assert is_drawn(page, "both", run_color(page, "high"))
    # A link may name a chart that no layout has.
    page.goto(page.url.replace("both", "absent"))
    reload(page)
    expect(card(page, "absent")).to_contain_text("This chart is no longer in any layout")
