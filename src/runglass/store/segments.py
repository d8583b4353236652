"""Finds the attempts (segments) that a restarted training wrote into one series. Pure; the contract is in query/source.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.store.parts import Part, file_order


class Segment(NamedTuple):
    """One attempt: its first row in the whole series, and the step from which it overwrites earlier attempts."""

    first_row: int
    first_step: int | None


class PartFacts(Struct, frozen=True):
    """What attempts depend on in the rows of a series in one file."""

    file_name: str
    # Largest wall time of all events of the file.
    file_end_time: float | None
    count: int
    # Of the first row, and the largest step; without meaning where there are no rows.
    first_step: int
    first_wall_time: float
    max_step: int
    # Session starts: rows before it, the step it names, and the step of the row after it, None if there is no such row.
    starts: tuple[tuple[int, int, int | None], ...]


def find_segments(
    parts: tuple[Part, ...],
    is_points: bool,
    counts: list[int] | None = None,
    starts_elsewhere: Sequence[tuple[str, int]] = (),
) -> list[Segment]:
    """Split the parts of a series at restarts: session starts, and steps that go back from one file to the next.

    `starts_elsewhere`: session starts, as file name and step, in other files of the run, in file order.
    """
    if len(parts) == 1 and not parts[0].starts and not starts_elsewhere:
        return [Segment(0, None)]
    facts = (
        find_facts(part, is_points, counts[index] if counts is not None else None)
        for index, part in enumerate(parts)
    )
    return segments_of(facts, starts_elsewhere)


def find_facts(part: Part, is_points: bool, count: int | None = None) -> PartFacts:
    """Of the first `count` rows."""
    steps, walls = _steps(part.columns, is_points)
    if count is not None:
        steps, walls = steps[:count], walls[:count]
    count = len(steps)
    return PartFacts(
        file_name=part.file.name,
        file_end_time=part.file.max_wall_time,
        count=count,
        first_step=int(steps[0]) if count else 0,
        first_wall_time=float(walls[0]) if count else 0.0,
        max_step=part.highest_step(steps) if count else 0,
        starts=tuple(
            (before, step, int(steps[before]) if before < count else None)
            for before, step in part.starts
            if before <= count
        ),
    )


def segments_of(
    parts: Iterator[PartFacts] | Sequence[PartFacts], starts_elsewhere: Sequence[tuple[str, int]] = ()
) -> list[Segment]:
    """As `find_segments`. Files that overlap in wall time have two writers; a step back between them is not a restart."""
    segments = [Segment(0, None)]
    waiting = list(starts_elsewhere)
    row = 0
    highest: int | None = None
    previous: PartFacts | None = None
    for part in parts:
        while waiting and file_order(waiting[0][0]) < file_order(part.file_name):
            _add(segments, row, waiting.pop(0)[1])
        starts = list(part.starts)
        if part.count and not (starts and starts[0][0] == 0) and highest is not None and previous is not None:
            is_sequential = (
                previous.file_end_time is None or not previous.file_end_time > part.first_wall_time
            )
            if is_sequential and part.first_step <= highest:
                starts.insert(0, (0, 0, part.first_step))
        for before, named_step, own_step in starts:
            # Writers that do not know their step write 0; then the attempt starts at the step of its first row.
            _add(segments, row + before, named_step if named_step > 0 else own_step)
        if part.count:
            highest = part.max_step if highest is None else max(highest, part.max_step)
            previous = part
        row += part.count
    for _, step in waiting:
        _add(segments, row, step)
    return segments


def split_rows(
    segments: list[Segment], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
    """The attempt of every row, and the mask of the rows that no later one overwrote; None if that is all of them."""
    total = len(steps)
    segment = np.zeros(total, dtype=np.int32)
    latest = np.ones(total, dtype=np.bool_)
    end = total
    limit: int | None = None
    for number in range(len(segments) - 1, -1, -1):
        first_row, first_step = segments[number]
        segment[first_row:end] = number
        if limit is not None:
            latest[first_row:end] = steps[first_row:end] < limit
        if first_step is not None:
            limit = first_step if limit is None else min(limit, first_step)
        end = first_row
    return segment, None if latest.all() else latest


def _add(segments: list[Segment], row: int, step: int | None) -> None:
    """Begin an attempt. Several at one row become one, with the lowest step."""
    if row == 0:
        return
    if segments[-1].first_row < row:
        segments.append(Segment(row, step))
    elif step is not None:
        before = segments[-1].first_step
        segments[-1] = Segment(row, step if before is None else min(step, before))


def _steps(columns: Columns, is_points: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    read = columns.read_points() if is_points else columns.read_ranges()
    return read[0], read[1]
