"""Worker processes, seen from the server: started on demand, reused, killed when they do not stop.

Jobs and results go through pipes (frames in child.py), cancel and pause through shared memory. Workers are spawned, not
forked: the server has threads. The server never unpickles what a worker sends.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import IO, Any

import msgspec

from runglass.errors import JobMemory, JobProcessDied, RunglassError
from runglass.jobs import child
from runglass.jobs.context import Cancelled, Encoded
from runglass.jobs.job import Job

# `-I -S` starts three times as fast and ignores the environment; modules are found where the server finds them.
PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from runglass.jobs.child import main; main()"
# A worker larger than this is not reused: freed memory does not always go back to the system.
MAX_IDLE_BYTES = 256 * 2**20
# For the job's imports, in addition to its own limit.
IMPORT_BYTES = 128 * 2**20
REAP_S = 2.0


class WorkerFailed(Exception):
    """An unexpected exception in a worker. The message is its traceback."""


class _ProcessGone(Exception):
    """The pipe is closed."""


class Feeder:
    """Loads the inputs of one job in a thread of its own: slow loading must not delay what the worker sends."""

    def __init__(self, job: Job, inputs: Iterator[Any]) -> None:
        # What loading raised.
        self.error: BaseException | None = None
        self._name = f"runglass-job-{job.work.name}-load"
        self._inputs = inputs
        self._requests = threading.Semaphore(0)
        # Held while sending. After `stop` nothing is sent any more: the worker may have another job.
        self._sending = threading.Lock()
        self._is_over = False
        self._thread: threading.Thread | None = None

    def request(self, worker: Worker) -> None:
        """Load and send one more input."""
        self._requests.release()
        if self._thread is None:
            self._thread = threading.Thread(target=self._feed, args=(worker,), name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        with self._sending:
            self._is_over = True
        self._requests.release()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _feed(self, worker: Worker) -> None:
        kind = child.INPUT
        while kind == child.INPUT:
            self._requests.acquire()
            if self._is_over:
                return
            try:
                kind, data = self._load()
            except Cancelled:
                # The worker sees it too.
                return
            except BaseException as error:
                self.error = error
                worker.kill()
                return
            with self._sending, suppress(OSError):
                if not self._is_over:
                    worker.send_input(kind, data)

    def _load(self) -> tuple[bytes, bytes]:
        try:
            value = next(self._inputs)
        except StopIteration:
            return child.NO_MORE, b""
        return child.INPUT, pickle.dumps(value, protocol=5)


class Worker:
    def __init__(self) -> None:
        if not sys.executable:
            raise JobProcessDied("sys.executable is empty, so no worker process can be started.")
        handle, self._path = tempfile.mkstemp(prefix="runglass-job-")
        try:
            os.ftruncate(handle, child.SHARED_BYTES)
            self._shared = mmap.mmap(handle, child.SHARED_BYTES)
        finally:
            os.close(handle)
        command = [sys.executable, "-I", "-S", "-c", PROGRAM, self._path, *map(str, sys.path)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            self._shared.close()
            os.unlink(self._path)
            raise JobProcessDied(f"A worker process could not be started: {error.strerror}.") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        # Whether it can take a job.
        self.is_free = True
        self.free_since = monotonic()
        self._lock = threading.Lock()
        # Also runs when a worker is forgotten without `close`, and when the interpreter exits.
        self._end = weakref.finalize(self, _end, self._process, self._shared, self._path)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def beat(self) -> int:
        """The heartbeat counter."""
        with self._lock:
            if not self._end.alive:
                return 0
            return int.from_bytes(self._shared[child.BEAT : child.SHARED_BYTES], "little")

    def read_memory_bytes(self) -> int:
        """Resident memory; 0 where the system does not tell."""
        return read_memory_bytes(self._process)

    def run(self, job: Job, feeder: Feeder) -> Encoded:
        """Run a job to its end, sending inputs on request. Afterwards `is_free` tells whether the worker can be reused."""
        work = job.work
        order = child.Order(
            module=work.compute.__module__,
            function=work.compute.__qualname__,
            memory_bytes=job.memory_bytes,
            stall_s=work.stall_s,
        )
        self.is_free = False
        job.set_signal(self._signal)
        try:
            child.write_frame(self._orders, child.JOB, msgspec.json.encode(order))
            return self._answer(job, feeder)
        except (_ProcessGone, OSError):
            if feeder.error is not None:
                raise feeder.error from None
            raise self._died(job) from None
        finally:
            feeder.stop()
            job.set_signal(None)

    def _answer(self, job: Job, feeder: Feeder) -> Encoded:
        while True:
            kind, data = self._receive()
            if kind == child.NEXT:
                feeder.request(self)
            elif kind == child.PROGRESS:
                job.note_progress(*msgspec.json.decode(data, type=tuple[str, int, int | None]))
            elif kind in (child.JSON_PARTIAL, child.PARTIAL):
                job.note_partial(child.decoded(kind, data))
            elif kind in (child.JSON_RESULT, child.RESULT):
                self._become_free()
                return child.decoded(kind, data)
            elif kind == child.CANCELLED:
                self._become_free()
                raise Cancelled
            else:
                self._raise(job, data)

    def _raise(self, job: Job, data: bytes) -> None:
        code, message, where, http_status = msgspec.json.decode(data, type=tuple[str, str, str | None, int])
        if code == JobMemory.code:
            raise memory_error(job)
        self._become_free()
        if code == RunglassError.code:
            raise WorkerFailed(message)
        error = RunglassError(message, where=where)
        error.code, error.http_status = code, http_status
        raise error

    def _become_free(self) -> None:
        self.is_free = self.read_memory_bytes() <= MAX_IDLE_BYTES
        self.free_since = monotonic()

    def _died(self, job: Job) -> JobProcessDied:
        self.close()
        return JobProcessDied(
            f"{job.work.title}: the worker process {describe_exit(self._process.returncode)} before it had a result."
            f" Nothing else is affected. {job.work.advice}".rstrip(),
            where=job.work.name,
        )

    def send_input(self, kind: bytes, data: bytes) -> None:
        child.write_frame(self._orders, kind, data)

    def _receive(self) -> tuple[bytes, bytes]:
        try:
            return child.read_frame(self._answers)
        except (OSError, EOFError):
            raise _ProcessGone from None

    def _signal(self, is_cancelled: bool, is_paused: bool) -> None:
        with self._lock:
            if self._end.alive:
                self._shared[child.CANCEL] = is_cancelled
                self._shared[child.PAUSE] = is_paused

    def kill(self) -> None:
        """From any thread. `run` then raises JobProcessDied."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process and free what belongs to it. Called by the thread that ran it last."""
        with self._lock:
            ending = self._end.detach()
        # Outside of the lock: waiting for the process may take a moment.
        if ending is not None:
            _end(self._process, self._shared, self._path)


def _end(process: subprocess.Popen[bytes], shared: mmap.mmap, path: str) -> None:
    process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(REAP_S)
    for pipe in (process.stdin, process.stdout):
        # Closing flushes, which fails once the other end is closed.
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    shared.close()
    with suppress(OSError):
        os.unlink(path)


class Workers:
    """The idle workers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[Worker] = []
        self._is_closed = False

    def take(self) -> Worker:
        while True:
            with self._lock:
                worker = self._free.pop() if self._free else None
            if worker is None:
                return Worker()
            if worker.is_alive:
                return worker
            worker.close()

    def prepare(self) -> None:
        """Start a worker unless one is idle."""
        with self._lock:
            is_there = bool(self._free) or self._is_closed
        if not is_there:
            self.put_back(Worker())

    def put_back(self, worker: Worker) -> None:
        with self._lock:
            if worker.is_free and not self._is_closed:
                self._free.append(worker)
                return
        worker.close()

    def close_unused(self, *, for_s: float) -> int:
        """Close workers that were idle for this long. Returns how many are left."""
        now = monotonic()
        with self._lock:
            old = [worker for worker in self._free if now - worker.free_since >= for_s]
            self._free = [worker for worker in self._free if worker not in old]
            left = len(self._free)
        for worker in old:
            worker.close()
        return left

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        self.close_unused(for_s=0.0)


def memory_error(job: Job) -> JobMemory:
    return JobMemory(
        f"{job.work.title} needs more than the {job.memory_bytes / 2**20:,.0f} MiB of memory that this job may take, so it was"
        f" stopped. {job.work.advice}".rstrip(),
        where=job.work.name,
    )


def describe_exit(status: int | None) -> str:
    if status is None:
        return "did not exit"
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def read_memory_bytes(process: subprocess.Popen[bytes]) -> int:
    with suppress(OSError, ValueError, IndexError, AttributeError):
        if sys.platform == "linux":
            with open(f"/proc/{process.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        import ctypes

        if sys.platform == "darwin":
            # rusage_info_v0: a UUID of 16 bytes, then 8-byte numbers; the eighth is the physical footprint.
            info = (ctypes.c_uint64 * 16)()
            if ctypes.CDLL(None).proc_pid_rusage(process.pid, 0, ctypes.byref(info)) == 0:
                return int(info[9])
        elif sys.platform == "win32":
            # PROCESS_MEMORY_COUNTERS: two 4-byte numbers, then sizes; the second is the working set.
            counters = (ctypes.c_size_t * 16)()
            handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined]
            size = ctypes.sizeof(ctypes.c_size_t) * 8 + 8
            if ctypes.windll.kernel32.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), size):
                return int(counters[8 // ctypes.sizeof(ctypes.c_size_t) + 1])
    return 0
