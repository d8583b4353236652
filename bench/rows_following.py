"""Rows about pages that follow live runs: what one costs where the runs have a long history, and what many cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

from bench import ours
from bench.following import FollowingPage, LiveRuns, follow, runs_with_history
from bench.measure import cpu_s
from bench.setting import Setting, attempt
from bench.table import Row

RUNS = 100
SHORT, LONG = 1_000, 1_000_000
PAGES, FIRST_S, SETTLE_S, MEASURE_S = 50, 30.0, 4.0, 20.0
GROWTH_LIMIT, SHARE_LIMIT, DELAY_LIMIT_S = 1.5, 0.5, 1.0


def measure(steps: int, pages: int) -> tuple[float, list[float], int]:
    """The share of a core that the server takes, the delays of what the pages show, and their answers with lines."""
    made = runs_with_history(RUNS, steps)
    with LiveRuns(made) as runs, ours.server(made.path) as running:
        running.wait_until(lambda: ours.is_complete(running, made), "all runs are loaded", timeout_s=300.0)
        following = [FollowingPage(running.port, made, runs.written) for _ in range(pages)]
        share = 0.0

        async def run() -> None:
            nonlocal share
            task = asyncio.create_task(follow(following, FIRST_S + SETTLE_S + MEASURE_S))
            # The first answer looks at the whole history, and a page rests after it.
            first_by = time.perf_counter() + FIRST_S
            while any(page.answers < 3 for page in following) and time.perf_counter() < first_by:
                await asyncio.sleep(0.1)
            await asyncio.sleep(SETTLE_S)
            before = cpu_s(running.pid)
            for page in following:
                page.delays_s.clear()
                page.answers = 0
            await asyncio.sleep(MEASURE_S - 0.5)
            share = (cpu_s(running.pid) - before) / (MEASURE_S - 0.5)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

        with runs.all_live():
            asyncio.run(run())
        delays_s = [delay for page in following for delay in page.delays_s]
        return share, delays_s, sum(page.answers for page in following)


def following_rows(setting: Setting) -> Iterator[Row]:
    long = round(LONG * setting.scale)
    growth = Row(
        f"one page, {RUNS} live runs of {long:,} points: server's CPU",
        must_be=f"≤ {GROWTH_LIMIT} × of {SHORT:,}",
    )
    many = Row(f"{PAGES} pages, {RUNS} live runs: server's CPU", must_be=f"≤ {SHARE_LIMIT:.0%} of a core")
    current = Row(
        f"{PAGES} pages, {RUNS} live runs: the latest a page shows an event",
        must_be=f"≤ {DELAY_LIMIT_S:.0f} s",
    )

    def measure_growth() -> None:
        (short_share, _, _), (long_share, delays_s, answers) = measure(SHORT, 1), measure(long, 1)
        growth.ours = f"{long_share:.1%} ({long_share / short_share:.2f} × of {short_share:.1%})"
        growth.raw = {"short": short_share, "long": long_share, "delays_s": delays_s, "answers": answers}
        growth.ok = long_share <= GROWTH_LIMIT * short_share

    def measure_many() -> None:
        share, delays_s, answers = measure(SHORT, PAGES)
        worst, median = max(delays_s), sorted(delays_s)[len(delays_s) // 2]
        many.ours, many.ok = f"{share:.1%}", share <= SHARE_LIMIT
        current.ours, current.ok = f"{worst:.2f} s (median {median:.2f})", worst <= DELAY_LIMIT_S
        many.raw, current.raw = {"share": share, "answers": answers}, {"delays_s": delays_s}

    attempt(growth, "ours", measure_growth)
    yield growth
    attempt(many, "ours", measure_many)
    yield many
    yield current
