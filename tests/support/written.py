"""Reads the event files of a run record by record, and runs programs that write them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from runglass.native.records import RecordCursor
from runglass.native.wire import Field, Message, decode
from runglass.schema.event import EVENT

# Long enough for the slowest machine; a test that passes never waits for it.
DEADLINE_S = 60.0

# Only the fields that these tests use, because they read millions of events.
VALUE = Message("Value", Field(1, "tag", "string"))
SUMMARY = Message("Summary", Field(1, "value", VALUE, repeated=True))
TAGS = Message(
    "Event", Field(2, "step", "int64"), Field(3, "file_version", "string"), Field(5, "summary", SUMMARY)
)


def files(run: Path) -> list[Path]:
    return sorted(run.glob("*tfevents*"))


def steps_by_tag(path: Path, *, is_whole: bool = True) -> dict[str, list[int]]:
    """With `is_whole` false, the last record of the file may be cut."""
    cursor = RecordCursor()
    cursor.feed(path.read_bytes())
    found: dict[str, list[int]] = {}
    for number, (_, payload, payload_ok) in enumerate(cursor):
        assert payload_ok, f"{path}: the record before byte {cursor.offset} fails its checksum"
        event = decode(TAGS, payload)
        assert ("file_version" in event) == (number == 0)
        for value in event.get("summary", {}).get("value", ()):
            found.setdefault(value["tag"], []).append(event.get("step", 0))
    assert not is_whole or cursor.offset == path.stat().st_size
    return found


def steps_of(path: Path) -> list[int]:
    return [step for steps in steps_by_tag(path).values() for step in steps]


def payloads(directory: Path) -> list[bytes]:
    """The records of all files of a directory, without the first of each, which names the format."""
    found: list[bytes] = []
    for file in files(directory):
        cursor = RecordCursor()
        cursor.feed(file.read_bytes())
        found += [payload for _, payload, _ in cursor][1:]
    return found


def events(directory: Path) -> list[dict[str, Any]]:
    return [decode(EVENT, payload) for payload in payloads(directory)]


def logged(directory: Path) -> list[tuple[int, dict[str, Any]]]:
    """Every value with the step of its event."""
    return [
        (event.get("step", 0), value)
        for event in events(directory)
        for value in event.get("summary", {}).get("value", [])
    ]


def program(code: str, *arguments: object, **more: Any) -> subprocess.Popen[str]:
    """A Python program that starts like a training script."""
    opening = (
        "import os, signal, sys, threading\n"
        "from runglass.writer.values import summaries\n"
        "from runglass.writer.files.event_writer import EventWriter\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", opening + code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def ran(code: str, *arguments: object) -> tuple[int, str, str]:
    """Exit status, output and standard error of a program that ends by itself."""
    process = program(code, *arguments)
    output, complaints = process.communicate(timeout=DEADLINE_S)
    return process.returncode, output, complaints
