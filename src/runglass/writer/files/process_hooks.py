"""The writer threads of this process, and the hooks that write what waits: at exit, on SIGTERM, and in forked children."""

from __future__ import annotations

import os
import signal
import sys

from runglass.writer.files.writer_threads import WriterThreads

# How long the end of a process waits for a disk or store that does not answer.
EXIT_WAIT_S = 60.0
SIGNAL_WAIT_S = 10.0

has_finalizer = False


def add_finalizer() -> None:
    """In a process that multiprocessing made: it exits without running atexit, but runs finalizers of its own."""
    global has_finalizer
    if has_finalizer:
        return
    has_finalizer = True
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, finish, exitpriority=0)
        # A data loader's worker has had torch's handler below ours since the fork, where Python does not see it.
        flush_on_sigterm(is_set_again=True)


# Not at the fork: multiprocessing forgets finalizers that are added before the child runs its own code.
threads = WriterThreads(on_start=add_finalizer)


def finish() -> None:
    """`runglass` calls this at exit."""
    threads.finish(EXIT_WAIT_S)


def flush_on_sigterm(*, is_set_again: bool = False) -> None:
    """Where SIGTERM would end the process at once, write first. A handler that the program set stays."""
    current = signal.getsignal(signal.SIGTERM)
    if current is signal.SIG_DFL or (is_set_again and current is on_sigterm):
        try:
            signal.signal(signal.SIGTERM, on_sigterm)
        except ValueError:
            # Only the main thread of the main interpreter may set one; until it does, no record waits.
            threads.misses_sigterm = current is signal.SIG_DFL
            return
    threads.misses_sigterm = False


def on_sigterm(number: int, frame: object) -> None:
    threads.write_all(SIGNAL_WAIT_S)
    # A handler that the program set later may call this one; then the program decides what becomes of the process.
    if signal.getsignal(number) is on_sigterm:
        if is_loader_worker():
            # As torch's own handler does: its parent takes any other exit for a crash.
            os._exit(0)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def is_loader_worker() -> bool:
    loader = sys.modules.get("torch.utils.data")
    return loader is not None and loader.get_worker_info() is not None


def begin_in_child() -> None:
    global has_finalizer
    has_finalizer = False
    threads.begin_in_child()
    if threads.buffers:
        flush_on_sigterm()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=begin_in_child)
