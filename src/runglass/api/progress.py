"""How far loading has come, and one live event: types that the status and live updates share."""

from __future__ import annotations

from msgspec import Struct

from runglass.store.model import Progress


class ProgressAnswer(Struct, frozen=True):
    runs_found: int
    runs_loaded: int
    bytes_found: int
    bytes_read: int
    # Of `bytes_read`, what was known from an earlier visit and came from the cache folder instead of event files.
    bytes_indexed: int


class Change(Struct, frozen=True):
    """One event. `runs` have changed since the last event on this connection; null means that any run may have."""

    generation: int
    runs: list[str] | None
    is_loaded: bool
    progress: ProgressAnswer


class OverlayChange(Struct, frozen=True):
    """One event: the marks that all share have changed."""

    revision: int
    # Why marks cannot be saved now; empty if they can.
    problem: str


def progress_answer(progress: Progress) -> ProgressAnswer:
    return ProgressAnswer(
        progress.runs_found,
        progress.runs_loaded,
        progress.bytes_found,
        progress.bytes_read,
        progress.bytes_indexed,
    )
