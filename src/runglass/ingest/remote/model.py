"""The words of remote logs: one object as a listing has it, and why something could not be read."""

from __future__ import annotations

from msgspec import Struct


class Entry(Struct, frozen=True):
    """One object. Equal entries mean equal bytes, as far as the store tells."""

    # Its name for the backend.
    key: str
    size_bytes: int
    # ETag, version or checksum; "" where there is none.
    tag: str = ""
    # As the store says, by its own clock; 0 if it does not.
    modified: float = 0.0


class Trouble(Exception):
    """Something remote cannot be read now. `state` is one of "lost", "denied", "throttled", "missing", "failed"."""

    def __init__(self, state: str, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.state = state
        self.reason = reason
        self.advice = advice


class Emptied(Trouble):
    """A bucket that is there has nothing below an address: such stores have no empty folders, so all objects may be deleted."""


class ObjectChanged(Exception):
    """An object is no longer the one that was listed."""
