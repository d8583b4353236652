"""How many requests one token, user or address may make: so many a second, and some at once. Does not know what they ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil

from runglass.errors import RunglassError

# A page that opens asks for much at once: that many seconds' worth.
BURST_S = 10.0
# Those not seen for longest are forgotten. They have their burst back anyway.
MAX_KNOWN = 10_000


class TooMany(RunglassError):
    code = "too_many_requests"
    http_status = 429

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message, where="rate limit")
        self.retry_after_s = retry_after_s


class RateLimit:
    def __init__(self, per_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        """0: no limit."""
        self._per_s = per_s
        self._burst = max(1.0, per_s * BURST_S)
        self._clock = clock
        # How many requests each has left, and when that was so. In the order they were last seen.
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> None:
        """Count one request. Raises TooMany, which is not counted."""
        if not self._per_s:
            return
        now = self._clock()
        left, at = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_s)
        if left < 1.0:
            self._left[who] = left, now
            wait_s = ceil((1.0 - left) / self._per_s)
            raise TooMany(
                f"These were more requests than the {self._per_s:g} a second that this server allows each user."
                f" Try again in {wait_s} s.",
                retry_after_s=wait_s,
            )
        self._left[who] = left - 1.0, now
        while len(self._left) > MAX_KNOWN:
            del self._left[next(iter(self._left))]
