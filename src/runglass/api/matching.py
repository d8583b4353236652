"""Which texts match regular expressions, in a worker process: one may run forever, and a process can be killed.

Gets plain values and encodes its result itself: with types of the server it would import NumPy and start much slower.
"""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from runglass.jobs.context import Context, Encoded

# Texts in one input, and between two heartbeats.
BATCH_TEXTS = 4_096
CHECK_EVERY = 256
SEPARATOR = "\n"


class Batch(NamedTuple):
    """Some texts to look for a pattern in; every input is one."""

    # What these are texts of: a name, or a tuple of names and numbers.
    place: Any
    pattern: str
    ignores_case: bool
    # Number of the first of them among all texts of this place.
    first: int
    # Joined by SEPARATOR, which is sent in a tenth of the time, unless one of them has it.
    texts: str | list[str]


def split_texts(
    context: Context, place: Any, texts: Sequence[str], pattern: str, *, ignores_case: bool = True
) -> Iterator[Batch]:
    """At least one, so that the result has every place."""
    for first in range(0, max(1, len(texts)), BATCH_TEXTS):
        context.check()
        some = texts[first : first + BATCH_TEXTS]
        joined = SEPARATOR.join(some)
        is_whole = joined.count(SEPARATOR) == max(0, len(some) - 1)
        yield Batch(place, pattern, ignores_case, first, joined if is_whole and some else list(some))


def match_texts(context: Context, inputs: Iterator[Any]) -> Encoded:
    """Place → numbers of the texts that match: 32-bit integers in base64."""
    found: dict[Any, array[int]] = {}
    done = 0
    for batch in inputs:
        context.progress("Searching", done)
        matches = re.compile(batch.pattern, re.IGNORECASE if batch.ignores_case else 0).search
        numbers = found.setdefault(batch.place, array("i"))
        texts = batch.texts.split(SEPARATOR) if isinstance(batch.texts, str) else batch.texts
        for first in range(0, len(texts), CHECK_EVERY):
            context.check()
            some = texts[first : first + CHECK_EVERY]
            numbers.extend([number for number, text in enumerate(some, batch.first + first) if matches(text)])
        done += len(texts)
    places = [(place, b64encode(numbers.tobytes()).decode()) for place, numbers in found.items()]
    return Encoded(json.dumps({"places": places}).encode(), is_json=True)
