"""The run list in a browser: choosing runs, one run, a thousand runs, and files in trouble."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from runglass.query.memory import MemorySource
from runglass.store.model import FileState

from .conftest import address_has, card, is_drawn, read_pixels, run_color, wait_ready


def runs(*names: str) -> MemorySource:
    source = MemorySource()
    for height, name in enumerate(names, start=1):
        source.add_scalars(name, "loss", step=range(50), value=np.full(50, float(height)))
    return source


def test_unticked_run_is_neither_drawn_nor_asked_for(open_page, asked):
    page = open_page(runs("a", "b", "c"))
    gone = run_color(page, "b")
    assert is_drawn(page, "loss", gone)
    page.get_by_role("checkbox", name="b", exact=True).uncheck()
    wait_ready(page)
    assert asked[-1]["runs"] == ["a", "c"]
    assert not is_drawn(page, "loss", gone)
    expect(page.get_by_text("2 of 3 shown")).to_be_visible()
    address_has(page, "hide=b")
    page.reload()
    wait_ready(page)
    expect(page.get_by_role("checkbox", name="b", exact=True)).not_to_be_checked()


def test_all_none_and_only_this(open_page, asked):
    page = open_page(runs("a", "b", "c"))
    page.get_by_role("button", name="Tick none of the listed runs").click()
    expect(page.get_by_text("No run is ticked")).to_be_visible()
    wait_ready(page)
    page.get_by_role("group", name="b", exact=True).hover()
    page.get_by_role("button", name="Show only b").click()
    wait_ready(page)
    assert asked[-1]["runs"] == ["b"]
    address_has(page, "run=b")
    page.get_by_role("button", name="Tick all listed runs").click()
    wait_ready(page)
    expect(page.get_by_text("3 of 3 shown")).to_be_visible()


def test_filter_hides_runs_from_list_and_charts(open_page, asked):
    page = open_page(runs("lr=0.1/train", "lr=0.1/val", "lr=0.2/train"))
    field = page.get_by_role("textbox", name="Filter runs (regex)")
    field.fill("TRAIN$")
    wait_ready(page)
    expect(page.get_by_role("list", name="Runs").get_by_role("checkbox")).to_have_count(2)
    expect(page.get_by_text("2 of 3 shown")).to_be_visible()
    assert asked[-1]["runs"] == ["lr=0.1/train", "lr=0.2/train"]
    address_has(page, "filter=TRAIN$")
    field.fill("lr=(0")
    expect(page.get_by_role("alert")).to_have_text(re.compile("Not a regular expression: unterminated group"))
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("nothing like it")
    expect(page.get_by_text("No run matches this filter.")).to_be_visible()
    field.press("Escape")
    wait_ready(page)
    expect(page.get_by_role("list", name="Runs").get_by_role("checkbox")).to_have_count(3)


def test_colors_are_the_same_after_a_reload_and_when_runs_appear(open_page):
    source = runs("a", "b", "c")
    page = open_page(source)
    before = {name: run_color(page, name) for name in "abc"}
    source.add_scalars("d", "loss", step=[0], value=[1.0], wall_time=[2e9])
    expect(page.get_by_role("checkbox", name="d", exact=True)).to_be_checked()
    assert {name: run_color(page, name) for name in "abc"} == before
    page.reload()
    wait_ready(page)
    assert {name: run_color(page, name) for name in "abc"} == before


def test_a_thousand_runs_are_drawn_by_one_request_a_card(open_page, asked):
    source = MemorySource()
    step = np.arange(200)
    for index in range(1_000):
        value = (index / 1_000 + np.exp(-step / 40)).astype(np.float32)
        for tag in ("train/loss", "val/loss"):
            source.add_scalars(f"sweep/lr={index % 7}/seed={index}", tag, step=step, value=value)
    page = open_page(source)
    expect(page.get_by_text("1,000 of 1,000 shown")).to_be_visible()
    assert sorted(body["tags"][0] for body in asked) == ["train/loss", "val/loss"]
    assert all("runs" not in body for body in asked)
    assert page.get_by_role("list", name="Runs").get_by_role("checkbox").count() < 80
    assert (read_pixels(page, "val/loss")[..., 3] > 0).sum() > 5_000

    page.get_by_role("list", name="Runs").hover()
    page.mouse.wheel(0, 100_000)
    # Runs of one age come by name.
    expect(page.get_by_role("checkbox", name="sweep/lr=6/seed=993")).to_be_visible()
    page.get_by_role("textbox", name="Filter runs (regex)").fill("seed=99\\d$")
    wait_ready(page)
    expect(page.get_by_role("list", name="Runs").get_by_role("checkbox")).to_have_count(10)
    assert len(asked[-1]["runs"]) == 10

    box = card(page, "train/loss").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("tooltip").get_by_role("row")).to_have_count(11)


def test_tooltip_of_many_runs_is_short_until_it_is_held(open_page):
    source = MemorySource()
    for index in range(60):
        source.add_scalars(f"run{index:02}", "loss", step=[0, 1, 2], value=np.full(3, float(index)))
    page = open_page(source)
    box = card(page, "loss").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.get_by_role("tooltip")
    expect(tip.get_by_role("row")).to_have_count(13)
    expect(tip).to_contain_text("48 more runs")
    page.mouse.down()
    page.mouse.up()
    expect(tip.get_by_role("row")).to_have_count(61)
    tip.hover()
    page.mouse.wheel(0, 5_000)
    expect(tip.get_by_text("run00")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_damaged_file_is_told_where_and_why(open_page):
    source = runs("good", "bad")
    source.set_file(
        "bad",
        "bad/events.out.tfevents.17",
        FileState.DAMAGED,
        byte=40_960,
        reason="Length checksum 0x1b2c3d4e, expected 0x99aabbcc.",
        advice="Copy the file again.",
    )
    page = open_page(source)
    badge = page.get_by_role("button", name="File trouble in bad")
    expect(badge).to_have_attribute("title", re.compile("Length checksum 0x1b2c3d4e"))
    expect(page.get_by_role("button", name="File trouble in good")).to_have_count(0)
    badge.click()
    panel = page.get_by_role("region", name="File health")
    for text in (
        "bad/events.out.tfevents.17",
        "damaged at byte 40,960",
        "expected 0x99aabbcc",
        "Copy the file again.",
    ):
        expect(panel).to_contain_text(text)
    panel.get_by_role("button", name="Close file health").click()
    expect(panel).not_to_contain_text("damaged at byte")
