"""What every finding asks about: the steps, when the devices of a host are busy or idle in them, and where in the code an event is."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from runglass.native.trace_groups import begin_within, find_spans, places_of
from runglass.query.profiles.analysis.breakdown import steps_by_host
from runglass.query.profiles.analysis.framework import Framework, framework_of
from runglass.query.profiles.analysis.intervals import Cover, cover, cover_events
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import device_work, events_in, is_python, on_device
from runglass.query.profiles.analysis.model import Where
from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.model import Int64, Mask, Meaning, Trace, marks_of, names_of
from runglass.query.profiles.stacks import Frame, parse_frame, read_stack

JAX_FILES = frozenset(
    f"{name}.py"
    for name in (
        *(
            "api",
            "array",
            "batching",
            "compiler",
            "core",
            "dispatch",
            "fromnumeric",
            "interpreters",
            "lax",
            "linear_util",
            "mlir",
        ),
        *(
            "monitoring",
            "partial_eval",
            "pjit",
            "profiler",
            "pxla",
            "traceback_util",
            "tree_util",
            "util",
            "xla_bridge",
            "cache_key",
        ),
    )
)


@kept
def windows_of_steps(trace: Trace) -> dict[str, tuple[Int64, Int64]]:
    found = {}
    for host, steps in steps_by_host(trace).items():
        begins, ends = steps.start, steps.end
        order = np.lexsort((ends, begins))
        order = order[ends[order] > begins[order]]
        if len(order):
            found[host] = begins[order], ends[order]
    return found


@kept
def host_steps(trace: Trace, host: str) -> Int64:
    """The events on a host that mark its steps, in the order of time."""
    names = {step.name for step in trace.steps if step.host == host}
    # There may be more steps than texts, as most files tell their numbers apart from their names.
    numbers = [number for number, name in names_of(trace).items() if name in names]
    found = places_of(marks_of(trace, numbers), trace.name, len(trace))
    found = found[trace.duration_ps[found] > 0]
    own = np.array([track.host == host and track.place == "host" for track in trace.tracks], np.bool_)
    found = found[own[trace.track[found]]]
    return found[np.argsort(trace.start_ps[found], kind="stable")]


class Facts:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.on_device: Mask = on_device(trace)
        self.work: Mask = device_work(trace)
        self._of_host: dict[str, Mask] = {}

    @cached_property
    def windows(self) -> dict[str, tuple[Int64, Int64]]:
        """By host, where its steps begin and end, in their order; without any, one from the first work on a device to the last."""
        if self.trace.steps:
            return windows_of_steps(self.trace)
        made = {}
        for host in self.hosts:
            own = np.flatnonzero(self.of_host(host) & (self.work if self.work.any() else ~self.on_device))
            if len(own):
                start = self.trace.start_ps[own]
                low, high = int(start.min()), int((start + self.trace.duration_ps[own]).max())
                if high > low:
                    made[host] = np.array([low], np.int64), np.array([high], np.int64)
        return made

    @cached_property
    def hosts(self) -> list[str]:
        return sorted({track.host for track in self.trace.tracks})

    @cached_property
    def framework(self) -> Framework:
        return framework_of(self.trace)

    def words(self, *, torch: str, jax: str, tensorflow: str) -> str:
        """What to do, in the words of the framework; in those of all where it is not known."""
        known = {"torch": torch, "jax": jax, "tensorflow": tensorflow}
        if self.framework:
            return known[self.framework]
        return f"PyTorch: {torch} JAX: {jax} TensorFlow: {tensorflow}"

    def host_steps(self, host: str) -> Int64:
        """The events on a host that mark its steps, in the order of time."""
        return host_steps(self.trace, host)

    @property
    def count(self) -> int:
        return sum(len(begins) for begins, _ in self.windows.values())

    @cached_property
    def step_ps(self) -> float:
        """An average step."""
        return sum(int((ends - begins).sum()) for begins, ends in self.windows.values()) / max(self.count, 1)

    def of_host(self, host: str) -> Mask:
        """For each event whether it is of this host."""
        known = self._of_host.get(host)
        if known is None:
            known = self.trace.events_on([track.host == host for track in self.trace.tracks])
            self._of_host[host] = known
        return known

    def spans(self, events: Int64) -> Cover:
        start = self.trace.start_ps[events]
        return cover(start, start + self.trace.duration_ps[events])

    def in_steps(self, events: Int64) -> Int64:
        """Those that begin in a step of their host."""
        if len(self.hosts) == 1:
            return begin_within(events, self.trace.start_ps, *self.windows_of(self.hosts[0]))
        inside = np.zeros(len(events), np.bool_)
        start = self.trace.start_ps[events]
        for host in self.hosts:
            begins, ends = self.windows_of(host)
            if len(begins):
                found = find_spans(start, begins, ends) >= 0
                inside |= found & self.of_host(host)[events]
        return events[inside]

    def host_spans(self, meaning: Meaning) -> Int64:
        """Events of hosts that mean this and take time, without functions of Python."""
        events = events_in(
            self.trace,
            lambda each: each.meaning == meaning and each.place == "host" and not is_python(each),
        )
        return events[self.trace.duration_ps[events] > 0]

    @cached_property
    def input_events(self) -> Int64:
        """What the host does for input in the steps."""
        return self.in_steps(self.host_spans("input"))

    @cached_property
    def input_spans(self) -> Cover:
        return self.spans(self.input_events)

    @cached_property
    def works(self) -> Int64:
        """What devices do in the steps."""
        return self.in_steps(np.flatnonzero(self.work))

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of all events by their numbers."""
        return names_of(self.trace)

    def windows_of(self, host: str) -> tuple[Int64, Int64]:
        """Where the steps of a host begin and end, in their order."""
        none = np.empty(0, np.int64)
        return self.windows.get(host, (none, none))

    @cached_property
    def busy(self) -> dict[str, Cover]:
        """By host, when any of its devices works."""
        return {host: cover_events(self.trace, self.work & self.of_host(host)) for host in self.hosts}

    @cached_property
    def idle(self) -> dict[str, Cover]:
        """By host, when none of its devices works although a step runs; nothing for a host without devices."""
        found = {}
        for host in self.hosts:
            busy, steps = self.busy[host], cover(*self.windows_of(host))
            if not busy.total or not len(steps.start):
                found[host] = cover(np.empty(0, np.int64), np.empty(0, np.int64))
            else:
                found[host] = busy.free(int(steps.start[0]), int(steps.end[-1])).common(steps)
        return found

    @cached_property
    def idle_ps(self) -> float:
        """In an average step."""
        return sum(spans.total for spans in self.idle.values()) / max(self.count, 1)

    def idle_during(self, events: Int64) -> float:
        """How long the devices are idle in an average step while any of these events of their host lasts."""
        total = 0
        for host in self.hosts:
            total += self.idle[host].shared(self.spans(events[self.of_host(host)[events]]))
        return total / max(self.count, 1)

    def where(self, event: int) -> Where:
        """The event with some room around it."""
        start, end = int(self.trace.start_ps[event]), self.trace.end_of(event)
        room = max((end - start) // 2, 1)
        return Where(from_ps=max(start - room, 0), to_ps=end + room, event=event)

    def around(self, event: int) -> list[int]:
        """The event and those around it, the outermost first."""
        found = [event]
        while (parent := int(self.trace.parent[found[-1]])) >= 0 and len(found) < 1000:
            found.append(parent)
        return found[::-1]

    def source(self, event: int) -> str:
        """ "train.py:12": where in the user's code an event of the host happened; "train.py, main" for a function that was running
        before the first step, because of such a one the profile has another line."""
        frames = read_stack(self.trace, dict(arguments(self.trace, event)), [])
        for frame in frames:
            if is_own(frame):
                return f"{frame.file}:{frame.line}"
        first = min((int(begins[0]) for begins, _ in self.windows.values()), default=0)
        for each in reversed(self.around(event)):
            found = parse_frame(self.trace.name_of(each))
            if found is not None and is_own(found):
                running = int(self.trace.start_ps[each]) < first
                return f"{found.file}, {found.function}" if running else f"{found.file}:{found.line}"
        return ""


def is_own(frame: Frame) -> bool:
    """Whether a frame is of the user's code. JAX's tracer writes names of files without their folders."""
    return not frame.is_framework and frame.file.endswith(".py") and frame.file not in JAX_FILES


def show_time(ps: float) -> str:
    for unit, size in (("s", 1e12), ("ms", 1e9), ("µs", 1e6)):
        if ps >= size:
            return f"{ps / size:.3g} {unit}"
    return f"{ps / 1e3:.3g} ns"


def show_bytes(size: float) -> str:
    for unit, unit_size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size) >= unit_size:
            return f"{size / unit_size:.3g} {unit}"
    return f"{size:.0f} B"


def show_share(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def show_count(number: float, one: str, many: str | None = None) -> str:
    return f"{number:,.3g} {one if number == 1 else many or one + 's'}"
