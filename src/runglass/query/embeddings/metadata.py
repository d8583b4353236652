"""Labels of points: a text file with one line per vector. What does not fit is put right where it is clear, and told of.

As in TensorBoard, the first line is a header exactly if there are several columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runglass.query.embeddings.model import NEXT_COLUMNS, NUMBER, Column, Int32, Metadata

LABEL = "label"
BOM = "\ufeff"
# Names of a few lines are enough to find the others.
MAX_LISTED = 3
SHOWN_CHARACTERS = 40

Row = list[str]


class Lines(NamedTuple):
    """The cells of the file, a row per point."""

    header: Row | None
    rows: list[Row]
    problems: list[str]


def parse_metadata(name: str, data: bytes, points: int) -> Metadata:
    """Columns of exactly `points` values. Never fails: what cannot be used is left out, and `problems` says so."""
    text, problems = _decode(name, data)
    is_csv = name.lower().endswith(".csv")
    lines = text.removeprefix(BOM).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return Metadata({}, problems=(*problems, f"{name} is empty: the {points:,} vectors have no labels."))
    found = (
        _split_csv(text.removeprefix(BOM))
        if is_csv
        else [line.removesuffix("\r").split("\t") for line in lines]
    )
    header, rows, more = _find_rows(name, found, points)
    columns, others = _make_columns(name, header, rows, points, first_line=1 if header is None else 2)
    following, wrong = _find_next(name, columns, points)
    return Metadata(columns, following, (*problems, *more, *others, *wrong))


def make_metadata(columns: Sequence[tuple[str, Sequence[str | None]]], points: int) -> Metadata:
    """Of columns that came with the vectors."""
    made = {
        name: Column.of(name, values)
        for name, values in zip(
            _unique([name for name, _ in columns]), (values for _, values in columns), strict=True
        )
    }
    following, wrong = _find_next("The file", made, points)
    return Metadata(made, following, tuple(wrong))


def _decode(name: str, data: bytes) -> tuple[str, list[str]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode("latin-1"), [f"{name}, line {line:,}: not UTF-8. The file is read as Latin-1."]


def _split_csv(text: str) -> list[Row]:
    return [row or [""] for row in csv.reader(io.StringIO(text))]


def _find_rows(name: str, lines: list[Row], points: int) -> Lines:
    """Which lines are labels. Blank lines are skipped, unless there is a line for every vector only with them."""
    filled = [row for row in lines if any(cell.strip() for cell in row)]
    has_header = len(filled[0]) > 1
    skipped = lines.index(filled[0])
    if len(filled) - has_header != points and len(lines) - skipped - has_header == points:
        filled = lines[skipped:]
    problems: list[str] = []
    if has_header and len(filled) == points and not _is_header(filled):
        problems.append(
            f"{name} has several columns and no header with their names. Its first line is taken as the first label; "
            "add a line with the names of the columns."
        )
        return Lines([f"column {number}" for number in range(1, len(filled[0]) + 1)], filled, problems)
    if has_header:
        header, rows = filled[0], filled[1:]
    elif len(filled) == points + 1 and not _is_number(filled[0][0]):
        problems.append(
            f"{name} has one line more than there are vectors. Its first line, {_shown(filled[0][0])!r}, is taken as the name of "
            "the column; a single column should have no header."
        )
        header, rows = filled[0], filled[1:]
    else:
        header, rows = None, filled
    if len(rows) != points:
        problems.append(_tell_difference(name, len(rows), points))
    return Lines(header, rows, problems)


def _tell_difference(name: str, labels: int, points: int) -> str:
    counts = f"{name} has {_count(labels, 'label')} and there are {_count(points, 'vector')}."
    if labels < points:
        return f"{counts} The last {_count(points - labels, 'vector')} {'has' if points == labels + 1 else 'have'} none."
    return f"{counts} The last {_count(labels - points, 'label')} {'is' if labels == points + 1 else 'are'} left out."


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _is_header(lines: list[Row]) -> bool:
    """Whether a column has a word in the first line and numbers in all others."""
    below = lines[1:]
    return any(
        not _is_number(cell)
        and bool(below)
        and all(number < len(row) and (not row[number] or _is_number(row[number])) for row in below)
        for number, cell in enumerate(lines[0])
    )


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None


def _make_columns(
    name: str, header: Row | None, rows: list[Row], points: int, *, first_line: int
) -> tuple[dict[str, Column], list[str]]:
    names = _unique([each.strip() or f"column {number}" for number, each in enumerate(header or [LABEL], 1)])
    width = len(names)
    problems = []
    # A blank line is a point without a label.
    uneven = [number for number, row in enumerate(rows) if len(row) != width and any(row)]
    if uneven:
        shown = ", ".join(f"{number + first_line:,} ({len(rows[number])})" for number in uneven[:MAX_LISTED])
        more = f" and {len(uneven) - MAX_LISTED:,} others" if len(uneven) > MAX_LISTED else ""
        problems.append(
            f"{name} has {width} columns, but other numbers of cells in the lines {shown}{more}. Missing cells are empty, further "
            "ones are left out."
        )
    if any(len(row) != width for row in rows):
        rows = [(row + [""] * width)[:width] for row in rows]
    cells = zip(*rows[:points], strict=True) if rows else iter([()] * width)
    missing: list[str | None] = [None] * max(0, points - len(rows))
    columns = {}
    for each, column in zip(names, cells, strict=True):
        columns[each] = Column.of(each, [*(cell or None for cell in column), *missing])
    return columns, problems


def _unique(names: Sequence[str]) -> list[str]:
    """The same names; where one comes again, it gets a number."""
    made: dict[str, None] = {}
    for name in names:
        number, unique = 1, name
        while unique in made:
            number += 1
            unique = f"{name} ({number})"
        made[unique] = None
    return list(made)


def _find_next(name: str, columns: dict[str, Column], points: int) -> tuple[Int32 | None, list[str]]:
    column = next((columns[each] for each in NEXT_COLUMNS if each in columns), None)
    if column is None:
        return None, []
    numbers = column.numbers
    if numbers is None:
        return None, [
            f"{name}: {column.name} has values that are no numbers of rows. No sequences are drawn."
        ]
    is_row = (numbers >= 0) & (numbers < points) & (numbers == np.floor(numbers))
    wrong = int(np.count_nonzero((numbers >= points) | (numbers != np.floor(numbers)) & np.isfinite(numbers)))
    following = np.where(is_row, numbers, -1).astype(np.int32)
    problems = [f"{name}: {column.name} names {wrong:,} rows that do not exist."] if wrong else []
    return following, problems


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
