"""What the code of a work sees: the context it calls, and the form of what it returns.

Worker processes import this file before anything else, so it imports next to nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Cancelled(Exception):
    """Raised by `Context.check` once the job is cancelled. Code may clean up and must not swallow it."""


class Context(Protocol):
    """What the code of a work may call. Every call counts as a heartbeat, raises Cancelled, and blocks while the job is paused."""

    @property
    def flag(self) -> memoryview:
        """One byte that changes from 0 to 1 when the job is cancelled, for native loops without the GIL to poll."""
        ...

    def progress(self, phase: str, done: int, total: int | None = None) -> None:
        """How far this phase is. Cheap enough for a Python loop: listeners are notified every 50 ms at most."""
        ...

    def partial(self, value: Any) -> None:
        """Stream a part of the result: bytes as they are, anything else as JSON. The result must contain it too."""
        ...

    def check(self) -> None: ...


class Encoded(NamedTuple):
    """A result or partial result as it is cached and sent. Code may also return one, to encode JSON itself."""

    data: bytes
    is_json: bool


def encode(value: Any) -> Encoded:
    if isinstance(value, Encoded):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return Encoded(bytes(value), is_json=False)
    return Encoded(encode_json(value), is_json=True)


def encode_json(value: Any) -> bytes:
    # Not at the top: a worker that encodes its results itself starts in half the time.
    import msgspec

    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # Lone surrogates, as in file names that are not UTF-8. JSON can escape them; UTF-8 cannot encode them.
        import json

        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"), allow_nan=False).encode()
