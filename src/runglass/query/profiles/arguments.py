"""Arguments of events: as columns of one key, and all of one event. They stay encoded, in the order of the files."""

from __future__ import annotations

import mmap
import os
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.native.trace_rows import arguments_of
from runglass.native.trace_view import find_values
from runglass.query.profiles.model import (
    BINARY,
    FALSE,
    JSON_TEXT,
    MISSING,
    NULL,
    TEXT,
    TRUE,
    Bytes,
    Int32,
    Int64,
    Trace,
)

# More of a byte string is not shown.
SHOWN_BYTES = 256


# Rows that are looked at before the pages of a mapped file are given back.
BLOCK_ROWS = 1 << 16


class Known:
    """Values under some keys, found in one pass and kept while a trace is built."""

    def __init__(
        self,
        trace: Trace,
        number_keys: Sequence[str],
        text_keys: Sequence[str],
        park: Callable[[NDArray[Any]], NDArray[Any]] = lambda array: array,
        place_of: Bytes | None = None,
    ) -> None:
        """`park` has a place for large arrays. With `place_of` (for each event 0: host, 1: device), `seen` says where each text is a key."""
        self.seen: Bytes | None = None if place_of is None else np.zeros((2, len(trace.strings)), np.uint8)
        keys = [*number_keys, *text_keys]
        found = np.array([trace.strings.find(key) for key in keys], np.int32)
        self._values: dict[str, tuple[Int32, Int64]] = {
            key: (np.empty(0, np.int32), np.empty(0, np.int64)) for key in keys
        }
        if not (found >= 0).any() and self.seen is None:
            return
        event_of = np.full(len(trace.arguments_end), -1, np.int32)
        event_of[trace.source] = np.arange(len(trace), dtype=np.int32)

        def look(first: int) -> list[tuple[Int32, Int64]]:
            values = find_values(
                trace.arguments,
                trace.arguments_end,
                event_of,
                found[: len(number_keys)],
                found[len(number_keys) :],
                first,
                first + BLOCK_ROWS,
                place_of,
                self.seen,
            )
            release(trace.arguments)
            return values

        listed: dict[int, list[tuple[Int32, Int64]]] = {}
        with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="runglass-arguments") as pool:
            for block in pool.map(look, range(0, len(trace.arguments_end), BLOCK_ROWS)):
                for number, (events, values) in enumerate(block):
                    if len(events):
                        # Copied: what a thread frees, the C library keeps for it, so that it should never have had much.
                        listed.setdefault(number, []).append((events.copy(), values.copy()))
        for number in sorted(listed):
            parts = tuple(zip(*listed.pop(number), strict=True))
            self._values[keys[number]] = park(np.concatenate(parts[0])), park(np.concatenate(parts[1]))

    def drop(self, keys: Sequence[str]) -> None:
        """Free what nobody asks for any more."""
        for key in keys:
            self._values.pop(key, None)

    def get(self, key: str) -> tuple[Int32, Int64] | None:
        """Events that have it, and the values."""
        return self._values.get(key)


def release(array: Bytes) -> None:
    """Give the pages of a mapped file back: they count as memory of this process."""
    mapped = getattr(array, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def find(trace: Trace, key: str, *, is_text: bool) -> tuple[Int32, Int64]:
    """The events that have a number or a text under a key, and what it is."""
    known = trace.known
    found = known.get(key) if isinstance(known, Known) else None
    if found is None:
        found = Known(trace, *(([], [key]) if is_text else ([key], []))).get(key)
    assert found is not None
    return found


def numbers(trace: Trace, key: str) -> Int64:
    """The number under a key for each event, MISSING where there is none."""
    events, values = find(trace, key, is_text=False)
    made = np.full(len(trace), MISSING, np.int64)
    made[events] = values
    return made


def texts(trace: Trace, key: str) -> Int32:
    """The text under a key for each event as its number, -1 where there is none."""
    events, values = find(trace, key, is_text=True)
    made = np.full(len(trace), -1, np.int32)
    made[events] = values
    return made


def arguments(trace: Trace, event: int) -> list[tuple[str, Any]]:
    """All arguments of an event in the order of the file, as Python values."""
    return [
        (trace.strings.get(key), value_of(trace, kind, value)) for key, kind, value in encoded(trace, event)
    ]


def encoded(trace: Trace, event: int) -> list[tuple[int, int, Any]]:
    row = int(trace.source[event])
    begin = int(trace.arguments_end[row - 1]) if row else 0
    return arguments_of(trace.arguments, begin, int(trace.arguments_end[row]))


def value_of(trace: Trace, kind: int, value: Any) -> Any:
    if kind == NULL:
        return None
    if kind in (FALSE, TRUE):
        return kind == TRUE
    if kind == TEXT:
        return trace.strings.get(value)
    if kind == JSON_TEXT:
        text = trace.strings.get(value)
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
    if kind == BINARY:
        start = int(trace.string_ends[value - 1]) if value else 0
        data = trace.string_bytes[start : int(trace.string_ends[value])].tobytes()
        shown = b64encode(data[:SHOWN_BYTES]).decode()
        return f"{len(data):,} bytes: {shown}{'…' if len(data) > SHOWN_BYTES else ''}"
    return value
