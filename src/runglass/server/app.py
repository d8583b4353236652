"""The ASGI application: checks a request, passes it to the page or the API, and sends the answer.

One plain callable without middleware, because every layer costs every request. Imports neither NumPy nor any dashboard:
the page is served while those are still loading.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from runglass.api.route import JSON, Answer, Download, FromJob, Later, Stream, encode_json
from runglass.errors import Forbidden, TooLarge
from runglass.server.access_log import AccessLog, Visit
from runglass.server.compression import encode_answer
from runglass.server.hosts import is_loopback
from runglass.server.limits import RateLimit, TooMany
from runglass.server.problems import (
    MethodNotAllowed,
    NotFound,
    ProjectUnknown,
    RangeNotSatisfiable,
    Stopping,
    check_method,
    encode_problem,
)
from runglass.server.projects import FOLDER, Opened, Plan, Project, ProjectList, split_project
from runglass.server.ranges import parse_range
from runglass.server.security import Guard, security_headers
from runglass.server.settings import Settings
from runglass.server.static import StaticPage
from runglass.server.streaming import PIECE_BYTES, Client, PendingBodies, StreamResponse, wait_until_gone

if TYPE_CHECKING:
    from runglass.api.dashboard import Dashboard
    from runglass.api.person import Person
    from runglass.overlay.shared import SharedMarks
    from runglass.query.source import DataSource
    from runglass.server.dispatch import Api

T = TypeVar("T")

MAX_BODY_BYTES = 8 * 2**20
MAX_QUERY_BYTES = 64 * 2**10
API = "/api/"
PROJECTS = "/api/projects"
# The last event of a stream whose token was revoked.
ENDED = b"event: ended\ndata: {}\n\n"
NO_STORE = ("cache-control", "no-store")
STOPPING = "The server is stopping."


class App:
    def __init__(
        self,
        source: DataSource | Callable[[], DataSource] | Sequence[Plan],
        settings: Settings | None = None,
        *,
        dashboards: Sequence[Dashboard] | None = None,
    ) -> None:
        """`source` may be a function that opens one. It runs in a thread; only API requests wait for it. Or projects, which are
        opened when they are asked for."""
        self.settings = settings or Settings()
        self._overlay = _open_overlay(self.settings)
        plans = list(source) if isinstance(source, Sequence) else [_only(source)]
        self.projects = ProjectList(plans, self.settings, dashboards=dashboards, overlay=self._overlay)
        cores = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(min(4, cores), thread_name_prefix="runglass-answer")
        # Few, because they compete with the others for the interpreter.
        self._long_pool = ThreadPoolExecutor(max(1, cores // 4), thread_name_prefix="runglass-long-answer")
        self._is_closed = False
        self._guard = Guard(self.settings)
        self._limit = RateLimit(self.settings.rate_limit)
        self._page = StaticPage(self.settings.page)
        self._headers = security_headers(self.settings)
        self._pending_bodies = PendingBodies(lambda client: self.drop_client(client))
        self.access_log = None if self.settings.access_log is None else AccessLog(self.settings.access_log)
        # Answers that are being sent in pieces, each with who gets it.
        self._sending: dict[StreamResponse, Person] = {}
        # Closes the connection of a client at once. Set by the server that runs the app.
        self.drop_client: Callable[[Client], None] = lambda client: None

    def open(self) -> Future[Api] | None:
        """Start to open the source and to import what answers need, unless there are projects. Call in the event loop."""
        return self.projects.all()[0].open(self._open_in_thread) if self.projects.is_single else None

    def _open_in_thread(self, make: Callable[[], Api]) -> Future[Api]:
        return self._submit(self._pool, make)

    def look(self) -> None:
        """About once a second, in the event loop: end what revoked tokens still get, and close what nobody uses."""
        for response, person in list(self._sending.items()):
            if not self._guard.is_still_let_in(person):
                response.end()
        self.projects.close_idle()

    def close(self) -> None:
        """End what outlives a request: live connections and work in threads. Call in the event loop."""
        self._is_closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._long_pool.shutdown(wait=False, cancel_futures=True)
        self.projects.close()
        if self._overlay is not None:
            self._overlay.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"this app serves HTTP, not {scope['type']}")
        query = scope["query_string"].decode("latin-1")
        visit = Visit(scope["method"], scope["path"], query, time.monotonic())
        if self.access_log is not None:
            send = _counted(send, visit)
        project: list[Project] = []
        try:
            try:
                response = await self._answer(Request(scope, receive), query, visit, project)
            except ClientDisconnect:
                return
            await response(scope, receive, send)
        finally:
            for each in project:
                each.visits -= 1
                each.used_at = time.monotonic()
            if self.access_log is not None:
                self.access_log.write(visit)

    async def _answer(
        self, request: Request, query: str, visit: Visit, project: list[Project]
    ) -> Response | StreamResponse:
        response: Response | StreamResponse
        try:
            response = await self._respond(request, query, visit, project)
        except ClientDisconnect:
            raise
        except Exception as error:
            status, body = encode_problem(error)
            headers = dict([NO_STORE])
            if isinstance(error, MethodNotAllowed):
                headers["allow"] = error.allow
            if isinstance(error, RangeNotSatisfiable):
                headers["content-range"] = f"bytes */{error.size_bytes}"
            if isinstance(error, TooMany):
                headers["retry-after"] = str(error.retry_after_s)
            response = Response(body, status, headers, JSON)
        response.raw_headers.extend(self._headers)
        return response

    async def _respond(
        self, request: Request, query: str, visit: Visit, used: list[Project]
    ) -> Response | StreamResponse:
        scope, headers = request.scope, request.headers
        prefix = self.settings.path_prefix
        path: str = scope["path"]
        with_token = self._guard.take_token(path[len(prefix) :]) if path.startswith(prefix) else None
        # A foreign page cannot know an address with the token in it. There, a proxy may have changed Host and Origin.
        if with_token is None:
            self._guard.check_host(headers.get("host"), headers.get("origin"))
        if len(query) > MAX_QUERY_BYTES:
            raise TooLarge(
                f"The query string has {len(query):,} bytes; the limit is {MAX_QUERY_BYTES:,}.",
                where="query",
            )

        if with_token is not None:
            path = with_token[0]
        elif prefix:
            if path == prefix:
                return _redirect(301, f"{prefix.rpartition('/')[2]}/", query)
            if not path.startswith(prefix + "/"):
                raise NotFound(
                    f"There is nothing at {path}. This server's pages are under {prefix}/.", where=path
                )
            path = path[len(prefix) :]

        extra: list[tuple[str, str]] = []
        token = None
        if with_token is not None:
            person = with_token[1]
        else:
            query, token, named = self._take_token(query)
            person = named or self._identify(request)
        visit.user = person.name
        if token is not None:
            extra.append(self._guard.cookie_header(token))
        name, path = split_project(path) if not self.projects.is_single else ("", path)
        visit.project = name or ""
        # The redirect takes the token out of the address bar. API requests are not redirected.
        if token is not None and path == "/":
            return _redirect(303, "./", query, extra)
        if path.startswith(API):
            self._limit.take(person.credential)
        if name is None:
            return await self._respond_outside(request, path, query, person, extra)
        project = self.projects.find(name, person)
        if project is None:
            raise ProjectUnknown(
                f"There is no project {name!r} here, or not for you. The start page lists those that you may open.",
                where=name,
            )
        project.visits += 1
        used.append(project)
        if path == "":
            return _redirect(301, f"{name}/", query, extra)
        if path == "/help":
            return _redirect(301, "help/", query)
        if not path.startswith(API):
            check_method(request.method, ("GET",), path)
            return await self._finish(request, self._page.read(path[1:]), extra, person)
        extra.append(NO_STORE)
        opened = project.open(self._open_in_thread)
        api = opened.result() if opened.done() else await asyncio.wrap_future(opened)
        reply = await api.dispatch(request.method, path, query, partial(_read_body, request), person)
        if isinstance(reply, FromJob):
            reply = await _unless_gone(request, api.wait_for_job(reply))
        if isinstance(reply, Stream):
            # The header asks proxies not to buffer events.
            unbuffered = [*extra, ("x-accel-buffering", "no")]
            return self._stream(reply.chunks, reply.media_type, unbuffered, person, farewell=ENDED)
        return await self._finish(request, reply, extra, person)

    async def _respond_outside(
        self, request: Request, path: str, query: str, person: Person, extra: list[tuple[str, str]]
    ) -> Response | StreamResponse:
        """What a server of projects has beside them: the page that lists them, its files, and the guide."""
        check_method(request.method, ("GET",), path)
        if path == "/help":
            return _redirect(301, "help/", query)
        if path.startswith(API):
            if path != PROJECTS:
                raise NotFound(
                    f"There is nothing at {path}: this server has projects. GET api/projects lists them; the data of each is"
                    f" under {FOLDER}/NAME/api/.",
                    where=path,
                )
            self.projects.open_next(self._open_in_thread, person)
            listed = self.projects.list(person)
            return await self._finish(request, listed, [*extra, NO_STORE], person)
        name = path[1:] or "projects.html"
        return await self._finish(request, self._page.read(name), extra, person)

    def _identify(self, request: Request) -> Person:
        client = None if request.client is None else request.client.host
        header = request.headers.getlist(self._guard.auth_header) if self._guard.auth_header else []
        return self._guard.identify(client, header, request.headers.get("authorization"), request.cookies)

    def _stream(
        self,
        chunks: AsyncIterator[bytes],
        media_type: str,
        headers: Sequence[tuple[str, str]],
        person: Person,
        *,
        status: int = 200,
        farewell: bytes = b"",
    ) -> StreamResponse:
        response = StreamResponse(chunks, media_type, headers, status=status, farewell=farewell)
        self._sending[response] = person
        response.on_done = lambda: self._sending.pop(response, None)
        return response

    async def _finish(
        self, request: Request, reply: Answer | Struct | Later, extra: list[tuple[str, str]], person: Person
    ) -> Response | StreamResponse:
        accepted = request.headers.get("accept-encoding", "")
        is_near = request.client is not None and is_loopback(request.client.host)

        def work() -> Download | tuple[Answer, bytes, str | None]:
            done = reply.work() if isinstance(reply, Later) else reply
            if isinstance(done, Download):
                return done
            answer = done if isinstance(done, Answer) else Answer(encode_json(done))
            return answer, *encode_answer(answer, accepted, is_loopback=is_near)

        if isinstance(reply, Later):
            pool = self._long_pool if reply.is_long else self._pool
            done = await _unless_gone(request, asyncio.wrap_future(self._submit(pool, work)))
        else:
            done = work()
        if isinstance(done, Download):
            # Files to save are made apart from charts; results of jobs are only split.
            is_split = isinstance(reply, Later) and not reply.is_long
            pieces = self._pieces(done, self._pool if is_split else self._long_pool)
            return self._stream(pieces, done.media_type, [*extra, *done.headers], person)
        answer, body, encoding = done
        headers = dict([("vary", "accept-encoding"), *extra, *answer.headers])
        if encoding is not None:
            headers["content-encoding"] = encoding
        status = 200
        if answer.takes_ranges and encoding is None:
            headers["accept-ranges"] = "bytes"
            part = parse_range(request.headers.get("range"), len(body))
            if part is not None:
                status = 206
                headers["content-range"] = f"bytes {part.start}-{part.stop - 1}/{len(body)}"
                body = body[part.start : part.stop]
        if len(body) > PIECE_BYTES and request.client is not None:
            headers["content-length"] = str(len(body))
            pieces = self._pending_bodies.send(body, (request.client.host, request.client.port))
            return self._stream(pieces, answer.media_type, list(headers.items()), person, status=status)
        return Response(body, status, headers | {"content-type": answer.media_type})

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> Future[T]:
        if self._is_closed:
            raise Stopping(STOPPING)
        return pool.submit(work)

    async def _pieces(self, download: Download, pool: ThreadPoolExecutor) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        while (piece := await loop.run_in_executor(pool, next, download.pieces, None)) is not None:
            yield piece

    def _take_token(self, query: str) -> tuple[str, str | None, Person | None]:
        """The query string without its token, the token, and whose it is. A wrong token raises Forbidden."""
        if not self._guard.token_required or ("token" not in query and "%" not in query):
            return query, None, None
        pairs = parse_qsl(query, keep_blank_values=True)
        tokens = [value for name, value in pairs if name == "token"]
        if not tokens:
            return query, None, None
        people = [self._guard.find_token(token) for token in tokens]
        if any(person is None for person in people):
            raise Forbidden(
                "This is not a token of this server. Open the address that it printed when it started, or that you were given.",
                where="token",
            )
        return urlencode([pair for pair in pairs if pair[0] != "token"]), tokens[0], people[0]


def _open_overlay(settings: Settings) -> SharedMarks | None:
    place = settings.shared_overlay
    if not isinstance(place, Path):
        return None if place is None else place()
    from runglass.overlay.file_store import OverlayFile

    return OverlayFile(place)


def _only(source: DataSource | Callable[[], DataSource]) -> Plan:
    """The project of a server that has none: who has opened the source closes it."""

    def open_source() -> Opened:
        opened = source() if callable(source) else source
        return opened, lambda: None

    return Plan("", (), open_source)


def _counted(send: Send, visit: Visit) -> Send:
    async def counting(message: Message) -> None:
        if message["type"] == "http.response.start":
            visit.status = message["status"]
        else:
            visit.size_bytes += len(message.get("body", b""))
        await send(message)

    return counting


def _redirect(status: int, path: str, query: str, headers: list[tuple[str, str]] | None = None) -> Response:
    """`path` is relative to the requested address: a proxy may have removed the beginning of that."""
    location = f"{path}?{query}" if query else path
    return Response(status_code=status, headers=dict([("location", location), NO_STORE, *(headers or [])]))


async def _unless_gone(request: Request, working: Awaitable[T]) -> T:
    """What this makes; if the client disconnects first, it is cancelled, and ClientDisconnect raised."""
    making = asyncio.ensure_future(working)
    leaving = asyncio.ensure_future(wait_until_gone(request.receive))
    try:
        await asyncio.wait({making, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not making.done():
            raise ClientDisconnect
        if making.cancelled():
            raise Stopping(STOPPING)
        return making.result()
    finally:
        making.cancel()
        leaving.cancel()


async def _read_body(request: Request, limit_bytes: int | None) -> bytes:
    limit_bytes = MAX_BODY_BYTES if limit_bytes is None else limit_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        raise _too_large(int(declared), limit_bytes)
    parts = []
    size_bytes = 0
    async for part in request.stream():
        size_bytes += len(part)
        if size_bytes > limit_bytes:
            raise _too_large(size_bytes, limit_bytes)
        parts.append(part)
    return b"".join(parts)


def _too_large(size_bytes: int, limit_bytes: int) -> TooLarge:
    return TooLarge(f"The body has {size_bytes:,} bytes or more; the limit is {limit_bytes:,}.", where="body")
