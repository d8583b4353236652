"""Rows about one line of a very long series: the first one after loading, or after it was opened again, and zooms into it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator

from bench import ours, reopening
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import OUT, Workload, prepare

STEPS = 10_000_000
WIDTH = 800
LIMIT_S = 0.030
ZOOMS = 12
CACHE = OUT / "long-line-cache"


def long_line_rows(setting: Setting) -> Iterator[Row]:
    steps = round(STEPS * setting.scale)
    limit = f"≤ {LIMIT_S * 1e3:.0f} ms"
    again = Row(f"a line of {steps:,} points on {WIDTH} pixels: first after opening again", must_be=limit)
    cold = Row(f"a line of {steps:,} points on {WIDTH} pixels: first after loading", must_be=limit)
    zoom = Row(f"a line of {steps:,} points on {WIDTH} pixels: slowest of {ZOOMS} zooms", must_be=limit)

    made = Workload("P", "simple", "scalars", 1, 1, steps, 0)

    def first_and_zooms_s(running: ours.Server) -> tuple[float, list[float]]:
        running.wait_until(lambda: ours.is_complete(running, made), "the run is loaded", timeout_s=300.0)

        def ask_s(x_range: tuple[float, float] | None, tag: str = made.tag_name(0)) -> float:
            body = {"tags": [tag], "width": WIDTH, "x_range": x_range}
            began_at = time.perf_counter()
            status, _, _ = running.client.request("/api/scalars/lines", json.dumps(body).encode())
            if status != 200:
                raise RuntimeError(f"the lines route answered {status}")
            return time.perf_counter() - began_at

        # Imports what the route needs; no series has been looked at.
        ask_s(None, tag="none")
        first_s = ask_s(None)
        # Each half as wide as the one before, around a place that is no round number.
        widths = [steps / 2**number for number in range(1, ZOOMS + 1)]
        return first_s, [ask_s((0.37 * (steps - width), 0.37 * (steps - width) + width)) for width in widths]

    def measure() -> None:
        prepare(made)
        with ours.server(made.path) as running:
            first_s, zooms_s = first_and_zooms_s(running)
        cold.ours, cold.ok, cold.raw = f"{first_s * 1e3:.1f} ms", first_s <= LIMIT_S, {"ours": first_s}
        worst_s = max(zooms_s)
        zoom.ours, zoom.ok, zoom.raw = f"{worst_s * 1e3:.1f} ms", worst_s <= LIMIT_S, {"ours": zooms_s}

    def measure_again() -> None:
        shutil.rmtree(CACHE, ignore_errors=True)
        reopening.open_once(made.path, CACHE / "runglass", "first")
        taken_s = []
        for _ in range(setting.repeat):
            server = ours.server(made.path, uses_cache=True)
            server.env["XDG_CACHE_HOME"] = str(CACHE)
            with server as running:
                taken_s.append(first_and_zooms_s(running)[0])
        again.ours, again.ok = f"{min(taken_s) * 1e3:.1f} ms", min(taken_s) <= LIMIT_S
        again.raw = {"ours": taken_s}

    attempt(cold, "ours", measure)
    yield cold
    yield zoom
    attempt(again, "ours", measure_again)
    yield again
