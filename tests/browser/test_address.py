"""The view in the address, in the history, under a name, and in what the browser keeps."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect
from tests.support.frame import message, run_filter, runs
from tests.support.page import address_has, reload, wait_ready

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
    reload(page)
    expect(page.get_by_role("button", name="Unpin train/loss")).to_have_count(0)
    page.goto("about:blank")
    page.goto(bare + "#/scalars")
    wait_ready(page)
    expect(page.get_by_role("button", name="Unpin train/loss").first).to_be_visible()


def test_undo_does_not_leave_the_page_and_a_typed_address_is_shown(open_page):
    page = open_page(runs("alpha", "beta"))
    page.keyboard.press("u")
    expect(message(page, "Nothing to undo.")).to_be_visible()

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
    reload(page)
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
