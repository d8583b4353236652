"""Arguments of events: as columns of one key, and all of one event. They stay encoded, in the order of the files."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import msgspec
import numpy as np

from runglass.native.trace_rows import arguments_of, numbers_of, texts_of
from runglass.query.profiles.model import BINARY, FALSE, JSON_TEXT, NULL, TEXT, TRUE, Int32, Int64, Trace

# More of a byte string is not shown.
SHOWN_BYTES = 256


def numbers(trace: Trace, key: str) -> Int64:
    """The number under a key for each event, MISSING where there is none."""
    number = trace.strings.find(key)
    if number < 0:
        return np.full(len(trace), np.iinfo(np.int64).min, np.int64)
    found: Int64 = numbers_of(trace.arguments, trace.arguments_end, number)[trace.source]
    return found


def texts(trace: Trace, key: str) -> Int32:
    """The text under a key for each event as its number, -1 where there is none."""
    number = trace.strings.find(key)
    if number < 0:
        return np.full(len(trace), -1, np.int32)
    found: Int32 = texts_of(trace.arguments, trace.arguments_end, number)[trace.source]
    return found


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
