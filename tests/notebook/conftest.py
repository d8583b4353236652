"""A real JupyterLab in an environment of its own (tools/notebook.sh), opened in the Chromium of the browser tests."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect
from tests.browser.conftest import PATIENCE_MS, browser
from tests.event_files import log_bytes, put

__all__ = ["browser"]

SOURCES = Path(__file__).parents[2] / "src"
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

    def __init__(self, place: Path, *, has_proxy: bool, base_url: str) -> None:
        self.work = place / "work"
        self.work.mkdir()
        settings = place / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(QUIET))
        self._runtime = place / "runtime"
        self._runtime.mkdir(mode=0o700)
        environ = {
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "XDG_RUNTIME_DIR": str(self._runtime),
            "JUPYTER_RUNTIME_DIR": str(self._runtime),
            "JUPYTER_CONFIG_DIR": str(place / "config"),
            "JUPYTERLAB_SETTINGS_DIR": str(place / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(place / "workspaces"),
            "IPYTHONDIR": str(place / "ipython"),
        }
        self._output = (place / "jupyter.txt").open("w+")
        self._process = subprocess.Popen(
            [
                os.environ["RUNGLASS_JUPYTER"],
                "--no-browser",
                "--allow-root",
                f"--ServerApp.root_dir={self.work}",
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
        file = self._runtime / f"jpserver-{self._process.pid}.json"
        while not file.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._output.seek(0)
                pytest.fail(f"JupyterLab did not start:\n{self._output.read()}")
            time.sleep(0.1)
        return str(json.loads(file.read_text())["url"])

    def write(self, *cells: str) -> str:
        """The address of a notebook with these cells."""
        notebook = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"cell-{number}",
                    "source": cell,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                }
                for number, cell in enumerate(cells)
            ],
        }
        (self.work / "board.ipynb").write_text(json.dumps(notebook))
        return f"{self.url}lab/tree/board.ipynb?token={TOKEN}"

    def stop(self) -> None:
        # What a test that failed did not end.
        for info in self._runtime.glob("runglass-*/pid-*.json"):
            os.kill(json.loads(info.read_text())["pid"], signal.SIGTERM)
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

    def board(self, output: Locator) -> FrameLocator:
        """The board in a cell's output, once its charts are drawn."""
        expect(output.locator("iframe")).to_have_attribute("src", FRAME)
        output.locator("iframe").scroll_into_view_if_needed()
        board = output.frame_locator("iframe")
        expect(board.locator("html")).to_have_attribute("data-ready", "true")
        # What is pushed comes through whatever is in between.
        expect(board.get_by_text("live", exact=True)).to_be_visible()
        return board


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Callable[..., Lab]]:
    running: list[Lab] = []

    def start(*, has_proxy: bool, base_url: str = "/") -> Lab:
        running.append(Lab(tmp_path, has_proxy=has_proxy, base_url=base_url))
        put(running[-1].work / "logs" / "train", log_bytes(50))
        put(running[-1].work / "more logs" / "test", log_bytes(50, tag="accuracy"))
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
