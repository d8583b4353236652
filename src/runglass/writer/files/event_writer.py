"""All calls that log write through an EventWriter: scalars, serialized values and whole events of one run.

It is safe on any thread, in forked children and at exit. Calls return at once and never raise for an error of the disk.
It does not know what a value means.
"""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files.process_hooks import flush_on_sigterm, threads
from runglass.writer.files.record_buffer import RecordBuffer, ScalarPlace
from runglass.writer.files.record_file import stamp
from runglass.writer.files.sinks import make_sink
from runglass.writer.values.arrays import clean_text, to_count, to_number, to_step
from runglass.writer.values.device_values import Arrival
from runglass.writer.values.summaries import ScalarForm

MAX_QUEUE = 10
FLUSH_S = 5.0
# The host name and our own parts take the rest of a file name.
MOST_SUFFIX_BYTES = 100
# Errors of a name that cannot be a run, as opposed to errors of the disk.
BAD_LOGDIR_ERRORS = {errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}


class EventWriter:
    """A new event file in `logdir`, a directory or any URL that fsspec knows.

    Everything is in the file after `flush`, `close` or the end of the process, and at the latest `flush_secs` after it was
    added. Values of one kind keep their order; scalars do not wait for values that take long to encode. `max_queue` has no
    effect, because the buffer counts bytes; callers of other writers pass it. The constructor raises if it cannot write to
    `logdir`; with `is_amid_training` it warns and tries again, as after any error of the disk.
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        *,
        max_queue: int = MAX_QUEUE,
        flush_secs: float = FLUSH_S,
        filename_suffix: str = "",
        clock: Callable[[], float] = time.time,
        is_amid_training: bool = False,
    ) -> None:
        self.logdir = to_logdir(logdir)
        to_count(max_queue, "Argument max_queue", least=0, most=2**63)
        if not 0 <= (flush_secs := to_number(flush_secs, "Argument flush_secs")) < math.inf:
            raise BadArgument(f"Argument flush_secs must be a number of seconds, got {flush_secs!r}.")
        if not is_suffix(filename_suffix or ""):
            raise BadArgument(
                f"Argument filename_suffix must be the end of a file's name, got {filename_suffix!r}."
            )
        self.flush_secs = float(flush_secs)
        self.filename_suffix = filename_suffix or ""
        sink = make_sink(self.logdir, self.filename_suffix, clock)
        if not is_amid_training:
            try:
                sink.begin()
            # An fsspec file system may raise anything.
            except Exception as error:
                raise_as_bad_argument(error, self.logdir)
        self._threads = threads
        self._buffer = RecordBuffer(sink, threads=threads, flush_interval_s=self.flush_secs, clock=clock)
        # Bypasses the methods below, because training loops call these most.
        self.add_scalar = self._buffer.add_scalar  # type: ignore[method-assign]
        self.try_scalar = self._buffer.try_scalar  # type: ignore[method-assign]
        threads.register(self._buffer)
        flush_on_sigterm()

    @property
    def path(self) -> str:
        """The newest file; a fork, an error of the disk and object stores make several."""
        return self._buffer.sink.path

    @property
    def is_closed(self) -> bool:
        return self._buffer.is_closed

    def add_scalar(
        self,
        tag: str,
        value: float,
        step: int,
        wall_time: float | None = None,
        *,
        form: ScalarForm = "float32",
    ) -> None:
        """One number: Python's, or an array or tensor with one element."""
        self._buffer.add_scalar(tag, value, step, wall_time, form=form)

    def try_scalar(self, tag: Any, value: Any, step: Any, form: ScalarForm) -> bool:
        """The next scalar of a tag that had one, if value and step are plain numbers; False: nothing was done."""
        return self._buffer.try_scalar(tag, value, step, form)

    def add_arriving_scalar(
        self, tag: str, value: Any, step: int, wall_time: float | None, form: ScalarForm
    ) -> bool:
        """A number that a device still computes: it is in the file when it has arrived. False for any other value."""
        return self._buffer.add_arriving_scalar(tag, value, step, wall_time, form)

    def add_arrival(self, arrival: Arrival[ScalarPlace | bytes]) -> None:
        """The same for many numbers, which become scalars and events only then."""
        self._buffer.add_arrival(arrival)

    def take_arrived(self) -> bool:
        """Waits for the numbers that are on their way; whether there were any."""
        if not self._buffer.arriving:
            return False
        self._buffer.take_arrived(wait=True)
        return True

    def last_step(self, tag: str) -> int | None:
        """The step of the newest scalar of this tag; None if this writer has none."""
        return self._buffer.last_step(tag)

    def add_values(
        self,
        values: Sequence[bytes],
        step: int,
        wall_time: float | None = None,
        *,
        are_scalars: bool = False,
    ) -> None:
        """One event with serialized Summary.Value messages, as runglass.writer.values.summaries makes them.

        With `are_scalars` they do not wait for values that are still being encoded.
        """
        payload = self._event({"summary": {"value": list(values)}}, step, wall_time)
        if are_scalars:
            self._buffer.add(payload)
        else:
            self._add(payload)

    def add_later(
        self,
        make_values: Callable[[], Sequence[bytes]],
        step: int,
        wall_time: float | None = None,
        *,
        size_bytes: int,
    ) -> None:
        """The same for values that take long to encode: another thread calls `make_values`.

        What it reads must not change. `size_bytes` is what it holds in memory until then.
        """
        self._buffer.check_open()
        when = stamp(to_step(step), self._buffer.event_time(wall_time))
        self._buffer.add_later(
            lambda: encode(EVENT, {**when, "summary": {"value": list(make_values())}}), size_bytes
        )

    def add_event(self, fields: Mapping[str, Any], step: int = 0, wall_time: float | None = None) -> None:
        """An event that is not a summary: `graph_def`, `tagged_run_metadata` or `session_log`, as EVENT names them."""
        payload = self._event(fields, step, wall_time)
        if "session_log" in fields:
            # It concerns everything before it, so everything before it must be in the file.
            self.flush()
        self._add(payload)

    def add_payload(self, payload: bytes) -> None:
        """A whole event, serialized."""
        self._buffer.check_open()
        self._add(payload)

    def flush(self) -> None:
        """When this returns, everything added so far is in the file."""
        if not self._buffer.is_closed or self._threads.is_pending(self._buffer):
            self._threads.write_now(self._buffer)

    def close(self) -> None:
        if not self._buffer.is_closed:
            self._buffer.is_closed = True
            self._threads.write_now(self._buffer, is_last=True)

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        buffer = getattr(self, "_buffer", None)
        if buffer is not None and not buffer.is_closed:
            buffer.is_closed = True
            self._threads.close_soon(buffer)

    def _event(self, fields: Mapping[str, Any], step: int, wall_time: float | None) -> bytes:
        self._buffer.check_open()
        return encode(EVENT, {**stamp(to_step(step), self._buffer.event_time(wall_time)), **fields})

    def _add(self, payload: bytes) -> None:
        if self._buffer.has_jobs:
            # Keeps the order: readers see a restart where the steps of a tag fall back.
            self._buffer.add_later(lambda: payload, len(payload))
        else:
            self._buffer.add(payload)


def is_suffix(text: object) -> bool:
    return (
        isinstance(text, str)
        and not set(text) & set("/\\\0")
        and clean_text(text) == text
        and len(text.encode()) <= MOST_SUFFIX_BYTES
    )


def to_logdir(logdir: object) -> str:
    path = os.fspath(logdir) if isinstance(logdir, os.PathLike) else logdir
    if not isinstance(path, str) or not path:
        raise BadArgument(f"Argument logdir must be a str or a path, got {logdir!r}.")
    if "\0" in path:
        raise BadArgument(f"Argument logdir {path!r} has a zero byte; no directory has one in its name.")
    return path


def raise_as_bad_argument(error: Exception, logdir: str) -> NoReturn:
    """A name that cannot be a run is an error of the caller; other errors stay as they are."""
    if isinstance(error, UnicodeError) or (isinstance(error, OSError) and error.errno in BAD_LOGDIR_ERRORS):
        raise BadArgument(f"Argument logdir {logdir!r} cannot be a run: {error}.") from None
    raise error
