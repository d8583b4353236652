"""Metrics in rows: CSV with a header, or JSON lines. One column may be the step and one the time; the others are metrics."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from runglass.errors import BadArgument
from runglass.importing.model import ForeignRun, Row, flatten

STEPS = ("step", "_step", "global_step", "iteration", "iter", "epoch")
TIMES = ("wall_time", "timestamp", "_timestamp", "time")


def read_table(path: Path, *, step: str | None = None) -> ForeignRun:
    """`step` names the column with steps; by default the first of STEPS that is there, else rows are counted."""
    return ForeignRun(path.name.partition(".")[0], _rows(path, step))


def _rows(path: Path, step: str | None) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        entries: Iterable[Mapping[str, Any]] = (
            _json_lines(file, path) if path.suffix in (".jsonl", ".ndjson") else csv.DictReader(file)
        )
        has_values = False
        for number, entry in enumerate(entries):
            row = _row(path, number, entry, step)
            has_values = has_values or bool(row.scalars or row.texts)
            yield row
        if not has_values:
            raise BadArgument(f"{path} has no metrics: below its header, no row has a value.")


def _json_lines(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                entry = json.loads(line)
            except ValueError as error:
                raise BadArgument(f"{path}, line {number}, is not JSON: {error}.") from error
            if not isinstance(entry, dict):
                raise BadArgument(f"{path}, line {number}, is not a JSON object with metrics by name.")
            yield dict(flatten("", entry, between="/"))


def _row(path: Path, number: int, entry: Mapping[str, Any], step: str | None) -> Row:
    if step is not None and step not in entry:
        raise BadArgument(
            f"{path} has no column {step!r}; it has {', '.join(map(str, entry))}.", where="step"
        )
    column = step or next((name for name in STEPS if name in entry), None)
    time = next((name for name in TIMES if name in entry), None)
    at = number
    if column is not None:
        value = _number(entry[column])
        if value is None or value != int(value):
            raise BadArgument(f"{path}, row {number + 1}: the step {entry[column]!r} is not a whole number.")
        at = int(value)
    row = Row(at, None if time is None else _time(entry[time]))
    for name, value in entry.items():
        if name is None or name in (column, time):
            continue
        number_of = _number(value)
        if number_of is not None:
            row.scalars[name] = number_of
        elif isinstance(value, str) and value.strip():
            row.texts[name] = value
    return row


def _number(value: Any) -> float | None:
    """None if it is no number; an empty cell was not logged."""
    try:
        return None if value is None or value == "" else float(value)
    except (TypeError, ValueError):
        return None


def _time(value: Any) -> float | None:
    number = _number(value)
    if number is not None:
        # Milliseconds since 1970 where seconds would be far in the future.
        return number / 1000 if number > 1e11 else number
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return None
