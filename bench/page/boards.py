"""Pages that are no grids of one kind of card: the Overview of the demo, HParams on hyperparameter searches, Graphs on large graphs,
the Projector on many points, Profile on large traces; and TensorBoard's of the same name."""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page
from tools.chromium import chromium

from bench import model_explorer, ours
from bench.embeddings import embedding_log
from bench.graphs import graph_log
from bench.measure import Server
from bench.page.browser import Processes, fresh_page
from bench.page.sweep_uses import brush, filter_column, query, sort
from bench.page.visit import Figures
from bench.peers import Peer
from bench.rows_traces import CACHE
from bench.setting import tried
from bench.sweeps import sweep
from bench.traces import torch_log, xplane_log
from bench.workloads import OUT
from runglass.demo import write_demo

PROBE = (Path(__file__).parent / "boards.js").read_text().partition("\n")[2]
PEER_READS_S = 600

Use = Callable[[Page], Figures]


GRAPH = "[role=application][aria-label=Graph]"
# Nothing opens faster than a frame; a key that selects is done long before.
OPENS_WITHIN_MS, SELECTS_WITHIN_S = 2_000, 0.5
PAN_MOVES = 60


def open_group(page: Page) -> Figures:
    """The first group that opens, of the top level: from the key to the picture with what is in it."""
    address = page.url
    page.goto(f"{address.partition('?')[0]}?option=graphs.depth;1")
    page.wait_for_selector(f"{GRAPH}[data-ready=true]")
    page.locator(GRAPH).focus()
    for _ in range(8):
        page.keyboard.press("ArrowDown")
        time.sleep(SELECTS_WITHIN_S)
        page.evaluate(
            "([canvas, patienceMs]) => void (boards.waiting = boards.changed('keydown', canvas, patienceMs))",
            [f"{GRAPH} canvas", OPENS_WITHIN_MS],
        )
        page.keyboard.press("Enter")
        took = page.evaluate("boards.waiting")
        if took is not None:
            return {"open_s": took / 1000}
    raise RuntimeError("no group opens")


def pan(page: Page) -> Figures:
    """A drag across the canvas with a thousand nodes in view: repeated blocks one by one, all that is drawn at once open."""
    page.goto(f"{page.url.partition('?')[0]}?option=graphs.depth;9&option=graphs.plain;repeats;series")
    page.wait_for_selector(f"{GRAPH}[data-ready=true]")
    at = page.locator(GRAPH).bounding_box()
    assert at
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("void (boards.frames = boards.countFrames())")
    for move in range(PAN_MOVES):
        page.mouse.move(x + 3 * (move % 40), y + 2 * (move % 30))
    found = {"pan_per_s": page.evaluate("boards.frames()")}
    page.mouse.up()
    return found


POINTS = "[role=application][data-renderer]"
ORBIT_S = 3
HOVERS = 24


def orbit(page: Page) -> Figures:
    """A drag across the points: how many frames are drawn."""
    at = page.locator(POINTS).first.bounding_box()
    assert at
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 8, y)
    page.evaluate("(canvas) => void (boards.frames = boards.countDrawn(canvas))", f"{POINTS} canvas")
    end = time.monotonic() + ORBIT_S
    move = 0
    while time.monotonic() < end:
        move += 1
        page.mouse.move(x + 3 * (move % 60), y + move % 30)
    found = {"orbit_per_s": page.evaluate("boards.frames()")}
    page.mouse.up()
    return found


def point_at(page: Page) -> Figures:
    """The pointer goes from point to point: from its move to the frame with what the point is."""
    at = page.locator(POINTS).first.bounding_box()
    assert at
    tip = "[role=tooltip] [data-row]"
    took: list[float] = []
    for number in range(HOVERS):
        page.evaluate("([tip]) => void (boards.waiting = boards.appears('pointermove', tip, 1000))", [tip])
        part = (number + 1) / (HOVERS + 1)
        page.mouse.move(
            at["x"] + at["width"] * (0.3 + 0.4 * part),
            at["y"] + at["height"] * (0.4 + 0.2 * (number % 5) / 5),
        )
        ms = page.evaluate("boards.waiting")
        # Null: nothing was there.
        if ms is not None:
            took.append(ms)
    if not took:
        raise RuntimeError("no point was found")
    return {"hover_s": sorted(took)[len(took) // 2] / 1000}


CARDS = "main article"


def count_cards(page: Page) -> Figures:
    """Those in view, so that a page without any cannot look fast."""
    return {
        "cards": page.evaluate("(cards) => boards.all(cards).filter(boards.isInView).length", CARDS),
    }


TIMELINE = "[role=application][aria-label=Timeline]"
# In to single events and out again, with a look aside at each.
TRACE_KEYS = "wdwdwdwdwwaawwdwdwsassassdssssss"
ANSWERS_WITHIN_MS = 5_000


def look_around(page: Page) -> Figures:
    """Zoom and pan by keys: from the key to the frame that shows everything in view."""
    page.locator(TIMELINE).focus()
    took: list[float] = []
    for key in TRACE_KEYS:
        page.evaluate(
            "([timeline, patienceMs]) => void (boards.waiting = boards.settles('keydown', timeline, patienceMs))",
            [TIMELINE, ANSWERS_WITHIN_MS],
        )
        page.keyboard.press(key)
        ms = page.evaluate("boards.waiting")
        if ms is None:
            raise RuntimeError(f"nothing came after the key {key}")
        took.append(ms)
    took.sort()
    return {"view_s": took[len(took) // 2] / 1000, "view_worst_s": took[-1] / 1000}


def drag_trace(page: Page) -> Figures:
    """A drag across the timeline: how many frames there are."""
    at = page.locator(TIMELINE).bounding_box()
    assert at
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("void (boards.frames = boards.countFrames())")
    for move in range(PAN_MOVES):
        page.mouse.move(x + 3 * (move % 60), y)
    found = {"pan_per_s": page.evaluate("boards.frames()")}
    page.mouse.up()
    return found


@dataclass(frozen=True)
class Showing:
    """A page of one side."""

    side: str
    path: str | Callable[[], str]
    # When they come: JavaScript that is true from then on.
    moments: dict[str, str]
    uses: tuple[Use, ...] = ()
    patience_ms: int = 60_000


@dataclass(frozen=True)
class Board:
    """A log directory, and the pages that show it."""

    logs: Callable[[], Path]
    own: Showing
    peer: Showing | None = None
    # None: TensorBoard on the same logs.
    serve_peer: Callable[[], Server] | None = None


OWN_OVERVIEW = Showing("runglass", "/", {"all_s": f"areDrawn('{CARDS}')"}, (count_cards,))
OWN_HPARAMS = Showing(
    "runglass",
    "/#/hparams",
    {
        "table_s": "all('main [role=gridcell], main tbody td').length > 0",
        "lines_s": "isPainted('main canvas')",
    },
    (brush, sort, filter_column, query),
)
OWN_MATRIX = Showing(
    "runglass",
    "/#/hparams?option=hparams.view;matrix",
    {"matrix_s": "arePainted('main section[aria-label=\"Scatter matrix\"] canvas', 8)"},
)
# Of all its elements: the parts of TensorBoard's page keep theirs to themselves. Each line of 500 is a path.
PEER_HPARAMS = Showing(
    "tensorboard",
    "/#hparams",
    {"table_s": "all('td').length > 20", "lines_s": "all('path').length > 500"},
    patience_ms=300_000,
)
OWN_GRAPH = Showing(
    "runglass", "/#/graphs", {"drawn_s": f"isPainted('{GRAPH}[data-ready=true] canvas')"}, (open_group, pan)
)
# Its canvas is there before the layout is; until then it turns a spinner.
EXPLORER_DRAWN = "all('webgl-renderer canvas.main').length > 0 && all('mat-spinner').length === 0"
PEER_GRAPH = Showing("tensorboard", "/#graphs", {"drawn_s": "all('g.node').length > 1"}, patience_ms=300_000)

OWN_POINTS = Showing(
    "runglass",
    "/#/projector",
    {"drawn_s": f"all('{POINTS}[data-ready=true]').length > 0"},
    (orbit, point_at),
    patience_ms=180_000,
)
# Its page says so when the first projection is there.
PEER_POINTS = Showing(
    "tensorboard",
    "/#projector",
    {"drawn_s": "all('#total-variance').some(({ textContent }) => /\\d%/.test(textContent))"},
    patience_ms=300_000,
)

OWN_TRACE = Showing(
    "runglass",
    "/#/profile?option=profile.view;trace",
    {"drawn_s": f"all('{TIMELINE}[data-ready=true]').length > 0"},
    (look_around, drag_trace),
    patience_ms=180_000,
)


def beside_explorer(nodes: int) -> Board:
    explorer = Showing(
        "model explorer",
        lambda: model_explorer.page_of(nodes),
        {"drawn_s": EXPLORER_DRAWN},
        patience_ms=300_000,
    )
    own = Showing(OWN_GRAPH.side, OWN_GRAPH.path, OWN_GRAPH.moments)
    return Board(lambda: graph_log(nodes).path, own, explorer, model_explorer.server)


def demo_log() -> Path:
    """What `runglass demo` writes, without the run that is still training."""
    logdir = OUT / "demo"
    write_demo(logdir)
    return logdir


BOARDS = {
    "overview-demo": Board(demo_log, OWN_OVERVIEW),
    "hparams-500": Board(lambda: sweep(500, 10, 3).path, OWN_HPARAMS, PEER_HPARAMS),
    "graph-10000": Board(lambda: graph_log(10_000, ("base", "rms")).path, OWN_GRAPH, PEER_GRAPH),
    "graph-100000": Board(lambda: graph_log(100_000).path, OWN_GRAPH),
    "graph-10000-explorer": beside_explorer(10_000),
    "graph-100000-explorer": beside_explorer(100_000),
    "projector-10000": Board(lambda: embedding_log(10_000, 128).path, OWN_POINTS, PEER_POINTS),
    "projector-100000": Board(lambda: embedding_log(100_000, 100).path, OWN_POINTS),
    "projector-1000000": Board(lambda: embedding_log(1_000_000, 32).path, OWN_POINTS),
    "hparams-10000": Board(lambda: sweep(10_000, 30, 5).path, OWN_HPARAMS),
    "matrix-10000": Board(lambda: sweep(10_000, 30, 5).path, OWN_MATRIX),
    "trace-500MB": Board(lambda: torch_log(500_000_000).path, OWN_TRACE),
    "trace-2000000": Board(lambda: xplane_log(2_000_000).path, OWN_TRACE),
    "trace-10000000": Board(lambda: xplane_log(10_000_000).path, OWN_TRACE),
}


def visit(browser: Browser, server: Server, showing: Showing) -> Figures:
    tests = ", ".join(f"{name}: () => {test}" for name, test in showing.moments.items())
    script = f"({PROBE.strip().rstrip(';')})(({{ all, isPainted, arePainted, areDrawn }}) => ({{ {tests} }}), {showing.patience_ms});"
    with fresh_page(browser, script) as page:
        processes = Processes(browser)
        processes.wait_calm()
        path = showing.path if isinstance(showing.path, str) else showing.path()
        page.goto(f"http://127.0.0.1:{server.port}{path}", wait_until="commit")
        found: Figures = {name: ms / 1000 for name, ms in page.evaluate("boards.loading").items()}
        processes.wait_calm()
        for use in showing.uses:
            try:
                found.update(use(page))
            except Exception as error:  # costs what it measures, not the visit
                say_failure(f"{use.__name__}, {showing.side}", error)
        return found


def is_listening(server: Server) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=1):
        return True
    return False


def say_failure(what: str, error: Exception) -> None:
    print(f"{what}: {' '.join(str(error).split())[:300]}", file=sys.stderr, flush=True)


def brief(found: Figures) -> str:
    return ", ".join(f"{key} {value:.3f}" for key, value in found.items())


def measure(name: str, chosen: argparse.Namespace, peer: Peer | None) -> tuple[list[Figures], list[Figures]]:
    board = BOARDS[name]
    logs = board.logs()
    own: list[Figures] = []
    others: list[Figures] = []
    peer_repeat = chosen.peer_repeat if board.peer and (peer or board.serve_peer) else 0
    serve_peer = board.serve_peer and tried("Model Explorer", board.serve_peer)
    if board.serve_peer and not isinstance(serve_peer, Server):
        peer_repeat = 0
    with ExitStack() as stack:
        server = ours.server(logs)
        if name.startswith("trace-"):
            # The first visit of the first turn finds nothing that was converted before.
            shutil.rmtree(CACHE, ignore_errors=True)
            server.env["XDG_CACHE_HOME"] = str(CACHE)
        mine = stack.enter_context(server)
        mine.wait_until(
            lambda: bool(mine.client.json("/api/status")["is_loaded"]), "Runglass has read the logs"
        )
        turns = [(own, mine, board.own, chosen.repeat)]
        if isinstance(serve_peer, Server) and board.peer and peer_repeat:
            theirs = stack.enter_context(serve_peer)
            theirs.wait_until(lambda: is_listening(theirs), f"{board.peer.side} answers")
            turns.append((others, theirs, board.peer, peer_repeat))
        elif peer and board.peer and peer_repeat:
            runs = mine.client.json("/api/status")["runs"]
            theirs = stack.enter_context(peer.server(logs, reload_interval_s=0))
            theirs.wait_until(
                lambda: len(theirs.client.json("/data/runs")) >= runs,
                "TensorBoard has read the logs",
                timeout_s=PEER_READS_S,
            )
            turns.append((others, theirs, board.peer, peer_repeat))
        browser = stack.enter_context(chromium())
        for turn in range(max(chosen.repeat, peer_repeat)):
            for into, server, showing, repeat in turns:
                if turn >= repeat:
                    continue
                try:
                    into.append(visit(browser, server, showing))
                    if turn == 0 and name.startswith("trace-"):
                        into[-1]["cold_s"] = into[-1].pop("drawn_s")
                    elif turn == 0 and "drawn_s" in into[-1]:
                        into[-1]["fresh_s"] = into[-1]["drawn_s"]
                    print(f"{name}, {showing.side}: {brief(into[-1])}", flush=True)
                except Exception as error:  # costs this visit, not the run
                    say_failure(f"{name}, {showing.side}", error)
    return own, others
