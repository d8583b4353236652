"""Arguments of some events as columns, of several keys in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from runglass.native.trace_rows import columns_of, samples_of
from runglass.query.profiles.model import MISSING, Float64, Int32, Int64, Trace

# By one thread.
EVENTS_AT_ONCE = 1 << 16


def columns(
    trace: Trace, number_keys: Sequence[str], text_keys: Sequence[str], events: Int64 | Int32
) -> tuple[Int64, Int32]:
    """Numbers (MISSING) and texts (-1) under these keys: a row for each key, a column for each of these events."""
    numbers = [trace.strings.find(key) for key in number_keys]
    texts = [trace.strings.find(key) for key in text_keys]
    if max([*numbers, *texts], default=-1) < 0:
        shape = len(events)
        return np.full((len(numbers), shape), MISSING, np.int64), np.full((len(texts), shape), -1, np.int32)
    rows = trace.source[events].astype(np.int64)

    def look(first: int) -> tuple[Int64, Int32]:
        some = rows[first : first + EVENTS_AT_ONCE]
        return columns_of(trace.arguments, trace.arguments_end, numbers, texts, some)

    if len(rows) <= EVENTS_AT_ONCE:
        return look(0)
    found_numbers = np.empty((len(numbers), len(rows)), np.int64)
    found_texts = np.empty((len(texts), len(rows)), np.int32)
    starts = range(0, len(rows), EVENTS_AT_ONCE)
    with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="runglass-arguments") as pool:
        # Copied as they come: what a thread frees, the C library keeps for it, so that it should never have had much.
        for first, (some_numbers, some_texts) in zip(starts, pool.map(look, starts), strict=True):
            found_numbers[:, first : first + EVENTS_AT_ONCE] = some_numbers
            found_texts[:, first : first + EVENTS_AT_ONCE] = some_texts
    return found_numbers, found_texts


def floats(trace: Trace, key: str, events: Int64 | Int32) -> Float64:
    """The number under a key for each of these events, NaN where there is none."""
    found = np.full(len(events), np.nan)
    number = trace.strings.find(key)
    if number >= 0:
        rows = trace.source[events].astype(np.int64)
        at, keys, values = samples_of(trace.arguments, trace.arguments_end, rows)
        own = keys == number
        found[at[own]] = values[own]
    return found
