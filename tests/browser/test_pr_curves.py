"""PR curves in a browser: curves of real logs, at the cursor's step, in every view, and what is wrong with a curve said."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect
from tests.support.page import address_has, card, chart, go, is_drawn, run_color, wait_ready

import runglass
from runglass.query.memory import MemorySource
from runglass.store.model import Kind
from runglass.writer.values.pr_curves import pr_curve_rows

GOLDEN = Path(__file__).parents[1] / "golden/logs"
SCALAR = {"step": [0, 1], "value": [1.0, 2.0]}


def rows(seed: int, sharpness: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    labels = rng.random(300) < 0.3
    noise = rng.normal(size=300)
    return np.asarray(pr_curve_rows(labels, 1 / (1 + np.exp(-(labels * 2 - 1) * sharpness - noise))))


def two_runs() -> MemorySource:
    source = MemorySource(locations=["logs/curves"])
    for seed, run, steps in ((1, "first", [0, 10, 20]), (2, "second", [0, 15])):
        values = [rows(seed, 0.3 + step / 10) for step in steps]
        source.add_values(run, "classes/cat", Kind.PR_CURVE, step=steps, values=values)
        source.add_scalars(run, "loss", **SCALAR)
    return source


def cells(page: Page, tag: str) -> list[list[str]]:
    """Run, step and score of every curve, from the legend."""
    table = card(page, tag).get_by_role("table", name="Legend")
    return [
        [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]
        for row in table.locator("tbody tr").all()
    ]


def test_shows_curves_of_real_logs(open_page):
    page = open_page(runglass.open(GOLDEN / "tb_pr_curve/logdir").source, "#/pr_curves")
    expect(page.get_by_role("button", name="pr 5")).to_be_visible()
    expect(card(page, "pr/default")).to_have_attribute("data-ready", "true")
    assert is_drawn(page, "pr/default", run_color(page, "sharp"))
    assert is_drawn(page, "pr/default", run_color(page, "blurry"))
    assert cells(page, "pr/default") == [["blurry", "4", "0.8185"], ["sharp", "4", "0.9999"]]


def test_shows_every_class_of_torch_as_small_multiples(open_page):
    source = runglass.open(GOLDEN / "story_pytorch_digits/logdir").source
    page = open_page(source, "#/pr_curves")
    # Classes without a prefix have no heading.
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_count(0)
    page.get_by_role("checkbox", name="Compact").check()
    address_has(page, "option=pr_curves.compact;1")
    wait_ready(page)
    expect(page.get_by_role("article")).to_have_count(10)
    box = card(page, "0").bounding_box()
    assert box
    assert (box["height"] < 200, box["width"] < 350) == (True, True)
    expect(card(page, "0").get_by_role("list", name="Legend")).to_contain_text("0.9971")


def test_curves_at_every_step_in_every_view_and_as_files(open_page):
    # Every run shows the step nearest to the cursor
    source = two_runs()
    page = open_page(source, "#/pr_curves")
    assert [row[:2] for row in cells(page, "classes/cat")] == [["first", "20"], ["second", "15"]]
    slider = card(page, "classes/cat").get_by_role("slider", name="Step of classes/cat")
    slider.focus()
    page.keyboard.press("Home")
    address_has(page, "cursor=0")
    wait_ready(page)
    before = cells(page, "classes/cat")
    assert [row[:2] for row in before] == [["first", "0"], ["second", "0"]]
    page.keyboard.press("ArrowRight")
    address_has(page, "cursor=10")
    wait_ready(page)
    after = cells(page, "classes/cat")
    assert [row[:2] for row in after] == [["first", "10"], ["second", "≈ 15"]]
    assert before[0][2] != after[0][2]

    # Views follow from the same counts
    go(page, "#/pr_curves?smoothing=0.6")
    for view, label in (
        ("ROC", "AUC"),
        ("F1", "best F1"),
        ("Precision", "AP"),
        ("Recall", "AP"),
        ("PR", "AP"),
    ):
        page.get_by_role("radio", name=view, exact=True).check(force=True)
        wait_ready(page)
        heads = card(page, "classes/cat").get_by_role("columnheader").all_inner_texts()
        assert heads[-1] == label
        assert is_drawn(page, "classes/cat", run_color(page, "first"))
    page.get_by_role("radio", name="ROC", exact=True).check(force=True)
    address_has(page, "option=pr_curves.view;roc")

    # Zoom and its reset
    go(page, "#/pr_curves?smoothing=0.6")
    box = chart(page, "classes/cat").bounding_box()
    assert box
    page.mouse.move(box["x"] + 120, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 220, box["y"] + 120, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Reset zoom of classes/cat").click()
    expect(page.get_by_role("button", name="Reset zoom of classes/cat")).to_have_count(0)

    # The pointer reads threshold and counts
    go(page, "#/pr_curves?smoothing=0.6")
    box = chart(page, "classes/cat").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.3)
    tip = page.get_by_role("tooltip")
    heads = tip.get_by_role("columnheader").all_inner_texts()
    assert heads == [
        "run",
        "threshold",
        "precision",
        "recall",
        "F1",
        "TP",
        "FP",
        "TN",
        "FN",
        "step",
    ]
    row = dict(
        zip(heads, tip.locator("tbody tr", has_text="first").locator("th, td").all_inner_texts(), strict=True)
    )
    # The other curve is at the same threshold, which is not its nearest point.
    other = tip.locator("tbody tr", has_text="second").get_by_role("cell").first.inner_text()
    assert other == row["threshold"]
    logged = rows(1, 2.3)
    at = round(float(row["threshold"]) * (logged.shape[1] - 1))
    assert [float(row[name]) for name in ("TP", "FP", "TN", "FN")] == logged[:4, at].tolist()
    assert abs(float(row["precision"]) - logged[4, at]) < 1e-4
    assert row["step"] == "20"

    # Curves are saved as CSV and JSON
    go(page, "#/pr_curves?smoothing=0.6")
    for name in ("csv", "json"):
        card(page, "classes/cat").get_by_role("button", name="More for classes/cat").click()
        with page.expect_download() as started:
            page.get_by_role("menuitem", name=f"Download {name.upper()}").click()
        text = Path(started.value.path()).read_text()
        if name == "csv":
            table = list(csv.DictReader(text.splitlines()))
            assert {row["run"] for row in table} == {"first", "second"}
            assert [float(row["tp"]) for row in table if row["run"] == "first"] == rows(1, 2.3)[0].tolist()
        else:
            assert len(json.loads(text)["curves"]) == 2

    # They stand on the overview
    go(page, "#/overview?smoothing=0.6")
    assert is_drawn(page, "classes/cat", run_color(page, "second"))
    page.get_by_role("button", name="Card settings").click()
    page.get_by_role("radio", name="ROC", exact=True).check(force=True)
    expect(card(page, "classes/cat")).to_contain_text("TPR over FPR")

    # New steps come while it is open
    go(page, "#/pr_curves?smoothing=0.6")
    source.add_values("second", "classes/cat", Kind.PR_CURVE, step=[40], values=[rows(2, 4.0)])
    legend = card(page, "classes/cat").get_by_role("table", name="Legend")
    expect(legend.locator("tbody tr", has_text="second")).to_contain_text("40")


def test_what_is_no_curve_says_why_and_spoils_no_other(open_page):
    source = two_runs()
    broken = rows(3, 1.0).copy()
    broken[0] = broken[0][::-1]
    for tag, value in (
        ("classes/cat", broken),
        ("classes/shape", np.zeros((5, 7))),
        ("classes/zero", np.zeros((6, 11))),
    ):
        source.add_values("third", tag, Kind.PR_CURVE, step=[0], values=[value])
    page = open_page(source, "#/pr_curves")
    assert is_drawn(page, "classes/cat", run_color(page, "first"))
    expect(card(page, "classes/cat")).to_contain_text("1 odd curve")
    expect(card(page, "classes/cat")).to_contain_text("TP grows with the threshold")
    expect(card(page, "classes/shape")).to_contain_text("The value has shape (5, 7)")
    expect(card(page, "classes/zero")).to_contain_text("All counts are zero")
