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

# Between cells of CSV, once quotes are resolved.
UNIT_SEPARATOR = "\x1f"

Cells = list[str]


class Lines(NamedTuple):
    """The lines of the file, one per point."""

    header: Cells | None
    rows: list[str]
    problems: list[str]


def parse_metadata(name: str, data: bytes, points: int) -> Metadata:
    """Columns of exactly `points` values. Never fails: what cannot be used is left out, and `problems` says so."""
    text, problems = _decode(name, data)
    text = text.removeprefix(BOM)
    try:
        lines, separator = _split(name, text)
    except csv.Error as error:
        return Metadata({}, problems=(*problems, f"{name} cannot be read as CSV: {error}."))
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return Metadata({}, problems=(*problems, f"{name} is empty: the {points:,} vectors have no labels."))
    header, rows, more = _find_rows(name, lines, separator, points)
    columns, others = _make_columns(name, header, rows, separator, points)
    following, wrong = _find_next(name, columns, points)
    return Metadata(columns, following, (*problems, *more, *others, *wrong))


def _split(name: str, text: str) -> tuple[list[str], str]:
    """The lines, and what is between their cells."""
    if name.lower().endswith(".csv"):
        return [UNIT_SEPARATOR.join(row) for row in csv.reader(io.StringIO(text))], UNIT_SEPARATOR
    return text.replace("\r\n", "\n").removesuffix("\r").split("\n"), "\t"


def make_metadata(columns: Sequence[tuple[str, Sequence[str | None]]], points: int) -> Metadata:
    """Of columns that came with the vectors."""
    names = _unique([name for name, _ in columns])
    made = {name: Column.of(name, values) for name, (_, values) in zip(names, columns, strict=True)}
    following, wrong = _find_next("The file", made, points)
    return Metadata(made, following, tuple(wrong))


def _decode(name: str, data: bytes) -> tuple[str, list[str]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode("latin-1"), [f"{name}, line {line:,}: not UTF-8. The file is read as Latin-1."]


def _find_rows(name: str, lines: list[str], separator: str, points: int) -> Lines:
    """Which lines are labels. Blank lines are skipped, unless there is a line for every vector only with them."""
    filled = [line for line in lines if line.strip()]
    first = filled[0].split(separator)
    has_header = len(first) > 1
    skipped = lines.index(filled[0])
    if len(filled) - has_header != points and len(lines) - skipped - has_header == points:
        filled = lines[skipped:]
    problems: list[str] = []
    if has_header and len(filled) == points and not _is_header(first, filled[1:], separator):
        problems.append(
            f"{name} has several columns and no header with their names. Its first line is taken as the first label; "
            "add a line with the names of the columns."
        )
        return Lines([f"column {number}" for number in range(1, len(first) + 1)], filled, problems)
    header, rows = (first, filled[1:]) if has_header else (None, filled)
    if not has_header and len(filled) == points + 1 and not _is_number(first[0]):
        problems.append(
            f"{name} has one line more than there are vectors. Its first line, {_shown(first[0])!r}, is taken as the name of "
            "the column; a single column should have no header."
        )
        header, rows = first, filled[1:]
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


def _is_header(first: Cells, below: list[str], separator: str) -> bool:
    """Whether a column has a word in the first line and numbers in all others."""
    rows = [line.split(separator) for line in below]
    return any(
        not _is_number(cell)
        and bool(rows)
        and all(number < len(row) and (not row[number] or _is_number(row[number])) for row in rows)
        for number, cell in enumerate(first)
    )


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None


def _make_columns(
    name: str, header: Cells | None, rows: list[str], separator: str, points: int
) -> tuple[dict[str, Column], list[str]]:
    names = _unique([each.strip() or f"column {number}" for number, each in enumerate(header or [LABEL], 1)])
    width = len(names)
    rows = rows[:points]
    problems = []
    counts = [row.count(separator) + 1 for row in rows]
    if any(count != width for count in counts):
        # A blank line is a point without a label.
        uneven = [at for at, count in enumerate(counts) if count != width and rows[at].strip()]
        if uneven:
            line = 1 if header is None else 2
            shown = ", ".join(f"{at + line:,} ({counts[at]})" for at in uneven[:MAX_LISTED])
            more = f" and {len(uneven) - MAX_LISTED:,} others" if len(uneven) > MAX_LISTED else ""
            problems.append(
                f"{name} has {width} columns, but other numbers of cells in the lines {shown}{more}. Missing cells are empty, further "
                "ones are left out."
            )
        rows = [separator.join((row.split(separator) + [""] * width)[:width]) for row in rows]
    # All cells in one list, of which a column is every few: rows as lists would take seconds for a million.
    cells: list[str | None] = [cell or None for cell in separator.join(rows).split(separator)] if rows else []
    missing: list[str | None] = [None] * (points - len(rows))
    columns = {each: Column.of(each, cells[at::width] + missing) for at, each in enumerate(names)}
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
        return None, [f"{name}: {column.name} has values that are not row numbers. No sequences are drawn."]
    is_row = (numbers >= 0) & (numbers < points) & (numbers == np.floor(numbers))
    wrong = int(np.count_nonzero((numbers >= points) | (numbers != np.floor(numbers)) & np.isfinite(numbers)))
    following = np.where(is_row, numbers, -1).astype(np.int32)
    problems = [f"{name}: {column.name} names {wrong:,} rows that do not exist."] if wrong else []
    return following, problems


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
