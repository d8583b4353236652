"""`python -m bench.page.profile 100x20 [smooth|zoom|filter|hover|scroll]`: where a visit to our page spends its time.

Prints, from one Chromium trace: the time line of a load, busy time by thread, the longest main-thread tasks with what is in
them, and the functions with most time. An unminified build (`npx vite build --minify false`) has names that can be read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page
from tools.chromium import chromium

from bench import ours
from bench.page.browser import fresh_page
from bench.page.logs import NAMES, page_logs
from bench.page.sides import SIDES
from bench.page.visit import STEPS, Visit, probe_script

CATEGORIES = [
    "-*",
    "toplevel",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-v8.cpu_profiler",
    "v8.execute",
    "v8",
    "blink.user_timing",
    "loading",
]
TASK = "ThreadControllerImpl::RunTask"
LONG_MS = 40
TOP = 22


@dataclass
class Thread:
    name: str
    events: list[dict[str, Any]] = field(default_factory=list)


def read_threads(events: list[dict[str, Any]]) -> dict[tuple[int, int], Thread]:
    threads: dict[tuple[int, int], Thread] = defaultdict(lambda: Thread("?"))
    for event in events:
        key = (event["pid"], event["tid"])
        if event["ph"] == "M" and event["name"] == "thread_name":
            threads[key].name = event["args"]["name"]
        elif event["ph"] == "X":
            threads[key].events.append(event)
    return threads


def self_times(events: list[dict[str, Any]]) -> Counter[str]:
    """Milliseconds by event name, without what is nested in it."""
    spent: Counter[str] = Counter()
    stack: list[tuple[float, str]] = []
    for event in sorted(events, key=lambda each: (each["ts"], -each["dur"])):
        while stack and event["ts"] >= stack[-1][0]:
            stack.pop()
        if stack:
            spent[stack[-1][1]] -= event["dur"] / 1000
        spent[event["name"]] += event["dur"] / 1000
        stack.append((event["ts"] + event["dur"], event["name"]))
    return spent


def function_times(events: list[dict[str, Any]], key: tuple[int, int], since: float) -> Counter[str]:
    """Milliseconds by JavaScript function, from the samples of one thread's profile."""
    ids = {each["id"] for each in events if each["name"] == "Profile" and (each["pid"], each["tid"]) == key}
    names: dict[tuple[str, int], str] = {}
    spent: Counter[str] = Counter()
    for each in events:
        if each["name"] != "ProfileChunk" or each["id"] not in ids or each["pid"] != key[0]:
            continue
        data = each["args"]["data"]
        profile = data.get("cpuProfile", {})
        for node in profile.get("nodes", []):
            frame = node["callFrame"]
            where = frame.get("url", "").rpartition("/")[2]
            line = frame.get("lineNumber", -1) + 1
            names[each["id"], node["id"]] = (
                f"{frame['functionName'] or '(anonymous)'}  {where}:{line}"
                if where
                else frame["functionName"]
            )
        if each["ts"] < since:
            continue
        for sample, delta in zip(profile.get("samples", []), data.get("timeDeltas", []), strict=False):
            spent[names.get((each["id"], sample), "?")] += delta / 1000
    return spent


def report(events: list[dict[str, Any]], since: float) -> None:
    threads = read_threads(events)
    print("busy ms by thread, and what in (self time)")
    for key, thread in sorted(threads.items(), key=lambda each: each[1].name):
        after = [each for each in thread.events if each["ts"] >= since]
        tasks = [each for each in after if each["name"] == TASK]
        busy_ms = sum(each["dur"] for each in tasks) / 1000
        if busy_ms < 10:
            continue
        parts = ", ".join(f"{name} {ms:.0f}" for name, ms in self_times(after).most_common(9) if ms >= 2)
        print(f"  {busy_ms:6.0f}  {thread.name} ({key[0]}): {parts}")
    for key, thread in threads.items():
        if thread.name not in ("CrRendererMain", "DedicatedWorker thread"):
            continue
        after = [each for each in thread.events if each["ts"] >= since]
        tasks = [each for each in after if each["name"] == TASK and each["dur"] >= LONG_MS * 1000]
        for task in sorted(tasks, key=lambda each: -each["dur"])[:6]:
            end = task["ts"] + task["dur"]
            inside = [each for each in after if task["ts"] <= each["ts"] < end]
            parts = ", ".join(f"{name} {ms:.0f}" for name, ms in self_times(inside).most_common(7) if ms >= 1)
            at_ms = (task["ts"] - since) / 1000
            print(f"long task, {thread.name}, at {at_ms:.0f} ms: {task['dur'] / 1000:.0f} ms: {parts}")
        functions = function_times(events, key, since)
        idle = {"(idle)", "(program)", "(root)"}
        shown = [(name, ms) for name, ms in functions.most_common(TOP + 3) if name not in idle and ms >= 2]
        if shown:
            print(f"functions, {thread.name} ({key[0]}), self ms")
            for name, ms in shown[:TOP]:
                print(f"  {ms:6.1f}  {name}")


def print_requests(page: Page) -> None:
    entries = page.evaluate(
        """performance.getEntries().filter((e) => ["navigation", "resource", "paint", "mark"].includes(e.entryType))
        .map((e) => [e.startTime, e.responseStart ?? 0, e.responseEnd ?? 0, e.encodedBodySize ?? 0, e.entryType, e.name])"""
    )
    print("start, first byte, last byte ms, bytes")
    for start, first, last, size, kind, name in sorted(entries):
        print(
            f"  {start:6.0f} {first:6.0f} {last:6.0f} {size:9,}  {kind} {name.partition('127.0.0.1')[2] or name}"
        )


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "100x20"
    step = sys.argv[2] if len(sys.argv) > 2 else ""
    if name not in NAMES or (step and step not in STEPS):
        print(__doc__, file=sys.stderr)
        return 2
    logs = page_logs(name)
    with chromium() as browser, ours.server(logs.path) as server:
        server.wait_until(lambda: ours.is_complete(server, logs), "the logs are read")
        side, _ = SIDES[logs.kind]
        with fresh_page(browser, probe_script(side)) as page:
            visit = Visit(browser, server, side, logs, 1000, ())
            if step:
                visit.load(page)
            browser.start_tracing(page=page, categories=CATEGORIES)
            found = STEPS[step](visit, page) if step else visit.load(page)
            trace = json.loads(browser.stop_tracing())["traceEvents"]
            if not step:
                print_requests(page)
            print({key: round(value, 3) for key, value in found.items()})
            stamps = [each["ts"] for each in trace if each["ph"] == "X" and each["ts"] > 0]
            origin = f"127.0.0.1:{server.port}"
            marks = [
                each["ts"]
                for each in trace
                if each["name"] == "navigationStart" and origin in json.dumps(each.get("args", {}))
            ]
            report(trace, marks[0] if marks and not step else min(stamps))
    return 0


if __name__ == "__main__":
    sys.exit(main())
