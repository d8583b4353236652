"""Rows about SQL: ten million points asked for one number of each run, by either engine. TensorBoard answers no queries."""

from __future__ import annotations

import time
from collections.abc import Iterator

import runglass
from bench.measure import Samples
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import workload

QUERIES = {
    "one tag of all runs": "select run, min(value) as best from points where tag = '{tag}' group by run",
    "all points": "select run, min(value) as best from points group by run",
}
# Both are much less than what reading the logs takes.
LIMITS_CPU_S = {"one tag of all runs": 0.5, "all points": 1.5}
ENGINES = ("duckdb", "chdb")


def sql_rows(setting: Setting) -> Iterator[Row]:
    made = workload("W", scale=setting.scale)
    log = runglass.open(made.path)
    tag = next(iter(log.tags(log.runs[0])))
    for name, query in QUERIES.items():
        for engine in ENGINES:
            row = Row(
                f"SQL over {made.points / 1e6:g} M points, group by run, {name}, {engine}: CPU", peer="cannot"
            )
            taken: list[float] = []
            attempt(
                row,
                "ours",
                lambda q=query, e=engine, t=taken: t.extend(
                    measure(log, q.format(tag=tag), e, setting.repeat)
                ),
            )
            if taken:
                samples = Samples(tuple(taken))
                row.ours = f"{samples.best:.3f} s (median {samples.median:.3f})"
                row.raw = {"ours": taken}
                if setting.scale == 1.0:
                    row.must_be = f"≤ {LIMITS_CPU_S[name]:g} s"
                    row.ok = samples.best <= LIMITS_CPU_S[name]
            yield row


def measure(log: runglass.reader.Log, query: str, engine: str, repeat: int) -> list[float]:
    taken = []
    for _ in range(repeat):
        before_s = time.process_time()
        table = log.sql(query, engine=engine)
        taken.append(time.process_time() - before_s)
        if len(table) != len(log):
            raise RuntimeError(f"{len(table)} rows of {len(log)} runs")
    return taken
