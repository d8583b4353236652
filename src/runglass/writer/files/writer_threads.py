"""The threads that encode and write for all writers of a process.

One thread encodes values that take long; each disk or object store has one that writes, so that none waits for another.
They start with the first record. Where they cannot run, because the interpreter is shutting down, the thread that logs
does their work. Nothing here waits for a lock that a signal handler or the garbage collector could find taken by the
thread it interrupts.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from runglass.writer.files.record_buffer import RecordBuffer

# How long a thread that has to write for itself waits for another that is in the middle of a write.
LOCK_WAIT_S = 2.0
# Queues refuse much longer timeouts.
LONGEST_TIMEOUT_S = 3600.0
# How often a thread that waits for a worker checks whether the worker still runs.
CHECK_S = 1.0
# Encoding for one writer pauses after this, so that the others have their turn.
SLICE_S = 0.1


class Worker:
    """A thread, the requests it serves, and the buffers it writes by itself when they are due."""

    def __init__(self, threads: WriterThreads) -> None:
        self.threads = threads
        # Buffer, a lock to release when it is written (or None), and whether it is the buffer's last time.
        self.requests: SimpleQueue[tuple[RecordBuffer, Any, bool]] = SimpleQueue()
        # Changed under the GIL, by single set operations.
        self.buffers: set[RecordBuffer] = set()
        self.thread: WorkerThread | None = None
        self._starting = threading.Lock()

    def run(self) -> None:
        while True:
            # An error of ours, or of a file system, costs a record, not every writer of the process.
            try:
                self.serve_next()
            except BaseException:
                with suppress(BaseException):
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self.thread)))

    def serve_next(self) -> None:
        with suppress(Empty):
            self.serve(*self.requests.get(timeout=self.timeout_s()))
        now_s = time.monotonic()
        for buffer in tuple(self.buffers):
            if buffer.next_write_s <= now_s:
                self.serve(buffer, None, False)

    def timeout_s(self) -> float | None:
        due = [buffer.next_write_s for buffer in tuple(self.buffers)]
        return min(max(0.0, min(due) - time.monotonic()), LONGEST_TIMEOUT_S) if due else None

    def serve(self, buffer: RecordBuffer, done: Any, is_last: bool) -> None:
        raise NotImplementedError

    def is_running(self) -> bool:
        """Whether there is a thread; starts it when it can."""
        if self.threads.has_ended or self.thread is not None:
            return not self.threads.has_ended
        # Taken: by another thread, or by this one, if a signal interrupted it in here.
        if not self._starting.acquire(blocking=False):
            return False
        try:
            if self.thread is None:
                thread = WorkerThread(self)
                thread.start()
                self.thread = thread
                self.threads.on_start()
        except RuntimeError:
            # The interpreter is shutting down, or the system has no more threads to give.
            self.threads.end()
            return False
        finally:
            self._starting.release()
        return True


class WorkerThread(threading.Thread):
    def __init__(self, worker: Worker) -> None:
        super().__init__(target=worker.run, name="runglass-writer", daemon=True)
        self.worker = worker


class SinkWorker(Worker):
    """Writes for the writers to one disk or store."""

    def serve(self, buffer: RecordBuffer, done: Any, is_last: bool) -> None:
        is_last = is_last or (buffer.is_closed and not buffer.has_jobs)
        try:
            buffer.write_out(is_forced=done is not None, is_last=is_last)
        finally:
            if is_last:
                self.buffers.discard(buffer)
            if done is not None:
                done.release()


class EncodeWorker(Worker):
    """Encodes the values of all writers that take long. A SinkWorker writes the records they become."""

    def serve(self, buffer: RecordBuffer, done: Any, is_last: bool) -> None:
        is_sliced = done is None and not is_last
        try:
            buffer.encode(time.monotonic() + SLICE_S if is_sliced else None)
            if is_sliced and buffer.has_jobs:
                self.requests.put((buffer, None, False))
        finally:
            self.threads.sink_worker(buffer).requests.put((buffer, done, is_last))


class WriterThreads:
    """The workers of one process and the buffers they serve. `on_start` is called each time a thread starts."""

    def __init__(self, on_start: Callable[[], None] = lambda: None) -> None:
        self.on_start = on_start
        # Every buffer of this process that is not collected.
        self.buffers: weakref.WeakSet[RecordBuffer] = weakref.WeakSet()
        self._generation = 0
        self._reset()

    def _reset(self) -> None:
        self._generation += 1
        self._encoder = EncodeWorker(self)
        # By what they write to.
        self._sink_workers: dict[Hashable, SinkWorker] = {}
        # SIGTERM would end the process at once.
        self.misses_sigterm = False
        self.has_ended = False
        # Did not answer when the process was about to end, and are not waited for again.
        self._stuck: set[SinkWorker] = set()

    def begin_in_child(self) -> None:
        """A forked child has none of its parent's threads, and its buffers start empty."""
        self._reset()
        for buffer in self.all_buffers():
            buffer.begin_in_child()

    def register(self, buffer: RecordBuffer) -> None:
        """From here on the buffer survives forks, and what it holds survives the end of the process."""
        self.buffers.add(buffer)
        if self.has_ended:
            buffer.write_each_record()

    def all_buffers(self) -> list[RecordBuffer]:
        while True:
            # Another thread may make a writer meanwhile.
            with suppress(RuntimeError):
                return list(self.buffers)

    def sink_worker(self, buffer: RecordBuffer) -> SinkWorker:
        device = buffer.sink.device
        return self._sink_workers.get(device) or self._sink_workers.setdefault(device, SinkWorker(self))

    def is_pending(self, buffer: RecordBuffer) -> bool:
        """Whether its worker may have something of it to write, the last of a closed writer included."""
        return buffer in self.sink_worker(buffer).buffers

    # ---- what a buffer asks for

    def write_soon(self, buffer: RecordBuffer) -> None:
        """On the sink's thread; at once and on this one where there is none."""
        worker = self.sink_worker(buffer)
        worker.buffers.add(buffer)
        if worker.is_running():
            worker.requests.put((buffer, None, False))
        elif worker not in self._stuck:
            buffer.write_out(timeout_s=LOCK_WAIT_S)

    def encode_soon(self, buffer: RecordBuffer) -> None:
        """The same for values that wait to be encoded."""
        self.sink_worker(buffer).buffers.add(buffer)
        if not self._send(buffer, None, False):
            self._write_here(buffer)

    def wait_for_room(self, buffer: RecordBuffer, timeout_s: float) -> bool:
        worker = self.sink_worker(buffer)
        if not worker.is_running():
            buffer.write_out(is_forced=True, timeout_s=LOCK_WAIT_S)
            return True
        done = taken_lock()
        worker.requests.put((buffer, done, False))
        return done.acquire(timeout=timeout_s)

    def is_worker(self) -> bool:
        return isinstance(threading.current_thread(), WorkerThread)

    def is_sink_worker(self) -> bool:
        thread = threading.current_thread()
        return isinstance(thread, WorkerThread) and isinstance(thread.worker, SinkWorker)

    # ---- what a writer asks for

    def write_now(self, buffer: RecordBuffer, *, is_last: bool = False) -> None:
        """When this returns, everything that was added to the buffer is in its sink or cannot be written now."""
        if self.is_worker():
            # A value that logs while it is encoded cannot wait for itself; what it logged comes next.
            self._send(buffer, None, is_last)
            return
        done = taken_lock()
        generation = self._generation
        is_sent = self.is_pending(buffer) and self._send(buffer, done, is_last)
        while not (is_sent and done.acquire(timeout=CHECK_S)):
            # The threads have ended, or a signal handler forked in here and this is the child.
            if not is_sent or self.has_ended or self._generation != generation:
                self._write_here(buffer, is_forced=True, is_last=is_last)
                break
        buffer.emit_warnings()

    def close_soon(self, buffer: RecordBuffer) -> None:
        """For a writer that is collected: this may run on any thread, in the middle of anything."""
        if not (self.is_pending(buffer) and not self.has_ended and self._send(buffer, None, True)):
            self._write_here(buffer, is_last=True, timeout_s=0)

    # ---- what the end of a process asks for

    def finish(self, timeout_s: float) -> None:
        """Write everything, and from here on each record on the thread that logs it."""
        self._stuck = self.write_all(timeout_s)
        self.end()
        for buffer in self.all_buffers():
            if not buffer.is_closed or self.is_pending(buffer):
                self._write_here(buffer, is_forced=True)
            buffer.emit_warnings()

    def end(self) -> None:
        self.has_ended = True
        for buffer in self.all_buffers():
            buffer.write_each_record()

    def write_all(self, timeout_s: float) -> set[SinkWorker]:
        """Returns the workers that were not done in time."""
        until_s = time.monotonic() + timeout_s
        waiting = []
        for buffer in self.all_buffers():
            if not self.is_pending(buffer):
                continue
            done = taken_lock()
            if not self.has_ended and self._send(buffer, done, False):
                waiting.append((self.sink_worker(buffer), done))
            else:
                self._write_here(buffer, is_forced=True)
        return {
            worker
            for worker, done in waiting
            if not done.acquire(timeout=max(0.0, until_s - time.monotonic()))
        }

    def _send(self, buffer: RecordBuffer, done: Any, is_last: bool) -> bool:
        """To the worker that must serve the buffer first; False where there is no thread."""
        worker = self.sink_worker(buffer)
        if not worker.is_running():
            return False
        if not buffer.has_jobs:
            worker.requests.put((buffer, done, is_last))
        elif self._encoder.is_running():
            self._encoder.requests.put((buffer, done, is_last))
        else:
            return False
        return True

    def _write_here(
        self,
        buffer: RecordBuffer,
        *,
        is_forced: bool = False,
        is_last: bool = False,
        timeout_s: float = LOCK_WAIT_S,
    ) -> None:
        if self.sink_worker(buffer) not in self._stuck:
            buffer.encode(None, timeout_s=timeout_s)
            buffer.write_out(is_forced=is_forced, is_last=is_last, timeout_s=timeout_s)


def taken_lock() -> threading.Lock:
    """A worker releases it when it is done; the thread that asked waits to take it again."""
    lock = threading.Lock()
    lock.acquire()
    return lock
