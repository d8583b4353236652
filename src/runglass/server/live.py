"""Live updates: what changed in the source, pushed to every open page as server-sent events.

One thread waits on the source for all connections, and only while there are any. Events carry no data, only what changed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from runglass.api.progress import Change, OverlayChange, progress_answer
from runglass.api.route import EVENTS, NoParameters, Reply, Route, Stream, encode_json
from runglass.overlay.model import OverlayStore
from runglass.query.source import DataSource
from runglass.server.problems import logger

# Between two events of one connection. Beyond 7 connections it grows with them, so that they cost no more together.
INTERVAL_S = 0.05
MAX_EVENTS_A_SECOND = 150
# A page is to show a change within a second, whoever else looks.
MAX_INTERVAL_S = 0.4
PAGES_AT_ONCE = 12
HEARTBEAT_S = 15.0
# How long the waiting thread may outlive the last connection.
WAIT_S = 1.0
# A longer list costs more than asking for all runs.
MAX_RUNS_NAMED = 200


class Live:
    def __init__(self, source: DataSource, overlay: OverlayStore | None = None) -> None:
        self._source = source
        self._overlay = overlay
        self._leave = overlay.listen(self._wake_all) if overlay is not None else lambda: None
        self._lock = threading.Lock()
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._added = 0

    @property
    def route(self) -> Route:
        def listen(source: DataSource, query: NoParameters) -> Reply:
            """Server-sent events: what changed, at most every 50 ms (less often with many pages), the first one at once."""
            return Stream(self.listen())

        return Route("/api/live", listen, Change, media_types=(EVENTS,))

    async def listen(self) -> AsyncIterator[bytes]:
        """Events for one connection until it closes; the first comes at once."""
        wake = asyncio.Event()
        place = self._add(wake)
        try:
            seen: int | None = None
            seen_overlay: OverlayChange | None = None
            while not self._is_closed:
                wake.clear()
                generation, runs = self._list_changes(seen)
                if generation != seen:
                    seen = generation
                    yield self._encode(generation, runs)
                    now_s = asyncio.get_running_loop().time()
                    await asyncio.sleep(until_next_s(place, len(self._listeners), now_s))
                overlay = self._overlay_change()
                if overlay != seen_overlay:
                    seen_overlay = overlay
                    yield b"event: overlay\ndata: " + encode_json(overlay) + b"\n\n"
                while not wake.is_set():
                    try:
                        await asyncio.wait_for(wake.wait(), HEARTBEAT_S)
                    except TimeoutError:
                        yield b": still here\n\n"
        finally:
            with self._lock:
                self._listeners.pop(wake, None)

    def close(self) -> None:
        """End all connections so that the server can stop. Call in the event loop."""
        self._is_closed = True
        self._leave()
        with self._lock:
            for wake in self._listeners:
                wake.set()

    def _overlay_change(self) -> OverlayChange | None:
        if self._overlay is None:
            return None
        shared = self._overlay.read()
        return OverlayChange(shared.revision, shared.problem)

    def _list_changes(self, seen: int | None) -> tuple[int, list[str] | None]:
        if seen is None:
            return self._source.generation, None
        generation, runs = self._source.list_changes(since=seen)
        return generation, None if runs is None or len(runs) > MAX_RUNS_NAMED else runs

    def _encode(self, generation: int, runs: list[str] | None) -> bytes:
        progress = self._source.progress()
        change = Change(generation, runs, progress.is_loaded, progress_answer(progress))
        return b"event: change\ndata: " + encode_json(change) + b"\n\n"

    def _add(self, wake: asyncio.Event) -> int:
        """Returns how many came before it."""
        with self._lock:
            self._added += 1
            self._listeners[wake] = asyncio.get_running_loop()
            if self._thread is None:
                generation = self._source.generation
                self._thread = threading.Thread(
                    target=self._wait, args=(generation,), name="runglass-live", daemon=True
                )
                self._thread.start()
            return self._added

    def _wait(self, generation: int) -> None:
        while True:
            try:
                now = self._source.wait_for_change(generation, timeout_s=WAIT_S)
                if self._overlay is not None:
                    self._overlay.look()
            except Exception as error:
                logger.error("Live updates stopped; reloading the page starts them again", exc_info=error)
                with self._lock:
                    self._thread = None
                return
            with self._lock:
                if not self._listeners or self._is_closed:
                    self._thread = None
                    return
            if now != generation:
                self._wake_all()
            generation = now

    def _wake_all(self) -> None:
        with self._lock:
            for wake, loop in self._listeners.items():
                # A loop that has closed has nothing to wake.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(wake.set)


def until_next_s(place: int, count: int, now_s: float) -> float:
    """To the next moment at which one of `count` connections gets an event. Of many, some share it, so that their pages ask for the
    same state at the same time; not all, because the last one would wait long for its answers."""
    interval_s = min(max(INTERVAL_S, count / MAX_EVENTS_A_SECOND), MAX_INTERVAL_S)
    if count < PAGES_AT_ONCE:
        return interval_s
    groups = count // PAGES_AT_ONCE
    shift_s = place % groups / groups * interval_s
    return interval_s - (now_s - shift_s) % interval_s
