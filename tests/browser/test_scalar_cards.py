"""The cards of the scalars dashboard in a browser: found, ordered, combined and sized, and asked for only when seen."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Page, expect
from tests.support.page import (
    address_has,
    card,
    chart,
    go,
    is_drawn,
    reload,
    run_color,
    tick_labels,
    wait_ready,
)
from tests.support.scalar_cards import chart_settings, choose, three_runs

from runglass.query.memory import MemorySource


def asked_tags(asked: list[dict[str, Any]]) -> list[str]:
    return [tag for body in asked for tag in body["tags"]]


def size_of(page: Page, tag: str) -> tuple[float, float]:
    box = card(page, tag).bounding_box()
    assert box
    return box["width"], box["height"]


def titles(page: Page) -> list[str]:
    """The cards in reading order."""
    return page.get_by_role("article").evaluate_all("(cards) => cards.map((card) => card.ariaLabel)")


def test_cards_are_shown_filtered_and_pinned(open_page, asked):
    # Every run of every tag has its colour
    page = open_page(three_runs())
    for tag in ("train/loss", "train/accuracy", "val/loss"):
        expect(card(page, tag)).to_have_attribute("data-ready", "true")
    colors = {run_color(page, run) for run in ("low", "middle", "high/one")}
    assert len(colors) == 3
    assert all(is_drawn(page, "train/loss", color) for color in colors)
    expect(page.get_by_role("button", name="train 2")).to_be_visible()
    assert sorted(asked_tags(asked)) == ["train/accuracy", "train/loss", "val/loss"]
    # The first card comes alone and early, the others together.
    assert [len(body["tags"]) for body in asked] == [1, 2]
    # All runs are not named, so that a thousand cost nothing to ask for.
    assert all("runs" not in body for body in asked)

    # Tags are filtered and sections shut
    go(page, "#/scalars?smoothing=0.6")
    field = page.get_by_role("combobox", name="Filter tags (regex)")
    field.fill("acc")
    expect(page.get_by_role("article")).to_have_count(1)
    # Sections stay, and say how much of them is left.
    expect(page.get_by_role("button", name="train 1 of 2")).to_be_visible()
    field.fill("acc(")
    expect(page.get_by_role("alert")).to_contain_text("unterminated group")
    expect(page.get_by_role("article")).to_have_count(1)
    field.fill("nothing like it")
    page.get_by_role("button", name="Clear filter").click()
    expect(page.get_by_role("article")).to_have_count(3)
    heading = page.get_by_role("button", name="train 2")
    heading.click()
    expect(heading).to_have_attribute("aria-expanded", "false")
    expect(page.get_by_role("article")).to_have_count(1)
    wait_ready(page)
    address_has(page, "shut=train")
    reload(page)
    expect(page.get_by_role("article")).to_have_count(1)

    # The filter offers tags by some of their letters
    go(page, "#/scalars?smoothing=0.6")
    field = page.get_by_role("combobox", name="Filter tags (regex)")
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.keyboard.type("vlo")
    offers = page.get_by_role("listbox", name="Suggestions: Filter tags (regex)")
    expect(offers.get_by_role("option")).to_have_text(["val/loss"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("val/loss")
    expect(page.get_by_role("article")).to_have_count(1)

    # Pinned cards come first and stay so
    go(page, "#/scalars?smoothing=0.6")
    card(page, "val/loss").get_by_role("button", name="Pin val/loss").click()
    wait_ready(page)
    expect(page.get_by_role("button", name="Pinned 1")).to_be_visible()
    assert titles(page)[0] == "val/loss"
    address_has(page, "pin=val/loss")
    reload(page)
    assert titles(page)[0] == "val/loss"
    page.get_by_role("button", name="Clear pins").click()
    wait_ready(page)
    assert titles(page)[-1] == "val/loss"


def test_only_cards_in_sight_are_asked_for_and_have_a_canvas(open_page, asked):
    source = MemorySource()
    for index in range(300):
        source.add_scalars("run", f"tag{index:03}", step=[0, 1], value=[0.0, 1.0])
    page = open_page(source)
    first = set(asked_tags(asked))
    assert 0 < len(first) <= 12
    assert page.locator("canvas").count() == len(first)
    assert page.get_by_role("article").count() < 30
    asked.clear()
    card(page, "tag000").hover()
    page.mouse.wheel(0, 12_000)
    expect(card(page, "tag000")).to_have_count(0)
    wait_ready(page)
    new = set(asked_tags(asked))
    assert new
    assert not new & first
    assert page.locator("canvas").count() <= 15


def test_ten_thousand_tags_are_listed_filtered_and_scrolled(open_page):
    source = MemorySource()
    for index in range(10_000):
        part = f"part{chr(ord('a') + index % 40 // 20)}{chr(ord('a') + index % 20)}"
        source.add_scalars("run", f"{part}/layer{index}/norm", step=[0, 1], value=[0.0, 1.0])
    page = open_page(source)
    expect(page.get_by_role("button", name="partaa 250")).to_be_visible()
    # Natural order: 0, 40, 80 and so on, not 0, 1000, 10000.
    assert titles(page)[:3] == ["partaa/layer0/norm", "partaa/layer40/norm", "partaa/layer80/norm"]
    page.get_by_role("button", name="Jump to section").click()
    page.get_by_role("combobox", name="Jump to section").fill("partbn")
    page.keyboard.press("Enter")
    expect(card(page, "partbn/layer33/norm")).to_have_attribute("data-ready", "true")
    field = page.get_by_role("combobox", name="Filter tags (regex)")
    field.fill("layer1234")
    expect(page.get_by_role("article")).to_have_count(1)
    field.fill("norm")
    expect(page.get_by_text("and 9,975 more")).to_be_visible()


def test_one_failing_card_leaves_the_others_and_tries_again_by_itself(page, serve, problems):
    def fail(route):
        if "train/loss" in route.request.post_data_json["tags"]:
            error = {"code": "internal", "message": "The reduction failed.", "where": None}
            route.fulfill(status=500, content_type="application/json", body=json.dumps({"error": error}))
        else:
            route.continue_()

    page.route("**/api/scalars/lines", fail)
    page.goto(serve(three_runs()).url + "#/scalars")
    wait_ready(page)
    broken = card(page, "train/loss")
    expect(broken.get_by_role("alert")).to_contain_text("The reduction failed.")
    expect(broken.get_by_role("button", name="Try again")).to_be_visible()
    expect(card(page, "train/accuracy")).to_have_attribute("data-ready", "true")
    expect(card(page, "val/loss")).to_have_attribute("data-ready", "true")
    page.unroute("**/api/scalars/lines")
    expect(broken).to_have_attribute("data-ready", "true")
    assert all("500" in problem for problem in problems)
    problems.clear()


def drag_card(page: Page, tag: str, onto: str, at: float) -> None:
    box = card(page, onto).bounding_box()
    assert box
    card(page, tag).get_by_role("heading").drag_to(
        card(page, onto), target_position={"x": box["width"] * at, "y": 100}
    )


def test_cards_are_moved_and_combined(open_page, asked, problems):
    # A link to what is gone says so and shows the rest
    page = open_page(three_runs(), "#/scalars?pin=gone/tag&panel=panel1;<also/gone&pin=panel1")
    gone = page.get_by_role("article", name="gone/tag", exact=True)
    expect(gone).to_contain_text("is not in these logs")
    expect(card(page, "train/loss")).to_have_attribute("data-ready", "true")
    gone.get_by_role("button", name="Remove gone/tag").click()
    page.get_by_role("button", name="Remove also/gone").click()
    expect(gone).to_have_count(0)
    expect(page.get_by_role("article")).to_have_count(3)

    # Cards are moved by dragging and by menu
    go(page, "#/scalars?smoothing=0.6")
    assert titles(page) == ["train/accuracy", "train/loss", "val/loss"]
    drag_card(page, "train/loss", "train/accuracy", 0.1)
    wait_ready(page)
    assert titles(page) == ["train/loss", "train/accuracy", "val/loss"]
    address_has(page, "order=train;train/loss")
    choose(page, "train/loss", "Move forward")
    wait_ready(page)
    assert titles(page) == ["train/accuracy", "train/loss", "val/loss"]

    # A card dropped on another makes a panel
    go(page, "#/scalars?smoothing=0.6")
    drag_card(page, "val/loss", "train/loss", 0.5)
    wait_ready(page)
    both = "train/loss · val/loss"
    expect(page.get_by_role("button", name="Pinned 1")).to_be_visible()
    expect(card(page, both)).to_have_attribute("data-ready", "true")
    assert ["train/loss", "val/loss"] in [body["tags"] for body in asked]
    legend = card(page, both).get_by_role("list", name="Legend")
    legend.get_by_role("button", name="Move to right axis: val/loss").click()
    wait_ready(page)
    address_has(page, "panel=panel1;%3Ctrain/loss;%3Eval/loss")
    legend.get_by_role("button", name="Remove train/loss").click()
    expect(card(page, both)).to_have_count(0)
    page.get_by_role("button", name="More for val/loss").first.click()
    page.get_by_role("menuitem", name="Remove panel").click()
    expect(page.get_by_role("button", name="Pinned 1")).to_have_count(0)

    # Series are added from the menu
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "train/loss", "Add series…")
    dialog = page.get_by_role("dialog", name="Add series to train/loss")
    dialog.get_by_role("combobox", name="Search tags").fill("valos")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("list", name="Selected")).to_contain_text("val/loss")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(card(page, "train/loss · val/loss")).to_have_attribute("data-ready", "true")
    choose(page, "train/loss · val/loss", "Combine with…")
    page.get_by_role("dialog").get_by_role("option", name="train/accuracy").click()
    expect(card(page, "train/loss · val/loss · train/accuracy")).to_have_attribute("data-ready", "true")

    # Derived series are tried before they are added
    assert problems == []
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "train/loss", "Add derived series…")
    dialog = page.get_by_role("dialog", name="Add derived series")
    field = dialog.get_by_role("textbox", name="Expression")
    field.fill("{train/loss} - {nobody}")
    dialog.get_by_role("button", name="Add series").click()
    expect(dialog.get_by_role("alert")).to_contain_text("There is no tag “nobody”")
    field.fill("{train/loss} - (2")
    dialog.get_by_role("button", name="Add series").click()
    expect(dialog.get_by_role("alert")).to_contain_text(re.compile("expected", re.IGNORECASE))
    problems.clear()  # The browser reports the 400 by itself.
    field.fill("{train/loss} * 100")
    dialog.get_by_role("button", name="Add series").click()
    derived = "train/loss · {train/loss} * 100"
    expect(card(page, derived)).to_have_attribute("data-ready", "true")
    assert {"200", "300"} <= set(tick_labels(page, derived))


def test_cards_are_sized_and_read(open_page):
    # Crosshair and run are shown on every card
    source = three_runs()
    source.add_scalars("low", "noted", step=[0], value=[1.0], description="Per token, <b>not</b> per batch.")
    page = open_page(source)
    box = chart(page, "train/loss").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(chart(page, "val/loss").locator("svg line.crosshair")).to_have_count(1)
    page.mouse.move(5, 850)
    expect(chart(page, "val/loss").locator("svg line.crosshair")).to_have_count(0)
    page.get_by_role("checkbox", name="middle", exact=True).hover()
    expect(chart(page, "val/loss").locator("svg path.forward")).to_have_count(1)

    # A chart has a table twin
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "train/loss", "Show as table")
    table = card(page, "train/loss").get_by_role("table")
    # Whole numbers have no decimals.
    expect(table.get_by_role("row", name="middle 2 2 2 2 0 0.00 % 2 200")).to_be_visible()
    choose(page, "train/loss", "Show as table")
    expect(table).to_have_count(0)

    # A selected step has a table on every card
    go(page, "#/scalars?smoothing=0.6")
    chart_settings(page).get_by_role("radiogroup", name="Selection").get_by_text("Step", exact=True).click()
    page.keyboard.press("Escape")
    expect(card(page, "train/loss").get_by_role("table")).to_contain_text("middle")
    address_has(page, "select=step")

    # The description of a series is asked for when it is opened
    go(page, "#/scalars?smoothing=0.6")
    choose(page, "noted", "Description…")
    expect(page.get_by_role("dialog")).to_contain_text("Per token, <b>not</b> per batch.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="More for noted")).to_be_focused()

    # Width, height and full screen
    go(page, "#/scalars?smoothing=0.6")
    narrow, _ = size_of(page, "val/loss")
    choose(page, "train/loss", "Full width")
    wait_ready(page)
    wide, height = size_of(page, "train/loss")
    assert wide > 2 * narrow
    edge = page.get_by_role("separator", name="Height of train/loss")
    edge.press("ArrowDown")
    wait_ready(page)
    assert size_of(page, "train/loss") == (wide, height + 20)
    address_has(page, "card=train/loss;wide;height:256")
    before = size_of(page, "val/loss")
    card(page, "val/loss").hover()
    page.keyboard.press("f")
    wait_ready(page)
    assert card(page, "val/loss").bounding_box() == {"x": 0, "y": 0, "width": 1440, "height": 900}
    page.keyboard.press("Escape")
    wait_ready(page)
    assert size_of(page, "val/loss") == before

    # The width of all cards is a matter of taste that the browser keeps
    go(page, "#/scalars?smoothing=0.6")
    before, _ = size_of(page, "train/loss")
    chart_settings(page).get_by_role("slider", name="Card width").fill("735")
    wait_ready(page)
    after = size_of(page, "train/loss")
    assert after[0] > 1.3 * before
    reload(page)
    assert size_of(page, "train/loss") == after


ODD_TAGS = (
    "a/b c/d e",
    "🙂/loss 🎉",
    "<img src=x onerror=alert(1)>",
    "tab\tand {brace} \\ ; & # %2F",
    "x" * 10_000,
)


def test_odd_tags_break_nothing(open_page):
    source = MemorySource()
    for tag in ODD_TAGS:
        source.add_scalars("run", tag, step=[0, 1], value=[0.0, 1.0])
    page = open_page(source)
    for tag in ODD_TAGS[:4]:
        expect(card(page, tag)).to_have_attribute("data-ready", "true")
    expect(page.get_by_role("article")).to_have_count(5)
    for tag in ODD_TAGS[:4]:
        page.get_by_role("article", name=tag, exact=True).get_by_role(
            "button", name=re.compile("^Pin ")
        ).click()
    choose(page, ODD_TAGS[3], "Y axis logarithmic")
    address_has(page, "log")
    reload(page)
    expect(page.get_by_role("button", name="Pinned 4")).to_be_visible()
    choose(page, ODD_TAGS[3], "Add derived series…")
    page.get_by_role("dialog").get_by_role("button", name="Use cumulative").click()
    page.get_by_role("dialog").get_by_role("button", name="Add series").click()
    expect(page.get_by_role("button", name="Pinned 5")).to_be_visible()
    wait_ready(page)
