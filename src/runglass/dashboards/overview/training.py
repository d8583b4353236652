"""A training as the overview knows it: facts of its runs, joined. query/states.py judges it."""

from __future__ import annotations

from msgspec import Struct

from runglass.dashboards.overview.facts import RunFacts
from runglass.query.goals import is_loss
from runglass.query.states import Pace, SessionEnd


class Training(Struct, frozen=True):
    """A run with its parts."""

    name: str
    runs: tuple[str, ...]
    facts: tuple[RunFacts, ...]
    start_time: float | None
    last_wall_time: float | None

    @property
    def last_step(self) -> int | None:
        return max((each.last_step for each in self.facts if each.last_step is not None), default=None)

    @property
    def pace(self) -> Pace | None:
        """Of the part that writes most often."""
        return min(
            (each.pace for each in self.facts if each.pace is not None),
            key=lambda pace: pace.usual_s,
            default=None,
        )

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def ends(self) -> list[SessionEnd]:
        return [each.end for each in self.facts if each.end is not None]

    @property
    def expects_end(self) -> bool:
        """Never: what stopped long ago is no trouble any more."""
        return False

    @property
    def ends_odd(self) -> bool:
        return any(
            is_loss(tag)
            for each in self.facts
            for tag, scalar in each.scalars.items()
            if not scalar.is_last_finite
        )
