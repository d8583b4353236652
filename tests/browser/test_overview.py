"""The overview: cards of every kind on one page, pinned ones first, all at one moment."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, Page, expect
from tests.support.page import address_has, card, chart, go, reload, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import FileState, Image, Kind
from runglass.writer.values.png import encode_png

SPIKE = 60


def two_runs() -> MemorySource:
    """A loss with a spike, texts at every tenth step in one run and every fifteenth in the other, and histograms."""
    source = MemorySource(locations=["logs/two"])
    step = np.arange(100)
    for run, every in (("fine", 10), ("coarse", 45)):
        loss = 1.0 / (step + 1)
        loss[SPIKE] = 5.0
        wall = 1_000.0 + step
        source.add_scalars(run, "train/loss", step=step, value=loss, wall_time=wall)
        at = step[::every]
        notes = [f"{run} note of {each}" for each in at]
        source.add_values(run, "train/note", Kind.TEXT, step=at, values=notes, wall_time=wall[::every])
        buckets = [np.array([[-1.0, 0.0, each + 1.0], [0.0, 1.0, 2.0]]) for each in at]
        source.add_values(run, "weights", Kind.HISTOGRAM, step=at, values=buckets, wall_time=wall[::every])
    return source


def place(page: Page) -> Locator:
    return page.get_by_role("group", name="Cursor", exact=True).get_by_role("textbox")


def open_overview(open_page: Callable[..., Page], view: str = "") -> Page:
    return open_page(two_runs(), f"#/overview?smoothing=0{view}")


def test_kinds_are_mixed_by_prefix_hidden_and_pinned(open_page):
    # The page opens with it and mixes kinds by prefix
    page = open_page(two_runs(), "")
    expect(page.get_by_role("link", name="Overview")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(
        [re.compile("train"), re.compile("Other")]
    )
    expect(card(page, "train/loss")).to_be_visible()
    expect(card(page, "train/note, fine")).to_contain_text("fine note of 90")
    expect(card(page, "weights, coarse")).to_be_visible()

    # Chips hide kinds and settings are a panel
    go(page, "#/overview?smoothing=0")
    chips = page.get_by_role("group", name="Kinds of cards")
    expect(chips.get_by_role("button")).to_have_text(["Scalars1", "Text1", "Histograms1"])
    chips.get_by_role("button", name="Text").click()
    address_has(page, "overview.off;text")
    expect(card(page, "train/note, fine")).to_have_count(0)
    expect(card(page, "train/loss")).to_be_visible()
    expect(
        page.get_by_role("toolbar", name="Overview").get_by_role("slider", name="Smoothing")
    ).to_be_visible()
    page.get_by_role("button", name="Card settings").click()
    panel = page.get_by_role("complementary", name="Card settings")
    expect(panel.locator("summary")).to_have_text(["Scalars", "Histograms"])
    # Nothing twice: smoothing is in the toolbar.
    expect(panel.get_by_role("checkbox", name="Ignore outliers")).to_be_visible()
    expect(page.get_by_role("slider", name="Smoothing")).to_have_count(1)
    chips.get_by_role("button", name="Text").click()
    expect(card(page, "train/note, fine")).to_be_visible()
    page.get_by_role("button", name="Close card settings").click()
    expect(panel).to_have_count(0)

    # Cards of any kind are pinned and stay so
    go(page, "#/overview?smoothing=0")
    card(page, "train/note, fine").get_by_role("button", name="Pin train/note").click()
    card(page, "train/loss").get_by_role("button", name="Pin train/loss").click()
    page.locator(".cards").evaluate("cards => cards.scrollTo(0, 0)")
    expect(page.get_by_role("main").get_by_role("heading", level=2).first).to_contain_text("Pinned")
    expect(page).to_have_url(re.compile("pin=train/loss"))
    reload(page)
    articles = page.get_by_role("article")
    expect(articles.nth(0)).to_have_attribute("aria-label", "train/note, fine")
    expect(articles.nth(1)).to_have_attribute("aria-label", "train/loss")
    # On the tab of one kind only its own are pinned.
    page.get_by_role("link", name="Scalars", exact=True).click()
    wait_ready(page)
    expect(page.get_by_role("article")).to_have_count(1)


def test_the_cursor_takes_every_card_there(open_page):
    # A click on a spike
    page = open_overview(open_page)
    loss = chart(page, "train/loss")
    box = loss.bounding_box()
    assert box is not None
    # The spike is the highest point of the chart: anywhere near it in x the crosshair finds it.
    plot_left, plot_width = 44, box["width"] - 56
    loss.click(position={"x": plot_left + plot_width * SPIKE / 99, "y": 40})
    expect(place(page)).to_have_value(re.compile(r"^(59|60|61)$"))
    # From one side and exactly, whichever of its neighbours was clicked.
    for step in (0, SPIKE):
        place(page).fill(str(step))
        place(page).press("Enter")
    fine, coarse = card(page, "train/note, fine"), card(page, "train/note, coarse")
    expect(fine).to_contain_text(f"fine note of {SPIKE}")
    expect(fine).not_to_contain_text("nearest")
    expect(coarse).to_contain_text("coarse note of 45")
    expect(coarse).to_contain_text("nearest")

    # An axis is another view of the same moment
    go(page, "#/overview?smoothing=0&cursor=45")
    axis = page.get_by_role("radiogroup", name="Cursor axis")
    axis.get_by_text("Relative").click()
    expect(place(page)).to_have_value("45 s")
    place(page).fill("1 m 0 s")
    place(page).press("Enter")
    address_has(page, "cursor=r60")
    expect(card(page, "train/note, fine")).to_contain_text("fine note of 60")
    axis.get_by_text("Wall").click()
    expect(place(page)).to_have_value(re.compile(r"\d\d:\d\d"))
    axis.get_by_text("Step").click()
    expect(place(page)).to_have_value("60")
    place(page).fill("soon")
    place(page).press("Enter")
    expect(page.get_by_text("“soon” is not a step")).to_be_visible()
    expect(place(page)).to_have_value("60")

    # It stops at every step from the start
    go(page, "#/overview?smoothing=0&cursor=50")
    # Scalars were logged at every step, notes every ten or fifteen.
    page.get_by_role("button", name="Next step of all cards").click()
    expect(place(page)).to_have_value("51")
    slider = page.get_by_role("slider", name="Step of all cards")
    slider.press("Home")
    expect(place(page)).to_have_value("0")
    slider.press("End")
    expect(place(page)).to_have_value("99")

    # It moves by time too
    go(page, "#/overview?smoothing=0&cursorby=relative&cursor=r46")
    expect(card(page, "train/note, coarse")).to_contain_text("coarse note of 45")
    expect(card(page, "train/note, fine")).to_contain_text("fine note of 50")

    # Unlinked cards stay where they are
    go(page, "#/overview?smoothing=0&cursor=45")
    page.get_by_role("button", name="Link all cards to the cursor").click()
    expect(card(page, "train/note, coarse")).to_contain_text("coarse note of 45")
    expect(card(page, "train/note, fine")).to_contain_text("nearest")

    # They go their own ways
    go(page, "#/overview?smoothing=0")
    page.get_by_role("button", name="Link all cards to the cursor").click()
    fine = card(page, "train/note, fine")
    fine.get_by_role("button", name="Previous step of train/note").click()
    expect(fine).to_contain_text("fine note of 80")
    expect(card(page, "train/note, coarse")).to_contain_text("coarse note of 90")
    expect(page).to_have_url(re.compile("at:80"))
    reload(page)
    expect(card(page, "train/note, fine")).to_contain_text("fine note of 80")


def test_wide_cards_read_out_the_values_at_the_cursor(open_page):
    source = MemorySource(locations=["logs/readout"])
    step = np.arange(0, 101, 10)
    for run, last in (("a/train", 0.25), ("a/validation", 0.5), ("b/train", 0.125), ("b/validation", 0.75)):
        source.add_scalars(run, "loss", step=step, value=np.linspace(2, last, 11), wall_time=1_000.0 + step)
        source.add_scalars(run, "rate", step=step, value=np.linspace(2, last, 11), wall_time=1_000.0 + step)
    source.add_scalars("c", "loss", step=[0, 10], value=[1.5, np.nan], wall_time=[1_000.0, 1_010.0])
    source.add_scalars(
        "a/train", "later/rate", step=step, value=np.linspace(2, 1, 11), wall_time=1_000.0 + step
    )
    page = open_page(source, "#/overview?smoothing=0")
    values = card(page, "loss").get_by_role("table")
    expect(values.get_by_role("row")).to_have_text(
        [
            re.compile(r"at 100\s+value\s+train"),
            re.compile(r"a\s+0.5000\s*0.2500"),
            re.compile(r"b\s+0.7500\s*0.1250"),
            re.compile(r"c\s+NaN @ 10"),
        ]
    )
    expect(card(page, "rate").get_by_role("table")).to_have_count(0)
    # With the cursor, and with the pointer in another chart.
    page.get_by_role("slider", name="Step of all cards").press("Home")
    expect(values).to_contain_text("at 0")
    expect(values.get_by_role("row", name="c")).to_contain_text("1.5000")
    expect(chart(page, "rate").locator("circle")).to_have_count(4)
    chart(page, "rate").hover(position={"x": 200, "y": 60})
    expect(values).not_to_contain_text("at 0")

    # A range: its last step, and a table below the chart for which the page makes room.
    go(page, "#/overview?smoothing=0&select=range&linked=1&at=0,50")
    expect(values.first).to_contain_text("at 50")
    expect(page.get_by_role("group", name="Cursor", exact=True)).to_contain_text("50 s")
    expect(values.nth(1)).to_be_visible()
    above, below = (card(page, tag).bounding_box() for tag in ("loss", "later/rate"))
    assert above
    assert below
    assert above["y"] + above["height"] < below["y"]


def strip_part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_the_strip_says_how_the_runs_are_doing(open_page):
    source = MemorySource(locations=["logs/strip"])
    now = time.time()

    def add(run: str, value: object, *, ended_s: float, pause_s: float = 1, **more: object) -> None:
        steps = len(np.asarray(value))
        wall_time = now - ended_s - pause_s * np.arange(steps)[::-1]
        source.add_scalars(run, "loss", step=range(steps), value=value, wall_time=wall_time, **more)

    add("done/train", np.linspace(2, 0.5, 100), ended_s=90_000)
    add("done/validation", np.linspace(2, 0.75, 100), ended_s=90_000)
    # So slow that it does not fall silent before the test ends, on any machine.
    add("going/train", np.linspace(2, 0.4, 50), ended_s=2, pause_s=100)
    add("going/validation", np.linspace(2, 0.6, 50), ended_s=2, pause_s=100)
    add("x/odd", np.r_[np.ones(40), [np.nan] * 5], ended_s=500)
    add("y/quiet", np.ones(30), ended_s=1_600)
    source.set_file("done/train", "f", FileState.DAMAGED, size_bytes=5_000, read_bytes=2_900)
    picture = Image(encode_png(np.zeros((4, 4, 3), np.uint8)), 4, 4, "png")
    source.add_values("going/train", "seen", Kind.IMAGE, step=[7], values=[[picture]], wall_time=[now])
    page = open_page(source, "")

    states = strip_part(page, "States of runs")
    expect(states).to_contain_text("4 trainings in 6 runs")
    expect(states.locator("dd")).to_have_text(["1", "1", "1", "1"])
    expect(states.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "49")
    best = strip_part(page, "Best so far")
    expect(best).to_contain_text("loss ↓")
    expect(best).to_contain_text("0.6000")
    expect(best).to_contain_text("since step 49")
    trouble = strip_part(page, "Trouble")
    expect(trouble.get_by_role("listitem")).to_have_count(3)
    expect(trouble).to_contain_text("x/odd @ 40")
    expect(trouble).to_contain_text("done, 2.1 kB lost")
    expect(trouble).to_contain_text(re.compile(r"Silent 2\d min"))
    expect(strip_part(page, "Newest")).to_contain_text("seen")
    expect(page.get_by_role("main").locator("img")).to_have_js_property("naturalWidth", 4)

    # It is live.
    source.add_scalars("going/validation", "loss", step=[50], value=[0.25], wall_time=[now])
    expect(best).to_contain_text("0.2500")
    # Its links lead there.
    trouble.get_by_role("button", name=re.compile("NaN in loss")).click()
    expect(page.get_by_role("link", name="Scalars", exact=True)).to_have_attribute("aria-current", "page")
    address_has(page, "#/scalars?tags=")
    page.go_back()
    trouble.get_by_role("button", name=re.compile("Damaged file")).click()
    expect(page.get_by_role("dialog")).to_contain_text("File health")
    page.keyboard.press("Escape")
    best.get_by_role("button", name=re.compile("going")).click()
    address_has(page, "run=going")
    page.get_by_role("button", name="Undo").click()
    expect(page).not_to_have_url(re.compile("run=going"))
    # The metrics are the user's choice.
    best.get_by_role("button", name="Choose metrics").click()
    page.get_by_role("radiogroup", name="Best of loss").get_by_text("Highest").click()
    address_has(page, "overview.metrics;max")
    page.keyboard.press("Escape")
    expect(best).to_contain_text("loss ↑")
    # Folded, it is one line, and stays so.
    states.get_by_role("button", name="Fold this into one line").click()
    expect(strip_part(page, "Newest")).to_have_count(0)
    reload(page)
    expect(states.locator("dd")).to_have_text(["1", "1", "1", "1"])
    expect(strip_part(page, "Newest")).to_have_count(0)


def test_new_values_are_followed_and_equal_texts_shown_once(open_page):
    # A text that several runs logged alike is shown once
    source = two_runs()
    for run in ("fine", "coarse"):
        source.add_values(run, "plan", Kind.TEXT, step=[0], values=["Train it well"], wall_time=[1_000.0])
    page = open_page(source, "#/overview?smoothing=0")
    expect(page.get_by_text("Train it well")).to_have_count(1)
    expect(page.get_by_text("same in 2")).to_be_visible()
    source.add_values("fine", "plan", Kind.TEXT, step=[1], values=["Better"], wall_time=[1_001.0])
    expect(page.get_by_text("same in 2")).to_have_count(0)
    expect(page.get_by_text("Train it well")).to_have_count(1)
    expect(page.get_by_text("Better")).to_be_visible()

    # New values are followed until the cursor is moved
    go(page, "#/overview?smoothing=0")
    fine = card(page, "train/note, fine")
    expect(fine).to_contain_text("fine note of 90")
    source.add_values("fine", "train/note", Kind.TEXT, step=[100], values=["brand new"], wall_time=[1_100.0])
    expect(fine).to_contain_text("brand new")
    fine.get_by_role("button", name="Previous step of train/note").click()
    expect(fine).to_contain_text("fine note of 90")
    source.add_values("fine", "train/note", Kind.TEXT, step=[110], values=["even newer"], wall_time=[1_110.0])
    expect(fine.get_by_role("slider")).to_have_attribute("max", "11")
    expect(fine).to_contain_text("fine note of 90")
