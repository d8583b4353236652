"""The page inside VS Code: its real notebook editor, served to a browser, with a real IPython kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.support.notebook_place import Place
from tests.support.page import PATIENCE_MS

START_PATIENCE_S = 60.0
READY = re.compile(r"Web UI available at (\S+)")
KERNEL = Path(__file__).parent / "vscode_kernel"
SETTINGS = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "workbench.enableExperiments": False,
}


@pytest.fixture
def serve_code(tmp_path: Path) -> Iterator[Callable[[Place], str]]:
    """Serves VS Code; the address that opens a place's folder."""
    running: list[tuple[subprocess.Popen[bytes], Place]] = []

    def serve(place: Place) -> str:
        user = tmp_path / "user" / "User"
        user.mkdir(parents=True)
        (user / "settings.json").write_text(json.dumps(SETTINGS))
        shutil.copytree(KERNEL, tmp_path / "extensions" / "kernel")
        log = tmp_path / "vscode.txt"
        command = [
            *("node", os.environ["RUNGLASS_VSCODE"], "--host=127.0.0.1", "--port=0"),
            *("--without-connection-token", "--accept-server-license-terms", "--telemetry-level=off"),
            *(f"--server-data-dir={tmp_path / 'server'}", f"--user-data-dir={user.parent}"),
            f"--extensions-dir={tmp_path / 'extensions'}",
        ]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                # No gallery of extensions: nothing here leaves the machine.
                env={**place.environ(), "EXTENSIONS_GALLERY": '{"serviceUrl": ""}'},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        running.append((process, place))
        deadline = time.monotonic() + START_PATIENCE_S
        while not (ready := READY.search(log.read_text(errors="replace"))):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"VS Code did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)
        return f"{ready[1]}?folder={place.work}"

    yield serve
    for process, place in running:
        place.end_servers()
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


def test_the_page_is_shown_below_the_cell(
    browser: Browser, tmp_path: Path, serve_code: Callable[[Place], str]
) -> None:
    place = Place(tmp_path)
    place.write("%load_ext runglass", "%runglass --logdir logs")
    context = browser.new_context(viewport={"width": 1440, "height": 1200})
    context.set_default_timeout(PATIENCE_MS)
    context.route(re.compile(r"^https?://(?!(localhost|127\.0\.0\.1):)"), Route.abort)
    page = context.new_page()
    page.goto(serve_code(place))
    page.get_by_role("button", name="Run All").click()

    output = page.frame_locator("iframe.webview").frame_locator("#active-frame")
    expect(output.get_by_title("Runglass: logs")).to_have_attribute("src", re.compile(r":\d+/~[\w-]+/$"))
    shown = output.frame_locator("[title='Runglass: logs']")
    expect(shown.locator("html")).to_have_attribute("data-ready", "true")
    expect(shown.get_by_text("live", exact=True)).to_be_visible()
    expect(shown.get_by_role("article", name="loss", exact=True)).to_be_visible()
    context.close()
