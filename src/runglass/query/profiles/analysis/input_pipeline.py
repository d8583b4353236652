"""Whether a training waits for its input, and where the time of the input goes."""

from __future__ import annotations

import re

from runglass.query.profiles.analysis.breakdown import StepTimes, pick_steps, rows_of, step_times, thin
from runglass.query.profiles.analysis.facts import Facts
from runglass.query.profiles.analysis.framework import framework_of
from runglass.query.profiles.analysis.loading import Loading
from runglass.query.profiles.analysis.model import (
    InputPipeline,
    IteratorRow,
    LoaderRow,
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
MAX_INSIDE = 50
NOT_TOLD = "Nothing in this profile tells what input does. "
# What would have told, by the profiler that made the file.
TELL_TORCH = "PyTorch records a DataLoader if activities has ProfilerActivity.CPU and the loop over it runs inside the profiler."
TELL_TF = "tf.data is recorded from host_tracer_level=2 on (tf.profiler.experimental.ProfilerOptions, the usual level)."
TELL_JAX = 'JAX records no input by itself: load each batch inside jax.profiler.TraceAnnotation("data_wait").'
TELL_OTHER = (
    'A trace tells of input by events that are named "data_wait", IteratorGetNext or enumerate(DataLoader).'
)
NO_STACKS = "With with_stack=True (runglass.profile(…, stacks=True)), the profile also tells which functions of the dataset take the time."
WORKERS_APART = (
    "Workers of a DataLoader are processes of their own: the profile has the wait for them, not what they do."
)


def input_pipeline(trace: Trace, *, most_steps: int | None = None) -> InputPipeline:
    """`most_steps`: of more than that, the longest of every few."""
    times = step_times(trace)
    whole = int(times.duration.sum())
    waits, copies = int(times.part("input").sum()), int(times.part("host_to_device").sum())
    host = ops(trace, place="host")
    datasets = [row for row in host if row.type == DATASET]
    loaders = [row for row in host if LOADERS.search(row.name)]
    loading = Loading(Facts(trace))
    inside = loading.rows()
    share = (waits + copies) / whole if whole else 0.0
    is_told = bool(datasets or loaders or waits)
    shown, each = thin(times, len(times) if most_steps is None else most_steps)
    return InputPipeline(
        input_share=share,
        stages=stages(datasets, inside, loading.made_ps, copies=copies, waits=waits),
        steps=rows_of(pick_steps(times, shown)),
        step_count=len(times),
        steps_each=each,
        verdict=verdict(times, share, is_told=is_told),
        iterators=tree(datasets),
        loaders=loaders,
        inside=inside[:MAX_INSIDE],
        notes=notes(trace, loading) if is_told else [NOT_TOLD + what_tells(trace)],
    )


def notes(trace: Trace, loading: Loading) -> list[str]:
    found = [WORKERS_APART] if loading.has_workers else []
    if loading.is_single_process and not trace.info.has_stacks:
        found.append(NO_STACKS)
    return found


def what_tells(trace: Trace) -> str:
    """Which option of the profiler would have told of input."""
    return {"torch": TELL_TORCH, "jax": TELL_JAX, "tensorflow": TELL_TF, "": TELL_OTHER}[framework_of(trace)]


def verdict(times: StepTimes, share: float, *, is_told: bool) -> Verdict:
    whole = int(times.duration.sum())
    if not whole:
        return "unknown"
    if share >= MUCH:
        return "input"
    if share >= SOME:
        return "both"
    other = int(times.part("other").sum())
    if not is_told:
        # Loading may be any code of the host.
        other += int(times.part("host_compute").sum())
    return "perhaps" if other / whole >= UNEXPLAINED else "device"


def stages(
    datasets: list[OpRow], inside: list[LoaderRow], made: int, *, copies: int, waits: int
) -> list[StageRow]:
    """What reading, preparing and moving batches took on all threads, and how long the training waited for it."""
    read = sum(row.self_ps for row in datasets if READERS.search(row.name))
    read += min(sum(row.self_ps for row in inside if row.is_read), made)
    times = {
        "read": read,
        "preprocess": sum(row.self_ps for row in datasets) + made - read,
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
