"""The Projector in a browser: points that are there at once, projected, coloured, searched, selected, isolated and kept in the
address; words found by a pattern; and what is wrong with files.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, read_canvas, reload, wait_ready

import runglass
from runglass.query.memory import MemorySource
from runglass.query.source import DataSource
from runglass.store.model import Family

KINDS = ("Shirt", "Coat", "Bag")
EACH = 60
ROWS = len(KINDS) * EACH
DIMENSIONS = 20
STEPS = (0, 10, 20)
# Every seventh shirt is taken for a coat.
WRONG = [row for row in range(EACH) if row % 7 == 0]


@pytest.fixture(scope="module")
def garments(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """Three kinds that part during training, with pictures."""
    logdir = tmp_path_factory.mktemp("garments")
    rng = np.random.default_rng(0)
    kinds = np.repeat(np.arange(len(KINDS)), EACH)
    noise = rng.normal(0, 1, (ROWS, DIMENSIONS))
    centers = rng.normal(0, 1, (len(KINDS), DIMENSIONS))
    rows = [
        [
            f"{KINDS[kind].lower()} {row}",
            KINDS[kind],
            "Coat" if row in WRONG else KINDS[kind],
            f"{row / 100:.2f}",
        ]
        for row, kind in enumerate(kinds.tolist())
    ]
    with runglass.SummaryWriter(logdir / "first") as writer:
        for step in STEPS:
            writer.add_embedding(
                noise + centers[kinds] * step / 4,
                metadata=rows,
                metadata_header=["name", "label", "predicted", "loss"],
                label_img=rng.random((ROWS, 3, 8, 8)),
                global_step=step,
                tag="features",
            )
            writer.add_tensor("surprise", np.linspace(0, step, ROWS, dtype=np.float32), step)
    return runglass.open(logdir).source


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """Vectors of words as a checkpoint's config names them: one column without a head, in a run without event files."""
    folder = tmp_path_factory.mktemp("words") / "embeddings"
    folder.mkdir()
    names = ["fred", "larry", "sea", "beach", "comedy", "theater", *(f"word{i}" for i in range(594))]
    vectors = np.random.default_rng(1).normal(0, 1, (len(names), 50)).astype(np.float32)
    np.save(folder / "vectors.npy", vectors)
    (folder / "metadata.tsv").write_text("\n".join(names) + "\n")
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "words" tensor_path: "vectors.npy" metadata_path: "metadata.tsv" }\n'
    )
    return runglass.open(Path(folder).parent).source


def scene(page: Page) -> Locator:
    return page.get_by_role("application")


def panel(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def count(page: Page) -> Locator:
    return page.get_by_role("search").get_by_role("status")


def inked(page: Page) -> int:
    """Pixels of the scene that something is drawn on."""
    return sum(
        int((read_canvas(canvas)[..., 3] > 0).sum()) for canvas in scene(page).locator("canvas").all()[:2]
    )


def choose(page: Page, group: str, option: str) -> None:
    page.get_by_role("radiogroup", name=group, exact=True).get_by_text(option, exact=True).click()


def drag_over_all(page: Page) -> None:
    box = scene(page).bounding_box()
    assert box is not None
    left, top, right, bottom = (
        box["x"] + 6,
        box["y"] + 6,
        box["x"] + box["width"] - 6,
        box["y"] + box["height"] - 6,
    )
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def test_points_are_there_at_once_and_the_address_keeps_what_is_done_with_them(open_page, garments):
    page = open_page(garments, "#/projector")
    # Without a click: the newest step by PCA, coloured by the first column that is a category.
    assert inked(page) > 500
    expect(panel(page, "Embedding")).to_contain_text("features")
    expect(panel(page, "Embedding")).to_contain_text(f"{ROWS} × {DIMENSIONS}")
    expect(panel(page, "Results")).to_contain_text(re.compile(r"PCA\s*\d+\.\d % in 2"))
    colour = panel(page, "Colour")
    for kind in KINDS:
        expect(colour.get_by_role("button", name=re.compile(f"^{kind}"))).to_contain_text(str(EACH))

    # A condition on columns: all matches are counted, and gone through.
    field = page.get_by_role("textbox", name="Search points")
    field.fill("label = Shirt and predicted ≠ Shirt")
    expect(count(page)).to_have_text(re.compile(rf"{len(WRONG)} of {ROWS}"))
    field.press("Enter")
    address_has(page, "projector.point;0")
    field.fill("label = Shirt and")
    expect(page.get_by_role("search").get_by_role("alert")).to_contain_text("At character")
    field.fill("bag 17")
    expect(count(page)).to_have_text(re.compile(rf"10 of {ROWS}"))

    # A category that is filtered out stays grey, and is not selected.
    colour.get_by_role("button", name=re.compile("^Bag")).click()
    address_has(page, "projector.off;Bag")
    page.get_by_role("radio", name=re.compile("lasso")).click()
    drag_over_all(page)
    expect(page.get_by_text(f"{2 * EACH} selected", exact=True)).to_be_visible()
    address_has(page, "projector.selected;")

    # What the address says is there again in another tab.
    reload(page)
    expect(page.get_by_text(f"{2 * EACH} selected", exact=True)).to_be_visible()
    expect(field).to_have_value("bag 17")
    expect(colour.get_by_role("button", name=re.compile("^Bag"))).to_have_attribute("aria-pressed", "false")

    # Isolated points are projected alone, and all come back.
    page.get_by_role("button", name=re.compile("^Show these points alone")).click()
    expect(panel(page, "Embedding")).to_contain_text(f"{2 * EACH} of {ROWS} points")
    wait_ready(page)
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(panel(page, "Embedding")).not_to_contain_text("points")


def test_reductions_stay_in_a_list_and_numbers_are_a_gradient(open_page, garments):
    page = open_page(garments, "#/projector")
    first = inked(page)
    # Few points are projected as soon as a method is chosen.
    choose(page, "Method", "UMAP")
    results = panel(page, "Results")
    expect(results).to_contain_text("15 · 0.10 · cosine")
    address_has(page, "projector.by;umap;k%3D2")
    expect(results.get_by_role("button", name=re.compile("UMAP"))).to_contain_text(re.compile(r"\d s$"))
    expect(page.get_by_role("button", name="Go on from where the points are")).to_be_visible()

    # In three dimensions it is another reduction; PCA only shows one component more.
    choose(page, "Dimensions", "3D")
    expect(results).to_contain_text("3D")
    wait_ready(page)
    results.get_by_role("button", name=re.compile("PCA")).click()
    expect(results).to_contain_text(re.compile(r"% in 3"))
    axis = page.get_by_role("combobox", name="Component on the Z axis")
    axis.select_option("4")
    address_has(page, "projector.axes;0;1;4")
    choose(page, "Dimensions", "2D")
    wait_ready(page)
    assert inked(page) > first / 4

    # Other settings wait until they are run; supervised by a column, points of a kind come together.
    choose(page, "Method", "t-SNE")
    expect(results.get_by_role("button", name=re.compile("t-SNE"))).to_contain_text(re.compile(r"\d s$"))
    page.get_by_role("textbox", name="Perplexity, exact").fill("12")
    page.get_by_role("textbox", name="Perplexity, exact").press("Enter")
    page.get_by_role("combobox", name="Supervise by").select_option("label")
    page.get_by_role("button", name="Run t-SNE").click()
    expect(results).to_contain_text("perplexity 12 · by label")

    # Numbers: a histogram, and a range that filters.
    page.get_by_role("button", name="Colour by").click()
    page.get_by_role("menuitemcheckbox", name="loss", exact=True).click()
    address_has(page, "projector.color;:loss")
    slider = page.get_by_role("slider", name="loss from")
    slider.focus()
    slider.press("End")
    address_has(page, "projector.range;")

    # Axes between groups of points.
    choose(page, "Method", "Custom")
    for field, text in (
        ("X, left", "label = Shirt"),
        ("X, right", "label = Coat"),
        ("Y, below", "shirt"),
        ("Y, above", '"bag 170"'),
    ):
        page.get_by_role("combobox", name=field, exact=True).fill(text)
    page.get_by_role("button", name="Show these axes").click()
    expect(results).to_contain_text("two axes")
    expect(page.get_by_role("group", name="Axis Y")).to_contain_text(f"{EACH}")


def test_numbers_that_are_logged_for_each_point_are_a_column(open_page, garments):
    page = open_page(garments, "#/projector")
    page.get_by_role("button", name="Colour by").click()
    page.get_by_role("menuitemcheckbox", name="surprise", exact=True).click()
    address_has(page, "projector.color;:surprise")
    # At the last step.
    slider = page.get_by_role("slider", name="surprise to")
    expect(slider).to_have_attribute("aria-valuetext", "20")
    page.get_by_role("textbox", name="Search points").fill("surprise > 10")
    expect(count(page)).to_contain_text("90")


def test_words_are_found_by_a_pattern_in_two_and_three_dimensions(open_page, words):
    page = open_page(words, "#/projector")
    expect(panel(page, "Embedding")).to_contain_text("600 × 50")
    page.get_by_role("combobox", name="How to search").select_option("pattern")
    field = page.get_by_role("textbox", name="Search points")
    field.fill("(?:fred|larry|sea|beach|comedy|theater)")
    expect(count(page)).to_have_text(re.compile("6 of 600"))
    for method in ("t-SNE", "UMAP"):
        for dimensions in ("3D", "2D"):
            choose(page, "Dimensions", dimensions)
            choose(page, "Method", method)
            done = panel(page, "Results").get_by_role("button", name=re.compile(method))
            expect(done.first).to_contain_text(re.compile(r"\d s$"))
            expect(count(page)).to_have_text(re.compile("6 of 600"))
    wait_ready(page)
    # The word is beside the pointer.
    field.press("Enter")
    wait_ready(page)
    page.get_by_role("radiogroup", name="Draw points as").get_by_text("Text", exact=True).click()
    address_has(page, "projector.draw;text")
    assert inked(page) > 500
    page.get_by_role("button", name="Select all matches").click()
    expect(page.get_by_text("6 selected", exact=True)).to_be_visible()


def test_what_is_wrong_is_said(open_page, problems):
    source = MemorySource()
    config = (
        'embeddings { tensor_name: "odd" tensor_path: "odd.tsv" metadata_path: "labels.tsv" }\n'
        'embeddings { tensor_name: "gone" tensor_path: "gone.tsv" }\n'
    )
    source.add_asset("a", Family.PROJECTOR, "projector_config.pbtxt", config.encode())
    rows = ["\t".join(str(i * j % 7) for j in range(1, 5)) for i in range(12)]
    rows[3] = "nan\t1\t2\t3"
    source.add_asset("a", Family.VECTORS, "odd.tsv", "\n".join(rows).encode())
    source.add_asset("a", Family.VECTORS, "labels.tsv", "\n".join("abcdefgh").encode())
    page = open_page(source, "#/projector")
    expect(panel(page, "Embedding")).to_contain_text("12 × 4")
    problem = panel(page, "Embedding").locator("details")
    problem.locator("summary").click()
    expect(problem).to_contain_text("not finite")
    expect(problem).to_contain_text("8")
    page.get_by_role("button", name="Choose an embedding").click()
    expect(page.get_by_role("dialog")).to_contain_text("cannot be read")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("gone")).click()
    expect(page.get_by_role("alert").first).to_contain_text("gone.tsv")
    problems.clear()
