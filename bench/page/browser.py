"""What a visit costs the browser. Each gets a context of its own: no cache, and a new renderer."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

COLLECT = ("HeapProfiler.enable", "HeapProfiler.collectGarbage", "Runtime.getHeapUsage")
WORKER_ANSWERS_S = 60
CALM_WINDOW_S, CALM_WINDOWS, CALM_CPU_S, CALM_PATIENCE_S = 0.3, 3, 0.02, 20.0
VIEWPORT = {"width": 1440, "height": 900}


@contextmanager
def fresh_page(browser: Browser, script: str) -> Iterator[Page]:
    context = browser.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
    try:
        context.add_init_script(script)
        yield context.new_page()
    finally:
        context.close()


class Processes:
    """The browser's processes by kind, from the browser itself."""

    def __init__(self, browser: Browser) -> None:
        self.session = browser.new_browser_cdp_session()

    def _all(self) -> list[dict[str, Any]]:
        answer = self.session.send("SystemInfo.getProcessInfo")
        found: list[dict[str, Any]] = answer["processInfo"]
        return found

    def cpu_s(self) -> dict[int, float]:
        """CPU seconds of the renderers and the GPU process; the rest of the browser does little for a page."""
        return {each["id"]: each["cpuTime"] for each in self._all() if each["type"] in ("renderer", "GPU")}

    def wait_calm(self) -> None:
        """Chromium loads pages of its own (new tab, address bar) into renderers beside a new window; let it finish."""
        deadline = time.perf_counter() + CALM_PATIENCE_S
        calm_windows = 0
        while calm_windows < CALM_WINDOWS and time.perf_counter() < deadline:
            before = self.cpu_s()
            time.sleep(CALM_WINDOW_S)
            calm_windows = calm_windows + 1 if spent_s(before, self.cpu_s()) < CALM_CPU_S else 0

    def renderer_bytes(self) -> int:
        """Resident memory of the largest renderer, which is the page's: Chromium keeps an empty spare one."""
        return max(resident_bytes(each["id"]) for each in self._all() if each["type"] == "renderer")


def spent_s(before: dict[int, float], after: dict[int, float]) -> float:
    return sum(now - before.get(pid, 0.0) for pid, now in after.items())


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def heap_bytes(page: Page) -> int:
    """The JavaScript heaps of the page and its workers after a collection, with the buffers behind typed arrays, which V8
    counts apart."""
    session = page.context.new_cdp_session(page)
    workers: list[str] = []
    answers: list[dict[str, Any]] = []

    def hear(event: dict[str, Any]) -> None:
        answer = json.loads(event["message"])
        if answer.get("id") == len(COLLECT):
            answers.append(answer["result"])

    session.on("Target.attachedToTarget", lambda event: workers.append(event["sessionId"]))
    session.on("Target.receivedMessageFromTarget", hear)
    # Not flat: Playwright has no handle for the sessions of workers.
    attach = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
    session.send("Target.setAutoAttach", attach)
    for worker in workers:
        for number, method in enumerate(COLLECT, 1):
            message = json.dumps({"id": number, "method": method})
            session.send("Target.sendMessageToTarget", {"sessionId": worker, "message": message})
    for method in COLLECT:
        answer = session.send(method)
    answers.append(answer)
    deadline = time.perf_counter() + WORKER_ANSWERS_S
    while len(answers) <= len(workers):
        if time.perf_counter() > deadline:
            raise TimeoutError(f"{len(workers) + 1 - len(answers)} workers do not tell their heap")
        page.evaluate("0")
    session.send("Target.setAutoAttach", {**attach, "autoAttach": False})
    return sum(int(each["usedSize"] + each.get("backingStorageSize", 0)) for each in answers)
