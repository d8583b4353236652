"""Stages in which the file system misbehaves while the server serves: files, links, floods of directories, descriptors."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.load.client import Client
from tests.load.figures import Figure
from tests.load.logs import Appender, points_path, write_small_runs
from tests.load.server import GONE, Server, until
from tests.load.serving import MB, small_answers
from tests.load.stage import Setting, Stage
from tests.support import event_bytes as eb
from tests.support.event_files import NAME


async def wait_for(server: Server, run: str, expected: list[float]) -> float:
    """Seconds until the server shows these values."""
    begin = time.perf_counter()
    await until(
        lambda: server.ask(points_path(run, "loss")),
        lambda seen: seen["value"] == expected,
        f"{run}: {len(expected)} values",
    )
    return time.perf_counter() - begin


def break_files(logdir: Path, number: int) -> None:
    """Every fault that can be made without a file system of one's own, in directories of their own."""
    place = logdir / f"broken{number}"
    place.mkdir()

    def put(name: str, data: bytes) -> Path:
        (place / name).mkdir()
        path = place / name / NAME
        path.write_bytes(data)
        return path

    good = eb.records(eb.file_version(), *(eb.scalar("loss", float(step), step=step) for step in range(50)))
    put("garbage", os.urandom(4000))
    put("absurd", good + eb.header(2**62) + b"x")
    os.truncate(put("hole", good), 1 << 40)
    cut = put("cut", good)
    os.truncate(cut, len(good) // 2)
    cut.write_bytes(good[: len(good) // 3])
    put("replaced", good).unlink()
    (place / "replaced" / NAME).write_bytes(good[:100])
    moved = put("moved", good).parent
    moved.rename(place / "moved away")
    (place / "pipe").mkdir()
    os.mkfifo(place / "pipe" / NAME)
    os.chmod(put("closed", good), 0)
    os.chmod(put("closed directory", good).parent, 0)
    (place / "itself").symlink_to(place / "itself")
    (place / "up").symlink_to(logdir)
    (place / "loop").symlink_to(place)
    (place / "out").symlink_to("/proc/self/fd")
    (place / "device").mkdir()
    (place / "device" / NAME).symlink_to("/dev/zero")
    os.mkdir(os.fsencode(place) + b"/not utf-8 \xff")
    with open(os.fsencode(place) + b"/not utf-8 \xff/" + NAME.encode() + b"\xfe", "wb") as file:
        file.write(good)
    (place / "config").mkdir()
    (place / "config" / "projector_config.pbtxt").write_bytes(
        b'embeddings { tensor_path: "../../../../etc/passwd" }'
    )
    shutil.rmtree(put("gone", good).parent)


async def files(setting: Setting) -> list[Figure]:
    """Faults of files while a run beside them is written: it is shown all the while, to the last value."""
    logdir = setting.logdir("files")
    training = Appender(logdir / "run")
    training.append(10)
    times = []
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        for number in range(setting.pick(10, 4)):
            break_files(logdir, number)
            training.append()
            times.append(await wait_for(server, "run", training.truth))
            await small_answers(server, 0)
        health = await server.ask("/api/health")
        listed = {each["name"] for each in (await server.ask("/api/runs"))["runs"]}
        open_files = server.open_files()
        memory = server.memory_bytes()
        status = await server.ask("/api/status")
        internal = str(health).count("internal error")
    missing = sum(
        f"broken0/{name}" not in listed for name in ("garbage", "absurd", "hole", "cut", "moved away")
    )
    return [
        Figure("files", "a change beside faults, at worst", max(times) * 1e3, "ms", 1000, "time"),
        Figure("files", "damaged runs that are not listed", missing, "", 0),
        Figure("files", "internal errors", internal, "", 0),
        Figure("files", "server is no longer live", not status["live"], "", 0),
        Figure("files", "descriptors", open_files, "", 60),
        Figure("files", "memory", memory / MB, "MB", 200),
        Figure("files", "log of the server", server.log.stat().st_size / 1000, "kB", 20),
    ]


async def links(setting: Setting) -> list[Figure]:
    """Links to a run, before and while the server runs: a change shows under every name."""
    logdir = setting.logdir("links")
    first, second = Appender(logdir / "run1"), Appender(logdir / "run2")
    for each in (first, second):
        each.append(3)
    (logdir / "latest").symlink_to("run1")
    times = []
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        for turn in range(setting.pick(5, 2)):
            target = (first, second)[turn % 2]
            temporary = logdir / ".latest"
            temporary.symlink_to(target.path.parent.name)
            # As a launcher does that moves a link to its newest run.
            temporary.rename(logdir / "latest")
            (logdir / f"loop{turn}").symlink_to(logdir)
            await wait_for(server, "latest", target.truth)
            for each in (first, second):
                each.append()
                times.append(await wait_for(server, each.path.parent.name, each.truth))
            times.append(await wait_for(server, "latest", target.truth))
    return [Figure("links", "a change under every name, at worst", max(times) * 1e3, "ms", 1000, "time")]


async def directories(setting: Setting) -> list[Figure]:
    """Very many directories made while serving, then very many runs."""
    logdir = setting.logdir("directories")
    training = Appender(logdir / "run")
    training.append()
    empty, runs = setting.pick(20_000, 3000), setting.pick(5000, 500)
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        await asyncio.to_thread(make_directories, logdir / "empty", empty)
        late = Appender(logdir / "late")
        late.append()
        seen_s = await wait_for(server, "late", late.truth)
        begin = time.perf_counter()
        await asyncio.to_thread(write_small_runs, logdir / "copied", runs)
        await until(
            lambda: server.ask("/api/status"),
            lambda status: status["runs"] >= runs + 2 and status["points"] >= runs * 5,
            f"{runs} runs",
        )
        copied_s = time.perf_counter() - begin
        memory = server.memory_bytes()
    return [
        Figure("directories", f"a run behind {empty:,} directories", seen_s, "s", 2, "time"),
        Figure("directories", f"{runs:,} runs copied in", copied_s, "s", 4, "time"),
        Figure("directories", "memory", memory / MB, "MB", 300),
    ]


def make_directories(place: Path, count: int) -> None:
    place.mkdir()
    for number in range(count):
        if number % 1000 == 0:
            (place / str(number)).mkdir()
        os.mkdir(f"{place}/{number // 1000 * 1000}/d{number}")


async def descriptors(setting: Setting) -> list[Figure]:
    """More connections than descriptors, opened and left alone: a few words in the log, and recovery."""
    logdir = setting.logdir("descriptors")
    training = Appender(logdir / "run")
    training.append()
    async with setting.server(logdir, descriptors=64) as server:
        await server.wait_loaded()
        log_before = server.log.stat().st_size
        held: list[Any] = []
        for _ in range(100):
            with suppress(*GONE, TimeoutError):
                held.append(await asyncio.wait_for(asyncio.open_connection("127.0.0.1", server.port), 1))
        await asyncio.sleep(setting.pick(5, 2))
        log_bytes = server.log.stat().st_size - log_before
        is_alive = server.is_alive()
        for _, writer in held:
            writer.transport.abort()
        begin = time.perf_counter()
        training.append()
        await wait_for(server, "run", training.truth)
        recovery_s = time.perf_counter() - begin
    return [
        Figure("descriptors", "the server ended", not is_alive, "", 0),
        Figure("descriptors", "log of 100 connections with 64", log_bytes / 1000, "kB", 20),
        Figure("descriptors", "recovery", recovery_s * 1e3, "ms", 3000, "time"),
    ]


async def idle(setting: Setting) -> list[Figure]:
    """Connections that never say anything, or stop half-way through a request, are closed after a time."""
    logdir = setting.logdir("idle")
    Appender(logdir / "run").append()
    count = setting.pick(500, 100)
    async with setting.server(logdir) as server:
        await server.wait_loaded()
        before = server.open_files()
        held = []
        for number in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            if number % 2:
                writer.write(b"GET /api/runs HTTP/1.1\r\nhost: local")
            held.append((reader, writer))
        with Client(server.port) as client:
            assert (await client.ask("/api/runs")).status == 200
        end = time.monotonic() + 40
        while server.open_files() > before + 10 and time.monotonic() < end:
            await asyncio.sleep(0.1)
        left = server.open_files() - before
        for _, writer in held:
            writer.transport.abort()
    return [Figure("idle", f"of {count} silent connections open after 40 s", max(0, left), "", 10)]


STAGES: dict[str, Stage] = {
    "files": files,
    "links": links,
    "directories": directories,
    "descriptors": descriptors,
    "idle": idle,
}
