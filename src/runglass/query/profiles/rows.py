"""A profile for code: events as NumPy columns, tracks, steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.buffers import buffers
from runglass.query.profiles.analysis.compare import compare
from runglass.query.profiles.analysis.input_pipeline import input_pipeline
from runglass.query.profiles.analysis.kernels import kernels
from runglass.query.profiles.analysis.memory import memory
from runglass.query.profiles.analysis.model import (
    BufferRow,
    Comparison,
    Finding,
    InputPipeline,
    KernelRow,
    MemoryView,
    OpRow,
    OpsBy,
    Overview,
)
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.overview import overview
from runglass.query.profiles.analysis.workers import Workers, workers
from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.model import Int32, Int64, Place, SessionInfo, Step, Trace, Track
from runglass.query.profiles.read import find_profile, read_profile
from runglass.query.profiles.sums import By, Sum, add_up
from runglass.query.source import DataSource


@dataclass(frozen=True, slots=True)
class ProfileEvents:
    """Events in the order of time, one row each."""

    # Numbers of the events, for `LogProfile.arguments`.
    event: Int32
    name: NDArray[np.object_]
    category: NDArray[np.object_]
    # Numbers of tracks.
    track: Int32
    # Picoseconds since the origin of the trace.
    start_ps: Int64
    duration_ps: Int64
    depth: Int32
    # Numbers of training steps, -1: in none.
    step: Int64

    def __len__(self) -> int:
        return len(self.event)

    def __getitem__(self, column: str) -> NDArray[Any]:
        if column not in self.__slots__:
            raise KeyError(f"{column!r} is not a column. Columns: {', '.join(self.__slots__)}.")
        found: NDArray[Any] = getattr(self, column)
        return found

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in self.__slots__}


class LogProfile:
    """One profile of a run.

    >>> profile = log.profile("train")
    >>> profile.sums()
    """

    def __init__(self, info: SessionInfo, trace: Trace) -> None:
        self.run = info.run
        self.session = info.session
        self.kind = info.kind
        self.hosts = list(info.workers)
        self._trace = trace

    def __len__(self) -> int:
        return len(self._trace)

    def __repr__(self) -> str:
        return (
            f"<profile {self.session!r} of {self.run!r}: {len(self):,} events on {len(self.tracks)} tracks>"
        )

    @property
    def tracks(self) -> list[Track]:
        """Threads, streams and counters.

        >>> [track.thread for track in profile.tracks]
        """
        return self._trace.tracks

    @property
    def steps(self) -> list[Step]:
        """The steps of the training, in the order of time.

        >>> [step.number for step in profile.steps]
        """
        return self._trace.steps

    @property
    def problems(self) -> list[str]:
        """What could not be read, with file and byte.

        >>> profile.problems
        """
        return list(self._trace.info.problems)

    @property
    def origin_ns(self) -> int | None:
        """Unix time of picosecond 0; None if no file tells.

        >>> profile.origin_ns
        """
        return self._trace.info.origin_ns

    def events(
        self,
        name: str | None = None,
        category: str | None = None,
        track: int | str | None = None,
        range: tuple[float, float] | None = None,
    ) -> ProfileEvents:
        """Events with exactly this name and category, of a track by number or thread name, with a part in a range of picoseconds.

        >>> profile.events(category="kernel").duration_ps.sum()
        """
        trace = self._trace
        chosen = np.ones(len(trace), np.bool_)
        if name is not None:
            chosen &= trace.name == trace.strings.find(name)
        if category is not None:
            known = [each.name == category for each in trace.info.categories]
            chosen &= np.array(known, np.bool_)[trace.category] if known else False
        if track is not None:
            chosen &= np.isin(trace.track, self._tracks(track))
        if range is not None:
            low, high = range
            end = trace.start_ps + trace.duration_ps
            inside = (trace.start_ps < high) & (end > low)
            chosen &= inside | ((trace.duration_ps == 0) & (trace.start_ps >= low) & (trace.start_ps <= high))
        found = np.flatnonzero(chosen)
        events: Int32 = found[np.argsort(trace.start_ps[found], kind="stable")].astype(np.int32)
        numbers = np.array([step.number for step in trace.steps] + [-1], np.int64)
        categories = np.array([each.name for each in trace.info.categories] or [""], np.object_)
        return ProfileEvents(
            event=events,
            name=texts_of(trace, trace.name[events]),
            category=categories[trace.category[events]],
            track=trace.track[events],
            start_ps=trace.start_ps[events],
            duration_ps=trace.duration_ps[events],
            depth=trace.depth[events],
            step=numbers[trace.step[events]],
        )

    def arguments(self, event: int) -> dict[str, Any]:
        """The arguments of an event, by its number.

        >>> profile.arguments(12)
        """
        self._trace.check_event(int(event))
        return dict(arguments(self._trace, int(event)))

    def sums(self, by: By = "name", range: tuple[int, int] | None = None) -> list[Sum]:
        """Count, total and self time by name, category, track, step or module; the largest self time first.

        >>> profile.sums()
        """
        low, high = (0, self._trace.info.end_ps) if range is None else range
        return add_up(self._trace, int(low), int(high), by).rows

    def overview(self) -> Overview:
        """How long steps took and what for, how well devices were used, what ran the longest, on what machine.

        >>> profile.overview().step_ps
        """
        return overview(self._trace)

    def ops(
        self,
        by: OpsBy = "name",
        place: Place | None = None,
        range: tuple[int, int] | None = None,
        *,
        with_idle: bool = False,
    ) -> list[OpRow]:
        """Ops that begin in a range, summed by name, type, module, shapes or category: the largest self time first, the host's
        and then the devices'. `with_idle` adds the time without any.

        >>> profile.ops()[0].name
        """
        return ops(self._trace, by=by, place=place, with_idle=with_idle, range=range)

    def kernels(self, range: tuple[int, int] | None = None) -> list[KernelRow]:
        """Kernels of GPUs that begin in a range, by name, shape and op; the largest sum first.

        >>> profile.kernels()[0].name
        """
        return kernels(self._trace, range=range)

    def input_pipeline(self) -> InputPipeline:
        """Whether the training waits for its input, and where the time of the input goes.

        >>> profile.input_pipeline().verdict
        """
        return input_pipeline(self._trace)

    def memory(self) -> MemoryView:
        """Memory of each allocator over time, and what was alive at the peak.

        >>> profile.memory()
        """
        return memory(self._trace)

    def buffers(self) -> list[BufferRow]:
        """Which memory the programs of XLA in the profile need, and which instruction keeps what there; the largest allocation first.

        >>> [(row.instruction, row.bytes) for row in profile.buffers()]
        """
        return buffers(self._trace).rows

    def advice(self) -> list[Finding]:
        """What could be done about it, with evidence and the most it could gain; the largest gain first. Nothing for a healthy
        training.

        >>> [finding.title for finding in profile.advice()]
        """
        return advice(self._trace)

    def workers(self) -> Workers:
        """Workers of a distributed training beside each other: computing, communicating, waiting.

        >>> profile.workers()
        """
        return workers(self._trace)

    def compare(
        self, after: LogProfile, *, step: int | None = None, after_step: int | None = None
    ) -> Comparison:
        """What changed from this profile to another in an average step, and what explains it; or from one step to another, also of one
        profile.

        >>> log.profile("train", "before").compare(profile).causes
        >>> profile.compare(profile, step=20, after_step=21).causes
        """
        return compare(self._trace, after._trace, before_step=step, after_step=after_step)

    def _tracks(self, track: int | str) -> list[int]:
        if isinstance(track, str):
            found = [each.id for each in self.tracks if each.thread == track]
            if not found:
                known = ", ".join(sorted({each.thread for each in self.tracks}))
                raise BadArgument(
                    f"track={track!r}: there is no thread or stream of that name. There are: {known}."
                )
            return found
        if not 0 <= track < len(self.tracks):
            raise BadArgument(f"track={track}: there are {len(self.tracks)} tracks, from 0.")
        return [int(track)]


def texts_of(trace: Trace, numbers: Int32) -> NDArray[np.object_]:
    """Texts by number, each decoded once."""
    used, where = np.unique(numbers, return_inverse=True)
    texts = np.array([trace.text(number) for number in used.tolist()] or [""], np.object_)
    return texts[where.reshape(-1)] if len(numbers) else np.empty(0, np.object_)


def read_log_profile(source: DataSource, run: str, session: str | None) -> LogProfile:
    info = find_profile(source, run, session)
    return LogProfile(info, read_profile(source, info))
