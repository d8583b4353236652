"""One visit to one page: load it, then use it, and bring back every figure by name. The same steps for both sides."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from bench.measure import Server, cpu_s
from bench.page.browser import Processes, fresh_page, heap_bytes, spent_s
from bench.page.sides import Side
from bench.stamped import STEP_BITS
from bench.workloads import Workload

PROBE = (Path(__file__).parent / "probe.js").read_text()
SMOOTHING = 0.9
HOVERS = 30
WHEELS = 40
WHEEL_PX = 400
# A drag from one end of a slider to the other: from step to step in this time.
DRAG_EVERY_S = 0.02

Figures = dict[str, float]


def probe_script(side: Side) -> str:
    return f"({PROBE.strip()})({json.dumps(side.probe_options())});"


@dataclass
class Visit:
    browser: Browser
    server: Server
    side: Side
    logs: Workload
    # How long nothing may move before a change counts as done.
    still_ms: int
    # Each is a name of STEPS; loading is always done.
    steps: tuple[str, ...]
    failures: list[str] = field(default_factory=list)

    def run(self) -> Figures:
        with fresh_page(self.browser, probe_script(self.side)) as page:
            found = self.load(page)
            for step in self.steps:
                try:
                    found.update(STEPS[step](self, page))
                except Exception as error:  # costs this step's figures, not the visit's
                    self.failures.append(f"{step}: {' '.join(str(error).split())[:300]}")
            return found

    def load(self, page: Page) -> Figures:
        processes = Processes(self.browser)
        processes.wait_calm()
        before, server_before = processes.cpu_s(), cpu_s(self.server.pid)
        page.goto(f"http://127.0.0.1:{self.server.port}{self.side.path}", wait_until="commit")
        told = page.evaluate(f"bench.loaded({self.side.patience_ms}, {self.still_ms})")
        files: list[dict[str, Any]] = page.evaluate("bench.traffic()")
        return {
            "first_s": told["firstMs"] / 1000,
            "row_s": told["rowMs"] / 1000,
            "all_s": told["allMs"] / 1000,
            "charts": told["charts"],
            "row_charts": told["row"],
            "longest_s": page.evaluate("bench.longest(0)") / 1000,
            "load_cpu_s": spent_s(before, processes.cpu_s()),
            "server_cpu_s": cpu_s(self.server.pid) - server_before,
            "load_probe_s": page.evaluate(f"bench.ownMs(0, {told['allMs']})") / 1000,
            "elements": page.evaluate("document.querySelectorAll('*').length"),
            "data_bytes": sum(file["bytes"] for file in files if self.side.data_path in file["path"]),
            "script_bytes": sum(
                self.gzipped_bytes(path) for path in {file["path"] for file in files if file["isScript"]}
            ),
        }

    def gzipped_bytes(self, path: str) -> int:
        _, data, is_gzip = self.server.client.request(path)
        return len(gzip.compress(gzip.decompress(data) if is_gzip else data, 9))

    def change(self, page: Page, event: str, act: Callable[[], None], **options: Any) -> dict[str, Any]:
        """What follows an action of the user, from the time stamp of its event."""
        options |= {"stillMs": self.still_ms, "timeoutMs": self.side.patience_ms}
        page.evaluate(
            "([event, options]) => void (bench.waiting = bench.changed(event, options))", [event, options]
        )
        processes = Processes(self.browser)
        before, server_before = processes.cpu_s(), cpu_s(self.server.pid)
        act()
        told: dict[str, Any] = page.evaluate("bench.waiting")
        told["cpu_s"] = spent_s(before, processes.cpu_s()) + cpu_s(self.server.pid) - server_before
        if told["same"]:
            raise RuntimeError(f"{told['same']} of {told['charts']} charts look as before")
        return told

    def smooth(self, page: Page) -> Figures:
        at = self.side.smoothing(page).bounding_box()
        assert at
        told = self.change(
            page,
            "pointerdown",
            lambda: page.mouse.click(at["x"] + SMOOTHING * at["width"], at["y"] + at["height"] / 2),
        )
        return {"smooth_s": told["tookMs"] / 1000, "smooth_cpu_s": told["cpu_s"]}

    def filter_runs(self, page: Page) -> Figures:
        """A pattern that half of the runs match. The first chart may be zoomed to where none of the others is."""
        half = self.logs.runs // 2
        digits = len(str(self.logs.runs - 1))
        pattern = f"run_{'0' * (4 - digits)}[0-{max(0, int(str(half)[0]) - 1)}]"
        self.side.run_filter(page).click()
        # All but the last key, which makes it a pattern: until then there is nothing to apply.
        page.keyboard.insert_text(pattern[:-1])
        told = self.change(
            page, "keydown", lambda: page.keyboard.press(pattern[-1]), charts=[1], withTable=True
        )
        return {
            "filter_s": told["tookMs"] / 1000,
            "filter_cpu_s": told["cpu_s"],
            "filter_table_s": told["tableMs"] / 1000,
        }

    def chart_box(self, page: Page) -> dict[str, float]:
        box: dict[str, float] = page.evaluate(
            "(() => { const at = bench.canvasOf(bench.cardsInView()[0]).getBoundingClientRect();"
            " return { x: at.x, y: at.y, width: at.width, height: at.height }; })()"
        )
        return box

    def zoom(self, page: Page) -> Figures:
        at = self.chart_box(page)

        def drag() -> None:
            page.mouse.move(at["x"] + 0.4 * at["width"], at["y"] + 0.3 * at["height"])
            page.mouse.down()
            page.mouse.move(at["x"] + 0.5 * at["width"], at["y"] + 0.5 * at["height"])
            page.mouse.move(at["x"] + 0.7 * at["width"], at["y"] + 0.7 * at["height"])
            page.mouse.up()

        told = self.change(page, "pointerup", drag, charts=[0, 1])
        page.mouse.move(2, 2)
        return {"zoom_s": told["tookMs"] / 1000, "zoom_cpu_s": told["cpu_s"]}

    def memory(self, page: Page) -> Figures:
        """After all other steps: to be looked into slows a page down, and so does a forced collection."""
        return {"heap_bytes": heap_bytes(page), "renderer_bytes": Processes(self.browser).renderer_bytes()}

    def hover(self, page: Page) -> Figures:
        at = self.chart_box(page)
        took = []
        for i in range(HOVERS):
            page.evaluate("void (bench.waiting = bench.hovered(5000))")
            # There and back, so that no two neighbours show the same points.
            share = 0.2 + 0.6 * ((i * 7) % HOVERS) / HOVERS
            page.mouse.move(at["x"] + share * at["width"], at["y"] + (0.3 + 0.01 * i) * at["height"])
            took.append(page.evaluate("bench.waiting") / 1000)
        page.mouse.move(2, 2)
        took.sort()
        return {"hover_s": took[len(took) // 2], "hover_worst_s": took[-1]}

    def drag(self, page: Page) -> Figures:
        """The step slider of the first card from its first step to its last; all cards in view go along."""
        counts, took_s = self.dragged(page)
        return {"drag_per_s": counts[0] / took_s, "drag_all_per_s": sum(counts) / took_s}

    def drag_alone(self, page: Page) -> Figures:
        """The same with the other cards standing still."""
        self.side.cursor_link(page).click()
        page.mouse.move(2, 2)
        counts, took_s = self.dragged(page)
        if any(counts[1:]):
            raise RuntimeError("other cards moved as well")
        return {"drag_alone_per_s": counts[0] / took_s}

    def dragged(self, page: Page) -> tuple[list[int], float]:
        """How many pictures each card in view showed, and the time from the first move to the last picture."""
        at = self.side.step_slider(page).bounding_box()
        assert at
        y = at["y"] + at["height"] / 2
        page.mouse.move(at["x"] + 1, y)
        page.mouse.down()
        page.evaluate("void (bench.counted = bench.countPictures())")
        self.wait_for_step(page, 0)
        page.wait_for_selector(self.side.settled)
        page.evaluate(
            "bench.counted.stop(); bench.counted = bench.countPictures(); bench.fromMs = performance.now()"
        )
        began = time.perf_counter()
        for move in range(1, self.logs.steps + 1):
            page.mouse.move(at["x"] + 1 + (at["width"] - 2) * move / self.logs.steps, y)
            time.sleep(max(0.0, began + move * DRAG_EVERY_S - time.perf_counter()))
        page.mouse.up()
        self.wait_for_step(page, self.logs.steps - 1)
        told = page.evaluate("({ ...bench.counted.stop(), fromMs: bench.fromMs })")
        page.mouse.move(2, 2)
        return told["counts"], (told["changedMs"] - told["fromMs"]) / 1000

    def wait_for_step(self, page: Page, step: int) -> None:
        """Until the first card shows it."""
        page.evaluate(f"bench.counted.reached({step}, {STEP_BITS}, {self.side.patience_ms})")

    def scroll(self, page: Page) -> Figures:
        """Down with the wheel, a notch about every frame; the longest task meanwhile and until all is drawn again."""
        at = self.chart_box(page)
        page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        from_ms = page.evaluate("performance.now()")
        for _ in range(WHEELS):
            page.mouse.wheel(0, WHEEL_PX)
            page.evaluate("new Promise(bench.inNextFrame)")
        started = time.perf_counter()
        page.evaluate(f"bench.loaded({self.side.patience_ms}, 1000)")
        return {
            "scroll_longest_s": page.evaluate("(fromMs) => bench.longest(fromMs)", from_ms) / 1000,
            "scroll_drawn_s": time.perf_counter() - started - 1,
        }


STEPS: dict[str, Callable[[Visit, Page], Figures]] = {
    "smooth": Visit.smooth,
    "zoom": Visit.zoom,
    "hover": Visit.hover,
    "scroll": Visit.scroll,
    "filter": Visit.filter_runs,
    "drag": Visit.drag,
    "drag_alone": Visit.drag_alone,
    "memory": Visit.memory,
}
