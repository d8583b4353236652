"""Puts event files where a test wants them, and looks at what became of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import event_bytes as eb

from runglass.store.model import FileHealth

NAME = "events.out.tfevents.1700000000.host.1.0"
LATER = "events.out.tfevents.1700000100.host.2.0"


def put(directory: Path, data: bytes, *, name: str = NAME) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_bytes(data)
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def some_points(count: int = 3, *, tag: str = "loss", first_step: int = 0) -> bytes:
    """Values are the steps."""
    steps = range(first_step, first_step + count)
    return eb.records(*(eb.scalar(tag, float(step), step=step) for step in steps))


def log_bytes(count: int = 3, *, tag: str = "loss") -> bytes:
    """A small whole file."""
    return eb.records(eb.file_version()) + some_points(count, tag=tag)


def health(log: Any) -> FileHealth:
    """The health of the only file."""
    (found,) = log.health
    return found  # type: ignore[no-any-return]


def values(log: Any, run: str = "run", tag: str = "loss") -> list[float]:
    return log.scalars(run, tag, attempts="all").value.tolist() if tag in log.tags(run) else []  # type: ignore[no-any-return]
