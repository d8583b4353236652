"""Caches for what is kept between requests: by version, by most recent use, and per source.

Do not know what they hold. All may be used from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from runglass.query.source import DataSource

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Versioned(Generic[K, V]):
    """One value per key, made again when the version of the key changes. A version is a generation, or any other value."""

    def __init__(self) -> None:
        self._entries: dict[K, tuple[object, V]] = {}

    def read(self, key: K, version: object, make: Callable[[], V]) -> V:
        """Two threads that miss at the same time both make the value; the last one is kept."""
        entry = self._entries.get(key)
        if entry is None or entry[0] != version:
            entry = self._entries[key] = version, make()
        return entry[1]

    def forget_all_but(self, keys: set[K]) -> None:
        for key in self._entries.keys() - keys:
            del self._entries[key]


class MostRecent(Generic[K, V]):
    """A least-recently-used cache. `limit` is a number of values, or a total size if `size_of` is given."""

    def __init__(self, limit: int, *, size_of: Callable[[V], int] = lambda value: 1) -> None:
        self._limit = limit
        self._size_of = size_of
        self._lock = threading.Lock()
        # The least recently used value comes first.
        self._values: OrderedDict[K, V] = OrderedDict()
        self._size = 0

    def get(self, key: K) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        """Keeps the new value even if it alone exceeds the limit."""
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


class PerSource(Generic[V]):
    """One value per source, freed with it. For dashboards: their routes are constants, which outlive every source."""

    def __init__(self, make: Callable[[], V]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._values: WeakKeyDictionary[DataSource, V] = WeakKeyDictionary()

    def of(self, source: DataSource) -> V:
        with self._lock:
            value = self._values.get(source)
            if value is None:
                value = self._values[source] = self._make()
            return value
