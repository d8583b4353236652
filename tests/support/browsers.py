"""Firefox over WebDriver BiDi and WebKitGTK over W3C WebDriver: just enough of either to open a page, press keys and hear what
went wrong. Neither knows the page. `make browsers` installs what they need."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import httpx
from tests.support.waiting import PATIENCE_S, until

# Neither news, updates nor reports are asked for: nothing here leaves the machine.
FIREFOX_PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}
# WebDriver has no way to hear the page, so the page is told to note what it says.
LISTEN = """(() => {
  window.said = [];
  const note = (what) => window.said.push(String(what));
  addEventListener("error", (event) => note(event.message ?? event.target?.src), true);
  addEventListener("unhandledrejection", (event) => note(event.reason));
  for (const level of ["error", "warn"]) console[level] = (...words) => note(words.join(" "));
})()"""
FAILED = """performance.getEntriesByType("resource")
  .filter((each) => each.responseStatus >= 400).map((each) => `${each.responseStatus} ${each.name}`)"""
# What is left for the next frame is not lost; WebKit calls it an error.
HARMLESS = "ResizeObserver loop completed"


class Window(ABC):
    """One window of a browser."""

    def __init__(self) -> None:
        self._held = ExitStack()

    def open(self, url: str) -> None:
        # A change of the fragment alone would not load the page anew.
        self._go("about:blank")
        self._go(url)

    @abstractmethod
    def _go(self, url: str) -> None: ...

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, as far as JSON has it."""

    def press(self, selector: str, keys: str) -> None:
        """Types into an element once it is there; special keys are WebDriver's code points."""
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self._press(selector, keys)

    @abstractmethod
    def _press(self, selector: str, keys: str) -> None: ...

    @abstractmethod
    def read_problems(self) -> list[str]:
        """Errors, warnings and failed requests since the last call."""

    def wait_for(self, expression: str) -> None:
        until(lambda: self.evaluate(expression), expression)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _start(self, *command: str, **environ: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

        def stop() -> None:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)

        self._held.callback(stop)
        return process


class Firefox(Window):
    def __init__(self, folder: Path) -> None:
        from websockets.sync.client import connect

        super().__init__()
        found = shutil.which("firefox-esr") or shutil.which("firefox")
        if found is None:
            raise RuntimeError("Firefox is missing: apt-get install firefox-esr")
        lines = (
            f"user_pref({json.dumps(key)}, {json.dumps(value)});\n"
            for key, value in FIREFOX_PREFERENCES.items()
        )
        (folder / "user.js").write_text("".join(lines))
        process = self._start(found, "--headless", "--remote-debugging-port=0", "--profile", str(folder))
        assert process.stderr is not None
        address = next(filter(None, (re.search(r"ws://\S+", line) for line in process.stderr)), None)
        assert address is not None, "Firefox ended before it listened"
        self._socket = self._held.enter_context(connect(f"{address[0]}/session", max_size=None))
        self._numbers = itertools.count()
        self._problems: list[str] = []
        self._ask("session.new", capabilities={})
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]
        self._ask(
            "browsingContext.setViewport", context=self._context, viewport={"width": 1280, "height": 800}
        )
        self._ask(
            "session.subscribe", events=["log.entryAdded", "network.responseCompleted", "network.fetchError"]
        )

    def _ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if told.get("id") == number:
                assert told["type"] == "success", told
                return told["result"]
            self._hear(told.get("method"), told.get("params", {}))

    def _hear(self, method: str, params: Any) -> None:
        if method == "log.entryAdded" and params["level"] in ("error", "warn"):
            self._problems.append(params["text"])
        elif method == "network.responseCompleted" and params["response"]["status"] >= 400:
            self._problems.append(f"{params['response']['status']} {params['request']['url']}")
        # What the page itself gives up (a picture that is no longer in sight) did not fail.
        elif method == "network.fetchError" and params["errorText"] != "NS_BINDING_ABORTED":
            self._problems.append(f"{params['errorText']} {params['request']['url']}")

    def _go(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        told = self._ask(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._context},
            awaitPromise=False,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"].get("value", "null"))

    def _press(self, selector: str, keys: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        pressed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask(
            "input.performActions",
            context=self._context,
            actions=[{"type": "key", "id": "keys", "actions": pressed}],
        )

    def read_problems(self) -> list[str]:
        # Events arrive before the answer to a later question.
        self.evaluate("0")
        problems, self._problems = self._problems, []
        return problems


class WebKit(Window):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        driver, display = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
        mini = next(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"), None)
        if driver is None or display is None or mini is None:
            raise RuntimeError("WebKit is missing: apt-get install webkit2gtk-driver xvfb")
        screen = self._start(display, "-displayfd", "2", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
        assert screen.stderr is not None
        number = next((line for line in screen.stderr if line.strip().isdigit()), None)
        assert number is not None, "Xvfb ended before it had a display"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        home = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DISPLAY": f":{number.strip()}"}
        self._start(driver, f"--port={port}", **home, WEBKIT_DISABLE_COMPOSITING_MODE="1")
        self._http = self._held.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S)
        )
        until(self._is_up, "WebKitWebDriver")
        options = {"binary": str(mini), "args": ["--automation"]}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self._session = f"/session/{self._ask('POST', '/session', capabilities=capabilities)['sessionId']}"
        self._held.callback(lambda: self._ask("DELETE", self._session))
        self._failed: set[str] = set()

    def _is_up(self) -> bool:
        try:
            return bool(self._ask("GET", "/status")["ready"])
        except httpx.TransportError:
            time.sleep(0.05)
            return False

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        told = self._http.request(method, path, json=body if method == "POST" else None)
        assert told.is_success, told.text
        return told.json()["value"]

    def _go(self, url: str) -> None:
        self._failed.clear()
        self._ask("POST", f"{self._session}/url", url=url)
        self.evaluate(LISTEN)

    def evaluate(self, expression: str) -> Any:
        return self._ask("POST", f"{self._session}/execute/sync", script=f"return {expression}", args=[])

    def _press(self, selector: str, keys: str) -> None:
        found = self._ask("POST", f"{self._session}/element", using="css selector", value=selector)
        (element,) = found.values()
        self._ask("POST", f"{self._session}/element/{element}/value", text=keys)

    def read_problems(self) -> list[str]:
        failed = set(self.evaluate(FAILED)) - self._failed
        self._failed |= failed
        said = [words for words in self.evaluate("window.said.splice(0)") if not words.startswith(HARMLESS)]
        return [*said, *sorted(failed)]
