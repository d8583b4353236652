"""Sections of cards in a browser: beside each other, in an order, numbered ones with a stepper, and what cards take of a row."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, card, reload, tick_labels, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import Kind


def many_sections() -> MemorySource:
    source = MemorySource(locations=["logs/sections"])
    for tag in ("optim/lr", "optim/norm", "d/v", "val/loss", "train/loss", "epoch"):
        source.add_scalars("run", tag, step=[0, 1, 2], value=[0.0, 7.0, 3.0])
    for layer in range(1, 13):
        source.add_scalars("run", f"layer{layer}/norm", step=[0, 1], value=[0.0, float(layer)])
    source.add_values("run", "notes/long", Kind.TEXT, step=[0, 5], values=["short", "line\n\n" * 80])
    source.add_values("run", "notes/short", Kind.TEXT, step=[3], values=["a word"])
    return source


def box(of: Locator) -> dict[str, float]:
    found = of.bounding_box()
    assert found
    return dict(found)


def headings(page: Page) -> list[str]:
    return [text.split()[0] for text in page.locator("main h2 .title").all_inner_texts()]


def test_sections_share_rows_that_are_full_and_keep_their_order(open_page):
    page = open_page(many_sections(), "#/scalars")
    assert headings(page) == ["train", "val", "d", "layer1", "optim", "Other"]
    # Three columns: the first three sections are in one row, each below its heading.
    first, second, third = (box(card(page, tag)) for tag in ("train/loss", "val/loss", "d/v"))
    assert first["y"] == second["y"] == third["y"]
    assert first["x"] < second["x"] < third["x"]
    heading = box(page.get_by_role("button", name="val 1"))
    assert (abs(heading["x"] - second["x"]) < 8, heading["y"] < second["y"]) == (True, True)
    # The next row has one card of the numbered section and two of the next section; the last card has a row of its own.
    assert box(card(page, "layer1/norm"))["y"] == box(card(page, "optim/lr"))["y"]
    alone = box(card(page, "epoch"))
    assert alone["width"] > 2.9 * first["width"]
    # Titles have the room that they need, short ones too.
    cut = "(titles) => titles.filter((title) => title.scrollWidth > title.clientWidth).length"
    assert page.locator("article h3 > *").evaluate_all(cut) == 0
    # The axis fits the data: nothing below zero, and little above it.
    assert "8" not in tick_labels(page, "train/loss")
    assert not any(label.startswith("−") for label in tick_labels(page, "train/loss"))

    numbered = page.get_by_role("group", name="Members of layer1 … layer12")
    expect(numbered).to_contain_text("1 of 12")
    numbered.get_by_role("button", name="Next of").click()
    expect(card(page, "layer2/norm")).to_have_attribute("data-ready", "true")
    expect(card(page, "layer1/norm")).to_have_count(0)
    address_has(page, "layer2")
    numbered.get_by_role("button", name="Show all of").click()
    expect(card(page, "layer12/norm")).to_be_attached()
    numbered.get_by_role("button", name="Show all of").click()
    expect(card(page, "layer1/norm")).to_be_visible()

    page.get_by_role("button", name="optim 2").hover()
    page.get_by_role("button", name="More for section optim").click()
    page.get_by_role("menuitem", name="Move to top").click()
    wait_ready(page)
    assert headings(page)[:3] == ["optim", "train", "val"]
    page.get_by_role("button", name="d 1", exact=True).drag_to(page.get_by_role("button", name="train 1"))
    wait_ready(page)
    assert headings(page)[:3] == ["optim", "d", "train"]
    address_has(page, "order=/sections;optim;d")
    reload(page)
    assert headings(page)[:3] == ["optim", "d", "train"]
    page.get_by_role("button", name="optim 2").hover()
    page.get_by_role("button", name="More for section optim").click()
    page.get_by_role("menuitem", name="Order sections by name").click()
    wait_ready(page)
    assert headings(page)[0] == "train"


def test_main_metrics_without_a_prefix_come_first(open_page):
    source = MemorySource(locations=["logs/bare"])
    for tag in ("block1", "block2", "loss", "val_accuracy", "train/x"):
        source.add_scalars("run", tag, step=[0, 1], value=[0.0, 1.0])
    page = open_page(source, "#/scalars")
    names = page.get_by_role("article").evaluate_all("(cards) => cards.map((card) => card.ariaLabel)")
    assert names == ["loss", "val_accuracy", "block1", "block2", "train/x"]


def test_texts_are_as_high_as_they_are_long_and_one_step_has_no_slider(open_page):
    page = open_page(many_sections(), "#/text")
    short, long = card(page, "notes/short, run"), card(page, "notes/long, run")
    expect(long.get_by_role("slider")).to_be_visible()
    expect(short).to_contain_text("step 3")
    expect(short.get_by_role("slider")).to_have_count(0)
    page.wait_for_function(
        "(card) => card.getBoundingClientRect().height < 150", arg=short.element_handle(timeout=5_000)
    )
    assert box(long)["height"] == 320


def test_the_button_that_jumps_to_sections_lists_all_and_makes_way_for_the_buttons_of_cards(open_page):
    source = many_sections().add_values("run", "about", Kind.TEXT, step=[0], values=["a word"])
    page = open_page(source, "#/overview")
    # Scalars without a prefix have a section, and all others without one have another.
    view = page.locator(".cards")
    view.evaluate("(view) => (view.scrollTop = view.scrollHeight)")
    jump = page.get_by_role("button", name="Jump to section")
    jump.click()
    sections = page.get_by_role("listbox", name="Jump to section").get_by_role("option")
    expect(sections).to_have_text(
        ["train", "val", "d", "layer1 … layer12", "notes", "optim", "Scalars", "Other"]
    )
    page.get_by_role("combobox", name="Jump to section").fill("train")
    page.keyboard.press("Enter")
    expect(card(page, "train/loss")).to_be_visible()

    # The header of the last card of a row is below the button.
    last = max(page.get_by_role("article").all(), key=lambda each: box(each)["x"]).locator("header")
    view.evaluate("(view, px) => (view.scrollTop += px)", box(last)["y"] - box(view)["y"] - 4)
    wait_ready(page)
    expect(jump).to_be_visible()
    last.hover(position={"x": 20, "y": 20})
    expect(jump).to_be_hidden()
    last.get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("button", name="Exit full screen")).to_be_visible()
