"""The page around the dashboards: header, side panel, health of files, first use, and what is loaded at the start."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect
from tests.support.frame import asked_of, message, run_filter, runs
from tests.support.page import address_has, card, go, reload, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import FileState, Kind


def test_a_dashboard_without_data_says_how_to_log_some(open_page):
    source = MemorySource(locations=["logs/words"])
    source.add_values("a", "note", Kind.TEXT, step=[0], values=["hello"])
    page = open_page(source)
    expect(page.get_by_role("heading", name="No scalars yet")).to_be_visible()
    expect(page.get_by_text('SummaryWriter("logs/words/first")')).to_be_visible()
    page.get_by_role("radio", name="TensorFlow").check(force=True)
    expect(page.get_by_text("tf.summary.scalar")).to_be_visible()
    source.add_scalars("a", "train/loss", step=[0, 1], value=[1.0, 0.5])
    expect(card(page, "train/loss")).to_have_attribute("data-ready", "true")


def test_health_badge_lists_findings_worst_first(open_page, page):
    source = runs()
    source.set_file(
        "a", "a/events.1", FileState.SKIPPED, byte=12, reason="payload checksum", skipped_records=3
    )
    source.set_file(
        "b", "b/events.2", FileState.DAMAGED, byte=40, reason="length checksum", advice="Copy the file again."
    )
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(source)
    page.get_by_role("button", name="Problems in 2 files: show").click()
    dialog = page.get_by_role("dialog", name="File health")
    findings = dialog.get_by_role("listitem")
    expect(findings).to_have_count(2)
    expect(findings.nth(0)).to_contain_text("damaged, first at byte 40")
    expect(findings.nth(0)).to_contain_text("Copy the file again.")
    expect(findings.nth(1)).to_contain_text("3 records skipped")
    dialog.get_by_role("button", name="Copy as text").click()
    expect(dialog.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("b/events.2: damaged")


def test_unknown_dashboard_is_told_and_a_narrow_window_folds_the_header(open_page):
    # An unknown dashboard is told, and the first one shown
    page = open_page(runs(), "#/hologram")
    expect(message(page, "There is no “hologram” dashboard; showing Overview.")).to_be_visible()
    expect(card(page, "train/loss")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(message(page, "hologram")).to_have_count(0)

    # A narrow window folds the header without overflow
    go(page, "#/scalars?smoothing=0.6")
    for width in (1440, 1000, 600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("header").first.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        if width == 1000:
            expect(page.get_by_role("button", name="Views, theme and settings")).to_be_visible()
    page.get_by_role("button", name="Views, theme and settings").click()
    page.get_by_role("menuitem", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


def test_lists_are_asked_for_once_and_theme_and_side_panel_kept(page, serve):
    # Lists are asked for once and before the charts
    asked = asked_of(page)
    page.goto(serve(runs()).url + "#/scalars")
    wait_ready(page)
    assert asked.count("lists?kind=scalar") == 1
    assert not [path for path in asked if path.startswith(("status", "runs", "dashboards", "tags"))]
    first_chart = next(i for i, path in enumerate(asked) if path.startswith("scalars/"))
    assert asked.index("lists?kind=scalar") < first_chart

    # The side panel is resized, collapsed and expanded
    splitter = page.get_by_role("separator", name="Side panel width")
    box = splitter.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 200

    def draw(to: float) -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(to, y, steps=4)
        page.mouse.up()

    draw(420)
    expect(splitter).to_have_attribute("aria-valuenow", "420")
    reload(page)
    expect(splitter).to_have_attribute("aria-valuenow", "420")
    splitter.focus()
    page.keyboard.press("ArrowRight")
    expect(splitter).to_have_attribute("aria-valuenow", "436")
    page.keyboard.press("End")
    expect(splitter).to_have_attribute("aria-valuenow", "864")
    page.keyboard.press("Home")
    expect(splitter).to_have_attribute("aria-valuenow", "200")

    x = 200
    draw(40)
    expect(splitter).to_have_count(0)
    expect(run_filter(page)).to_have_count(0)
    page.keyboard.press("[")
    expect(splitter).to_have_attribute("aria-valuenow", "200")
    page.get_by_role("button", name="Hide runs").click()
    page.get_by_role("button", name="Show runs").click()

    page.get_by_role("button", name="Expand runs").click()
    assert page.get_by_role("complementary", name="Runs").bounding_box()["width"] == 1440
    page.keyboard.press("]")
    expect(splitter).to_be_visible()

    # The theme is kept by the address and the browser
    go(page, "#/scalars?smoothing=0.6")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Theme", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Dark theme").click()
    expect(html).to_have_attribute("data-theme", "dark")
    address_has(page, "theme=dark")
    page.goto(page.url.partition("#")[0])
    reload(page)
    expect(html).to_have_attribute("data-theme", "dark")


def test_a_folder_that_does_not_exist_is_named(open_page):
    source = MemorySource(locations=["logs/old", "logs/typo"], missing=["logs/typo"])
    page = open_page(source)
    expect(page.get_by_role("heading", name="This folder does not exist")).to_be_visible()
    expect(page.get_by_text("There is no logs/typo on this machine")).to_be_visible()
    # It may be created later.
    source.add_scalars("a", "loss", step=[0], value=[1.0])
    expect(card(page, "loss")).to_be_visible()


def test_first_page_is_few_files():
    assets = Path(__file__).parents[2] / "src/runglass/server/page/assets"
    html = (assets.parent / "index.html").read_text()
    assert len(re.findall(r"assets/[^\"]+\.(?:js|css)", html)) <= 6
