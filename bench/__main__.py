"""`python -m bench`: measure Runglass, TensorBoard and the floor side by side, and print one table.

python -m bench                       everything (about twenty-five minutes; 8 GB of logs under bench/out at first)
python -m bench --quick               a tenth of the size
python -m bench --only load,http      some groups of rows
python -m bench --peer-repeat 0       without TensorBoard
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator

from bench import table
from bench.options import parse_options
from bench.peers import Peer, build_floor
from bench.rows_assets import asset_rows
from bench.rows_clickhouse import clickhouse_rows
from bench.rows_following import following_rows
from bench.rows_graphs import graph_rows
from bench.rows_hparams import hparam_rows
from bench.rows_http import http_rows, start_rows
from bench.rows_images import image_rows
from bench.rows_index import index_rows
from bench.rows_jobs import job_rows
from bench.rows_live import live_rows
from bench.rows_load import blob_rows, load_rows, memory_rows
from bench.rows_long_lines import long_line_rows
from bench.rows_profiles import profile_rows
from bench.rows_projector import projector_rows
from bench.rows_remote import remote_rows
from bench.rows_sql import sql_rows
from bench.rows_traces import trace_rows
from bench.setting import Setting, cpu_name, tried
from bench.table import Row
from bench.workloads import OUT

GROUPS: dict[str, Callable[[Setting], Iterator[Row]]] = {
    "load": load_rows,
    "blobs": blob_rows,
    "memory": memory_rows,
    "index": index_rows,
    "assets": asset_rows,
    "images": image_rows,
    "start": start_rows,
    "http": http_rows,
    "hparams": hparam_rows,
    "sql": sql_rows,
    "clickhouse": clickhouse_rows,
    "graphs": graph_rows,
    "live": live_rows,
    "following": following_rows,
    "long_lines": long_line_rows,
    "jobs": job_rows,
    "remote": remote_rows,
    "projector": projector_rows,
    "traces": trace_rows,
    "profiles": profile_rows,
}


def main() -> int:
    chosen = parse_options(
        "bench",
        "Benchmarks side by side with TensorBoard and a C floor.",
        parts=GROUPS,
        parts_are="groups",
        quick="a tenth of the steps; figures are not to be judged",
        peer_repeat=3,
    )
    OUT.mkdir(parents=True, exist_ok=True)
    peer = tried("TensorBoard", Peer) if chosen.peer_repeat else None
    setting = Setting(
        peer, tried("the floor", build_floor), 0.1 if chosen.quick else 1.0, chosen.repeat, chosen.peer_repeat
    )
    about = [
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {cpu_name()}, Linux {platform.release()}, "
        f"Python {platform.python_version()}",
        f"Peer: {peer.describe() if peer else 'left out'}",
        f"Best of {chosen.repeat} (peer: {chosen.peer_repeat}) is compared, the median is shown",
    ]
    if chosen.quick:
        about.append("Quick run at a tenth of the size: the figures are not to be judged")
    load_before = os.getloadavg()[0]
    rows: list[Row] = []
    for name in chosen.only.split(","):
        try:
            for row in GROUPS[name](setting):
                rows.append(row)
                print(" | ".join(row.cells()), flush=True)
        except Exception as error:
            rows.append(Row(f"{name}: stopped", ours=f"failed: {error}"))
            print(f"{name} stopped: {error}", file=sys.stderr)
    loads = f"{load_before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end"
    about.append(f"Load average {loads}; well above the number of cores, wall times tell nothing")
    print("\n" + "\n".join(about) + "\n\n" + table.plain(rows))
    (OUT / "report.md").write_text(table.markdown(rows, about))
    if chosen.json:
        table.write_json(chosen.json, rows, about)
    return int(any(row.ok is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
