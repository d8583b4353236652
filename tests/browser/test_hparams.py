"""HParams in a browser: brushes on lines and in the heads of the table, and what they do to every other page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, read_canvas, reload, wait_ready

import runglass
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource
from runglass.store.model import Kind

RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)


def write_sweep(folder: Path) -> None:
    """16 runs: eight rates, two optimizers. One run has no dropout, one diverged, all have the same number of epochs."""
    for number, rate in enumerate([*RATES, *RATES]):
        optimizer = "adam" if number < len(RATES) else "sgd"
        settings = {
            "lr": rate,
            "optimizer": optimizer,
            "epochs": 10,
            "seed": number % 2,
            "dropout": number / 20,
        }
        if number == 3:
            del settings["dropout"]
        accuracy = float("nan") if number == 15 else 0.9 - number / 100
        with runglass.SummaryWriter(folder / f"trial-{number:02}") as writer:
            for step in range(3):
                writer.add_scalar("loss", 1 / (1 + step + number), step)
            writer.add_hparams(settings, {"accuracy": accuracy})
    (folder / "trial-00/config.yaml").write_text("model: {depth: 18}\n")
    (folder / "trial-01/config.yaml").write_text("model: [\n")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    folder = tmp_path_factory.mktemp("sweep")
    write_sweep(folder)
    return runglass.open(folder).source


def lines(page: Page) -> Locator:
    return page.get_by_role("region", name="Parallel coordinates")


def table(page: Page) -> Locator:
    return page.get_by_role("treegrid", name="Runs and their hyperparameters")


def names(page: Page) -> list[str]:
    return table(page).get_by_role("rowheader").locator(".text").all_inner_texts()


def headline(page: Page) -> Locator:
    return page.locator(".headline")


def axis_at(page: Page, name: str, y: float) -> tuple[float, float]:
    """A place on an axis; y from 0 at its upper end to 1 at its lower end, above 1 for missing values."""
    head = page.get_by_role("button", name=f"Axis {name}", exact=True).bounding_box()
    plot = lines(page).locator("svg[role=img]").bounding_box()
    assert head
    assert plot
    return head["x"] + head["width"] / 2, plot["y"] + 14 + 168 * y


def drag_axis(page: Page, name: str, start: float, end: float) -> None:
    page.mouse.move(*axis_at(page, name, start))
    page.mouse.down()
    page.mouse.move(*axis_at(page, name, end), steps=3)
    page.mouse.up()


def axes(page: Page) -> list[str]:
    return lines(page).locator(".heads .name .text").all_inner_texts()


def test_the_table_is_requested_once(open_page: Callable[..., Page], page: Page, sweep: DataSource) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(sweep, "#/hparams")
    expect(table(page).get_by_role("row").nth(1)).to_be_visible()
    assert sum(url.endswith("/api/hparams/table") for url in asked) == 1


def test_brushes_select_runs_on_every_page(open_page, sweep):
    page = open_page(sweep, "#/hparams")
    expect(headline(page)).to_contain_text("16 runs with hyperparameters")
    expect(headline(page)).to_contain_text("best 0.9000 trial-00")
    canvas = lines(page).locator("canvas")
    expect(canvas).to_have_attribute("data-lines", "16")
    assert (read_canvas(canvas)[..., 3] > 0).any()

    # The lower half of a logarithmic axis, then one of two categories.
    drag_axis(page, "lr", 0.5, 1)
    expect(headline(page)).to_contain_text("8 of 16 runs")
    page.mouse.click(*axis_at(page, "optimizer", 0.75))
    expect(headline(page)).to_contain_text("4 of 16 runs")
    expect(headline(page)).to_contain_text("optimizer adam")
    expect(headline(page)).to_contain_text("95 %:")
    expect(canvas).to_have_attribute("data-lines", "4")
    assert names(page) == ["trial-00", "trial-01", "trial-02", "trial-03"]
    address_has(page, "hparams.brush")

    # The run table lists what is left, on this page and on others, also after a reload.
    runs = page.get_by_role("complementary", name="Runs")
    expect(runs).to_contain_text("Brushed in HParams")
    expect(runs).to_contain_text("12 runs outside the brushes")
    page.get_by_role("link", name="Scalars", exact=True).click()
    expect(runs).to_contain_text("4 of 16 shown")
    reload(page)
    expect(runs).to_contain_text("4 of 16 shown")
    runs.get_by_role("button", name="Show all runs again").click()
    expect(runs).to_contain_text("16 of 16 shown")
    page.get_by_role("link", name="HParams").click()
    expect(headline(page)).to_contain_text("16 runs")

    # A brush on the metric itself is no finding; a row that is selected is the only one elsewhere.
    drag_axis(page, "accuracy", -0.05, 0.5)
    expect(page.get_by_role("button", name="Remove the brush of accuracy")).to_be_visible()
    expect(headline(page)).not_to_contain_text("95 %:")
    page.get_by_role("button", name="Remove all brushes and show all runs").click()
    table(page).get_by_role("row", name="trial-05").click()
    expect(runs).to_contain_text("1 of 16 shown")
    expect(headline(page)).to_contain_text("1 selected")


def test_axes_are_moved_flipped_hidden_and_scaled(open_page, sweep):
    page = open_page(sweep, "#/hparams")
    assert axes(page)[-1] == "accuracy"
    assert "epochs" not in axes(page)
    page.get_by_role("button", name="Axis lr", exact=True).click()
    expect(page.get_by_role("menuitemcheckbox", name="Log scale")).to_be_checked()
    page.get_by_role("menuitemcheckbox", name="Quantile scale").click()
    expect(page.get_by_role("button", name="Axis lr", exact=True)).to_contain_text("quantile")
    page.get_by_role("button", name="Axis lr", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Flip").click()
    expect(page.get_by_role("button", name="Axis lr", exact=True)).to_contain_text("flipped")
    page.get_by_role("button", name="Axis seed", exact=True).click()
    page.get_by_role("menuitem", name="Hide").click()
    assert "seed" not in axes(page)

    # Dragged by its head to the left end.
    head = page.get_by_role("button", name="Axis accuracy", exact=True).bounding_box()
    first = page.get_by_role("button", name=f"Axis {axes(page)[0]}", exact=True).bounding_box()
    assert head
    assert first
    page.mouse.move(head["x"] + 30, head["y"] + 8)
    page.mouse.down()
    page.mouse.move(first["x"] + 20, first["y"] + 8, steps=6)
    page.mouse.up()
    assert axes(page)[0] == "accuracy"

    # What is the same in all runs can be added by search.
    lines(page).get_by_role("button", name="Columns").click()
    page.get_by_role("textbox", name="Search columns (regex)").fill("epoch")
    page.get_by_role("checkbox", name="epochs").check()
    page.keyboard.press("Escape")
    assert "epochs" in axes(page)

    # Missing values have a place of their own.
    page.mouse.click(*axis_at(page, "dropout", 1.13))
    expect(headline(page)).to_contain_text("1 of 16 runs")
    assert names(page) == ["trial-03"]
    page.get_by_role("button", name="Remove the brush of dropout").click()

    # All of it is in the address, a moment after the last change.
    before = axes(page)
    page.wait_for_function("() => location.hash.includes('h:epochs') && !location.hash.includes('brush')")
    reload(page)
    assert axes(page) == before

    # The run under the pointer shows its values, and is lit in the table and in the run table.
    row = table(page).get_by_role("row", name="trial-05")
    row.hover()
    expect(lines(page).locator("text.value").filter(has_text="0.8500")).to_be_visible()
    expect(page.get_by_role("complementary", name="Runs").locator(".nearest")).to_contain_text("trial-05")


def test_table_sorts_filters_groups_and_opens(open_page, sweep):
    page = open_page(sweep, "#/hparams")
    assert names(page)[:2] == ["trial-00", "trial-01"]
    # Only rows in the window exist. NaN is last.
    table(page).evaluate("(element) => element.scrollIntoView({ block: 'end' })")
    expect(table(page).get_by_role("row", name="trial-15")).to_be_visible()
    assert names(page)[-1] == "trial-15"
    expect(table(page).get_by_role("row", name="trial-00")).to_contain_text("▲")
    table(page).get_by_role("button", name="Sort by optimizer", exact=True).click()
    table(page).get_by_role("button", name="Sort by accuracy (last)").click(modifiers=["Shift"])
    table(page).get_by_role("button", name="Sort by accuracy (last)").click(modifiers=["Shift"])
    assert names(page)[:2] == ["trial-07", "trial-06"]

    # A histogram is a brush, and so is the filter of a column.
    head = table(page).get_by_role("columnheader").filter(has_text="dropout")
    histogram = head.locator(".histogram").bounding_box()
    assert histogram
    page.mouse.move(histogram["x"] + 1, histogram["y"] + 10)
    page.mouse.down()
    page.mouse.move(histogram["x"] + histogram["width"] / 2, histogram["y"] + 10, steps=3)
    page.mouse.up()
    expect(headline(page)).to_contain_text("7 of 16 runs")
    head.hover()
    head.get_by_role("button", name="Column dropout").click()
    page.get_by_role("menuitem", name="Filter…").click()
    panel = page.get_by_role("dialog", name="Filter by dropout")
    panel.get_by_role("button", name="Remove this filter").click()
    panel.get_by_role("button", name="Close").click()
    expect(headline(page)).to_contain_text("16 runs")

    # The run table's query language filters all of it.
    query = page.get_by_role("region", name="Table of runs").get_by_role("combobox", name="Query runs")
    query.fill("lr < 1e-3 and optim")
    suggested = page.get_by_role("listbox", name="Suggestions: Query runs")
    suggested.get_by_role("option", name="optimizer").click()
    query.press_sequentially("== ad")
    suggested.get_by_role("option", name="adam").click()
    expect(headline(page)).to_contain_text("2 runs")
    query.fill("")
    expect(headline(page)).to_contain_text("16 runs")

    # Groups: means of repeats, each opens into its runs.
    page.get_by_role("combobox", name="Group by").select_option("h:optimizer")
    expect(table(page).get_by_role("rowheader")).to_have_count(2)
    adam = table(page).get_by_role("row").filter(has_text="optimizer adam")
    expect(adam).to_contain_text("n 8")
    expect(adam).to_contain_text("0.8650")
    page.get_by_role("combobox", name="Aggregate").select_option("max")
    expect(adam).to_contain_text("0.9000")
    adam.click()
    expect(table(page).get_by_role("rowheader")).to_have_count(10)
    page.get_by_role("combobox", name="Group by").select_option("")

    # A row opens to the curves of its runs.
    table(page).get_by_role("button", name="Open trial-07").click()
    curve = page.get_by_role("article", name="loss")
    expect(curve).to_have_attribute("data-ready", "true")
    address_has(page, "hparams.sort")


def test_exports_matching_rows_and_says_what_is_wrong(open_page, sweep):
    page = open_page(sweep, "#/hparams?option=hparams.brush;h:optimizer%5C;%3Dsgd")
    expect(headline(page)).to_contain_text("8 of 16 runs")

    def save(label: str) -> bytes:
        page.get_by_role("button", name="Export 8 rows").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=label).click()
        return Path(download.value.path()).read_bytes()

    rows = list(csv.DictReader(io.StringIO(save("CSV").decode())))
    assert [row["run"] for row in rows] == names(page)
    assert (rows[0]["optimizer"], float(rows[0]["lr"])) == ("sgd", 1e-4)
    assert float(rows[0]["accuracy"]) == pytest.approx(0.82)
    assert json.loads(save("JSON"))[-1]["accuracy"] == "NaN"
    assert b"\\toprule" in save("LaTeX (booktabs)")
    assert save("Markdown").startswith(b"| run | accuracy |")
    arrow = pytest.importorskip("pyarrow.parquet")
    frame = arrow.read_table(io.BytesIO(save("Parquet"))).to_pydict()
    assert frame["run"] == names(page)
    assert frame["lr"][0] == 1e-4

    page.get_by_role("button", name=re.compile("problem")).click()
    expect(page.get_by_role("list", name="Problems")).to_contain_text("trial-01 · config.yaml")


def test_a_wide_sweep_is_scrolled_and_stays_in_place_when_a_run_is_added(page, serve, problems):
    source = MemorySource(locations=["logs"])

    def add_run(number: int) -> None:
        chosen = {f"setting {k:02}": (number * 7 + k) % 5 / 4 for k in range(40)}
        source.add_values(
            f"run {number}",
            "_hparams_/session_start_info",
            Kind.HPARAMS,
            step=[0],
            values=[{"session_start_info": {"hparams": chosen}}],
        )

    for number in range(5):
        add_run(number)
    page.route("**/api/hparams/table*", lambda route: route.fulfill(status=500, body="no"))
    page.goto(serve(source).url + "#/hparams")
    main = page.get_by_role("main")
    expect(main).to_contain_text("Could not load the sweep")
    expect(main.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/api/hparams/table*")
    # The page tries again by itself too: then this is a click on the headline.
    main.get_by_role("button", name="Try again").or_(headline(page)).first.click()
    expect(headline(page)).to_be_visible()
    wait_ready(page)
    problems.clear()
    expect(headline(page)).to_contain_text("5 runs")

    scroller = page.get_by_role("group", name="Axes")
    last = page.get_by_role("button", name="Axis setting 39", exact=True)
    expect(last).not_to_be_in_viewport()
    scroller.evaluate("(element) => (element.scrollLeft = element.scrollWidth)")
    expect(last).to_be_in_viewport()

    # On the last two axes, run 0 has the values 0.75 and 1, the upper two of five categories.
    x, y = axis_at(page, "setting 39", 0.2)
    page.mouse.click((x + axis_at(page, "setting 38", 0)[0]) / 2, y)
    expect(headline(page)).to_contain_text("1 selected")
    runs = page.get_by_role("complementary", name="Runs")
    expect(runs).to_contain_text("1 of 5 shown")
    expect(runs.get_by_role("checkbox", name="run 0", exact=True)).to_be_checked()
    scrolled = scroller.evaluate("(element) => element.scrollLeft")
    add_run(5)
    expect(headline(page)).to_contain_text("6 runs")
    expect(headline(page)).to_contain_text("1 selected")
    expect(lines(page).locator("canvas")).to_have_attribute("data-lines", "6")
    assert scroller.evaluate("(element) => element.scrollLeft") == scrolled


def test_says_why_there_is_nothing_to_compare(open_page):
    source = MemorySource(locations=["logs"])
    source.add_scalars("first", "loss", step=[0, 1], value=[1.0, 2.0])
    page = open_page(source, "#/hparams")
    expect(page.get_by_role("main")).to_contain_text("add_hparams")
