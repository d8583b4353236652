"""One event file of a run, and the rows that a series has in it. Knows nothing of the run or of other files but their order."""

from __future__ import annotations

import re

from msgspec import Struct

from runglass.native.columns import Columns
from runglass.store.model import FileState

NUMBERS = re.compile(r"(\d+)")

Start = tuple[int, int]
"""A session start as one series sees it: rows of the file before it, and the step it names."""


class FileStage(Struct):
    """One event file of a run: how much of it is in the store, and how it is doing."""

    name: str
    path: str
    # The path in the words of the user: below the log directory as it was named.
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
    # Smallest step of a session start in this file; series that the file does not mention are overwritten from there on.
    start_step: int | None = None


class Part(Struct):
    """The rows of one series in one file."""

    file: FileStage
    columns: Columns
    starts: tuple[Start, ...] = ()
    # Rows at the last growth.
    noted: int = 0


def file_order(name: str) -> tuple[list[str | int], str]:
    """The sort key of a file: its name with numbers compared as numbers, so that the tenth file comes after the second.

    The name itself decides between `01` and `1`; no two files of a run are equal.
    """
    return [int(part) if part.isdecimal() else part for part in NUMBERS.split(name)], name
