"""Every dashboard in browsers other than Chromium: it shows its cards, obeys the keys, and complains about nothing."""

from __future__ import annotations

import pytest

from runglass.registry import DASHBOARDS

CARDS = 'document.querySelectorAll("main article[data-ready=true]").length'
SHOWN = f'document.documentElement.dataset.ready === "true" && {CARDS} > 0'
ROWS = "document.querySelectorAll(\"main [aria-label='Table of runs'] [role=row]\").length"
FILTER = "main [role=combobox]"
CURSOR = "[aria-label='Step of all cards']"
HOME = "\ue011"
DOWN = "\ue015"
ENTER = "\ue007"


# HParams has views of all runs instead of cards; the others have a canvas.
@pytest.mark.parametrize(
    "name",
    [
        dashboard.name
        for dashboard in DASHBOARDS
        if dashboard.name not in ("hparams", "graphs", "projector", "profile")
    ],
)
def test_shows_its_cards_and_obeys_the_keys(window, url, name):
    window.open(f"{url}#/{name}")
    window.wait_for(SHOWN)
    if window.evaluate(f'document.querySelector("{CURSOR}") !== null'):
        window.wait_for(f'document.querySelector("{CURSOR}:enabled") !== null')
        window.press(CURSOR, HOME)
        window.wait_for('location.hash.includes("cursor=0")')
        window.wait_for(SHOWN)
    window.press(FILTER, "zzz")
    window.wait_for(f'{CARDS} === 0 && document.querySelector("main").textContent.includes("zzz")')
    assert window.read_problems() == []


def test_hparams_shows_lines_and_rows_and_obeys_the_keys(window, url):
    window.open(f"{url}#/hparams")
    # The heads are a row too.
    window.wait_for(f'document.documentElement.dataset.ready === "true" && {ROWS} === 3')
    window.wait_for(
        "document.querySelector(\"main [aria-label='Parallel coordinates'] canvas\")?.width > 100"
    )
    window.press("main [aria-label='Table of runs'] input", "lr > 0.05")
    window.wait_for(f"{ROWS} === 2")
    assert window.read_problems() == []


def test_graphs_shows_a_graph_and_obeys_the_keys(window, url):
    window.open(f"{url}#/graphs")
    window.wait_for('document.documentElement.dataset.ready === "true"')
    window.wait_for("document.querySelector('main [role=application] canvas')?.width > 100")
    window.press("main [role=application]", DOWN)
    window.wait_for(
        "document.querySelector('main aside')?.getAttribute('aria-label') === 'About the selected node'"
    )
    window.press("main [role=search] input", "Relu")
    window.wait_for("document.querySelector('main [role=search] [role=status]')?.textContent.trim() === '1'")
    assert window.read_problems() == []


def test_projector_shows_points_and_obeys_the_keys(window, url):
    window.open(f"{url}#/projector")
    window.wait_for('document.documentElement.dataset.ready === "true"')
    window.wait_for("document.querySelector('main [role=application] canvas')?.width > 100")
    window.press("main [role=search] input", "point 7")
    window.wait_for(
        "document.querySelector('main [role=search] [role=status]')?.textContent.includes('1 of 30')"
    )
    assert window.read_problems() == []


def test_profile_shows_a_trace_and_obeys_the_keys(window, url):
    window.open(f"{url}#/profile?option=profile.view;trace")
    window.wait_for('document.documentElement.dataset.ready === "true"')
    window.wait_for("document.querySelector('main canvas')?.clientWidth > 100")
    window.press("main [role=search] input", "relu_kernel")
    window.wait_for("document.querySelector('main [role=search] [role=status]')?.textContent.trim() === '4'")
    window.press("main [role=search] input", ENTER)
    window.wait_for(
        "document.querySelector('main section[aria-label=\"Selected event\"] h2')?.textContent === 'relu_kernel'"
    )
    assert window.read_problems() == []
