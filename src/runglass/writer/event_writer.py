"""What every way of logging writes through: scalars, serialized values and whole events of one run, in call order.

Safe to call from any thread. Knows nothing of what a value means.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

from runglass.writer import summaries
from runglass.writer.record_file import EventFileWriter

MAX_QUEUE = 10
FLUSH_S = 5.0


class EventWriter:
    def __init__(
        self,
        logdir: str | os.PathLike[str],
        *,
        max_queue: int = MAX_QUEUE,
        flush_secs: float = FLUSH_S,
        filename_suffix: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.logdir = os.fspath(logdir)
        self._lock = threading.Lock()
        self._file = EventFileWriter(logdir, filename_suffix=filename_suffix, clock=clock)

    def add_scalar(
        self,
        tag: str,
        value: float,
        step: int,
        wall_time: float | None = None,
        *,
        precision: Literal["float32", "float64"] = "float32",
    ) -> None:
        self.add_values([summaries.scalar(tag, value, precision=precision)], step, wall_time)

    def add_values(self, values: Sequence[bytes], step: int, wall_time: float | None = None) -> None:
        """One event with serialized Summary.Value messages, as runglass.writer.summaries makes them."""
        with self._lock:
            self._file.write(step, values=values, wall_time=wall_time)

    def add_later(
        self,
        make_values: Callable[[], Sequence[bytes]],
        step: int,
        wall_time: float | None = None,
        *,
        size_bytes: int,
    ) -> None:
        """The same, for values that take long to encode: `make_values` is called on another thread.

        What it reads must not change afterwards. `size_bytes` is what it holds in memory until then.
        """
        self.add_values(make_values(), step, wall_time)

    def add_event(self, fields: Mapping[str, Any], step: int = 0, wall_time: float | None = None) -> None:
        """An event that is no summary: `graph_def`, `tagged_run_metadata` or `session_log`, as EVENT names them."""
        with self._lock:
            self._file.write_fields(step, fields, wall_time=wall_time)

    def flush(self) -> None:
        """Everything added so far is in the file when this returns."""
        with self._lock:
            self._file.flush()

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
