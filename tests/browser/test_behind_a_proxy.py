"""The page as Colab shows it: in a frame of a frame, under another name, through a proxy that adds to addresses and passes on only
answers that have ended. Colab's own pages are stood in for; their names and what the browser makes of them are real."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
from playwright.sync_api import Page, Route, expect

from runglass.notebook.frame import frame_ancestors
from runglass.query.memory import MemorySource

NOTEBOOK = "https://colab.research.google.com/"
OUTPUT = "https://abc-0-colab.googleusercontent.com/outputframe.html"
PROXY = "https://6006-gpu-t4-abc.us-west1-0.prod.colab.dev"
TOKEN = "for-the-test"


def show(page: Page, server_url: str) -> None:
    frames = {NOTEBOOK: OUTPUT, OUTPUT: f"{PROXY}/~{TOKEN}/"}

    def pass_on(route: Route) -> None:
        request = route.request
        path = request.url.removeprefix(f"{PROXY}/")
        if path.endswith("api/live"):
            # Held back for as long as it lasts.
            return
        joint = "&" if "?" in path else "?"
        headers = {**request.headers, "host": PROXY.removeprefix("https://")}
        route.fulfill(response=route.fetch(url=f"{server_url}{path}{joint}authuser=0", headers=headers))

    def frame(route: Route) -> None:
        inner = frames[route.request.url]
        route.fulfill(
            body=f'<iframe src="{inner}" style="width: 100%; height: 90vh"></iframe>',
            content_type="text/html",
        )

    for url in frames:
        page.route(url, frame)
    page.route(f"{PROXY}/**", pass_on)
    page.goto(NOTEBOOK)


def test_the_page_is_shown_and_follows_what_is_written(page, serve, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    source = MemorySource().add_scalars("train", "loss", step=range(100), value=np.linspace(1, 0, 100))
    show(page, serve(source, token=TOKEN, frame_ancestors=frame_ancestors({})).url)
    shown = page.frame_locator("iframe").frame_locator("iframe")
    expect(shown.locator("html")).to_have_attribute("data-ready", "true")
    expect(shown.get_by_role("article", name="loss", exact=True)).to_be_visible()
    source.add_scalars("train", "loss", step=range(100, 1_000), value=np.linspace(1, 0, 900))
    expect(
        shown.get_by_role("article", name="loss", exact=True).get_by_text("800", exact=True)
    ).to_be_visible()
    expect(shown.get_by_role("status", name="Updates")).to_contain_text("live")
