"""One run of another tool, the same for every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from runglass.writer.values.hparams import HParam


@dataclass(frozen=True, slots=True)
class Row:
    """What was logged at one step: values by tag."""

    step: int
    # Seconds since 1970; None where the tool kept no time.
    wall_time: float | None
    scalars: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    # Encoded files.
    images: dict[str, list[bytes]] = field(default_factory=dict)
    # Edges of bins, one more than counts, and counts.
    histograms: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)


@dataclass(slots=True)
class ForeignRun:
    # Path below the log directory, with "/" between folders.
    name: str
    # Read as they are written: a run may be larger than memory.
    rows: Iterator[Row]
    hparams: dict[str, HParam] = field(default_factory=dict)
    start_time: float | None = None
    end_time: float | None = None
    outcome: Literal["success", "failure", "unknown"] = "unknown"
    notes: str = ""


def flatten(name: str, value: object, *, between: str) -> Iterator[tuple[str, object]]:
    """The leaves of nested dicts.  {"a": {"b": 1}} -> ("a.b", 1)"""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from flatten(f"{name}{between}{key}" if name else str(key), each, between=between)
    else:
        yield name, value


def plain(value: object) -> HParam:
    """A setting as a hyperparameter: numbers, bools and texts as they are, anything else as text."""
    return value if isinstance(value, bool | int | float | str) else str(value)
