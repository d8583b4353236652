"""The page around the charts: header, windows, side panel, address, saved views, and what it does when things go wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.support.page import address_has, card, chart, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import FileState, Kind

# A clock that a test can move on, so that it need not wait for a burst of changes to be over.
MOVABLE_CLOCK = """
  const now = performance.now.bind(performance);
  window.laterMs = 0;
  performance.now = () => now() + window.laterMs;
"""
FORBIDDEN_STORAGE = """
  Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("The operation is insecure.", "SecurityError"); },
  });
"""


def runs(*names: str, tag: str = "train/loss") -> MemorySource:
    source = MemorySource(locations=["logs/frame"])
    for name in names or ("a", "b"):
        source.add_scalars(name, tag, step=range(50), value=np.linspace(1, 0, 50))
    return source


def grow(source: MemorySource, run: str = "a", to: int = 900) -> None:
    source.add_scalars(run, "train/loss", step=range(50, to), value=np.linspace(1, 0, to - 50))


def asked_of(page: Page) -> list[str]:
    """The routes asked for from now on."""
    paths: list[str] = []
    page.on("request", lambda request: paths.append(request.url.partition("/api/")[2]))
    return paths


def set_hidden(page: Page, is_hidden: bool) -> None:
    page.evaluate(
        """(isHidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def status(page: Page):
    return page.get_by_role("status", name="Updates")


def run_filter(page: Page):
    return page.get_by_role("textbox", name=re.compile("^Filter runs"))


def message(page: Page, text: str):
    return page.get_by_role("log", name="Messages").get_by_text(text)


# 1. Header


def test_theme_is_kept_by_the_address_and_the_browser(open_page):
    page = open_page(runs())
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Theme", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Dark theme").click()
    expect(html).to_have_attribute("data-theme", "dark")
    address_has(page, "theme=dark")
    page.goto(page.url.partition("#")[0])
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")


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


def test_narrow_window_folds_the_header_without_overflow(open_page):
    page = open_page(runs())
    for width in (1440, 900, 600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("header").first.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    page.get_by_role("button", name="Views, theme and settings").click()
    page.get_by_role("menuitem", name="Settings").click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()


# 2. Palette and shortcuts


def test_palette_finds_runs_tags_and_commands(open_page):
    page = open_page(runs("sweep/lr=0.1", "sweep/lr=0.2"))
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search commands")
    expect(field).to_be_focused()
    field.fill("lr02")
    expect(page.get_by_role("option", selected=True)).to_contain_text("sweep/lr=0.2")
    field.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    address_has(page, "run=sweep/lr")
    expect(page.get_by_role("checkbox", name="sweep/lr=0.1", exact=True)).not_to_be_checked()

    page.keyboard.press("Control+k")
    field.fill("dark theme")
    field.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.get_by_role("button", name="Find anything").click()
    field.fill("trainloss")
    page.get_by_role("option").first.click()
    expect(page.get_by_label("Filter tags (regex)", exact=True)).to_have_value("^train/loss$")
    expect(card(page, "train/loss")).to_be_visible()


def test_palette_searches_ten_thousand_tags(open_page):
    source = runs()
    for i in range(10_000):
        source.add_scalars("a", f"layer{i % 100}/block{i}/norm", step=[0], value=[1.0])
    page = open_page(source, "#/scalars?tags=^train/loss$")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search commands")
    field.press_sequentially("block 9876 norm")
    expect(page.get_by_role("listbox", name="Results")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("option", selected=True)).to_contain_text("block9876/norm")
    assert page.get_by_role("option").count() <= 60
    field.fill("zzzzqq")
    expect(page.get_by_text("No matches", exact=True)).to_be_visible()


def test_shortcuts_work_outside_of_text_and_are_listed(open_page):
    page = open_page(runs())
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Pause updates")).to_be_visible()
    expect(dialog.get_by_text("Go to Scalars")).to_be_visible()
    keys = dialog.get_by_role("definition").all_text_contents()
    assert len(keys) == len(set(keys)), keys
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    run_filter(page).fill("")
    run_filter(page).press("l")
    expect(run_filter(page)).to_have_value("l")
    expect(status(page)).not_to_contain_text("paused")
    run_filter(page).fill("")
    run_filter(page).blur()
    page.keyboard.press("l")
    expect(status(page)).to_contain_text("paused")
    page.keyboard.press("l")
    page.keyboard.press("g")
    page.keyboard.press("s")
    address_has(page, "#/scalars")


def test_a_window_gives_the_focus_back(open_page):
    page = open_page(runs())
    button = page.get_by_role("button", name="Settings", exact=True)
    button.focus()
    button.press("Enter")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_windows_follow_each_other_as_fast_as_keys_do(open_page):
    page = open_page(runs())
    for _ in range(5):
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Control+,")
        expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
        page.keyboard.press("Escape")


def test_windows_put_the_focus_into_their_first_field(open_page):
    page = open_page(runs())
    page.keyboard.press("s")
    expect(page.get_by_role("textbox", name="View name")).to_be_focused()
    page.keyboard.type("all of it")
    page.keyboard.press("Enter")
    expect(page.get_by_text("View “all of it” saved.")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="Search columns")).to_be_focused()
    page.keyboard.press("Escape")
    # Without a field nothing is focused that a key would press, and shortcuts are off.
    page.get_by_role("button", name="Help").click()
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog.get_by_role("heading", name="Choose runs")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("l")
    expect(dialog).to_be_visible()
    expect(status(page)).not_to_contain_text("paused")
    dialog.get_by_role("button", name="Keyboard shortcuts").click()
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_menus_lie_over_everything(open_page):
    source = MemorySource()
    for section in range(12):
        source.add_scalars("run", f"section{section}/loss", step=[0, 1], value=[1.0, 2.0])
    page = open_page(source)
    page.locator(".cards").evaluate("(cards) => cards.scrollTo(0, 400)")
    for menu in ("Views", "Theme"):
        page.get_by_role("button", name=menu, exact=True).click()
        covered = """() => [...document.querySelectorAll("[role=menu] [role^=menuitem]")].filter((item) => {
          const { left, right, top, height } = item.getBoundingClientRect();
          return [left + 4, right - 4].some((x) => !item.contains(document.elementFromPoint(x, top + height / 2)));
        }).map((item) => item.textContent)"""
        assert page.evaluate(covered) == []
        assert page.evaluate("document.querySelector('[role=menu]').matches(':popover-open')")
        page.keyboard.press("Escape")


# 3. Settings


def test_settings_are_kept_exported_imported_and_reset(open_page, tmp_path):
    page = open_page(runs())
    page.keyboard.press("Control+,")
    dialog = page.get_by_role("dialog", name="Settings")
    rows = dialog.get_by_label("Tooltip rows")
    rows.fill("7")
    rows.press("Enter")
    dialog.get_by_label("Tooltip order").select_option("ascending")
    width = dialog.get_by_label("Card width")
    width.fill("99999")
    width.blur()
    expect(width).to_have_value("735")
    page.reload()
    wait_ready(page)
    page.keyboard.press("Control+,")
    expect(rows).to_have_value("7")
    expect(dialog.get_by_label("Tooltip order")).to_have_value("ascending")

    with page.expect_download() as download:
        dialog.get_by_role("button", name="Export everything saved in this browser").click()
    file = tmp_path / "settings.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["format"] == "runglass-browser"

    dialog.get_by_role("button", name="Delete settings, views and run marks").click()
    expect(rows).to_have_value("0")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Import an exported file").click()
    chooser.value.set_files(file)
    expect(rows).to_have_value("7")
    dialog.get_by_role("button", name="Reset all settings in this dialog").click()
    expect(rows).to_have_value("0")

    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Import an exported file").click()
    chooser.value.set_files(wrong)
    expect(dialog.get_by_role("alert")).to_contain_text("not a settings file")


# 4. Live


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


def test_what_the_user_does_is_answered_while_paused(open_page, asked):
    page = open_page(runs())
    page.keyboard.press("l")
    asked.clear()
    page.get_by_role("radio", name="Relative").check(force=True)
    wait_ready(page)
    address_has(page, "x=relative")
    assert asked


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


# 5. File health


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


# 6. Side panel


def test_side_panel_is_resized_collapsed_and_expanded(open_page):
    page = open_page(runs())
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
    page.reload()
    wait_ready(page)
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


# 7. Address and views


def test_back_and_forward_go_through_views_a_burst_at_a_time(page, open_page):
    page.add_init_script(MOVABLE_CLOCK)
    open_page(runs("alpha", "beta"))
    field = run_filter(page)
    field.press_sequentially("alp")
    address_has(page, "filter=alp")
    page.evaluate("window.laterMs += 5000")
    page.get_by_role("radio", name="Wall").check(force=True)
    address_has(page, "x=wall")
    page.go_back()
    expect(field).to_have_value("alp")
    expect(page.get_by_role("radio", name="Step")).to_be_checked()
    page.go_back()
    expect(field).to_have_value("")
    page.go_forward()
    page.go_forward()
    expect(page.get_by_role("radio", name="Wall")).to_be_checked()
    field.blur()
    page.keyboard.press("u")
    expect(page.get_by_role("radio", name="Step")).to_be_checked()
    page.keyboard.press("U")
    expect(page.get_by_role("radio", name="Wall")).to_be_checked()


def test_changes_that_end_where_they_began_leave_no_step(open_page):
    page = open_page(runs(), "#/scalars?tags=loss")
    depth = "history.state?.depth ?? 0"
    run_filter(page).fill("a")
    page.wait_for_function(f"() => ({depth}) === 1")
    run_filter(page).fill("")
    page.wait_for_function(f"() => ({depth}) === 0")
    address_has(page, "#/scalars?tags=loss")
    run_filter(page).fill("b")
    page.wait_for_function(f"() => ({depth}) === 1")
    page.go_back()
    expect(run_filter(page)).to_have_value("")
    expect(page.get_by_role("combobox", name="Filter tags (regex)")).to_have_value("loss")


def test_the_bare_address_begins_with_what_the_browser_keeps(page, open_page):
    open_page(runs())
    bare = page.url.split("#")[0]
    page.get_by_role("button", name="Pin train/loss").click()
    slider = page.get_by_role("spinbutton", name="Smoothing, exact")
    slider.fill("0.9")
    slider.press("Enter")
    address_has(page, "pin=train/loss")
    address_has(page, "smoothing=0.9")
    page.goto("about:blank")
    page.goto(bare + "#/scalars")
    wait_ready(page)
    expect(page.get_by_role("button", name="Unpin train/loss").first).to_be_visible()
    expect(slider).to_have_value("0.90")
    # A link says everything, and changes nothing of what is kept.
    page.goto("about:blank")
    page.goto(bare + "#/scalars?tags=loss")
    wait_ready(page)
    expect(page.get_by_role("button", name="Unpin train/loss")).to_have_count(0)
    address_has(page, "pin=&")
    address_has(page, "smoothing=0.6")
    page.reload()
    wait_ready(page)
    expect(page.get_by_role("button", name="Unpin train/loss")).to_have_count(0)
    page.goto("about:blank")
    page.goto(bare + "#/scalars")
    wait_ready(page)
    expect(page.get_by_role("button", name="Unpin train/loss").first).to_be_visible()


def test_undo_does_not_leave_the_page(open_page):
    page = open_page(runs())
    page.keyboard.press("u")
    expect(message(page, "Nothing to undo.")).to_be_visible()


def test_typed_address_is_shown(open_page):
    page = open_page(runs("alpha", "beta"))
    page.evaluate("location.hash = '#/scalars?filter=bet&smoothing=0.25'")
    expect(run_filter(page)).to_have_value("bet")
    expect(page.get_by_role("spinbutton", name="Smoothing, exact")).to_have_value("0.25")


@pytest.mark.parametrize(
    "address",
    [
        "#scalars&tagFilter=loss&regexInput=alp&_smoothingWeight=0.3",
        "?tagFilter=loss&runFilter=alp&smoothing=0.3&kept=1#timeseries",
    ],
)
def test_addresses_of_tensorboard_are_understood(open_page, address):
    page = open_page(runs("alpha", "beta"), address)
    expect(run_filter(page)).to_have_value("alp")
    expect(page.get_by_role("spinbutton", name="Smoothing, exact")).to_have_value("0.30")
    address_has(page, "tags=loss")
    address_has(page, "#/scalars?")
    assert ("kept=1" in page.url) == ("kept=1" in address)
    assert "runFilter" not in page.url


def test_views_are_saved_applied_renamed_shared_and_deleted(page, open_page, tmp_path):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(runs("alpha", "beta"))
    run_filter(page).fill("alp")
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Save this view").click()
    page.get_by_role("textbox", name="View name").fill("only alpha")
    page.keyboard.press("Enter")
    expect(message(page, "View “only alpha” saved.")).to_be_visible()

    run_filter(page).fill("")
    page.reload()
    wait_ready(page)
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="only alpha").click()
    expect(run_filter(page)).to_have_value("alp")

    run_filter(page).fill("bet")
    address_has(page, "filter=bet")
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Saved views").click()
    dialog = page.get_by_role("dialog", name="Saved views")
    dialog.get_by_role("button", name="Copy link to only alpha").click()
    expect(message(page, "Link copied.")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()").endswith("#/scalars?filter=alp")
    dialog.get_by_role("button", name="Rename only alpha").click()
    name = dialog.get_by_role("textbox", name="New name for only alpha")
    name.fill("first")
    name.press("Enter")
    dialog.get_by_role("button", name="Overwrite first with the current view").click()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Export all views").click()
    file = tmp_path / "views.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["views"] == [{"name": "first", "address": "#/scalars?filter=bet"}]
    dialog.get_by_role("button", name="Delete first").click()
    expect(dialog.get_by_text("No saved views")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Import views from a file").click()
    chooser.value.set_files(file)
    expect(dialog.get_by_role("button", name="Open first")).to_be_visible()
    page.keyboard.press("Escape")
    run_filter(page).fill("")
    page.keyboard.press("Escape")
    run_filter(page).blur()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search commands").fill("first")
    page.keyboard.press("Enter")
    expect(run_filter(page)).to_have_value("bet")


# 8. Messages, first use, unknown dashboard


def test_unknown_dashboard_says_so_and_shows_the_first(open_page):
    page = open_page(runs(), "#/hologram")
    expect(message(page, "There is no “hologram” dashboard; showing Overview.")).to_be_visible()
    expect(card(page, "train/loss")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(message(page, "hologram")).to_have_count(0)


def test_first_use_page_helps(open_page):
    page = open_page(MemorySource(locations=["logs/new"]))
    expect(page.get_by_role("heading", name="Nothing logged yet")).to_be_visible()
    page.get_by_text("I logged something, but it is not here").click()
    expect(page.get_by_text("runglass inspect path/to/logs")).to_be_visible()


def test_a_folder_that_does_not_exist_is_named(open_page):
    source = MemorySource(locations=["logs/old", "logs/typo"], missing=["logs/typo"])
    page = open_page(source)
    expect(page.get_by_role("heading", name="This folder does not exist")).to_be_visible()
    expect(page.get_by_text("There is no logs/typo on this machine")).to_be_visible()
    # It may be created later.
    source.add_scalars("a", "loss", step=[0], value=[1.0])
    expect(card(page, "loss")).to_be_visible()


# 9. Two tabs, storage


def test_two_tabs_share_settings_and_views(page, open_page, problems):
    open_page(runs())
    other = page.context.new_page()
    other.goto(page.url)
    wait_ready(other)
    page.keyboard.press("s")
    page.get_by_role("textbox", name="View name").fill("shared")
    page.keyboard.press("Enter")
    other.get_by_role("button", name="Views", exact=True).click()
    expect(other.get_by_role("menuitemcheckbox", name="shared")).to_be_visible()
    other.keyboard.press("Escape")
    page.keyboard.press("[")
    expect(other.get_by_role("button", name="Show runs")).to_be_visible()


def test_page_works_where_storage_is_forbidden(page, open_page):
    page.add_init_script(FORBIDDEN_STORAGE)
    open_page(runs())
    page.keyboard.press("[")
    expect(page.get_by_role("button", name="Show runs")).to_be_visible()
    page.keyboard.press("s")
    page.get_by_role("textbox", name="View name").fill("for now")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+,")
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("alert")).to_contain_text("This browser cannot save settings")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Views", exact=True).click()
    expect(page.get_by_role("menuitemcheckbox", name="for now")).to_be_visible()


def test_page_works_where_storage_is_full(page, open_page):
    page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
    )
    open_page(runs())
    page.keyboard.press("[")
    expect(page.get_by_role("button", name="Show runs")).to_be_visible()
    page.keyboard.press("Control+,")
    expect(page.get_by_role("dialog", name="Settings").get_by_role("alert")).to_contain_text(
        "blocked or full"
    )


# 10. Start


def test_lists_are_asked_for_once_and_before_the_charts(page, serve):
    asked = asked_of(page)
    page.goto(serve(runs()).url + "#/scalars")
    wait_ready(page)
    assert asked.count("lists?kind=scalar") == 1
    assert not [path for path in asked if path.startswith(("status", "runs", "dashboards", "tags"))]
    first_chart = next(i for i, path in enumerate(asked) if path.startswith("scalars/"))
    assert asked.index("lists?kind=scalar") < first_chart


def test_first_page_is_few_files():
    assets = Path(__file__).parents[2] / "src/runglass/server/page/assets"
    html = (assets.parent / "index.html").read_text()
    assert len(re.findall(r"assets/[^\"]+\.(?:js|css)", html)) <= 6
