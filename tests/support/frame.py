"""The page around the dashboards as browser tests find it, and logs for it."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, Page, Request

from runglass.query.memory import MemorySource


def runs(*names: str, tag: str = "train/loss") -> MemorySource:
    source = MemorySource(locations=["logs/frame"])
    for name in names or ("a", "b"):
        source.add_scalars(name, tag, step=range(50), value=np.linspace(1, 0, 50))
    return source


def grow(source: MemorySource, run: str = "a", to: int = 900) -> None:
    source.add_scalars(run, "train/loss", step=range(50, to), value=np.linspace(1, 0, to - 50))


def asked_of(page: Page) -> list[str]:
    """The routes asked for from now on; code is no route, and comes when it likes."""
    paths: list[str] = []

    def note(request: Request) -> None:
        _, is_route, path = request.url.partition("/api/")
        if is_route:
            paths.append(path)

    page.on("request", note)
    return paths


def status(page: Page) -> Locator:
    return page.get_by_role("status", name="Updates")


def run_filter(page: Page) -> Locator:
    return page.get_by_role("textbox", name=re.compile("^Filter runs"))


def message(page: Page, text: str) -> Locator:
    return page.get_by_role("log", name="Messages").get_by_text(text)
