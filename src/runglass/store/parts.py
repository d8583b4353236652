"""One event file of a run, and the rows of a series in it. Of other files it knows only their order."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.columns import Columns
from runglass.native.pyramid import Pyramid
from runglass.store.model import FileState

NUMBERS = re.compile(r"(\d+)")

Start = tuple[int, int]
"""A session start in the rows of one series: how many rows of the file come before it, and the step it names."""


class FileStage(Struct):
    """One event file of a run: how much of it was read, and its health."""

    name: str
    path: str
    # The path below the log directory as the user wrote it.
    shown: str
    size_bytes: int = 0
    read_bytes: int = 0
    records: int = 0
    skipped_records: int = 0
    state: FileState = FileState.READING
    byte: int | None = None
    reason: str = ""
    advice: str = ""
    min_wall_time: float | None = None
    max_wall_time: float | None = None
    # Smallest step of a session start in this file. It overwrites series that the file does not contain, from there on.
    start_step: int | None = None


class Part(Struct):
    """The rows of one series in one file."""

    file: FileStage
    columns: Columns
    starts: tuple[Start, ...] = ()
    # Number of rows after the last growth.
    noted: int = 0
    # Over the rows, as far as a reader or an index needed it.
    pyramid: Pyramid | None = None
    # A number of rows, and the highest step in them.
    _highest: tuple[int, int] = (0, 0)

    def look_at_rows(self, rows: tuple[NDArray[Any], ...]) -> Pyramid:
        """The pyramid, after it has seen these rows: step, wall time and value of all points."""
        # Two readers may make one each; the last is kept.
        pyramid = self.pyramid
        if pyramid is None:
            pyramid = self.pyramid = self.columns.read_pyramid() or Pyramid()
        pyramid.update(*rows)
        return pyramid

    def highest_step(self, steps: NDArray[np.int64]) -> int:
        """Of the part's steps, of which there is at least one. Only those that are new since the last call are looked at."""
        count, highest = self._highest
        if count > len(steps):
            count, highest = 0, 0
        if count < len(steps):
            top = int(steps[count:].max())
            highest = max(highest, top) if count else top
            self._highest = len(steps), highest
        return highest


def file_order(name: str) -> tuple[list[str | int], str]:
    """Sort key of a file name that compares numbers as numbers: the tenth file comes after the second.

    The name itself orders `01` and `1`, so that no two names are equal.
    """
    return [int(part) if part.isdecimal() else part for part in NUMBERS.split(name)], name
