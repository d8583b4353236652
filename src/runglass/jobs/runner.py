"""Runs jobs: one per question, in order, within limits of number and memory.

Knows neither HTTP nor dashboards. The source is passed on to the functions of a work and not used otherwise.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from time import monotonic
from typing import Any

from msgspec import Struct, field

from runglass import machine
from runglass.errors import (
    BadRequest,
    JobMemory,
    JobNotDone,
    JobProcessDied,
    JobStalled,
    JobUnknown,
    RunglassError,
    WorkUnknown,
)
from runglass.jobs.cache import ResultCache
from runglass.jobs.context import Cancelled, Encoded, encode
from runglass.jobs.job import Job
from runglass.jobs.process import IMPORT_BYTES, Feeder, Worker, WorkerFailed, Workers, memory_error
from runglass.jobs.work import JobState, Work, make_id

logger = logging.getLogger("runglass")

# How often jobs are checked while some run, and while none does.
BUSY_INTERVAL_S = 0.05
QUIET_INTERVAL_S = 1.0
# For all jobs together, also on a small machine; more is a quarter of its memory.
MIN_MEMORY_BYTES = 512 * 2**20
# For the partial results of all jobs that have ended.
ENDED_PARTIAL_BYTES = 256 * 2**20


class Limits(Struct, frozen=True, kw_only=True):
    jobs: int = max(2, (os.cpu_count() or 2) // 2)
    memory_bytes: int = field(default_factory=lambda: max(MIN_MEMORY_BYTES, machine.read_memory_bytes() // 4))
    # A job without listeners and requests is cancelled after this time.
    unwatched_s: float = 60.0
    # How long a job stays listed after it has ended.
    ended_s: float = 60.0
    # A worker process that has not reacted to cancel by then is killed.
    cancel_grace_s: float = 0.1
    # A thread cannot be killed. One that has not reacted by then no longer counts as running.
    abandon_s: float = 30.0
    # An idle worker process exits after this time.
    idle_s: float = 120.0


class _Active:
    """A job whose code is running or paused."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.has_slot = True
        self.worker: Worker | None = None
        self.base_bytes = 0
        self.beat = -1
        self.beat_at = monotonic()
        self.feeder: Feeder | None = None
        self.thread: threading.Thread | None = None


class Runner:
    def __init__(
        self,
        source: Any,
        works: Iterable[Work],
        *,
        limits: Limits | None = None,
        cache: ResultCache | None = None,
    ) -> None:
        self.works = {work.name: work for work in works}
        self._source = source
        self._limits = limits or Limits()
        self._cache = cache or ResultCache()
        self._workers = Workers()
        # Guards what follows. Taken before a job's own lock, never after it.
        self._changed = threading.Condition()
        # Waiting, running and recently ended jobs; of each id the newest.
        self._jobs: dict[str, Job] = {}
        self._queue: deque[Job] = deque()
        self._active: dict[Job, _Active] = {}
        self._watcher: threading.Thread | None = None
        self._is_closed = False

    # --- asking

    def find_work(self, name: str) -> Work:
        work = self.works.get(name)
        if work is None:
            known = ", ".join(sorted(self.works)) or "none"
            raise WorkUnknown(f"There is no work {name!r}. Works: {known}.", where="work")
        return work

    def ask(self, name: str, question: Struct) -> Job:
        """The job for this question: an existing one, unless it failed or was cancelled, or a new one. May read from disk."""
        work = self.find_work(name)
        identity = work.identify(self._source, question)
        estimate = work.memory_bytes
        memory_bytes = estimate(self._source, question) if callable(estimate) else estimate
        job_id = make_id(work, question, identity)
        with self._changed:
            before = self._jobs.get(job_id)
            if before is not None and before.state not in (JobState.FAILED, JobState.CANCELLED):
                before.touch()
                return before
            # Registered before it can run: another thread that asks now finds it.
            job = self._jobs[job_id] = Job(job_id, work, question, memory_bytes=memory_bytes)
        cached = self._cache.get(job_id)
        if cached is not None:
            job.succeed(cached)
        elif memory_bytes > self._limits.memory_bytes:
            job.fail(_too_large(job, self._limits.memory_bytes))
        with self._changed:
            if self._is_closed:
                job.cancel()
            if not job.is_ended:
                self._queue.append(job)
            self._admit()
            self._start_watcher()
        return job

    def prepare_worker(self) -> None:
        """Have a worker process ready, because a job for one is about to come."""
        # If it cannot be started, the job will say so.
        with suppress(JobProcessDied):
            self._workers.prepare()
        with self._changed:
            self._start_watcher()

    def list_jobs(self) -> list[Job]:
        """Waiting, running and recently ended jobs, oldest first."""
        with self._changed:
            return list(self._jobs.values())

    def find(self, job_id: str) -> Job:
        with self._changed:
            job = self._jobs.get(job_id)
        if job is None:
            raise _unknown(job_id)
        job.touch()
        return job

    def read_result(self, job_id: str) -> Encoded:
        with self._changed:
            job = self._jobs.get(job_id)
        if job is None:
            # Results outlive their jobs.
            cached = self._cache.get(job_id)
            if cached is None:
                raise _unknown(job_id)
            return cached
        job.touch()
        error = job.snapshot().error
        if error is not None:
            raise error
        if job.result is None:
            raise JobNotDone(f"{job.work.title} is {job.state}, so it has no result.", where="id")
        return job.result

    def read_newest(self, job_id: str) -> Encoded:
        """The result, or the newest partial result of a job that is not done or was cancelled."""
        with self._changed:
            job = self._jobs.get(job_id)
        if job is not None and job.result is None:
            partials = job.read_partials()[1]
            if partials:
                job.touch()
                return partials[-1]
        return self.read_result(job_id)

    # --- steering

    def cancel(self, job_id: str) -> Job:
        job = self.find(job_id)
        job.cancel()
        self._wake()
        return job

    def leave(self, job: Job) -> None:
        """Cancel a job that the caller no longer waits for, unless it has listeners."""
        if not job.listeners:
            job.cancel()
            self._wake()

    def pause(self, job_id: str) -> Job:
        """Frees the slot of the job for others, not its memory."""
        job = self.find(job_id)
        if not job.work.can_pause:
            raise BadRequest(f"{job.work.title} cannot be paused, only cancelled.", where="id")
        with self._changed:
            active = self._active.get(job)
            if active is not None and job.pause():
                active.has_slot = False
                self._admit()
        return job

    def resume(self, job_id: str) -> Job:
        """Puts the job first in the queue."""
        job = self.find(job_id)
        with self._changed:
            if job.resume():
                self._queue.appendleft(job)
                self._admit()
        return job

    def close(self, *, wait_s: float = 0.0) -> None:
        """Cancel all jobs, kill all workers, and wait this long for threads."""
        with self._changed:
            self._is_closed = True
            self._queue.clear()
            active = list(self._active.values())
            for job in self._jobs.values():
                job.cancel()
            for each in active:
                if each.worker is not None:
                    each.worker.kill()
            watcher = self._watcher
            self._changed.notify_all()
        self._workers.close()
        deadline = monotonic() + wait_s
        for thread in (watcher, *(each.thread for each in active)):
            if thread is not None and wait_s:
                thread.join(max(0.0, deadline - monotonic()))

    # --- running

    def _admit(self) -> None:
        """Start queued jobs while there is room. Strictly in order, so that small jobs do not starve a large one."""
        while self._queue:
            job = self._queue[0]
            active = self._active.get(job)
            if not job.is_ended and not self._has_room(job, is_new=active is None):
                return
            self._queue.popleft()
            if not job.start():
                continue
            if active is not None:
                active.has_slot = True
                continue
            active = self._active[job] = _Active(job)
            active.thread = threading.Thread(
                target=self._run, args=(active,), name=f"runglass-job-{job.work.name}", daemon=True
            )
            active.thread.start()

    def _has_room(self, job: Job, *, is_new: bool) -> bool:
        if sum(active.has_slot for active in self._active.values()) >= self._limits.jobs:
            return False
        taken_bytes = sum(active.job.memory_bytes for active in self._active.values())
        return not is_new or taken_bytes + job.memory_bytes <= self._limits.memory_bytes

    def _run(self, active: _Active) -> None:
        job = active.job
        try:
            result = self._compute(active)
            if job.succeed(result):
                self._cache.put(job.id, result, on_disk=job.work.on_disk)
        except Cancelled:
            job.cancel()
        except RunglassError as error:
            job.fail(error)
        except MemoryError:
            job.fail(memory_error(job))
        except BaseException as error:
            # Code that was cancelled may raise anything.
            if not job.is_ended:
                job.fail(_internal(job, error))
        finally:
            if active.feeder is not None:
                active.feeder.join()
            with self._changed:
                self._active.pop(job, None)
                self._admit()
                self._changed.notify_all()

    def _compute(self, active: _Active) -> Encoded:
        job, work = active.job, active.job.work
        needed = [] if work.needs is None else [[self.read_newest(each) for each in work.needs(job.question)]]
        inputs = iter(work.load(job, self._source, job.question, *needed))
        if work.runs_in == "thread":
            return encode(work.compute(job, inputs))
        worker = self._workers.take()
        with self._changed:
            active.worker = worker
            active.base_bytes = worker.read_memory_bytes()
            active.beat_at = monotonic()
        try:
            active.feeder = Feeder(job, inputs)
            return worker.run(job, active.feeder)
        finally:
            # The watcher must not kill it any more: it may get another job.
            with self._changed:
                active.worker = None
            self._workers.put_back(worker)

    # --- watching

    def _start_watcher(self) -> None:
        if self._watcher is None and not self._is_closed:
            self._watcher = threading.Thread(target=self._watch, name="runglass-jobs", daemon=True)
            self._watcher.start()

    def _watch(self) -> None:
        while True:
            with self._changed:
                now = monotonic()
                for job in self._jobs.values():
                    if not job.is_ended and job.unwatched_s > self._limits.unwatched_s:
                        job.cancel()
                for active in list(self._active.values()):
                    self._check(active, now)
                self._admit()
                self._forget_ended(now)
            left = self._workers.close_unused(for_s=self._limits.idle_s)
            with self._changed:
                if self._is_closed or not (self._jobs or self._active or left):
                    self._watcher = None
                    return
                self._changed.wait(BUSY_INTERVAL_S if self._active else QUIET_INTERVAL_S)

    def _check(self, active: _Active, now: float) -> None:
        job, worker = active.job, active.worker
        if job.ended_at is None:
            job.tell_progress()
            self._check_stall(active, now)
            self._check_memory(active)
        if job.ended_at is None:
            return
        late_s = now - job.ended_at
        if worker is not None and late_s > self._limits.cancel_grace_s:
            worker.kill()
        elif worker is None and active.has_slot and late_s > self._limits.abandon_s:
            # It still has its memory, so that stays counted.
            active.has_slot = False
            logger.warning(
                "%s has ended but its thread does not stop. Other jobs run beside it.", job.work.title
            )

    def _check_stall(self, active: _Active, now: float) -> None:
        job, stall_s = active.job, active.job.work.stall_s
        if active.worker is None:
            active.beat_at = max(active.beat_at, job.beat_at)
        elif (beat := active.worker.beat) != active.beat:
            active.beat, active.beat_at = beat, now
        if job.state is not JobState.RUNNING:
            active.beat_at = now
        elif stall_s is not None and now - active.beat_at > stall_s:
            job.fail(_stalled(job, stall_s))

    def _check_memory(self, active: _Active) -> None:
        if active.worker is not None:
            limit_bytes = active.base_bytes + active.job.memory_bytes + IMPORT_BYTES
            if active.worker.read_memory_bytes() > limit_bytes:
                active.job.fail(memory_error(active.job))

    def _forget_ended(self, now: float) -> None:
        ended = [(job.ended_at, job) for job in self._jobs.values() if job.ended_at is not None]
        excess = sum(job.partial_bytes for _, job in ended) - ENDED_PARTIAL_BYTES
        for ended_at, job in sorted(ended, key=lambda each: each[0]):
            if excess > 0:
                excess -= job.drop_partials()
            if now - ended_at > self._limits.ended_s and not job.listeners:
                del self._jobs[job.id]

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _unknown(job_id: str) -> JobUnknown:
    return JobUnknown(
        f"There is no job {job_id!r}. It may have ended a while ago, and its result is not cached. Ask its question again.",
        where="id",
    )


def _too_large(job: Job, limit_bytes: int) -> JobMemory:
    return JobMemory(
        f"{job.work.title} needs {job.memory_bytes / 2**20:,.0f} MiB of memory; all jobs together may take"
        f" {limit_bytes / 2**20:,.0f} MiB. {job.work.advice}".rstrip(),
        where=job.work.name,
    )


def _stalled(job: Job, stall_s: float) -> JobStalled:
    return JobStalled(
        f"{job.work.title} made no progress for {stall_s:g} s, so it was stopped. {job.work.advice}".rstrip(),
        where=job.work.name,
    )


def _internal(job: Job, error: BaseException) -> RunglassError:
    """Unexpected errors are logged; the user gets the number of the log entry, as with requests."""
    number = os.urandom(4).hex()
    if isinstance(error, WorkerFailed):
        logger.error("Job %s failed, %s\n%s", job.work.name, number, error)
    else:
        logger.error("Job %s failed, %s", job.work.name, number, exc_info=error)
    return RunglassError(
        f"{job.work.title} failed. The server's log has the reason under {number}.", where=number
    )
