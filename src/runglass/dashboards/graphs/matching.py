"""Which texts match regular expressions, in a worker process: one may run forever, and a process can be killed.

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
    """Some texts to look for a pattern in; every input is one."""

    place: tuple[int, int, str]
    pattern: str
    # Number of the first of them among all texts of this place.
    first: int
    texts: list[str]


def match_texts(context: Context, inputs: Iterator[Any]) -> Encoded:
    """Place → numbers of the texts that match."""
    found: dict[tuple[int, int, str], list[int]] = {}
    done = 0
    for batch in inputs:
        context.progress("Searching", done)
        matches = re.compile(batch.pattern, re.IGNORECASE).search
        numbers = found.setdefault(batch.place, [])
        for index, text in enumerate(batch.texts):
            if not index % CHECK_EVERY:
                context.check()
            if matches(text):
                numbers.append(batch.first + index)
        done += len(batch.texts)
    return Encoded(json.dumps({"places": list(found.items())}).encode(), is_json=True)
