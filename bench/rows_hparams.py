"""Rows about hyperparameters: the first table of a search, as the page asks for it, and what importance costs."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench import ours
from bench.measure import Server, cpu_s
from bench.setting import Setting, attempt
from bench.sweeps import Sweep, sweep
from bench.table import Row

LARGE = (10_000, 30, 5)
USUAL = (500, 10, 3)
STATUSES = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
READ_LIMIT_S = 1.0
IMPORTANCE_LIMIT_S = 2.0
PEER_WAIT_S = 600.0
PEER_PAUSE_S = 20.0


@dataclass(frozen=True)
class First:
    wall_s: float
    cpu_s: float
    size_bytes: int

    def __str__(self) -> str:
        return f"CPU {self.cpu_s:.2f} s, {self.wall_s:.2f} s, {self.size_bytes / 1e6:.2f} MB"


def first_answer(running: Server, ask: Callable[[], tuple[int, bytes, bool]]) -> tuple[First, Any]:
    """The first one, which nothing has been computed for."""
    before_s, before = cpu_s(running.pid), time.perf_counter()
    status, data, is_gzip = ask()
    first = First(time.perf_counter() - before, cpu_s(running.pid) - before_s, len(data))
    if status != 200:
        raise RuntimeError(f"HTTP {status}: {data[:80]!r}")
    return first, json.loads(gzip.decompress(data) if is_gzip else data)


def settle(running: Server) -> None:
    """Until it rests: after loading, a server begins to watch ten thousand directories."""
    for _ in range(60):
        before_s = cpu_s(running.pid)
        time.sleep(0.5)
        if cpu_s(running.pid) - before_s < 0.02:
            return


def own_table(made: Sweep) -> First:
    with ours.server(made.path) as running:
        running.wait_until(lambda: bool(running.client.json("/api/status")["is_loaded"]), "everything loaded")
        # The page has these lists before any dashboard asks for anything.
        running.client.json("/api/lists")
        settle(running)
        metrics = [{"tag": name} for name in made.metric_names()]
        body = json.dumps({"metrics": metrics}).encode()
        first, answer = first_answer(running, lambda: running.client.request("/api/hparams/table", body))
    check_table(made, answer)
    return first


def check_table(made: Sweep, answer: dict[str, Any]) -> None:
    row = answer["runs"].index(made.run_name(made.sessions // 2))
    found = [metric["values"][row] for metric in answer["metrics"]]
    lr = next(column for column in answer["hparams"] if column["name"] == "lr")["values"][row]
    wanted = made.values(made.sessions // 2)["lr"]
    if len(answer["runs"]) != made.sessions or found != made.last_values(made.sessions // 2) or lr != wanted:
        raise RuntimeError("a wrong table")


def peer_table(setting: Setting, made: Sweep) -> First:
    assert setting.peer
    with setting.peer.server(made.path, reload_interval_s=3600) as running:
        running.client.connection.timeout = PEER_WAIT_S

        def is_loaded() -> bool:
            # Listing the tags of ten thousand runs keeps the server from loading them.
            time.sleep(PEER_PAUSE_S if made.sessions > 1_000 else 0.1)
            listed = running.client.json("/data/plugin/scalars/tags")
            return (
                bool(listed) and sum(len(tags) == made.metrics for tags in listed.values()) == made.sessions
            )

        running.wait_until(is_loaded, "everything loaded", timeout_s=PEER_WAIT_S)
        columns = [{"metric": {"tag": name}, "includeInResult": True} for name in made.metric_names()]
        columns += [{"hparam": name, "includeInResult": True} for name in made.hparam_names()]
        body = json.dumps(
            {"startIndex": 0, "sliceSize": made.sessions, "colParams": columns, "allowedStatuses": STATUSES}
        ).encode()
        path = "/data/plugin/hparams/session_groups"
        first, answer = first_answer(running, lambda: running.client.request(path, body))
    if answer["totalSize"] != made.sessions:
        raise RuntimeError(f"{answer['totalSize']:,} session groups")
    return first


def importance_s() -> tuple[float, float]:
    """CPU and wall time of a job over 1,000 sessions × 20."""
    made = sweep(1_000, 20, 3)
    with ours.server(made.path) as running:
        running.wait_until(lambda: bool(running.client.json("/api/status")["is_loaded"]), "everything loaded")
        running.client.json("/api/hparams/table", b"{}")
        before_s, before = cpu_s(running.pid), time.perf_counter()
        found = running.client.json("/api/hparams/importance?metric=val/accuracy")
        taken = cpu_s(running.pid) - before_s, time.perf_counter() - before
    if found["method"] != "fanova" or found["rows"][0]["names"] != ["lr"]:
        raise RuntimeError(f"a wrong answer: {found['method']}")
    return taken


def hparam_rows(setting: Setting) -> Iterator[Row]:
    for shape, limit_s in ((USUAL, None), (LARGE, READ_LIMIT_S)):
        made = sweep(*shape)
        must_be = "–" if limit_s is None else f"≤ {limit_s:g} s of CPU"
        row = Row(f"first table of {shape[0]:,} sessions × {shape[1]} × {shape[2]} metrics", must_be=must_be)

        def measure(row: Row = row, made: Sweep = made, limit_s: float | None = limit_s) -> None:
            taken = [own_table(made) for _ in range(setting.repeat)]
            best = min(taken, key=lambda first: first.cpu_s)
            row.ours = str(best)
            row.raw["ours"] = [(first.cpu_s, first.wall_s) for first in taken]
            row.ok = None if limit_s is None else best.cpu_s <= limit_s

        def measure_peer(row: Row = row, made: Sweep = made) -> None:
            first = peer_table(setting, made)
            row.peer = str(first)
            row.raw["peer"] = [(first.cpu_s, first.wall_s)]

        attempt(row, "ours", measure)
        if setting.peer:
            attempt(row, "peer", measure_peer)
        yield row
    row = Row("importance, 1,000 sessions × 20", must_be=f"≤ {IMPORTANCE_LIMIT_S:g} s")

    def measure_importance() -> None:
        taken = [importance_s() for _ in range(setting.repeat)]
        best = min(taken)
        row.ours = f"CPU {best[0]:.2f} s, {best[1]:.2f} s"
        row.raw["ours"] = taken
        row.ok = best[1] <= IMPORTANCE_LIMIT_S

    attempt(row, "ours", measure_importance)
    yield row
