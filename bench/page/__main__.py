"""`python -m bench.page`: both pages in one Chromium on the same logs, in turn, and one table.

python -m bench.page                     everything (about forty minutes, most of it TensorBoard's)
python -m bench.page --quick             once each, and TensorBoard on the smallest logs only
python -m bench.page --only 10x20,500x10 some log directories
python -m bench.page --peer-repeat 0     without TensorBoard
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack

from playwright.sync_api import Browser
from tools.chromium import chromium

from bench import model_explorer, ours, peers, table
from bench.measure import Server
from bench.options import parse_options
from bench.page import boards, layout
from bench.page.browser import VIEWPORT
from bench.page.figures import DEMANDS
from bench.page.logs import MEDIA, NAMES, page_logs
from bench.page.sides import SIDES, Runglass, Side
from bench.page.visit import Figures, Visit
from bench.peers import Peer
from bench.setting import cpu_name, tried
from bench.table import Row
from bench.workloads import OUT, Workload

USES = ("smooth", "zoom", "filter")
STEPS = {
    "10x20": USES,
    "100x20": USES,
    "500x10": (*USES, "memory"),
    "1000x1": ("hover", "zoom"),
    "20x10000": ("scroll",),
    "images": ("drag", "drag_alone"),
    "histograms": (),
}
# TensorBoard goes on drawing for seconds after the last visible change of many runs.
STILL_MS = {"10x20": 1500, "100x20": 3000, "500x10": 6000, "images": 3000, "histograms": 3000}
# TensorBoard ticks 500 of 1,000 runs, and pages its 10,000 tags instead of scrolling them: nothing to compare.
PEER_LOGS = ("10x20", "100x20", "500x10", *MEDIA)
QUICK_PEER_LOGS = ("10x20", *MEDIA)
# TensorBoard cannot drag through all steps: it keeps ten.
PEER_STEPS = (*USES, "memory")
PEER_READS_S = 600
# Of the steps of pictures and histograms: a gigabyte is not written for a quick look.
QUICK_SCALE = 0.1


def arguments() -> argparse.Namespace:
    chosen = parse_options(
        "bench.page",
        "The page, side by side with TensorBoard's Time Series page.",
        parts=(*NAMES, *boards.BOARDS, *layout.LEVELS),
        parts_are="logs",
        quick="once each, TensorBoard on the smallest logs only, a tenth of the images and histograms",
        peer_repeat=5,
    )
    if chosen.quick:
        chosen.repeat, chosen.peer_repeat = 1, min(1, chosen.peer_repeat)
    return chosen


def visit(browser: Browser, server: Server, side: Side, logs: Workload, name: str) -> Figures:
    """One visit; a failure costs its figures and is said, but not the run."""
    steps = [step for step in STEPS[name] if isinstance(side, Runglass) or step in PEER_STEPS]
    visiting = Visit(browser, server, side, logs, STILL_MS.get(name, 1500), tuple(steps))
    found: Figures = {}
    try:
        found = visiting.run()
    except Exception as error:
        visiting.failures.append(f"loading: {' '.join(str(error).split())[:300]}")
    for failure in visiting.failures:
        print(f"{name}, {side.name}: {failure}", file=sys.stderr, flush=True)
    brief = ", ".join(f"{key} {found[key]:.3f}" for key in found if key.endswith("_s"))
    print(f"{name}, {side.name}: {brief}", flush=True)
    return found


def measure(name: str, chosen: argparse.Namespace, peer: Peer | None) -> tuple[list[Figures], list[Figures]]:
    logs = page_logs(name, scale=QUICK_SCALE if chosen.quick and name in MEDIA else 1.0)
    own: list[Figures] = []
    others: list[Figures] = []
    mine_side, their_side = SIDES[logs.kind]
    peer_repeat = (
        chosen.peer_repeat if peer and name in (QUICK_PEER_LOGS if chosen.quick else PEER_LOGS) else 0
    )
    with ExitStack() as stack:
        mine = stack.enter_context(ours.server(logs.path))
        mine.wait_until(lambda: ours.is_complete(mine, logs), "Runglass has read the logs")
        if peer and peer_repeat:
            theirs = stack.enter_context(peer.server(logs.path, reload_interval_s=0))
            theirs.wait_until(
                lambda: peers.is_complete(theirs, logs),
                "TensorBoard has read the logs",
                timeout_s=PEER_READS_S,
            )
        browser = stack.enter_context(chromium())
        for turn in range(max(chosen.repeat, peer_repeat)):
            if turn < chosen.repeat:
                own.append(visit(browser, mine, mine_side, logs, name))
            if turn < peer_repeat:
                others.append(visit(browser, theirs, their_side, logs, name))
    return own, others


def main() -> int:
    chosen = arguments()
    OUT.mkdir(parents=True, exist_ok=True)
    found_peer = tried("TensorBoard", Peer) if chosen.peer_repeat else None
    peer = found_peer if isinstance(found_peer, Peer) else None
    load_before = os.getloadavg()[0]
    names = chosen.only.split(",")
    measures = {
        **dict.fromkeys(boards.BOARDS, boards.measure),
        **dict.fromkeys(layout.LEVELS, layout.measure),
    }
    found = {name: measures.get(name, measure)(name, chosen, peer) for name in names}
    rows: list[Row] = [demand.row(*found[demand.logs]) for demand in DEMANDS if demand.logs in found]
    about = [
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {cpu_name()}, no GPU, "
        f"Chromium {VIEWPORT['width']}x{VIEWPORT['height']}",
        f"Peer: {peer.describe() if peer else 'left out'}, Time Series, Images, Histograms, HParams and Graphs pages",
        f"Median of {chosen.repeat} visits (peer: {chosen.peer_repeat}), in turn",
        f"Load average {load_before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end",
    ]
    if any(name.endswith("-explorer") for name in names):
        about.insert(2, f"Beside graphs: {model_explorer.describe()}")
    if chosen.quick:
        about.append("Quick run: the figures are not to be judged")
    print("\n" + "\n".join(about) + "\n\n" + table.plain(rows))
    (OUT / "page.md").write_text(table.markdown(rows, about))
    if chosen.json:
        table.write_json(chosen.json, rows, about)
    return int(any(row.ok is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
