"""Search over the names and arguments of all events: every different text is looked at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Literal

import numpy as np
from msgspec import Struct

from runglass.native.trace_groups import marked
from runglass.native.trace_rows import find_arguments
from runglass.native.trace_view import find_texts
from runglass.query.patterns import compile_pattern
from runglass.query.profiles.model import Bytes, Int32, Mask, Trace

Where = Literal["all", "names", "arguments"]
Mode = Literal["text", "pattern"]
# By one thread.
EVENTS_AT_ONCE = 500_000


class Matches(Struct):
    """The events that match, in the order of time."""

    events: Int32
    # How many events before each match, by number: n + 1 of them.
    before: Int32


def match_texts(trace: Trace, q: str, mode: Mode) -> Bytes:
    """1 for each text that matches."""
    if mode == "pattern":
        return match_pattern(trace, q)
    wanted = q.casefold()
    if not wanted.isascii():
        found = np.full(len(trace.strings), 2, np.uint8)
    else:
        found = find_texts(trace.string_bytes, trace.string_ends, wanted.encode())
    for number in np.flatnonzero(found == 2).tolist():
        found[number] = wanted in trace.strings[number].casefold()
    return found


def match_pattern(trace: Trace, q: str) -> Bytes:
    pattern = compile_pattern(q)
    found = np.zeros(len(trace.strings), np.uint8)
    for number, text in enumerate(trace.strings):
        found[number] = pattern.search(text) is not None
    return found


def number_of(q: str) -> float | None:
    """What is searched for as a number among arguments, too."""
    digits = q.strip().replace(",", "")
    try:
        whole = int(digits)
        if -(2**63) <= whole < 2**63:
            return whole
    except ValueError:
        pass
    try:
        value = float(digits)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def search(
    trace: Trace,
    q: str,
    where: Where = "all",
    mode: Mode = "text",
    tracks: Sequence[int] | None = None,
    matched: Bytes | None = None,
) -> Matches:
    """`matched`: 1 for each text that matches, if that is known."""
    texts = match_texts(trace, q, mode) if matched is None else matched
    number = number_of(q) if mode == "text" else None
    has_texts = bool(texts.any())
    in_names = where != "arguments" and has_texts
    # Most texts are names alone, and looking at all arguments takes most of the time.
    values = texts & trace.argument_texts
    in_arguments = where != "names" and (bool(values.any()) or number is not None)
    found: Mask = np.zeros(len(trace), np.bool_)
    before = np.zeros(len(trace) + 1, np.int32)
    allowed: Mask | None = None
    if tracks is not None:
        allowed = np.zeros(len(trace.tracks), np.bool_)
        allowed[list(tracks)] = True
        # Computed here, where only one thread asks for it.
        of_track = trace.track
    # Of ten million events each part takes a tenth of a second, so all cores take turns.
    with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="runglass-search") as pool:
        rows: Mask | None = None
        if in_arguments:

            def look(first: int) -> Mask:
                ends, last = trace.arguments_end, first + EVENTS_AT_ONCE
                return find_arguments(trace.arguments, ends, values, number, first=first, last=last)

            parts = pool.map(look, range(0, len(trace.arguments_end), EVENTS_AT_ONCE))
            rows = np.concatenate([np.zeros(0, np.bool_), *parts])

        def mark(first: int) -> int:
            some = slice(first, first + EVENTS_AT_ONCE)
            if in_names:
                found[some] = marked(texts, trace.name[some])
            if rows is not None:
                found[some] |= marked(rows.view(np.uint8), trace.source[some])
            if allowed is not None:
                found[some] &= marked(allowed.view(np.uint8), of_track[some])
            return int(np.count_nonzero(found[some]))

        def count(first: int, earlier: int) -> Int32:
            own = found[first : first + EVENTS_AT_ONCE]
            counts = before[first + 1 : first + 1 + len(own)]
            np.cumsum(own, out=counts)
            counts += earlier
            return (np.flatnonzero(own) + first).astype(np.int32)

        listed = [np.empty(0, np.int32)]
        if in_names or in_arguments:
            blocks = range(0, len(trace), EVENTS_AT_ONCE)
            counts = list(pool.map(mark, blocks))
            listed.extend(pool.map(count, blocks, accumulate(counts[:-1], initial=0)))
    events = np.concatenate(listed)
    order = np.argsort(trace.start_ps[events], kind="stable")
    return Matches(events[order], before)


def find_match(
    trace: Trace, matches: Matches, *, event: int | None, from_ps: int, forward: bool
) -> int | None:
    """The place among the matches of the next or previous one, from an event or a time; goes round at the ends."""
    events = matches.events
    if not len(events):
        return None
    if event is not None:
        key = int(trace.start_ps[event]), event
    else:
        key = from_ps, -1 if forward else len(trace)
    starts = trace.start_ps[events]
    first = int(np.searchsorted(starts, key[0], side="left"))
    last = int(np.searchsorted(starts, key[0], side="right"))
    # Among those that begin together, by number.
    at = first + int(np.searchsorted(events[first:last], key[1], side="right" if forward else "left"))
    if not forward:
        at -= 1
    return at % len(events)


def count_on_strip(trace: Trace, matches: Matches, width: int) -> tuple[Int32, Int32]:
    """Where matches begin: pixels of the whole trace, and how many in each."""
    if not len(matches.events):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    scale = width / max(trace.info.end_ps, 1)
    pixel = np.clip((trace.start_ps[matches.events] * scale).astype(np.int64), 0, width - 1)
    counts = np.bincount(pixel, minlength=width)
    used = np.flatnonzero(counts)
    return used.astype(np.int32), counts[used].astype(np.int32)
