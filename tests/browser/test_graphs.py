"""Graphs in a browser: a model that opens, is searched, traced, coloured, compared, listed and saved; and files of the user."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, read_canvas, reload, wait_ready
from tests.support.waiting import until

import runglass
from runglass.demo.translating import write_translating
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource

STEPS = 31
BASELINE = "graphs.graph;translate/baseline;__run_graph__"
NEW = "graphs.graph;translate/qk-norm;__run_graph__"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_translating(folder, 1_000_000.0, STEPS, 0)
    return folder


@pytest.fixture(scope="module")
def models(logdir: Path) -> DataSource:
    """A transformer in two versions, with gradient norms of its modules."""
    return runglass.open(logdir).source


def scene(page: Page) -> Locator:
    return page.get_by_role("application", name="Graph")


def info(page: Page) -> Locator:
    return page.get_by_role("complementary", name=re.compile("About"))


def legend(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("Legend"))


def find(page: Page, text: str) -> None:
    """Selects the first match, which opens the groups around it."""
    field = page.get_by_role("combobox", name="Search nodes")
    field.fill(text)
    field.press("Enter")
    expect(page.get_by_role("search")).to_contain_text(re.compile(r"\b1 of \d"))
    field.press("Escape")
    wait_ready(page)


def title(page: Page) -> Locator:
    return info(page).get_by_role("heading", level=2).first


def save(page: Page, label: str) -> bytes:
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=label, exact=True).click()
    return Path(download.value.path()).read_bytes()


def drawn(page: Page) -> dict[str, Any]:
    """The nodes that are drawn, by id."""
    return {node["id"]: node for node in json.loads(save(page, "JSON"))["nodes"]}


def middle(page: Page, nodes: dict[str, Any], name: str) -> tuple[float, float]:
    """Where a node is on the screen while the whole graph is in view."""
    zoom = int((page.get_by_text(re.compile(r"^\d+ %$")).first.text_content() or "").split()[0]) / 100
    box = scene(page).bounding_box()
    assert box
    at = []
    for axis, size, start, room in (
        ("x", "width", box["x"], box["width"]),
        ("y", "height", box["y"], box["height"]),
    ):
        ends = [node[axis] for node in nodes.values()], [node[axis] + node[size] for node in nodes.values()]
        centre = (min(ends[0]) + max(ends[1])) / 2
        at.append(start + room / 2 + (nodes[name][axis] + nodes[name][size] / 2 - centre) * zoom)
    return at[0], at[1]


def test_opens_level_by_level_and_stays_in_the_address(open_page, models):
    page = open_page(models, "#/graphs")
    # The first run with a graph, fitted and open as far as it can be read.
    expect(title(page)).to_have_text("translate/baseline")
    expect(info(page)).to_contain_text("276")
    canvas = scene(page).locator("canvas")
    assert np.ptp(read_canvas(canvas)[..., :3]) > 100
    nodes = drawn(page)
    assert nodes["encoder/layers.0-2"]["repeats"] == 3
    assert {node["y"] < nodes["loss"]["y"] for name, node in nodes.items() if name.startswith("src")} == {
        True
    }

    # Shift-click selects several; the panel sums them and the address keeps them.
    page.mouse.click(*middle(page, nodes, "lm_head"))
    expect(title(page)).to_have_text("lm_head")
    page.keyboard.down("Shift")
    page.mouse.click(*middle(page, nodes, "loss"))
    page.keyboard.up("Shift")
    expect(title(page)).to_have_text("2 nodes selected")
    expect(info(page)).to_contain_text("1 edge between them")
    address_has(page, "graphs.also;lm_head")
    info(page).get_by_role("button", name="Take lm_head out").click()
    expect(title(page)).to_have_text("loss")
    page.keyboard.press("Escape")

    # By keys: to a node, into a group, back out.
    scene(page).focus()
    page.keyboard.press("ArrowDown")
    expect(title(page)).not_to_have_text("translate/baseline")
    find(page, "self_attn/softmax")
    expect(title(page)).to_have_text("softmax")
    expect(info(page).get_by_role("navigation", name="Groups around it")).to_contain_text("self_attn")
    assert "encoder/layers.0-2/self_attn/scores" in drawn(page)
    address_has(page, "graphs.selected")
    address_has(page, "graphs.open")
    before = drawn(page).keys()
    reload(page)
    expect(title(page)).to_have_text("softmax")
    assert drawn(page).keys() == before

    # An input leads to its node, and a group closes again.
    info(page).get_by_role("list", name="Inputs").get_by_role("button").first.click()
    expect(title(page)).not_to_have_text("softmax")
    info(page).get_by_role("navigation").get_by_role("button", name="self_attn").click()
    expect(title(page)).to_have_text("self_attn")
    scene(page).focus()
    page.keyboard.press("Enter")
    wait_ready(page)
    assert "encoder/layers.0-2/self_attn/scores" not in drawn(page)

    # Depth: one level, then all.
    depth = page.get_by_role("slider", name="Depth")
    depth.press("Home")
    wait_ready(page)
    assert all("/" not in name for name in drawn(page))
    address_has(page, "graphs.depth;1")
    assert "graphs.open" not in page.url
    depth.press("End")
    wait_ready(page)
    assert "decoder/layers.0-2/cross_attn/scores" in drawn(page)

    # Repeats one by one, and without any folding.
    find(page, "encoder")
    page.get_by_role("button", name="What is folded").click()
    page.get_by_role("checkbox", name="Fold repeated blocks").uncheck()
    page.keyboard.press("Escape")
    wait_ready(page)
    assert {"encoder/layers.0", "encoder/layers.1", "encoder/layers.2"} <= drawn(page).keys()


def test_searches_and_traces(open_page, models):
    page = open_page(models, f"#/graphs?option={BASELINE}")
    field = page.get_by_role("combobox", name="Search nodes")
    field.fill("op:softmax")
    expect(page.get_by_role("search")).to_contain_text("10")
    expect(page.get_by_role("listbox", name="Matches").get_by_role("option")).to_have_count(10)
    field.press("Enter")
    expect(page.get_by_role("search")).to_contain_text("1 of 10")
    field.press("Enter")
    expect(page.get_by_role("search")).to_contain_text("2 of 10")
    field.fill("/[/")
    expect(page.get_by_role("alert")).to_be_visible()
    field.fill("shape:24x6x26")
    expect(page.get_by_role("search")).to_contain_text("1")
    field.press("Escape")
    find(page, "lm_head")
    page.get_by_role("button", name="Inputs", exact=True).click()
    expect(info(page)).to_contain_text(re.compile(r"Lit: \d+ nodes lead here, [\d.]+ k parameters"))
    address_has(page, "graphs.trace;inputs")
    page.get_by_role("button", name="Outputs", exact=True).click()
    expect(info(page)).to_contain_text("follow from it")
    page.get_by_role("button", name="Path to…").click()
    expect(info(page)).to_contain_text("Select the other end")
    find(page, "name:loss")
    expect(info(page)).to_contain_text("on a path to loss")
    expect(title(page)).to_have_text("lm_head")


def test_paints_costs_and_gradients_and_filters_by_the_legend(open_page, models):
    page = open_page(models, f"#/graphs?option={NEW}")
    page.get_by_role("button", name="Colour by Structure").click()
    page.get_by_role("button", name="Parameters", exact=True).click()
    expect(legend(page)).to_contain_text("a group shows its sum")
    wait_ready(page)
    nodes = drawn(page)
    assert nodes["encoder"]["value"] > nodes["encoder/layers.0-2"]["value"] / 2 > 0

    # A family of tags at the cursor, which all tabs share.
    page.get_by_role("button", name="Colour by Parameters").click()
    page.get_by_role("button", name=re.compile("grad_norm")).click()
    expect(
        legend(page).get_by_role("list", name="Highest values").get_by_role("listitem").first
    ).to_be_visible()
    slider = legend(page).get_by_role("slider", name="Step of the values")
    expect(slider).to_have_attribute("aria-valuetext", f"step {STEPS - 1}")
    late = drawn(page)["lm_head"]["value"]
    slider.press("Home")
    address_has(page, "cursor=0")
    expect(legend(page)).to_have_attribute("data-ready", "true")
    assert drawn(page)["lm_head"]["value"] != late
    legend(page).get_by_role("list", name="Highest values").get_by_role("button").first.click()
    expect(info(page).get_by_role("img", name="grad_norm over steps")).to_be_visible()
    expect(info(page)).to_contain_text(re.compile(r"at 0\b"))
    legend(page).get_by_role("button", name="Play the steps").click()
    expect(slider).to_have_attribute("aria-valuetext", f"step {STEPS - 1}")

    # Categories: a picked one leaves the others dimmed.
    page.get_by_role("button", name="Colour by grad_norm").click()
    page.get_by_role("button", name="Operation", exact=True).click()
    entry = legend(page).get_by_role("button", name="MatMul", exact=False).first
    expect(entry).to_be_visible()
    before = read_canvas(scene(page).locator("canvas"))
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    address_has(page, "graphs.only")
    expect(legend(page).get_by_role("button", name="Show all nodes again")).to_be_visible()
    until(lambda: (read_canvas(scene(page).locator("canvas")) != before).any(), "dimmed nodes")

    # What a TPU cannot run is a category too.
    page.get_by_role("button", name="Colour by Operation").click()
    page.get_by_role("button", name="TPU compatibility", exact=True).click()
    legend(page).get_by_role("button", name="cannot run").click()
    address_has(page, "graphs.only;cannot")


def test_compares_two_versions(open_page, models):
    page = open_page(models, f"#/graphs?option={NEW}")
    page.get_by_role("button", name="Compare with another graph").click()
    page.get_by_role("list", name="Graphs").get_by_role("button", name="baseline").click()
    difference = page.get_by_role("region", name="Difference")
    expect(difference.get_by_role("row", name="Nodes")).to_contain_text("+36")
    expect(difference).to_contain_text("LayerNorm → RMSNorm")
    expect(difference).to_contain_text("q_norm, k_norm")
    address_has(page, "graphs.against;translate/baseline")
    difference.get_by_role("button", name="normalize").click()
    expect(title(page)).to_have_text("normalize")

    # Side by side: what was removed is only in the other.
    page.get_by_role("radio", name="Split").check(force=True)
    wait_ready(page)
    expect(scene(page)).to_have_count(2)
    expect(page.get_by_role("region", name="Left graph: translate/baseline")).to_be_visible()
    expect(page.get_by_role("region", name="Right graph: translate/qk-norm")).to_be_visible()
    zoom = page.get_by_role("button", name="Zoom to 100 %")
    page.get_by_role("region", name="Right graph").get_by_role("button", name="Zoom in").click()
    expect(zoom.nth(0)).to_have_text(zoom.nth(1).inner_text())
    reload(page)
    expect(scene(page)).to_have_count(2)
    page.get_by_role("button", name="Do not compare any more").click()
    expect(difference).to_have_count(0)

    # The rail lists the runs with a graph and chooses one.
    rail = page.locator(".rail")
    expect(rail.get_by_role("button")).to_have_count(2)
    rail.get_by_role("button", name="translate/baseline").click()
    address_has(page, "graphs.graph;translate/baseline")


def test_lists_all_nodes_and_saves_files(open_page, models):
    page = open_page(models, f"#/graphs?option={BASELINE}&option=graphs.view;table")
    table = page.get_by_role("region", name="Table of nodes")
    expect(table.get_by_role("status")).to_contain_text("276 nodes")
    query = table.get_by_role("combobox", name="Query nodes")
    query.fill("op == VariableV2 and parameters >= 512")
    expect(table.get_by_role("status")).to_contain_text("12 of 276 nodes")
    query.fill("op ==")
    expect(table.get_by_role("alert")).to_contain_text("At character")
    query.fill("op == Unknown")
    expect(table).to_contain_text("No node matches.")
    query.fill("linear1/weight")
    table.get_by_role("columnheader", name="name").get_by_role("button").click()
    table.get_by_role("button", name="Export these nodes").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    assert {row["shape"] for row in rows} == {"16×32"}
    address_has(page, "graphs.query")

    # A click leads to the node in the graph.
    table.get_by_role("button", name="encoder/layers.0/ffn/linear1/weight").click()
    expect(scene(page)).to_be_visible()
    wait_ready(page)
    expect(info(page)).to_contain_text("linear1")

    assert save(page, "PNG").startswith(b"\x89PNG")
    vectors = save(page, "SVG").decode()
    assert vectors.startswith("<svg")
    assert "encoder" in vectors
    dot = save(page, "DOT").decode()
    assert dot.startswith("digraph {")
    assert '"lm_head" -> "loss"' in dot


def test_files_of_the_user_stay_in_the_page(open_page, models, tmp_path, problems):
    page = open_page(models, f"#/graphs?option={BASELINE}")
    model = tmp_path / "tiny.pbtxt"
    model.write_text(
        'node { name: "x" op: "Placeholder" }\n'
        'node { name: "y" op: "Relu" input: "x" }\n'
        'node { name: "z" op: "Identity" input: "y" }\n'
        'node { name: "call" op: "f" input: "z" }\n'
        'library { function { signature { name: "f" } node_def { name: "inner" op: "Exp" }'
        ' node_def { name: "last" op: "Neg" input: "inner:y:0" } } }\n'
    )
    values = tmp_path / "latency.csv"
    values.write_text("node,ms\ny,2.5\nz,0.5\ninner,7.5\n")

    def choose(open_menu: str, item: str, file: Path) -> None:
        page.get_by_role("button", name=open_menu).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name=item).click()
        chooser.value.set_files(file)

    choose("Choose a graph", "Open a file…", model)
    expect(title(page)).to_have_text("tiny.pbtxt")
    wait_ready(page)
    assert drawn(page).keys() == {"x", "y", "z", "call", "call/inner", "call/last"}
    choose("Colour by", "Values from a file…", values)
    expect(legend(page)).to_contain_text("latency.csv")
    highest = legend(page).get_by_role("list", name="Highest values")
    expect(highest).to_contain_text("2.50")
    # The highest is in the body of a function, and the call shows it too.
    expect(legend(page)).to_have_attribute("data-ready", "true")
    nodes = drawn(page)
    assert [nodes[name].get("value") for name in ("call/inner", "call", "z", "call/last")] == [
        7.5,
        7.5,
        0.5,
        None,
    ]
    highest.get_by_role("button", name="inner").click()
    expect(title(page)).to_have_text("inner")
    expect(info(page)).to_contain_text("Exp")
    assert "tiny" not in page.url
    bad = tmp_path / "broken.onnx"
    bad.write_bytes(b"\x00\x01nonsense")
    choose("Choose a graph", "Open a file…", bad)
    expect(page.get_by_text("Could not open broken.onnx.")).to_be_visible()
    expect(title(page)).to_have_text("inner")
    assert [problem for problem in problems if "422" not in problem] == []
    problems.clear()


def test_a_graph_that_is_logged_later_appears(open_page, tmp_path):
    with runglass.SummaryWriter(tmp_path / "first") as writer:
        writer.add_scalar("loss", 1.0, 0)
    log = runglass.open(tmp_path)
    page = open_page(log.source, "#/overview")
    write_translating(tmp_path, 1_000_000.0, 1, 0)
    log.reload()
    page.get_by_role("link", name="Graphs").click()
    expect(title(page)).to_have_text("translate/baseline")
    page.get_by_role("button", name="Choose a graph").click()
    expect(page.get_by_role("list", name="Graphs").get_by_role("listitem")).to_have_count(2)
    page.keyboard.press("Escape")

    # As a card of the Overview.
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("combobox", name="Filter tags").fill("run_graph")
    shown = page.get_by_role("article", name="graph, translate/qk-norm")
    expect(shown).to_have_attribute("data-ready", "true")
    expect(shown).to_contain_text("312 nodes")
    shown.get_by_role("link", name="Open in Graphs").click()
    expect(title(page)).to_have_text("translate/qk-norm")


def test_a_log_without_graphs_opens_files_all_the_same(open_page, tmp_path):
    page = open_page(MemorySource().add_scalars("run", "loss", step=[0, 1], value=[1.0, 0.5]), "#/graphs")
    expect(page.get_by_role("heading", name="No graphs yet")).to_be_visible()
    expect(page.get_by_text("add_graph").first).to_be_visible()
    page.evaluate(
        """(text) => {
          const files = new DataTransfer();
          files.items.add(new File([text], "tiny.pbtxt"));
          const at = document.querySelector("main h1");
          for (const kind of ["dragover", "drop"])
            at.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: files }));
        }""",
        'node { name: "x" op: "Placeholder" } node { name: "y" op: "Relu" input: "x" }',
    )
    expect(title(page)).to_have_text("tiny.pbtxt")
    wait_ready(page)
    assert drawn(page).keys() == {"x", "y"}
    model = tmp_path / "other.pbtxt"
    model.write_text('node { name: "z" op: "Placeholder" }')
    reload(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file…").click()
    chooser.value.set_files(model)
    expect(title(page)).to_have_text("other.pbtxt")
