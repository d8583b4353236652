"""Three runs of three tags, and the controls of scalar cards as tests use them."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, Page
from tests.support.page import card

from runglass.query.memory import MemorySource


def three_runs(points: int = 200) -> MemorySource:
    source = MemorySource(locations=["logs/three"])
    step = np.arange(points) * 10
    for run, height in (("low", 1.0), ("middle", 2.0), ("high/one", 3.0)):
        for tag in ("train/loss", "train/accuracy", "val/loss"):
            # Level lines: smoothing leaves them alone and their pixels have their run's colour exactly.
            source.add_scalars(run, tag, step=step, value=np.full(points, height))
    return source


def choose(page: Page, tag: str, item: str) -> None:
    """An entry of a card's menu."""
    card(page, tag).get_by_role("button", name=f"More for {tag}").click()
    page.get_by_role("menu").locator("[role^=menuitem]").filter(
        has_text=re.compile(f"^\\W*{re.escape(item)}$")
    ).click()


def chart_settings(page: Page) -> Locator:
    page.get_by_role("button", name="Chart settings").click()
    return page.get_by_role("dialog", name="Chart settings")
