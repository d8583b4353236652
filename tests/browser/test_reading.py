"""Reading values off charts: the tooltip, selected x values and the data table, checked against the source."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, card, chart, go, reload, run_color, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import Kind

POINTS = 20_000
RUNS = ("a", "b", "c")


def noisy(runs=RUNS, tags=("loss",), points: int = POINTS) -> MemorySource:
    """More points than pixels, and no two values alike."""
    source = MemorySource(locations=["logs/noisy"])
    for number, run in enumerate(runs):
        for tag in tags:
            value = np.random.default_rng(number).normal(number + 1, 0.2, points)
            source.add_scalars(run, tag, step=np.arange(points) * 10, value=value)
    return source


def values_of(source: MemorySource, run: str, tag: str = "loss"):
    (columns,) = source.read_columns([(run, tag)])
    return columns


def point_at(page: Page, tag: str, x: float, y: float = 0.5) -> Locator:
    """Moves the pointer over a chart, as parts of its width and height, and waits for exact values."""
    box = chart(page, tag).bounding_box()
    page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    tip = page.get_by_role("tooltip")
    expect(tip).to_have_attribute("data-exact", "true")
    return tip


def shown_number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def header(tip: Locator) -> str:
    return tip.get_by_role("columnheader").first.inner_text()


def rows_of(table: Locator) -> dict[str, list[str]]:
    """By the name in its first column, the cells of every row in sight."""
    found = {}
    for row in table.get_by_role("row").all()[1:]:
        found[" ".join(row.get_by_role("rowheader").inner_text().split())] = row.get_by_role(
            "cell"
        ).all_inner_texts()
    return found


def select_at(page: Page, tag: str, x: float) -> None:
    """Clicks on the strip below the x axis."""
    box = chart(page, tag).bounding_box()
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] - 8)


def table_of(page: Page, tag: str) -> Locator:
    table = page.get_by_role("region", name=f"Values of {tag}", exact=True)
    expect(table).to_have_attribute("data-ready", "true")
    return table


def columns_of(table: Locator) -> list[str]:
    return [text.strip(" ↑↓") for text in table.get_by_role("columnheader").all_inner_texts()]


def choose(page: Page, table: Locator, item: str) -> None:
    table.get_by_role("button", name="Table actions").click()
    page.get_by_role("menuitem", name=item).or_(
        page.get_by_role("menuitemcheckbox", name=item, exact=True)
    ).click()


def test_values_are_read_by_tooltip_step_and_range(open_page, page):
    # The tooltip has the nearest of all points
    source = noisy()
    page = open_page(source, "#/scalars?smoothing=0")
    tip = point_at(page, "loss", 0.43)
    step = int(shown_number(header(tip).removeprefix("step ")))
    rows = rows_of(tip)
    assert set(rows) == set(RUNS)
    # The step is named once, above the rows.
    assert tip.get_by_role("columnheader").all_inner_texts()[1:] == ["value", "time", "relative"]
    for run, (value, time, relative) in rows.items():
        columns = values_of(source, run)
        index = step // 10
        assert columns.step[index] == step
        assert shown_number(value) == pytest.approx(float(columns.value[index]), abs=6e-5)
        assert time
        assert relative
    # It covers no part of the chart that is read.
    box, tip_box = card(page, "loss").bounding_box(), tip.bounding_box()
    assert (
        tip_box["x"] >= box["x"] + box["width"]
        or tip_box["y"] >= box["y"] + box["height"]
        or tip_box["x"] + tip_box["width"] <= box["x"]
        or tip_box["y"] + tip_box["height"] <= box["y"]
    )
    expect(tip).to_contain_text("click: move the cursor")
    page.mouse.move(5, 880)
    expect(tip).to_have_count(0)

    # A click below the axis selects one x and shows its numbers
    go(page, "#/scalars?smoothing=0")
    select_at(page, "loss", 0.6)
    table = table_of(page, "loss")
    assert columns_of(table) == ["Run", "Value", "Step", "Relative", "Time"]
    for run, (value, step, *_) in rows_of(table).items():
        columns = values_of(source, run)
        index = int(shown_number(step)) // 10
        assert shown_number(value) == pytest.approx(float(columns.value[index]), abs=6e-5)
    selected = table.get_by_text("nearest to step").inner_text()
    address_has(page, "selection:")
    reload(page)
    assert table_of(page, "loss").get_by_text("nearest to step").inner_text() == selected

    # A second click makes a range with statistics over all points
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    go(page, "#/scalars?smoothing=0")
    select_at(page, "loss", 0.3)
    table_of(page, "loss")
    select_at(page, "loss", 0.8)
    expect(card(page, "loss").get_by_text("–")).to_be_visible()
    table = table_of(page, "loss")
    for hidden in ("First step", "Last step", "Min at", "Max at"):
        choose(page, table, hidden)
        page.keyboard.press("Escape")
    choose(page, table, "Copy as TSV")
    expect(page.get_by_text("Table copied.")).to_be_visible()
    copied = list(
        csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()")), delimiter="\t")
    )
    assert [row["Run"] for row in copied] == list(RUNS)
    for row in copied:
        columns = values_of(source, row["Run"])
        first, last = int(row["First step"]), int(row["Last step"])
        part = columns.value[first // 10 : last // 10 + 1]
        assert 0 < first < last < 200_000
        assert int(row["Points"]) == len(part)
        assert float(row["Min"]) == part.min()
        assert float(row["Max"]) == part.max()
        assert float(row["Start"]) == part[0]
        assert float(row["End"]) == part[-1]
        assert float(row["Δ"]) == part[-1] - part[0]
        assert float(row["Δ %"]) == pytest.approx((part[-1] - part[0]) / abs(part[0]))
        assert float(row["Mean"]) == pytest.approx(part.mean())
        assert columns.value[int(row["Min at"]) // 10] == part.min()
        assert columns.value[int(row["Max at"]) // 10] == part.max()

    # The table is sorted by any column and loses those nobody wants
    go(page, "#/scalars?smoothing=0")
    select_at(page, "loss", 0.5)
    table = table_of(page, "loss")
    assert list(rows_of(table)) == ["a", "b", "c"]
    table.get_by_role("button", name="Value").click()
    expect(table.get_by_role("columnheader", name="Value")).to_have_attribute("aria-sort", "descending")
    assert list(rows_of(table)) == ["c", "b", "a"]
    table.get_by_role("button", name="Value").click()
    assert list(rows_of(table)) == ["a", "b", "c"]
    choose(page, table, "Relative")
    page.keyboard.press("Escape")
    assert columns_of(table) == ["Run", "Value", "Step", "Time"]
    reload(page)
    assert columns_of(table_of(page, "loss")) == ["Run", "Value", "Step", "Time"]

    # Differences to the baseline
    go(page, "#/scalars?smoothing=0&select=step")
    page.get_by_role("row", name="b", exact=True).hover()
    page.get_by_role("button", name="More for b", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Baseline").click()
    tip = point_at(page, "loss", 0.5)
    rows = rows_of(tip)
    assert rows["b ★"][-1] == ""
    for run in ("a", "c"):
        assert shown_number(rows[run][-1]) == pytest.approx(
            shown_number(rows[run][0]) - shown_number(rows["b ★"][0]), abs=2e-4
        )
        assert rows[run][-1][0] in "+−"
    table = table_of(page, "loss")
    assert columns_of(table)[-1] == "Δ baseline"
    # Of a run that is not shown too.
    page.get_by_role("checkbox", name="b", exact=True).uncheck(force=True)
    wait_ready(page)
    expect(table.get_by_role("row")).to_have_count(3)
    assert all(cells[-1] for cells in rows_of(table_of(page, "loss")).values())


def test_smoothed_values_and_the_cursor_of_all_charts_and_tabs(open_page):
    # The tooltip has smoothed and logged values of one point
    source = noisy(("only",), ("loss", "other"), points=50)
    source.add_values("only", "note", Kind.TEXT, step=[0, 100, 400], values=["first", "second", "third"])
    page = open_page(source, "#/scalars?smoothing=0.9")
    tip = point_at(page, "loss", 0.7)
    smoothed, value, *_ = rows_of(tip)["only"]
    columns = values_of(source, "only")
    index = int(shown_number(header(tip).removeprefix("step "))) // 10
    last, expected = 0.0, 0.0
    for count, each in enumerate(columns.value[: index + 1], 1):
        last = 0.9 * last + 0.1 * each
        expected = last / (1 - 0.9**count)
    assert shown_number(smoothed) == pytest.approx(expected, abs=6e-5)
    assert shown_number(value) == pytest.approx(float(columns.value[index]), abs=6e-5)

    # A click sets the cursor of all charts and tabs
    go(page, "#/scalars?smoothing=0")
    for tag in ("loss", "other"):
        expect(chart(page, tag).locator("line.marker")).to_have_count(0)
    point_at(page, "loss", 0.5)
    page.mouse.down()
    page.mouse.up()
    for tag in ("loss", "other"):
        expect(chart(page, tag).locator("line.marker")).to_have_count(1)
    chip = page.get_by_role("group", name="Cursor")
    address_has(page, "cursor=")
    found = re.search(r"cursor=(\d+)", page.url)
    assert found is not None
    expect(chip).to_contain_text(f"Step {found[1]}")
    page.get_by_role("link", name="Text", exact=True).click()
    wait_ready(page)
    expect(card(page, "note, only")).to_contain_text("second")
    expect(card(page, "note, only")).to_contain_text("nearest")
    page.get_by_role("link", name="Scalars", exact=True).click()
    wait_ready(page)
    chip.get_by_role("button", name="Move the cursor to the newest step").click()
    expect(chart(page, "loss").locator("line.marker")).to_have_count(0)

    # A linked range works on every tab
    go(page, "#/text?select=range&linked=1&at=50,250")
    note = card(page, "note, only")
    expect(note).to_contain_text("second")
    bar = page.get_by_role("group", name="Cursor", exact=True)
    slider = bar.get_by_role("slider")
    slider.press("Home")
    expect(bar.get_by_role("textbox")).to_have_value("50")
    bar.get_by_role("button", name="Clear the range").click()
    slider.press("End")
    expect(note).to_contain_text("third")


def test_tooltip_asks_for_one_x_at_a_time_and_for_few_series(open_page):
    page = open_page(noisy([f"run{i:03}" for i in range(100)], points=50), "#/scalars?smoothing=0")
    asked = []
    page.on("request", lambda request: asked.append(request))
    box = chart(page, "loss").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.move(box["x"] + box["width"] - 40, box["y"] + 60, steps=40)
    expect(page.get_by_role("tooltip")).to_have_attribute("data-exact", "true")
    tables = [request.post_data_json for request in asked if request.url.endswith("/scalars/table")]
    assert 1 <= len(tables) <= 40
    assert all(len(body["series"]) <= 32 for body in tables)


def test_tooltip_order_and_rows_are_the_users(page, open_page):
    page.add_init_script(
        f"localStorage.setItem('runglass-preferences', {json.dumps(json.dumps({'tipSort': 'alphabetical', 'tipRows': 3}))})"
    )
    open_page(noisy([f"run{i}" for i in (10, 9, 8, 2, 1)], points=50), "#/scalars?smoothing=0")
    # The line at the bottom is among the rows because it is the nearest one.
    tip = point_at(page, "loss", 0.5, 0.82)
    assert len(rows_of(tip)) == 3
    assert next(iter(rows_of(tip))) == "run1"
    expect(tip).to_contain_text("2 more")


def test_a_thousand_runs_are_read(open_page, page):
    # A held tooltip scrolls through them
    page = open_page(noisy([f"run{i:04}" for i in range(1_000)], points=10), "#/scalars?smoothing=0")
    tip = point_at(page, "loss", 0.5)
    assert len(rows_of(tip)) == 12
    expect(tip).to_contain_text("988 more")
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(tip).to_contain_text("Esc to release")
    first = set(rows_of(tip))
    assert 12 < len(first) < 40
    for _ in range(4):
        page.keyboard.press("PageDown")
    expect(tip.get_by_role("rowheader", name=sorted(first)[0], exact=True)).to_have_count(0)
    expect(tip).to_have_attribute("data-exact", "true")
    assert all(cells[0] for cells in rows_of(tip).values())
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)

    # A thousand rows are few elements
    go(page, "#/scalars?smoothing=0&select=step")
    table = table_of(page, "loss")
    grid = table.get_by_role("table")
    expect(grid).to_have_attribute("aria-rowcount", "1001")
    assert len(rows_of(table)) < 40
    table.get_by_role("button", name="Run").click()
    assert next(iter(rows_of(table))) == "run0999"


def test_numbers_of_a_range_are_all_raw_or_all_smoothed(open_page, page):
    source = MemorySource().add_scalars("zigzag", "loss", step=range(100), value=[0.0, 1.0] * 50)
    open_page(source, "#/scalars?smoothing=0.99&select=range")
    table = table_of(page, "loss")
    expect(table.get_by_role("radio", name="Smoothed")).to_be_checked()
    smoothed = dict(zip(columns_of(table)[1:], rows_of(table)["zigzag"], strict=True))
    assert 0 < shown_number(smoothed["End"]) < 1
    table.get_by_role("radio", name="Raw").check(force=True)
    raw = dict(zip(columns_of(table)[1:], rows_of(table)["zigzag"], strict=True))
    assert {name: shown_number(raw[name]) for name in ("Min", "Max", "Start", "End", "Mean")} == {
        "Min": 0, "Max": 1, "Start": 0, "End": 1, "Mean": 0.5,
    }  # fmt: skip
    # From 0, a change has no percentage.
    assert raw["Δ %"] == ""


def test_the_table_is_taken_along_as_markdown_and_csv(open_page, page, tmp_path: Path):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    source = noisy(("odd|name", "b"))
    open_page(source, "#/scalars?smoothing=0")
    select_at(page, "loss", 0.5)
    table = table_of(page, "loss")
    choose(page, table, "Copy as Markdown")
    expect(page.get_by_text("Table copied.")).to_be_visible()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith("| Run | Value | Step |")
    assert lines[3].startswith("| odd\\|name | ")
    with page.expect_download() as waiting:
        choose(page, table, "Download CSV")
    assert waiting.value.suggested_filename == "loss-table.csv"
    waiting.value.save_as(tmp_path / "table.csv")
    rows = {row["Run"]: row for row in csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text()))}
    for run in ("odd|name", "b"):
        columns = values_of(source, run)
        index = int(rows[run]["Step"]) // 10
        assert float(rows[run]["Value"]) == columns.value[index]
        assert float(rows[run]["Time"]) == columns.wall_time[index]


# As on a page without HTTPS; reading stays, for the test.
NO_CLIPBOARD_API = """{
  const real = navigator.clipboard;
  const value = { writeText: () => Promise.reject(new Error("no")), readText: () => real.readText() };
  Object.defineProperty(navigator, "clipboard", { value });
}"""


def test_without_the_clipboard_api_the_old_way_copies_or_the_text_is_shown(open_page, page):
    # The old way copies
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.add_init_script(NO_CLIPBOARD_API)
    open_page(noisy(("only",)), "#/scalars?smoothing=0")
    select_at(page, "loss", 0.5)
    choose(page, table_of(page, "loss"), "Copy as TSV")
    expect(page.get_by_text("Table copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("Run\tValue\t")

    # Without a clipboard the text is shown
    page.evaluate("document.execCommand = () => false")
    choose(page, table_of(page, "loss"), "Copy as TSV")
    text = page.get_by_role("dialog").get_by_role("textbox", name="Table")
    assert text.input_value().startswith("Run\tValue\t")
    expect(text).to_be_focused()
    assert text.evaluate("(field) => field.selectionEnd - field.selectionStart === field.value.length")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_linked_selection_and_one_on_a_time_axis(open_page, page):
    # A linked selection is every card's and clipped where data ends
    source = noisy(("a",), points=100)
    source.add_scalars("a", "short", step=range(0, 300, 10), value=np.arange(30.0))
    open_page(source, "#/scalars?smoothing=0&select=step&linked=1")
    wait_ready(page)
    assert rows_of(table_of(page, "loss"))["a"][1] == "990"
    assert rows_of(table_of(page, "short"))["a"][1] == "290"
    # A second one makes a range of it, on both cards; one of them has points in a part of it only.
    select_at(page, "loss", 0.2)
    for tag in ("loss", "short"):
        assert columns_of(table_of(page, tag))[1] == "Min"
    expect(table_of(page, "short").get_by_text("– 290")).to_be_visible()
    expect(table_of(page, "loss").get_by_text("– 990")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Chart settings").click()
    page.get_by_role("radio", name="None", exact=True).check(force=True)
    expect(page.get_by_role("region", name="Values of loss")).to_have_count(0)

    # A selection works on a time axis
    go(page, "#/scalars?smoothing=0&x=relative")
    select_at(page, "loss", 0.5)
    table = table_of(page, "loss")
    expect(table.get_by_text("nearest to relative")).to_be_visible()
    step = shown_number(rows_of(table)["a"][1])
    assert 200 < step < 800


def test_groups_have_a_row_each(open_page, page):
    source = noisy(("x/seed0", "x/seed1", "y/seed0"), points=100)
    open_page(source, "#/scalars?smoothing=0&group=directory:1&select=step")
    table = table_of(page, "loss")
    assert columns_of(table)[:3] == ["Group", "n", "Value"]
    rows = rows_of(table)
    last = {run: float(values_of(source, run).value[-1]) for run in ("x/seed0", "x/seed1", "y/seed0")}
    assert rows["x"][0] == "2"
    assert shown_number(rows["x"][1]) == pytest.approx((last["x/seed0"] + last["x/seed1"]) / 2, abs=6e-5)
    assert shown_number(rows["y"][1]) == pytest.approx(last["y/seed0"], abs=6e-5)
    box = chart(page, "loss").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("low – high")
    assert rows_of(tip)["x"][2] == "2"
    # What a band shows is all there is to know: it does not wait for other points.
    expect(tip).to_have_attribute("data-exact", "true")
    assert shown_number(header(tip).removeprefix("step ")).is_integer()
    assert run_color(page, "x/seed0") == run_color(page, "x/seed1") != run_color(page, "y/seed0")


def test_a_short_name_leaves_its_folder_whole(open_page, page):
    open_page(noisy(("seven/i", "seven/x"), points=100), "#/scalars?smoothing=0")
    folders = point_at(page, "loss", 0.5).locator(".folders")
    expect(folders).to_have_text(["seven/", "seven/"])
    assert (
        folders.evaluate_all("(all) => all.filter((each) => each.scrollWidth > each.clientWidth).length") == 0
    )


def test_a_table_fails_is_tried_again_and_follows_new_points(open_page, page, problems):
    # A table that fails says so and is tried again
    source = noisy(("a",), points=10)
    open_page(source, "#/scalars?smoothing=0")
    error = {"code": "internal", "message": "The table failed.", "where": None}
    page.route(
        "**/api/scalars/table",
        lambda route: route.fulfill(
            status=500, content_type="application/json", body=json.dumps({"error": error})
        ),
    )
    select_at(page, "loss", 0.5)
    alert = card(page, "loss").get_by_role("alert")
    expect(alert).to_contain_text("The table failed.")
    page.unroute("**/api/scalars/table")
    alert.get_by_role("button", name="Try again").click()
    assert "a" in rows_of(table_of(page, "loss"))
    expect(alert).to_have_count(0)
    assert all("500" in problem for problem in problems)
    problems.clear()

    # It follows new points
    go(page, "#/scalars?smoothing=0&select=step")
    assert rows_of(table_of(page, "loss"))["a"][1] == "90"
    source.add_scalars("a", "loss", step=[500], value=[7.5])
    expect(table_of(page, "loss").get_by_role("cell", name=re.compile(r"^7\.50*$"))).to_be_visible()
