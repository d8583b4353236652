"""Writes CSV: lines end with LF, and every text that has a CR or an LF is quoted. Knows no table."""

from __future__ import annotations

import csv
from typing import Any, Protocol


class TextFile(Protocol):
    def write(self, text: str, /) -> Any: ...


class _Lines:
    def __init__(self, file: TextFile) -> None:
        self._file = file

    def write(self, line: str) -> Any:
        return self._file.write(line[:-2] + "\n")


def csv_writer(file: TextFile) -> Any:
    """Python's own writer, which quotes only what is in its line terminator: with LF alone, a CR in a tag would end a row."""
    return csv.writer(_Lines(file), lineterminator="\r\n")
