"""Whether a training waits for its input, and where the time of the input goes."""

from __future__ import annotations

import re

from runglass.query.profiles.analysis.breakdown import StepTimes, break_down, step_times
from runglass.query.profiles.analysis.model import (
    InputPipeline,
    IteratorRow,
    OpRow,
    Stage,
    StageRow,
    Verdict,
)
from runglass.query.profiles.analysis.op_names import DATASET
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.model import Trace

# Shares of the time of the steps, as XProf has them: more is an input problem, or one among others.
MUCH = 0.20
SOME = 0.05
# Time that nothing explains may be the input's, where input is not told.
UNEXPLAINED = 0.03
STAGES: tuple[Stage, ...] = ("read", "preprocess", "transfer", "wait")
# Iterators that read files.
READERS = re.compile(r"::(?:TFRecord|TextLine|FixedLengthRecord|SSTable|RecordIO|ArrayRecord)(?:V\d+)?$")
# Torch's loaders: what the training calls, and what runs in it.
LOADERS = re.compile(r"enumerate\(Data(?:Loader|Pipe)\)|_next_data|pin_memory", re.IGNORECASE)
NOT_TOLD = (
    "Nothing in this profile tells what input does. tf.data and torch's DataLoader are told by themselves."
)


def input_pipeline(trace: Trace) -> InputPipeline:
    times = step_times(trace)
    whole = int(times.duration.sum())
    waits, copies = int(times.part("input").sum()), int(times.part("host_to_device").sum())
    host = ops(trace, place="host")
    datasets = [row for row in host if row.type == DATASET]
    loaders = [row for row in host if LOADERS.search(row.name)]
    share = (waits + copies) / whole if whole else 0.0
    return InputPipeline(
        input_share=share,
        stages=stages(datasets, copies, waits),
        steps=break_down(trace),
        verdict=verdict(times, share),
        iterators=tree(datasets),
        loaders=loaders,
        notes=[] if datasets or loaders or waits else [NOT_TOLD],
    )


def verdict(times: StepTimes, share: float) -> Verdict:
    whole = int(times.duration.sum())
    if not whole:
        return "unknown"
    if share >= MUCH:
        return "input"
    if share >= SOME:
        return "both"
    other = int(times.part("other").sum()) / whole
    return "perhaps" if other >= UNEXPLAINED else "device"


def stages(datasets: list[OpRow], copies: int, waits: int) -> list[StageRow]:
    """What reading, preparing and moving batches took on all threads, and how long the training waited for it."""
    read = sum(row.self_ps for row in datasets if READERS.search(row.name))
    times = {
        "read": read,
        "preprocess": sum(row.self_ps for row in datasets) - read,
        "transfer": copies,
        "wait": waits,
    }
    whole = max(sum(times.values()), 1)
    return [StageRow(stage=stage, time_ps=times[stage], share=times[stage] / whole) for stage in STAGES]


def tree(datasets: list[OpRow]) -> list[IteratorRow]:
    """Iterators of tf.data: the last transformation first, each after the one that asks it. The slowest by itself is the bottleneck."""
    named = {row.name: row for row in datasets}
    places: dict[str, int] = {}
    rows: list[IteratorRow] = []
    slowest = bottleneck(datasets)
    for name in sorted(named, key=lambda each: each.split("::")):
        parent = name.rpartition("::")[0]
        places[name] = len(rows)
        row = named[name]
        rows.append(
            IteratorRow(
                name=name.rpartition("::")[2],
                parent=places.get(parent, -1),
                calls=row.occurrences,
                total_ps=row.total_ps,
                self_ps=row.self_ps,
                is_bottleneck=name == slowest,
            )
        )
    return rows


def bottleneck(datasets: list[OpRow]) -> str | None:
    """The iterator with the most time of its own, where the training waited for it: one that only waits for others is none."""
    prefetches = {
        row.name for row in datasets if row.name.rpartition("::")[2].startswith(("Prefetch", "Root"))
    }
    working = [row for row in datasets if row.name not in prefetches]
    return max(working, key=lambda row: row.self_ps).name if working else None
