"""The types that declare an HTTP route: a plain function from a source and parameters to an answer.

Knows neither sockets nor the server that calls it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from runglass.jobs.context import Encoded
from runglass.jobs.context import encode_json as encode_json

if TYPE_CHECKING:
    from runglass.jobs.job import Job
    from runglass.query.source import DataSource

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
COLUMNS = "application/vnd.runglass.columns"
PARQUET = "application/vnd.apache.parquet"
EVENTS = "text/event-stream"
BYTES = "application/octet-stream"


class NoParameters(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of a route without parameters."""


class Upload(Struct, frozen=True):
    """The parameters of a route that takes a file: those of its query, and the bytes."""

    query: Struct
    data: bytes


class Answer(Struct):
    """An encoded answer. A handler may also return the Struct that its route declares; the server encodes it."""

    body: bytes
    media_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    # The compressed bodies by content encoding, for answers that are kept and sent more than once; None for all others.
    encodings: dict[str, bytes] | None = None
    # Whether a client may ask for a part of the body: files such as videos, in which a player seeks.
    takes_ranges: bool = False


class Later(Struct, frozen=True):
    """Work that takes too long for the event loop; the server runs it in a thread."""

    work: Callable[[], Answer | Struct | Download]
    # Runs apart from the others; the server sets it for routes that say so.
    is_long: bool = False
    # A job for a worker process is about to come: the server has one ready.
    prepares_worker: bool = False


class FromJob(Struct, frozen=True):
    """The answer of a job, for scripts that do not want to follow one. Waiting for it occupies no thread."""

    work: str
    question: Struct
    # How long to wait.
    wait_s: float
    # Makes the answer from the job, which has ended, if only because the time is up. Runs in a thread.
    answer: Callable[[Job], Answer | Struct]
    is_long: bool = False


class FromResult(Struct, frozen=True):
    """Made of the result of a job that is done."""

    job: str
    # Gets the result; runs in a thread.
    answer: Callable[[Encoded], Answer | Struct | Download]


class Stream(Struct, frozen=True):
    """An endless answer. `chunks` is closed when the client disconnects."""

    chunks: AsyncIterator[bytes]
    media_type: str = EVENTS


class Download(Struct, frozen=True):
    """A file that is streamed as it is produced. The server makes every piece in a thread."""

    pieces: Iterator[bytes]
    media_type: str
    headers: tuple[tuple[str, str], ...] = ()


Reply = Answer | Struct | Later | FromJob | FromResult | Stream | Download
# The second argument is the route's parameter type, which differs from route to route.
Handler = Callable[["DataSource", Any], Reply]


class Route(Struct, frozen=True):
    """One path under `/api/`. The first line of the handler's docstring is its text in the OpenAPI document."""

    path: str
    handler: Handler
    # The JSON form of the answer.
    answer: type[Struct]
    query: type[Struct] = NoParameters
    # Makes the route a POST route.
    body: type[Struct] | None = None
    # Makes it a POST route that takes any bytes, up to so many. Its handler gets an Upload.
    upload_bytes: int | None = None
    media_types: tuple[str, ...] = (JSON,)
    # Searches and comparisons: they wait for each other, and no chart waits for them.
    is_long: bool = False
    # Its handler gets an Asked: the parameters, and who asks.
    wants_person: bool = False

    @property
    def method(self) -> Literal["GET", "POST"]:
        return "GET" if self.body is None and self.upload_bytes is None else "POST"


def encode_once(value: Struct) -> Answer:
    """Encode an answer that is kept and sent more than once, with its compressed bodies."""
    return Answer(encode_json(value), encodings={})
