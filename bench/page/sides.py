"""The two pages as a user finds them: where the charts, the run table and the controls are. Nothing here is measured."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from playwright.sync_api import Locator, Page


@dataclass(frozen=True)
class Side:
    name: str
    path: str
    # CSS: a card, the canvas with the lines inside it, the table of runs, the tooltip of a chart.
    card: str
    canvas: str
    table: str
    tip: str
    # CSS: a card that may be worth looking at, and something that is there when the whole page may be. Hints, no results.
    drawn_card: str
    settled: str
    # The rest after each look, in multiples of it. Without hints one looks all the time, and may take a tenth of it.
    rest_factor: int
    # For one step, on a busy machine.
    patience_ms: int
    # Requests with this in their path carry data; the others are the page itself.
    data_path: str
    # Whether cards are inside of components that keep their elements to themselves (shadow roots).
    is_deep: bool = False
    # Whether one looks until the first row is there, and not just the first card.
    is_row_timed: bool = False

    def probe_options(self) -> dict[str, str | int | bool]:
        return {
            "card": self.card,
            "canvas": self.canvas,
            "table": self.table,
            "tip": self.tip,
            "drawnCard": self.drawn_card,
            "settled": self.settled,
            "restFactor": self.rest_factor,
            "isDeep": self.is_deep,
            "isRowTimed": self.is_row_timed,
        }

    def smoothing(self, page: Page) -> Locator:
        raise NotImplementedError

    def step_slider(self, page: Page) -> Locator:
        """Of the first card."""
        return page.locator(self.card).first.get_by_role("slider", name=re.compile("^Step of"))

    def cursor_link(self, page: Page) -> Locator:
        """The button that lets each card go its own way."""
        return page.get_by_role("button", name="Link all cards to the cursor")

    def run_filter(self, page: Page) -> Locator:
        return page.get_by_role("textbox", name="Filter runs (regex)", exact=True)


class Runglass(Side):
    def smoothing(self, page: Page) -> Locator:
        return page.get_by_role("slider", name="Smoothing", exact=True)


class TensorBoard(Side):
    def smoothing(self, page: Page) -> Locator:
        return page.locator(".scalars-smoothing mat-slider")


RUNGLASS = Runglass(
    name="runglass",
    path="/#/scalars",
    card="main article",
    canvas="[role=application] canvas",
    table="aside[aria-label=Runs]",
    tip="[role=tooltip]",
    drawn_card="[data-ready=true]",
    settled="html[data-ready=true]",
    rest_factor=1,
    patience_ms=60_000,
    data_path="/api/",
)
TENSORBOARD = TensorBoard(
    name="tensorboard",
    path="/#timeseries",
    card="card-view",
    canvas="line-chart canvas",
    table="runs-data-table",
    tip=".cdk-overlay-container .tooltip",
    drawn_card=":has(canvas)",
    settled="html",
    rest_factor=9,
    patience_ms=300_000,
    data_path="/data/",
)


# The same two on other pages: what a card is and where its picture or drawing.
SIDES: dict[str, tuple[Side, Side]] = {
    "scalars": (RUNGLASS, TENSORBOARD),
    "images": (
        replace(RUNGLASS, path="/#/images", canvas="canvas[data-step]", is_row_timed=True),
        replace(
            TENSORBOARD,
            path="/#images",
            card="tf-image-loader",
            canvas="img",
            drawn_card=":is(*)",
            is_deep=True,
            is_row_timed=True,
        ),
    ),
    "histograms": (
        replace(RUNGLASS, path="/#/histograms", canvas="canvas"),
        replace(
            TENSORBOARD,
            path="/#histograms",
            card="tf-histogram-loader",
            canvas="svg:has(path[d])",
            drawn_card=":is(*)",
            is_deep=True,
        ),
    ),
}
