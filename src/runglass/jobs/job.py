"""One job: state, progress, partial results and listeners. Starts no threads and no processes.

All methods are thread-safe. A job that has ended never changes again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

from msgspec import Struct

from runglass.errors import JobMemory, RunglassError
from runglass.jobs.context import Cancelled, Encoded, encode
from runglass.jobs.work import ENDED, JobState, Work

# For all partial results of one job.
MAX_PARTIAL_BYTES = 256 * 2**20
PROGRESS_INTERVAL_S = 0.05
# Before that, an estimate of the time left would be noise.
MIN_ELAPSED_S = 0.2


class Snapshot(Struct, frozen=True):
    """A job at one moment. `version` grows with every change."""

    version: int
    state: JobState
    phase: str
    done: int
    # None: unknown.
    total: int | None
    seconds_left: float | None
    # Without pauses.
    elapsed_s: float
    # Number of partial results so far, whether or not they are still held.
    partials: int
    error: RunglassError | None


class Job:
    def __init__(self, job_id: str, work: Work, question: Struct, *, memory_bytes: int) -> None:
        self.id = job_id
        self.work = work
        self.question = question
        self.memory_bytes = memory_bytes
        self.result: Encoded | None = None
        self.ended_at: float | None = None
        # Time of the last heartbeat of code in a thread.
        self.beat_at = monotonic()
        self._changed = threading.Condition()
        self._state = JobState.WAITING
        self._error: RunglassError | None = None
        self._version = 0
        self._phase = ""
        self._done = 0
        self._total: int | None = None
        self._elapsed = _Stopwatch()
        self._phase_elapsed = _Stopwatch()
        self._told_at = 0.0
        # Whether there is progress that listeners were not told of.
        self._is_untold = False
        self._partials: list[Encoded] = []
        # Index of the first partial result that is still held.
        self._first = 0
        self._partial_bytes = 0
        self._listeners: list[Callable[[], None]] = []
        self._watched_at = monotonic()
        self._flag = memoryview(bytearray(1))
        self._on_signal: Callable[[bool, bool], None] | None = None

    # --- for clients

    @property
    def state(self) -> JobState:
        return self._state

    @property
    def is_ended(self) -> bool:
        return self._state in ENDED

    def snapshot(self) -> Snapshot:
        with self._changed:
            return Snapshot(
                version=self._version,
                state=self._state,
                phase=self._phase,
                done=self._done,
                total=self._total,
                seconds_left=self._seconds_left(),
                elapsed_s=self._elapsed.read(),
                partials=self._first + len(self._partials),
                error=self._error,
            )

    def read_partials(self, since: int = 0) -> tuple[int, list[Encoded]]:
        """Partial results from index `since` on, or from the first one still held, and the index of the first returned."""
        with self._changed:
            first = max(since, self._first)
            return first, self._partials[first - self._first :]

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until the job has ended. False: the time ran out first."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_ended, timeout_s)

    def listen(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` after every change, in the thread that made it. The returned function stops that."""
        with self._changed:
            self._listeners.append(wake)

        def leave() -> None:
            with self._changed:
                if wake in self._listeners:
                    self._listeners.remove(wake)
                    self._watched_at = monotonic()

        return leave

    def touch(self) -> None:
        """A client has asked about this job."""
        self._watched_at = monotonic()

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    @property
    def unwatched_s(self) -> float:
        """Time since the last listener left or a client asked."""
        return 0.0 if self._listeners else monotonic() - self._watched_at

    # --- for the runner

    def start(self) -> bool:
        """Run, for the first time or after a pause. False: the job has ended."""
        with self._changed:
            if self.is_ended:
                return False
            self.beat_at = monotonic()
            self._elapsed.go()
            self._phase_elapsed.go()
            self._become(JobState.RUNNING)
            return True

    def pause(self) -> bool:
        return self._hold(JobState.PAUSED, of=JobState.RUNNING)

    def resume(self) -> bool:
        """Back to waiting until `start` is called."""
        return self._hold(JobState.WAITING, of=JobState.PAUSED)

    def _hold(self, state: JobState, *, of: JobState) -> bool:
        with self._changed:
            if self._state is not of:
                return False
            self._elapsed.stop()
            self._phase_elapsed.stop()
            self._become(state)
            return True

    def succeed(self, result: Encoded) -> bool:
        return self._end(JobState.DONE, result=result)

    def fail(self, error: RunglassError) -> bool:
        return self._end(JobState.FAILED, error=error)

    def cancel(self) -> bool:
        """Takes effect for listeners at once, and for the code at its next check."""
        return self._end(JobState.CANCELLED)

    def _end(
        self, state: JobState, *, result: Encoded | None = None, error: RunglassError | None = None
    ) -> bool:
        with self._changed:
            if self.is_ended:
                return False
            self.result, self._error = result, error
            self.ended_at = monotonic()
            self._elapsed.stop()
            self._phase_elapsed.stop()
            self._become(state)
            return True

    def drop_partials(self) -> int:
        """Free partial results. Returns their size in bytes."""
        with self._changed:
            freed, self._partial_bytes = self._partial_bytes, 0
            self._first += len(self._partials)
            self._partials = []
            return freed

    @property
    def partial_bytes(self) -> int:
        return self._partial_bytes

    def set_signal(self, on_signal: Callable[[bool, bool], None] | None) -> None:
        """A function that passes (is_cancelled, is_paused) on to a worker process. Called at once and after every change."""
        with self._changed:
            self._on_signal = on_signal
            self._signal()

    def _signal(self) -> None:
        if self.is_ended and self._state is not JobState.DONE:
            self._flag[0] = 1
        if self._on_signal is not None:
            self._on_signal(bool(self._flag[0]), self._state is not JobState.RUNNING)

    def _become(self, state: JobState) -> None:
        self._state = state
        self._signal()
        self._tell()

    def _tell(self) -> None:
        self._version += 1
        self._is_untold = False
        self._told_at = monotonic()
        self._changed.notify_all()
        for wake in self._listeners:
            wake()

    # --- for the code of the work: `Context`

    @property
    def flag(self) -> memoryview:
        return self._flag

    def check(self) -> None:
        self.beat_at = monotonic()
        if self._state is JobState.RUNNING:
            return
        with self._changed:
            self._changed.wait_for(lambda: self.is_ended or self._state is JobState.RUNNING)
            if self.is_ended:
                raise Cancelled
        self.beat_at = monotonic()

    def progress(self, phase: str, done: int, total: int | None = None) -> None:
        self.check()
        self.note_progress(phase, done, total)

    def partial(self, value: Any) -> None:
        self.check()
        self.note_partial(encode(value))
        # Lets go of the GIL: otherwise the event loop waits for a whole switch interval at each of its system calls.
        sleep(0)

    def note_progress(self, phase: str, done: int, total: int | None) -> None:
        with self._changed:
            if self.is_ended:
                return
            is_new = phase != self._phase
            if is_new:
                self._phase_elapsed = _Stopwatch()
                if self._state is JobState.RUNNING:
                    self._phase_elapsed.go()
            self._phase, self._done, self._total = phase, done, total
            self._is_untold = True
            if is_new or monotonic() - self._told_at >= PROGRESS_INTERVAL_S:
                self._tell()

    def tell_progress(self) -> None:
        """Tell of progress that came too soon after the last. Called now and then: there may be no more for a while."""
        with self._changed:
            if self._is_untold and monotonic() - self._told_at >= PROGRESS_INTERVAL_S:
                self._tell()

    def note_partial(self, piece: Encoded) -> None:
        with self._changed:
            if self.is_ended:
                return
            if self.work.holds_partials == "latest":
                self._first += len(self._partials)
                self._partials = []
                self._partial_bytes = 0
            self._partial_bytes += len(piece.data)
            if self._partial_bytes > MAX_PARTIAL_BYTES:
                raise JobMemory(
                    f"{self.work.title}: partial results exceed {MAX_PARTIAL_BYTES >> 20} MiB, the most that the server"
                    f" holds for one job. {self.work.advice}".rstrip(),
                    where=self.work.name,
                )
            self._partials.append(piece)
            self._tell()

    def _seconds_left(self) -> float | None:
        elapsed_s = self._phase_elapsed.read()
        if self.is_ended or not self._total or self._done <= 0 or elapsed_s < MIN_ELAPSED_S:
            return None
        return elapsed_s * max(0, self._total - self._done) / self._done


class _Stopwatch:
    def __init__(self) -> None:
        self._total_s = 0.0
        self._since: float | None = None

    def go(self) -> None:
        if self._since is None:
            self._since = monotonic()

    def stop(self) -> None:
        self._total_s, self._since = self.read(), None

    def read(self) -> float:
        return self._total_s + (0.0 if self._since is None else monotonic() - self._since)
