"""Answers that several pages share: those that follow the same runs ask the same question at about the same time.

Does not know what is asked or answered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

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
    lock: threading.Lock
    generation: int = -1
    until: float = 0.0
    answer: bytes | None = None


class SharedAnswers:
    """The last answer to each question. Whoever asks while it is being made waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: LruCache[bytes, _Kept] = LruCache(MAX_QUESTIONS)

    def read(self, question: bytes, generation: Callable[[], int], make: Callable[[], bytes]) -> bytes:
        """`generation`: that of the data now. The answer is of this one, or of one a moment ago."""
        with self._lock:
            kept = self._kept.get(question)
            if kept is None:
                kept = _Kept(threading.Lock())
                self._kept.put(question, kept)
        with kept.lock:
            now = generation()
            if kept.answer is not None and (kept.generation == now or time.monotonic() < kept.until):
                return kept.answer
            began_s = time.thread_time()
            answer = make()
            cost_s = time.thread_time() - began_s
            is_kept = cost_s >= COSTLY_S and len(answer) <= MAX_KEPT_BYTES
            kept.answer = answer if is_kept else None
            kept.generation = now
            kept.until = time.monotonic() + min(REST_FACTOR * cost_s, MAX_REST_S)
            return answer
