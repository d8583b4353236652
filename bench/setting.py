"""What every row is given, and how a side of a row is tried without losing the rest when it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.peers import Peer
from bench.table import Row


@dataclass(frozen=True)
class Setting:
    # None when the peer is not to be measured.
    peer: Peer | None
    # None when the floor could not be compiled.
    floor: Path | None
    # Share of the full number of steps.
    scale: float
    repeat: int
    peer_repeat: int


def attempt(row: Row, side: str, measure: Callable[[], None]) -> bool:
    """Run one side of a row; a failure becomes that side's cell, and the others go on."""
    try:
        measure()
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        setattr(row, side, f"failed: {reason}"[:160])
        return False
    return True
