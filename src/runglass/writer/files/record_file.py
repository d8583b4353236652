"""The name and first record of event files, and a writer of one file that works on the caller's thread.

This writer raises errors of the disk. Training code logs through EventWriter instead.
"""

from __future__ import annotations

import itertools
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from runglass.errors import BadArgument
from runglass.native.records import frame
from runglass.native.wire import encode
from runglass.schema.event import EVENT, FILE_VERSION, SessionStatus
from runglass.writer.values.arrays import to_step, to_wall_time

WRITER_NAME = "runglass.writer"
# Past this the writer does not wait for a flush, so that memory stays bounded.
PENDING_LIMIT_BYTES = 1 << 20

START_TIME = re.compile(r"tfevents\.(\d{10})\.")

# Tells apart the files that one process opens in one second.
uids = itertools.count()


class EventFileWriter:
    """Creates a new file in `run_dir` and appends events to it; never reopens an old one.

    The same calls with the same clock, host and pid give the same bytes.
    """

    def __init__(
        self,
        run_dir: str | os.PathLike[str],
        *,
        filename_suffix: str = "",
        clock: Callable[[], float] = time.time,
        host: str | None = None,
        pid: int | None = None,
    ) -> None:
        self._clock = clock
        self._pending = bytearray()
        start = clock()
        directory = Path(run_dir)
        directory.mkdir(parents=True, exist_ok=True)
        begun = not_before(start, os.listdir(directory))
        descriptor, self.path = create_file(directory, file_stem(begun, host, pid), filename_suffix)
        self._file = FileIO(descriptor, "wb")
        self._pending += first_record(start)
        # At once, so that a page that watches the directory lists the run before its first value.
        self.flush()

    def write(self, step: int, *, values: Sequence[bytes], wall_time: float | None = None) -> None:
        """One event with serialized Summary.Value messages, as runglass.writer.values.summaries makes them."""
        self._append({**self._stamp(step, wall_time), "summary": {"value": list(values)}})

    def write_fields(self, step: int, fields: Mapping[str, Any], *, wall_time: float | None = None) -> None:
        """One event with any fields of EVENT."""
        self._append({**self._stamp(step, wall_time), **fields})

    def write_session_start(self, step: int, *, wall_time: float | None = None) -> None:
        """Declares that training continues from `step`, so that points of earlier files from there on no longer count."""
        self._append({**self._stamp(step, wall_time), "session_log": {"status": SessionStatus.START}})

    def flush(self) -> None:
        """Pass every pending record to the operating system, if possible in one write."""
        while self._pending:
            # After a failed or partial write the rest stays pending, so that the next write completes the record.
            del self._pending[: self._file.write(self._pending)]

    def close(self) -> None:
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def __enter__(self) -> EventFileWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _stamp(self, step: int, wall_time: float | None) -> dict[str, Any]:
        given = to_wall_time(wall_time)
        return stamp(to_step(step), self._clock() if given is None else given)

    def _append(self, event: dict[str, Any]) -> None:
        if self._file.closed:
            raise BadArgument(f"{self.path} is closed; open a new EventFileWriter to write more.")
        self._pending += frame(encode(EVENT, event))
        if len(self._pending) >= PENDING_LIMIT_BYTES:
            self.flush()


def stamp(step: int, wall_time: float) -> dict[str, Any]:
    """The fields for the time and step of an event; a step of zero is left out."""
    return {"wall_time": wall_time, "step": step} if step else {"wall_time": wall_time}


def first_record(start: float) -> bytes:
    return frame(
        encode(
            EVENT,
            {"wall_time": start, "file_version": FILE_VERSION, "source_metadata": {"writer": WRITER_NAME}},
        )
    )


def file_stem(start: float, host: str | None = None, pid: int | None = None) -> str:
    """A file name without its number and suffix. Reads the pid each time: a forked child has its own."""
    owner = f"{socket.gethostname() if host is None else host}.{os.getpid() if pid is None else pid}"
    return f"events.out.tfevents.{int(start):010d}.{owner}"


def not_before(start: float, names: Iterable[str]) -> float:
    """A start time that is not before any file of the run, even after the clock was set back: readers order files by name."""
    newest = max((int(found[1]) for name in names if (found := START_TIME.search(name))), default=0)
    return start if start >= newest else newest + 1


def create_file(directory: Path, stem: str, suffix: str) -> tuple[int, Path]:
    """Create a file and return its descriptor. It must be new: two writers must never share a file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
    while True:
        path = directory / f"{stem}.{next(uids)}{suffix}"
        try:
            return os.open(path, flags, 0o666), path
        except FileExistsError:
            continue
