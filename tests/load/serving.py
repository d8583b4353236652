"""Stages without faults of files: many clients, many live pages, slow and vanished readers, searches that never end, growth."""

from __future__ import annotations

import asyncio
import random
import time

from tests.load.client import Client, LiveEvents
from tests.load.figures import Figure
from tests.load.logs import (
    Appender,
    points_path,
    run_name,
    searches_of,
    tag_name,
    value_of,
    write_long_run,
    write_runs,
    write_searchable,
    write_small_runs,
)
from tests.load.server import GONE, MemoryPeak, Server, until
from tests.load.stage import Setting, Stage, percentile

from runglass.server.live import MAX_INTERVAL_S

MB = 1_000_000
CHART = {"series": [{"run": "run", "tag": "loss"}]}


async def clients(setting: Setting) -> list[Figure]:
    """Clients that ask for points one after another, each as fast as it is answered."""
    logdir = setting.logdir("clients")
    runs, tags, points = setting.pick(200, 40), 20, 1000
    write_runs(logdir, runs=runs, tags=tags, points=points)
    times: list[float] = []
    wrong, errors = [0], [0]
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        end = time.perf_counter() + setting.pick(20, 5)

        async def keep_asking(seed: int) -> None:
            draw = random.Random(seed)
            with Client(server.port) as client:
                while time.perf_counter() < end:
                    run, tag = draw.randrange(runs), draw.randrange(tags)
                    begin = time.perf_counter()
                    answer = await client.ask(points_path(run_name(run), tag_name(tag)))
                    times.append(time.perf_counter() - begin)
                    errors[0] += answer.status != 200
                    # All of them would measure the client.
                    if draw.random() < 0.02:
                        expected = [value_of(run, tag, step) for step in range(points)]
                        wrong[0] += answer.json["value"] != expected

        begin, cpu_before = time.perf_counter(), server.cpu_s()
        await asyncio.gather(*(keep_asking(seed) for seed in range(50)))
        took, cpu_s = time.perf_counter() - begin, server.cpu_s() - cpu_before
        memory = server.memory_bytes()
    return [
        Figure("clients", "requests a second, 50 clients", len(times) / took, "/s", 779, "speed"),
        Figure("clients", "p99 of points", percentile(times, 0.99) * 1e3, "ms", 80, "time"),
        Figure("clients", "processor time of a request", cpu_s / len(times) * 1e3, "ms", 1, "time"),
        Figure("clients", "answers that failed", errors[0], "", 0),
        Figure("clients", "answers that were wrong", wrong[0], "", 0),
        Figure("clients", "memory afterwards", memory / MB, "MB", 400),
    ]


async def live(setting: Setting) -> list[Figure]:
    """Many open pages that are told of every change."""
    logdir = setting.logdir("live")
    training = Appender(logdir / "run")
    training.append()
    pages, changes = setting.pick(200, 100), setting.pick(25, 10)
    heard = [0] * pages
    last_heard = [0.0]
    async with setting.server(logdir) as server:
        await server.wait_loaded()

        async def follow(page: int) -> None:
            events = LiveEvents(server.port)
            try:
                async for event in events:
                    heard[page] = event["generation"]
                    last_heard[0] = time.perf_counter()
            finally:
                events.close()

        tasks = [asyncio.create_task(follow(page)) for page in range(pages)]
        times = []
        try:
            generation = (await server.ask("/api/status"))["generation"]
            await told(heard, generation, "the first event")
            for _ in range(changes):
                # Behind the pause that follows every event, which is the longer the more pages there are.
                await asyncio.sleep(MAX_INTERVAL_S + 0.05)
                before = max(heard)
                begin = time.perf_counter()
                training.append()
                await told(heard, before + 1, "a change")
                times.append(last_heard[0] - begin)
            files = server.open_files()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        seen = await server.ask(points_path("run", "loss"))
    return [
        Figure(
            "live", f"a change reaches {pages} pages, median", percentile(times, 0.5) * 1e3, "ms", 50, "time"
        ),
        Figure("live", "the slowest change", max(times) * 1e3, "ms", 150, "time"),
        Figure("live", "points that were lost", len(training.truth) - len(seen["value"]), "", 0),
        Figure("live", f"descriptors with {pages} pages", files, "", pages + 60),
    ]


async def told(heard: list[int], generation: int, what: str) -> None:
    deadline = time.monotonic() + 30
    while min(heard) < generation:
        left = sum(each < generation for each in heard)
        assert time.monotonic() < deadline, f"{left} of {len(heard)} pages did not hear of {what}"
        await asyncio.sleep(0.001)


async def slow_readers(setting: Setting) -> list[Figure]:
    """Clients that take a large answer a little at a time must cost others nothing, and no copy of the answer each."""
    logdir = setting.logdir("large")
    write_long_run(logdir, setting.pick(400_000, 200_000))
    Appender(logdir / "run").append()
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        slow = [Client(server.port) for _ in range(setting.pick(40, 20))]
        async with MemoryPeak(server) as memory:
            for number, client in enumerate(slow):
                body = {"tags": ["loss"], "format": "csv"}
                is_export = number % 2
                await client.send(
                    *(("/api/scalars/export", body) if is_export else (points_path("long", "loss"),))
                )
            waits = await small_answers(server, setting.pick(4, 2))
        for client in slow:
            client.close()
        recovered = await small_answers(server, 0.5)
    return [
        Figure(
            "slow readers",
            "a small answer beside them, p99",
            percentile(waits, 0.99) * 1e3,
            "ms",
            1500,
            "time",
        ),
        Figure("slow readers", "memory at the peak", memory.peak_bytes / MB, "MB", 800),
        Figure("slow readers", "a small answer afterwards", min(recovered) * 1e3, "ms", 500, "time"),
    ]


async def abandoned(setting: Setting) -> list[Figure]:
    """Clients that ask for a large answer and go away."""
    logdir = setting.logdir("large")
    if not any(logdir.iterdir()):
        write_long_run(logdir, setting.pick(400_000, 200_000))
        Appender(logdir / "run").append()
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        async with MemoryPeak(server) as memory:
            for _ in range(setting.pick(200, 60)):
                client = Client(server.port)
                await client.send(points_path("long", "loss"))
                await asyncio.sleep(0.02)
                client.close()
            begin = time.perf_counter()
            await small_answers(server, 0)
            wait = time.perf_counter() - begin
        await asyncio.sleep(1)
        after = server.memory_bytes()
    return [
        Figure("abandoned", "memory at the peak", memory.peak_bytes / MB, "MB", 400),
        Figure("abandoned", "memory afterwards", after / MB, "MB", 400),
        Figure("abandoned", "a small answer behind them", wait * 1e3, "ms", 1000, "time"),
    ]


async def searches(setting: Setting) -> list[Figure]:
    """Patterns that backtrack for ever, half of them asked by clients that go away at once."""
    logdir = setting.logdir("searches")
    write_searchable(logdir)
    Appender(logdir / "run").append()
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        alone = await small_answers(server, 1)
        for path, body in searches_of("aaa1"):
            with Client(server.port) as client:
                answer = await client.ask(path, body)
                assert answer.status == 200, (path, answer.body[:300])
        asked = [each for number in range(10) for each in searches_of("a*" * 9 + f"b{number}")]
        asking = [Client(server.port) for _ in asked]
        for number, client in enumerate(asking):
            await client.send(*asked[number])
            if number % 2:
                await asyncio.sleep(0.02)
                client.close()
        waits = await small_answers(server, setting.pick(6, 3))
        for client in asking:
            client.close()
        children = await until(
            lambda: asyncio.to_thread(count_children, server.pid),
            lambda count: count <= 4,
            "workers that end",
        )
    return [
        Figure("searches", "a chart with nothing else, at worst", max(alone) * 1e3, "ms", 200, "time"),
        Figure(
            "searches", f"beside {len(asked)} endless ones, at worst", max(waits) * 1e3, "ms", 200, "time"
        ),
        Figure("searches", "processes afterwards", children, "", 4),
    ]


def count_children(pid: int) -> int:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return len(file.read().split())


async def small_answers(server: Server, seconds: float) -> list[float]:
    """How long a chart of one point takes, asked again and again, at least once."""
    times = []
    end = time.perf_counter() + seconds
    with Client(server.port) as client:
        while not times or time.perf_counter() < end:
            begin = time.perf_counter()
            answer = await client.ask("/api/scalars/lines", CHART)
            times.append(time.perf_counter() - begin)
            assert answer.status == 200, answer.body[:300]
            await asyncio.sleep(0.01)
    return times


async def growth(setting: Setting) -> list[Figure]:
    """Pages come and go, files grow, runs appear and vanish: what the server holds stays what it was."""
    logdir = setting.logdir("growth")
    training = Appender(logdir / "run")
    training.append()
    changes = setting.pick(300, 100)
    async with setting.server(logdir) as server:
        await server.wait_loaded()

        async def change(number: int) -> None:
            training.append()
            passing = Appender(logdir / f"passing{number % 5}", tag=f"tag{number % 3}")
            passing.append()
            events = LiveEvents(server.port)
            async for _ in events:
                break
            events.close()
            await until(
                lambda: server.ask(points_path("run", "loss")),
                lambda seen: len(seen["value"]) == len(training.truth),
                "a change",
            )
            passing.path.unlink()
            passing.path.parent.rmdir()

        # Until caches and threads are there.
        for number in range(30):
            await change(number)
        await asyncio.sleep(1)
        before = server.memory_bytes(), server.open_files(), server.threads()
        for number in range(changes):
            await change(number)
        # The thread that waits for changes may outlive the last page by a second.
        await asyncio.sleep(1.5)
        after = server.memory_bytes(), server.open_files(), server.threads()
    return [
        Figure("growth", f"memory after {changes} changes", max(0, after[0] - before[0]) / MB, "MB more", 8),
        Figure("growth", "descriptors", max(0, after[1] - before[1]), "more", 0),
        Figure("growth", "threads", max(0, after[2] - before[2]), "more", 0),
    ]


async def start(setting: Setting) -> list[Figure]:
    """A start with very many runs."""
    logdir = setting.logdir("start")
    runs = setting.pick(5000, 1000)
    write_small_runs(logdir, runs)
    begin = time.perf_counter()
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        took, cpu_s = time.perf_counter() - begin, server.cpu_s()
        memory = server.memory_bytes()
        listed = len((await server.ask("/api/runs"))["runs"])
    return [
        Figure("start", f"{runs:,} runs", took, "s", 2.5, "time"),
        Figure("start", "processor time", cpu_s, "s", 3, "time"),
        Figure("start", "memory", memory / MB, "MB", 200),
        Figure("start", "runs that are missing", runs - listed, "", 0),
    ]


async def hostile(setting: Setting) -> list[Figure]:
    """Requests that are none, that never end, that are too large: each is refused, and nobody else waits."""
    logdir = setting.logdir("hostile")
    Appender(logdir / "run").append()
    odd = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 1000,
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /api/scalars/lines HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST /api/scalars/lines HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n",
        b"POST /api/scalars/lines HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n\r\n[[[[",
        b"GET /api/scalars/points?run=%00&tag=%ff HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /../../../../etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /api/runs HTTP/1.1\r\nhost: evil.example\r\n\r\n",
        b"PUT /api/runs HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /api/live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
        b"GET /api/runs HTTP/1.1\r\n",
    ]
    async with setting.server(logdir) as server:
        await server.wait_loaded()

        async def send(data: bytes) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            try:
                writer.write(data)
                return await asyncio.wait_for(reader.read(1000), 0.5)
            except (*GONE, TimeoutError):
                return b""
            finally:
                writer.transport.abort()

        answers = [
            answer
            for _ in range(setting.pick(20, 5))
            for answer in await asyncio.gather(*(send(data) for data in odd))
        ]
        waits = await small_answers(server, 0.5)
        files = server.open_files()
    return [
        Figure("hostile", "answers 5xx", sum(each.startswith(b"HTTP/1.1 5") for each in answers), "", 0),
        Figure("hostile", "files from outside", sum(b"root:" in each for each in answers), "", 0),
        Figure("hostile", "a small answer afterwards", min(waits) * 1e3, "ms", 50, "time"),
        Figure("hostile", "descriptors afterwards", files, "", 60),
    ]


STAGES: dict[str, Stage] = {
    "start": start,
    "clients": clients,
    "live": live,
    "slow_readers": slow_readers,
    "abandoned": abandoned,
    "searches": searches,
    "growth": growth,
    "hostile": hostile,
}
