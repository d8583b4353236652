"""Which texts match a regular expression, in a worker process: one may run forever, and a process can be killed.

Gets plain values and encodes its result itself: with a type of shape.py it would import NumPy and start much slower.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from runglass.jobs.context import Context, Encoded

# Texts between two heartbeats.
CHECK_EVERY = 256


def match_texts(context: Context, inputs: Iterator[Any]) -> Encoded:
    """Numbers of the texts that match. The first input is the pattern, all others are lists of texts."""
    pattern = re.compile(next(inputs), re.IGNORECASE)
    found: list[int] = []
    done = 0
    for texts in inputs:
        context.progress("Searching", done)
        for index, text in enumerate(texts):
            if not index % CHECK_EVERY:
                context.check()
            if pattern.search(text):
                found.append(done + index)
        done += len(texts)
    return Encoded(json.dumps({"texts": found}).encode(), is_json=True)
