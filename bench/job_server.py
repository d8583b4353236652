"""A Runglass server with works of the benchmark, and a route that tells how long its event loop was blocked at worst.

Run as `python -m bench.job_server PORT`. Worker processes import this file, so what only the server needs is imported inside.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

PARTIALS = 100
PARTIAL_BYTES = 10**6
# How often the loop is looked at; less than this is not seen.
TICK_S = 0.001


class Turn(Struct, frozen=True):
    """Every turn is a job of its own."""

    number: int


class Blocked(Struct, frozen=True):
    longest_s: float


def load(context: Any, source: Any, question: Turn) -> Iterator[Turn]:
    yield question


def stream(context: Any, inputs: Iterator[Any]) -> dict[str, int]:
    """Partial results as fast as they can be made."""
    for number in range(PARTIALS):
        context.progress("Streaming", number, PARTIALS)
        context.partial(bytes([number]) * PARTIAL_BYTES)
    return {"partials": PARTIALS}


def hang(context: Any, inputs: Iterator[Any]) -> None:
    """Never gives the GIL back, as a regular expression can."""
    import re

    context.progress("Hanging", 0, None)
    re.match("(a+)+c", "a" * 64 + "b")


def main(port: int) -> None:
    import asyncio
    import socket

    # When the module runs as a program, workers would look for its functions in theirs.
    from bench import job_server
    from runglass.api.dashboard import Dashboard
    from runglass.api.route import NoParameters, Route
    from runglass.jobs.work import Work
    from runglass.query.memory import MemorySource
    from runglass.server.app import App
    from runglass.server.run import PageServer
    from runglass.store.model import Kind

    longest_s = 0.0
    watching: list[asyncio.Task[None]] = []

    async def watch() -> None:
        nonlocal longest_s
        while True:
            asked_at = time.perf_counter()
            await asyncio.sleep(TICK_S)
            longest_s = max(longest_s, time.perf_counter() - asked_at - TICK_S)

    def read_blocked(source: Any, query: NoParameters) -> Blocked:
        """The longest time that the event loop was blocked since this was last asked."""
        nonlocal longest_s
        if not watching:
            watching.append(asyncio.get_running_loop().create_task(watch()))
        answer, longest_s = Blocked(longest_s), 0.0
        return answer

    works = tuple(
        Work(
            name=f"{compute.__name__}.{runs_in}",
            title="Benchmark",
            question=Turn,
            identify=lambda source, question: None,
            load=job_server.load,
            compute=compute,
            runs_in=runs_in,
        )
        for compute in (job_server.stream, job_server.hang)
        for runs_in in ("thread", "process")
    )
    routes = (Route("/api/bench/blocked", read_blocked, Blocked),)
    dashboard = Dashboard("bench", "Bench", kinds=(Kind.SCALAR,), routes=routes, works=works)
    listener = socket.create_server(("127.0.0.1", port))
    PageServer(App(MemorySource(), dashboards=[dashboard])).run(sockets=[listener])


if __name__ == "__main__":
    main(int(sys.argv[1]))
