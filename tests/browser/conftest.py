"""A real Chromium on a real server over data built in code. Tests find things by role and label and wait on `data-ready`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect
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


# What a test may do to a tab that the next page in it would still see: such a tab is used once.
LASTING = (
    "add_init_script",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "route",
    "set_viewport_size",
)


class Tab:
    """A tab that a module's tests use one after the other, because opening one costs as much as a short test."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.problems: list[str] = []
        self.is_spoiled = False
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._note)
        self._listeners: list[tuple[str, Callable[..., Any]]] = []
        self._listen = self.page.on
        self.page.on = self._listen_until_cleared  # type: ignore[method-assign]
        for name in LASTING:
            setattr(self.page, name, self._spoiling(getattr(self.page, name)))

    def clear(self) -> None:
        """Leave the page and forget what its test listened to; a page that stayed would complain when its server ends."""
        for event, listener in self._listeners:
            self.page.remove_listener(event, listener)
        self._listeners.clear()
        # Outside: the next page would take a pointer above it for one that points at something.
        self.page.mouse.move(-10, -10)
        self.page.goto("about:blank")

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in HARMLESS):
            self.problems.append(f"{message.text} {message.location.get('url', '')}".rstrip())

    def _listen_until_cleared(self, event: Any, listener: Callable[..., Any]) -> None:
        self._listeners.append((event, listener))
        self._listen(event, listener)

    def _spoiling(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **settings: Any) -> Any:
            self.is_spoiled = True
            return method(*args, **settings)

        return call


# One window for all: opening one costs more than most tests. Because each server has a port of its own, each test has a storage of
# its own.
@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    # A window closes with its last tab.
    context.new_page()
    yield context
    context.close()


@pytest.fixture(scope="module")
def tabs(context: BrowserContext) -> Iterator[list[Tab]]:
    """The tab that the next test may use, if there is one."""
    tabs: list[Tab] = []
    yield tabs
    for tab in tabs:
        tab.page.close()


@pytest.fixture
def page(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    tabs: list[Tab],
    problems: list[str],
    serve: Callable[..., Running],
) -> Iterator[Page]:
    # `serve` is asked for here so that servers outlive the page.
    others = set(context.pages) - {tab.page for tab in tabs}
    tab = tabs.pop() if tabs else Tab(context)
    tab.problems = problems
    failed_before = request.session.testsfailed
    yield tab.page
    for opened in set(context.pages) - others - {tab.page}:
        opened.close()
    # A test that failed may have left keys and buttons pressed.
    if tab.is_spoiled or tab.page.is_closed() or problems or request.session.testsfailed > failed_before:
        tab.page.close()
    else:
        tab.clear()
        tabs.append(tab)
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
