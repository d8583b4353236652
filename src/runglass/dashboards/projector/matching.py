"""Which texts match a regular expression, in a worker process: one may run forever, and a process can be killed.

Gets plain values and encodes its result itself: with a type of shape.py it would import NumPy and start much slower.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from runglass.jobs.context import Context, Encoded

# Texts between two heartbeats.
CHECK_EVERY = 256


class Batch(NamedTuple):
    """Some texts of a column; the first input is the pattern, all others are these."""

    column: str
    # Number of the first of them among all different texts of the column.
    first: int
    texts: list[str]


def match_levels(context: Context, inputs: Iterator[Any]) -> Encoded:
    """Column → numbers of the texts that match."""
    pattern = re.compile(next(inputs), re.IGNORECASE)
    found: dict[str, list[int]] = {}
    done = 0
    for batch in inputs:
        context.progress("Searching", done)
        matches = found.setdefault(batch.column, [])
        for index, text in enumerate(batch.texts):
            if not index % CHECK_EVERY:
                context.check()
            if pattern.search(text):
                matches.append(batch.first + index)
        done += len(batch.texts)
    return Encoded(json.dumps({"levels": found}).encode(), is_json=True)
