"""What is said of a profile as a whole: its steps and their parts, ops, kernels, memory. Computed once for each question."""

from __future__ import annotations

import io
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from runglass.api.answers import attachment
from runglass.api.route import CSV, Answer
from runglass.csv_lines import csv_writer
from runglass.dashboards.profile.asking import whole_range
from runglass.dashboards.profile.loaded import Loaded
from runglass.dashboards.profile.shape import (
    AdviceAnswer,
    BlocksBody,
    KernelsAnswer,
    KernelsBody,
    MemoryAnswer,
    MemoryBody,
    MemoryLine,
    OpsAnswer,
    OpsBody,
    TreeBody,
)
from runglass.errors import BadRequest
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.alive import alive_at
from runglass.query.profiles.analysis.compare import compare
from runglass.query.profiles.analysis.input_pipeline import input_pipeline
from runglass.query.profiles.analysis.kernels import kernels
from runglass.query.profiles.analysis.memory import highest, measure, notes_of
from runglass.query.profiles.analysis.memory_blocks import blocks, savings, suspects
from runglass.query.profiles.analysis.model import (
    Blocks,
    Comparison,
    InputPipeline,
    Measured,
    MemoryCurve,
    Overview,
)
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.overview import overview
from runglass.query.profiles.analysis.tree import Tree, empty_tree, memory_tree, time_tree
from runglass.query.profiles.analysis.workers import Workers, workers
from runglass.query.profiles.model import Float64


def answer_overview(loaded: Loaded) -> Overview:
    return loaded.computed("overview", lambda: overview(loaded.trace))


def answer_advice(loaded: Loaded) -> AdviceAnswer:
    return AdviceAnswer(loaded.computed("advice", lambda: advice(loaded.trace)))


def answer_input(loaded: Loaded) -> InputPipeline:
    return loaded.computed("input", lambda: input_pipeline(loaded.trace))


def answer_workers(loaded: Loaded) -> Workers:
    return loaded.computed("workers", lambda: workers(loaded.trace))


def answer_compare(before: Loaded, after: Loaded) -> Comparison:
    # What is kept holds the other profile, so that its number stays its own.
    kept = after.computed(("compare", id(before)), lambda: (before, compare(before.trace, after.trace)))
    return kept[1]


def answer_ops(loaded: Loaded, body: OpsBody) -> Answer | OpsAnswer:
    span = span_of(loaded, body.from_ps, body.to_ps)
    rows = loaded.computed(
        ("ops", body.by, body.place, body.with_idle, span),
        lambda: ops(loaded.trace, by=body.by, place=body.place, with_idle=body.with_idle, range=span),
    )
    return table(rows, "profile-ops.csv") if body.format == "csv" else OpsAnswer(rows)


def answer_kernels(loaded: Loaded, body: KernelsBody) -> Answer | KernelsAnswer:
    span = span_of(loaded, body.from_ps, body.to_ps)
    rows = loaded.computed(("kernels", span), lambda: kernels(loaded.trace, range=span))
    return table(rows, "profile-kernels.csv") if body.format == "csv" else KernelsAnswer(rows)


def answer_memory(loaded: Loaded, body: MemoryBody) -> MemoryAnswer:
    trace, found = loaded.trace, measured(loaded)
    number = curve_of(found, body.curve)
    if number is None:
        return MemoryAnswer(
            curves=[],
            curve=None,
            time_ps=0,
            bytes=0.0,
            at_peak=[],
            regions=[],
            suspects=[],
            savings=[],
            allocations=0,
            notes=notes_of(trace, found, None),
        )
    time = None if body.at_ps is None else int(body.at_ps)
    moment = loaded.computed(("alive", number, time), lambda: alive_at(trace, found, number, time))
    return MemoryAnswer(
        curves=[thin_curve(curve, body.points) for curve in found.curves],
        curve=number,
        time_ps=moment.time_ps,
        bytes=moment.bytes,
        at_peak=moment.rows,
        regions=moment.regions,
        suspects=loaded.computed("suspects", lambda: suspects(trace, found)),
        savings=loaded.computed(("savings", number, time), lambda: savings(trace, found, moment)),
        allocations=0 if found.allocations is None else len(found.allocations.start_ps),
        notes=notes_of(trace, found, moment),
    )


def answer_blocks(loaded: Loaded, body: BlocksBody) -> Blocks:
    found = measured(loaded)
    number = curve_of(found, body.curve)
    if number is None:
        return Blocks(blocks=[], count=0, rest_times_ps=[], rest_bytes=[])
    span = span_of(loaded, body.from_ps, body.to_ps)
    return loaded.computed(
        ("blocks", number, body.limit, body.points, span),
        lambda: blocks(loaded.trace, found, number, limit=body.limit, points=body.points, range=span),
    )


def answer_tree(loaded: Loaded, body: TreeBody) -> Tree:
    trace = loaded.trace
    if body.of == "time" or trace.info.unit == "bytes":
        return loaded.computed(("tree", body.by, body.place), lambda: time_tree(trace, body.by, body.place))
    found = measured(loaded)
    number = curve_of(found, body.curve)
    time = None if body.at_ps is None else int(body.at_ps)
    if number is None:
        return empty_tree(notes_of(trace, found, None))
    return loaded.computed(
        ("memory tree", number, time, body.by),
        lambda: memory_tree(trace, found, number, time, body.by),
    )


def measured(loaded: Loaded) -> Measured:
    return loaded.computed("memory", lambda: measure(loaded.trace))


def curve_of(found: Measured, asked: int | None) -> int | None:
    """None: there is no curve at all."""
    if not found.curves:
        return None
    if asked is None:
        return highest(found)
    if asked >= len(found.curves):
        raise BadRequest(f"There is no curve {asked}; the profile has {len(found.curves)}.", where="curve")
    return asked


def span_of(loaded: Loaded, from_ps: float | None, to_ps: float | None) -> tuple[int, int] | None:
    if from_ps is None and to_ps is None:
        return None
    end = loaded.trace.info.end_ps
    return whole_range(0 if from_ps is None else from_ps, end if to_ps is None else to_ps)


def thin_curve(curve: MemoryCurve, points: int) -> MemoryLine:
    """So many points at most, each the highest of those that it stands for."""
    count = len(curve.times_ps)
    starts = np.unique(np.linspace(0, max(count - 1, 0), min(points, count)).astype(np.int64))

    def highest(values: Float64) -> list[float]:
        found: list[float] = np.maximum.reduceat(values, starts).tolist() if count else []
        return found

    return MemoryLine(
        device=curve.device,
        host=curve.host,
        allocator=curve.allocator,
        times_ps=curve.times_ps[starts].tolist() if count else [],
        allocated=highest(curve.allocated),
        reserved=None if curve.reserved is None else highest(curve.reserved),
        peak_ps=curve.peak_ps,
        peak_bytes=curve.peak_bytes,
        limit_bytes=curve.limit_bytes,
        fragmentation=curve.fragmentation,
    )


def table(rows: Sequence[Struct], name: str) -> Answer:
    text = io.StringIO()
    written = csv_writer(text)
    for number, row in enumerate(rows):
        cells = msgspec.structs.asdict(row)
        if not number:
            written.writerow(cells)
        written.writerow("" if cell is None else cell for cell in cells.values())
    return Answer(text.getvalue().encode(), CSV, headers=(attachment(name),))
