"""Sends requests to the app without a socket, for tests and exports. Not for use inside a running event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from starlette.types import ASGIApp, Message

DEFAULT_HEADERS = {"host": "localhost:6006"}


@dataclass(frozen=True, slots=True)
class InProcessResponse:
    status: int
    # Names are in lower case; the values of a repeated name are joined by a newline.
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class InProcess:
    def __init__(
        self, app: ASGIApp, *, client: str = "127.0.0.1", headers: Mapping[str, str] | None = None
    ) -> None:
        self._app = app
        self._client = client
        self._headers = {**DEFAULT_HEADERS, **(headers or {})}

    def get(self, url: str, **headers: str) -> InProcessResponse:
        return self.ask("GET", url, headers=headers)

    def post(self, url: str, body: Any, **headers: str) -> InProcessResponse:
        """`body` is sent as JSON unless it is bytes."""
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        return self.ask("POST", url, data=data, headers={"content-type": "application/json", **headers})

    def ask(
        self, method: str, url: str, *, data: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> InProcessResponse:
        """Header names may have `_` for `-`, as keyword arguments do."""
        named = {
            **self._headers,
            **{name.replace("_", "-"): value for name, value in (headers or {}).items()},
        }
        parts = urlsplit(url)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in named.items()],
            "client": (self._client, 50000),
            "server": ("127.0.0.1", 6006),
        }
        return asyncio.run(self._run(scope, data))

    async def _run(self, scope: dict[str, Any], data: bytes) -> InProcessResponse:
        sent: list[Message] = []
        waiting: list[Message] = [{"type": "http.request", "body": data, "more_body": False}]

        is_done = asyncio.Event()

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            # A client that disconnects early would not get the rest of the answer.
            await is_done.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                is_done.set()

        await self._app(scope, receive, send)
        headers: dict[str, str] = {}
        for name, value in sent[0]["headers"]:
            key, text = name.decode().lower(), value.decode("latin-1")
            headers[key] = f"{headers[key]}\n{text}" if key in headers else text
        return InProcessResponse(
            sent[0]["status"], headers, b"".join(message["body"] for message in sent[1:])
        )
