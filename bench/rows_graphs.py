"""Rows about graphs: the first level of a large model, its parts, searches in it and the difference of two, as the page asks for them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from bench import ours
from bench.graphs import graph_log
from bench.measure import Server, memory_bytes
from bench.setting import Setting, attempt
from bench.table import Row

USUAL, LARGE = 10_000, 100_000
# Beside reading the file: what a page waits for until it can lay out the root.
FIRST_LIMIT_S = {USUAL: 0.5, LARGE: 2.0}
OPEN_LIMIT_S = 0.1
SEARCH_LIMIT_S = 0.1
DIFFERENCE_LIMIT_S = 1.0
MEMORY_LIMIT_BYTES = 500e6
# One key after the other; what looks at other columns; patterns, which begin with a `/`.
SEARCHES = (
    *("s", "so", "softmax", "op:matmul", "shape:8x128", "layer_003 matmul"),
    *("/h", r"/head_\d+.*Mul/", "/query|value/"),
)
# Nothing of the attributes was read before.
PASTED = "attr:shared_name"
PASTED_LIMIT_S = 0.5
GROUP = "transformer"


def ask(running: Server, route: str, **body: Any) -> tuple[float, Any]:
    data = json.dumps(body).encode()
    before = time.perf_counter()
    answer = running.client.json(f"/api/graphs/{route}", data)
    return time.perf_counter() - before, answer


def graph_rows(setting: Setting) -> Iterator[Row]:
    for nodes in (USUAL, LARGE):
        yield from level_rows(setting, nodes)
    yield difference_row(setting)


def level_rows(setting: Setting, nodes: int) -> Iterator[Row]:
    made = graph_log(nodes)
    graph = {"run": "base"}
    first = Row(f"graph of {nodes:,} nodes: first level", must_be=f"≤ {FIRST_LIMIT_S[nodes]:g} s")
    opened = Row(f"graph of {nodes:,} nodes: one more level", must_be=f"≤ {OPEN_LIMIT_S:g} s")
    searched = Row(
        f"graph of {nodes:,} nodes: slowest of {len(SEARCHES)} searches", must_be=f"≤ {SEARCH_LIMIT_S:g} s"
    )
    pasted = Row(
        f"graph of {nodes:,} nodes: the first search for attributes", must_be=f"≤ {PASTED_LIMIT_S:g} s"
    )
    held = Row(
        f"graph of {nodes:,} nodes: most memory of the server", must_be=f"≤ {MEMORY_LIMIT_BYTES / 1e6:g} MB"
    )

    def measure() -> None:
        firsts, levels, searches, attributes, sizes = [], [], [], [], []
        for _ in range(setting.repeat):
            with ours.server(made.path) as running:
                running.wait_until(
                    lambda: bool(running.client.json("/api/status")["is_loaded"]), "everything loaded"
                )
                taken, answer = ask(running, "levels", graph=graph)
                if answer["graph"]["nodes"] != nodes:
                    raise RuntimeError(f"{answer['graph']['nodes']:,} nodes")
                firsts.append(taken)
                levels.append(ask(running, "levels", graph=graph, groups=[GROUP])[0])
                taken, answer = ask(running, "search", graph=graph, q=PASTED)
                if not answer["count"] or answer["problem"]:
                    raise RuntimeError(f"attributes: {answer['problem'] or 'no match'}")
                attributes.append(taken)
                # The first search reads the names.
                ask(running, "search", graph=graph, q="x")
                found = [ask(running, "search", graph=graph, q=query) for query in SEARCHES]
                if not all(answer["count"] for _, answer in found):
                    raise RuntimeError("a search without matches")
                searches.append(max(taken for taken, _ in found))
                sizes.append(memory_bytes(running.pid)[1])
        for row, values, limit in (
            (first, firsts, FIRST_LIMIT_S[nodes]),
            (opened, levels, OPEN_LIMIT_S),
            (searched, searches, SEARCH_LIMIT_S),
            (pasted, attributes, PASTED_LIMIT_S),
        ):
            row.ours = f"{min(values):.3f} s"
            row.ok = min(values) <= limit
            row.raw["ours"] = values
        held.ours = f"{min(sizes) / 1e6:.0f} MB"
        held.ok = min(sizes) <= MEMORY_LIMIT_BYTES
        held.raw["ours"] = sizes

    attempt(first, "ours", measure)
    yield from (first, opened, searched, pasted, held)


def difference_row(setting: Setting) -> Row:
    row = Row(f"difference of two graphs of {USUAL:,} nodes", must_be=f"≤ {DIFFERENCE_LIMIT_S:g} s")
    made = graph_log(USUAL, ("base", "rms"))

    def measure() -> None:
        taken = []
        for _ in range(setting.repeat):
            with ours.server(made.path) as running:
                running.wait_until(
                    lambda: bool(running.client.json("/api/status")["is_loaded"]), "everything loaded"
                )
                for run in ("base", "rms"):
                    ask(running, "levels", graph={"run": run})
                wall_s, answer = ask(running, "difference", a={"run": "base"}, b={"run": "rms"})
                if answer["rows"][0]["label"] != "q_norm, k_norm":
                    raise RuntimeError(f"a wrong difference: {answer['rows'][0]}")
                taken.append(wall_s)
        row.ours = f"{min(taken):.3f} s"
        row.ok = min(taken) <= DIFFERENCE_LIMIT_S
        row.raw["ours"] = taken

    attempt(row, "ours", measure)
    return row
