"""What is watched of a model, of which modules, and at which steps. Knows no framework."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from runglass.errors import BadArgument

What = Literal["grad_norm", "param_norm", "update_ratio", "activations", "not_finite", "weights", "gradients"]
# Histograms are transferred whole, so they are made only on request.
DEFAULT: tuple[What, ...] = ("grad_norm", "param_norm", "update_ratio", "activations", "not_finite")
EVERY = 100


class Choice:
    """`include` and `exclude` are regular expressions that are searched for in the names of modules."""

    def __init__(
        self, what: Iterable[What] | What, include: str | Sequence[str], exclude: str | Sequence[str]
    ) -> None:
        listed = (what,) if isinstance(what, str) else tuple(what)
        for each in listed:
            if each not in get_args(What):
                raise BadArgument(
                    f"watch: what={each!r}, expected some of {', '.join(get_args(What))}.", where="what"
                )
        self.what = frozenset(listed)
        self._include = patterns(include, "include")
        self._exclude = patterns(exclude, "exclude")

    def has_module(self, name: str) -> bool:
        is_included = not self._include or any(pattern.search(name) for pattern in self._include)
        return is_included and not any(pattern.search(name) for pattern in self._exclude)


class Schedule:
    """Every so many steps, or whenever so many seconds have passed."""

    def __init__(self, every: int, seconds: float | None) -> None:
        if seconds is None and (not isinstance(every, int) or isinstance(every, bool) or every < 1):
            raise BadArgument(f"watch: every={every!r}, expected a number of steps from 1 on.", where="every")
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise BadArgument(f"watch: seconds={seconds!r}, expected more than 0.", where="seconds")
        self._every = every
        self._seconds = seconds
        self._next_s = 0.0

    def is_due(self, step: int) -> bool:
        if self._seconds is None:
            return step % self._every == 0
        now_s = time.monotonic()
        if now_s < self._next_s:
            return False
        self._next_s = now_s + self._seconds
        return True


def patterns(given: str | Sequence[str], where: str) -> list[re.Pattern[str]]:
    try:
        return [re.compile(each) for each in ([given] if isinstance(given, str) else given) if each]
    except (re.error, TypeError) as error:
        raise BadArgument(
            f"watch: {where}={given!r} is not a regular expression: {error}.", where=where
        ) from None
