"""Rows about live runs: how soon a written event can be read over HTTP, and what waiting for one costs.

All runs are live: a background thread appends 200 events a second over all of them while the latency is taken.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import ours, peers, wire
from bench.measure import Samples, Server, cpu_s
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import BASE_TIME, OUT

# Live runs: the median may be this long.
LIMITS_S = {10: 0.030, 1000: 0.150}
IDLE_LIMIT_SHARE = 0.01
IDLE_S = 10.0
EVENTS, PEER_EVENTS = 60, 12
BACKGROUND_EVENTS_A_SECOND = 200
PROBE, BACKGROUND = "metrics/probe", "metrics/loss"

ReadLast = Callable[[str], float | None]


class Writers:
    """One open event file a run, each event appended whole, as a framework's writer flushes it."""

    def __init__(self, logdir: Path, runs: int) -> None:
        shutil.rmtree(logdir, ignore_errors=True)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = runs + 256
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        self.logdir = logdir
        self.names = [f"run_{run:04d}" for run in range(runs)]
        self.files = []
        self.step = 0
        self.lock = threading.Lock()
        for name in self.names:
            (logdir / name).mkdir(parents=True)
            path = logdir / name / f"events.out.tfevents.{BASE_TIME:.0f}.live.0.0"
            self.files.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644))
            os.write(self.files[-1], wire.header_record(BASE_TIME))
        for run in range(runs):
            self.append(run, PROBE, 0.0)
            self.append(run, BACKGROUND, 0.0)

    def append(self, run: int, tag: str, value: float) -> None:
        with self.lock:
            self.step += 1
            payload = wire.scalar_payload("simple", value)
            os.write(self.files[run], wire.record(wire.event(time.time(), self.step, tag, payload)))

    @contextmanager
    def all_live(self) -> Iterator[None]:
        """Within this block every run gets an event now and then."""
        stop = threading.Event()

        def keep_writing() -> None:
            turn = 0
            while not stop.wait(1 / BACKGROUND_EVENTS_A_SECOND):
                self.append(turn % len(self.files), BACKGROUND, float(turn))
                turn += 1

        thread = threading.Thread(target=keep_writing)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.files:
            os.close(file)


def measure_latency_s(
    writers: Writers, read_last: ReadLast, *, events: int, poll_interval_s: float
) -> Samples:
    """Seconds from a flushed event to the first answer that has it, polled on one keep-alive connection."""
    chance = random.Random(7)
    taken = []
    for number in range(1, events + 1):
        run = chance.randrange(len(writers.names))
        # Off the beat of anything that polls at a fixed interval.
        time.sleep(chance.uniform(0.02, 0.15))
        writers.append(run, PROBE, float(number))
        written_at = time.perf_counter()
        while read_last(writers.names[run]) != float(number):
            if time.perf_counter() > written_at + 30:
                raise TimeoutError("a written event was not to be read within 30 s")
            time.sleep(poll_interval_s)
        taken.append(time.perf_counter() - written_at)
    return Samples(tuple(taken))


def measure_idle_share(running: Server) -> float:
    """The share of one core that the server takes while nothing is written and nothing is asked."""
    time.sleep(3)
    before, started_at = cpu_s(running.pid), time.perf_counter()
    time.sleep(IDLE_S)
    return (cpu_s(running.pid) - before) / (time.perf_counter() - started_at)


def measure_side(setting: Setting, side: str, runs: int) -> tuple[Samples, float]:
    reader = ours if side == "ours" else peers
    events, poll_interval_s = (EVENTS, 0.002) if side == "ours" else (PEER_EVENTS, 0.02)
    with Writers(OUT / "logs" / f"live-{side}-{runs}", runs) as writers:
        if side == "ours":
            server = ours.server(writers.logdir)
        else:
            assert setting.peer
            server = setting.peer.server(writers.logdir, reload_interval_s=1)
        with server as running:

            def read_last(run: str) -> float | None:
                return reader.read_last_value(running, run, PROBE)

            running.wait_until(
                lambda: all(read_last(run) == 0.0 for run in writers.names), "all runs are loaded"
            )
            with writers.all_live():
                samples = measure_latency_s(
                    writers, read_last, events=events, poll_interval_s=poll_interval_s
                )
            return samples, measure_idle_share(running)


def live_rows(setting: Setting) -> Iterator[Row]:
    for runs, limit_s in LIMITS_S.items():
        latency = Row(f"event → API, {runs:,} live runs: median", must_be=f"≤ {limit_s * 1e3:.0f} ms")
        idle = Row(f"CPU while nothing happens, {runs:,} runs", must_be=f"< {IDLE_LIMIT_SHARE:.0%} of a core")
        found: dict[str, tuple[Samples, float]] = {}
        for side in ("ours", "peer") if setting.peer else ("ours",):

            def measure(
                side: str = side, runs: int = runs, found: dict[str, tuple[Samples, float]] = found
            ) -> None:
                found[side] = measure_side(setting, side, runs)

            attempt(latency, side, measure)
        for side, (samples, share) in found.items():
            median, best, worst = (
                1e3 * taken for taken in (samples.median, samples.best, max(samples.values))
            )
            setattr(latency, side, f"{median:.1f} ms (best {best:.1f}, worst {worst:.1f})")
            setattr(idle, side, f"{share:.2%}")
            latency.raw[side], idle.raw[side] = samples.values, share
            if side == "ours":
                latency.ok, idle.ok = samples.median <= limit_s, share < IDLE_LIMIT_SHARE
        yield latency
        yield idle
