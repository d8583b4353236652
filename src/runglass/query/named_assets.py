"""Finds assets that other assets name: the vectors and checkpoints of projector configurations, in any source.

Reads configurations, but not the files that they name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runglass.errors import RunglassError
from runglass.native.wire import Message
from runglass.query.kept import Kept
from runglass.query.source import DataSource
from runglass.schema.projector import (
    CHECKPOINT_STATE,
    CHECKPOINT_STATE_FILE,
    PROJECTOR_CONFIG,
    named_files,
)
from runglass.schema.text_proto import TextProtoError, parse_text
from runglass.store.model import Asset, Family

NAMED_FAMILIES = frozenset({Family.CHECKPOINT, Family.VECTORS})
# A configuration has a few hundred bytes per embedding.
MAX_CONFIG_BYTES = 8 << 20

# A config with a thousand steps takes a while to parse, and every step that is read needs it.
_configs: Kept[dict[str, Any]] = Kept(64)


def choose_assets(source: DataSource, assets: list[Asset], *, family: Family | None) -> list[Asset]:
    """Select the assets of a family, including those that other assets name, sorted by run and name.

    Leaves out what does not exist or cannot be read.
    """
    found = {
        (each.run, each.name): each
        for each in assets
        if each.family is family or (family is None and each.family is not Family.CHECKPOINT)
    }
    if family in NAMED_FAMILIES:
        for each in _find_named(source, assets, family):
            found.setdefault((each.run, each.name), each)
    return [found[key] for key in sorted(found)]


def _find_named(source: DataSource, assets: Iterable[Asset], family: Family) -> Iterator[Asset]:
    for asset in assets:
        if asset.family is Family.PROJECTOR:
            for named_family, path in named_files(_parse(source, asset, PROJECTOR_CONFIG)):
                if named_family is family:
                    yield from _find(source, asset, path, family)


def _find(source: DataSource, asset: Asset, path: str, family: Family) -> Iterator[Asset]:
    try:
        found = source.find_assets(asset, path, family=family)
    except RunglassError:
        return
    for each in found:
        yield each
        if path == CHECKPOINT_STATE_FILE and family is Family.CHECKPOINT:
            newest = _parse(source, each, CHECKPOINT_STATE).get("model_checkpoint_path")
            if newest and newest != path:
                yield from _find(source, each, newest, family)


def _parse(source: DataSource, asset: Asset, message: Message) -> dict[str, Any]:
    try:
        return parse_config(source, asset, message)
    except (RunglassError, TextProtoError):
        return {}


def parse_config(source: DataSource, asset: Asset, message: Message) -> dict[str, Any]:
    """An asset that is a text proto. Raises TextProtoError, or why the asset cannot be read. Do not change what it returns."""

    def parse() -> dict[str, Any]:
        with source.open_asset(asset) as reader:
            text = reader.read(0, MAX_CONFIG_BYTES).decode("utf-8", "replace")
        return parse_text(message, text)

    return _configs.read(source, asset, message.name, parse)
