"""Caches for what is kept between requests: by version, and per source.

Do not know what they hold. Both may be used from several threads.
"""

from __future__ import annotations

import threading
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

    def find(self, key: K, version: object) -> V | None:
        """The value, if there is one of this version."""
        entry = self._entries.get(key)
        return None if entry is None or entry[0] != version else entry[1]

    def read(self, key: K, version: object, make: Callable[[], V]) -> V:
        """Two threads that miss at the same time both make the value; the last one is kept."""
        entry = self._entries.get(key)
        if entry is None or entry[0] != version:
            entry = self._entries[key] = version, make()
        return entry[1]

    def forget_all_but(self, keys: set[K]) -> None:
        for key in self._entries.keys() - keys:
            del self._entries[key]


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
