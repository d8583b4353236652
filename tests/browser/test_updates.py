"""How the page keeps up with the logs: live, paused, hidden, and after a lost connection."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.support.frame import asked_of, grow, run_filter, runs, status
from tests.support.page import address_has, chart, wait_ready


def set_hidden(page: Page, is_hidden: bool) -> None:
    page.evaluate(
        """(isHidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_pause_fetches_nothing_and_resume_catches_up(open_page):
    source = runs()
    page = open_page(source)
    expect(status(page)).to_contain_text("live")
    page.get_by_role("button", name="Pause updates").click()
    expect(status(page)).to_have_text("paused")
    asked = asked_of(page)
    grow(source)
    expect(status(page)).to_have_text("paused · 1 run changed")
    source.add_scalars("c", "train/loss", step=[0], value=[1.0])
    expect(status(page)).to_have_text("paused · 2 runs changed")
    assert asked == []
    page.get_by_role("button", name="Resume updates").click()
    expect(chart(page, "train/loss").get_by_text("800", exact=True)).to_be_visible()
    expect(page.get_by_role("checkbox", name="c", exact=True)).to_be_visible()
    assert asked.count("lists?kind=scalar") == 1

    # What the user does is answered while paused
    wait_ready(page)
    page.keyboard.press("l")
    expect(status(page)).to_have_text("paused")
    asked.clear()
    page.get_by_role("radio", name="Relative").check(force=True)
    wait_ready(page)
    address_has(page, "x=relative")
    assert any(path in ("scalars/lines", "scalars/bands") for path in asked)


def test_hidden_page_is_quiet_and_catches_up_once(open_page):
    source = runs()
    page = open_page(source)
    expect(status(page)).to_contain_text("live")
    set_hidden(page, True)
    asked = asked_of(page)
    grow(source)
    source.add_scalars("c", "train/loss", step=[0], value=[1.0])
    set_hidden(page, False)
    expect(chart(page, "train/loss").get_by_text("800", exact=True)).to_be_visible()
    expect(page.get_by_role("checkbox", name="c", exact=True)).to_be_visible()
    wait_ready(page)
    assert asked[0] == "live"
    assert asked.count("lists?kind=scalar") == 1


def test_live_chip_names_the_writers(open_page):
    source = runs()
    page = open_page(source)
    expect(status(page)).to_have_text("live")
    grow(source)
    expect(status(page)).to_contain_text("1 run active")
    page.get_by_role("button", name="About updates").click()
    panel = page.get_by_role("dialog", name="About updates")
    expect(panel.get_by_text("a", exact=True)).to_be_visible()
    expect(panel.get_by_text("2 runs, 950 points")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name="About updates")).to_be_focused()


def test_same_server_after_a_lost_connection_needs_no_reload(page, serve, problems):
    source = runs()
    first = serve(source)
    page.goto(first.url + "#/scalars")
    wait_ready(page)
    run_filter(page).fill("a")
    address_has(page, "filter=a")
    wait_ready(page)
    first.stop()
    expect(status(page)).to_have_text("connection lost")
    grow(source)
    serve(source, port=first.port)
    expect(chart(page, "train/loss").get_by_text("800", exact=True)).to_be_visible()
    expect(status(page)).to_contain_text("live")
    expect(run_filter(page)).to_have_value("a")
    assert all("ERR_" in problem for problem in problems)
    problems.clear()


def test_server_error_in_a_list_is_told_and_mended(open_page, problems):
    source = runs()
    page = open_page(source)
    page.route("**/api/lists?*", lambda route: route.fulfill(status=500, body="no"))
    grow(source)
    expect(status(page)).to_have_text("server error")
    expect(chart(page, "train/loss")).to_be_visible()
    page.unroute("**/api/lists?*")
    page.keyboard.press("r")
    expect(status(page)).to_contain_text("live")
    assert all("500" in problem for problem in problems)
    problems.clear()
