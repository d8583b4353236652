"""Whether a training is running, finished, silent or failed. Pure; the guide describes the rules to users."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from math import isfinite

from msgspec import Struct

from runglass.dashboards.overview.facts import Pace, RunFacts
from runglass.dashboards.overview.metrics import is_loss
from runglass.dashboards.overview.shape import State
from runglass.schema.hparams import SessionOutcome

# A run counts as running for this long after its newest value at least, and for longer with fewer than two values.
MIN_QUIET_S = 60.0
UNKNOWN_QUIET_S = 600.0
USUAL_PAUSES = 4
LONGEST_PAUSES = 2
# A longer pause, such as a night, does not tell how often a run writes.
MAX_PAUSE_S = 1_800.0
# After this long, a run that stopped without a sign of an end counts as finished.
LONG_AGO_S = 86_400.0
# Runs whose last steps differ by less have the same length.
SAME_LENGTH = 0.01


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


def judge(trainings: Sequence[Training], *, now: float) -> dict[str, State]:
    """The state of every training. Runs in the same folder tell each other how long a training is."""
    states: dict[str, State] = {}
    stopped: dict[str, list[Training]] = {}
    for each in trainings:
        state = _judge_alone(each, now)
        if state is None:
            stopped.setdefault(each.folder, []).append(each)
        else:
            states[each.name] = state
    complete: dict[str, list[int]] = {}
    for each in trainings:
        if states.get(each.name) == "finished" and each.last_step is not None:
            complete.setdefault(each.folder, []).append(each.last_step)
    for folder, siblings in stopped.items():
        states.update(_judge_together(siblings, complete.get(folder, [])))
    return states


def quiet_s(pace: Pace | None) -> float:
    """How old the newest value of a running training may be."""
    if pace is None:
        return UNKNOWN_QUIET_S
    longest_s = min(pace.longest_s, MAX_PAUSE_S)
    return max(MIN_QUIET_S, USUAL_PAUSES * pace.usual_s, LONGEST_PAUSES * longest_s)


def _judge_alone(training: Training, now: float) -> State | None:
    """None: it stopped without a sign of an end."""
    last = training.last_wall_time
    limit_s = quiet_s(training.pace)
    # A run that was resumed has values that are newer than the end of its session.
    ends = [
        end.outcome
        for each in training.facts
        if (end := each.end) is not None and (last is None or last - end.wall_time <= limit_s)
    ]
    if SessionOutcome.FAILURE in ends:
        return "failed"
    if SessionOutcome.SUCCESS in ends:
        return "finished"
    if last is None or not isfinite(last):
        # It has logged nothing yet, or nothing with a time.
        return "finished"
    if now - last <= limit_s:
        return "running"
    if _ends_odd(training.facts):
        return "failed"
    return "finished" if now - last > LONG_AGO_S else None


def _judge_together(siblings: list[Training], complete: list[int]) -> Mapping[str, State]:
    lengths = sorted(each.last_step for each in siblings if each.last_step is not None)

    def is_as_long(training: Training) -> bool:
        mine = training.last_step
        if mine is None:
            return False
        slack = SAME_LENGTH * abs(mine)
        alike = bisect_right(lengths, mine + slack) - bisect_left(lengths, mine - slack)
        # One of those alike is this training itself.
        return alike > 1 or (bool(complete) and mine >= min(complete) - slack)

    return {each.name: "finished" if is_as_long(each) else "silent" for each in siblings}


def _ends_odd(facts: Sequence[RunFacts]) -> bool:
    """Whether a loss ends in NaN or an infinity."""
    return any(
        is_loss(tag) for each in facts for tag, scalar in each.scalars.items() if not scalar.is_last_finite
    )
