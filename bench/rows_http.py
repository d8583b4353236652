"""Rows about the server: how soon it answers rightly after its start, and what its main requests cost."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from bench import ours, peers
from bench.measure import Samples, Server, cpu_s
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import Workload, workload

MOMENTS = (
    ("the page answers (HTTP 200 on /)", 0.4),
    ("one series is right", 0.5),
    ("everything is right", 0.7),
)


@dataclass(frozen=True)
class Request:
    path: str
    count: int
    # Whether an answer, unpacked, is right.
    check: Callable[[bytes], bool]
    # The body of the n-th POST; None for a GET.
    body: Callable[[int], bytes] | None = None
    kind: str = "application/json"


@dataclass(frozen=True)
class Cost:
    wall: Samples
    server_cpu_s: float
    size_bytes: int


def start_rows(setting: Setting) -> Iterator[Row]:
    made = workload("S", scale=setting.scale)
    rows = [Row(f"command → {what}, S", must_be=f"≤ {limit_s} s") for what, limit_s in MOMENTS]
    run, tag = made.runs // 2, made.tags // 2
    names, expected = (made.run_name(run), made.tag_name(tag)), made.last_value(run, tag)

    def moments(server: Server, side: type | object) -> list[float]:
        with server as running:
            checks = (
                lambda: running.client.request("/")[0] == 200,
                lambda: side.read_last_value(running, *names) == expected,
                lambda: side.is_complete(running, made),
            )
            return [
                running.wait_until(check, what) - running.started_at
                for check, (what, _) in zip(checks, MOMENTS, strict=True)
            ]

    def measure(side: str) -> None:
        if side == "ours":
            taken = [moments(ours.server(made.path), ours) for _ in range(setting.repeat)]
        else:
            assert setting.peer
            taken = [moments(setting.peer.server(made.path), peers) for _ in range(setting.peer_repeat)]
        for i, row in enumerate(rows):
            samples = Samples(tuple(times[i] for times in taken))
            setattr(row, side, f"{samples.best:.3f} s (median {samples.median:.3f})")
            row.raw[side] = samples.values
            if side == "ours":
                row.ok = samples.best <= MOMENTS[i][1]

    attempt(rows[0], "ours", lambda: measure("ours"))
    if setting.peer:
        attempt(rows[0], "peer", lambda: measure("peer"))
    yield from rows


def measure_request(server: Server, request: Request) -> Cost:
    def ask(turn: int) -> tuple[int, bytes, bool]:
        return server.client.request(request.path, request.body(turn) if request.body else None, request.kind)

    for turn in range(3):
        status, data, is_gzip = ask(turn)
    if status != 200:
        raise RuntimeError(f"HTTP {status} from {request.path}: {data[:80]!r}")
    if not request.check(gzip.decompress(data) if is_gzip else data):
        raise RuntimeError(f"a wrong answer from {request.path}")
    times = []
    cpu_before_s = cpu_s(server.pid)
    for turn in range(request.count):
        before = time.perf_counter()
        _, data, _ = ask(turn + 3)
        times.append(time.perf_counter() - before)
    return Cost(Samples(tuple(times)), (cpu_s(server.pid) - cpu_before_s) / request.count, len(data))


def own_requests(made: Workload, run: int, tag: int) -> list[Request]:
    name = made.tag_name(tag)

    def lines_body(turn: int) -> bytes:
        # Another smoothing each time, so that no answer can come from a cache.
        smoothing = {"kind": "ema", "amount": 0.6 + turn / 1000}
        return json.dumps(
            {"tags": [name], "width": 400, "smoothing": smoothing, "format": "columns"}
        ).encode()

    def has_lines(data: bytes) -> bool:
        head = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])
        return data[:4] == b"RGC1" and len(head["lines"]["run"]) == made.runs

    def has_tags(data: bytes) -> bool:
        answer = json.loads(data)
        return len(answer["runs"]) == made.runs and all(len(tags) == made.tags for tags in answer["tag_sets"])

    def has_points(data: bytes) -> bool:
        return json.loads(data)["value"][-1] == made.last_value(run, tag)

    return [
        Request("/api/scalars/lines", 30, has_lines, lines_body),
        Request("/api/tags", 100, has_tags),
        Request(ours.points_path(made.run_name(run), name), 300, has_points),
    ]


def peer_requests(made: Workload, run: int, tag: int, repeat: int) -> list[Request]:
    name = made.tag_name(tag)
    form = peers.series_form(name)

    def has_lines(data: bytes) -> bool:
        return len(json.loads(data)[0]["runToSeries"]) == made.runs

    def has_tags(data: bytes) -> bool:
        return len(json.loads(data)["scalars"]["runTagInfo"]) == made.runs

    def has_points(data: bytes) -> bool:
        return json.loads(data)[-1][2] == made.last_value(run, tag)

    return [
        Request(peers.SERIES_PATH, repeat, has_lines, lambda _: form, peers.FORM),
        Request("/data/plugin/timeseries/tags", 10, has_tags),
        Request(peers.scalars_path(made.run_name(run), name), 300, has_points),
    ]


def http_rows(setting: Setting) -> Iterator[Row]:
    made = workload("W", scale=setting.scale)
    run, tag = made.runs // 2, 3
    rows = [
        Row(f"one tag of {made.runs:,} runs, 400 px, smoothed", must_be="≤ 60 ms of CPU, ≤ 4 MB"),
        Row(f"tags of {made.runs:,} runs x {made.tags}", must_be="≤ 10 ms, ≤ 40 kB"),
        Row(f"one series of {made.steps:,} points, p50 of 300", must_be="≤ 1.5 ms"),
    ]
    verdicts: list[Callable[[Cost], bool]] = [
        lambda cost: cost.server_cpu_s <= 0.060 and cost.size_bytes <= 4e6,
        lambda cost: cost.wall.median <= 0.010 and cost.size_bytes <= 40e3,
        lambda cost: cost.wall.median <= 0.0015,
    ]

    def measure(side: str, server: Server, requests: list[Request], is_complete: Callable[..., bool]) -> None:
        with server as running:
            running.wait_until(lambda: is_complete(running, made), "everything loaded")
            for row, request, is_ok in zip(rows, requests, verdicts, strict=True):
                cost = measure_request(running, request)
                wall = f"{cost.wall.median * 1e3:.2f} ms (best {cost.wall.best * 1e3:.2f})"
                text = f"{wall}, CPU {cost.server_cpu_s * 1e3:.2f} ms, {cost.size_bytes / 1e3:,.1f} kB"
                setattr(row, side, text)
                row.raw[side] = asdict(cost)
                if side == "ours":
                    row.ok = is_ok(cost)

    own = own_requests(made, run, tag)
    attempt(rows[0], "ours", lambda: measure("ours", ours.server(made.path), own, ours.is_complete))
    if setting.peer:
        server = setting.peer.server(made.path, reload_interval_s=3600)
        theirs = peer_requests(made, run, tag, setting.peer_repeat)
        attempt(rows[0], "peer", lambda: measure("peer", server, theirs, peers.is_complete))
    yield from rows
