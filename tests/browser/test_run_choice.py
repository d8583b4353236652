"""Which runs are shown, and how they stand out: selection, filters, colours and marks of the run table in a browser."""

from __future__ import annotations

import colorsys
import json
import re
from itertools import pairwise

from playwright.sync_api import expect
from tests.support.page import address_has, card, go, is_drawn, reload, run_color, wait_ready
from tests.support.run_table import (
    box,
    choose,
    choose_for,
    has_rows,
    is_shown,
    query,
    row,
    runs,
    sweep,
    table,
    take,
)

# Choosing runs


def test_runs_are_chosen_starred_and_hidden(open_page):
    # A link to runs that are gone
    source = runs("a", "b", "c")
    page = open_page(source, "#/scalars?run=a&run=gone&run=lost")
    expect(
        page.get_by_text("2 of the 3 runs in this link are not in these logs; showing the others.")
    ).to_be_visible()
    is_shown(page, "1 of 3")
    page.get_by_role("button", name="Show all runs").click()
    is_shown(page, "3 of 3")

    # A deselected run is not drawn
    go(page, "#/scalars?smoothing=0.6")
    gone = run_color(page, "b")
    assert is_drawn(page, "loss", gone)
    page.get_by_role("checkbox", name="b", exact=True).uncheck()
    wait_ready(page)
    assert not is_drawn(page, "loss", gone)
    is_shown(page, "2 of 3")
    address_has(page, "run=-b")
    reload(page)
    expect(page.get_by_role("checkbox", name="b", exact=True)).not_to_be_checked()

    # All, none, invert and only this
    go(page, "#/scalars?smoothing=0.6")
    page.get_by_role("button", name="Deselect all listed runs").click()
    expect(page.get_by_text("No runs selected")).to_be_visible()
    is_shown(page, "0 of 3")
    row(page, "b").hover()
    page.get_by_role("button", name="Show only b").click()
    is_shown(page, "1 of 3")
    assert [is_drawn(page, "loss", run_color(page, name)) for name in "abc"] == [False, True, False]
    address_has(page, "run=b")
    choose(page, "More ways to select", "Invert selection")
    is_shown(page, "2 of 3")
    expect(box(page, "b")).not_to_be_checked()
    page.get_by_role("button", name="Select all listed runs", exact=True).click()
    is_shown(page, "3 of 3")
    row(page, "c").get_by_text("c", exact=True).dblclick()
    is_shown(page, "1 of 3")
    expect(box(page, "c")).to_be_checked()

    # Hidden runs leave table and charts
    go(page, "#/scalars?smoothing=0.6")
    gone = run_color(page, "b")
    choose_for(page, "b", "Hide")
    has_rows(page, "a", "c")
    is_shown(page, "2 of 3")
    assert not is_drawn(page, "loss", gone)
    reload(page)
    page.get_by_role("button", name="List hidden runs too").click()
    has_rows(page, "a", "b", "c")
    choose_for(page, "b", "Unhide")
    is_shown(page, "3 of 3")
    expect(page.get_by_role("button", name="List hidden runs too")).to_have_count(0)

    # Starred only
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "More ways to select", "Starred only")
    expect(page.get_by_text("No listed runs are starred.")).to_be_visible()
    is_shown(page, "3 of 3")
    row(page, "b").hover()
    page.get_by_role("button", name="Star b").click()
    expect(page.get_by_role("button", name="Star b")).to_have_attribute("aria-pressed", "true")
    choose(page, "More ways to select", "Starred only")
    is_shown(page, "1 of 3")
    expect(box(page, "b")).to_be_checked()

    # Colours are the same after a reload and when runs appear
    go(page, "#/scalars?smoothing=0.6")
    before = {name: run_color(page, name) for name in "abc"}
    source.add_scalars("d", "loss", step=[0], value=[1.0], wall_time=[2e9])
    expect(page.get_by_role("checkbox", name="d", exact=True)).to_be_checked()
    assert {name: run_color(page, name) for name in "abc"} == before
    reload(page)
    assert {name: run_color(page, name) for name in "abc"} == before


def test_a_range_with_shift(open_page):
    page = open_page(runs(*"abcdef"))
    page.get_by_role("button", name="Deselect all listed runs").click()
    box(page, "b").click()
    box(page, "e").click(modifiers=["Shift"])
    is_shown(page, "4 of 6")
    expect(box(page, "a")).not_to_be_checked()
    expect(box(page, "d")).to_be_checked()


def test_what_concerns_many_runs_is_said_and_can_be_undone(open_page):
    page = open_page(runs(*[f"r{index}" for index in range(30)]))
    row(page, "r3").get_by_text("r3", exact=True).dblclick()
    is_shown(page, "1 of 30")
    expect(page.get_by_text("Only r3: 29 runs deselected.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    is_shown(page, "30 of 30")


def test_highest_and_lowest_colors_by_a_number_and_the_baseline(open_page):
    # Highest and lowest of a column
    page = open_page(sweep(), "#/scalars?column=max;val/acc")
    choose(page, "More ways to select", "Highest or lowest of a column…")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("spinbutton", name="How many").fill("2")
    expect(dialog.get_by_role("list", name="Runs to select")).to_contain_text("c0.9500")
    dialog.get_by_role("button", name="Select these runs").click()
    is_shown(page, "2 of 5")
    expect(box(page, "a")).to_be_checked()
    expect(box(page, "c")).to_be_checked()

    # Of a metric without columns
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "More ways to select", "Highest or lowest of a column…")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("spinbutton", name="How many")).to_be_focused()
    dialog.get_by_role("combobox", name="By column").select_option("val/acc")
    dialog.get_by_role("combobox", name="as", exact=True).select_option("max")
    dialog.get_by_role("spinbutton", name="How many").fill("1")
    expect(dialog.get_by_role("list", name="Runs to select")).to_contain_text("c0.9500")
    dialog.get_by_role("button", name="Select these runs").click()
    is_shown(page, "1 of 5")
    expect(box(page, "c")).to_be_checked()

    # Colours by a number have a scale
    go(page, "#/scalars?color=hparam:lr")
    expect(page.get_by_role("group", name="Run colours")).to_contain_text("0.001")
    assert run_color(page, "a") == run_color(page, "d9")
    assert len({run_color(page, name) for name in "abc"}) == 3
    assert is_drawn(page, "loss", run_color(page, "c"))

    # The baseline, and what can be copied
    go(page, "#/scalars?smoothing=0.6")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose_for(page, "b", "Baseline")
    expect(row(page, "b").get_by_role("img", name="Baseline")).to_be_visible()
    choose_for(page, "b", "Copy path")
    expect(page.get_by_text("Copied: /logs/sweep/b")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "/logs/sweep/b"
    choose_for(page, "b", "Copy name")
    expect(page.get_by_text("Copied: b", exact=True)).to_be_visible()


# Filters


def test_filter_hides_runs_from_table_and_charts(open_page):
    page = open_page(runs("lr=0.1/train", "lr=0.3/val", "lr=0.2/train"))
    gone = run_color(page, "lr=0.3/val")
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
    expect(page.get_by_text("No runs match this filter.")).to_be_visible()
    field.press("Escape")
    is_shown(page, "3 of 3")


def test_query_over_columns(open_page):
    # Columns are filtered by widgets that write the query
    page = open_page(sweep(), "#/scalars?column=hparam;optimizer&column=max;val/acc")
    head = page.get_by_role("columnheader", name="optimizer")
    head.click(button="right")
    take(page, "Filter…")
    dialog = page.get_by_role("dialog", name="Filter by optimizer")
    expect(dialog.get_by_role("listitem").filter(has_text="sgd")).to_contain_text("3")
    dialog.get_by_role("checkbox", name="sgd").uncheck()
    expect(dialog.get_by_role("status")).to_contain_text("2 of 5 runs match")
    address_has(page, "query=optimizer")
    dialog.get_by_role("button", name="Done").click()
    has_rows(page, "a", "c")

    page.get_by_role("columnheader", name="val/acc, max").click(button="right")
    take(page, "Filter…")
    dialog = page.get_by_role("dialog", name="Filter by val/acc, max")
    dialog.get_by_role("textbox", name="From").fill("0.92")
    dialog.get_by_role("textbox", name="From").press("Tab")
    expect(dialog.get_by_role("status")).to_contain_text("1 of 5 runs match")
    dialog.get_by_role("button", name="Done").click()
    has_rows(page, "c")
    chips = page.get_by_role("list", name="Filters of columns").get_by_role("listitem")
    expect(chips).to_have_text(["optimizer: adam", "val/acc, max: ≥ 0.9200 or missing"])

    # What they wrote is a query like any other.
    page.get_by_role("radio", name="query").check(force=True)
    field = page.get_by_role("combobox", name="Query runs")
    expect(field).to_be_focused()
    expect(field).to_have_value('optimizer in ("adam") and (max(val/acc) >= 0.92 or max(val/acc) is missing)')
    page.get_by_role("button", name="Remove filter optimizer: adam").click()
    has_rows(page, "c", "d9", "d10")
    page.get_by_role("button", name="val/acc, max: ≥ 0.9200 or missing", exact=True).click()
    dialog.get_by_role("checkbox", name="Include runs without a value").uncheck()
    dialog.get_by_role("slider", name="Interval from").fill("0")
    expect(dialog.get_by_role("status")).to_contain_text("3 of 5 runs match")
    dialog.get_by_role("button", name="Clear this filter").click()
    dialog.get_by_role("button", name="Done").click()
    expect(field).to_have_value("")
    is_shown(page, "5 of 5")

    # Queries are typed
    go(page, "#/scalars?smoothing=0.6")
    for text, names in {
        "val/acc > 0.75": ["a", "c"],
        "max(val/acc) >= 0.9 and lr < 0.05": ["c"],
        "val/acc is missing": ["d9", "d10"],
        'optimizer == "sgd" and not lr == 0.1': ["b"],
        "at(loss, max(val/acc)) == 2": ["a"],
        "lr in (0.01, 0.001) or name ~ '9$'": ["b", "c", "d9"],
    }.items():
        query(page, text)
        has_rows(page, *names)
        is_shown(page, f"{len(names)} of 5")
        # No two that follow each other begin alike.
        address_has(page, f"query={text[:2]}")
        reload(page)
        has_rows(page, *names)
        expect(page.get_by_role("combobox", name="Query runs")).to_have_value(text)

    # Suggestions leave the error visible
    go(page, "#/scalars?smoothing=0.6")
    field = query(page, "lr ")
    alert, suggestions = page.get_by_role("alert"), page.get_by_role("listbox")
    expect(alert).to_contain_text("Expected one of")
    expect(suggestions).to_be_visible()
    below = alert.bounding_box()["y"] + alert.bounding_box()["height"]
    page.wait_for_function(
        "(y) => document.querySelector('[role=listbox]').getBoundingClientRect().top >= y", arg=below
    )
    field.fill("nothing > 1 and ")
    expect(alert).to_contain_text("is named “nothing”")
    expect(suggestions).to_have_count(0)

    # A bad query says where and keeps the last good result
    go(page, "#/scalars?smoothing=0.6")
    field = query(page, "lr < 0.05")
    has_rows(page, "b", "c")
    field.fill("lr < 0.05 and nothing > 1")
    expect(page.get_by_role("alert")).to_have_text(
        "At character 15: No hyperparameter, metric or column is named “nothing”."
    )
    has_rows(page, "b", "c")
    page.get_by_role("radio", name="regex").check(force=True)
    page.get_by_role("textbox", name="Filter runs (regex)").fill("c")
    has_rows(page, "c")
    page.get_by_role("button", name="Clear the query").click()
    has_rows(page, "c")
    page.get_by_role("textbox", name="Filter runs (regex)").fill("")
    is_shown(page, "5 of 5")

    # It is completed by keyboard
    go(page, "#/scalars?smoothing=0.6")
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


# Colours


def hue(color: str) -> float:
    return colorsys.rgb_to_hsv(*(channel / 255 for channel in bytes.fromhex(color[1:])))[0] * 360


def test_shown_runs_differ_in_hue_and_parts_of_one_run_in_line(open_page, page):
    """Of a hundred runs, many have shades of one hue; those that are shown together do not."""
    names = [f"run{i:03}" for i in range(100)]
    open_page(runs(*names, "run000/train", "run000/validation"), "#/scalars?smoothing=0")
    own = run_color(page, "run000")
    filter_field = page.get_by_role("textbox", name="Filter runs (regex)")
    filter_field.fill("run0[0-7]0$")
    has_rows(page, *names[:80:10])
    wait_ready(page)
    shown = {name: run_color(page, name) for name in names[:80:10]}
    hues = sorted(hue(color) for color in shown.values())
    assert min(b - a for a, b in pairwise(hues)) > 5
    assert shown["run000"] == own
    assert all(is_drawn(page, "loss", color) for color in shown.values())
    reload(page)
    assert {name: run_color(page, name) for name in shown} == shown
    filter_field.fill("run000/")
    wait_ready(page)
    looks = {
        part: page.get_by_role("checkbox", name=f"run000/{part}", exact=True).evaluate(
            "(box) => getComputedStyle(box).backgroundImage"
        )
        for part in ("train", "validation")
    }
    assert [look.startswith("repeating") for look in looks.values()] == [True, False]
    assert is_drawn(page, "loss", run_color(page, "run000/validation"))


def test_colors_by_pattern_with_a_preview(open_page):
    page = open_page(runs("a/train", "a/val", "b/train", "other"))
    own = run_color(page, "other")
    choose(page, "Run table", "Colour runs by…")
    dialog = page.get_by_role("dialog", name="Colour runs by")
    dialog.get_by_role("radio", name="Pattern").check(force=True)
    field = dialog.get_by_role("textbox", name="Pattern (regex)")
    field.fill("(")
    expect(dialog.get_by_role("alert")).to_contain_text("Not a regular expression")
    field.fill("nothing")
    expect(dialog.get_by_text("No run names match this pattern.")).to_be_visible()
    field.fill("(train|val)")
    expect(dialog.get_by_role("list", name="Groups").get_by_role("listitem")).to_have_count(3)
    expect(dialog.get_by_role("listitem").filter(has_text="a/train, b/train")).to_be_visible()
    dialog.get_by_role("button", name="Save").click()
    wait_ready(page)
    assert run_color(page, "a/train") == run_color(page, "b/train") != run_color(page, "a/val")
    assert run_color(page, "other") == "#a3abba"
    assert is_drawn(page, "loss", run_color(page, "a/train"))
    address_has(page, "color=regex:(train|val)")
    expect(page.get_by_role("group", name="Run colours")).to_contain_text("train")
    page.get_by_role("button", name="Reset run colours").click()
    wait_ready(page)
    assert run_color(page, "other") == own


# Marks


def test_labels_and_the_archive(open_page):
    page = open_page(runs("a", "b", "c", "d"))
    choose_for(page, "a", "Labels…")
    expect(page.get_by_role("textbox", name=re.compile("^Add labels"))).to_be_focused()
    page.keyboard.type("good, two words")
    page.keyboard.press("Enter")
    box(page, "d").uncheck()
    choose(page, "More ways to select", "Label shown runs…")
    dialog = page.get_by_role("dialog", name="Labels")
    expect(dialog.get_by_role("checkbox", name="good")).to_have_js_property("indeterminate", True)
    dialog.get_by_role("checkbox", name="good").check()
    dialog.get_by_role("button", name="Save").click()
    row(page, "a").get_by_role("button", name="Runs labelled two words").click()
    has_rows(page, "a")
    address_has(page, "query=label")
    query(page, "label:good and not label:'two words'")
    has_rows(page, "b", "c")
    address_has(page, "query=label:good")
    reload(page)
    has_rows(page, "b", "c")
    query(page, "")

    choose(page, "More ways to select", "Hide deselected runs")
    has_rows(page, "a", "b", "c")
    expect(page.get_by_role("button", name="List hidden runs too")).to_contain_text("1 hidden")
    choose_for(page, "b", "Hide")
    # One message at a time.
    expect(page.get_by_role("log", name="Messages").get_by_role("status")).to_have_count(1)
    choose(page, "Run table", "Unhide all runs")
    has_rows(page, "a", "b", "c", "d")


def test_runs_with_nan_are_found_and_gone_to(open_page):
    source = runs("a", "b")
    source.add_scalars("b", "grad/norm", step=[0, 30], value=[1.0, float("nan")], wall_time=[1.0, 2.0])
    source.add_scalars("b", "val/loss", step=[0, 40], value=[1.0, float("inf")], wall_time=[1.0, 3.0])
    page = open_page(source)
    query(page, "has:nan")
    has_rows(page, "b")
    query(page, "has:inf and not has:nan")
    expect(page.get_by_text("No runs match this filter.")).to_be_visible()
    query(page, "")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Find anything")).to_be_visible()
    page.keyboard.type("first nan")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="First NaN across tags")
    expect(dialog.get_by_role("row")).to_have_text(
        [re.compile("Metric"), re.compile("grad/norm"), re.compile("val/loss")]
    )
    dialog.get_by_role("button", name="grad/norm").click()
    address_has(page, "cursor=30")
    expect(page.get_by_role("article", name="grad/norm")).to_be_visible()


def test_names_are_shown_for_what_they_are(open_page):
    source = runs("safe\u202egnp.exe", "x")
    source.add_scalars("x", "two\nlines", step=[0, 1], value=[1.0, 2.0])
    page = open_page(source)
    expect(table(page)).to_contain_text("safe⟨202E⟩gnp.exe")
    expect(page.get_by_role("heading", name="two␊lines")).to_be_visible()
    expect(card(page, "two\nlines").get_by_title("Full screen: two␊lines")).to_be_attached()
    choose_for(page, "x", "Rename…")
    # Its code is loaded when it opens.
    expect(page.get_by_role("textbox", name="Display name")).to_be_focused()
    page.keyboard.type("with/without")
    page.keyboard.press("Enter")
    expect(row(page, "x")).to_contain_text("with/without")
    expect(row(page, "x").locator(".folders")).to_have_count(0)
    # Without columns there is nothing to scroll to.
    assert table(page).evaluate("(grid) => grid.scrollWidth - grid.clientWidth") == 0
    go(page, "#/scalars?group=config")
    legend = page.get_by_role("list", name="Legend").first
    expect(legend.get_by_role("listitem").first).to_have_text(re.compile("safe⟨202E⟩gnp.exe"))


def test_marks_travel_as_a_file_and_are_kept(open_page, tmp_path):
    # As a file
    page = open_page(runs("a", "b"))
    row(page, "a").hover()
    page.get_by_role("button", name="Star a").click()
    with page.expect_download() as saved:
        choose(page, "Run table", "Export marks")
    marks = json.loads(saved.value.path().read_text())
    assert marks["runs"] == {"a": {"isStarred": True}}

    marks["runs"] = {"b": {"isHidden": True, "name": "x"}}
    file = tmp_path / "marks.json"
    file.write_text(json.dumps(marks))
    with page.expect_file_chooser() as chooser:
        choose(page, "Run table", "Import marks…")
    chooser.value.set_files(file)
    has_rows(page, "a")
    expect(page.get_by_text("Marks imported: 2 runs marked.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    has_rows(page, "a", "b")

    file.write_text("{}")
    with page.expect_file_chooser() as chooser:
        choose(page, "Run table", "Import marks…")
    chooser.value.set_files(file)
    expect(page.get_by_text("Not a file of run marks")).to_be_visible()

    # Colour, name and note are kept
    go(page, "#/scalars?smoothing=0.6")
    choose_for(page, "b", "Rename…")
    dialog = page.get_by_role("dialog", name="Edit run")
    dialog.get_by_label("Display name").fill("the good one")
    dialog.get_by_label("Note").fill("<b>bold</b>")
    dialog.get_by_label("Colour", exact=True).fill("#123456")
    dialog.get_by_role("button", name="Save").click()
    wait_ready(page)
    assert run_color(page, "b") == "#123456"
    assert is_drawn(page, "loss", "#123456")
    expect(row(page, "b")).to_contain_text("the good one")
    expect(row(page, "b").get_by_role("img", name="Note: <b>bold</b>")).to_be_visible()
    reload(page)
    assert run_color(page, "b") == "#123456"
    page.get_by_role("textbox", name="Filter runs (regex)").fill("good one")
    has_rows(page, "b")
