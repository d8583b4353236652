"""Finds the attempts (segments) that a restarted training wrote into one series. Pure; the contract is in query/source.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from runglass.store.stage import FileStage, Part

Start = tuple[int, int]
"""A session start as one series sees it: rows of the file before it, and the step it names."""


class Segment(NamedTuple):
    """One attempt: its first row in the whole series, and the step from which it overwrites earlier attempts."""

    first_row: int
    first_step: int | None


def find_segments(parts: tuple[Part, ...], is_points: bool, counts: list[int] | None = None) -> list[Segment]:
    """Split the parts of a series at restarts: session starts, and steps that fall back from one file to the next.

    Files whose wall times overlap were written side by side; falling back from one to the other is no restart.
    """
    segments = [Segment(0, None)]
    if len(parts) == 1 and not parts[0].starts:
        return segments
    row = 0
    highest: int | None = None
    previous: FileStage | None = None
    for index, part in enumerate(parts):
        steps, walls = _steps(part.columns, is_points)
        if counts is not None:
            steps, walls = steps[: counts[index]], walls[: counts[index]]
        starts = [start for start in part.starts if start[0] <= len(steps)]
        if len(steps) and not (starts and starts[0][0] == 0) and highest is not None and previous is not None:
            is_sequential = previous.max_wall_time is None or not previous.max_wall_time > walls[0]
            if is_sequential and steps[0] <= highest:
                starts.insert(0, (0, 0))
        for before, named_step in starts:
            at = row + before
            if at == 0:
                continue
            # Writers that do not know their step name 0: then the first row of the attempt says where it begins.
            own_step = int(steps[before]) if before < len(steps) else None
            first_step = named_step if named_step > 0 else own_step
            segments.append(Segment(at, first_step))
        if len(steps):
            top = int(steps.max())
            highest = top if highest is None else max(highest, top)
            previous = part.file
        row += len(steps)
    return segments


def _steps(columns: Any, is_points: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    read = columns.read_points() if is_points else columns.read_ranges()
    return read[0], read[1]
