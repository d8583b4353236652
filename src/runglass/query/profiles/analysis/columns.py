"""Arguments of some events as columns of floats."""

from __future__ import annotations

import numpy as np

from runglass.native.trace_rows import samples_of
from runglass.query.profiles.model import Float64, Int64, Trace


def floats(trace: Trace, key: str, events: Int64) -> Float64:
    """The number under a key for each of these events, NaN where there is none."""
    found = np.full(len(events), np.nan)
    number = trace.strings.find(key)
    if number >= 0:
        rows = trace.source[events].astype(np.int64)
        at, keys, values = samples_of(trace.arguments, trace.arguments_end, rows)
        own = keys == number
        found[at[own]] = values[own]
    return found
