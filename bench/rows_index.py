"""Rows about the index: logs that are opened again, what writing costs, and a billion points."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from bench import reopening
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import OUT, Workload, workload

CACHE = OUT / "index-cache"
# By workload: seconds and resident bytes.
LIMITS = {"W": (0.15, 60e6), "W10": (0.5, 200e6)}
WRITE_SHARE = 0.25
SIZE_SHARE = 0.6


def index_rows(setting: Setting) -> Iterator[Row]:
    for name, (limit_s, limit_bytes) in LIMITS.items():
        yield from reopen_rows(setting, workload(name, scale=setting.scale), limit_s, limit_bytes)
    yield from billion_rows(setting)


def reopen_rows(setting: Setting, made: Workload, limit_s: float, limit_bytes: float) -> Iterator[Row]:
    size = f"{made.points / 1e6:g} M points"
    again = Row(
        f"reopen {size}, {made.runs:,} runs: everything answered",
        must_be=f"≤ {limit_s} s; ≤ {limit_bytes / 1e6:.0f} MB",
    )
    writing = Row(
        f"writing the index of {size}: CPU beside that of the first load; size",
        must_be=f"≤ {WRITE_SHARE:.0%}; ≤ {SIZE_SHARE:.0%}",
    )

    def measure_write() -> None:
        shutil.rmtree(CACHE, ignore_errors=True)
        first = reopening.open_once(made.path, CACHE, "first")
        share = first["write_cpu_s"] / first["open_cpu_s"]
        size = reopening.index_bytes(CACHE) / made.size_bytes
        writing.ours = (
            f"{first['write_cpu_s']:.2f} s of {first['open_cpu_s']:.2f} s ({share:.0%}); {size:.0%}"
        )
        writing.ok = share <= WRITE_SHARE and size <= SIZE_SHARE
        writing.raw = first

    def measure_again() -> None:
        taken = [reopening.open_once(made.path, CACHE, "again") for _ in range(setting.repeat)]
        if any(each["points"] != made.points for each in taken):
            raise RuntimeError(f"points are missing: {taken[0]['points']}")
        wall, cpu, rss = (
            min(each[name] for each in taken) for name in ("open_wall_s", "open_cpu_s", "rss_bytes")
        )
        before = taken[0]["empty_rss_bytes"]
        again.ours = f"{wall:.3f} s (CPU {cpu:.3f}); {rss / 1e6:.0f} MB, {before / 1e6:.0f} of them before"
        again.ok = wall <= limit_s and rss <= limit_bytes
        again.raw = {"taken": taken}

    def measure_peer() -> None:
        assert setting.peer
        load = setting.peer.load(made, keep_all=True)
        again.peer = f"{load.wall_s:.2f} s (CPU {load.cpu_s:.2f}), all kept"

    if attempt(writing, "ours", measure_write):
        attempt(again, "ours", measure_again)
    if setting.peer:
        attempt(again, "peer", measure_peer)
    yield writing
    yield again


def billion_rows(setting: Setting) -> Iterator[Row]:
    runs = round(10_000 * setting.scale)
    folder, cache = OUT / "logs" / f"billion-{runs}", OUT / f"billion-cache-{runs}"
    row = Row(
        f"{runs / 10_000:g} billion points, {runs:,} runs: reopen; 10 lines at 800 px; run table of 5 metrics; memory",
        peer="cannot",
        must_be="≤ 2 s; ≤ 100 ms; ≤ 2 s; ≤ 1 GB",
    )

    def measure() -> None:
        points = runs * 100_000
        if not reopening.index_bytes(cache):
            reopening.billion(folder, cache, runs=runs, tags=10, steps=10_000)
        taken = [reopening.open_once(folder, cache, "again") for _ in range(setting.repeat)]
        if any(each["points"] != points or each["cells"] != 5 * runs for each in taken):
            raise RuntimeError(f"not everything was answered: {taken[0]}")
        best = {
            name: min(each[name] for each in taken)
            for name in ("open_wall_s", "chart_wall_s", "table_wall_s", "used_rss_bytes")
        }
        row.ours = (
            f"{best['open_wall_s']:.2f} s; {best['chart_wall_s'] * 1e3:.0f} ms; {best['table_wall_s']:.2f} s; "
            f"{best['used_rss_bytes'] / 1e6:.0f} MB"
        )
        row.ok = (
            best["open_wall_s"] <= 2
            and best["chart_wall_s"] <= 0.1
            and best["table_wall_s"] <= 2
            and best["used_rss_bytes"] <= 1e9
        )
        row.raw = {"taken": taken}

    attempt(row, "ours", measure)
    yield row
