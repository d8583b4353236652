"""What is around the points of an embedding: the story of word vectors from beginning to end, a training as a movie with selections, tags
and the table, and files: bookmarks, exports, vectors of the user."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, Route, expect
from tests.support.page import address_has, reload, wait_ready
from tests.support.waiting import until

import runglass
from runglass.projector import log_embedding
from runglass.query.source import DataSource

WORDS, DIMENSIONS = 240, 50
WANTED = ["fred", "larry", "sea", "beach", "comedy", "theater"]
PATTERN = "(?:fred|larry|sea|beach|comedy|theater)"
ITEMS, STEPS = 120, 5


@pytest.fixture(scope="module")
def words() -> list[str]:
    others = [f"{kind}{number}" for kind in ("noun", "verb", "name") for number in range(WORDS)]
    return [*others[:100], *WANTED, *others[100 : WORDS - len(WANTED)]]


@pytest.fixture(scope="module")
def vectors(words: list[str]) -> NDArray[np.float32]:
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(6, DIMENSIONS)) * 2
    return (rng.normal(size=(len(words), DIMENSIONS)) + groups[np.arange(len(words)) % 6]).astype(np.float32)


@pytest.fixture(scope="module")
def glove(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], vectors: NDArray[np.float32]
) -> DataSource:
    folder = tmp_path_factory.mktemp("words")
    log_embedding(folder, vectors, words)
    return runglass.open(folder).source


@pytest.fixture(scope="module")
def garments(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    """Classes that part over five steps, with a column of numbers, pictures and mistakes."""
    folder = tmp_path_factory.mktemp("garments")
    rng = np.random.default_rng(1)
    classes = np.arange(ITEMS) % 3
    centres, base = rng.normal(size=(3, 8)) * 4, rng.normal(size=(ITEMS, 8))
    names = np.array(["Shirt", "Coat", "Boot"])
    predicted = np.where(np.arange(ITEMS) < 6, (classes + 1) % 3, classes)
    rows = [[f"item {i}", names[c], names[predicted[i]], str(i / 10)] for i, c in enumerate(classes)]
    with runglass.SummaryWriter(folder) as writer:
        writer.add_scalar("loss", 1.0, 0)
    for step in range(STEPS):
        log_embedding(
            folder,
            base + centres[classes] * step / (STEPS - 1),
            rows,
            rng.random((ITEMS, 6, 6)),
            name="penultimate",
            step=step * 100,
            metadata_header=["name", "label", "predicted", "loss"],
        )
    return runglass.open(folder).source


def inspector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Inspector")


def open_tab(page: Page, name: str) -> None:
    inspector(page).get_by_text(name, exact=True).first.click()


def points(page: Page, name: str) -> Locator:
    """The points of a list in the inspector."""
    return inspector(page).get_by_role("list", name=name).get_by_role("button")


def find(page: Page, text: str) -> None:
    page.get_by_role("searchbox", name="Search").or_(page.get_by_label(re.compile("^Search"))).first.fill(
        text
    )


def save(page: Page, label: str) -> bytes:
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=label, exact=True).click()
    return Path(download.value.path()).read_bytes()


def run_method(page: Page, name: str) -> None:
    """So few points are projected as soon as a method is chosen."""
    page.get_by_role("radiogroup", name="Method").get_by_text(name, exact=True).click()
    expect(page.get_by_role("region", name="Results").get_by_text(name, exact=True)).to_be_visible()
    wait_ready(page)


def test_word_vectors_from_beginning_to_end(open_page, glove, words, vectors):
    page = open_page(glove, "#/projector")
    scene = page.get_by_role("application", name=re.compile("^Points of"))
    expect(inspector(page)).to_contain_text(f"{WORDS}")

    # Hover for the word: a point is where its position says.
    table = list(csv.DictReader(io.StringIO(save(page, "CSV").decode())))
    assert len(table) == WORDS
    places = np.array([[float(row[name]) for name in list(row)[1:3]] for row in table])
    box = scene.bounding_box()
    assert box
    middle, half = (places.max(0) + places.min(0)) / 2, (places.max(0) - places.min(0)) / 2
    scale = min((box["width"] - 88) / 2 / half[0], (box["height"] - 88) / 2 / half[1])
    outmost = int(places[:, 0].argmax())
    at = (places[outmost] - middle) * scale
    x, y = box["x"] + box["width"] / 2 + at[0], box["y"] + box["height"] / 2 - at[1]
    page.mouse.move(x, y)
    expect(page.get_by_role("tooltip")).to_contain_text(words[outmost])
    page.mouse.click(x, y)
    expect(inspector(page).get_by_role("heading", level=2)).to_have_text(words[outmost])

    # t-SNE and UMAP, in two dimensions and in three.
    run_method(page, "t-SNE")
    run_method(page, "UMAP")
    page.get_by_role("radiogroup", name="Dimensions").get_by_text("3D").click()
    wait_ready(page)
    address_has(page, "projector.dimensions;3")

    # A regular expression lights up words; all are listed.
    page.get_by_label("How to search").select_option("pattern")
    find(page, PATTERN)
    open_tab(page, "Matches")
    expect(points(page, "Matches")).to_have_text(WANTED)
    expect(page.get_by_role("toolbar", name="Projector")).to_contain_text(f"6 of {WORDS}")

    # The neighbours of one of them are those of all 50 dimensions.
    points(page, "Matches").get_by_text("sea").click()
    open_tab(page, "Point")
    expect(inspector(page).get_by_role("heading", level=2)).to_have_text("sea")
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = 1 - unit @ unit[words.index("sea")]
    nearest = [words[row] for row in np.argsort(distances)[1:11]]
    expect(points(page, "Nearest points")).to_contain_text(nearest)
    expect(points(page, "Nearest points").first).to_contain_text(f"{np.sort(distances)[1]:.3f}")
    inspector(page).get_by_text("euclidean").click()
    far = np.linalg.norm(vectors - vectors[words.index("sea")], axis=1)
    expect(points(page, "Nearest points").first).to_contain_text(words[int(np.argsort(far)[1])])
    # Of any two points.
    inspector(page).get_by_role("button", name="More about this point").click()
    page.get_by_role("menuitem", name="Distance to another point…").click()
    points(page, "Nearest points").first.click()
    expect(inspector(page).get_by_role("status", name="Distance")).to_contain_text(f"{np.sort(far)[1]:.4g}")
    # The address has it all.
    address_has(page, f"projector.point;{int(np.argsort(far)[1])}")
    reload(page)
    expect(inspector(page).get_by_role("heading", level=2)).to_have_text(words[int(np.argsort(far)[1])])
    expect(page.get_by_role("toolbar", name="Projector")).to_contain_text(f"6 of {WORDS}")


def test_a_training_is_played_and_points_are_selected_tagged_and_listed(open_page, garments):
    page = open_page(garments, "#/projector")
    steps = page.get_by_role("group", name="Steps")
    expect(steps).to_contain_text("step 5 of 5")
    # All steps are compared by themselves, because it is little work.
    open_tab(page, "Moved")
    expect(points(page, "Points that moved most").first).to_be_visible()
    moved = points(page, "Points that moved most").all_inner_texts()
    assert len(moved) > 5
    amounts = [float(text.split("\n")[-1]) for text in moved]
    assert amounts == sorted(amounts, reverse=True)
    inspector(page).get_by_text("Neighbours", exact=True).click()
    expect(points(page, "Points that moved most").first).to_contain_text("%")
    inspector(page).get_by_role("button", name="Select these points").click()
    bar = page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("20 selected")
    # The bar is the page's step cursor.
    steps.get_by_role("button", name="Previous step").click()
    expect(steps).to_contain_text("300")
    address_has(page, "cursor=")
    steps.get_by_role("slider").focus()
    page.keyboard.press("Home")
    expect(steps).to_contain_text("step 1 of 5")
    steps.get_by_role("button", name="Play the steps").click()
    expect(steps).to_contain_text("step 5 of 5")

    # Mistakes are found, selected, and tagged.
    find(page, "label ≠ predicted and loss < 0.4")
    open_tab(page, "Matches")
    expect(points(page, "Matches")).to_have_text([f"item {i}" for i in range(4)])
    inspector(page).get_by_role("button", name="Select the matches").click()
    expect(bar).to_contain_text("4 selected")
    summary = inspector(page).get_by_role("region", name="Selection")
    expect(summary).to_contain_text("by label")
    expect(summary).to_contain_text("Shirt 2")
    bar.get_by_role("button", name="Tag these points").click()
    page.get_by_role("textbox", name="Value").fill("mistake")
    page.get_by_role("textbox", name="Value").press("Enter")
    bar.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Metadata of all points, TSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert download.value.suggested_filename == "metadata-edited.tsv"
    assert lines[0] == "name\tlabel\tpredicted\tloss\ttag"
    assert lines[1] == "item 0\tShirt\tCoat\t0\tmistake"
    assert lines[5] == "item 4\tCoat\tBoot\t0.4\t"

    # The table has the matches, is sorted, and selects.
    page.get_by_role("button", name="All points in a table").click()
    table = page.get_by_role("region", name="Table of points")
    expect(table).to_contain_text(f"All {ITEMS}")
    table.get_by_text("Selected 4").click()
    table.get_by_role("columnheader", name="loss").get_by_role("button").click()
    expect(table.get_by_role("row").nth(1)).to_contain_text("item 3")
    expect(table.get_by_role("row").nth(1)).to_contain_text("mistake")
    table.get_by_role("checkbox", name="Select row 3").uncheck()
    expect(bar).to_contain_text("3 selected")
    table.get_by_role("button", name="Close the table").click()

    # Alone, hidden, and all again.
    bar.get_by_role("button", name="Show these points alone").click()
    expect(page.get_by_role("region", name="Embedding")).to_contain_text(f"3 of {ITEMS} points")
    wait_ready(page)
    page.get_by_role("region", name="Embedding").get_by_role("button", name="Show all").click()
    inspector(page).get_by_role("button", name="Select the matches").click()
    bar.get_by_role("button", name="Hide these points").click()
    expect(page.get_by_role("region", name="Embedding")).to_contain_text("4 hidden")
    expect(bar).to_have_count(0)
    page.get_by_role("button", name="All points in a table").click()
    table.get_by_text("Selected 0").click()
    expect(table).to_contain_text("No point is selected.")


def test_views_are_kept_points_saved_and_files_opened(open_page, garments, tmp_path):
    page = open_page(garments, "#/projector")
    # Two projections side by side: the first step beside the newest.
    page.get_by_role("button", name="Two projections, runs or steps side by side").click()
    left = page.get_by_role("region", name="On the left")
    expect(left).to_contain_text("step 0")
    wait_ready(page)
    page.get_by_role("button", name="Two projections, runs or steps side by side").click()

    # A view with its selection, as a file that TensorBoard reads.
    find(page, "label = Boot")
    open_tab(page, "Matches")
    inspector(page).get_by_role("button", name="Select the matches").click()
    page.get_by_role("button", name="Bookmarks").click()
    page.get_by_role("textbox", name="Name of the bookmark").fill("boots")
    page.get_by_role("button", name="Keep this view").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the bookmarks as a file that TensorBoard reads too").click()
    [state] = json.loads(Path(download.value.path()).read_text())
    assert (state["label"], state["selectedProjection"], state["dataSetDimensions"]) == (
        "boots",
        "pca",
        [ITEMS, 8],
    )
    assert state["selectedPoints"] == list(range(2, ITEMS, 3))
    assert len(state["projections"]) == ITEMS
    assert set(state["projections"][0]) == {"pca-0", "pca-1"}
    page.keyboard.press("Escape")
    # Changed, and back again.
    page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Clear the selection").click()
    page.get_by_role("button", name="Bookmarks").click()
    page.get_by_role("list", name="Bookmarks").get_by_role("button", name="boots PCA").click()
    expect(page.get_by_role("toolbar", name="Selection")).to_contain_text(f"{ITEMS // 3} selected")

    # The picture and the positions.
    assert save(page, "PNG")[:4] == b"\x89PNG"
    assert save(page, "SVG").startswith(b"<svg")
    rows = list(csv.DictReader(io.StringIO(save(page, "CSV").decode())))
    assert (len(rows), rows[2]["label"]) == (ITEMS, "Boot")
    assert float(rows[2]["x"]) == pytest.approx(state["projections"][2]["pca-0"], rel=1e-5)

    # Vectors and labels of the user.
    drop = page.get_by_role("button", name="Choose an embedding")
    drop.click()
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Open files…").click()
    vectors, labels = tmp_path / "mine.tsv", tmp_path / "names.tsv"
    vectors.write_text("".join(f"{i}\t{i * i}\t{i % 3}\n" for i in range(30)))
    labels.write_text("".join(f"word {i}\n" for i in range(30)))
    chooser.value.set_files([labels, vectors])
    expect(page.get_by_role("region", name="Embedding")).to_contain_text("mine.tsv")
    expect(page.get_by_role("region", name="Embedding")).to_contain_text("30 × 3")
    # Until the answer is here, nothing of the last embedding counts as found in this one.
    held: list[Route] = []
    page.route("**/api/projector/search", lambda route: held.append(route))
    find(page, "word 29")
    open_tab(page, "Matches")
    until(lambda: page.evaluate("1") and held)
    expect(inspector(page).get_by_role("status").first).to_have_text("0 matches")
    for route in held:
        route.continue_()
    page.unroute("**/api/projector/search")
    expect(points(page, "Matches")).to_have_text(["word 29"])

    # A bookmark of TensorBoard with three of the points, which alone have positions, and the first of them selected.
    bookmarks = tmp_path / "bookmarks.txt"
    state = {
        "label": "three",
        "isSelected": True,
        "selectedProjection": "tsne",
        "tSNEis3d": False,
        "dataSetDimensions": [3, 3],
        "filteredPoints": [9, 4, 6],
        "projections": [{"tsne-0": place, "tsne-1": place * place} for place in (1, 2, 3)],
        "selectedPoints": [0],
        "cameraDef": {"orthographic": True, "position": [1, 0, 1], "target": [1, 0, 0], "zoom": 2},
    }
    bookmarks.write_text(json.dumps([state]))
    page.get_by_role("button", name="Bookmarks").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Read bookmarks from a file").click()
    chooser.value.set_files(bookmarks)
    expect(page.get_by_role("region", name="Embedding")).to_contain_text("3 of 30 points")
    expect(page.get_by_role("toolbar", name="Selection")).to_contain_text("1 selected")
    address_has(page, "projector.by;tsne")
    # The middle of the positions and half their size: 2 ± 1 and 5 ± 4.
    address_has(page, "projector.camera;3;5;0;2;")
    page.keyboard.press("Escape")
    wait_ready(page)
    rows = list(csv.DictReader(io.StringIO(save(page, "CSV").decode())))
    assert [(row["row"], row["x"], row["y"]) for row in rows] == [
        ("4", "2", "4"),
        ("6", "3", "9"),
        ("9", "1", "1"),
    ]

    # The embedding of a run is a card of the Overview.
    page.evaluate("location.hash = '#/overview'")
    card = page.get_by_role("article", name=re.compile("^penultimate"))
    expect(card).to_contain_text(f"{ITEMS} × 8")
    expect(card.get_by_role("application", name="Points of penultimate")).to_be_visible()
    wait_ready(page)
    card.get_by_role("link", name="Open in the Projector").click()
    expect(page.get_by_role("region", name="Embedding")).to_contain_text(f"{ITEMS} × 8")
    address_has(page, "projector.embedding;")
    wait_ready(page)
