"""What was made of assets, kept until they change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from runglass.lru import LruCache
from runglass.query.source import DataSource
from runglass.store.model import Asset

V = TypeVar("V")


class Kept(Generic[V]):
    """What was made of an asset, kept until the asset changes; freed with its source. Values must not hold the source."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._by_source: WeakKeyDictionary[DataSource, LruCache[Hashable, V]] = WeakKeyDictionary()

    def read(self, source: DataSource, asset: Asset, more: Hashable, make: Callable[[], V]) -> V:
        """`more`: what else the value depends on."""
        with self._lock:
            cache = self._by_source.setdefault(source, LruCache(self._limit))
        key = (asset.run, asset.name, asset.generation, more)
        found = cache.get(key)
        if found is None:
            found = make()
            cache.put(key, found)
        return found
