"""Stages in which the server itself goes: restarts under load that no page may notice for long, and SIGKILL while it writes."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import threading
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from tests.load.client import Client, LiveEvents
from tests.load.figures import Figure
from tests.load.logs import Appender, points_path
from tests.load.server import GONE, PATIENCE_S, Server, until
from tests.load.stage import Setting, Stage
from tests.support import event_bytes as eb

from runglass.jobs.cache import SUFFIX as RESULT
from runglass.jobs.cache import unpack
from runglass.query.profiles.column_file import SUFFIX as TRACE
from runglass.query.profiles.column_file import read as read_trace


class Page:
    """What the web page does without a browser: listens, asks again after each change, and connects again when it is cut off."""

    def __init__(self, port: int, run: str) -> None:
        self.port = port
        self.run = run
        self.shown: list[float] = []
        self.connections = 0
        self.server_errors = 0
        self.wrong = 0

    async def live(self) -> None:
        while True:
            events = LiveEvents(self.port)
            try:
                async for event in events:
                    self.connections += not self.connections
                    if event["runs"] is None or self.run in event["runs"]:
                        await self._ask()
            except GONE:
                pass
            finally:
                events.close()
            self.connections += 1
            await asyncio.sleep(0.1)

    async def _ask(self) -> None:
        with Client(self.port) as client:
            answer = await client.ask(points_path(self.run, "loss"))
        self.server_errors += answer.status >= 500
        # A server that has just begun does not know the run yet.
        if answer.status == 200:
            self.shown = answer.json["value"]
            self.wrong += self.shown != [float(step) for step in range(len(self.shown))]


class BrowserPage(threading.Thread):
    """One real page in Chromium, which has to show the newest text at the end."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self.is_open = threading.Event()
        self.expected = ""
        self.ask_for = threading.Event()
        self.has_shown = False
        self.problem = ""

    def run(self) -> None:
        from tools.chromium import chromium

        try:
            with chromium() as browser:
                page = browser.new_page()
                page.goto(f"{self._url}#/text")
                page.wait_for_selector("html[data-ready=true]", state="attached")
                self.is_open.set()
                # Only a page that is waited on hears anything.
                while not self.ask_for.is_set():
                    page.wait_for_timeout(50)
                page.get_by_text(self.expected, exact=True).first.wait_for(timeout=PATIENCE_S * 1000)
                self.has_shown = True
        except Exception as error:
            self.problem = str(error)[:300]
        finally:
            self.is_open.set()


async def restart(
    server: Server,
    logdir: Path,
    *,
    restarts: int,
    pages: int,
    browser: BrowserPage | None,
    draw: random.Random,
) -> list[Page]:
    """Pages, and a training that writes all the while, as they are when the server was ended so many times."""
    trainings = [Appender(logdir / f"run{number}") for number in range(4)]
    for each in trainings:
        each.append(3)
    texts = Appender(logdir / "texts", tag="note")

    def log_text() -> str:
        texts.step += 1
        text = f"text {texts.step}"
        value = eb.tensor_value("note", eb.strings([text.encode()]), plugin="text")
        with texts.path.open("ab") as file:
            file.write(eb.records(eb.event(eb.summary(value), wall_time=1.7e9, step=texts.step)))
        return text

    log_text()
    server.start()
    await server.wait_loaded()
    shown = [Page(server.port, f"run{number % len(trainings)}") for number in range(pages)]
    tasks = [asyncio.create_task(page.live()) for page in shown]

    async def write() -> None:
        while True:
            for each in trainings:
                each.append()
            log_text()
            await asyncio.sleep(0.05)

    writing = asyncio.create_task(write())
    if browser is not None:
        browser.start()
        await asyncio.to_thread(browser.is_open.wait, PATIENCE_S)
    for number in range(restarts):
        await asyncio.sleep(draw.random() * 0.5)
        server.end(signal.SIGKILL if number % 2 else signal.SIGTERM)
        server.start()
        # Every other time it is ended while it is still loading.
        if number % 4 < 2:
            await until(
                lambda: server.ask("/api/runs"), lambda found: found["runs"], "the server after a restart"
            )
        else:
            await asyncio.sleep(draw.random())
    writing.cancel()
    last = log_text()
    for each in trainings:
        each.append()
    if browser is not None:
        browser.expected = last
        browser.ask_for.set()
        await asyncio.to_thread(browser.join, PATIENCE_S * 2)
    truth = trainings[0].truth
    deadline = time.monotonic() + PATIENCE_S
    while any(page.shown != truth for page in shown) and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for page in shown:
        page.wrong += page.shown != truth
    return shown


async def restarts(setting: Setting) -> list[Figure]:
    """Restarts under load: each page connects again and shows what is in the files."""
    logdir = setting.logdir("restarts")
    server = setting.server(logdir)
    count = setting.pick(20, 8)
    browser = BrowserPage(f"http://localhost:{server.port}/") if setting.has_browser else None
    try:
        pages = await restart(
            server, logdir, restarts=count, pages=setting.pick(50, 20), browser=browser, draw=random.Random(1)
        )
    finally:
        server.end(signal.SIGKILL)
    figures = [
        Figure(
            "restarts",
            f"of {len(pages)} pages wrong after {count}",
            sum(page.wrong > 0 for page in pages),
            "",
            0,
        ),
        Figure("restarts", "answers 5xx", sum(page.server_errors for page in pages), "", 0),
        Figure(
            "restarts",
            "pages that never lost their server",
            sum(page.connections < 2 for page in pages),
            "",
            0,
        ),
    ]
    if browser is not None:
        assert browser.has_shown, f"the page in Chromium does not show the newest text: {browser.problem}"
        figures.append(Figure("restarts", "pages in Chromium that are wrong", 0, "", 0))
    return figures


# ---- SIGKILL while files of the server's own are written

PROFILE: dict[str, Any] = {"session": {"run": "run", "session": "one"}}
REDUCTION = {"embedding": {"run": "run", "name": "e"}, "method": "pca"}


def write_cached(logdir: Path, *, events: int, points: int) -> None:
    """A trace that is large enough to be kept as columns, and an embedding whose reduction is kept."""
    profile = logdir / "run" / "plugins" / "profile" / "one"
    profile.mkdir(parents=True)
    rows = ",".join(
        f'{{"ph":"X","name":"op {at % 97}","pid":1,"tid":{at % 5},"ts":{at},"dur":{at % 7}}}'
        for at in range(events)
    )
    (profile / "host.trace.json").write_text(f'{{"traceEvents":[{rows}]}}')
    run = logdir / "run"
    np.save(run / "vectors.npy", np.random.default_rng(1).normal(size=(points, 64)).astype(np.float32))
    (run / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "e" tensor_path: "vectors.npy" }\n'
    )
    Appender(run).append(5)


def digest(logdir: Path) -> str:
    whole = blake2b()
    for path in sorted(logdir.rglob("*")):
        whole.update(str(path).encode())
        if path.is_file():
            whole.update(path.read_bytes())
    return whole.hexdigest()


def broken_files(cache: Path) -> list[str]:
    """Files in the cache folder under a final name that are not whole."""
    found = []
    for path in sorted(cache.rglob("*")):
        if path.suffix == RESULT and unpack(path.read_bytes()) is None:
            found.append(path.name)
        elif path.suffix == TRACE:
            try:
                with path.open("rb") as file:
                    read_trace(file)
            except ValueError as error:
                found.append(f"{path.name}: {error}")
    return found


async def run_job(server: Server, work: str, question: object) -> Any:
    """A job from its question to its result."""
    job = await server.ask("/api/jobs", {"work": work, "question": question})
    ended = await until(
        lambda: server.ask("/api/jobs", {"work": work, "question": question}),
        lambda job: job["state"] in ("done", "failed", "cancelled"),
        work,
    )
    assert ended["state"] == "done", ended
    with Client(server.port) as client:
        return (await client.ask(f"/api/jobs/result?id={job['id']}")).body


async def read_all(server: Server) -> tuple[Any, Any, Any]:
    about = json.loads(await run_job(server, "profile.open", PROFILE))
    sums = await server.ask("/api/profile/sums", PROFILE | {"from_ps": 0, "to_ps": 10**13, "by": "name"})
    with Client(server.port) as client:
        job = await server.ask("/api/jobs", {"work": "projector.reduce", "question": REDUCTION})
        await run_job(server, "projector.reduce", REDUCTION)
        positions = (await client.ask(f"/api/jobs/result?id={job['id']}")).body
    # What the head says of seconds differs each time.
    return about, sums, len(positions)


async def kill(server: Server, cache: Path, *, kills: int, draw: random.Random) -> list[str]:
    """Files that were not whole after any of the kills."""
    found: list[str] = []
    for _ in range(kills):
        for path in list(cache.rglob("*")) if cache.exists() else []:
            # Half of the time there is something to replace, half of the time nothing.
            if path.is_file() and draw.random() < 0.5:
                path.unlink()
        server.start()
        await server.wait_loaded()
        asking = asyncio.gather(
            run_job(server, "profile.open", PROFILE),
            run_job(server, "projector.reduce", REDUCTION),
            return_exceptions=True,
        )
        # Not a wait for something: the moment of the kill is random.
        await asyncio.sleep(draw.random() * 1.5)
        server.end(signal.SIGKILL)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        found += broken_files(cache)
    return found


async def kills(setting: Setting) -> list[Figure]:
    """SIGKILL at random moments while traces and reductions are written to the cache."""
    logdir = setting.logdir("kills")
    write_cached(logdir, events=setting.pick(400_000, 150_000), points=2000)
    before = digest(logdir)
    count = setting.pick(20, 5)
    cache = setting.folder / "cache"
    async with setting.server(logdir, flags=("--cache_dir", str(setting.folder / "other"))) as clean:
        await clean.wait_loaded()
        expected = await read_all(clean)
    server = setting.server(logdir)
    try:
        broken = await kill(server, cache, kills=count, draw=random.Random(2))
        server.start()
        await server.wait_loaded()
        is_wrong = await read_all(server) != expected
    finally:
        server.end(signal.SIGKILL)
    return [
        Figure("kills", f"files that are not whole after {count}", len(broken), "", 0),
        Figure("kills", "answers that differ from those of a new cache", is_wrong, "", 0),
        Figure("kills", "log files that changed", digest(logdir) != before, "", 0),
    ]


STAGES: dict[str, Stage] = {"restarts": restarts, "kills": kills}
