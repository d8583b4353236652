"""Whether a directory has the demo, or may get it. Imports little: the command asks this before it does anything else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from runglass.errors import BadArgument

MARKER = ".runglass-demo.json"
# Increased with every change of the logs; older demos are replaced.
VERSION = 9


def is_complete(logdir: Path) -> bool:
    """Whether `logdir` has the demo of this version; makes the directory if there is none.

    Raises BadArgument if the demo cannot be written there.
    """
    marker = logdir / MARKER
    try:
        logdir.mkdir(parents=True, exist_ok=True)
        if marker.exists():
            found = _read(marker)
            if found["version"] == VERSION and found["is_complete"]:
                return True
        elif any(logdir.iterdir()):
            raise BadArgument(
                f"{logdir} is not empty and is not a demo. Name a directory that does not exist yet."
            )
        may_write = os.access(logdir, os.W_OK | os.X_OK)
    except OSError as error:
        raise BadArgument(
            f"The demo cannot be written to {logdir}: {error.strerror}. Name another directory: runglass demo LOGDIR."
        ) from error
    if not may_write:
        raise BadArgument(
            f"The demo cannot be written to {logdir}: Permission denied. Name another directory: runglass demo LOGDIR."
        )
    return False


def _read(marker: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(marker.read_text())
        if {"version", "is_complete", "folders"} <= found.keys():
            return found
    except (AttributeError, ValueError):
        pass
    raise BadArgument(
        f"{marker} cannot be read. Delete the directory, or name another one: runglass demo LOGDIR."
    )
