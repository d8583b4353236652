"""What is done to our HParams page: brush, sort, filter, query. Each is measured to the frame that shows other rows."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

from bench.page.visit import Figures

MOVES = 20
MOVE_EVERY_S = 0.03
ROWS = "main [role=treegrid] .body"
ROWS_WITHIN_MS = 5_000
# The views beside the table follow when no further key comes.
REST_S = 1.0
SORTED = ("val/loss", "train/loss", "lr", "val/accuracy")
LIMITS = ("0.001", "0.01", "0.0003", "0.03")
QUERIES = ("lr < 0.001", "val/accuracy < 0.8", 'optimizer == "adam"', "width >= 64", "lr > 0.002")


def brush(page: Page) -> Figures:
    """A drag along the first axis: from each move of the pointer to the frame that shows it."""
    at = page.locator("main canvas").first.bounding_box()
    assert at
    x, y = at["x"] + 60, at["y"] + 60
    page.evaluate("void (boards.took = boards.follow('pointermove'))")
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("void (boards.took.length = 0)")
    for move in range(1, MOVES + 1):
        page.mouse.move(x, y + 6 * move)
        time.sleep(MOVE_EVERY_S)
    took: list[float] = sorted(page.evaluate("boards.took"))
    page.mouse.up()
    page.mouse.dblclick(x, y)
    time.sleep(REST_S)
    return {"brush_s": took[len(took) // 2] / 1000}


def rows_after_s(page: Page, event: str, do: Callable[[], None]) -> float:
    """From the event to the frame with other rows, in seconds."""
    page.evaluate(
        "([event, rows, patienceMs]) => void (boards.waiting = boards.rewritten(event, rows, patienceMs))",
        [event, ROWS, ROWS_WITHIN_MS],
    )
    do()
    ms = page.evaluate("boards.waiting")
    if ms is None:
        raise RuntimeError(f"no other rows came after the {event}")
    time.sleep(REST_S)
    return float(ms) / 1000


def median(taken: list[float]) -> float:
    return sorted(taken)[len(taken) // 2]


def sort(page: Page) -> Figures:
    """Clicks on the heads of columns."""

    def by(name: str) -> float:
        head = page.get_by_role("columnheader").get_by_role("button", name=f"Sort by {name}").first
        return rows_after_s(page, "click", head.click)

    return {"sort_s": median([by(name) for name in SORTED])}


def filter_column(page: Page) -> Figures:
    """The upper limit of one column, typed into its filter."""
    page.get_by_role("button", name="Column lr").first.click()
    page.get_by_role("menuitem", name="Filter").click()
    limit = page.get_by_label("To", exact=True)

    def to(value: str) -> float:
        limit.fill(value)
        return rows_after_s(page, "change", lambda: limit.press("Enter"))

    taken = [to(value) for value in LIMITS]
    page.get_by_role("button", name="Remove this filter").click()
    page.get_by_role("button", name="Close", exact=True).click()
    time.sleep(REST_S)
    return {"filter_s": median(taken)}


def query(page: Page) -> Figures:
    """The last key of queries that change the first rows, however they are sorted."""
    field = page.locator("main").get_by_role("combobox", name="Query runs")

    def by(text: str) -> float:
        field.fill(text[:-1])
        time.sleep(REST_S)
        return rows_after_s(page, "keydown", lambda: page.keyboard.type(text[-1]))

    taken = [by(text) for text in QUERIES]
    field.fill("")
    return {"query_s": median(taken), "query_worst_s": max(taken)}
