"""The words with which a dashboard declares its HTTP routes: plain functions from a source and parameters to an answer.

Knows nothing of sockets, headers or the server that calls them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from runglass.query.source import DataSource

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
COLUMNS = "application/vnd.runglass.columns"
PARQUET = "application/vnd.apache.parquet"
EVENTS = "text/event-stream"


class NoParameters(Struct, frozen=True, forbid_unknown_fields=True):
    """What a route takes that takes nothing."""


class Answer(Struct):
    """An encoded answer. A handler may also return the Struct that its route declares and leave the encoding to the server."""

    body: bytes
    media_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    # The body again per content encoding, for answers that are kept and sent more than once; None for all others.
    encodings: dict[str, bytes] | None = None


class Later(Struct, frozen=True):
    """The rest of an answer that is too much work for the event loop; the server runs it in a thread."""

    work: Callable[[], Answer | Struct]


class Stream(Struct, frozen=True):
    """An answer without an end. `chunks` is closed when the client goes away."""

    chunks: AsyncIterator[bytes]
    media_type: str = EVENTS


class Download(Struct, frozen=True):
    """A file that is sent while it is made. The server asks for every piece in a thread."""

    pieces: Iterator[bytes]
    media_type: str
    headers: tuple[tuple[str, str], ...] = ()


Reply = Answer | Struct | Later | Stream | Download
# The second argument is the route's own parameter type, which a common signature cannot name.
Handler = Callable[["DataSource", Any], Reply]


class Route(Struct, frozen=True):
    """One path under `/api/`. The first line of the handler's docstring is its text in the OpenAPI document."""

    path: str
    handler: Handler
    # What the JSON form of the answer looks like.
    answer: type[Struct]
    query: type[Struct] = NoParameters
    # Set for routes that are asked by POST.
    body: type[Struct] | None = None
    media_types: tuple[str, ...] = (JSON,)

    @property
    def method(self) -> Literal["GET", "POST"]:
        return "GET" if self.body is None else "POST"


def encode_once(value: Struct) -> Answer:
    """An answer that is sent more than once, so it also keeps its compressed forms."""
    return Answer(encode_json(value), encodings={})


def encode_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A name with bytes that are no text, as file names may have. JSON can escape it; UTF-8 cannot hold it.
        import json

        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"), allow_nan=False).encode()
