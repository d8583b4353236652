"""What the time of every step went to.

At each moment the most telling activity counts: work of a device before copies, these before waiting for input, launching,
and the host's own work. What is left is neither. The order is XProf's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.intervals import Cover, cover_events
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.model import PARTS, Part, StepRow
from runglass.query.profiles.model import Category, Int8, Int64, Mask, Step, Trace

# The most telling first.
ORDER: tuple[Part, ...] = (
    "device_compute",
    "output",
    "device_to_device",
    "input",
    "collectives",
    "kernel_launch",
    "host_to_device",
    "compilation",
    "host_compute",
)
NOTHING = -1

# As files of all ages name copies: MemcpyH2D, MEMCPYHtoD, Memcpy HtoD (Pageable -> Device).
COPY = re.compile(r"memcpy\s*([hdp])(?:to|2)([hdp])", re.IGNORECASE)
# Where the training waits for a batch. What prepares batches in other threads does not hold it up.
WAITS_FOR_INPUT = re.compile(
    r"^IteratorGetNext|^Iterator::GetNext|enumerate\(Data(?:Loader|Pipe)\)|_next_data|DataLoaderIter\.__next__|^data_wait$"
)
TO_DEVICE = re.compile(
    r"infeed.*enqueue|TransferToDevice|BufferFromHost|TransferToInfeed|^device_put", re.IGNORECASE
)
# Calls that only hold others, and marks.
HOLDERS = re.compile(
    r"^(?:EagerExecute|EagerLocalExecute|EagerKernelExecute|FunctionRun|ThreadpoolListener|Profiled batch|TraceContext|ProfilerStep#)"
)
LAUNCHES = frozenset({"cuda_runtime", "cuda_driver", "runtime"})


class StepTimes(Struct):
    """Every step of every host, with what its time went to; the parts add up to it."""

    steps: list[Step]
    start: Int64
    end: Int64
    # In the order of PARTS: a row for each part.
    parts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.steps)

    def part(self, part: Part) -> Int64:
        times: Int64 = self.parts[PARTS.index(part)]
        return times

    def mean(self, part: Part) -> float:
        return int(self.part(part).sum()) / max(len(self), 1)

    @property
    def duration(self) -> Int64:
        return self.end - self.start


def thin(times: StepTimes, most: int) -> tuple[Int64, int]:
    """So many steps at most: of every few that follow each other on a host the longest; and how many these few are."""
    count = len(times)
    every = max(1, -(-count // max(most, 1)))
    if every == 1:
        return np.arange(count), 1
    chosen = []
    first = 0
    for _, steps in groupby([step.host for step in times.steps]):
        stop = first + len(list(steps))
        edges = np.arange(0, stop - first, every)
        few = np.full((len(edges), every), -1, np.int64)
        few.reshape(-1)[: stop - first] = times.duration[first:stop]
        chosen.append(first + edges + few.argmax(axis=1))
        first = stop
    return np.concatenate(chosen), every


def pick_steps(times: StepTimes, chosen: Int64) -> StepTimes:
    return StepTimes(
        [times.steps[at] for at in chosen.tolist()],
        times.start[chosen],
        times.end[chosen],
        times.parts[:, chosen],
    )


def begin_in_step(trace: Trace, number: int) -> Mask:
    """Which events begin in the step of this number of their host."""
    found: Mask = np.zeros(len(trace), np.bool_)
    for host, own in steps_by_host(trace).items():
        for step in own.steps:
            if step.number == number:
                inside = (trace.start_ps >= step.start_ps) & (trace.start_ps < step.end_ps)
                found |= inside & of_host(trace, host)
    return found


def rows_of(times: StepTimes, is_outlier: Mask | None = None) -> list[StepRow]:
    marked = [False] * len(times) if is_outlier is None else is_outlier.tolist()
    return [
        StepRow(
            number=step.number,
            name=step.name,
            host=step.host,
            start_ps=step.start_ps,
            end_ps=step.end_ps,
            parts=dict(zip(PARTS, own, strict=True)),
            is_outlier=is_marked,
        )
        for step, own, is_marked in zip(times.steps, times.parts.T.tolist(), marked, strict=True)
    ]


class HostSteps(Struct):
    steps: list[Step]
    start: Int64
    end: Int64


@kept
def steps_by_host(trace: Trace) -> dict[str, HostSteps]:
    found = {}
    hosts = list(dict.fromkeys([step.host for step in trace.steps]))
    for host in hosts:
        steps = trace.steps if len(hosts) == 1 else [step for step in trace.steps if step.host == host]
        start, end = [step.start_ps for step in steps], [step.end_ps for step in steps]
        found[host] = HostSteps(steps, np.array(start, np.int64), np.array(end, np.int64))
    return found


@kept
def step_times(trace: Trace) -> StepTimes:
    part_of = parts_of_events(trace)
    none = np.empty(0, np.int64)
    found = [StepTimes([], none, none, np.empty((len(PARTS), 0), np.int64))]
    for host, own in steps_by_host(trace).items():
        start, end = own.start, own.end
        times = dict.fromkeys(PARTS, np.zeros(len(start), np.int64))
        before = np.zeros(len(start), np.int64)
        for part, covered in covers(trace, part_of, of_host(trace, host)):
            until = covered.within(start, end)
            times[part] = until - before
            before = until
        times["other"] = end - start - before
        found.append(StepTimes(own.steps, start, end, np.stack([times[part] for part in PARTS])))
    return StepTimes(
        [step for each in found for step in each.steps],
        np.concatenate([each.start for each in found]),
        np.concatenate([each.end for each in found]),
        np.concatenate([each.parts for each in found], axis=1),
    )


def covers(trace: Trace, part_of: Int8, chosen: Mask) -> Iterator[tuple[Part, Cover]]:
    """The moments of each part that has any, together with all before it in the order."""
    covered: Cover | None = None
    for number, part in enumerate(ORDER):
        wanted = chosen & (part_of == number)
        if wanted.any():
            covered = cover_events(trace, wanted, covered)
            yield part, covered


def of_host(trace: Trace, host: str) -> Mask:
    """Events of one host and its devices; of all where steps are of none."""
    return trace.events_on([not host or track.host == host for track in trace.tracks])


@kept
def parts_of_events(trace: Trace) -> Int8:
    """For each event the place of its part in the order, NOTHING for marks and what only holds others."""
    if not len(trace):
        return np.empty(0, np.int8)
    categories = trace.info.categories
    # Once for each pair of a name and a category.
    pairs = group([trace.name, trace.category])
    numbers = np.empty(len(pairs), np.int8)
    has_device = any(each.place == "device" for each in categories)
    for at, first in enumerate(pairs.first.tolist()):
        part = part_of_name(trace.strings.get(int(trace.name[first])), categories[trace.category[first]])
        if part == "kernel_launch" and not has_device:
            part = "host_compute"
        numbers[at] = NOTHING if part is None else ORDER.index(part)
    found: Int8 = numbers[pairs.of]
    found[mark_events(trace)] = NOTHING
    return found


def mark_events(trace: Trace) -> Int64:
    """The marks of the steps themselves, and lines of steps."""
    found = np.flatnonzero(trace.events_on([track.kind == "steps" for track in trace.tracks]))
    hosts = steps_by_host(trace).values()
    if not hosts:
        return found
    starts = np.sort(np.concatenate([own.start for own in hosts]))
    ends = np.sort(np.concatenate([own.end for own in hosts]))
    # Few events are as long as a step.
    long = np.flatnonzero(trace.duration_ps >= min(int((own.end - own.start).min()) for own in hosts))
    long = long[is_one_of(trace.start_ps[long], starts)]
    long = long[is_one_of(trace.start_ps[long] + trace.duration_ps[long], ends)]
    return np.concatenate([found, long])


def is_one_of(times: Int64, ordered: Int64) -> Mask:
    found: Mask = ordered[np.minimum(np.searchsorted(ordered, times), len(ordered) - 1)] == times
    return found


def part_of_name(name: str, category: Category) -> Part | None:
    meaning = category.meaning
    copy = COPY.search(name)
    if category.place == "device":
        if meaning in ("step", "module"):
            return None
        if meaning == "communication":
            return "collectives"
        if copy is not None:
            return direction(copy[1].lower(), copy[2].lower())
        if category.name.lower() in ("gpu_memset", "gpu_memcpy") or name.lower().startswith("memset"):
            return "device_to_device"
        return "device_compute"
    if meaning == "step" or HOLDERS.match(name):
        return None
    if WAITS_FOR_INPUT.search(name):
        return "input"
    if category.name.lower() in LAUNCHES:
        # A call that waits for the device is no work of the host.
        return "kernel_launch" if meaning != "sync" else None
    if meaning == "launch" or name.startswith("ExecutorState::Process"):
        return "kernel_launch"
    if copy is not None and copy[1].lower() == "h" and copy[2].lower() == "d":
        return "host_to_device"
    if TO_DEVICE.search(name):
        return "host_to_device"
    if meaning == "compile":
        return "compilation"
    return "host_compute"


def direction(source: str, target: str) -> Part:
    if source == "h" and target == "d":
        return "host_to_device"
    return "output" if target == "h" else "device_to_device"
