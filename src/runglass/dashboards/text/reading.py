"""Loads logged values as cells of text, long ones cut. Knows no HTTP."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from runglass.api.answers import number
from runglass.api.samples import unexpected_value
from runglass.dashboards.text.shape import PREVIEW_CHARACTERS, Text
from runglass.errors import ValueDamaged
from runglass.query.source import DataSource, Values

REPLACEMENT_MARK = "\N{REPLACEMENT CHARACTER}"


def row_of(values: Values, index: int) -> int:
    return index if values.rows is None else int(values.rows[index])


def load_cells(source: DataSource, values: Values, index: int) -> tuple[list[int], list[str]]:
    """Shape and cells of one value. Raises ValueDamaged also if the value is not text."""
    return to_cells(values, index, source.load_value(values, index))


def to_cells(values: Values, index: int, value: Any) -> tuple[list[int], list[str]]:
    if isinstance(value, str):
        return [], [value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value.shape), [str(cell) for cell in value.flat]
    raise unexpected_value(values, index, value, expected="text")


def load_text(
    source: DataSource, values: Values, index: int, *, limit: int | None = PREVIEW_CHARACTERS
) -> Text:
    """One value, cut to `limit` characters. If it cannot be read, `problem` says why."""
    problem = None
    shape: list[int] = []
    cells: list[str] = []
    try:
        shape, cells = load_cells(source, values, index)
    except ValueDamaged as error:
        problem = error.message
    kept = cells if limit is None else cut(cells, limit)
    return Text(
        run=values.key.run,
        tag=values.key.tag,
        row=row_of(values, index),
        step=int(values.step[index]),
        wall_time=number(values.wall_time[index]),
        shape=shape,
        values=kept,
        size_bytes=sum(len(cell.encode("utf-8", "surrogatepass")) for cell in cells),
        is_cut=len(kept) < len(cells) or (len(kept) > 0 and len(kept[-1]) < len(cells[len(kept) - 1])),
        marks=sum(cell.count(REPLACEMENT_MARK) for cell in cells),
        problem=problem,
    )


def cut(cells: list[str], limit: int) -> list[str]:
    """The first cells with `limit` characters in total; the last one may be cut. An empty cell counts as one character."""
    kept = []
    for cell in cells:
        if limit <= 0:
            break
        kept.append(cell[:limit])
        limit -= max(1, len(cell))
    return kept


def as_plain_text(shape: list[int], cells: list[str]) -> str:
    """A single text unchanged; a tensor as one line per row with tabs between cells."""
    if prod(shape) == 1:
        return cells[0]
    width = shape[-1] if len(shape) > 1 else 1
    rows = [cells[at : at + width] for at in range(0, len(cells), max(1, width))]
    return "\n".join("\t".join(row) for row in rows)
