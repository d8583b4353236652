"""Clients over plain sockets: just enough HTTP/1.1 to cost much less than the server that they ask, and to misbehave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, Self

BUFFER_BYTES = 1 << 20


class Answer(NamedTuple):
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """One connection that stays open. Raises OSError or IncompleteReadError when the server goes."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: object = None) -> Answer:
        reader, writer = await self._connect()
        try:
            writer.write(encode_request(self.port, path, body))
            status, headers = await read_head(reader)
            if headers.get("transfer-encoding") == "chunked":
                return Answer(status, b"".join([piece async for piece in read_chunks(reader)]))
            return Answer(status, await reader.readexactly(int(headers.get("content-length", 0))))
        except BaseException:
            self.close()
            raise

    async def send(self, path: str, body: object = None) -> asyncio.StreamReader:
        """A request whose answer the caller reads as it likes, or not."""
        reader, writer = await self._connect()
        writer.write(encode_request(self.port, path, body))
        return reader

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port, limit=BUFFER_BYTES)
        return self._streams

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LiveEvents:
    """What `/api/live` says on one connection."""

    def __init__(self, port: int) -> None:
        self._client = Client(port)

    async def __aiter__(self) -> AsyncIterator[Any]:
        reader = await self._client.send("/api/live")
        status, _ = await read_head(reader)
        if status != 200:
            raise OSError(f"/api/live answered {status}")
        left = b""
        async for chunk in read_chunks(reader):
            *events, left = (left + chunk).split(b"\n\n")
            for event in events:
                for line in event.split(b"\n"):
                    if line.startswith(b"data:"):
                        yield json.loads(line[5:])

    def close(self) -> None:
        self._client.close()


def encode_request(port: int, path: str, body: object) -> bytes:
    head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nhost: localhost:{port}\r\n"
    if body is None:
        return f"{head}\r\n".encode()
    data = json.dumps(body).encode()
    return f"{head}content-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    return int(lines[0].split(" ", 2)[1]), headers


async def read_chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
