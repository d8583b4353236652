"""The analyses of HParams in a browser: what matters, front, map, scatters, slices, effects, comparisons and the best so far,
linked by brushes, selection and hover."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.page import card, read_canvas

import runglass
from runglass.query.source import DataSource

RATES = (1e-4, 1e-3, 1e-2)


def write_grid(folder: Path) -> None:
    """A grid of 3 × 2 × 2 × 2: the rate matters most, the optimizer adds 0.02 everywhere, width costs latency."""
    grid = itertools.product(RATES, ("adam", "sgd"), (64, 128), (1, 2))
    for number, (rate, optimizer, width, seed) in enumerate(grid):
        accuracy = 0.9 - 0.1 * abs(np.log10(rate) + 3) + 0.02 * (optimizer == "adam") + 0.01 * (width == 128)
        with runglass.SummaryWriter(folder / f"trial-{number:02}") as writer:
            writer.add_hparams(
                {"lr": rate, "optimizer": optimizer, "width": width, "seed": seed, "epochs": 3},
                {"accuracy": accuracy + 0.001 * seed, "latency": width / 10 + seed / 100},
            )


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    folder = tmp_path_factory.mktemp("sweep")
    write_grid(folder)
    return runglass.open(folder).source


def view(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def cells(table: Locator) -> list[list[str]]:
    return [
        [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]
        for row in table.locator("tbody tr").all()
    ]


def drag(page: Page, chart: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Places as shares of the chart, from the left and the top."""
    box = chart.bounding_box()
    assert box
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (start, end)]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=4)
    page.mouse.up()


def test_says_what_matters_and_where(open_page, sweep):
    page = open_page(sweep, "#/hparams")
    matters = view(page, "What matters")
    expect(matters).to_have_attribute("data-ready", "true")
    names = matters.locator("li .name").all_inner_texts()
    assert names[0] == "lr"
    expect(
        matters.get_by_role("button", name=re.compile(r"^lr: \d+ % of the variance.*24 runs", re.S))
    ).to_be_visible()
    expect(matters).to_contain_text("R²")

    # The metric in conflict is chosen by itself, and a click in the map brushes the runs of a cell.
    front = view(page, "Pareto")
    expect(front.get_by_label("Vertical metric")).to_have_value("m:|accuracy|last")
    expect(front.get_by_label("Horizontal metric")).to_have_value("m:|latency|last")
    expect(front.get_by_role("img", name="accuracy against latency, 4 runs on the front")).to_be_visible()
    heat = page.get_by_role("group", name=re.compile("^Mean accuracy by"))
    heat.get_by_role("button", name=re.compile(r"lr 1e−3\b.*4 runs|1e−3.*4 runs", re.S)).first.click()
    expect(page).to_have_url(re.compile("hparams.brush"))
    expect(page.get_by_role("main")).to_contain_text("of 24 runs")

    # Pinned, it is a card of the Overview.
    matters.get_by_role("button", name="Pin What matters").click()
    page.get_by_role("link", name="Overview").click()
    expect(card(page, "What matters")).to_contain_text("for accuracy")


def test_a_brush_in_one_cell_leaves_the_same_runs_in_all(open_page, sweep):
    page = open_page(sweep, "#/hparams?option=hparams.view;matrix")
    matrix = page.get_by_role("img", name="Scatter matrix of 2 metrics")
    strips = view(page, "Scatter matrix").locator("canvas")
    expect(strips.first).to_be_visible()
    before = [read_canvas(strip) for strip in strips.all()]
    # The upper half of the first cell: the best accuracies.
    drag(page, matrix, (0.06, 0.02), (0.19, 0.2))
    expect(page).to_have_url(re.compile("hparams.brush"))
    for strip, old in zip(strips.all(), before, strict=True):
        assert (read_canvas(strip) != old).any()

    page.get_by_role("radio", name="Scatter", exact=True).check(force=True)
    scatter = view(page, "Scatter")
    scatter.get_by_label("Means of groups by").select_option(label="optimizer")
    scatter.get_by_label("Size by").select_option(label="width")
    expect(scatter.locator(".mean")).to_have_count(2)
    expect(scatter.locator(".sizes")).to_contain_text("width")
    expect(page).to_have_url(re.compile("hparams.scatter"))


def test_effects_are_matched_on_the_other_settings(open_page, sweep):
    page = open_page(sweep, "#/hparams?option=hparams.view;effect&option=hparams.effect;h:optimizer")
    effect = view(page, "Effect")
    expect(effect.get_by_role("table")).to_be_visible()
    (adam, sgd) = cells(effect.get_by_role("table"))
    assert adam[0].startswith("adam baseline")
    # The rate moves the accuracy by 0.1, so that the difference of means is unclear; six sets of equal settings agree.
    assert "−0.0200" in sgd[5]
    assert sgd[7].startswith("−0.0200")
    assert "6 sets, 24 runs" in sgd[7]
    expect(effect.locator("b.unclear")).to_have_count(1)
    expect(effect.locator("b.worse")).to_have_count(1)

    page.get_by_role("radio", name="Slices").check(force=True)
    for name in ("lr", "optimizer", "width"):
        expect(page.get_by_role("img", name=f"accuracy against {name}")).to_be_visible()

    page.get_by_role("radio", name="Best so far").check(force=True)
    expect(view(page, "Best so far")).to_contain_text("since the best one")
    records = cells(view(page, "Best so far").get_by_role("table"))
    assert (records[-1][0], records[0][1]) == ("trial-00", "0.9320")


def test_compares_selected_runs_with_a_baseline(open_page, sweep):
    page = open_page(sweep, "#/hparams?option=hparams.view;compare")
    compare = view(page, "Compare")
    compare.get_by_role("button", name="Compare the 3 best").click()
    expect(compare.get_by_role("columnheader")).to_have_count(3)
    rows = {row[0].split()[0]: row[1:] for row in cells(compare.get_by_role("table"))}
    assert rows["accuracy"][0].endswith("0.9320")
    assert "−0.001 (−0.11 %)" in rows["accuracy"][1]
    assert not {"epochs", "lr", "optimizer"} & set(rows)
    assert len(rows["seed"]) == 3
    compare.get_by_role("button", name=re.compile("^Show 3 settings")).click()
    expect(compare.get_by_role("row", name="epochs 3")).to_be_visible()
    compare.get_by_role("button", name="make baseline").last.click()
    expect(page).to_have_url(re.compile("hparams.compared"))
    # Other dashboards show the selected runs alone, and one click undoes it.
    expect(page.get_by_role("button", name="Show all runs again")).to_be_visible()
