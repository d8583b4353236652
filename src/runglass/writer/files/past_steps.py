"""The last steps of scalars that are already in a run, from any writer. Reads local event files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress

from runglass.native.events import EventScanner, ScanBuffer
from runglass.writer.files.sinks import local_path

POINTS_PLUGIN = b"scalars"
NUMBERS = re.compile(r"\d+")


def last_steps(logdir: str, tags: Collection[str]) -> dict[str, int]:
    """The last step of each tag that has scalars in `logdir`; empty for a remote run, which would have to be downloaded."""
    directory = local_path(logdir)
    found: dict[str, int] = {}
    if directory is None:
        return found
    with suppress(OSError):
        names = [name for name in os.listdir(directory) if "tfevents" in name]
        for name in sorted(names, key=lambda name: [int(number) for number in NUMBERS.findall(name)]):
            found |= file_steps(os.path.join(directory, name), tags)
    return found


def file_steps(path: str, tags: Collection[str]) -> dict[str, int]:
    scanner = EventScanner(POINTS_PLUGIN)
    with open(path, "rb", buffering=0) as file:
        scanner.scan(file.fileno(), ScanBuffer(), size=os.fstat(file.fileno()).st_size)
    found = {}
    for index in scanner.take():
        name, _, _, _, points, _ = scanner.tag(index)
        tag = name.decode("utf-8", "replace")
        if points is not None and points.count and tag in tags:
            steps, _, _ = points.read_points()
            found[tag] = int(steps[-1])
    return found
