"""Generations of rows: the clock of the database, which all servers in front of it share. Of two rows with one key the greater one counts.

A clock may be ahead and be set back, by a day or by a month, and those of a cluster differ. What is written then must count all the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from runglass.clickhouse.client import Client

# Which hyperparameters a run has depends on other runs, and servers poll the runs: of these tables all rows count.
OF_ALL = ("run_rows", "hparam_rows", "location_rows")
OF_RUNS = ("series_rows", "cut_rows", "asset_rows")
# Two writers who go on from one generation that lies ahead rarely take the same next one.
SPREAD = 1000


def next_generation(client: Client, run_ids: Sequence[int]) -> int:
    """The time by the clock of the database, or above what the rows have that are written for these runs."""
    db = client.address.database
    wanted = [f"SELECT max(generation) AS at FROM {db}.{table}" for table in OF_ALL]
    if run_ids:
        ids = ",".join(map(str, run_ids))
        wanted += [
            f"SELECT max(generation) AS at FROM {db}.{table} WHERE run_id IN ({ids})" for table in OF_RUNS
        ]
    found = client.query(
        "SELECT toUInt64(toUnixTimestamp64Micro(now64(6))) AS now, max(at) AS newest "
        f"FROM ({' UNION ALL '.join(wanted)})"
    )
    return max(int(found["now"][0]), int(found["newest"][0]) + random.randint(1, SPREAD))
