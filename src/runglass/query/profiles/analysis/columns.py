"""Arguments of some events as columns, of several keys in one pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.trace_rows import columns_of, samples_of
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import on_device
from runglass.query.profiles.model import MISSING, Float64, Int32, Int64, Place, Trace

# By one thread.
EVENTS_AT_ONCE = 1 << 16
# Of events of devices, looked up once for all views.
NUMBERS = ("program_id",)
TEXTS = ("hlo_module", "hlo_op", "tf_op", "kernel_details")
SHARED_KEYS = frozenset({*NUMBERS, *TEXTS})


def columns(
    trace: Trace,
    number_keys: Sequence[str],
    text_keys: Sequence[str],
    events: Int64 | Int32,
    place: Place | None = None,
) -> tuple[Int64, Int32]:
    """Numbers (MISSING) and texts (-1) under these keys: a row for each key, a column for each of these events. `place`: where all of them
    are."""
    numbers = [trace.find_key(key, place) for key in number_keys]
    texts = [trace.find_key(key, place) for key in text_keys]
    if max([*numbers, *texts], default=-1) < 0:
        shape = len(events)
        return np.full((len(numbers), shape), MISSING, np.int64), np.full((len(texts), shape), -1, np.int32)
    if len(events) > EVENTS_AT_ONCE and {*number_keys, *text_keys} <= SHARED_KEYS:
        shared = shared_columns(trace)
        own_numbers = rows_at(shared.numbers, [NUMBERS.index(key) for key in number_keys])
        own_texts = rows_at(shared.texts, [TEXTS.index(key) for key in text_keys])
        if np.array_equal(events, shared.events):
            return own_numbers, own_texts
        at = shared.place[events]
        if int(at.min()) >= 0:
            return own_numbers[:, at], own_texts[:, at]
    return look_up(trace, numbers, texts, events)


N = TypeVar("N", np.int32, np.int64)


def rows_at(table: NDArray[N], at: list[int]) -> NDArray[N]:
    """Not copied where they follow each other."""
    first = at[0] if at else 0
    last = first + len(at)
    return table[first:last] if at == list(range(first, last)) else table[at]


class Shared(Struct):
    """What several views ask of the work of devices."""

    events: Int64
    # For each event of the trace where it is in the columns, -1: nowhere.
    place: Int32
    numbers: Int64
    texts: Int32


@kept
def shared_columns(trace: Trace) -> Shared:
    events = np.flatnonzero(on_device(trace) & (trace.duration_ps > 0))
    place = np.full(len(trace), -1, np.int32)
    place[events] = np.arange(len(events), dtype=np.int32)
    numbers, texts = [trace.strings.find(key) for key in NUMBERS], [trace.strings.find(key) for key in TEXTS]
    return Shared(events, place, *look_up(trace, numbers, texts, events))


def look_up(trace: Trace, numbers: list[int], texts: list[int], events: Int64 | Int32) -> tuple[Int64, Int32]:
    """Keys as numbers of texts."""
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
    number = trace.find_key(key)
    if number >= 0:
        rows = trace.source[events].astype(np.int64)
        at, keys, values = samples_of(trace.arguments, trace.arguments_end, rows)
        own = keys == number
        found[at[own]] = values[own]
    return found
