"""The figures that are demanded of the page, and how a measurement is judged against them."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from bench.page.visit import Figures
from bench.table import Row

MB = 1e6


def seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 0.995 else f"{value:.1f} s"


def megabytes(value: float) -> str:
    return f"{value / MB:,.1f} MB" if value < 10 * MB else f"{value / MB:,.0f} MB"


def kilobytes(value: float) -> str:
    return f"{value / 1000:,.0f} kB"


def count(value: float) -> str:
    return f"{value:,.0f}"


def task(value: float) -> str:
    """Chromium reports no task under 50 ms."""
    return seconds(value) if value >= 0.05 else "< 50 ms"


def per_second(value: float) -> str:
    return f"{value:.0f}/s"


@dataclass(frozen=True)
class Demand:
    what: str
    key: str
    logs: str
    # None: shown, not judged.
    limit: float | None = None
    # What TensorBoard 2.21 took when the limit was set, machine quiet; None where it was not measured.
    quiet_peer: float | None = None
    text: Callable[[float], str] = seconds
    # Judged by the peer of this run alone: at most this share of what it takes.
    share: float | None = None
    # The limit is the least, not the most.
    is_least: bool = False

    def row(self, own: list[Figures], peer: list[Figures]) -> Row:
        """The median is judged: against the limit or, where that is missed, by the ratio to the peer in this run."""
        row = Row(f"{self.what}, {self.logs}")
        ours = [figures[self.key] for figures in own if self.key in figures]
        theirs = [figures[self.key] for figures in peer if self.key in figures]
        row.raw = {"ours": ours, "peer": theirs}
        if self.share is not None:
            row.must_be = f"≤ 1/{1 / self.share:.0f} of the peer's"
        elif self.limit is not None:
            row.must_be = f"{'≥' if self.is_least else '≤'} {self.text(self.limit)}"
            if self.quiet_peer:
                row.must_be += f" or 1/{self.quiet_peer / self.limit:.1f}"
        if theirs:
            row.peer = self.text(statistics.median(theirs))
        if not ours:
            row.ours = "not measured"
            row.ok = None if self.limit is None and self.share is None else False
            return row
        own_median = statistics.median(ours)
        row.ours = self.text(own_median)
        if theirs and own_median > 0:
            row.ours += f" (1/{statistics.median(theirs) / own_median:.1f})"
        if self.share is not None and theirs:
            row.ok = own_median <= self.share * statistics.median(theirs)
        if self.limit is None:
            return row
        row.ok = own_median >= self.limit if self.is_least else own_median <= self.limit
        if not row.ok and self.quiet_peer and theirs:
            row.ok = own_median / statistics.median(theirs) <= self.limit / self.quiet_peer
        return row


def three(what: str, key: str, limits: tuple[float, ...], peers: tuple[float, ...]) -> list[Demand]:
    text = task if key == "longest_s" else seconds
    names = ("10x20", "100x20", "500x10")
    return [Demand(what, key, *each, text=text) for each in zip(names, limits, peers, strict=True)]


DEMANDS = (
    *three("navigation → first chart with lines", "first_s", (0.6, 0.7, 1.0), (3.8, 9.0, 37.0)),
    *three("navigation → all visible charts", "all_s", (0.8, 1.0, 1.6), (4.4, 12.0, 57.0)),
    *three("smoothing → all visible charts redrawn", "smooth_s", (0.1, 0.2, 0.4), (1.7, 4.3, 11.0)),
    *three("run regex → table and charts", "filter_s", (0.06, 0.15, 0.4), (0.4, 2.2, 8.9)),
    *three("box zoom of one chart", "zoom_s", (0.06, 0.1, 0.2), (0.14, 0.8, 4.6)),
    *three("longest main-thread task while loading", "longest_s", (0.1, 0.1, 0.1), (0.85, 1.9, 3.4)),
    Demand("JavaScript heap", "heap_bytes", "500x10", 100 * MB, 937 * MB, megabytes),
    Demand("renderer memory", "renderer_bytes", "500x10", 400 * MB, 2400 * MB, megabytes),
    Demand("DOM elements", "elements", "500x10", 3000, 44_154, count),
    Demand("data transferred", "data_bytes", "500x10", 6 * MB, 31 * MB, megabytes),
    Demand("JavaScript for the first page, gzipped", "script_bytes", "500x10", 150_000, 1_716_000, kilobytes),
    Demand("1,000 runs in one chart: hover → tooltip painted", "hover_s", "1000x1", 0.03),
    Demand("1,000 runs in one chart: box zoom", "zoom_s", "1000x1", 0.2),
    Demand("10,000 tags: first chart", "first_s", "20x10000", 1.5),
    Demand("10,000 tags: longest task while scrolling", "scroll_longest_s", "20x10000", 0.1, text=task),
    Demand("navigation → first row of images", "row_s", "images", share=0.2),
    Demand(
        "step slider dragged over all steps: images shown",
        "drag_alone_per_s",
        "images",
        20,
        text=per_second,
        is_least=True,
    ),
    Demand(
        "the same, all cards in view going along: in the dragged card",
        "drag_per_s",
        "images",
        text=per_second,
    ),
    Demand("the same: in all cards together", "drag_all_per_s", "images", text=per_second),
    Demand("navigation → all visible images", "all_s", "images"),
    Demand("images in view", "charts", "images", text=count),
    Demand("navigation → visible cards drawn", "all_s", "histograms", share=0.2),
    Demand("cards in view", "charts", "histograms", text=count),
    Demand("landing on the Overview → all visible cards", "all_s", "overview-demo", 0.8),
    Demand("cards in view", "cards", "overview-demo", text=count),
    *(
        Demand(what, key, logs, limit, text=seconds)
        for logs, limit in (("hparams-500", 0.6), ("hparams-10000", 1.0))
        for what, key in (("navigation → table", "table_s"), ("navigation → parallel coordinates", "lines_s"))
    ),
    Demand("navigation → table, by the peer", "table_s", "hparams-500", share=0.2),
    Demand("drag of a brush, move → lines redrawn", "brush_s", "hparams-500", 0.05),
    Demand("drag of a brush, move → lines redrawn", "brush_s", "hparams-10000", 0.05),
    *(
        Demand(what, key, "hparams-10000", limit)
        for what, key, limit in (
            ("sort by a column → rows", "sort_s", 0.1),
            ("filter of a column → rows", "filter_s", 0.1),
            ("query typed, last key → rows", "query_s", 0.1),
            ("query typed, last key → rows, worst", "query_worst_s", None),
        )
    ),
    Demand("navigation → scatter matrix of 5 × 8", "matrix_s", "matrix-10000", 1.5),
    Demand("layout of a group of 1,000 nodes and 1,500 edges", "layout_s", "layout-1000", 0.3),
    Demand("layout of a group of 5,000 nodes and 7,500 edges", "layout_s", "layout-5000"),
    Demand("navigation → graph drawn", "drawn_s", "graph-10000", 1.5),
    Demand("navigation → graph drawn, by the peer", "drawn_s", "graph-10000", share=0.2),
    Demand("open a group → drawn", "open_s", "graph-10000", 0.2),
    Demand("pan a graph: frames", "pan_per_s", "graph-10000", 30, text=per_second, is_least=True),
    Demand("navigation → graph drawn", "drawn_s", "graph-100000", 5.0),
    Demand("open a group → drawn", "open_s", "graph-100000"),
    *(
        Demand("navigation → graph drawn, beside Model Explorer", "drawn_s", f"graph-{nodes}-explorer")
        for nodes in (10_000, 100_000)
    ),
    Demand("navigation → points drawn", "drawn_s", "projector-10000", 0.8),
    Demand("navigation → points drawn, first visit to the server", "fresh_s", "projector-10000", 0.8),
    Demand("navigation → points drawn, by the peer", "drawn_s", "projector-10000", share=0.2),
    *(
        demand
        for logs, frames in (("projector-10000", None), ("projector-100000", 15), ("projector-1000000", 5))
        for demand in (
            Demand("orbit points: frames", "orbit_per_s", logs, frames, text=per_second, is_least=True),
            Demand(
                "point at a point → its label", "hover_s", logs, 0.05 if logs == "projector-100000" else None
            ),
        )
    ),
    Demand("navigation → points drawn", "drawn_s", "projector-100000"),
    *(
        demand
        for logs in ("trace-500MB", "trace-2000000", "trace-10000000")
        for demand in (
            Demand("navigation → timeline, not converted yet", "cold_s", logs),
            Demand("navigation → timeline, again", "drawn_s", logs),
            Demand("zoom or pan → everything drawn", "view_s", logs, 0.05),
            Demand("zoom or pan → everything drawn, worst", "view_worst_s", logs),
            Demand("drag the timeline: frames", "pan_per_s", logs, 30, text=per_second, is_least=True),
        )
    ),
    Demand("navigation → points drawn", "drawn_s", "projector-1000000"),
    *(
        Demand(what, key, logs, text=text)
        for logs in ("10x20", "100x20", "500x10")
        for what, key, text in (
            ("visible charts", "charts", count),
            ("CPU for loading: renderer and GPU process", "load_cpu_s", seconds),
            ("CPU for loading: server", "server_cpu_s", seconds),
            ("CPU for loading: the probe's share", "load_probe_s", seconds),
            ("CPU for smoothing: renderer, GPU process, server", "smooth_cpu_s", seconds),
            ("CPU for the run regex: renderer, GPU process, server", "filter_cpu_s", seconds),
            ("CPU for the zoom: renderer, GPU process, server", "zoom_cpu_s", seconds),
        )
    ),
)
