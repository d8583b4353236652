"""One event file of a run, and the rows of a series in it. Of other files it knows only their order."""

from __future__ import annotations

import re

from msgspec import Struct

from runglass.native.columns import Columns
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


def file_order(name: str) -> tuple[list[str | int], str]:
    """Sort key of a file name that compares numbers as numbers: the tenth file comes after the second.

    The name itself orders `01` and `1`, so that no two names are equal.
    """
    return [int(part) if part.isdecimal() else part for part in NUMBERS.split(name)], name
