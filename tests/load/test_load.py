"""A short piece of what `make load` does for longer: restarts under load, SIGKILL while the cache is written, and its table."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from pathlib import Path

import pytest
from tests.load.figures import Figure, format_table
from tests.load.restarts import broken_files, digest, kill, read_all, restart, write_cached
from tests.load.stage import Setting

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")


def make_setting(folder: Path) -> Setting:
    return Setting(folder, [sys.executable, "-m", "runglass"], is_small=True, has_browser=False)


def test_pages_outlive_their_server(tmp_path: Path) -> None:
    setting = make_setting(tmp_path)
    server = setting.server(setting.logdir("logs"))
    try:
        pages = asyncio.run(
            restart(server, server.logdir, restarts=3, pages=6, browser=None, draw=random.Random(3))
        )
    finally:
        server.end(signal.SIGKILL)
    assert [(page.wrong, page.server_errors) for page in pages] == [(0, 0)] * 6
    assert min(page.connections for page in pages) > 1, "no page lost its server"


def test_a_killed_server_leaves_whole_files(tmp_path: Path) -> None:
    setting = make_setting(tmp_path)
    logdir = setting.logdir("logs")
    write_cached(logdir, events=101_000, points=500)
    before = digest(logdir)
    server = setting.server(logdir)
    cache = tmp_path / "cache"

    async def attack() -> tuple[list[str], object, object]:
        broken = await kill(server, cache, kills=2, draw=random.Random(4))
        server.start()
        await server.wait_loaded()
        found = await read_all(server)
        # From the files that are in the cache now.
        return broken, found, await read_all(server)

    try:
        broken, first, second = asyncio.run(attack())
    finally:
        server.end(signal.SIGKILL)
    assert broken == []
    assert first == second
    assert digest(logdir) == before
    assert {path.suffix for path in cache.rglob("*") if path.is_file()} >= {".trace", ".result"}
    # What the test looks for can be found.
    for path in cache.rglob("*.trace"):
        path.write_bytes(path.read_bytes()[:1000])
    assert len(broken_files(cache)) == 1


def test_only_time_and_speed_give_way_to_patience() -> None:
    figures = [
        Figure("s", "time", 150, "ms", 100, "time"),
        Figure("s", "speed", 60, "/s", 100, "speed"),
        Figure("s", "lost", 1, "", 0),
    ]
    assert [each.is_kept(1) for each in figures] == [False, False, False]
    assert [each.is_kept(2) for each in figures] == [True, True, False]
    assert format_table(figures, 2).splitlines()[-1].split() == ["s", "lost", "1", "≤", "0", "FAILED"]
