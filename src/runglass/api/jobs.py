"""The routes of jobs: start one, follow it, fetch what it found, cancel or pause it. Knows no work by name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from runglass.api.answers import column_pieces
from runglass.api.problem import Problem, describe_problem
from runglass.api.route import (
    COLUMNS,
    EVENTS,
    JSON,
    Answer,
    Download,
    FromJob,
    Later,
    NoParameters,
    Reply,
    Route,
    Stream,
    encode_json,
)
from runglass.errors import BadRequest
from runglass.jobs.context import Encoded
from runglass.jobs.job import Job
from runglass.jobs.runner import Runner
from runglass.jobs.work import ENDED, JobState
from runglass.query.source import DataSource

INTERVAL_S = 0.05
HEARTBEAT_S = 15.0
MAX_FOLLOWED = 100
# Partial results up to this size are part of an event; larger ones are fetched.
INLINE_BYTES = 16 * 2**10
# Larger bodies are sent in pieces of this size: the event loop must not copy more at once.
PIECE_BYTES = 2**20


class JobBody(Struct, frozen=True, forbid_unknown_fields=True):
    work: Annotated[str, Meta(description="What to compute: text.search, for example.")]
    question: Annotated[dict[str, Any], Meta(description="What this work takes.")]


class JobId(Struct, frozen=True, forbid_unknown_fields=True):
    id: str


class EventsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[list[str], Meta(min_length=1, max_length=MAX_FOLLOWED)]


class PartialsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    since: Annotated[int, Meta(ge=0, description="How many the client has.")] = 0


class JobAnswer(Struct, frozen=True):
    id: Annotated[str, Meta(description="The same question about the same data has the same id.")]
    # Name of the work.
    work: str
    title: str
    state: JobState
    phase: str
    done: int
    total: Annotated[int | None, Meta(description="Null: unknown.")]
    seconds_left: Annotated[float | None, Meta(description="Of this phase, estimated. Null: unknown.")]
    elapsed_s: Annotated[float, Meta(description="Without pauses.")]
    partials: Annotated[int, Meta(description="Partial results so far.")]
    # Whether it can be paused.
    can_pause: bool
    error: Annotated[Problem | None, Meta(description="Of a job that failed.")]


class Jobs(Struct, frozen=True):
    jobs: list[JobAnswer]


class JobEvent(Struct, frozen=True):
    """A job after a change, with partial results that are new on this connection where they are small."""

    job: JobAnswer
    since: Annotated[int, Meta(description="Number of the first of `partials`.")]
    partials: Annotated[list[Any], Meta(description="Fewer than `job.partials` - `since`: fetch the rest.")]


class Partials(Struct, frozen=True):
    since: Annotated[
        int, Meta(description="Number of the first one; higher than asked for if older ones are gone.")
    ]
    partials: list[Any]


class JobResult(Struct, frozen=True):
    """What the work declares as its result."""


def describe_job(job: Job) -> JobAnswer:
    now = job.snapshot()
    return JobAnswer(
        id=job.id,
        work=job.work.name,
        title=job.work.title,
        state=now.state,
        phase=now.phase,
        done=now.done,
        total=now.total,
        seconds_left=now.seconds_left,
        elapsed_s=now.elapsed_s,
        partials=now.partials,
        can_pause=job.work.can_pause,
        error=None if now.error is None else describe_problem(now.error),
    )


def make_routes(runner: Runner) -> tuple[Route, ...]:
    def start_job(source: DataSource, body: JobBody) -> Reply:
        """Start a job, or find the one that this question has already."""
        question = _parse_question(runner, body)
        # Identifying the content and reading the cache may touch many series and the disk.
        return Later(lambda: describe_job(runner.ask(body.work, question)))

    def list_jobs(source: DataSource, query: NoParameters) -> Reply:
        """Jobs that wait, run, or ended during the last minute, oldest first."""
        return Jobs([describe_job(job) for job in runner.list_jobs()])

    def follow_jobs(source: DataSource, query: EventsQuery) -> Reply:
        """Server-sent events of some jobs, at most every 50 ms, until all of them have ended."""
        return Stream(follow([runner.find(each) for each in dict.fromkeys(query.id)]))

    def read_partials(source: DataSource, query: PartialsQuery) -> Reply:
        """Partial results: JSON, or a block each in the column format where they are binary."""
        return _partials_answer(*runner.find(query.id).read_partials(query.since))

    def read_result(source: DataSource, query: JobId) -> Reply:
        """The result of a job that is done."""
        # It may be on disk.
        return Later(lambda: _result_answer(runner.read_result(query.id)))

    def cancel_job(source: DataSource, body: JobId) -> Reply:
        """Cancel a job. One that has ended stays as it is."""
        return describe_job(runner.cancel(body.id))

    def pause_job(source: DataSource, body: JobId) -> Reply:
        """Pause a running job, if its work allows that."""
        return describe_job(runner.pause(body.id))

    def resume_job(source: DataSource, body: JobId) -> Reply:
        """Let a paused job go on."""
        return describe_job(runner.resume(body.id))

    return (
        Route("/api/jobs", list_jobs, Jobs),
        Route("/api/jobs", start_job, JobAnswer, body=JobBody),
        Route("/api/jobs/events", follow_jobs, JobEvent, query=EventsQuery, media_types=(EVENTS,)),
        Route(
            "/api/jobs/partials", read_partials, Partials, query=PartialsQuery, media_types=(JSON, COLUMNS)
        ),
        Route("/api/jobs/result", read_result, JobResult, query=JobId, media_types=(JSON, COLUMNS)),
        Route("/api/jobs/cancel", cancel_job, JobAnswer, body=JobId),
        Route("/api/jobs/pause", pause_job, JobAnswer, body=JobId),
        Route("/api/jobs/resume", resume_job, JobAnswer, body=JobId),
    )


def _parse_question(runner: Runner, body: JobBody) -> Struct:
    work = runner.find_work(body.work)
    try:
        return msgspec.convert(body.question, work.question)
    except msgspec.ValidationError as error:
        raise BadRequest(f"{work.title} does not take this question: {error}.", where="question") from None


async def follow(jobs: list[Job]) -> AsyncIterator[bytes]:
    """Events for one connection. While it is open, somebody listens to these jobs."""
    wake = asyncio.Event()
    leave = [job.listen(_waker(wake)) for job in jobs]
    # Per job the version that was sent, and how many partial results.
    sent = {job.id: (-1, 0) for job in jobs}
    try:
        while True:
            wake.clear()
            for job in jobs:
                version, partials = sent[job.id]
                now = job.snapshot()
                if now.version != version:
                    yield _encode_event(job, partials)
                    sent[job.id] = now.version, now.partials
            if all(job.is_ended and job.snapshot().version == sent[job.id][0] for job in jobs):
                return
            await asyncio.sleep(INTERVAL_S)
            while not wake.is_set():
                try:
                    await asyncio.wait_for(wake.wait(), HEARTBEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
    finally:
        for each in leave:
            each()


def _encode_event(job: Job, since: int) -> bytes:
    first, pieces = job.read_partials(since)
    is_small = (
        all(piece.is_json for piece in pieces) and sum(len(piece.data) for piece in pieces) <= INLINE_BYTES
    )
    inline = [msgspec.Raw(piece.data) for piece in pieces] if is_small else []
    return b"data: " + encode_json(JobEvent(describe_job(job), first, inline)) + b"\n\n"


def _waker(wake: asyncio.Event) -> Callable[[], None]:
    """A function that sets the event from any thread. Many changes in a row disturb the loop once."""
    loop = asyncio.get_running_loop()
    is_coming = False

    def arrive() -> None:
        nonlocal is_coming
        wake.set()
        is_coming = False

    def on_change() -> None:
        nonlocal is_coming
        if not is_coming and not wake.is_set():
            is_coming = True
            # A closed loop has no connection left.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(arrive)

    return on_change


async def wait_for_job(runner: Runner, reply: FromJob) -> Later:
    """Start the job and wait for it without occupying a thread. If nobody else follows it, it ends with the time."""

    def leave_asked(done: asyncio.Future[Job]) -> None:
        if done.exception() is None:
            runner.leave(done.result())

    asking = asyncio.ensure_future(asyncio.to_thread(runner.ask, reply.work, reply.question))
    try:
        job = await asyncio.shield(asking)
    except asyncio.CancelledError:
        asking.add_done_callback(leave_asked)
        raise
    wake = asyncio.Event()
    leave = job.listen(_waker(wake))

    async def until_ended() -> None:
        while job.state not in ENDED:
            wake.clear()
            await wake.wait()

    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(until_ended(), reply.wait_s)
    finally:
        leave()
        runner.leave(job)
    return Later(lambda: reply.answer(job), is_long=reply.is_long)


def _partials_answer(since: int, pieces: list[Encoded]) -> Reply:
    if all(piece.is_json for piece in pieces):
        return _send(_json_list(b'{"since":%d,"partials":[' % since, pieces), pieces, JSON)
    head = {
        "version": 1,
        "since": since,
        "partials": [{"size_bytes": len(piece.data), "is_json": piece.is_json} for piece in pieces],
    }
    return _send(column_pieces(head, [piece.data for piece in pieces]), pieces, COLUMNS)


def _json_list(begin: bytes, pieces: list[Encoded]) -> Iterator[bytes]:
    yield begin
    for number, piece in enumerate(pieces):
        if number:
            yield b","
        yield piece.data
    yield b"]}"


def _result_answer(result: Encoded) -> Answer | Download:
    return _send(iter([result.data]), [result], JSON if result.is_json else COLUMNS)


def _send(parts: Iterator[bytes], pieces: list[Encoded], media_type: str) -> Answer | Download:
    if sum(len(piece.data) for piece in pieces) <= PIECE_BYTES:
        return Answer(b"".join(parts), media_type)
    return Download(_in_pieces(parts), media_type)


def _in_pieces(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Small parts joined and large ones split: every piece is fetched by a thread."""
    waiting: list[bytes] = []
    waiting_bytes = 0
    for part in parts:
        for at in range(0, len(part), PIECE_BYTES):
            piece = part[at : at + PIECE_BYTES]
            if waiting_bytes + len(piece) > PIECE_BYTES:
                yield b"".join(waiting)
                waiting, waiting_bytes = [], 0
            waiting.append(piece)
            waiting_bytes += len(piece)
    yield b"".join(waiting)
