"""The threads of a process that encode and write, and the moments at which they must not be late: exit, a signal, a fork.

One thread encodes what takes long; each disk or store has one that writes, so that none waits for another. They start with
the first record. Where they cannot run, because the interpreter is on its way out, whoever logs does their work.
Nothing here waits for a lock that a signal handler or the garbage collector could find taken by the thread it interrupts.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Hashable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runglass.writer.files.record_buffer import RecordBuffer

# How long leaving waits for a disk that does not answer.
EXIT_WAIT_S = 60.0
SIGNAL_WAIT_S = 10.0
# How long a thread that has to write for itself waits for another that is in the middle of a write.
LOCK_WAIT_S = 2.0
# Queues refuse to wait for ages.
LONGEST_REST_S = 3600.0
# How often a thread that waits looks whether the other still lives.
LOOK_S = 1.0
# Encoding for one writer stops after this, so that the others have their turn.
SLICE_S = 0.1


class WorkerThread(threading.Thread):
    """By its class it is known for one of ours."""


class Worker:
    """A thread, what it is asked for, and the buffers it sees to by itself."""

    def __init__(self) -> None:
        # RecordBuffer, a lock to release when it is written (or None), and whether it is the buffer's last time.
        self.requests: SimpleQueue[tuple[RecordBuffer, Any, bool]] = SimpleQueue()
        # Written to under the GIL, by single set operations.
        self.buffers: set[RecordBuffer] = set()
        self.thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def run(self) -> None:
        while True:
            # A fault of ours, or of a file system, costs a record, not every writer of the process.
            try:
                self.turn()
            except BaseException:
                with suppress(BaseException):
                    threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self.thread)))

    def turn(self) -> None:
        with suppress(Empty):
            self.serve(*self.requests.get(timeout=self.rest_s()))
        now_s = time.monotonic()
        for buffer in tuple(self.buffers):
            if buffer.next_write_s <= now_s:
                self.serve(buffer, None, False)

    def rest_s(self) -> float | None:
        due = [buffer.next_write_s for buffer in tuple(self.buffers)]
        return min(max(0.0, min(due) - time.monotonic()), LONGEST_REST_S) if due else None

    def serve(self, buffer: RecordBuffer, done: Any, is_last: bool) -> None:
        raise NotImplementedError

    def is_running(self) -> bool:
        """Whether there is a thread; starts it when it can."""
        if state.is_over or self.thread is not None:
            return not state.is_over
        # Taken: by another thread, or below us by this one, which a signal interrupted in here.
        if not self._starting.acquire(blocking=False):
            return False
        try:
            if self.thread is None:
                thread = WorkerThread(target=self.run, name="runglass-writer", daemon=True)
                thread.start()
                self.thread = thread
                guard_process()
        except RuntimeError:
            # The interpreter is ending, or the system has no more threads to give.
            write_without_threads()
            return False
        finally:
            self._starting.release()
        return True


class SinkWorker(Worker):
    """For the writers to one disk or store."""

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
    """For values that take long to encode, of all writers. What they have become is written by another."""

    def serve(self, buffer: RecordBuffer, done: Any, is_last: bool) -> None:
        is_sliced = done is None and not is_last
        try:
            buffer.encode(time.monotonic() + SLICE_S if is_sliced else None)
            if is_sliced and buffer.has_jobs:
                self.requests.put((buffer, None, False))
        finally:
            sink_worker(buffer).requests.put((buffer, done, is_last))


class State:
    """All of one process; a forked child makes its own."""

    def __init__(self) -> None:
        self.encoder = EncodeWorker()
        # By what they write to.
        self.writers: dict[Hashable, SinkWorker] = {}
        self.is_guarded = False
        # SIGTERM would end the process at once.
        self.is_deaf = False
        self.is_over = False
        # What did not answer when the process was about to end; it is not waited for again.
        self.stuck: set[SinkWorker] = set()


state = State()
# Every buffer of this process that is not collected: those of a forked child begin anew.
known: weakref.WeakSet[RecordBuffer] = weakref.WeakSet()


def watch(buffer: RecordBuffer) -> None:
    """From here on the buffer survives forks, and what it holds survives the end of the process."""
    known.add(buffer)
    if state.is_over:
        buffer.write_as_it_comes()
    flush_on_sigterm()


def sink_worker(buffer: RecordBuffer) -> SinkWorker:
    device = buffer.sink.device
    return state.writers.get(device) or state.writers.setdefault(device, SinkWorker())


def ask(buffer: RecordBuffer) -> None:
    """Have the buffer's buffer written soon, or here where there is no thread to do it."""
    worker = sink_worker(buffer)
    worker.buffers.add(buffer)
    if worker.is_running():
        worker.requests.put((buffer, None, False))
    elif worker not in state.stuck:
        buffer.write_out(timeout_s=LOCK_WAIT_S)


def make_room(buffer: RecordBuffer, patience_s: float) -> bool:
    """Have the buffer's buffer written; False when that takes longer than `patience_s`."""
    worker = sink_worker(buffer)
    if not worker.is_running():
        buffer.write_out(is_forced=True, timeout_s=LOCK_WAIT_S)
        return True
    done = threading.Lock()
    done.acquire()
    worker.requests.put((buffer, done, False))
    return done.acquire(timeout=patience_s)


def ask_to_encode(buffer: RecordBuffer) -> None:
    """The same for values that are yet to be encoded."""
    sink_worker(buffer).buffers.add(buffer)
    if not send(buffer, None, False):
        write_here(buffer)


def write_now(buffer: RecordBuffer, *, is_last: bool = False) -> None:
    """Everything that was added to the buffer is in its sink when this returns, or cannot be written now."""
    if is_worker_thread():
        # A value that logs while it is encoded cannot wait for itself; what it logged is next in turn.
        send(buffer, None, is_last)
        return
    done = threading.Lock()
    done.acquire()
    before = state
    is_sent = is_waiting(buffer) and send(buffer, done, is_last)
    while not (is_sent and done.acquire(timeout=LOOK_S)):
        # Over, or in a child that a signal handler forked off in here.
        if not is_sent or state.is_over or state is not before:
            write_here(buffer, is_forced=True, is_last=is_last)
            break
    buffer.tell()


def send(buffer: RecordBuffer, done: Any, is_last: bool) -> bool:
    """To the thread that has to see to the buffer first; False where there is none."""
    worker = sink_worker(buffer)
    if not worker.is_running():
        return False
    if not buffer.has_jobs:
        worker.requests.put((buffer, done, is_last))
    elif state.encoder.is_running():
        state.encoder.requests.put((buffer, done, is_last))
    else:
        return False
    return True


def write_here(
    buffer: RecordBuffer, *, is_forced: bool = False, is_last: bool = False, timeout_s: float = LOCK_WAIT_S
) -> None:
    if sink_worker(buffer) not in state.stuck:
        buffer.encode(None, timeout_s=timeout_s)
        buffer.write_out(is_forced=is_forced, is_last=is_last, timeout_s=timeout_s)


def close_soon(buffer: RecordBuffer) -> None:
    """For a writer that is collected: this may run on any thread, in the middle of anything."""
    if not (is_waiting(buffer) and not state.is_over and send(buffer, None, True)):
        write_here(buffer, is_last=True, timeout_s=0)


def is_worker_thread() -> bool:
    """Whether this is a thread of ours, which must wait for no other."""
    return isinstance(threading.current_thread(), WorkerThread)


def is_sink_thread() -> bool:
    return is_worker_thread() and threading.current_thread() is not state.encoder.thread


def all_known() -> list[RecordBuffer]:
    while True:
        # Another thread may make a writer meanwhile.
        with suppress(RuntimeError):
            return list(known)


def finish(timeout_s: float) -> None:
    """The process is about to end: write everything, and from here on every record as it comes."""
    state.stuck = write_all(timeout_s)
    write_without_threads()
    for buffer in all_known():
        if not buffer.is_closed or is_waiting(buffer):
            write_here(buffer, is_forced=True)
        buffer.tell()


def write_without_threads() -> None:
    state.is_over = True
    for buffer in all_known():
        buffer.write_as_it_comes()


def write_all(timeout_s: float) -> set[SinkWorker]:
    """Returns those that were not done in time."""
    until_s = time.monotonic() + timeout_s
    waiting = []
    for buffer in all_known():
        if not is_waiting(buffer):
            continue
        done = threading.Lock()
        done.acquire()
        if not state.is_over and send(buffer, done, False):
            waiting.append((sink_worker(buffer), done))
        else:
            write_here(buffer, is_forced=True)
    return {
        worker for worker, done in waiting if not done.acquire(timeout=max(0.0, until_s - time.monotonic()))
    }


def is_waiting(buffer: RecordBuffer) -> bool:
    """Whether its worker may have something of it to write, the last of a closed one included."""
    return buffer in sink_worker(buffer).buffers


def begin_in_child() -> None:
    global state
    state = State()
    for buffer in all_known():
        buffer.begin_in_child()
    if known:
        flush_on_sigterm()


def guard_process() -> None:
    """Whatever ends this process from now on, what waits is written first."""
    if state.is_guarded:
        return
    state.is_guarded = True
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        # Processes that multiprocessing forks leave without running what atexit knows; they run finalizers of their own.
        Finalize(None, finish, args=(EXIT_WAIT_S,), exitpriority=0)
        # A data loader's worker has torch's handler below ours since it was forked, where Python does not see it.
        flush_on_sigterm(is_anew=True)


def flush_on_sigterm(*, is_anew: bool = False) -> None:
    """Where SIGTERM would end the process at once, write first. A handler that the program sets is left alone."""
    current = signal.getsignal(signal.SIGTERM)
    if current is signal.SIG_DFL or (is_anew and current is on_sigterm):
        try:
            signal.signal(signal.SIGTERM, on_sigterm)
        except ValueError:
            # Only the main thread of the main interpreter may; until it does, nothing is kept waiting.
            state.is_deaf = current is signal.SIG_DFL
            return
    state.is_deaf = False


def on_sigterm(number: int, frame: object) -> None:
    write_all(SIGNAL_WAIT_S)
    # Called by the handler that a program set later: then that one decides what becomes of the process.
    if signal.getsignal(number) is on_sigterm:
        if is_loader_worker():
            # As torch's own handler does: its parent takes any other end for a crash.
            os._exit(0)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def is_loader_worker() -> bool:
    loader = sys.modules.get("torch.utils.data")
    return loader is not None and loader.get_worker_info() is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=begin_in_child)
