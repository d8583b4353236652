"""Arguments of some events as columns, of several keys in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runglass.native.trace_rows import columns_of, samples_of
from runglass.query.profiles.model import Float64, Int32, Int64, Trace


def columns(
    trace: Trace, number_keys: Sequence[str], text_keys: Sequence[str], events: Int64 | Int32
) -> tuple[Int64, Int32]:
    """Numbers (MISSING) and texts (-1) under these keys: a row for each key, a column for each of these events."""
    return columns_of(
        trace.arguments,
        trace.arguments_end,
        [trace.strings.find(key) for key in number_keys],
        [trace.strings.find(key) for key in text_keys],
        trace.source[events].astype(np.int64),
    )


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
