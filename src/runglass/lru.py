"""A cache that evicts the least recently used values. Does not know what it holds. Open to all layers.

May be used from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """`limit` is a number of values, or a total size if `size_of` is given. Values are not None."""

    def __init__(self, limit: int, *, size_of: Callable[[V], int] = lambda value: 1) -> None:
        self._limit = limit
        self._size_of = size_of
        self._lock = threading.Lock()
        # The least recently used value comes first.
        self._values: OrderedDict[K, V] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        return self._size

    def get(self, key: K) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Keeps the new value even if it alone exceeds the limit: what is large took long to compute."""
        with self._lock:
            before = self._values.pop(key, None)
            self._size += self._size_of(value) - (0 if before is None else self._size_of(before))
            self._values[key] = value
            while self._size > self._limit and len(self._values) > 1:
                self._size -= self._size_of(self._values.popitem(last=False)[1])

    def values(self) -> list[V]:
        with self._lock:
            return list(self._values.values())

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._size = 0


class Computed:
    """Answers that are computed once and kept while they are among the last that were asked for. They are not None."""

    def __init__(self, limit: int) -> None:
        self._kept: LruCache[Hashable, Any] = LruCache(limit)
        # Taken again by what an answer itself asks for.
        self._computing = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        with self._computing:
            found: Any = self._kept.get(key)
            if found is None:
                found = make()
                self._kept.put(key, found)
            answer: V = found
            return answer

    def clear(self) -> None:
        self._kept.clear()
