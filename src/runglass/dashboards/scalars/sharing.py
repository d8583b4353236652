"""Answers that several pages share: those that follow the same runs ask the same question at about the same time.

Does not know what is asked or answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic, thread_time

from msgspec import Struct

from runglass.lru import LruCache

MAX_QUESTIONS = 16
# Of each.
MAX_KEPT_BYTES = 2 << 20
# An answer that took this much CPU is given again, after changes too, for this many times as long: all pages with one question
# take a fifth of a core at most. A cheaper one, as of a script that reads what was just logged, is always new.
COSTLY_S = 0.002
REST_FACTOR = 4.0
MAX_REST_S = 0.25


class _Kept(Struct):
    # Held while an answer is made.
    lock: threading.Lock
    # Of what generation, until when it is given after changes too, and what. Replaced as a whole.
    last: tuple[int, float, bytes] | None = None

    def find(self, generation: int) -> bytes | None:
        last = self.last
        return last[2] if last is not None and (last[0] == generation or monotonic() < last[1]) else None


class SharedAnswers:
    """The last answer to each question. Whoever asks while it is being made waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: LruCache[bytes, _Kept] = LruCache(MAX_QUESTIONS)

    def find(self, question: bytes, generation: int) -> bytes | None:
        """The answer to a question, if it is of this generation or of a moment ago. Does not wait."""
        kept = self._kept.get(question)
        return None if kept is None else kept.find(generation)

    def read(self, question: bytes, generation: Callable[[], int], make: Callable[[], bytes]) -> bytes:
        """As `find`, or a new answer. `generation`: that of the data now."""
        with self._lock:
            kept = self._kept.get(question)
            if kept is None:
                kept = _Kept(threading.Lock())
                self._kept.put(question, kept)
        with kept.lock:
            now = generation()
            answer = kept.find(now)
            if answer is not None:
                return answer
            began_s = thread_time()
            answer = make()
            cost_s = thread_time() - began_s
            if cost_s >= COSTLY_S and len(answer) <= MAX_KEPT_BYTES:
                kept.last = now, monotonic() + min(REST_FACTOR * cost_s, MAX_REST_S), answer
            else:
                kept.last = None
            return answer
