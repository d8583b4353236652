"""What every row is given, where it is measured, and how a part is tried without losing the rest when it fails."""

from __future__ import annotations

import platform
import subprocess
import sys
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


def tried(what: str, make: Callable[[], object]) -> object:
    """A missing compiler or package index costs its column, not the run."""
    try:
        return make()
    except Exception as error:
        print(f"{what} is left out: {error}", file=sys.stderr)
        return None


def cpu_name() -> str:
    try:
        told = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in told.splitlines() if line.startswith("Model name:")]
    return f"{platform.machine()} {names[0]}" if names else platform.machine()
