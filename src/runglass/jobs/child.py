"""The program of a worker process: reads jobs from standard input, runs them, writes results to standard output.

Exits when the server does. Imports little, to start fast; a job's own module imports what the job needs.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from time import monotonic, sleep
from typing import IO, Any, NamedTuple

from runglass.errors import RunglassError
from runglass.jobs.context import Cancelled, Context, Encoded, encode

# A frame is one letter, the length of the data, and the data. To the worker:
JOB, INPUT, NO_MORE = b"J", b"I", b"Z"
# From the worker:
NEXT, PROGRESS, JSON_PARTIAL, PARTIAL, JSON_RESULT, RESULT, ERROR, CANCELLED = (
    bytes([each]) for each in b"NPqpsrEC"
)
LENGTH_BYTES = 8

# Shared memory: two flags that the server writes, and a heartbeat counter that the worker writes.
CANCEL, PAUSE, BEAT = 0, 1, 8
SHARED_BYTES = 16

# Inputs requested before the code asks for them.
AHEAD = 2
POLL_INTERVAL_S = 0.02
PROGRESS_INTERVAL_S = 0.05
# The server kills a stalled worker. If the server itself was killed, the worker's own watchdog does it, later.
WATCHDOG_FACTOR = 2
REARM_INTERVAL_S = 1.0


class Order(NamedTuple):
    """What to run, and its limits."""

    module: str
    function: str
    memory_bytes: int
    stall_s: float | None


def write_frame(file: IO[bytes], kind: bytes, data: bytes = b"") -> None:
    file.write(kind + len(data).to_bytes(LENGTH_BYTES, "little"))
    file.write(data)
    file.flush()


def read_frame(file: IO[bytes]) -> tuple[bytes, bytes]:
    """EOFError when the other side has closed the pipe."""
    head = file.read(1 + LENGTH_BYTES)
    if len(head) < 1 + LENGTH_BYTES:
        raise EOFError
    size = int.from_bytes(head[1:], "little")
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return head[:1], data


def main() -> None:
    shared_path = sys.argv[1]
    with suppress(ValueError):
        # Ctrl+C is for the server, which then ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        # Charts have priority over jobs.
        with suppress(OSError):
            os.nice(5)
    # Keep printed text out of the frames.
    answers = os.fdopen(os.dup(1), "wb")
    orders = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    with open(shared_path, "r+b") as file:
        shared = mmap.mmap(file.fileno(), SHARED_BYTES)
    # Fails on Windows while the file is mapped; there the server deletes it.
    with suppress(OSError):
        os.unlink(shared_path)
    frames: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_read_all, args=(orders, frames), daemon=True).start()
    while True:
        kind, data = frames.get()
        # Skips inputs that the previous job requested and did not consume.
        if kind == JOB:
            _compute(Order(*json.loads(data)), shared, frames, answers)


def _read_all(orders: IO[bytes], frames: queue.SimpleQueue[tuple[bytes, bytes]]) -> None:
    try:
        while True:
            frames.put(read_frame(orders))
    except (EOFError, OSError):
        os._exit(0)


def _compute(
    order: Order, shared: mmap.mmap, frames: queue.SimpleQueue[tuple[bytes, bytes]], answers: IO[bytes]
) -> None:
    context = ChildContext(shared, answers, stall_s=order.stall_s)
    try:
        context.check()
        function = find_function(order.module, order.function)
        limit_memory(order.memory_bytes)
        result = encode(function(context, _inputs(context, frames)))
        context.send(JSON_RESULT if result.is_json else RESULT, result.data)
    except Cancelled:
        context.send(CANCELLED)
    except RunglassError as error:
        context.send_error(error.code, error.message, error.where, error.http_status)
    except MemoryError:
        context.send_error("job_memory", "", None, 500)
    except BaseException:
        import traceback

        context.send_error("internal", traceback.format_exc(), None, 500)
    finally:
        faulthandler.cancel_dump_traceback_later()


class ChildContext:
    def __init__(self, shared: mmap.mmap, answers: IO[bytes], *, stall_s: float | None) -> None:
        self.flag = memoryview(shared)[CANCEL : CANCEL + 1]
        self._shared = shared
        self._answers = answers
        self._stall_s = stall_s
        self._sending = threading.Lock()
        self._armed_at = -REARM_INTERVAL_S
        self._phase = ""
        self._told_at = 0.0
        # Progress that came too soon after the last.
        self._untold: tuple[str, int, int | None] | None = None

    def check(self) -> None:
        self._beat()
        while self._shared[PAUSE] and not self._shared[CANCEL]:
            sleep(POLL_INTERVAL_S)
            self._beat()
        if self._shared[CANCEL]:
            raise Cancelled
        if self._untold is not None and monotonic() - self._told_at >= PROGRESS_INTERVAL_S:
            self._tell(self._untold)

    def progress(self, phase: str, done: int, total: int | None = None) -> None:
        self.check()
        self._untold = phase, int(done), None if total is None else int(total)
        if phase != self._phase or monotonic() - self._told_at >= PROGRESS_INTERVAL_S:
            self._tell(self._untold)

    def _tell(self, progress: tuple[str, int, int | None]) -> None:
        self._phase, self._told_at, self._untold = progress[0], monotonic(), None
        self.send(PROGRESS, _message(progress))

    def partial(self, value: Any) -> None:
        self.check()
        piece = encode(value)
        self.send(JSON_PARTIAL if piece.is_json else PARTIAL, piece.data)

    def send(self, kind: bytes, data: bytes = b"") -> None:
        with self._sending:
            write_frame(self._answers, kind, data)

    def send_error(self, code: str, message: str, where: str | None, http_status: int) -> None:
        self.send(ERROR, _message((code, message, where, http_status)))

    def _beat(self) -> None:
        count = int.from_bytes(self._shared[BEAT:SHARED_BYTES], "little") + 1
        self._shared[BEAT:SHARED_BYTES] = count.to_bytes(SHARED_BYTES - BEAT, "little")
        now = monotonic()
        if self._stall_s is not None and now - self._armed_at >= REARM_INTERVAL_S:
            self._armed_at = now
            # Works without the GIL, which a regular expression may hold forever.
            faulthandler.dump_traceback_later(
                WATCHDOG_FACTOR * self._stall_s + REARM_INTERVAL_S, exit=True, file=2
            )


def _inputs(context: ChildContext, frames: queue.SimpleQueue[tuple[bytes, bytes]]) -> Iterator[Any]:
    for _ in range(AHEAD):
        context.send(NEXT)
    while True:
        try:
            kind, data = frames.get(timeout=POLL_INTERVAL_S)
        except queue.Empty:
            context.check()
            continue
        if kind == NO_MORE:
            return
        context.send(NEXT)
        yield pickle.loads(data)


def find_function(module: str, name: str) -> Callable[[Context, Iterator[Any]], Any]:
    try:
        found = import_module(module)
    except ModuleNotFoundError:
        # Workers start without `site`, which takes longer than the interpreter itself. Some editable installs need it.
        import site

        site.main()
        found = import_module(module)
    function: Callable[[Context, Iterator[Any]], Any] = getattr(found, name)
    return function


def limit_memory(memory_bytes: int) -> None:
    """Make allocations beyond the limit fail. Linux only; elsewhere the server watches the memory of its workers."""
    if sys.platform != "linux":
        return
    import resource

    # Relative to what imports have already allocated.
    with suppress(OSError, ValueError, IndexError), open("/proc/self/statm") as file:
        data_bytes = int(file.read().split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = data_bytes + memory_bytes
        resource.setrlimit(
            resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
        )


def _message(values: tuple[Any, ...]) -> bytes:
    return json.dumps(values).encode()


def decoded(kind: bytes, data: bytes) -> Encoded:
    return Encoded(data, is_json=kind in (JSON_PARTIAL, JSON_RESULT))
