"""A database of known size for the rows about ClickHouse, made without event files: 100 M of those would be 5.7 GB.

Ten thousand runs of ten tags with a thousand points each, and one run with a series of a hundred thousand.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from bench.workloads import BASE_TIME, OUT
from runglass.clickhouse.address import Address, parse_address
from runglass.clickhouse.client import Client, connect
from runglass.clickhouse.ids import POINTS, file_id, hash_of, run_id, tag_id
from runglass.clickhouse.ingest import POINT_TYPES, RUN_TYPES, SERIES_TYPES
from runglass.clickhouse.rows import PART_TYPES, FileRow, PartState, encode_json, part_columns
from runglass.clickhouse.schema import bring_up_to_date
from runglass.store.model import FileState

RUNS_AT_ONCE = 1000
LONG_RUN = "long"
LONG_STEPS = 100_000


def run_name(number: int) -> str:
    return f"run{number:05d}"


def tag_name(number: int) -> str:
    return f"metric/{number}"


def database_address(runs: int, tags: int, steps: int) -> Address:
    return parse_address(f"chdb://{(OUT / f'chdb-{runs}x{tags}x{steps}').absolute()}")


def make_database(runs: int, tags: int, steps: int) -> Address:
    """Make it unless it is there."""
    address = database_address(runs, tags, steps)
    done = Path(address.folder) / "complete"
    if done.exists():
        return address
    client = connect(address)
    bring_up_to_date(client)
    tag_names = [tag_name(number) for number in range(tags)]
    for first in range(0, runs, RUNS_AT_ONCE):
        names = [run_name(number) for number in range(first, min(runs, first + RUNS_AT_ONCE))]
        _write(client, names, tag_names, steps)
    _write(client, [LONG_RUN], tag_names[:1], LONG_STEPS)
    client.command(f"OPTIMIZE TABLE {address.database}.point_rows FINAL")
    client.close()
    done.touch()
    return address


def _write(client: Client, names: list[str], tags: list[str], steps: int) -> None:
    db = client.address.database
    random = np.random.default_rng(len(names) + steps)
    step = np.arange(steps, dtype=np.int64)
    runs = np.array([run_id(name) for name in names], np.uint64)
    files = np.array([file_id(name, "events", b"", 0) for name in names], np.uint64)
    for tag in tags:
        wall_time = BASE_TIME + np.cumsum(random.gamma(5, 0.05, (len(names), steps)), axis=1)
        value = (np.exp(-step / steps) + random.normal(0, 0.05, (len(names), steps))).astype(np.float32)
        count = len(names) * steps
        columns = [
            np.full(count, tag_id(tag, POINTS), np.uint64),
            np.repeat(runs, steps),
            np.repeat(files, steps),
            np.tile(step.astype(np.uint32), len(names)),
            np.tile(step, len(names)),
            wall_time.reshape(-1),
            value.reshape(-1),
            np.zeros(count),
        ]
        client.insert(f"{db}.point_rows", list(POINT_TYPES), list(POINT_TYPES.values()), columns)
        parts = []
        for number in range(len(names)):
            state = PartState()
            state.extend(step, wall_time[number], value[number])
            parts.append((tag_id(tag, POINTS), int(runs[number]), int(files[number]), POINTS, state))
        client.insert(f"{db}.parts", list(PART_TYPES), list(PART_TYPES.values()), part_columns(parts))
        rows = [
            (int(run), tag_id(tag, POINTS), tag, POINTS, 0, tags.index(tag), "scalar", "scalars", "", "", b"")
            for run in runs
        ]
        client.insert(
            f"{db}.series_rows",
            list(SERIES_TYPES),
            list(SERIES_TYPES.values()),
            [list(each) for each in zip(*rows, strict=True)],
        )
    made = []
    for name, run, file in zip(names, runs.tolist(), files.tolist(), strict=True):
        row = FileRow(file, 0, "events", f"/gone/{name}/events", f"gone/{name}/events", FileState.OK)
        end = BASE_TIME + steps
        tag_set = hash_of(repr(tags).encode())
        points = len(tags) * steps
        made.append(
            (
                run,
                name,
                0,
                "/gone",
                f"/gone/{name}",
                tag_set,
                encode_json([row]),
                BASE_TIME,
                end,
                len(tags),
                points,
                1,
                57 * points,
                "ok",
                0,
                0,
                0,
                [],
            )
        )
    client.insert(
        f"{db}.run_rows",
        list(RUN_TYPES),
        list(RUN_TYPES.values()),
        [list(each) for each in zip(*made, strict=True)],
    )


if __name__ == "__main__":
    sizes = [int(each) for each in sys.argv[1:]] or [10_000, 10, 1_000]
    began = time.perf_counter()
    print(make_database(*sizes).shown, f"{time.perf_counter() - began:.1f} s")
