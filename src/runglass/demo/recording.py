"""A record of what a program did and when, written as a trace in Chrome's format. The demo profiles its own training with it."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# All on one thread of one process, whatever their real numbers: the same in every demo.
PROCESS, THREAD = 1, 1


class Recorder:
    """Times are those of the machine, counted from when it was made."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._zero_ns = time.perf_counter_ns()
        # When the last operation ended, or what is around it began.
        self._since_us = 0.0
        self._flows = 0

    def now_us(self) -> float:
        return (time.perf_counter_ns() - self._zero_ns) / 1000

    @contextmanager
    def span(self, name: str, category: str = "user_annotation", **arguments: Any) -> Iterator[None]:
        """What runs inside, with everything in it."""
        start = self._since_us = self.now_us()
        yield
        end = self._since_us = self.now_us()
        self._add("X", name, category, start, dur=end - start, args=arguments)

    def operation(self, name: str, **arguments: Any) -> None:
        """Has just ended. Operations follow each other without a pause, so it began when the one before it ended."""
        start, self._since_us = self._since_us, self.now_us()
        self._add("X", name, "cpu_op", start, dur=self._since_us - start, args=arguments)

    def leave(self) -> int:
        """Marks the operation that has just ended as the beginning of an arrow; returns its number."""
        self._flows += 1
        self._add("s", "fwdbwd", "fwdbwd", self.events[-1]["ts"], id=self._flows)
        return self._flows

    def arrive(self, flow: int) -> None:
        """The arrow ends at the operation that has just ended."""
        self._add("f", "fwdbwd", "fwdbwd", self.events[-1]["ts"], id=flow, bp="e")

    def count(self, name: str, **values: float) -> None:
        self._add("C", name, "memory", self.now_us(), args=values)

    def write(self, path: Path, *, wall_time: float, process: str) -> None:
        """`wall_time`: when it began, in seconds of Unix time."""
        names = [("process_name", process), ("thread_name", "training")]
        about = [
            {"ph": "M", "name": name, "pid": PROCESS, "tid": THREAD, "args": {"name": text}}
            for name, text in names
        ]
        trace = {"baseTimeNanoseconds": int(wall_time * 1e9), "traceEvents": [*about, *self.events]}
        data = json.dumps(trace, separators=(",", ":")).encode()
        # Without a time of its own in the file.
        path.write_bytes(gzip.compress(data, mtime=0))

    def _add(self, phase: str, name: str, category: str, start_us: float, **more: Any) -> None:
        if "dur" in more:
            more["dur"] = round(more["dur"], 3)
        place = {"pid": PROCESS, "tid": THREAD, "ts": round(start_us, 3)}
        self.events.append({"ph": phase, "name": name, "cat": category, **place, **more})
