"""Whether a training is running, finished, silent or failed. The guide describes the rules to users.

Asks for what costs something (the pace, the last step) only where the answer depends on it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Literal, Protocol

import numpy as np
from msgspec import Struct

from runglass.query.source import Values
from runglass.schema.hparams import SessionOutcome

State = Literal["running", "finished", "silent", "failed"]

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
# As many values of late tell a run's pace.
PACE_VALUES = 100
PAUSE_VALUES = 1_000
# The share of pauses between values that are not longer than the usual one.
USUAL_SHARE = 0.95


class Pace(Struct, frozen=True):
    """Of the series with the most values."""

    # The pause between values that most are not longer than, and the longest of late. Pauses of restarts do not count.
    usual_s: float
    longest_s: float
    seconds_per_step: float | None


class SessionEnd(Struct, frozen=True):
    outcome: SessionOutcome
    # When it was logged (NaN: not read yet), and the end that it states; None if it states none.
    wall_time: float
    end_time: float | None = None


class Judged(Protocol):
    """A training, or anything else that was logged over time."""

    @property
    def name(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def start_time(self) -> float | None: ...
    @property
    def last_wall_time(self) -> float | None: ...
    @property
    def ends(self) -> Sequence[SessionEnd]: ...
    @property
    def expects_end(self) -> bool:
        """Whether it says when it ends and has not: then age alone does not make it finished."""
        ...

    @property
    def last_step(self) -> int | None: ...
    @property
    def pace(self) -> Pace | None:
        """Of the part that writes most often."""
        ...

    @property
    def ends_odd(self) -> bool:
        """Whether a loss ends in NaN or an infinity."""
        ...


def read_pace(values: Values) -> Pace | None:
    """None with fewer than two values."""
    late = slice(-PAUSE_VALUES - 1, None)
    wall_time, step, segment = values.wall_time[late], values.step[late], values.segment[late]
    pauses = np.diff(wall_time)
    # Steps that were logged together have no pause between them.
    is_one = (np.diff(segment) == 0) & np.isfinite(pauses) & (pauses > 0)
    if not is_one.any():
        return None
    lately = pauses[is_one][-PACE_VALUES:]
    steps = np.diff(step)[is_one][-PACE_VALUES:].sum()
    return Pace(
        usual_s=float(np.quantile(lately, USUAL_SHARE)),
        longest_s=float(pauses[is_one].max()),
        seconds_per_step=float(lately.sum() / steps) if steps > 0 else None,
    )


def judge(trainings: Sequence[Judged], *, now: float) -> dict[str, State]:
    """The state of every training. Runs in the same folder tell each other how long a training is."""
    states: dict[str, State] = {}
    stopped: dict[str, list[Judged]] = {}
    for each in trainings:
        state = _judge_alone(each, now)
        if state is None:
            stopped.setdefault(each.folder, []).append(each)
        else:
            states[each.name] = state
    complete: dict[str, list[int]] = {}
    for each in trainings if stopped else ():
        is_sibling = each.folder in stopped and states.get(each.name) == "finished"
        if is_sibling and each.last_step is not None:
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


def _is_quiet(training: Judged, silence_s: float) -> bool:
    """Whether a silence of this length is too long for a training that goes on."""
    if silence_s <= MIN_QUIET_S:
        return False
    start, last = training.start_time, training.last_wall_time
    # No pause is longer than the training itself.
    if start is not None and last is not None:
        longest_s = max(UNKNOWN_QUIET_S, USUAL_PAUSES * (last - start))
        if silence_s > longest_s:
            return True
    return not silence_s <= quiet_s(training.pace)


def _judge_alone(training: Judged, now: float) -> State | None:
    """None: it stopped without a sign of an end."""
    last = training.last_wall_time
    # A run that was resumed has values that are newer than the end of its session.
    ends = [
        end.outcome for end in training.ends if last is None or not _is_quiet(training, last - end.wall_time)
    ]
    if SessionOutcome.FAILURE in ends:
        return "failed"
    if SessionOutcome.SUCCESS in ends:
        return "finished"
    if last is None or not isfinite(last):
        # It has logged nothing yet, or nothing with a time.
        return "finished"
    if not _is_quiet(training, now - last):
        return "running"
    if training.ends_odd:
        return "failed"
    return "finished" if now - last > LONG_AGO_S and not training.expects_end else None


def _judge_together(siblings: list[Judged], complete: list[int]) -> Mapping[str, State]:
    lengths = sorted(each.last_step for each in siblings if each.last_step is not None)

    def is_as_long(training: Judged) -> bool:
        mine = training.last_step
        if mine is None:
            return False
        slack = SAME_LENGTH * abs(mine)
        alike = bisect_right(lengths, mine + slack) - bisect_left(lengths, mine - slack)
        # One of those alike is this training itself.
        return alike > 1 or (bool(complete) and mine >= min(complete) - slack)

    return {each.name: "finished" if is_as_long(each) else "silent" for each in siblings}
