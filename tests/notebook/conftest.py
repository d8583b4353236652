"""A real JupyterLab in an environment of its own (tools/notebook.sh), opened in the Chromium of the browser tests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect
from tests.browser.conftest import browser
from tests.support.notebook_place import Place
from tests.support.page import PATIENCE_MS

__all__ = ["browser"]

TOKEN = "for-the-test"
START_PATIENCE_S = 90.0
FRAME = re.compile("^http")
# Neither news nor updates are asked for: nothing here leaves the machine.
QUIET = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/notebook/" in item.nodeid:
            item.add_marker(pytest.mark.notebook)


class Lab:
    """One JupyterLab over a directory of its own."""

    def __init__(self, place: Place, *, has_proxy: bool, base_url: str) -> None:
        self._place = place
        settings = place.folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(QUIET))
        environ = {
            **place.environ(),
            "JUPYTERLAB_SETTINGS_DIR": str(place.folder / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(place.folder / "workspaces"),
        }
        self._output = (place.folder / "jupyter.txt").open("w+")
        self._process = subprocess.Popen(
            [
                os.environ["RUNGLASS_JUPYTER"],
                "--no-browser",
                "--allow-root",
                f"--ServerApp.root_dir={place.work}",
                f"--ServerApp.base_url={base_url}",
                f"--ServerApp.jpserver_extensions={{'jupyter_server_proxy': {has_proxy}}}",
                f"--IdentityProvider.token={TOKEN}",
            ],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        self.url = self._wait()

    def _wait(self) -> str:
        deadline = time.monotonic() + START_PATIENCE_S
        file = self._place.runtime / f"jpserver-{self._process.pid}.json"
        while not file.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._output.seek(0)
                pytest.fail(f"JupyterLab did not start:\n{self._output.read()}")
            time.sleep(0.1)
        return str(json.loads(file.read_text())["url"])

    def write(self, *cells: str) -> str:
        """The address of a notebook with these cells."""
        self._place.write(*cells)
        return f"{self.url}lab/tree/runs.ipynb?token={TOKEN}"

    def stop(self) -> None:
        self._place.end_servers()
        self._process.terminate()
        self._process.wait(timeout=30)
        self._output.close()


class Notebook:
    """An open notebook, run cell by cell."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run(self, number: int) -> Locator:
        """Run a cell; its output, once it is done."""
        cell = self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        expect(cell.locator(".jp-InputPrompt")).to_have_text("[" + str(number + 1) + "]:")
        return cell.locator(".jp-OutputArea")

    def runglass_page(self, output: Locator) -> FrameLocator:
        """The page in a cell's output, once its charts are drawn."""
        expect(output.locator("iframe")).to_have_attribute("src", FRAME)
        output.locator("iframe").scroll_into_view_if_needed()
        shown = output.frame_locator("iframe")
        expect(shown.locator("html")).to_have_attribute("data-ready", "true")
        # What is pushed comes through whatever is in between.
        expect(shown.get_by_text("live", exact=True)).to_be_visible()
        return shown


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Callable[..., Lab]]:
    running: list[Lab] = []

    def start(*, has_proxy: bool, base_url: str = "/") -> Lab:
        running.append(Lab(Place(tmp_path), has_proxy=has_proxy, base_url=base_url))
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture
def open_notebook(browser: Browser, lab: Callable[..., Lab]) -> Iterator[Callable[[str], Notebook]]:
    # `lab` is asked for here so that it outlives the page.
    context = browser.new_context(viewport={"width": 1440, "height": 1200})
    context.set_default_timeout(PATIENCE_MS)

    def start(url: str) -> Notebook:
        page = context.new_page()
        page.goto(url)
        # Before there is a kernel, running a cell does nothing.
        expect(page.get_by_text("| Idle")).to_be_visible()
        return Notebook(page)

    yield start
    context.close()
