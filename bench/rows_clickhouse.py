"""Rows about ClickHouse, in the embedded engine: bringing points in, and asking a hundred million of them. TensorBoard has no database."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Samples
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import OUT, workload

LIMITS_S = {
    "one line of 100,000 points": 0.05,
    "lines of 1,000 runs of one tag": 1.0,
    "run table, 10,000 runs × 5 columns": 0.5,
}
MIN_POINTS_PER_S = 0.5e6


def clickhouse_rows(setting: Setting) -> Iterator[Row]:
    """An embedded engine is one for a process, so that each row is measured in a process of its own."""
    made = workload("S", scale=setting.scale)
    row = Row(f"ClickHouse (chdb): ingest of {made.points / 1e6:g} M points, a core", peer="cannot")
    found: list[float] = []
    attempt(row, "ours", lambda: found.extend(_measure("ingest", str(made.path), setting.repeat)))
    if found:
        samples = Samples(tuple(found))
        speed = made.points / samples.best
        row.ours = f"{speed / 1e6:.2f} M points a second of CPU"
        row.raw = {"ours": found}
        if setting.scale == 1.0:
            row.must_be, row.ok = "≥ 0.5 M", speed >= MIN_POINTS_PER_S
    yield row
    runs = 10_000 if setting.scale == 1.0 else 1_000
    for name, limit_s in LIMITS_S.items():
        row = Row(f"ClickHouse (chdb): {runs * 10_000 / 1e6:g} M points, {name}", peer="cannot")
        taken: list[float] = []
        attempt(row, "ours", lambda n=name, t=taken: t.extend(_measure(n, str(runs), setting.repeat)))
        if taken:
            samples = Samples(tuple(taken))
            row.ours = f"{1000 * samples.best:.0f} ms (median {1000 * samples.median:.0f})"
            row.raw = {"ours": taken}
            if setting.scale == 1.0:
                row.must_be, row.ok = f"≤ {1000 * limit_s:g} ms", samples.best <= limit_s
        yield row


def _measure(what: str, argument: str, repeat: int) -> list[float]:
    command = [sys.executable, "-m", "bench.rows_clickhouse", what, argument, str(repeat)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def measure_ingest(path: str, repeat: int) -> list[float]:
    from runglass.clickhouse.address import parse_address
    from runglass.clickhouse.client import connect
    from runglass.clickhouse.open import Following
    from runglass.clickhouse.schema import bring_up_to_date
    from runglass.ingest.roots import parse_root

    folder = OUT / "chdb-ingest"
    shutil.rmtree(folder, ignore_errors=True)
    client = connect(parse_address(f"chdb://{folder.absolute()}"))
    taken = []
    for _ in range(repeat):
        bring_up_to_date(client)
        before_s = time.process_time()
        following = Following(client, [parse_root(path)])
        following.load()
        taken.append(time.process_time() - before_s)
        client.command(f"DROP DATABASE {client.address.database} SYNC")
    client.close()
    shutil.rmtree(folder, ignore_errors=True)
    return taken


def measure_reading(what: str, runs: int, repeat: int) -> list[float]:
    from bench.clickhouse import LONG_RUN, LONG_STEPS, make_database, run_name, tag_name
    from runglass.clickhouse.open import OpenDatabase
    from runglass.query.source import LineQuery, RunColumn
    from runglass.store.model import SeriesKey

    logs = OpenDatabase(make_database(runs, 10, 1_000))
    logs.load()
    source = logs.source
    names = [run_name(number) for number in range(runs)]
    keys = [SeriesKey(name, tag_name(3)) for name in names[:1000]]
    table = [
        RunColumn(tag_name(number), stat)
        for number, stat in enumerate(["last", "min", "max", "mean", "last"])
    ]

    def one_line() -> None:
        (line,) = source.read_lines([SeriesKey(LONG_RUN, tag_name(0))], LineQuery(width=800))
        assert line.total == LONG_STEPS

    def many_lines() -> None:
        assert len(source.read_lines(keys, LineQuery(width=800))) == 1000

    def run_table() -> None:
        assert [len(each) for each in source.read_run_columns(names, table)] == [runs] * 5

    asks: dict[str, Callable[[], None]] = dict(zip(LIMITS_S, (one_line, many_lines, run_table), strict=True))
    taken = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        asks[what]()
        taken.append(time.perf_counter() - began)
    logs.stop()
    # The first reads what the system has not in memory.
    return taken[1:]


if __name__ == "__main__":
    asked, given, times = sys.argv[1:4]
    if asked == "ingest":
        assert Path(given).exists()
        print(json.dumps(measure_ingest(given, int(times))))
    else:
        print(json.dumps(measure_reading(asked, int(given), int(times))))
