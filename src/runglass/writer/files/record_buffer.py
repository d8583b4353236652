"""One writer's way out: a journal that other threads fill, and the sink it is emptied into, through all trouble.

Trouble with the disk never reaches the threads that log. It is warned of once, what waits stays in memory up to a limit,
the newest records beyond it are dropped whole and counted, and writing is tried again after growing rests.
"""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from runglass.errors import BadArgument
from runglass.native.journal import Journal, record_boundary
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files import writer_threads
from runglass.writer.files.sinks import Sink
from runglass.writer.values import summaries
from runglass.writer.values.arrays import to_number, to_step, to_wall_time

# What is kept in memory while the disk takes nothing.
BUFFER_LIMIT_BYTES = 64 << 20
# What values that are yet to be encoded may hold; past it the threads that log wait.
JOBS_LIMIT_BYTES = 256 << 20
# Some thousand scalars: large enough that waking the writing thread costs nothing per record.
WAKE_BYTES = 256 << 10
# How long a full buffer waits for a disk before it drops what comes.
ROOM_WAIT_S = 2.0
FIRST_REST_S = 1.0
LONGEST_REST_S = 60.0
WAIT_S = 0.001
TELL_AFTER_S = 0.05
# The writing thread looks at a writer no more often than this, whatever flush interval was asked for.
SHORTEST_INTERVAL_S = 0.02


class WriterClosed(BadArgument):
    """Nothing was logged."""


class RecordBuffer(Journal):
    def __init__(self, sink: Sink, *, flush_interval_s: float, clock: Callable[[], float]) -> None:
        # The first record wakes the writing thread at once, so that a page soon has something to show.
        super().__init__(
            clock=None if clock is time.time else clock, wake_bytes=1, max_bytes=BUFFER_LIMIT_BYTES
        )
        self.sink = sink
        self.flush_interval_s = flush_interval_s
        self.next_write_s = 0.0
        self._has_warned = False
        # Values whose encoding raised.
        self._unencoded = 0
        # What the program is to be warned of.
        self._notes: deque[str] = deque()
        self._settle()

    def _settle(self) -> None:
        self._lock = threading.Lock()
        self._encoding = threading.Lock()
        self._is_encoding = False
        self._is_encoding_asked = False
        # The disk did not take anything while a full buffer waited for it.
        self._is_stuck = False
        # Taken from the journal and written as far as `_done`; None when it is written whole.
        self._chunk: memoryview | None = None
        self._done = 0
        # When trouble is looked into again; None while there is none.
        self._retry_s: float | None = None
        self._rest_s = FIRST_REST_S

    def begin_in_child(self) -> None:
        """After a fork: what waits is the parent's, and so may be the lock."""
        self.clear()
        self._settle()
        self.wake_bytes = 1
        self.max_bytes = BUFFER_LIMIT_BYTES
        self.sink.abandon()

    # ---- on the threads that log

    def scalar_parts(self, tag: str, is_double: bool) -> tuple[bytes, bytes]:
        """Found by encoding two numbers, so that what a scalar looks like is said in one place."""
        # 1.1 differs from zero in its first byte, in either width.
        zero, other = (
            encode(
                EVENT,
                {
                    "summary": {
                        "value": [
                            summaries.scalar(tag, number, precision="float64" if is_double else "float32")
                        ]
                    }
                },
            )
            for number in (0.0, 1.1)
        )
        at = next(i for i, (a, b) in enumerate(zip(zero, other, strict=True)) if a != b)
        return zero[:at], zero[at + (8 if is_double else 4) :]

    def add_odd_scalar(self, tag: Any, value: Any, step: Any, wall_time: Any, precision: Any) -> None:
        self.check_open()
        if precision not in ("float32", "float64"):
            raise BadArgument(f"Argument precision must be 'float32' or 'float64', got {precision!r}.")
        if not isinstance(tag, str):
            raise BadArgument(f"Argument tag must be a str, got {tag!r}.")
        try:
            number = float(to_number(value, f"Scalar {tag!r}"))
        except OverflowError:
            raise BadArgument(f"Scalar {tag!r}: this integer is too large for a float.") from None
        self.put_scalar(str(tag), number, to_step(step), self.moment(wall_time), precision == "float64")

    def moment(self, wall_time: Any) -> float:
        given = to_wall_time(wall_time)
        return self.now() if given is None else given

    def check_open(self) -> None:
        if self.is_closed:
            raise WriterClosed(f"The writer of {self.sink.path} is closed; make a new one to log more.")

    def wake(self) -> None:
        writer_threads.ask(self)

    def make_room(self) -> bool:
        """A full buffer means trouble, or a writing thread that is far behind: that one is waited for."""
        if self._retry_s is not None or self._is_stuck or writer_threads.is_sink_thread():
            return False
        self._is_stuck = not writer_threads.make_room(self, ROOM_WAIT_S)
        return not self._is_stuck

    @property
    def has_jobs(self) -> bool:
        """Whether there are values that are yet to become records."""
        return self.job_count > 0 or self._is_encoding

    def add_later(self, job: Callable[[], bytes], size_bytes: int) -> None:
        while (
            self.job_bytes
            and self.job_bytes + size_bytes > JOBS_LIMIT_BYTES
            and not writer_threads.is_worker_thread()
        ):
            if self._retry_s is not None or self._is_stuck:
                self.dropped += 1
                return
            self._ask_to_encode()
            time.sleep(WAIT_S)
            # Whoever was asked may have been interrupted.
            self._is_encoding_asked = self._is_encoding
        self.add_job(job, size_bytes)
        self._ask_to_encode()

    def _ask_to_encode(self) -> None:
        if not self._is_encoding_asked:
            self._is_encoding_asked = True
            try:
                writer_threads.ask_to_encode(self)
            except BaseException:
                self._is_encoding_asked = False
                raise

    def write_as_it_comes(self) -> None:
        self.flush_interval_s = 0.0
        self.wake_bytes = 1

    # ---- on the encoding thread, and on any other once that has ended

    def encode(self, until_s: float | None, *, timeout_s: float = -1) -> None:
        """Turn values into records, in their order; no more of them after `until_s`."""
        if not self._encoding.acquire(timeout=timeout_s):
            self._is_encoding_asked = False
            return
        try:
            self._is_encoding_asked = False
            # Counted once: threads that go on adding must not keep a flush from coming to its end.
            for _ in range(self.job_count):
                # Before the job is taken: what is added meanwhile must come behind it.
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
        self._tell_soon()

    def _encoded(self, job: Callable[[], bytes]) -> bytes | None:
        try:
            return job()
        except Exception as error:
            self._unencoded += 1
            if self._unencoded == 1:
                self._notes.append(
                    f"{self.sink.path}: a value could not be encoded and is left out ({described(error)})."
                )
            return None

    # ---- on the writing thread, and on any other once that has ended

    def write_out(self, *, is_forced: bool = False, is_last: bool = False, timeout_s: float = -1) -> None:
        """Bring what waits into the sink; trouble does not raise. Only when forced does it not wait out a rest."""
        if not self._lock.acquire(timeout=timeout_s):
            self.is_asked = False
            return
        try:
            self._write_out(is_forced or is_last, is_last)
        finally:
            self._lock.release()
        self._tell_soon()

    def _write_out(self, is_forced: bool, is_last: bool) -> None:
        now_s = time.monotonic()
        self.next_write_s = now_s + max(SHORTEST_INTERVAL_S, self.flush_interval_s or FIRST_REST_S)
        if self._retry_s is not None and now_s < self._retry_s and not is_forced:
            return
        self.is_asked = False
        try:
            self._write_chunk()
            self._chunk, self._done = self.take(), 0
            self._write_chunk()
            self.sink.sync(is_forced=is_forced)
            if is_last:
                self.sink.finish()
        # An fsspec file system raises what it likes, cancelled tasks included.
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
            # A record that was torn stays the last of its file and is written whole to the next.
            self._done, _ = record_boundary(self._chunk, self._done)
            self.sink.begin()
        while self._done < len(self._chunk):
            self._done += self.sink.append(self._chunk[self._done :])
        self._chunk = None
        self._is_stuck = False
        self.wake_bytes = WAKE_BYTES if self.flush_interval_s > 0 and not writer_threads.state.is_deaf else 1

    def _fail(self, error: BaseException, is_last: bool) -> None:
        left = 0 if self._chunk is None else len(self._chunk) - self._done
        self.max_bytes = max(0, BUFFER_LIMIT_BYTES - left)
        self._rest_s = FIRST_REST_S if self._retry_s is None else min(2 * self._rest_s, LONGEST_REST_S)
        self._retry_s = time.monotonic() + self._rest_s
        self.next_write_s = min(self.next_write_s, self._retry_s)
        # No one has to ask: it is tried again anyway.
        self.is_asked = True
        if not self._has_warned:
            self._has_warned = True
            self._notes.append(
                f"{self.sink.path}: cannot be written ({described(error)}). Training goes on; up to "
                f"{BUFFER_LIMIT_BYTES >> 20} MB are kept in memory and tried again."
            )
        if is_last:
            self._give_up()

    def _give_up(self) -> None:
        lost = [self.sink.unwritten(), self.take()]
        if self._chunk is not None:
            lost.append(self._chunk[record_boundary(self._chunk, self._done)[0] :])
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
            self._notes.append(
                f"{self.sink.path}: {count:,} records were dropped, because they could not be written."
            )
        if self._unencoded > 1:
            count, self._unencoded = self._unencoded, 0
            self._notes.append(f"{self.sink.path}: {count:,} values could not be encoded and were left out.")

    # ---- where nobody waits and no lock is held: a warning runs code of the program

    def tell(self) -> None:
        with suppress(IndexError):
            while True:
                warn(self._notes.popleft())

    def _tell_soon(self) -> None:
        if not self._notes:
            return
        if writer_threads.is_worker_thread():
            with suppress(RuntimeError):
                threading.Thread(target=self._tell_later, daemon=True).start()
        else:
            self.tell()

    def _tell_later(self) -> None:
        # Whoever waits for the worker tells it first, from where the program called.
        time.sleep(TELL_AFTER_S)
        self.tell()


def described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def warn(message: str) -> None:
    """A warning that cannot end the writing thread, even where warnings are errors or there is no standard error."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    except Exception:
        with suppress(Exception):
            if sys.stderr is not None:
                print(f"runglass: {message}", file=sys.stderr)
