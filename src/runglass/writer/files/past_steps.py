"""What is already in a run, from any writer: the last steps of scalars, and hyperparameters. Reads local event files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from runglass.native.events import EventScanner, ScanBuffer
from runglass.native.wire import WireError, decode
from runglass.schema.hparams import SESSION_START_TAG, plain_hparams
from runglass.schema.summary import METADATA
from runglass.writer.files.sinks import local_path

POINTS_PLUGIN = b"scalars"
NUMBERS = re.compile(r"\d+")


def last_steps(logdir: str, tags: Collection[str]) -> dict[str, int]:
    """The last step of each tag that has scalars in `logdir`; empty for a remote run, which would have to be downloaded."""
    found: dict[str, int] = {}
    for path in event_files(logdir):
        found |= file_steps(path, tags)
    return found


def past_hparams(logdir: str) -> dict[str, Any] | None:
    """The newest hyperparameters in `logdir`; None if there are none, or for a remote run."""
    found = None
    for path in event_files(logdir):
        scanner = scan(path)
        for index in scanner.take():
            name, metadata, *_ = scanner.tag(index)
            if name == SESSION_START_TAG.encode() and metadata is not None:
                with suppress(WireError):
                    content = decode(METADATA, metadata).get("plugin_data", {}).get("content", b"")
                    found = plain_hparams(content).get("session_start_info", {}).get("hparams", {})
    return found


def past_points(logdir: str, tag: str) -> list[tuple[float, int, float]]:
    """Wall time, step and value of every scalar of a tag in `logdir`; empty for a remote run."""
    found: list[tuple[float, int, float]] = []
    for path in event_files(logdir):
        scanner = scan(path)
        for index in scanner.take():
            name, _, _, _, points, _ = scanner.tag(index)
            if points is not None and name == tag.encode():
                steps, wall_times, values = points.read_points()
                found += zip(wall_times.tolist(), steps.tolist(), values.tolist(), strict=True)
    return found


def event_files(logdir: str) -> Iterator[str]:
    """In the order they were written. What cannot be read is passed over."""
    directory = local_path(logdir)
    if directory is None:
        return
    with suppress(OSError):
        names = [name for name in os.listdir(directory) if "tfevents" in name]
        for name in sorted(names, key=lambda name: [int(number) for number in NUMBERS.findall(name)]):
            yield os.path.join(directory, name)


def scan(path: str) -> EventScanner:
    scanner = EventScanner(POINTS_PLUGIN)
    with suppress(OSError), open(path, "rb", buffering=0) as file:
        scanner.scan(file.fileno(), ScanBuffer(), size=os.fstat(file.fileno()).st_size)
    return scanner


def file_steps(path: str, tags: Collection[str]) -> dict[str, int]:
    scanner = scan(path)
    found = {}
    for index in scanner.take():
        name, _, _, _, points, _ = scanner.tag(index)
        tag = name.decode("utf-8", "replace")
        if points is not None and points.count and tag in tags:
            steps, _, _ = points.read_points()
            found[tag] = int(steps[-1])
    return found
