"""Where the cursor of the page can stop: the steps of all shown series, of any kind, on one time axis.

Reads steps and times, never values. Knows no dashboard.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from typing import Annotated, Literal, TypeVar

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.api.answers import Number, little_endian, numbers, pack_columns
from runglass.api.checks import check_count
from runglass.api.route import COLUMNS, JSON, Answer, Later, Reply, Route
from runglass.api.series import find_series
from runglass.query.source import DataSource, Float64, Int64, XAxis
from runglass.store.model import Kind, RunInfo

MAX_NAMES = 100_000
# More than a slider has pixels. A position between two stops can still be typed.
MAX_STOPS = 50_000
MAX_SAMPLE_STEPS = 2_000
MAX_CLOCK_POINTS = 10_000
WORTH_THINNING = 4
SAMPLE_KINDS = frozenset(Kind) - {Kind.SCALAR}


Row = TypeVar("Row", Int64, Float64)


class StopsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # The axis on which the cursor moves.
    axis: XAxis = "step"
    runs: Annotated[list[str] | None, Meta(description="Null: every run.")] = None
    tags: Annotated[list[str] | None, Meta(description="Null: every tag.")] = None
    format: Literal["json", "columns"] = "json"


class Clock(Struct, frozen=True):
    """When a run was at which step. It converts a position of the cursor from one time axis to another."""

    run: str
    start_time: float
    step: list[int]
    wall_time: list[Number]


class Stops(Struct, frozen=True):
    generation: int
    at: Annotated[
        list[Number],
        Meta(description=f"Positions on the axis, ascending; evenly thinned beyond {MAX_STOPS:,}."),
    ]
    samples: Annotated[
        list[Number],
        Meta(
            description=f"Positions with a value that is not a scalar; evenly thinned beyond {MAX_SAMPLE_STEPS:,}."
        ),
    ]
    newest: Annotated[
        Number | None, Meta(description="Position of the newest value, of the run that was written to last.")
    ]
    clock: Annotated[Clock | None, Meta(description="Of the run that lasted longest; null without runs.")]


class _Found(Struct, frozen=True):
    generation: int
    at: Float64
    samples: Float64
    newest: float | None
    clock: _RunClock | None


class _RunClock(Struct, frozen=True):
    info: RunInfo
    # Ascending, each step once.
    step: Int64
    wall_time: Float64

    def positions(self, axis: XAxis, steps: Int64) -> Float64:
        """Steps between two known ones are placed between their times."""
        if axis == "step":
            return steps.astype(np.float64)
        times = np.interp(steps, self.step, self.wall_time)
        return times if axis == "wall" else times - self.start_time

    def newest(self, axis: XAxis) -> float:
        return float(self.positions(axis, self.step[-1:])[0])

    @property
    def start_time(self) -> float:
        return float(self.wall_time[0]) if self.info.start_time is None else self.info.start_time


def read_stops(source: DataSource, body: StopsBody) -> Reply:
    """Where the cursor can stop, and a clock to convert its position between the time axes."""
    for what, names in (("runs", body.runs), ("tags", body.tags)):
        check_count(len(names or ()), MAX_NAMES, what=what, where=what)
    return Later(lambda: _encode(_find_stops(source, body), body))


def _find_stops(source: DataSource, body: StopsBody) -> _Found:
    generation = source.generation
    wanted = None if body.runs is None else set(body.runs)
    runs = [run for run in source.list_runs() if wanted is None or run.name in wanted]
    tags = None if body.tags is None else frozenset(body.tags)
    by_name = {run.name: run for run in runs}

    # A clock is read once, whatever it is needed for.
    @cache
    def clock_of(name: str) -> _RunClock | None:
        return _read_clock(source, by_name[name])

    longest = max(runs, key=_duration, default=None)
    clock = None if longest is None else clock_of(longest.name)
    last = max(runs, key=lambda run: run.last_wall_time or 0.0, default=None)
    last_clock = None if last is None else clock_of(last.name)
    if body.axis == "step":
        names = [run.name for run in runs]
        every: list[Float64] = [source.read_steps(names, tags=tags).astype(np.float64)]
        samples = [source.read_steps(names, kinds=SAMPLE_KINDS, tags=tags).astype(np.float64)]
    else:
        clocks = [each for run in runs if (each := clock_of(run.name)) is not None]
        every = _positions(source, clocks, body.axis, tags=tags, kinds=None, limit=MAX_STOPS)
        samples = _positions(source, clocks, body.axis, tags=tags, kinds=SAMPLE_KINDS, limit=MAX_SAMPLE_STEPS)
    return _Found(
        generation=generation,
        at=_thin(_unite(every), MAX_STOPS),
        samples=_thin(_unite(samples), MAX_SAMPLE_STEPS),
        newest=None if last_clock is None else last_clock.newest(body.axis),
        clock=clock,
    )


def _duration(run: RunInfo) -> float:
    if run.start_time is None or run.last_wall_time is None:
        return -1.0
    return run.last_wall_time - run.start_time


def _read_clock(source: DataSource, run: RunInfo) -> _RunClock | None:
    """The steps and times of the run's longest series."""
    longest = max(source.list_series(run=run.name), key=lambda info: info.count, default=None)
    values = None if longest is None else find_series(source, longest.key, kind=longest.meta.kind)
    if values is None:
        return None
    is_timed = np.isfinite(values.wall_time)
    if is_timed.all() and (values.step[1:] > values.step[:-1]).all():
        # The common case, without sorting.
        return _RunClock(run, values.step, values.wall_time) if len(values.step) else None
    step, first = np.unique(values.step[is_timed], return_index=True)
    return _RunClock(run, step, values.wall_time[is_timed][first]) if len(step) else None


def _positions(
    source: DataSource,
    clocks: list[_RunClock],
    axis: XAxis,
    *,
    tags: Collection[str] | None,
    kinds: Collection[Kind] | None,
    limit: int,
) -> list[Float64]:
    names = [clock.info.name for clock in clocks]
    if not len(source.read_steps(names, tags=tags, kinds=kinds)):
        return []
    steps = [source.read_steps([name], tags=tags, kinds=kinds) for name in names]
    # Far more than are kept: thinned before they are converted and sorted, each run by the same share.
    share = min(1.0, WORTH_THINNING * limit / max(1, sum(map(len, steps))))
    return [
        clock.positions(axis, _thin(each, max(2, round(len(each) * share))))
        for clock, each in zip(clocks, steps, strict=True)
    ]


def _unite(positions: list[Float64]) -> Float64:
    return positions[0] if len(positions) == 1 else np.unique(np.concatenate([np.empty(0), *positions]))


def _thin(positions: Row, limit: int) -> Row:
    if len(positions) <= limit:
        return positions
    return positions[_even_places(len(positions), limit)]


# Runs of a sweep are as long as each other.
@lru_cache(maxsize=64)
def _even_places(count: int, limit: int) -> Int64:
    return np.linspace(0, count - 1, limit).round().astype(np.int64)


def _encode(found: _Found, body: StopsBody) -> Answer | Struct:
    clock = found.clock
    if clock is None:
        step, times = np.empty(0), np.empty(0)
    else:
        step = _thin(clock.step.astype(np.float64), MAX_CLOCK_POINTS)
        times = _thin(clock.wall_time, MAX_CLOCK_POINTS)
    if body.format == "json":
        return Stops(
            generation=found.generation,
            at=numbers(found.at),
            samples=numbers(found.samples),
            newest=found.newest,
            clock=None
            if clock is None
            else Clock(clock.info.name, clock.start_time, step.astype(np.int64).tolist(), numbers(times)),
        )
    head = {
        "version": 1,
        "generation": found.generation,
        "stops": len(found.at),
        "samples": len(found.samples),
        "newest": found.newest,
        "clock": clock and {"run": clock.info.name, "start_time": clock.start_time, "points": len(step)},
    }
    blocks: list[NDArray[np.generic]] = [
        little_endian(each) for each in (found.at, found.samples, step, times)
    ]
    return Answer(pack_columns(head, blocks), COLUMNS)


ROUTES = (Route("/api/stops", read_stops, Stops, body=StopsBody, media_types=(JSON, COLUMNS)),)
