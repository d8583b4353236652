"""What leaves the page: points, pictures and code, checked against the logs they come from."""

from __future__ import annotations

import csv
import io
import json
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pyarrow.parquet
import pytest
from matplotlib import pyplot as plt
from playwright.sync_api import Download, Locator, Page, expect
from tests.support.page import card, chart, go, run_color, wait_ready

import runglass
from runglass.query.memory import MemorySource
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import summaries

matplotlib.use("Agg")

TAGS = ("val/loss", "val/accuracy")
POINTS = 3_000
SVG = "{http://www.w3.org/2000/svg}"


def write_logs(logdir: Path, runs=("a", "b"), points: int = POINTS) -> Path:
    for number, run in enumerate(runs):
        value = np.random.default_rng(number).normal(1 + number, 0.1, (points, len(TAGS)))
        with EventFileWriter(logdir / run, clock=lambda: 1_700_000_000.0) as writer:
            for step in range(points):
                values = [
                    summaries.scalar(tag, float(value[step, i]), form="float64") for i, tag in enumerate(TAGS)
                ]
                writer.write(step, wall_time=1_700_000_000.125 + step, values=values)
    return logdir


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_logs(tmp_path / "my logs")


def open_export(page: Page, tag: str | None = None) -> Locator:
    """The export window of a card, or of the page."""
    if tag is None:
        page.get_by_role("button", name="Export the cards in sight").click()
    else:
        card(page, tag).get_by_role("button", name=f"More for {tag}").click()
        page.get_by_role("menuitem", name="Export…").click()
    return page.get_by_role("dialog")


def download(page: Page, window: Locator, button: str) -> Download:
    with page.expect_download() as waiting:
        window.get_by_role("button", name=button).click()
    return waiting.value


def text_of(file: Download) -> str:
    return Path(file.path()).read_text("utf-8")


def check_points(
    rows: list[dict[str, Any]], log: runglass.reader.Log, runs: list[str], tags: list[str]
) -> None:
    """Every point of the log is there, to the last bit, and nothing else."""
    by_series: dict[tuple[str, str], list[tuple[int, float, float]]] = {}
    for row in rows:
        point = (int(row["step"]), float(row["wall_time"]), float(row["value"]))
        by_series.setdefault((row["run"], row["tag"]), []).append(point)
    assert set(by_series) == {(run, tag) for run in runs for tag in tags}
    for (run, tag), points in by_series.items():
        series = log.scalars(run, tag)
        expected = zip(series.step.tolist(), series.wall_time.tolist(), series.value.tolist(), strict=True)
        assert points == list(expected)


def test_data_of_a_card_has_every_point(open_page, logs, page, problems):
    # CSV
    log = runglass.open(logs)
    page = open_page(log.source, "#/scalars?smoothing=0")
    window = open_export(page, "val/loss")
    file = download(page, window, "Download the data")
    assert file.suggested_filename == "val_loss.csv"
    check_points(list(csv.DictReader(io.StringIO(text_of(file)))), log, ["a", "b"], ["val/loss"])

    # JSON and Parquet hold the same
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    go(page, "#/scalars?smoothing=0.5")
    window = open_export(page, "val/accuracy")
    window.get_by_role("radio", name="JSON").check()
    window.get_by_role("checkbox", name="A column of smoothed values").check()
    file = download(page, window, "Download the data")
    assert file.suggested_filename == "val_accuracy.json"
    series = json.loads(text_of(file))["series"]
    rows = [
        {"run": each["run"], "tag": each["tag"], "step": step, "wall_time": wall_time, "value": value}
        for each in series
        for step, wall_time, value in zip(each["step"], each["wall_time"], each["value"], strict=True)
    ]
    check_points(rows, log, ["a", "b"], ["val/accuracy"])
    for each in series:
        _, smoothed = log.line(each["run"], each["tag"], smoothing=("ema", 0.5))
        assert each["smoothed"] == smoothed.tolist()
    window.get_by_role("radio", name="Parquet").check()
    file = download(page, window, "Download the data")
    assert file.suggested_filename == "val_accuracy.parquet"
    table = pyarrow.parquet.read_table(file.path())
    assert "smoothed" in table.column_names
    check_points(table.to_pylist(), log, ["a", "b"], ["val/accuracy"])

    # Only runs that are shown unless all are wanted
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    go(page, "#/scalars?smoothing=0")
    page.get_by_role("checkbox", name="a", exact=True).uncheck(force=True)
    wait_ready(page)
    window = open_export(page, "val/loss")
    file = download(page, window, "Download the data")
    assert file.suggested_filename == "b-val_loss.csv"
    check_points(list(csv.DictReader(io.StringIO(text_of(file)))), log, ["b"], ["val/loss"])
    window.get_by_role("checkbox", name="All 2 runs").check()
    file = download(page, window, "Download the data")
    check_points(list(csv.DictReader(io.StringIO(text_of(file)))), log, ["a", "b"], ["val/loss"])

    # An export that fails says so
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    assert problems == []
    go(page, "#/scalars?smoothing=0.6")
    error = {"code": "internal", "message": "The disk is gone.", "where": None}
    page.route(
        "**/api/scalars/export",
        lambda route: route.fulfill(
            status=500, content_type="application/json", body=json.dumps({"error": error})
        ),
    )
    window = open_export(page, "val/loss")
    window.get_by_role("button", name="Download the data").click()
    expect(window.get_by_role("alert")).to_have_text("The disk is gone.")
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    expect(card(page, "val/loss").get_by_role("button", name="More for val/loss")).to_be_focused()
    assert all("500" in problem for problem in problems)
    problems.clear()


def test_what_a_restart_overwrote_is_left_out_unless_wanted(open_page):
    source = MemorySource().add_scalars("run", "loss", step=[0, 1, 2], value=[5.0, 4.0, 3.0])
    source.add_scalars("run", "loss", step=[1, 2], value=[2.0, 1.0], restart=True)
    page = open_page(source, "#/scalars?smoothing=0")
    window = open_export(page, "loss")
    latest = list(csv.DictReader(io.StringIO(text_of(download(page, window, "Download the data")))))
    assert [float(row["value"]) for row in latest] == [5.0, 2.0, 1.0]
    window.get_by_role("checkbox", name="What restarts overwrote too").check()
    everything = list(csv.DictReader(io.StringIO(text_of(download(page, window, "Download the data")))))
    assert [(float(row["value"]), int(row["segment"])) for row in everything] == [
        (5.0, 0), (4.0, 0), (3.0, 0), (2.0, 1), (1.0, 1),
    ]  # fmt: skip


def test_parquet_says_what_it_needs(page, serve, logs):
    def without_pyarrow(route):
        answer = route.fetch()
        lists = answer.json()
        lists["status"]["exports"] = ["csv", "json"]
        route.fulfill(response=answer, json=lists)

    page.route("**/api/lists?*", without_pyarrow)
    page.goto(serve(runglass.open(logs).source).url + "#/scalars")
    wait_ready(page)
    window = open_export(page, "val/loss")
    expect(window.get_by_role("radio", name="Parquet")).to_be_disabled()
    expect(window.get_by_text("needs pyarrow")).to_be_visible()


def test_pictures_have_lines_axes_and_legend_and_the_size_asked_for(open_page, logs):
    # SVG has lines, axes and legend
    log = runglass.open(logs)
    page = open_page(log.source, "#/scalars?smoothing=0")
    window = open_export(page, "val/loss")
    window.get_by_role("radio", name="Picture").check(force=True)
    window.get_by_role("radio", name="SVG").check(force=True)
    file = download(page, window, "Download the picture")
    assert file.suggested_filename == "val_loss.svg"
    svg = ElementTree.fromstring(text_of(file))
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert {"val/loss", "a", "b", "step"} <= set(texts)
    (lines,) = (group for group in svg.iter(f"{SVG}g") if group.get("class") == "lines")
    assert len(list(lines)) == 2
    assert len({path.get("stroke") for path in lines}) == 2

    # PNG is as large as asked
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    go(page, "#/scalars?smoothing=0.6")
    window = open_export(page, "val/loss")
    window.get_by_role("radio", name="Picture").check(force=True)
    window.get_by_role("spinbutton", name="Width").fill("500")
    window.get_by_role("spinbutton", name="Height").fill("300")
    window.get_by_role("spinbutton", name="Height").press("Tab")
    for scale in (1, 3):
        window.get_by_role("radio", name=f"{scale}×").check(force=True)
        file = download(page, window, "Download the picture")
        content = Path(file.path()).read_bytes()
        assert content.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", content[16:24])
        # Edges, title and legend are written around the chart.
        assert 500 * scale <= width <= 540 * scale
        assert 300 * scale <= height <= 420 * scale

    # The page is one picture and one table
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    go(page, "#/scalars?smoothing=0")
    window = open_export(page)
    expect(window).to_contain_text("Export 2 cards")
    file = download(page, window, "Download the data")
    assert file.suggested_filename == "scalars.csv"
    check_points(list(csv.DictReader(io.StringIO(text_of(file)))), log, ["a", "b"], list(TAGS))
    window.get_by_role("radio", name="Picture").check(force=True)
    window.get_by_role("radio", name="SVG").check(force=True)
    svg = ElementTree.fromstring(text_of(download(page, window, "Download the picture")))
    titles = [text.text for text in svg.iter(f"{SVG}text") if text.text in TAGS]
    assert sorted(titles) == sorted(TAGS)
    window.get_by_role("radio", name="PNG").check(force=True)
    assert Path(download(page, window, "Download the picture").path()).read_bytes().startswith(b"\x89PNG")


def told(axes: Any) -> dict[str, Any]:
    """What a chart of matplotlib holds."""
    lines = [
        {
            "x": list(map(float, line.get_xdata(orig=False))),
            "y": list(map(float, line.get_ydata())),
            "color": line.get_color(),
            "alpha": line.get_alpha(),
        }
        for line in axes.get_lines()
    ]
    return {
        "title": axes.get_title(),
        "xlabel": axes.get_xlabel(),
        "xscale": axes.get_xscale(),
        "yscale": axes.get_yscale(),
        "xlim": list(axes.get_xlim()),
        "ylim": list(axes.get_ylim()),
        "legend": [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else None,
        "lines": lines,
        "bands": len(axes.collections),
    }


def run_code(code: str, directory: Path) -> list[dict[str, Any]]:
    """Runs a script as a user would, in its directory and with nothing but its own names, and returns what its charts show.

    In this process: importing matplotlib anew takes longer than all else of a test.
    """
    shown: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch, matplotlib.rc_context():
        patch.chdir(directory)
        patch.setattr(plt, "show", lambda: shown.extend(map(told, plt.gcf().axes)))
        exec(compile(code, "<copied>", "exec"), {"__name__": "__main__"})
    plt.close("all")
    assert shown, "the code shows nothing"
    return shown


def copied_code(page: Page, tag: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card(page, tag).get_by_role("button", name=f"More for {tag}").click()
    page.get_by_role("menuitem", name="Copy as matplotlib code").click()
    expect(page.get_by_text("Code copied.")).to_be_visible()
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_copied_code_draws_the_chart_and_that_of_the_page_all(open_page, logs):
    # The code of a card
    log = runglass.open(logs)
    page = open_page(log.source, "#/scalars?smoothing=0.8&card=val/loss;yScale:log;x:100,2000")
    (axes,) = run_code(copied_code(page, "val/loss"), logs)
    assert axes["title"] == "val/loss"
    assert axes["xlabel"] == "step"
    assert (axes["xscale"], axes["yscale"]) == ("linear", "log")
    assert axes["xlim"] == [100, 2000]
    assert axes["legend"] == ["a", "b"]
    raw = [line for line in axes["lines"] if line["alpha"] is not None]
    smoothed = [line for line in axes["lines"] if line["alpha"] is None]
    for run, faint, bold in zip(("a", "b"), raw, smoothed, strict=True):
        assert faint["y"] == log.scalars(run, "val/loss").value.tolist()
        x, y = log.line(run, "val/loss", smoothing=("ema", 0.8))
        assert bold["x"] == x.tolist()
        assert bold["y"] == y.tolist()
        assert bold["color"] == faint["color"] == run_color(page, run)

    # The code of the page is one figure
    go(page, "#/scalars?smoothing=0")
    window = open_export(page)
    window.get_by_role("radio", name="Code").check(force=True)
    file = download(page, window, "Download as .py")
    assert file.suggested_filename == "scalars.py"
    assert window.get_by_role("textbox", name="Python code").input_value() == text_of(file)
    assert sorted(axes["title"] for axes in run_code(text_of(file), logs)) == sorted(TAGS)


def test_copied_code_draws_bands_over_time(open_page, tmp_path):
    logs = write_logs(tmp_path, ("x/seed0", "x/seed1", "y/seed0"), points=50)
    log = runglass.open(logs)
    page = open_page(log.source, "#/scalars?smoothing=0&x=wall&group=directory:1&spread=minmax")
    (axes,) = run_code(copied_code(page, "val/loss"), tmp_path)
    assert axes["xlabel"] == "time"
    assert axes["legend"] == ["x (n=2)", "y (n=1)"]
    assert axes["bands"] == 2
    band = log.band(["x/seed0", "x/seed1"], "val/loss", x="wall")
    assert axes["lines"][0]["y"] == band.center.tolist()


def test_odd_names_stay_names(open_page, tmp_path):
    odd = 'x"]); raise SystemExit("caught") #'
    log_dir = tmp_path / "logs"
    with EventFileWriter(log_dir / "run", clock=lambda: 1_700_000_000.0) as writer:
        for step in range(3):
            writer.write(
                step, values=[summaries.scalar(odd, float(step)), summaries.scalar("../<b>é\\n", 1.0)]
            )
    page = open_page(runglass.open(log_dir).source, "#/scalars?smoothing=0")
    (axes,) = run_code(copied_code(page, odd), tmp_path)
    assert axes["title"] == odd
    assert axes["lines"][0]["y"] == [0.0, 1.0, 2.0]
    expect(chart(page, odd)).to_be_visible()
    window = open_export(page, "../<b>é\\n")
    assert download(page, window, "Download the data").suggested_filename == "run-b_é_n.csv"
