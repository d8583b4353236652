"""Rows about logs in an object store with the latency of a network: the first visit, the second, and what each fetches."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench import ours, peers
from bench.measure import Server, free_port, wait_until
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import OUT

RUNS = 100
TAGS = 5
STEPS = 500
LATENCY_MS = 30
URL = "s3://bench/logs"
LAST = ("run_099", "tag_4")


def prepare(steps: int) -> Path:
    from runglass import SummaryWriter

    path = OUT / "logs" / f"remote-{steps}"
    if not path.with_suffix(".done").exists():
        shutil.rmtree(path, ignore_errors=True)
        for run in range(RUNS):
            with SummaryWriter(str(path / f"run_{run:03d}")) as writer:
                for step in range(steps):
                    for tag in range(TAGS):
                        writer.add_scalar(f"tag_{tag}", float(step), step)
        path.with_suffix(".done").touch()
    return path


@contextmanager
def stored(path: Path) -> Iterator[dict[str, str]]:
    """A server with these logs, and the environment that leads to it."""
    import boto3

    port = free_port()
    command = [sys.executable, "-m", "bench.slow_s3", str(port), str(LATENCY_MS)]
    server = subprocess.Popen(command, cwd=Path(__file__).parent.parent)
    env = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "S3_ENDPOINT": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        client: Any = boto3.client(
            "s3",
            endpoint_url=env["AWS_ENDPOINT_URL"],
            aws_access_key_id="bench",
            aws_secret_access_key="bench",
            region_name="us-east-1",
        )
        wait_until(lambda: _answers(client), timeout_s=60, what="the S3 server", every_s=0.1)
        client.create_bucket(Bucket="bench")
        with ThreadPoolExecutor(8) as pool:
            list(
                pool.map(
                    lambda file: client.put_object(
                        Bucket="bench", Key=f"logs/{file.relative_to(path)}", Body=file.read_bytes()
                    ),
                    [file for file in path.rglob("*") if file.is_file()],
                )
            )
        yield env
    finally:
        server.terminate()
        server.wait(timeout=10)


def _answers(client: Any) -> bool:
    try:
        client.list_buckets()
    except Exception:
        return False
    return True


def visit(cache: Path, env: dict[str, str], steps: int) -> tuple[float, float, int]:
    """Seconds until the first chart is right, and until everything is and the store was seen; bytes fetched."""
    server = ours.server(Path("."))
    words = [word for word in server.command if word not in ("--no-cache", "--no_cache")]
    server.command = [URL if word == "." else word for word in words] + ["--cache_dir", str(cache)]
    server.env = {**os.environ, **env}
    with server as running:

        def is_whole() -> bool:
            status = running.client.json("/api/status")
            return bool(
                status
                and status["points"] == RUNS * TAGS * steps
                and status["remote"][0]["state"] == "current"
            )

        first = running.wait_until(lambda: ours.read_last_value(running, *LAST) == steps - 1, "one series")
        whole = running.wait_until(is_whole, "everything")
        fetched = running.client.json("/api/status")["remote"][0]["fetched_bytes"]
        return first - running.started_at, whole - running.started_at, fetched


def peer_visit(env: dict[str, str], steps: int) -> float:
    if find_spec("tensorboard") is None or find_spec("boto3") is None:
        raise RuntimeError("cannot: TensorBoard reads s3:// only with boto3")
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", URL, "--load_fast=false"]
    command += ["--host", "127.0.0.1", "--port", "{port}", "--samples_per_plugin", "scalars=0"]
    with Server("tensorboard", command, env={**os.environ, **env}) as running:
        whole = running.wait_until(
            lambda: peers.read_last_value(running, *LAST) == steps - 1, "the last run", timeout_s=180
        )
        return whole - running.started_at


def remote_rows(setting: Setting) -> Iterator[Row]:
    if find_spec("moto") is None or find_spec("s3fs") is None:
        yield Row("logs in S3", ours="left out: install the group `scale`")
        return
    steps = max(50, int(STEPS * setting.scale))
    path = prepare(steps)
    where = f"{RUNS} runs in S3, {LATENCY_MS} ms latency"
    rows = [
        Row(f"{where}: first visit, everything right", must_be="≤ 3 s"),
        Row(f"{where}: second visit, first chart right", must_be="≤ 1 s"),
        Row(f"{where}: bytes of the second visit", must_be="≤ 2 %"),
    ]
    with stored(path) as env:

        def measure() -> None:
            firsts, seconds, shares = [], [], []
            for _ in range(setting.repeat):
                with tempfile.TemporaryDirectory() as cache:
                    firsts.append(visit(Path(cache), env, steps))
                    seconds.append(visit(Path(cache), env, steps))
                shares.append(seconds[-1][2] / max(1, firsts[-1][2]))
            for row, taken, limit in ((rows[0], firsts, 3.0), (rows[1], seconds, 1.0)):
                chart, whole, _ = min(taken, key=lambda each: each[1])
                row.ours = f"first chart {chart:.2f} s, store seen {whole:.2f} s"
                row.ok = (chart if row is rows[1] else whole) <= limit
                row.raw["ours"] = taken
            rows[2].ours = f"{max(shares):.2%} of {firsts[0][2] / 1e6:.1f} MB"
            rows[2].ok = max(shares) <= 0.02

        attempt(rows[0], "ours", measure)
        if setting.peer_repeat:

            def measure_peer() -> None:
                taken = [peer_visit(env, steps) for _ in range(setting.peer_repeat)]
                for row in rows[:2]:
                    row.peer, row.raw["peer"] = f"{min(taken):.1f} s", taken

            attempt(rows[0], "peer", measure_peer)
    yield from rows
