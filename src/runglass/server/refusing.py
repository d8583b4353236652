"""The answer to what is no request: as JSON, like every other error. Knows uvicorn's protocols."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from runglass.api.problem import Problem
from runglass.api.route import JSON, encode_json
from runglass.server.problems import ErrorAnswer

# How long what the client still sends is read and thrown away: closed earlier, it might not see the answer.
LINGER_S = 1.0
Base: Any = AutoHTTPProtocol


class RefusingProtocol(Base):  # type: ignore[misc]
    _is_refused = False
    _received_bytes = 0

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._received_bytes += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._received_bytes = 0
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._is_refused = True
        limit_bytes = self.config.h11_max_incomplete_event_size
        if limit_bytes is not None and self._received_bytes >= limit_bytes:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            text = f"The address and the headers of this request have more than {limit_bytes:,} bytes."
            problem = Problem("too_large", text, "request")
        else:
            status = HTTPStatus.BAD_REQUEST
            problem = Problem("bad_request", "This is not an HTTP request.", "request")
        body = encode_json(ErrorAnswer(problem))
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {JSON}\r\ncontent-length: {len(body)}\r\n"
            "cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.loop.call_later(LINGER_S, self.transport.close)
