"""The one thread of a process that writes, and the moments at which it must not be late: exit, a signal, a fork.

It starts with the first record. Where it cannot run, because the interpreter is on its way out, whoever logs writes.
Nothing here takes a lock that a signal handler or the garbage collector could find taken by the thread it interrupts.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
import weakref
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runglass.writer.outlet import Outlet

# How long leaving waits for a disk that does not answer.
EXIT_WAIT_S = 60.0
SIGNAL_WAIT_S = 10.0
# How long a thread that has to write for itself waits for another that is in the middle of a write.
LOCK_WAIT_S = 2.0


class Outbox:
    """The state of one process; a forked child makes its own."""

    def __init__(self) -> None:
        # Outlet, a lock to release when it is written (or None), and whether it is the outlet's last time.
        self.inbox: SimpleQueue[tuple[Outlet, Any, bool]] = SimpleQueue()
        # Those that have ever had a record and are not closed. Written to under the GIL, by single set operations.
        self.outlets: set[Outlet] = set()
        self.thread: threading.Thread | None = None
        self.is_over = False

    def run(self) -> None:
        while True:
            with suppress(Empty):
                self.serve(*self.inbox.get(timeout=self.rest_s()))
            now_s = time.monotonic()
            for outlet in tuple(self.outlets):
                if outlet.next_write_s <= now_s:
                    self.serve(outlet, None, False)

    def serve(self, outlet: Outlet, done: Any, is_last: bool) -> None:
        try:
            if is_last:
                self.outlets.discard(outlet)
            outlet.write_out(is_forced=done is not None, is_last=is_last, is_sliced=True)
        # A fault of ours costs a record, not every writer of the process.
        except Exception:
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self.thread)))
        finally:
            if done is not None:
                done.release()

    def rest_s(self) -> float | None:
        due = [outlet.next_write_s for outlet in tuple(self.outlets)]
        return max(0.0, min(due) - time.monotonic()) if due else None


box = Outbox()
# Every outlet of this process that is not collected, for a forked child to begin anew with.
known: weakref.WeakSet[Outlet] = weakref.WeakSet()
starting = threading.Lock()
is_guarded = False


def watch(outlet: Outlet) -> None:
    """From here on the outlet survives forks, and what it holds survives the end of the process."""
    global is_guarded
    known.add(outlet)
    if not is_guarded:
        is_guarded = True
        atexit.register(finish, EXIT_WAIT_S)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=begin_in_child)
    flush_on_sigterm()


def ask(outlet: Outlet) -> bool:
    """Have the outlet written soon. False: it was written here, because there is no thread to do it."""
    if is_running(outlet):
        box.inbox.put((outlet, None, False))
        return True
    outlet.write_out(timeout_s=LOCK_WAIT_S)
    return False


def write_now(outlet: Outlet, *, is_last: bool = False) -> None:
    """Everything that was added to the outlet is in its sink when this returns, or cannot be written now."""
    if is_own_thread():
        # A value that logs while it is encoded cannot wait for itself; what it logged is next in turn.
        box.inbox.put((outlet, None, is_last))
    elif outlet in box.outlets and is_running(outlet):
        done = threading.Lock()
        done.acquire()
        box.inbox.put((outlet, done, is_last))
        done.acquire()
    else:
        outlet.write_out(is_forced=True, is_last=is_last, timeout_s=LOCK_WAIT_S)


def close_soon(outlet: Outlet) -> None:
    """For a writer that is collected: this may run on any thread, in the middle of anything."""
    if outlet in box.outlets and not box.is_over:
        box.inbox.put((outlet, None, True))
    else:
        outlet.write_out(is_last=True, timeout_s=0)


def is_own_thread() -> bool:
    return threading.current_thread() is box.thread


def is_running(outlet: Outlet) -> bool:
    """Whether the thread will see to the outlet; starts it when it can."""
    current = box
    if current.is_over:
        return False
    current.outlets.add(outlet)
    if current.thread is None:
        with starting:
            if current.thread is None:
                thread = threading.Thread(target=current.run, name="runglass-writer", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    # The interpreter is ending, or the system has no more threads to give.
                    write_without_thread()
                    return False
                current.thread = thread
                finish_with_multiprocessing()
    return True


def finish(timeout_s: float) -> None:
    """The process is about to end: write everything, and from here on every record as it comes."""
    write_all(timeout_s)
    write_without_thread()
    for outlet in tuple(known):
        if not outlet.is_closed:
            outlet.write_out(timeout_s=LOCK_WAIT_S)


def write_without_thread() -> None:
    box.is_over = True
    for outlet in tuple(known):
        outlet.flush_interval_s = 0.0
        outlet.wake_bytes = 1


def write_all(timeout_s: float) -> None:
    if box.thread is None or box.is_over:
        return
    until_s = time.monotonic() + timeout_s
    waiting = []
    for outlet in tuple(box.outlets):
        done = threading.Lock()
        done.acquire()
        box.inbox.put((outlet, done, False))
        waiting.append(done)
    for done in waiting:
        done.acquire(timeout=max(0.0, until_s - time.monotonic()))


def begin_in_child() -> None:
    global box, starting
    box = Outbox()
    starting = threading.Lock()
    for outlet in tuple(known):
        outlet.begin_in_child()


def finish_with_multiprocessing() -> None:
    """Processes that multiprocessing forks leave without running what atexit knows; they run finalizers of their own."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, finish, args=(EXIT_WAIT_S,), exitpriority=0)


def flush_on_sigterm() -> None:
    """Where SIGTERM would end the process at once, write first. A handler that the program sets is left alone."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # Refused where this is not the main interpreter.
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, on_sigterm)


def on_sigterm(number: int, frame: object) -> None:
    write_all(SIGNAL_WAIT_S)
    # Called by the handler that a program set later: then that one decides what becomes of the process.
    if signal.getsignal(number) is on_sigterm:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
