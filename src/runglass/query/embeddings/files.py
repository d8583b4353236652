"""Files of a run as contents that readers of formats take. Each read opens the asset and closes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from runglass.lru import LruCache
from runglass.query.source import DataSource
from runglass.store.model import Asset

# A config has a few hundred bytes per embedding, a file of bookmarks some megabytes.
MAX_CONFIG_BYTES = 8 << 20
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


class AssetContent:
    def __init__(self, source: DataSource, asset: Asset) -> None:
        self._source = source
        self.asset = asset

    @property
    def name(self) -> str:
        return self.asset.name

    @property
    def size(self) -> int:
        return self.asset.size_bytes

    def read(self, offset: int, count: int) -> bytes:
        # A reader is for one thread, and an embedding is read by several.
        with self._source.open_asset(self.asset) as reader:
            return reader.read(offset, count)


def identity_of(assets: list[Asset]) -> list[list[Any]]:
    """Equal ones mean equal bytes, in later processes too."""
    return [[each.run, each.name, each.size_bytes, each.modified_time] for each in assets]


def read_config(source: DataSource, asset: Asset) -> str:
    return AssetContent(source, asset).read(0, MAX_CONFIG_BYTES).decode("utf-8", "replace")
