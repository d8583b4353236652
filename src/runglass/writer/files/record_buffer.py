"""The records of one writer that wait to be written, and the sink they go to.

An error of the disk never reaches the threads that log. The buffer warns once, keeps records up to a limit, drops and counts
the newest ones beyond it, and tries again after growing delays. It does not know which threads encode and write.
"""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from runglass.errors import BadArgument
from runglass.native.record_buffer import NativeRecordBuffer, record_boundary
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files.sinks import Sink
from runglass.writer.values import summaries
from runglass.writer.values.arrays import to_number, to_step, to_wall_time
from runglass.writer.values.device_values import Arrival, Arriving
from runglass.writer.values.summaries import SCALAR_FORMS, ScalarForm

# Records that are kept in memory while the disk accepts nothing.
BUFFER_LIMIT_BYTES = 64 << 20
# Values that wait to be encoded; past this the threads that log wait.
JOBS_LIMIT_BYTES = 256 << 20
# Some thousand scalars, so that waking the sink's thread costs nothing per record.
WAKE_BYTES = 256 << 10
# How long a full buffer waits for the disk before it drops new records.
ROOM_WAIT_S = 2.0
FIRST_RETRY_S = 1.0
LONGEST_RETRY_S = 60.0
WAIT_S = 0.001
WARN_AFTER_S = 0.05
# The least time between two writes of one buffer, whatever flush interval the writer has.
SHORTEST_INTERVAL_S = 0.02


class BufferThreads(Protocol):
    """The threads that encode and write for buffers; WriterThreads implements it."""

    # SIGTERM would end the process before the threads could write.
    misses_sigterm: bool

    def write_soon(self, buffer: RecordBuffer) -> None: ...

    def encode_soon(self, buffer: RecordBuffer) -> None: ...

    def wait_for_room(self, buffer: RecordBuffer, timeout_s: float) -> bool:
        """Write the buffer; False when that takes longer than `timeout_s`."""
        ...

    def is_worker(self) -> bool:
        """Whether the current thread is one of them; such a thread must not wait for another."""
        ...

    def is_sink_worker(self) -> bool: ...


class ScalarPlace(NamedTuple):
    """What is known of a scalar before its number."""

    tag: str
    step: int
    wall_time: float
    form: ScalarForm


class WriterClosed(BadArgument):
    """Nothing was logged."""


class RecordBuffer(NativeRecordBuffer):
    def __init__(
        self,
        sink: Sink,
        *,
        threads: BufferThreads,
        flush_interval_s: float,
        clock: Callable[[], float],
    ) -> None:
        # The first record is written at once, so that a page soon has something to show.
        super().__init__(
            forms=SCALAR_FORMS,
            clock=None if clock is time.time else clock,
            wake_bytes=1,
            max_bytes=BUFFER_LIMIT_BYTES,
        )
        # Scalars whose numbers a device still computes.
        self.arriving: Arriving[ScalarPlace | bytes] = Arriving()
        self.sink = sink
        self.flush_interval_s = flush_interval_s
        self.next_write_s = 0.0
        self._threads = threads
        self._has_warned = False
        # Values whose encoding raised.
        self._failed_jobs = 0
        # Warnings that the program has not seen yet.
        self._warnings: deque[str] = deque()
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._encoding = threading.Lock()
        self._is_encoding = False
        self._is_encoding_asked = False
        # The disk accepted nothing while a full buffer waited for it.
        self._is_stuck = False
        # Taken from the native buffer and written up to `_written`; None when all of it is written.
        self._chunk: memoryview | None = None
        self._written = 0
        # When to try again after an error; None while there is none.
        self._retry_s: float | None = None
        self._retry_delay_s = FIRST_RETRY_S

    def begin_in_child(self) -> None:
        """After a fork: the records are the parent's, and a thread of the parent may hold the lock."""
        self.clear()
        self.arriving = Arriving()
        self._reset()
        self.wake_bytes = 1
        self.max_bytes = BUFFER_LIMIT_BYTES
        self.sink.abandon()

    # ---- on the threads that log

    def scalar_parts(self, tag: str, form: ScalarForm) -> tuple[bytes, bool, bytes]:
        """Encodes two numbers and compares them, so that only `summaries.scalar` knows the layout of a scalar."""
        is_double = form.endswith("float64")
        # 1.1 differs from zero in its first byte, in either width.
        zero, other = (
            encode(EVENT, {"summary": {"value": [summaries.scalar(tag, number, form=form)]}})
            for number in (0.0, 1.1)
        )
        at = next(i for i, (a, b) in enumerate(zip(zero, other, strict=True)) if a != b)
        return zero[:at], is_double, zero[at + (8 if is_double else 4) :]

    def add_odd_scalar(self, tag: Any, value: Any, step: Any, wall_time: Any, form: Any) -> None:
        self.check_open()
        if form not in SCALAR_FORMS:
            raise BadArgument(f"Argument form must be one of {', '.join(SCALAR_FORMS)}, got {form!r}.")
        if not isinstance(tag, str):
            raise BadArgument(f"Argument tag must be a str, got {tag!r}.")
        try:
            number = float(to_number(value, f"Scalar {tag!r}"))
        except OverflowError:
            raise BadArgument(f"Scalar {tag!r}: this integer is too large for a float.") from None
        self.put_scalar(str(tag), number, to_step(step), self.event_time(wall_time), form)

    def add_arriving_scalar(self, tag: str, value: Any, step: int, wall_time: Any, form: ScalarForm) -> bool:
        """False for a value that is no number on a device. Scalars of one tag keep their order."""
        self.check_open()
        is_first = not self.arriving
        if not self.arriving.add(value, ScalarPlace(tag, step, self.event_time(wall_time), form)):
            return False
        if is_first:
            self._wake_if_urgent()
        elif self.arriving.is_full():
            self.take_arrived(wait=False)
        return True

    def add_arrival(self, arrival: Arrival[ScalarPlace | bytes]) -> None:
        """Scalars, and whole events as bytes, that are known when it has arrived."""
        self.check_open()
        is_first = not self.arriving
        self.arriving.hold(arrival)
        self.take_arrived(wait=False)
        if is_first and self.arriving:
            self._wake_if_urgent()

    def _wake_if_urgent(self) -> None:
        """The thread of the sink looks after what arrives at every flush interval. Woken for each, it would fetch them one by one."""
        if self.wake_bytes == 1:
            self.wake()

    def take_arrived(self, *, wait: bool) -> None:
        if not self.arriving:
            return
        try:
            self.arriving.take(wait=wait, use=self._put_arrived)
        except Exception as error:
            self._warnings.append(
                f"{self.sink.path}: numbers on a device could not be fetched and are left out ({describe(error)})."
            )

    def _put_arrived(self, place: ScalarPlace | bytes, number: float) -> None:
        if isinstance(place, bytes):
            self.add(place)
        else:
            self.put_scalar(place.tag, number, place.step, place.wall_time, place.form)

    def event_time(self, wall_time: Any) -> float:
        given = to_wall_time(wall_time)
        return self.now() if given is None else given

    def check_open(self) -> None:
        if self.is_closed:
            raise WriterClosed(f"The writer of {self.sink.path} is closed; make a new one to log more.")

    def wake(self) -> None:
        self._threads.write_soon(self)

    def make_room(self) -> bool:
        """A full buffer means an error, or a thread that writes and is far behind: this waits for that thread."""
        if self._retry_s is not None or self._is_stuck or self._threads.is_sink_worker():
            return False
        self._is_stuck = not self._threads.wait_for_room(self, ROOM_WAIT_S)
        return not self._is_stuck

    @property
    def has_jobs(self) -> bool:
        """Whether values wait to become records."""
        return self.job_count > 0 or self._is_encoding

    def add_later(self, job: Callable[[], bytes], size_bytes: int) -> None:
        while (
            self.job_bytes
            and self.job_bytes + size_bytes > JOBS_LIMIT_BYTES
            and not self._threads.is_worker()
        ):
            if self._retry_s is not None or self._is_stuck:
                self.dropped += 1
                return
            self._ask_to_encode()
            time.sleep(WAIT_S)
            # The thread that was asked may have been interrupted.
            self._is_encoding_asked = self._is_encoding
        self.add_job(job, size_bytes)
        self._ask_to_encode()

    def _ask_to_encode(self) -> None:
        if not self._is_encoding_asked:
            self._is_encoding_asked = True
            try:
                self._threads.encode_soon(self)
            except BaseException:
                self._is_encoding_asked = False
                raise

    def write_each_record(self) -> None:
        self.flush_interval_s = 0.0
        self.wake_bytes = 1

    # ---- on the thread that encodes, and on any other once that has ended

    def encode(self, until_s: float | None, *, timeout_s: float = -1) -> None:
        """Turn values into records, in order; stop after the first one that ends past `until_s`."""
        if not self._encoding.acquire(timeout=timeout_s):
            self._is_encoding_asked = False
            return
        try:
            self._is_encoding_asked = False
            # Counted once: threads that keep adding must not keep a flush from ending.
            for _ in range(self.job_count):
                # Set before the job is taken: values that are added meanwhile come behind it.
                self._is_encoding = True
                job = self.next_job()
                payload = None if job is None else self._encoded(job)
                if payload is not None:
                    self.add(payload)
                if until_s is not None and time.monotonic() >= until_s:
                    break
        finally:
            self._is_encoding = False
            self._encoding.release()
        self._warn_soon()

    def _encoded(self, job: Callable[[], bytes]) -> bytes | None:
        try:
            return job()
        except Exception as error:
            self._failed_jobs += 1
            if self._failed_jobs == 1:
                self._warnings.append(
                    f"{self.sink.path}: a value could not be encoded and is left out ({describe(error)})."
                )
            return None

    # ---- on the thread of the sink, and on any other once that has ended

    def write_out(self, *, is_forced: bool = False, is_last: bool = False, timeout_s: float = -1) -> None:
        """Write what waits to the sink. Does not raise; after an error it waits for the retry unless it is forced."""
        if not self._lock.acquire(timeout=timeout_s):
            self.is_asked = False
            return
        try:
            self._write_out(is_forced or is_last, is_last)
        finally:
            self._lock.release()
        self._warn_soon()

    def _write_out(self, is_forced: bool, is_last: bool) -> None:
        now_s = time.monotonic()
        self.next_write_s = now_s + max(SHORTEST_INTERVAL_S, self.flush_interval_s or FIRST_RETRY_S)
        if self._retry_s is not None and now_s < self._retry_s and not is_forced:
            return
        self.is_asked = False
        self.take_arrived(wait=is_forced)
        try:
            self._write_chunk()
            self._chunk, self._written = self.take(), 0
            self._write_chunk()
            self.sink.sync(is_forced=is_forced)
            if is_last:
                self.sink.finish()
        # An fsspec file system may raise anything, cancelled tasks included.
        except BaseException as error:
            self._fail(error, is_last)
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
        else:
            self._recover(is_last)

    def _write_chunk(self) -> None:
        if self._chunk is None:
            return
        if self.sink.needs_file():
            # A record that was cut off stays the last of its file; the next file gets it whole.
            self._written, _ = record_boundary(self._chunk, self._written)
            self.sink.begin()
        while self._written < len(self._chunk):
            self._written += self.sink.append(self._chunk[self._written :])
        self._chunk = None
        self._is_stuck = False
        is_each_record_urgent = self.flush_interval_s <= 0 or self._threads.misses_sigterm
        self.wake_bytes = 1 if is_each_record_urgent else WAKE_BYTES

    def _fail(self, error: BaseException, is_last: bool) -> None:
        left = 0 if self._chunk is None else len(self._chunk) - self._written
        self.max_bytes = max(0, BUFFER_LIMIT_BYTES - left)
        self._retry_delay_s = (
            FIRST_RETRY_S if self._retry_s is None else min(2 * self._retry_delay_s, LONGEST_RETRY_S)
        )
        self._retry_s = time.monotonic() + self._retry_delay_s
        self.next_write_s = min(self.next_write_s, self._retry_s)
        # The thread tries again without being asked.
        self.is_asked = True
        if not self._has_warned:
            self._has_warned = True
            self._warnings.append(
                f"{self.sink.path}: cannot be written ({describe(error)}). Training goes on; up to "
                f"{BUFFER_LIMIT_BYTES >> 20} MB are kept in memory and tried again."
            )
        if is_last:
            self._give_up()

    def _give_up(self) -> None:
        lost = [self.sink.unwritten(), self.take()]
        if self._chunk is not None:
            lost.append(self._chunk[record_boundary(self._chunk, self._written)[0] :])
        dropped = self.dropped + self.job_count
        dropped += sum(record_boundary(data, len(data))[1] for data in lost if data is not None)
        self.clear()
        self.dropped = dropped
        self._chunk = None
        self._report()
        self.sink.abandon()

    def _recover(self, is_last: bool) -> None:
        if self._retry_s is not None:
            self._retry_s = None
            self.max_bytes = BUFFER_LIMIT_BYTES
        if self.dropped or is_last:
            self._report()

    def _report(self) -> None:
        if self.dropped:
            count, self.dropped = self.dropped, 0
            self._warnings.append(
                f"{self.sink.path}: {count:,} records were dropped, because they could not be written."
            )
        if self._failed_jobs > 1:
            count, self._failed_jobs = self._failed_jobs, 0
            self._warnings.append(
                f"{self.sink.path}: {count:,} values could not be encoded and were left out."
            )

    # ---- where no thread waits and no lock is held, because a warning runs code of the program

    def emit_warnings(self) -> None:
        with suppress(IndexError):
            while True:
                warn(self._warnings.popleft())

    def _warn_soon(self) -> None:
        if not self._warnings:
            return
        if self._threads.is_worker():
            with suppress(RuntimeError):
                threading.Thread(target=self._warn_later, daemon=True).start()
        else:
            self.emit_warnings()

    def _warn_later(self) -> None:
        # A thread that waits for the worker emits them first, from the line of the program that called it.
        time.sleep(WARN_AFTER_S)
        self.emit_warnings()


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def warn(message: str) -> None:
    """A warning that ends no thread, even where warnings are errors or standard error is closed."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    except Exception:
        with suppress(Exception):
            if sys.stderr is not None:
                print(f"runglass: {message}", file=sys.stderr)
