"""Files of a run as contents that readers of formats take. Each read opens the asset and closes it."""

from __future__ import annotations

from typing import Any

from runglass.query.source import DataSource
from runglass.store.model import Asset


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
