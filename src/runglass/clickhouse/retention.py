"""Removes runs from a database: those without a value for a while, of all projects or of one. Logs stay as they are."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from runglass.clickhouse.client import Client
from runglass.clickhouse.generations import next_generation
from runglass.clickhouse.ids import run_id
from runglass.clickhouse.native_format import to_text

ROWS = ("point_rows", "range_rows", "parts", "series_rows", "cut_rows", "asset_rows", "hparam_rows")


def find_old(client: Client, *, keep_s: float, project: str = "", now: float | None = None) -> list[str]:
    """Names of the runs whose last value is older than `keep_s`. A run without any wall time is never old."""
    found = client.query(
        f"SELECT run, last_wall_time FROM {client.address.database}.run_rows FINAL WHERE NOT is_removed ORDER BY run"
    )
    limit = (time.time() if now is None else now) - keep_s
    names = [
        to_text(run)
        for run, at in zip(found["run"], found["last_wall_time"], strict=True)
        if at is not None and at < limit
    ]
    return [name for name in names if not project or name == project or name.startswith(f"{project}/")]


def remove_runs(client: Client, names: Sequence[str]) -> None:
    """First the run goes for readers, then its rows. Ended in between, the next removal of the run does the rest."""
    if not names:
        return
    db = client.address.database
    ids = [run_id(name) for name in names]
    client.insert(
        f"{db}.run_rows",
        ["run_id", "run", "is_removed", "health", "file_rows", "generation"],
        ["UInt64", "String", "UInt8", "String", "String", "UInt64"],
        [
            np.array(ids, np.uint64),
            list(names),
            np.ones(len(ids), np.uint8),
            ["ok"] * len(ids),
            ["[]"] * len(ids),
            np.full(len(ids), next_generation(client, ids), np.uint64),
        ],
    )
    for table in ROWS:
        client.command(f"DELETE FROM {db}.{table} WHERE run_id IN ({','.join(map(str, ids))})")
