"""Rows about many pictures: whether every one of them can be had, byte for byte, and what memory the server takes for it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from urllib.parse import urlencode

from bench import ours, peers
from bench.measure import Server, memory_bytes
from bench.setting import Setting, attempt
from bench.stamped import picture_number, stamped_png
from bench.table import Row
from bench.workloads import Workload, workload

LIMIT_BYTES = 120_000_000
SOME = 300


def image_rows(setting: Setting) -> Iterator[Row]:
    made = workload("I10k", scale=setting.scale)
    about = f"{made.points:,} images, {made.size_bytes / 1e6:,.0f} MB"
    limit = f"≤ {LIMIT_BYTES / 1e6:.0f} MB"
    whens = ("loaded", f"{SOME} of them fetched", "all of them fetched")
    memory = [Row(f"server memory, {about}: {when}", must_be=limit) for when in whens]
    reached = Row(f"every one of {about} reachable, its bytes as written", must_be=f"{made.points:,}")

    def measure_ours() -> None:
        with ours.server(made.path) as running:
            running.wait_until(lambda: ours.is_complete(running, made), "everything loaded")
            addresses = list_addresses(running, made)
            counts = (0, min(SOME, len(addresses)), len(addresses))
            right = done = 0
            began = time.perf_counter()
            for row, count in zip(memory, counts, strict=True):
                right += sum(is_right(running, made, *each) for each in addresses[done:count])
                done = count
                now, peak = memory_bytes(running.pid)
                row.ours = f"{now / 1e6:.0f} MB (peak {peak / 1e6:.0f})"
                row.raw["ours"] = [now, peak]
                row.ok = now <= LIMIT_BYTES
            took_s = time.perf_counter() - began
            reached.ours = f"{right:,}, {1000 * took_s / max(1, done):.1f} ms each, checking included"
            reached.ok = right == made.points

    def measure_peer() -> None:
        assert setting.peer
        with setting.peer.server(made.path, reload_interval_s=0) as running:
            running.wait_until(
                lambda: peers.is_complete(running, made), "TensorBoard has read the logs", timeout_s=600
            )
            now, peak = memory_bytes(running.pid)
            memory[0].peer = f"{now / 1e6:.0f} MB (peak {peak / 1e6:.0f}), ten kept of each tag"
            memory[0].raw["peer"] = [now, peak]
            reached.peer = f"{peers.kept_images(running, made):,}"

    attempt(memory[0], "ours", measure_ours)
    if setting.peer:
        attempt(memory[0], "peer", measure_peer)
    yield from (*memory, reached)


def list_addresses(running: Server, made: Workload) -> list[tuple[str, int]]:
    """Where every picture is, as the page finds it, and the number that is stamped on it."""
    places = {
        (made.run_name(run), made.tag_name(tag)): (run, tag)
        for run in range(made.runs)
        for tag in range(made.tags)
    }
    body = {"kind": "image", "series": [{"run": run, "tag": tag} for run, tag in places]}
    answer = running.client.json("/api/steps", json.dumps(body).encode())
    found = []
    for series in answer["series"]:
        run, tag = places[series["run"], series["tag"]]
        for row, step, wall_time in zip(series["row"], series["step"], series["wall_time"], strict=True):
            query = {
                "run": series["run"],
                "tag": series["tag"],
                "row": row,
                "step": step,
                "wall_time": wall_time,
            }
            found.append((f"/api/images/blob?{urlencode(query)}", picture_number(run, tag, step)))
    return found


def is_right(running: Server, made: Workload, path: str, number: int) -> bool:
    status, data, is_gzip = running.client.request(path)
    return status == 200 and not is_gzip and data == stamped_png(made.size, number)
