"""A real Chromium on a real server over data built in code. Tests find things by role and label and wait on `data-ready`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect
from tests.support.page import PATIENCE_MS, wait_ready
from tests.support.page_server import Running
from tools.chromium import chromium

from runglass.query.source import DataSource
from runglass.server.settings import PAGE

HARMLESS = (
    # Without a graphics card, pictures in space are read back from where they were computed.
    "GPU stall due to ReadPixels",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)


# As long as these tests run, and no longer: Playwright keeps an event loop running in this thread, and tests elsewhere start their
# own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not (PAGE / "index.html").exists():
        pytest.fail("The page is not built: npm --prefix web ci && npm --prefix web run build")
    expect.set_options(timeout=PATIENCE_MS)
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def servers() -> Iterator[list[Running]]:
    """All that were started; a test does not wait for the end of its own."""
    running: list[Running] = []
    yield running
    for server in running:
        server.stop()


@pytest.fixture
def serve(servers: list[Running]) -> Iterator[Callable[..., Running]]:
    mine: list[Running] = []

    def start(source: DataSource, **settings: Any) -> Running:
        mine.append(Running(source, **settings))
        return mine[-1]

    yield start
    for server in mine:
        server.stop_soon()
    servers += mine


@pytest.fixture
def problems() -> list[str]:
    """What the page complained about; empty at the end of every test unless the test clears it."""
    return []


# One window for a module: opening one costs more than most tests. Each test has a tab of its own and, because its server has a
# port of its own, a storage of its own.
@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    # A window closes with its last tab.
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, problems: list[str], serve: Callable[..., Running]) -> Iterator[Page]:
    # `serve` is asked for here so that servers outlive the page.
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: (
            problems.append(message.text)
            if message.type in ("error", "warning") and not any(part in message.text for part in HARMLESS)
            else None
        ),
    )
    yield page
    page.close()
    context.clear_permissions()
    assert problems == []


@pytest.fixture
def open_page(page: Page, serve: Callable[..., Running]) -> Callable[..., Page]:
    def start(source: DataSource, view: str = "#/scalars", **settings: Any) -> Page:
        page.goto(serve(source, **settings).url + view)
        wait_ready(page)
        return page

    return start


@pytest.fixture
def asked(page: Page) -> list[dict[str, Any]]:
    """The bodies of all requests for lines and bands so far."""
    bodies: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith(("/scalars/lines", "/scalars/bands")):
            bodies.append(request.post_data_json)

    page.on("request", note)
    return bodies
