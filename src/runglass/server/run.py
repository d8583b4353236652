"""Runs the app on a bound socket until it is stopped. With refusing.py the only file that knows uvicorn."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any

from uvicorn import Config, Server

from runglass.machine import OUT_OF_RESOURCES, allow_more_files, give_large_buffers_back
from runglass.server.access_log import AccessLog
from runglass.server.app import MAX_QUERY_BYTES, App
from runglass.server.projects import Plan
from runglass.server.refusing import RefusingProtocol
from runglass.server.settings import Settings
from runglass.server.streaming import Client

if TYPE_CHECKING:
    from runglass.query.source import DataSource
    from runglass.server.dispatch import Api

KEEP_ALIVE_S = 75
# For unfinished answers when the server stops.
GRACE_S = 2
HEADERS_BYTES = 64 * 2**10
# How long a server started by a notebook outlives its kernel and the last open page, so that a restarted kernel finds it.
LEFT_S = 600.0
# uvicorn ticks ten times a second.
LOOK_TICKS = 50
IDLE_TICKS = 10
# How long a connection may take to send the head of a request.
HEAD_S = 10.0
# How long a thread that computes keeps the interpreter while others wait for it. The event loop waits so long after every call of the
# system; with Python's 5 ms, forty connections that close hold everybody up for half a second.
SWITCH_S = 0.0005
# Out of descriptors: how often the log says so.
TELL_EVERY_S = 60.0

NO_CYCLE: Any = object()

logger = logging.getLogger("runglass")


class PageServer(Server):
    """uvicorn's server, which also ends live connections when it stops, and leaves signals to us."""

    def __init__(self, app: App, *, parent_pid: int | None = None) -> None:
        """With the process that started it given, the server stops some time after that process ended."""
        self._app = app
        self._parent_pid = parent_pid
        self._wanted_at = time.monotonic()
        # Connections that have not sent the head of a request, and since when.
        self._silent: dict[Any, float] = {}
        self._told_at = -TELL_EVERY_S
        app.drop_client = self._drop
        super().__init__(
            Config(
                app,
                loop="auto",
                http=RefusingProtocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                access_log=False,
                log_config=None,
                log_level="error",
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=GRACE_S,
                # Large enough for queries that are too long, so that our own error says so.
                h11_max_incomplete_event_size=2 * MAX_QUERY_BYTES + HEADERS_BYTES,
            )
        )

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        super().run([_as_tcp(each) for each in sockets or []])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._on_loop_error)
        await super().startup(sockets)
        opened = self._app.open()
        if opened is not None:
            opened.add_done_callback(_read_ahead)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.close()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        if counter % IDLE_TICKS == 0:
            self._close_silent()
            self._app.look()
        return (counter % LOOK_TICKS == 0 and self._is_left()) or await super().on_tick(counter)

    def _connections(self) -> list[Any]:
        return list(self.server_state.connections)

    def _drop(self, client: Client) -> None:
        for protocol in self._connections():
            if getattr(protocol, "client", None) == client:
                # Closing would wait until the client has read what was sent.
                protocol.transport.abort()

    def _close_silent(self) -> None:
        """Close connections on which no request comes, or only a part of its head. Idle ones after an answer are uvicorn's."""
        now = time.monotonic()
        silent = [each for each in self._connections() if _waits_for_head(each)]
        self._silent = {each: self._silent.get(each, now) for each in silent}
        for protocol, since in self._silent.items():
            if now - since > HEAD_S:
                protocol.transport.abort()

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in OUT_OF_RESOURCES):
            loop.default_exception_handler(context)
            return
        # asyncio accepts again after a second. Whoever asks nothing gives way to those who wait.
        for protocol in self._connections():
            if _is_idle(protocol):
                protocol.transport.abort()
        if time.monotonic() - self._told_at >= TELL_EVERY_S:
            self._told_at = time.monotonic()
            logger.error(
                "%s: new connections wait, and idle ones are closed. `ulimit -n` sets the limit.",
                error.strerror,
            )

    def _is_left(self) -> bool:
        now = time.monotonic()
        # An open page always has a connection for live updates. On Windows the parent's id never changes.
        if self._parent_pid in (None, os.getppid()) or self.server_state.connections:
            self._wanted_at = now
        return now - self._wanted_at > LEFT_S

    # uvicorn raises a caught signal again after it has stopped, which would make a clean exit look like a crash. Older
    # releases set their handlers in the second of these methods.
    def capture_signals(self) -> Any:
        return nullcontext()

    def install_signal_handlers(self) -> None:
        pass

    def stop(self) -> None:
        """Stop serving soon. May be called from any thread or signal handler."""
        self.should_exit = True


def make_server(
    source: DataSource | Callable[[], DataSource] | Sequence[Plan], *, settings: Settings | None = None
) -> PageServer:
    """A server to run with `run(sockets=[…])`, in any thread."""
    return PageServer(App(source, settings))


def serve(
    source: DataSource | Callable[[], DataSource] | Sequence[Plan],
    sock: socket.socket,
    *,
    settings: Settings | None = None,
    parent_pid: int | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; a second signal stops at once. SIGHUP opens the access log anew. Takes over the socket.

    With a function as `source`, the page is served before NumPy is imported and the source is open.
    """
    give_large_buffers_back()
    allow_more_files()
    sys.setswitchinterval(SWITCH_S)
    app = App(source, settings)
    server = PageServer(app, parent_pid=parent_pid)
    with _handling_signals(server, app.access_log):
        server.run(sockets=[sock])


def _read_ahead(opened: Future[Api]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        opened.result().read_ahead.start()


def _is_idle(protocol: Any) -> bool:
    # Not every protocol of uvicorn has one.
    cycle = getattr(protocol, "cycle", NO_CYCLE)
    return cycle is None or (cycle is not NO_CYCLE and cycle.response_complete)


def _waits_for_head(protocol: Any) -> bool:
    # After an answer, uvicorn's own timer runs until the next bytes come.
    return _is_idle(protocol) and (protocol.cycle is None or protocol.timeout_keep_alive_task is None)


def _as_tcp(sock: socket.socket) -> socket.socket:
    """The same socket with its protocol set: asyncio sets TCP_NODELAY only on such sockets."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return sock
    return socket.socket(sock.family, sock.type, socket.IPPROTO_TCP, fileno=sock.detach())


@contextmanager
def _handling_signals(server: PageServer, log: AccessLog | None) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        server.force_exit = server.should_exit
        server.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    if log is not None and hasattr(signal, "SIGHUP"):
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, lambda number, frame: log.reopen())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
