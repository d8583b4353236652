"""What is said of a profile as a whole: its steps and their parts, ops, kernels, memory. Computed once for each question."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import asdict

from runglass.api.answers import attachment
from runglass.api.route import CSV, Answer
from runglass.csv_lines import csv_writer
from runglass.dashboards.profile.asking import whole_range
from runglass.dashboards.profile.loaded import Loaded
from runglass.dashboards.profile.shape import (
    MAX_STEPS,
    AdviceAnswer,
    AdviceBody,
    BlocksBody,
    BuffersBody,
    CompareBody,
    InputBody,
    KernelsAnswer,
    KernelsBody,
    MemoryAnswer,
    MemoryBody,
    MemoryLine,
    OpsAnswer,
    OpsBody,
    ProfileSteps,
    StepsBody,
    TreeBody,
    WorkersBody,
)
from runglass.errors import BadRequest
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.alive import alive_at
from runglass.query.profiles.analysis.breakdown import pick_steps, rows_of, step_times, thin
from runglass.query.profiles.analysis.buffers import buffers
from runglass.query.profiles.analysis.compare import compare
from runglass.query.profiles.analysis.input_pipeline import input_pipeline
from runglass.query.profiles.analysis.kernels import kernels
from runglass.query.profiles.analysis.memory import highest, measure, notes_of
from runglass.query.profiles.analysis.memory_blocks import blocks, savings, suspects
from runglass.query.profiles.analysis.model import (
    Blocks,
    Comparison,
    Finding,
    InputPipeline,
    Measured,
    MemoryCurve,
    Overview,
    ProgramBuffers,
)
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.overview import find_outliers, overview
from runglass.query.profiles.analysis.tree import Tree, empty_tree, memory_tree, time_tree
from runglass.query.profiles.analysis.workers import Workers, workers
from runglass.query.profiles.model import Float64, distinct


def answer_overview(loaded: Loaded) -> Overview:
    return loaded.computed("overview", lambda: overview(loaded.trace, most_steps=MAX_STEPS))


def answer_steps(loaded: Loaded, body: StepsBody) -> Answer | ProfileSteps:
    times = step_times(loaded.trace)
    is_outlier = find_outliers(times.duration)
    span = span_of(loaded, body.from_ps, body.to_ps)
    if span is not None:
        inside = np.flatnonzero((times.start >= span[0]) & (times.start < span[1]))
        times, is_outlier = pick_steps(times, inside), is_outlier[inside]
    if body.format == "csv":
        flat = ({**asdict(row), **row.parts} for row in rows_of(times, is_outlier))
        return table([{key: cell for key, cell in row.items() if key != "parts"} for row in flat], "steps")
    shown, each = thin(times, body.limit)
    rows = rows_of(pick_steps(times, shown), is_outlier[shown])
    return ProfileSteps(steps=rows, step_count=len(times), steps_each=each)


def answer_advice(loaded: Loaded, body: AdviceBody) -> Answer | AdviceAnswer:
    found = loaded.computed("advice", lambda: advice(loaded.trace))
    return findings_table(found, "advice") if body.format == "csv" else AdviceAnswer(found)


def findings_table(findings: Sequence[Finding], name: str) -> Answer:
    rows = []
    for finding in findings:
        cells = asdict(finding)
        where = cells.pop("where")
        rows.append({**cells, **({} if where is None else asdict(where))})
    return table(rows, name)


def answer_input(loaded: Loaded, body: InputBody) -> Answer | InputPipeline:
    found = loaded.computed("input", lambda: input_pipeline(loaded.trace, most_steps=MAX_STEPS))
    if body.format == "json":
        return found
    return table([asdict(row) for row in getattr(found, body.table)], body.table)


def answer_workers(loaded: Loaded, body: WorkersBody) -> Answer | Workers:
    found = loaded.computed("workers", lambda: workers(loaded.trace))
    if body.format == "json":
        return found
    if body.table == "steps":
        hosts = [worker.host for worker in found.workers]
        took = zip(found.steps, *found.step_ps, strict=True)
        return table(
            [{"step": number, **dict(zip(hosts, each, strict=True))} for number, *each in took],
            "workers-steps",
        )
    return table([asdict(row) for row in getattr(found, body.table)], body.table)


def answer_compare(before: Loaded, after: Loaded, body: CompareBody) -> Answer | Comparison:
    # What is kept holds the other profile, so that its number stays its own.
    steps = {"before_step": body.before_step, "after_step": body.after_step}
    kept = after.computed(
        ("compare", id(before), *steps.values()),
        lambda: (before, compare(before.trace, after.trace, **steps)),
    )
    found: Comparison = kept[1]
    if body.format == "json":
        return found
    rows = getattr(found, body.table)
    if body.table in ("gone", "fresh"):
        return findings_table(rows, f"advice-{body.table}")
    return table([asdict(row) for row in rows], f"compare-{body.table}")


def answer_ops(loaded: Loaded, body: OpsBody) -> Answer | OpsAnswer:
    span = span_of(loaded, body.from_ps, body.to_ps)
    rows = loaded.computed(
        ("ops", body.by, body.place, body.with_idle, span),
        lambda: ops(loaded.trace, by=body.by, place=body.place, with_idle=body.with_idle, range=span),
    )
    return table([asdict(row) for row in rows], "ops") if body.format == "csv" else OpsAnswer(rows)


def answer_kernels(loaded: Loaded, body: KernelsBody) -> Answer | KernelsAnswer:
    span = span_of(loaded, body.from_ps, body.to_ps)
    rows = loaded.computed(("kernels", span), lambda: kernels(loaded.trace, range=span))
    return table([asdict(row) for row in rows], "kernels") if body.format == "csv" else KernelsAnswer(rows)


def answer_memory(loaded: Loaded, body: MemoryBody) -> Answer | MemoryAnswer:
    found = describe_memory(loaded, body)
    if body.format == "json":
        return found
    return table([asdict(row) for row in getattr(found, body.table)], f"memory-{body.table}")


def describe_memory(loaded: Loaded, body: MemoryBody) -> MemoryAnswer:
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


def answer_buffers(loaded: Loaded, body: BuffersBody) -> Answer | ProgramBuffers:
    found = loaded.computed("buffers", lambda: buffers(loaded.trace))
    return table([asdict(row) for row in found.rows], "buffers") if body.format == "csv" else found


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
    starts = distinct(np.linspace(0, max(count - 1, 0), min(points, count)).astype(np.int64))

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


def table(rows: Sequence[Mapping[str, Any]], name: str) -> Answer:
    """A line for each row under the names of their cells; without rows, an empty file."""
    text = io.StringIO()
    written = csv_writer(text)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if columns:
        written.writerow(columns)
    for row in rows:
        written.writerow("" if row.get(key) is None else row[key] for key in columns)
    return Answer(text.getvalue().encode(), CSV, headers=(attachment(f"profile-{name}.csv"),))
