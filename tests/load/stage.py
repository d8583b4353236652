"""What every stage of the load test is given, and what several of them do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.load.figures import Figure
from tests.load.server import Server


@dataclass(frozen=True)
class Setting:
    folder: Path
    command: list[str]
    is_small: bool
    has_browser: bool

    def pick(self, whole: int, small: int) -> int:
        return small if self.is_small else whole

    def server(self, logdir: Path, *, descriptors: int | None = None, flags: Sequence[str] = ()) -> Server:
        return Server(logdir, self.folder, self.command, descriptors=descriptors, flags=flags)

    def logdir(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path


Stage = Callable[[Setting], Awaitable[list[Figure]]]


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
