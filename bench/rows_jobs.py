"""Rows about jobs: what streaming large results costs everybody else, and how soon a cancelled process is gone."""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from bench.job_server import PARTIAL_BYTES, PARTIALS
from bench.measure import Samples, Server, tree
from bench.setting import Setting, attempt
from bench.table import Row

BLOCKED_LIMIT_S = 0.020
CANCEL_LIMIT_S = 0.200
CANCELS = 20


def job_server() -> Server:
    return Server("jobs", [sys.executable, "-m", "bench.job_server", "{port}"])


def start_job(running: Server, work: str, number: int) -> dict[str, Any]:
    body = json.dumps({"work": work, "question": {"number": number}}).encode()
    job: dict[str, Any] = running.client.json("/api/jobs", body)
    return job


def follow(running: Server, job_id: str) -> int:
    """As the page does: listen, and fetch partial results as they come. Returns how many bytes of them came."""
    events = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    events.request("GET", f"/api/jobs/events?id={job_id}")
    answer = events.getresponse()
    have = size_bytes = 0
    while line := answer.readline():
        if not line.startswith(b"data: "):
            continue
        job = json.loads(line.removeprefix(b"data: "))["job"]
        if job["partials"] > have:
            _, data, _ = running.client.request(f"/api/jobs/partials?id={job_id}&since={have}")
            head = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])
            have += len(head["partials"])
            size_bytes += sum(each["size_bytes"] for each in head["partials"])
    events.close()
    return size_bytes


def measure_blocked_s(running: Server, work: str, rounds: int) -> Samples:
    """The longest time that nobody else was served, for each job."""
    longest = []
    for number in range(rounds):
        running.client.json("/api/bench/blocked")
        got = follow(running, start_job(running, work, number)["id"])
        longest.append(float(running.client.json("/api/bench/blocked")["longest_s"]))
        if got != PARTIALS * PARTIAL_BYTES:
            raise RuntimeError(f"{got:,} bytes of partial results came")
    return Samples(tuple(longest))


def measure_cancel_s(running: Server, rounds: int) -> Samples:
    """From the request to the end of a process that looks at nothing."""
    taken = []
    for number in range(rounds):
        job = start_job(running, "hang.process", number)
        running.wait_until(lambda job=job: _find(running, job)["phase"] == "Hanging", "a job that hangs")
        asked_at = time.perf_counter()
        running.client.json("/api/jobs/cancel", json.dumps({"id": job["id"]}).encode())
        while len(tree(running.pid)) > 1:
            time.sleep(0.001)
        taken.append(time.perf_counter() - asked_at)
    return Samples(tuple(taken))


def _find(running: Server, job: dict[str, Any]) -> dict[str, Any]:
    jobs = running.client.json("/api/jobs")["jobs"]
    return next(each for each in jobs if each["id"] == job["id"])


def job_rows(setting: Setting) -> Iterator[Row]:
    for runs_in in ("thread", "process"):
        row = Row(
            f"event loop blocked while a {runs_in} streams {PARTIALS} x 1 MB: longest",
            must_be=f"≤ {BLOCKED_LIMIT_S * 1e3:.0f} ms",
        )

        def measure(row: Row = row, runs_in: str = runs_in) -> None:
            with job_server() as running:
                running.wait_until(
                    lambda: running.client.json("/api/bench/blocked") is not None, "the server"
                )
                samples = measure_blocked_s(running, f"stream.{runs_in}", setting.repeat)
            row.ours = f"{samples.median * 1e3:.1f} ms (best {samples.best * 1e3:.1f})"
            row.raw["ours"] = samples.values
            row.ok = samples.best <= BLOCKED_LIMIT_S

        attempt(row, "ours", measure)
        yield row
    row = Row("cancel → a process that hangs is gone: worst", must_be=f"≤ {CANCEL_LIMIT_S * 1e3:.0f} ms")

    def measure_cancel() -> None:
        with job_server() as running:
            running.wait_until(lambda: running.client.json("/api/bench/blocked") is not None, "the server")
            samples = measure_cancel_s(running, CANCELS)
        worst = max(samples.values)
        row.ours = f"{worst * 1e3:.0f} ms (best {samples.best * 1e3:.0f})"
        row.raw["ours"] = samples.values
        row.ok = worst <= CANCEL_LIMIT_S

    attempt(row, "ours", measure_cancel)
    yield row
