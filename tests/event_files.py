"""Puts event files where a test wants them."""

from __future__ import annotations

from pathlib import Path

from tests.property import event_bytes as eb

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
