"""Dialogs, menus and keys: the palette, shortcuts, where the focus goes, and settings."""

from __future__ import annotations

import json

from playwright.sync_api import expect
from tests.support.frame import run_filter, runs, status
from tests.support.page import address_has, card, go, reload

from runglass.query.memory import MemorySource


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


def test_shortcuts_windows_settings_and_where_the_focus_goes(open_page, tmp_path):
    # Shortcuts work outside of text and are listed
    page = open_page(runs())
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Pause updates")).to_be_visible()
    expect(dialog.get_by_text("Go to Scalars")).to_be_visible()
    keys = dialog.locator(".keys").all_text_contents()
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

    # Windows put the focus into their first field
    go(page, "#/scalars?smoothing=0.6")
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
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    # A window gives the focus back
    go(page, "#/scalars?smoothing=0.6")
    button = page.get_by_role("button", name="Settings", exact=True)
    button.focus()
    button.press("Enter")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    # The key that ends another window does not press it.
    page.keyboard.press("s")
    expect(page.get_by_role("textbox", name="View name")).to_be_focused()
    page.keyboard.type("focus")
    page.keyboard.press("Enter")
    expect(page.get_by_text("View “focus” saved.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)

    # Windows follow each other as fast as keys do
    go(page, "#/scalars?smoothing=0.6")
    for _ in range(5):
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Control+,")
        expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
        page.keyboard.press("Escape")

    # Settings are kept, exported, imported and reset
    go(page, "#/scalars?smoothing=0.6")
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
    reload(page)
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
