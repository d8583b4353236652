"""The run table in a browser: tree, filters, columns, choices, colours, marks, and a thousand runs."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from runglass.query.memory import MemorySource
from runglass.store.model import FileState, Kind

from .conftest import address_has, card, chart, is_drawn, read_pixels, run_color, wait_ready

START = "_hparams_/session_start_info"


def runs(*names: str) -> MemorySource:
    source = MemorySource()
    for height, name in enumerate(names, start=1):
        source.add_scalars(name, "loss", step=range(50), value=np.full(50, float(height)))
    return source


def sweep() -> MemorySource:
    """Four runs with hyperparameters and two metrics; the best by one is not the best by the other; one lacks `acc`."""
    source = MemorySource(locations=["/logs/sweep"])
    for name, lr, optimizer, acc, loss in (
        ("a", 0.1, "adam", [0.2, 0.9, 0.8], [3.0, 2.0, 1.0]),
        ("b", 0.01, "sgd", [0.1, 0.5, 0.7], [3.0, 0.5, 0.6]),
        ("c", 0.001, "adam", [0.3, 0.4, 0.95], [9.0, 8.0, 7.0]),
        ("d10", 0.1, "sgd", None, [4.0, 4.0, 4.0]),
        ("d9", 0.1, "sgd", None, [5.0, 5.0, 5.0]),
    ):
        hparams = {"lr": lr, "optimizer": optimizer, "layers": 18}
        source.add_values(
            name, START, Kind.HPARAMS, step=[0], values=[{"session_start_info": {"hparams": hparams}}]
        )
        if acc:
            source.add_scalars(name, "val/acc", step=[0, 10, 20], value=acc)
        source.add_scalars(name, "loss", step=[0, 10, 20], value=loss)
    return source


def table(page: Page) -> Locator:
    return page.get_by_role("treegrid", name="Runs")


def row(page: Page, name: str) -> Locator:
    return table(page).get_by_role("row", name=name, exact=True)


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=name, exact=True)


def has_rows(page: Page, *names: str) -> None:
    """The rows of the table, top to bottom, are these."""
    seen = (
        "[...document.querySelectorAll('[role=treegrid] [role=row][aria-label]')].map((row) => row.ariaLabel)"
    )
    try:
        page.wait_for_function(f"(names) => {seen}.join('|') === names.join('|')", arg=list(names))
    except PlaywrightTimeoutError:
        assert page.evaluate(seen) == list(names)


def is_shown(page: Page, count: str) -> None:
    expect(page.get_by_text(f"{count} shown")).to_be_visible()
    wait_ready(page)


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name=menu, exact=True).click()
    take(page, item)


def take(page: Page, item: str) -> None:
    """An entry of the open menu, be it an action or a switch."""
    menu = page.get_by_role("menu")
    menu.get_by_role("menuitem", name=item, exact=True).or_(
        menu.get_by_role("menuitemcheckbox", name=item, exact=True)
    ).click()


def choose_for(page: Page, run: str, item: str) -> None:
    row(page, run).click(button="right")
    take(page, item)


def cells(page: Page, name: str) -> list[str]:
    return row(page, name).get_by_role("gridcell").all_text_contents()[1:]


def query(page: Page, text: str) -> Locator:
    page.get_by_role("radio", name="query").check(force=True)
    field = page.get_by_role("combobox", name="Query runs")
    field.fill(text)
    return field


# Choosing runs


def test_unticked_run_is_not_drawn(open_page):
    page = open_page(runs("a", "b", "c"))
    gone = run_color(page, "b")
    assert is_drawn(page, "loss", gone)
    page.get_by_role("checkbox", name="b", exact=True).uncheck()
    wait_ready(page)
    assert not is_drawn(page, "loss", gone)
    is_shown(page, "2 of 3")
    address_has(page, "run=-b")
    page.reload()
    wait_ready(page)
    expect(page.get_by_role("checkbox", name="b", exact=True)).not_to_be_checked()


def test_all_none_invert_and_only_this(open_page):
    page = open_page(runs("a", "b", "c"))
    page.get_by_role("button", name="Tick none of the listed runs").click()
    expect(page.get_by_text("No run is ticked")).to_be_visible()
    is_shown(page, "0 of 3")
    row(page, "b").hover()
    page.get_by_role("button", name="Show only b").click()
    is_shown(page, "1 of 3")
    assert [is_drawn(page, "loss", run_color(page, name)) for name in "abc"] == [False, True, False]
    address_has(page, "run=b")
    choose(page, "Tick more ways", "Invert")
    is_shown(page, "2 of 3")
    expect(box(page, "b")).not_to_be_checked()
    page.get_by_role("button", name="Tick all listed runs").click()
    is_shown(page, "3 of 3")
    row(page, "c").get_by_text("c", exact=True).dblclick()
    is_shown(page, "1 of 3")
    expect(box(page, "c")).to_be_checked()


def test_a_range_with_shift(open_page):
    page = open_page(runs(*"abcdef"))
    page.get_by_role("button", name="Tick none of the listed runs").click()
    box(page, "b").click()
    box(page, "e").click(modifiers=["Shift"])
    is_shown(page, "4 of 6")
    expect(box(page, "a")).not_to_be_checked()
    expect(box(page, "d")).to_be_checked()


def test_what_concerns_many_runs_is_said_and_can_be_undone(open_page):
    page = open_page(runs(*[f"r{index}" for index in range(30)]))
    row(page, "r3").get_by_text("r3", exact=True).dblclick()
    is_shown(page, "1 of 30")
    expect(page.get_by_text("Only r3: 29 runs unticked.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    is_shown(page, "30 of 30")


def test_highest_and_lowest_of_a_column(open_page):
    page = open_page(sweep(), "#/?column=max;val/acc")
    choose(page, "Tick more ways", "Highest or lowest of a column …")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("spinbutton", name="How many").fill("2")
    expect(dialog.get_by_role("list", name="Runs that would be ticked")).to_contain_text("c0.9500")
    dialog.get_by_role("button", name="Tick these runs").click()
    is_shown(page, "2 of 5")
    expect(box(page, "a")).to_be_checked()
    expect(box(page, "c")).to_be_checked()


def test_starred_only(open_page):
    page = open_page(runs("a", "b", "c"))
    choose(page, "Tick more ways", "Starred only")
    expect(page.get_by_text("None of the listed runs has a star yet.")).to_be_visible()
    is_shown(page, "3 of 3")
    row(page, "b").hover()
    page.get_by_role("button", name="Star b").click()
    expect(page.get_by_role("button", name="Star b")).to_have_attribute("aria-pressed", "true")
    choose(page, "Tick more ways", "Starred only")
    is_shown(page, "1 of 3")
    expect(box(page, "b")).to_be_checked()


def test_a_link_to_runs_that_are_gone(open_page):
    page = open_page(runs("a", "b", "c"), "#/?run=a&run=gone&run=lost")
    expect(
        page.get_by_text("2 of the 3 runs of this address are not in these logs; the others are shown.")
    ).to_be_visible()
    is_shown(page, "1 of 3")
    page.get_by_role("button", name="Show all runs").click()
    is_shown(page, "3 of 3")


# The tree


def test_directories_tick_what_is_below_them(open_page):
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
    page.get_by_role("button", name="Shut base").click()
    has_rows(page, "base")
    address_has(page, "folded=base")
    # Shut, it stands for all that is in it.
    box(page, "base").click()
    is_shown(page, "3 of 3")
    page.reload()
    wait_ready(page)
    has_rows(page, "base")
    choose(page, "Run table", "Tree by directory")
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


# Filters


def test_filter_hides_runs_from_table_and_charts(open_page):
    page = open_page(runs("lr=0.1/train", "lr=0.1/val", "lr=0.2/train"))
    gone = run_color(page, "lr=0.1/val")
    field = page.get_by_role("textbox", name="Filter runs (regex)")
    field.fill("TRAIN$")
    has_rows(page, "lr=0.1/train", "lr=0.2/train")
    is_shown(page, "2 of 3")
    assert is_drawn(page, "loss", run_color(page, "lr=0.2/train"))
    assert not is_drawn(page, "loss", gone)
    address_has(page, "filter=TRAIN$")
    field.fill("lr=(0")
    expect(page.get_by_role("alert")).to_have_text(re.compile("Not a regular expression: unterminated group"))
    expect(field).to_have_attribute("aria-invalid", "true")
    has_rows(page, "lr=0.1/train", "lr=0.2/train")
    field.fill("nothing like it")
    expect(page.get_by_text("No run matches this filter.")).to_be_visible()
    field.press("Escape")
    is_shown(page, "3 of 3")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("val/acc > 0.75", ["a", "c"]),
        ("max(val/acc) >= 0.9 and lr < 0.05", ["c"]),
        ("val/acc is missing", ["d9", "d10"]),
        ('optimizer == "sgd" and not lr == 0.1', ["b"]),
        ("at(loss, max(val/acc)) == 2", ["a"]),
        ("lr in (0.01, 0.001) or name ~ '9$'", ["b", "c", "d9"]),
    ],
)
def test_query_over_columns(open_page, text, names):
    page = open_page(sweep())
    query(page, text)
    has_rows(page, *names)
    is_shown(page, f"{len(names)} of 5")
    address_has(page, "query=")
    page.reload()
    wait_ready(page)
    has_rows(page, *names)
    expect(page.get_by_role("combobox", name="Query runs")).to_have_value(text)


def test_bad_query_says_where_and_keeps_the_last_good_result(open_page):
    page = open_page(sweep())
    field = query(page, "lr < 0.05")
    has_rows(page, "b", "c")
    field.fill("lr < 0.05 and nothing > 1")
    expect(page.get_by_role("alert")).to_have_text(
        "At character 15: No hyperparameter, metric or column is called “nothing”."
    )
    has_rows(page, "b", "c")
    page.get_by_role("radio", name="regex").check(force=True)
    page.get_by_role("textbox", name="Filter runs (regex)").fill("c")
    has_rows(page, "c")
    page.get_by_role("button", name="Clear the query").click()
    has_rows(page, "c")
    page.get_by_role("textbox", name="Filter runs (regex)").fill("")
    is_shown(page, "5 of 5")


def test_query_is_completed_by_keyboard(open_page):
    page = open_page(sweep())
    field = query(page, "")
    field.press_sequentially("opti")
    expect(page.get_by_role("option", name="optimizer")).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("optimizer ")
    field.press_sequentially("==")
    field.press_sequentially(" s")
    expect(page.get_by_role("option")).to_have_text([re.compile("^sgd"), re.compile("^missing")])
    field.press("ArrowDown")
    field.press("Tab")
    expect(field).to_have_value('optimizer == "sgd" ')
    has_rows(page, "b", "d9", "d10")
    field.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    expect(field).to_have_value('optimizer == "sgd" ')


# Columns


def test_columns_are_picked_and_filled(open_page):
    page = open_page(sweep())
    page.get_by_role("button", name="Columns of the run table").click()
    dialog = page.get_by_role("dialog", name="Columns of the run table")
    expect(dialog.get_by_role("listitem").filter(has_text="lr")).to_contain_text("differs · 3 values")
    expect(dialog.get_by_role("listitem").filter(has_text="layers")).to_contain_text("same everywhere")
    dialog.get_by_role("checkbox", name="lr", exact=True).check()
    dialog.get_by_role("combobox", name="Metrics as").select_option("max")
    dialog.get_by_role("checkbox", name="val/acc, max", exact=True).check()
    dialog.get_by_role("combobox", name="Metrics as").select_option("where another is best")
    dialog.get_by_role("combobox", name="where", exact=True).select_option("val/acc")
    dialog.get_by_role("checkbox", name="loss, at max of val/acc", exact=True).check()
    dialog.get_by_role("combobox", name="Metrics as").select_option("at a step")
    dialog.get_by_role("spinbutton", name="Step").fill("15")
    dialog.get_by_role("textbox", name="Search columns").fill("loss")
    dialog.get_by_role("checkbox", name="loss, at step 15", exact=True).check()
    dialog.get_by_role("button", name="Done").click()
    expect(row(page, "a").get_by_role("gridcell")).to_have_text([re.compile("a"), "0.1", "0.9000", "2", "2"])
    assert cells(page, "d9") == ["0.1", "", "", "5"]
    address_has(page, "column=at_step;loss;15")
    page.reload()
    wait_ready(page)
    expect(row(page, "a").get_by_role("gridcell")).to_have_text([re.compile("a"), "0.1", "0.9000", "2", "2"])


def test_columns_follow_the_logs(open_page):
    source = sweep()
    page = open_page(source, "#/?column=last;val/acc")
    expect(row(page, "a").get_by_role("gridcell").nth(1)).to_have_text("0.8000")
    source.add_scalars("a", "val/acc", step=[30], value=[0.875])
    expect(row(page, "a").get_by_role("gridcell").nth(1)).to_have_text("0.8750")


def test_sorting_by_a_click(open_page):
    page = open_page(sweep(), "#/?column=last;val/acc")
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


def heads(page: Page) -> list[str]:
    return [text.strip() for text in table(page).get_by_role("columnheader").all_inner_texts()]


def test_columns_are_moved_resized_and_hidden(open_page):
    page = open_page(sweep(), "#/?column=hparam;lr&column=hparam;optimizer&column=hparam;layers")
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
    edge = page.get_by_title("Draw to resize optimizer", exact=False)
    at = edge.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + 10)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] / 2 + 40, at["y"] + 10, steps=4)
    page.mouse.up()
    expect(optimizer).to_have_css("width", f"{before + 52:g}px")
    page.reload()
    wait_ready(page)
    expect(optimizer).to_have_css("width", f"{before + 52:g}px")

    optimizer.click(button="right")
    page.get_by_role("menuitem", name="Hide this column").click()
    expect(optimizer).to_have_count(0)


def test_the_names_stay_when_columns_scroll(open_page):
    columns = "&".join(
        f"column={column}" for column in ("hparam;lr", "hparam;layers", "hparam;optimizer", "last;loss")
    )
    page = open_page(sweep(), f"#/?{columns}")
    before = box(page, "a").bounding_box()["x"]
    table(page).evaluate("(grid) => (grid.scrollLeft = 200)")
    expect(row(page, "a").get_by_role("gridcell").last).to_be_in_viewport()
    assert box(page, "a").bounding_box()["x"] == before


# Colours


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


def test_colors_by_pattern_with_a_preview(open_page):
    page = open_page(runs("a/train", "a/val", "b/train", "other"))
    own = run_color(page, "other")
    choose(page, "Run table", "Colour runs by …")
    dialog = page.get_by_role("dialog", name="Colour runs by")
    dialog.get_by_role("radio", name="Pattern").check(force=True)
    field = dialog.get_by_role("textbox", name="Pattern (regex)")
    field.fill("(")
    expect(dialog.get_by_role("alert")).to_contain_text("Not a regular expression")
    field.fill("nothing")
    expect(dialog.get_by_text("No run's name matches this pattern.")).to_be_visible()
    field.fill("(train|val)")
    expect(dialog.get_by_role("list", name="Groups").get_by_role("listitem")).to_have_count(3)
    expect(dialog.get_by_role("listitem").filter(has_text="a/train, b/train")).to_be_visible()
    dialog.get_by_role("button", name="Save").click()
    wait_ready(page)
    assert run_color(page, "a/train") == run_color(page, "b/train") != run_color(page, "a/val")
    assert run_color(page, "other") == "#a3abba"
    assert is_drawn(page, "loss", run_color(page, "a/train"))
    address_has(page, "color=regex:(train|val)")
    expect(page.get_by_role("group", name="Colours of runs")).to_contain_text("train")
    page.get_by_role("button", name="Give runs their own colours back").click()
    wait_ready(page)
    assert run_color(page, "other") == own


def test_colors_by_a_number_have_a_scale(open_page):
    page = open_page(sweep(), "#/?color=hparam:lr")
    expect(page.get_by_role("group", name="Colours of runs")).to_contain_text("0.001")
    assert run_color(page, "a") == run_color(page, "d9")
    assert len({run_color(page, name) for name in "abc"}) == 3
    assert is_drawn(page, "loss", run_color(page, "c"))


def test_own_color_name_and_note_are_kept(open_page):
    page = open_page(runs("a", "b"))
    choose_for(page, "b", "Rename …")
    dialog = page.get_by_role("dialog", name="About this run")
    dialog.get_by_label("Name on this page").fill("the good one")
    dialog.get_by_label("Note").fill("<b>bold</b>")
    dialog.get_by_label("Colour", exact=True).fill("#123456")
    dialog.get_by_role("button", name="Save").click()
    wait_ready(page)
    assert run_color(page, "b") == "#123456"
    assert is_drawn(page, "loss", "#123456")
    expect(row(page, "b")).to_contain_text("the good one")
    expect(row(page, "b").get_by_role("img", name="Note: <b>bold</b>")).to_be_visible()
    page.reload()
    wait_ready(page)
    assert run_color(page, "b") == "#123456"
    page.get_by_role("textbox", name="Filter runs (regex)").fill("good one")
    has_rows(page, "b")


# Marks


def test_hidden_runs_leave_table_and_charts(open_page):
    page = open_page(runs("a", "b", "c"))
    gone = run_color(page, "b")
    choose_for(page, "b", "Hide")
    has_rows(page, "a", "c")
    is_shown(page, "2 of 3")
    assert not is_drawn(page, "loss", gone)
    page.reload()
    wait_ready(page)
    page.get_by_role("button", name="List hidden runs as well").click()
    has_rows(page, "a", "b", "c")
    choose_for(page, "b", "Show again")
    is_shown(page, "3 of 3")
    expect(page.get_by_role("button", name="List hidden runs as well")).to_have_count(0)


def test_baseline_and_what_can_be_copied(open_page):
    page = open_page(sweep())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose_for(page, "b", "Baseline")
    expect(row(page, "b").get_by_role("img", name="Baseline")).to_be_visible()
    choose_for(page, "b", "Copy path")
    expect(page.get_by_text("Copied: /logs/sweep/b")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "/logs/sweep/b"
    choose_for(page, "b", "Copy name")
    expect(page.get_by_text("Copied: b", exact=True)).to_be_visible()


def test_marks_travel_as_a_file(open_page, tmp_path):
    page = open_page(runs("a", "b"))
    row(page, "a").hover()
    page.get_by_role("button", name="Star a").click()
    with page.expect_download() as saved:
        choose(page, "Run table", "Save marks as a file")
    marks = json.loads(saved.value.path().read_text())
    assert marks["runs"] == {"a": {"isStarred": True}}

    marks["runs"] = {"b": {"isHidden": True, "name": "x"}}
    file = tmp_path / "marks.json"
    file.write_text(json.dumps(marks))
    with page.expect_file_chooser() as chooser:
        choose(page, "Run table", "Add marks from a file …")
    chooser.value.set_files(file)
    has_rows(page, "a")
    expect(page.get_by_text("Marks added: 2 runs marked now.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    has_rows(page, "a", "b")

    file.write_text("{}")
    with page.expect_file_chooser() as chooser:
        choose(page, "Run table", "Add marks from a file …")
    chooser.value.set_files(file)
    expect(page.get_by_text("This is no file of run marks")).to_be_visible()


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
    expect(table(page).locator(".looked")).to_have_count(1)


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
    badge = page.get_by_role("button", name="File trouble in bad")
    expect(badge).to_have_attribute("title", re.compile("Length checksum 0x1b2c3d4e"))
    expect(page.get_by_role("button", name="File trouble in good")).to_have_count(0)
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
