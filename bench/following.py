"""Live runs with a history, and pages that follow them: what a page in a browser asks, without the browser.

A page listens to `/api/live`, and asks again for its lists and for the lines of its chart: one request at a time each, and after an
answer it rests three times as long as it took, within the bounds that the page has (web/src/api/latest_answer.svelte.ts).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.load.client import Client, LiveEvents

from bench import wire
from bench.workloads import Workload, prepare

REST_FACTOR, MIN_REST_S, MAX_REST_S = 3.0, 0.15, 5.0
# A chart in a window of 1,440 pixels, with 100 lines in it.
WIDTH = 520
EVENTS_A_SECOND = 100


def runs_with_history(runs: int, steps: int) -> Workload:
    made = Workload("F", "simple", "scalars", runs, 1, steps, 0)
    prepare(made)
    return made


class LiveRuns:
    """Every run gets an event each second; afterwards the files are what they were."""

    def __init__(self, made: Workload) -> None:
        self.made = made
        self.sizes = {path: path.stat().st_size for path in made.files()}
        self.files = [os.open(path, os.O_WRONLY | os.O_APPEND) for path in self.sizes]
        # When each event of the first run was written, by the number of its points.
        self.written: dict[int, float] = {}

    @contextmanager
    def all_live(self) -> Iterator[None]:
        stop = threading.Event()

        def keep_writing() -> None:
            turn = 0
            started_at = time.perf_counter()
            while not stop.wait(max(started_at + turn / EVENTS_A_SECOND - time.perf_counter(), 0.0)):
                round_, run = divmod(turn, len(self.files))
                step = self.made.steps + round_
                payload = wire.scalar_payload("simple", float(turn % 7))
                event = wire.event(time.time(), step, self.made.tag_name(0), payload)
                os.write(self.files[run], wire.record(event))
                if run == 0:
                    self.written[step + 1] = time.perf_counter()
                turn += 1

        thread = threading.Thread(target=keep_writing)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def __enter__(self) -> LiveRuns:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.files:
            os.close(file)
        for path, size in self.sizes.items():
            os.truncate(path, size)


class FollowingPage:
    def __init__(self, port: int, made: Workload, written: dict[int, float]) -> None:
        self.port = port
        self.first_run = made.run_name(0)
        self.written = written
        self.lines = {
            "tags": [made.tag_name(0)],
            "smoothing": {"kind": "ema", "amount": 0.6},
            "width": WIDTH,
            "format": "columns",
        }
        self.generation = 0
        self.changed = asyncio.Event()
        # Seconds from each event of the first run to the answer that had it.
        self.delays_s: list[float] = []
        self.answers = 0
        self._shown = made.steps

    async def follow(self) -> None:
        """Until it is cancelled."""
        asking = [
            asyncio.create_task(self._ask_again(path, body))
            for path, body in (
                ("/api/lists", None),
                ("/api/hparams", None),
                ("/api/scalars/lines", self.lines),
            )
        ]
        events = LiveEvents(self.port)
        try:
            async for event in events:
                self.generation = max(self.generation, event["generation"])
                self.changed.set()
                self.changed = asyncio.Event()
        finally:
            events.close()
            for task in asking:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _ask_again(self, path: str, body: object) -> None:
        known = -1
        with Client(self.port) as client:
            while True:
                while known >= self.generation:
                    await self.changed.wait()
                # What this answer cannot have yet makes the page ask again.
                known, asked_at = self.generation, time.perf_counter()
                answer = await client.ask(path, body)
                if answer.status != 200:
                    raise RuntimeError(f"{path} answered {answer.status}: {answer.body[:200]!r}")
                if body is not None:
                    known = min(known, self._note_lines(answer.body))
                took_s = time.perf_counter() - asked_at
                await asyncio.sleep(min(max(took_s * REST_FACTOR, MIN_REST_S), MAX_REST_S))

    def _note_lines(self, data: bytes) -> int:
        """Note which events it shows now; returns the generation of the answer."""
        self.answers += 1
        head = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])
        total = head["lines"]["total"][head["lines"]["run"].index(head["runs"].index(self.first_run))]
        now = time.perf_counter()
        self.delays_s += [
            now - self.written[each] for each in range(self._shown + 1, total + 1) if each in self.written
        ]
        self._shown = max(self._shown, total)
        return int(head["generation"])


async def follow(pages: list[FollowingPage], seconds: float) -> None:
    tasks = [asyncio.create_task(page.follow()) for page in pages]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
