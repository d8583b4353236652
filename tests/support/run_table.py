"""The run table as tests look for it and use it, and logs that have something to choose from."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from tests.support.page import wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import Kind

START = "_hparams_/session_start_info"


def runs(*names: str) -> MemorySource:
    source = MemorySource()
    for height, name in enumerate(names, start=1):
        source.add_scalars(name, "loss", step=range(50), value=np.full(50, float(height)))
    return source


def sweep() -> MemorySource:
    """Four runs with hyperparameters and two metrics; the best by one is not the best by the other; one lacks `acc`."""
    source = MemorySource(locations=["/logs/sweep"])
    for name, lr, optimizer, acc, loss in (
        ("a", 0.1, "adam", [0.2, 0.9, 0.8], [3.0, 2.0, 1.0]),
        ("b", 0.01, "sgd", [0.1, 0.5, 0.7], [3.0, 0.5, 0.6]),
        ("c", 0.001, "adam", [0.3, 0.4, 0.95], [9.0, 8.0, 7.0]),
        ("d10", 0.1, "sgd", None, [4.0, 4.0, 4.0]),
        ("d9", 0.1, "sgd", None, [5.0, 5.0, 5.0]),
    ):
        hparams = {"lr": lr, "optimizer": optimizer, "layers": 18}
        source.add_values(
            name, START, Kind.HPARAMS, step=[0], values=[{"session_start_info": {"hparams": hparams}}]
        )
        if acc:
            source.add_scalars(name, "val/acc", step=[0, 10, 20], value=acc)
        source.add_scalars(name, "loss", step=[0, 10, 20], value=loss)
    return source


def table(page: Page) -> Locator:
    return page.get_by_role("treegrid", name="Runs")


def row(page: Page, name: str) -> Locator:
    return table(page).get_by_role("row", name=name, exact=True)


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("checkbox", name=name, exact=True)


def has_rows(page: Page, *names: str) -> None:
    """The rows of the table, top to bottom, are these."""
    seen = (
        "[...document.querySelectorAll('[role=treegrid] [role=row][aria-label]')].map((row) => row.ariaLabel)"
    )
    try:
        page.wait_for_function(f"(names) => {seen}.join('|') === names.join('|')", arg=list(names))
    except PlaywrightTimeoutError:
        assert page.evaluate(seen) == list(names)


def is_shown(page: Page, count: str) -> None:
    expect(page.get_by_text(f"{count} shown")).to_be_visible()
    wait_ready(page)


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name=menu, exact=True).click()
    take(page, item)


def take(page: Page, item: str) -> None:
    """An entry of the open menu, be it an action or a switch."""
    menu = page.get_by_role("menu")
    menu.get_by_role("menuitem", name=item, exact=True).or_(
        menu.get_by_role("menuitemcheckbox", name=item, exact=True)
    ).click()


def choose_for(page: Page, run: str, item: str) -> None:
    row(page, run).click(button="right")
    take(page, item)


def cells(page: Page, name: str) -> list[str]:
    # Blanks align whole numbers with others.
    return [text.strip() for text in row(page, name).get_by_role("gridcell").all_text_contents()[1:]]


def query(page: Page, text: str) -> Locator:
    page.get_by_role("radio", name="query").check(force=True)
    field = page.get_by_role("combobox", name="Query runs")
    field.fill(text)
    return field
