"""What a reader made of a trace, as Python objects: to be compared with the plain readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from runglass.native.trace_rows import TraceRows, arguments_of
from runglass.query.profiles.model import BINARY, JSON_TEXT, TEXT


class Row(NamedTuple):
    phase: str
    # Ids of its process and its thread.
    track: tuple[str, str]
    name: str
    category: str | None
    start_ps: int
    duration_ps: int
    arguments: dict[str, Any]
    link: int


class Content:
    """A file in memory, read as an asset is."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size_bytes = len(data)

    def read(self, offset: int, size: int) -> bytes:
        return self.data[offset : offset + size]


def list_rows(rows: TraceRows) -> list[Row]:
    """All rows, with exact values; `rows` is frozen by this."""
    return list(walk_rows(rows))


def walk_rows(rows: TraceRows) -> Iterator[Row]:
    rows.freeze()
    strings = rows.strings
    processes, tracks = rows.processes, rows.tracks
    begin = 0
    for at in range(rows.count):
        process, thread, *_ = tracks[rows.track[at]]
        end = int(rows.arguments_end[at])
        category = int(rows.category[at])
        yield Row(
            chr(rows.phase[at]),
            (strings[processes[process][1]], strings[thread]),
            strings[int(rows.name[at])],
            None if category < 0 else strings[category],
            int(rows.start_ps[at]),
            int(rows.duration_ps[at]),
            read_arguments(rows, begin, end),
            int(rows.link[at]),
        )
        begin = end


def read_arguments(rows: TraceRows, begin: int, end: int) -> dict[str, Any]:
    found = {}
    for key, kind, value in arguments_of(rows.arguments, begin, end):
        if kind == TEXT:
            value = rows.strings[value]
        elif kind == JSON_TEXT:
            value = parse_json(rows.strings[value])
        elif kind == BINARY:
            value = rows.strings.raw(value)
        found[rows.strings[key]] = value
    return found


def parse_json(text: str) -> Any:
    """The value; the text itself where tracers wrote what is no JSON."""
    try:
        return json.loads(text, parse_float=Decimal, strict=False)
    except ValueError:
        return text


def track_names(rows: TraceRows) -> dict[tuple[str, str], tuple[str, str]]:
    """(process id, thread id) to the names of both, of tracks with events."""
    strings = rows.strings
    names = {}
    for at in sorted(set(rows.track.tolist())):
        process, thread, thread_name, _ = rows.tracks[at]
        _, process_id, process_name, _, _ = rows.processes[process]
        names[(strings[process_id], strings[thread])] = (
            strings[process_name] if process_name >= 0 else "",
            strings[thread_name] if thread_name >= 0 else "",
        )
    return names


def as_double(value: Any) -> Any:
    """A number as the nearest float, which is what rows hold; anything else as it is."""
    return float(value) if isinstance(value, Decimal) else value
