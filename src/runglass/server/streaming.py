"""Sends an answer in chunks until it ends or the client disconnects, then closes it. Does not know what it sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from starlette.types import Receive, Scope, Send


class StreamResponse:
    def __init__(
        self, chunks: AsyncIterator[bytes], media_type: str, headers: Sequence[tuple[str, str]]
    ) -> None:
        self._chunks = chunks
        named = [*headers, ("content-type", media_type)]
        self.raw_headers = [(name.encode(), value.encode()) for name, value in named]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(scope, send))
        leaving = asyncio.ensure_future(wait_until_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await sending

    async def _send(self, scope: Scope, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if scope["method"] != "HEAD":
            async for chunk in self._chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
