"""Searches texts for a pattern, in a worker process: a regular expression may run forever, and a process can be killed.

Gets plain values and encodes its results itself: with a type of shape.py it would import NumPy and start much slower.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from runglass.jobs.context import Context, Encoded

MAX_COUNT = 1_000
MAX_PLACES = 20
BEFORE_CHARACTERS = 24
EXCERPT_CHARACTERS = 220


class Search(NamedTuple):
    """The first input: what to find, and what the result says beside the hits."""

    pattern: str
    flags: int
    limit: int
    generation: int
    # Number of values that will follow.
    total: int


class Value(NamedTuple):
    """Further inputs are lists of these, in the order of the answer."""

    # The fields of a hit that say where it is.
    place: dict[str, Any]
    cells: list[str]


def find_hits(context: Context, inputs: Iterator[Any]) -> Encoded:
    search: Search = next(inputs)
    pattern = re.compile(search.pattern, search.flags)
    hits: list[dict[str, Any]] = []
    searched = 0
    stopped = None
    context.progress("Searching", 0, search.total)
    for batch in inputs:
        found = []
        for value in batch:
            context.check()
            hit = find_hit(pattern, value)
            if hit is not None:
                found.append(hit)
        searched += len(batch)
        if found:
            context.partial(_encode({"hits": found[: search.limit - len(hits)]}))
        hits += found
        context.progress("Searching", searched, search.total)
        if len(hits) >= search.limit:
            if searched < search.total or len(hits) > search.limit:
                stopped = f"More than {search.limit:,} values match; these are the first."
            break
    return _encode(
        {
            "generation": search.generation,
            "hits": hits[: search.limit],
            "searched": searched,
            "total": search.total,
            "stopped": stopped,
        }
    )


def find_hit(pattern: re.Pattern[str], value: Value) -> dict[str, Any] | None:
    """The first match of a value with an excerpt, and the number of matches in all of its cells."""
    hit = None
    for number, cell in enumerate(value.cells):
        count, places = find_places(pattern, cell)
        if count and hit is None:
            excerpt, matches = make_excerpt(cell, places)
            hit = {**value.place, "cell": number, "excerpt": excerpt, "matches": matches, "count": count}
        elif count and hit is not None:
            hit["count"] = min(hit["count"] + count, MAX_COUNT)
    return hit


def find_places(pattern: re.Pattern[str], text: str) -> tuple[int, list[tuple[int, int]]]:
    """The number of matches and the spans of the first ones. Empty matches do not count."""
    places: list[tuple[int, int]] = []
    count = 0
    for match in islice(pattern.finditer(text), MAX_COUNT):
        if match.start() < match.end():
            count += 1
            if len(places) < MAX_PLACES:
                places.append(match.span())
    return count, places


def make_excerpt(text: str, places: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text around the first match on one line, and the spans of the matches in it."""
    start = max(0, places[0][0] - BEFORE_CHARACTERS)
    end = min(len(text), start + EXCERPT_CHARACTERS)
    # One character for one, so that spans stay valid.
    excerpt = re.sub(r"\s", " ", text[start:end])
    matches = [(max(at, start) - start, min(to, end) - start) for at, to in places if at < end]
    return excerpt, matches


def _encode(value: dict[str, Any]) -> Encoded:
    return Encoded(json.dumps(value, separators=(",", ":")).encode(), is_json=True)
