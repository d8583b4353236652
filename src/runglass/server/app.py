"""The ASGI application: checks a request, passes it to the page or the API, and sends the answer.

One plain callable without middleware, because every layer costs every request. Imports neither NumPy nor any dashboard:
the page is served while those are still loading.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from runglass.api.route import JSON, Answer, Download, FromJob, Later, Stream, encode_json
from runglass.errors import Forbidden, TooLarge
from runglass.server.compression import encode_answer
from runglass.server.hosts import is_loopback
from runglass.server.problems import (
    MethodNotAllowed,
    NotFound,
    RangeNotSatisfiable,
    Stopping,
    check_method,
    encode_problem,
)
from runglass.server.ranges import parse_range
from runglass.server.security import Guard, security_headers
from runglass.server.settings import Settings
from runglass.server.static import StaticPage
from runglass.server.streaming import PIECE_BYTES, Client, Outbox, StreamResponse, wait_until_gone

if TYPE_CHECKING:
    from runglass.api.dashboard import Dashboard
    from runglass.query.source import DataSource
    from runglass.server.dispatch import Api

T = TypeVar("T")

MAX_BODY_BYTES = 8 * 2**20
MAX_QUERY_BYTES = 64 * 2**10
API = "/api/"
NO_STORE = ("cache-control", "no-store")


class App:
    def __init__(
        self,
        source: DataSource | Callable[[], DataSource],
        settings: Settings | None = None,
        *,
        dashboards: Sequence[Dashboard] | None = None,
    ) -> None:
        """`source` may be a function that opens one. It runs in a thread; only API requests wait for it."""
        self.settings = settings or Settings()
        self._source = source
        self._dashboards = dashboards
        self._api: Future[Api] | None = None
        cores = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(min(4, cores), thread_name_prefix="runglass-answer")
        # Few, because they compete with the others for the interpreter.
        self._long_pool = ThreadPoolExecutor(max(1, cores // 4), thread_name_prefix="runglass-long-answer")
        self._is_closed = False
        self._guard = Guard(self.settings)
        self._page = StaticPage(self.settings.page)
        self._headers = security_headers(self.settings)
        self._outbox = Outbox(lambda client: self.drop_client(client))
        # Closes the connection of a client at once. Set by the server that runs the app.
        self.drop_client: Callable[[Client], None] = lambda client: None

    def open(self) -> Future[Api]:
        """Start to open the source and to import what answers need; later calls return the same future unless it failed. Call in the event loop."""
        # What failed is tried again: descriptors or memory may have been short for a moment.
        if self._api is None or (self._api.done() and self._api.exception() is not None):
            self._api = self._submit(self._pool, self._open)
        return self._api

    def _open(self) -> Api:
        from runglass.registry import DASHBOARDS
        from runglass.server.dispatch import Api

        source = self._source() if callable(self._source) else self._source
        return Api(source, self.settings, dashboards=self._dashboards or DASHBOARDS)

    def close(self) -> None:
        """End what outlives a request: live connections and work in threads. Call in the event loop."""
        self._is_closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._long_pool.shutdown(wait=False, cancel_futures=True)
        if (
            self._api is not None
            and self._api.done()
            and not self._api.cancelled()
            and not self._api.exception()
        ):
            self._api.result().close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"this app serves HTTP, not {scope['type']}")
        response: Response | StreamResponse
        try:
            response = await self._respond(Request(scope, receive))
        except ClientDisconnect:
            return
        except Exception as error:
            status, body = encode_problem(error)
            headers = dict([NO_STORE])
            if isinstance(error, MethodNotAllowed):
                headers["allow"] = error.allow
            if isinstance(error, RangeNotSatisfiable):
                headers["content-range"] = f"bytes */{error.size_bytes}"
            response = Response(body, status, headers, JSON)
        response.raw_headers.extend(self._headers)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response | StreamResponse:
        scope, headers = request.scope, request.headers
        prefix = self.settings.path_prefix
        path: str = scope["path"]
        after_token = self._guard.take_token(path[len(prefix) :]) if path.startswith(prefix) else None
        # A foreign page cannot know an address with the token in it. There, a proxy may have changed Host and Origin.
        if after_token is None:
            self._guard.check_host(headers.get("host"), headers.get("origin"))
        query = scope["query_string"].decode("latin-1")
        if len(query) > MAX_QUERY_BYTES:
            raise TooLarge(
                f"The query string has {len(query):,} bytes; the limit is {MAX_QUERY_BYTES:,}.",
                where="query",
            )

        if after_token is not None:
            path = after_token
        elif prefix:
            if path == prefix:
                return _redirect(301, f"{prefix.rpartition('/')[2]}/", query)
            if not path.startswith(prefix + "/"):
                raise NotFound(
                    f"There is nothing at {path}. This server's pages are under {prefix}/.", where=path
                )
            path = path[len(prefix) :]

        extra: list[tuple[str, str]] = []
        if self._guard.token_required and after_token is None:
            query, has_token = self._take_token(query)
            if not has_token:
                self._guard.check_token(headers.get("authorization"), request.cookies)
            else:
                extra.append(self._guard.cookie_header())
                # The redirect takes the token out of the address bar. API requests are not redirected.
                if path == "/":
                    return _redirect(303, "./", query, extra)

        if path == "/help":
            return _redirect(301, "help/", query)
        if not path.startswith(API):
            check_method(request.method, ("GET",), path)
            return await self._finish(request, self._page.read(path[1:]), extra)
        extra.append(NO_STORE)
        opened = self.open()
        api = opened.result() if opened.done() else await asyncio.wrap_future(opened)
        reply = await api.dispatch(request.method, path, query, partial(_read_body, request))
        if isinstance(reply, FromJob):
            reply = await _unless_gone(request, api.wait_for_job(reply))
        if isinstance(reply, Stream):
            # The header asks proxies not to buffer events.
            return StreamResponse(reply.chunks, reply.media_type, [*extra, ("x-accel-buffering", "no")])
        return await self._finish(request, reply, extra)

    async def _finish(
        self, request: Request, reply: Answer | Struct | Later, extra: list[tuple[str, str]]
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
            return StreamResponse(self._pieces(done), done.media_type, [*extra, *done.headers])
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
            pieces = self._outbox.send(body, (request.client.host, request.client.port))
            return StreamResponse(pieces, answer.media_type, list(headers.items()), status=status)
        return Response(body, status, headers | {"content-type": answer.media_type})

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> Future[T]:
        if self._is_closed:
            raise Stopping("The server is stopping.")
        return pool.submit(work)

    async def _pieces(self, download: Download) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        while (piece := await loop.run_in_executor(self._pool, next, download.pieces, None)) is not None:
            yield piece

    def _take_token(self, query: str) -> tuple[str, bool]:
        """The query string without its token, and whether it had one. A wrong token raises Forbidden."""
        pairs = parse_qsl(query, keep_blank_values=True)
        tokens = [value for name, value in pairs if name == "token"]
        if not tokens:
            return query, False
        if not all(self._guard.is_token(token) for token in tokens):
            raise Forbidden(
                "This is not the token of this server. It is in the address that the server printed when it started.",
                where="token",
            )
        return urlencode([pair for pair in pairs if pair[0] != "token"]), True


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
