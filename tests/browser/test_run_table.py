"""The run table in a browser: its tree, its columns, its rows and their lines, and a thousand runs."""

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
    wait_ready,
)
from tests.support.run_table import box, cells, choose, has_rows, is_shown, row, runs, sweep, table

from runglass.query.memory import MemorySource
from runglass.store.model import FileState

# The tree


def test_directories_select_what_is_below_them(open_page):
    page = open_page(runs("exp/a/train", "exp/a/val", "exp/b/train", "exp/b/val", "solo"))
    has_rows(page, "exp", "exp/a", "exp/a/train", "exp/a/val", "exp/b", "exp/b/train", "exp/b/val", "solo")
    folder = box(page, "exp/a/ (2 runs)")
    expect(folder).to_be_checked()
    box(page, "exp/a/val").uncheck()
    expect(folder).to_have_js_property("indeterminate", True)
    expect(box(page, "exp/ (4 runs)")).to_have_js_property("indeterminate", True)
    box(page, "exp/ (4 runs)").click()
    is_shown(page, "5 of 5")
    box(page, "exp/b/ (2 runs)").uncheck()
    is_shown(page, "3 of 5")
    assert is_drawn(page, "loss", run_color(page, "exp/a/val"))
    assert not is_drawn(page, "loss", run_color(page, "exp/b/val"))

    page.get_by_role("textbox", name="Filter runs (regex)").fill("train|solo")
    has_rows(page, "exp", "exp/a/train", "exp/b/train", "solo")
    box(page, "exp/ (2 runs)").click()
    is_shown(page, "3 of 5")
    page.get_by_role("textbox", name="Filter runs (regex)").fill("")
    is_shown(page, "4 of 5")
    expect(box(page, "exp/b/val")).not_to_be_checked()


def test_a_directory_that_is_a_run_has_its_own_box(open_page):
    page = open_page(runs("base", "base/train", "base/validation"))
    has_rows(page, "base", "base/train", "base/validation")
    box(page, "base").uncheck()
    is_shown(page, "2 of 3")
    page.get_by_role("button", name="Collapse base").click()
    has_rows(page, "base")
    address_has(page, "folded=base")
    # Collapsed, it stands for all that is in it.
    box(page, "base").click()
    is_shown(page, "3 of 3")
    reload(page)
    has_rows(page, "base")
    choose(page, "Run table", "Directory tree")
    has_rows(page, "base", "base/train", "base/validation")
    address_has(page, "tree=0")


def test_a_chain_of_directories_is_one_row(open_page):
    page = open_page(runs("x/y/z/1", "x/y/z/2"))
    has_rows(page, "x/y/z", "x/y/z/1", "x/y/z/2")
    expect(row(page, "x/y/z")).to_contain_text("x/y/z")


def test_the_tree_by_keyboard(open_page):
    page = open_page(runs("a/1", "a/2", "b"))
    grid = table(page)
    grid.focus()
    page.keyboard.press("ArrowLeft")
    has_rows(page, "a", "b")
    expect(row(page, "a")).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    has_rows(page, "a", "a/1", "a/2", "b")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(box(page, "a/1")).not_to_be_checked()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(box(page, "a/1")).to_be_checked()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    is_shown(page, "1 of 3")
    expect(box(page, "b")).to_be_checked()
    page.keyboard.press("ContextMenu")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(grid).to_be_focused()


# Columns


def test_columns_are_picked_sorted_moved_and_follow_the_logs(open_page):
    # They are picked and filled
    source = sweep()
    page = open_page(source)
    page.get_by_role("button", name="Columns of the run table").click()
    dialog = page.get_by_role("dialog", name="Columns of the run table")
    expect(dialog.get_by_role("listitem").filter(has_text="lr")).to_contain_text("differs · 3 values")
    expect(dialog.get_by_role("listitem").filter(has_text="layers")).to_contain_text("same in all runs")
    dialog.get_by_role("checkbox", name="lr", exact=True).check()
    dialog.get_by_role("combobox", name="Show metrics as").select_option("max")
    dialog.get_by_role("checkbox", name="val/acc, max", exact=True).check()
    dialog.get_by_role("combobox", name="Show metrics as").select_option("at the best step of another")
    dialog.get_by_role("combobox", name="where", exact=True).select_option("val/acc")
    dialog.get_by_role("checkbox", name="loss, at max of val/acc", exact=True).check()
    dialog.get_by_role("combobox", name="Show metrics as").select_option("at a step")
    dialog.get_by_role("spinbutton", name="Step").fill("15")
    dialog.get_by_role("textbox", name="Search columns").fill("loss")
    dialog.get_by_role("checkbox", name="loss, at step 15", exact=True).check()
    dialog.get_by_role("button", name="Done").click()
    expect(row(page, "a").get_by_role("gridcell")).to_have_text([re.compile("a"), "0.1", "0.9000", "2", "2"])
    assert cells(page, "d9") == ["0.1", "", "", "5"]
    address_has(page, "column=at_step;loss;15")
    reload(page)
    expect(row(page, "a").get_by_role("gridcell")).to_have_text([re.compile("a"), "0.1", "0.9000", "2", "2"])

    # They sort by a click
    go(page, "#/scalars?column=last;val/acc")
    has_rows(page, "a", "b", "c", "d9", "d10")
    head = page.get_by_role("button", name="Sort by val/acc, last")
    head.click()
    has_rows(page, "b", "a", "c", "d9", "d10")
    head.click()
    has_rows(page, "c", "a", "b", "d9", "d10")
    expect(page.get_by_role("columnheader", name="val/acc, last")).to_have_attribute(
        "aria-sort", "descending"
    )
    address_has(page, "sort=-last;val/acc")
    head.click()
    has_rows(page, "a", "b", "c", "d9", "d10")
    page.get_by_role("button", name="Run", exact=True).click()
    has_rows(page, "d10", "d9", "c", "b", "a")

    # The names stay when they scroll
    columns = "&".join(
        f"column={column}" for column in ("hparam;lr", "hparam;layers", "hparam;optimizer", "last;loss")
    )
    go(page, f"#/scalars?{columns}")
    before = box(page, "a").bounding_box()["x"]
    table(page).evaluate("(grid) => (grid.scrollLeft = 200)")
    expect(row(page, "a").get_by_role("gridcell").last).to_be_in_viewport()
    assert box(page, "a").bounding_box()["x"] == before

    # They follow the logs
    go(page, "#/scalars?column=last;val/acc")
    expect(row(page, "a").get_by_role("gridcell").nth(1)).to_have_text("0.8000")
    source.add_scalars("a", "val/acc", step=[30], value=[0.875])
    expect(row(page, "a").get_by_role("gridcell").nth(1)).to_have_text("0.8750")

    # They are moved, resized and hidden
    go(page, "#/scalars?column=hparam;lr&column=hparam;optimizer&column=hparam;layers")
    # With all columns in sight.
    page.keyboard.press("]")
    lr, optimizer = (page.get_by_role("columnheader", name=name, exact=True) for name in ("lr", "optimizer"))
    lr.drag_to(page.get_by_role("columnheader", name="layers", exact=True))
    address_has(page, "column=hparam;optimizer&column=hparam;layers&column=hparam;lr")
    assert heads(page) == ["Run", "optimizer", "layers", "lr"]
    optimizer.hover()
    page.get_by_role("button", name="More for column optimizer").click()
    page.get_by_role("menuitem", name="Move right").click()
    address_has(page, "column=hparam;layers&column=hparam;optimizer&column=hparam;lr")
    page.get_by_role("button", name="Sort by optimizer").press("Alt+ArrowLeft")
    address_has(page, "column=hparam;optimizer&column=hparam;layers&column=hparam;lr")

    before = optimizer.bounding_box()["width"]
    page.get_by_role("button", name="Sort by optimizer").press("Shift+ArrowRight")
    expect(optimizer).to_have_css("width", f"{before + 12:g}px")
    edge = page.get_by_title("Drag to resize optimizer", exact=False)
    at = edge.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + 10)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] / 2 + 40, at["y"] + 10, steps=4)
    page.mouse.up()
    expect(optimizer).to_have_css("width", f"{before + 52:g}px")
    reload(page)
    expect(optimizer).to_have_css("width", f"{before + 52:g}px")

    optimizer.click(button="right")
    page.get_by_role("menuitem", name="Hide column").click()
    expect(optimizer).to_have_count(0)
    # A focused head keeps no shortcut from the page.
    page.get_by_role("button", name="Sort by lr").press("Control+k")
    expect(page.get_by_role("dialog", name="Find anything")).to_be_visible()


def heads(page: Page) -> list[str]:
    return [text.strip() for text in table(page).get_by_role("columnheader").all_inner_texts()]


# Rows and lines


def test_a_row_brings_its_line_forward_and_a_line_its_row(open_page):
    source = MemorySource()
    for height in range(12):
        source.add_scalars(f"r{height}", "loss", step=range(50), value=np.full(50, float(height)))
    page = open_page(source)

    before = chart(page, "loss").screenshot()
    row(page, "r7").hover()
    for _ in range(200):
        if (now := chart(page, "loss").screenshot()) != before:
            break
    assert now != before
    area = card(page, "loss").get_by_role("application").bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    expect(table(page).locator(".nearest")).to_have_count(1)


# Many runs


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
    assert table(page).get_by_role("checkbox").count() < 80
    assert (read_pixels(page, "val/loss")[..., 3] > 0).sum() > 5_000

    table(page).hover()
    page.mouse.wheel(0, 100_000)
    expect(box(page, "sweep/lr=6/seed=993")).to_be_visible()
    page.get_by_role("textbox", name="Filter runs (regex)").fill("seed=99\\d$")
    wait_ready(page)
    expect(table(page).get_by_role("checkbox")).to_have_count(14)
    assert len(asked[-1]["runs"]) == 10

    area = card(page, "train/loss").bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    expect(page.get_by_role("tooltip").get_by_role("row")).to_have_count(11)


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
    badge = page.get_by_role("button", name="File problems in bad")
    expect(badge).to_have_attribute("title", re.compile("Length checksum 0x1b2c3d4e"))
    expect(page.get_by_role("button", name="File problems in good")).to_have_count(0)
    badge.click()
    panel = page.get_by_role("region", name="File health")
    for text in (
        "bad/events.out.tfevents.17",
        "damaged, first at byte 40960",
        "expected 0x99aabbcc",
        "Copy the file again.",
    ):
        expect(panel).to_contain_text(text)
    panel.get_by_role("button", name="Close file health").click()
    expect(panel).not_to_contain_text("damaged at byte")
