"""Finds the attempts (segments) that a restarted training wrote into one series. Pure; the contract is in query/source.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.store.parts import FileStage, Part, file_order


class Segment(NamedTuple):
    """One attempt: its first row in the whole series, and the step from which it overwrites earlier attempts."""

    first_row: int
    first_step: int | None


def find_segments(
    parts: tuple[Part, ...],
    is_points: bool,
    counts: list[int] | None = None,
    starts_elsewhere: Sequence[tuple[str, int]] = (),
) -> list[Segment]:
    """Split the parts of a series at restarts: session starts, and steps that go back from one file to the next.

    Files that overlap in wall time have two writers; a step back between them is not a restart.
    `starts_elsewhere`: session starts, as file name and step, in other files of the run, in file order.
    """
    segments = [Segment(0, None)]
    if len(parts) == 1 and not parts[0].starts and not starts_elsewhere:
        return segments
    waiting = list(starts_elsewhere)
    row = 0
    highest: int | None = None
    previous: FileStage | None = None
    for index, part in enumerate(parts):
        while waiting and file_order(waiting[0][0]) < file_order(part.file.name):
            _add(segments, row, waiting.pop(0)[1])
        steps, walls = _steps(part.columns, is_points)
        if counts is not None:
            steps, walls = steps[: counts[index]], walls[: counts[index]]
        starts = [start for start in part.starts if start[0] <= len(steps)]
        if len(steps) and not (starts and starts[0][0] == 0) and highest is not None and previous is not None:
            is_sequential = previous.max_wall_time is None or not previous.max_wall_time > walls[0]
            if is_sequential and steps[0] <= highest:
                starts.insert(0, (0, 0))
        for before, named_step in starts:
            # Writers that do not know their step write 0; then the attempt starts at the step of its first row.
            own_step = int(steps[before]) if before < len(steps) else None
            first_step = named_step if named_step > 0 else own_step
            _add(segments, row + before, first_step)
        if len(steps):
            top = int(steps.max())
            highest = top if highest is None else max(highest, top)
            previous = part.file
        row += len(steps)
    for _, step in waiting:
        _add(segments, row, step)
    return segments


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
