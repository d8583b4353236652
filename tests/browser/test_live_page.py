"""The page while logs are written, read, gone or not there yet."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect
from tests.support.page import address_has, card, chart, tick_labels, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import Progress


def two_runs() -> MemorySource:
    source = MemorySource(locations=["logs/two"])
    for run in ("a", "b"):
        source.add_scalars(run, f"{run}/loss", step=range(100), value=np.linspace(1, 0, 100))
    return source


def test_new_points_reach_only_the_cards_of_their_runs(open_page, asked):
    source = two_runs()
    page = open_page(source)
    # A page that is not told of changes yet asks for everything when it is.
    expect(page.get_by_role("status", name="Updates")).to_contain_text("live")
    asked.clear()
    source.add_scalars("a", "a/loss", step=range(100, 1_000), value=np.linspace(1, 0, 900))
    expect(chart(page, "a/loss").get_by_text("800", exact=True)).to_be_visible()
    wait_ready(page)
    assert {body["tags"][0] for body in asked} == {"a/loss"}
    assert max(int(label) for label in tick_labels(page, "b/loss") if label.isdigit()) < 100


def test_zoom_stays_while_points_arrive(open_page, asked):
    source = two_runs()
    page = open_page(source, "#/scalars?card=a/loss;x:20,40")
    before = tick_labels(page, "a/loss")
    asked.clear()
    with page.expect_response("**/api/scalars/lines"):
        source.add_scalars("a", "a/loss", step=range(100, 1_000), value=np.linspace(1, 0, 900))
    wait_ready(page)
    low, high = asked[0]["x_range"]
    assert low <= 20 < 40 <= high < 100
    assert tick_labels(page, "a/loss") == before


def test_menus_scroll_and_selection_stay_while_points_arrive(open_page):
    source = two_runs()
    for index in range(40):
        source.add_scalars("a", f"more/{index}", step=[0, 1], value=[0.0, 1.0])
    page = open_page(source, "#/scalars?card=more/0;selection:1")
    card(page, "a/loss").hover()
    page.mouse.wheel(0, 700)
    page.wait_for_function("() => document.querySelector('.cards').scrollTop >= 700")
    card(page, "more/9").scroll_into_view_if_needed()
    wait_ready(page)
    page.get_by_role("button", name="More for more/9").click()
    menu = page.get_by_role("menu", name="More for more/9")
    before = card(page, "more/9").bounding_box()
    source.add_scalars("a", "more/9", step=range(2, 900), value=np.linspace(1, 0, 898))
    source.add_scalars("c", "new/tag", step=[0, 1], value=[0.0, 1.0])
    expect(chart(page, "more/9").get_by_text("800", exact=True)).to_be_visible()
    expect(page.get_by_role("checkbox", name="c", exact=True)).to_be_visible()
    expect(menu).to_be_visible()
    assert card(page, "more/9").bounding_box() == before
    address_has(page, "card=more/0;selection:1")


def test_first_run_appears_without_a_reload(open_page):
    source = MemorySource(locations=["logs/new"])
    page = open_page(source)
    expect(page.get_by_role("heading", name="Nothing logged yet")).to_be_visible()
    expect(page.get_by_text('SummaryWriter("logs/new/first")')).to_be_visible()
    page.get_by_role("radio", name="Keras").check(force=True)
    expect(page.get_by_text("keras.callbacks.TensorBoard")).to_be_visible()
    page.get_by_text("I logged something, but it is not here").click()
    expect(page.get_by_text("runglass inspect path/to/logs")).to_be_visible()
    source.add_scalars("first", "train/loss", step=[0, 1], value=[1.0, 0.5])
    expect(card(page, "train/loss")).to_have_attribute("data-ready", "true")


def test_loading_says_how_far_it_is(open_page):
    source = two_runs().set_progress(Progress(False, 900, 412, 5_000_000_000, 3_100_000_000))
    page = open_page(source)
    expect(page.get_by_role("status", name="Updates")).to_have_text("412 of 900 runs, 3.1 of 5.0 GB")
    expect(page.get_by_role("progressbar", name="Reading the logs")).to_have_attribute("aria-valuenow", "62")
    source.set_progress(Progress(True, 900, 900, 5_000_000_000, 5_000_000_000, 3_000_000_000))
    expect(page.get_by_role("status", name="Updates")).to_contain_text("live")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.get_by_role("button", name="About updates").click()
    expect(page.get_by_text("3.0 GB of it from the cache")).to_be_visible()


def test_lost_connection_is_told_and_mended(page, serve, problems):
    source = two_runs()
    first = serve(source)
    page.goto(first.url + "#/scalars")
    wait_ready(page)
    first.stop()
    expect(page.get_by_role("status", name="Updates")).to_have_text("connection lost")
    assert chart(page, "a/loss").is_visible()
    again = two_runs()
    again.add_scalars("a", "a/loss", step=range(100, 1_000), value=np.linspace(1, 0, 900))
    serve(again, port=first.port)
    expect(page.get_by_role("status", name="Updates")).to_contain_text("live")
    expect(chart(page, "a/loss").get_by_text("800", exact=True)).to_be_visible()
    assert all("ERR_" in problem for problem in problems)
    problems.clear()


def test_page_works_under_a_path_prefix(open_page):
    page = open_page(two_runs(), path_prefix="/tools/runglass")
    expect(card(page, "a/loss")).to_have_attribute("data-ready", "true")
    expect(page.get_by_text("logs/two")).to_be_visible()
    tab = page.get_by_role("link", name="Scalars", exact=True)
    expect(tab).to_have_attribute("aria-current", "page")
    tab.click()
    expect(card(page, "a/loss")).to_be_visible()
