"""What PyTorch's profiler says beside the events of a Chrome trace: the worker and the span in the name of the file, devices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

TORCH_NAME = re.compile(r"(?P<worker>.*?)(?:\.(?P<span>\d+))?\.pt\.trace\.json(?:\.gz)?")
ENDING = re.compile(r"(?:\.trace)?\.json(?:\.gz)?$")


class TraceName(NamedTuple):
    """What the name of a trace file tells."""

    # A host, or a rank of a distributed training.
    worker: str
    # Of one profiling cycle: the time at which it was written, in ns (older versions: ms). None if the name has none.
    span: int | None
    is_torch: bool


def parse_name(path: str) -> TraceName:
    """ "a/gpu0.1794706253023051283.pt.trace.json.gz" -> worker "gpu0", span 1794706253023051283"""
    name = path.rpartition("/")[2]
    match = TORCH_NAME.fullmatch(name)
    if match is None:
        return TraceName(ENDING.sub("", name), None, False)
    return TraceName(match["worker"], int(match["span"]) if match["span"] else None, True)


def is_torch(metadata: Mapping[str, Any]) -> bool:
    """Whether the values around the events are those of PyTorch's profiler."""
    return ("schemaVersion" in metadata and "traceName" in metadata) or "deviceProperties" in metadata
