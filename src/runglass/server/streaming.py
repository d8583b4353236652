"""Sends an answer in pieces, as fast as its client reads, until it ends or the client disconnects. Does not know what it sends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import suppress

from starlette.types import Receive, Scope, Send

# Larger bodies are sent in pieces of this size: a client that reads slowly or has left makes the server hold no more than one
# beside the body itself.
PIECE_BYTES = 256 * 2**10
# For all bodies that are being sent. Beyond, those whose clients have not read for a moment are dropped.
MAX_HELD_BYTES = 64 * 2**20
PATIENCE_S = 0.5
# A client that reads nothing for this long is dropped in any case.
STALL_S = 60.0

# The address of a client, as the server knows it.
Client = tuple[str, int]


class StreamResponse:
    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        media_type: str,
        headers: Sequence[tuple[str, str]],
        *,
        status: int = 200,
        farewell: bytes = b"",
    ) -> None:
        """`farewell` is sent last when the answer is ended before its time."""
        self._chunks = chunks
        self._status = status
        self._farewell = farewell
        self._is_ended = asyncio.Event()
        self.on_done: Callable[[], object] = lambda: None
        named = [*headers, ("content-type", media_type)]
        self.raw_headers = [(name.encode(), value.encode()) for name, value in named]

    def end(self) -> None:
        """Send no more of it. Call in the event loop."""
        self._is_ended.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(scope, send))
        leaving = asyncio.ensure_future(wait_until_gone(receive))
        ending = asyncio.ensure_future(self._is_ended.wait())
        try:
            await asyncio.wait({sending, leaving, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_cut = self._is_ended.is_set() and not sending.done() and not leaving.done()
            sending.cancel()
            leaving.cancel()
            ending.cancel()
            self.on_done()
            with suppress(asyncio.CancelledError):
                await sending
            # Without a farewell the connection is closed in the middle, so that nobody takes the part for the whole.
            if is_cut and self._farewell:
                await send({"type": "http.response.body", "body": self._farewell, "more_body": False})
            # At once: a body that waits for the garbage collector takes as much memory as one that is sent.
            if isinstance(self._chunks, AsyncGenerator):
                await self._chunks.aclose()

    async def _send(self, scope: Scope, send: Send) -> None:
        await send({"type": "http.response.start", "status": self._status, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async for chunk in self._chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class Held:
    """One body that is being sent."""

    def __init__(self, client: Client, size_bytes: int) -> None:
        self.client = client
        self.size_bytes = size_bytes
        self.moved_at = time.monotonic()


class PendingBodies:
    """The bodies that are being sent, and how much memory they take together. Used in the event loop only."""

    def __init__(self, drop: Callable[[Client], None]) -> None:
        """`drop` closes the connection of a client at once."""
        self._drop = drop
        self._held: dict[Held, None] = {}

    @property
    def size_bytes(self) -> int:
        return sum(held.size_bytes for held in self._held)

    async def send(self, body: bytes, client: Client) -> AsyncIterator[bytes]:
        """The body in pieces; each is asked for when the client has read most of what came before."""
        held = Held(client, len(body))
        self._held[held] = None
        self._make_room(held)
        loop = asyncio.get_running_loop()
        view = memoryview(body)
        try:
            for at in range(0, len(body), PIECE_BYTES):
                held.moved_at = time.monotonic()
                stalled = loop.call_later(STALL_S, self._drop, client)
                try:
                    yield bytes(view[at : at + PIECE_BYTES])
                finally:
                    stalled.cancel()
                # Lets the loop notice that a client has left, and serve others.
                await asyncio.sleep(0)
        finally:
            self._held.pop(held, None)

    def _make_room(self, newest: Held) -> None:
        excess = self.size_bytes - MAX_HELD_BYTES
        if excess <= 0:
            return
        now = time.monotonic()
        for held in sorted(self._held, key=lambda each: each.moved_at):
            if excess <= 0 or now - held.moved_at < PATIENCE_S:
                return
            if held is not newest:
                excess -= held.size_bytes
                del self._held[held]
                self._drop(held.client)


async def wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
