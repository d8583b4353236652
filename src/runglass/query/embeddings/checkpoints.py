"""Checkpoints of a run: which there are, their steps, and the arrays in them. Does not know what a config says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from runglass.errors import RunglassError
from runglass.lru import LruCache
from runglass.query.embeddings.files import AssetContent
from runglass.query.embeddings.formats.arrays import Arrays, open_checkpoint_files
from runglass.query.embeddings.formats.checkpoint_v2 import INDEX_ENDING, shard_number
from runglass.query.named_assets import parse_config
from runglass.query.source import DataSource
from runglass.schema.projector import CHECKPOINT_STATE, CHECKPOINT_STATE_FILE
from runglass.schema.text_proto import TextProtoError
from runglass.store.model import Asset, Family

SAFETENSORS = ".safetensors"
ENDINGS = (INDEX_ENDING, ".weights.h5", ".h5", SAFETENSORS)
STEP = re.compile(r"-(\d+)$")
# Shards of the first version of TensorFlow's checkpoints, whose files have no ending; and of safetensors, before the ending.
WHOLE_SHARD = re.compile(r"-\d{5}-of-(\d{5})$")
# How a state file names all of them.
ANY_SHARD = re.compile(r"-\?{5}-of-\d{5}$")
# Variables of optimizers have the shape of the weights they belong to, and are no embeddings.
OPTIMIZER = re.compile(
    # Of the optimizer's own list, the variables that it trains are those of the model.
    r"\.OPTIMIZER_SLOT|(^|/)_?optimizer(_weights)?/(?!_trainable_variables/)"
    r"|/(Adam|Adam_1|Momentum|Adagrad|Adadelta|Adadelta_1|AdaMax|AdaMax_1|RMSProp|RMSProp_1|Ftrl|Ftrl_1|LARSOptimizer)$"
)

# By the source and the files with their generations. They hold their source, so they are few.
_opened: LruCache[tuple[object, ...], Arrays] = LruCache(16)


class Checkpoint(NamedTuple):
    """The files of one checkpoint."""

    # What the names of its files begin with, below the run's directory.
    prefix: str
    step: int | None
    assets: tuple[Asset, ...]

    @property
    def main(self) -> Asset:
        """The file that tells of the others."""
        return next((each for each in self.assets if each.name.endswith(INDEX_ENDING)), self.assets[0])


def open_checkpoint(source: DataSource, checkpoint: Checkpoint) -> Arrays:
    """The arrays of a checkpoint, kept until its files change."""
    files = tuple((each.name, each.generation) for each in checkpoint.assets)
    key = (source, checkpoint.main.run, files)
    found = _opened.get(key)
    if found is None:
        shards = {
            number: AssetContent(source, each)
            for each in checkpoint.assets
            if (number := shard_number(each.name)) is not None
        }
        others = [
            each for each in checkpoint.assets if shard_number(each.name) is None and each != checkpoint.main
        ]
        files_of = [AssetContent(source, each) for each in (checkpoint.main, *others)]
        found = open_checkpoint_files(files_of, shards)
        _opened.put(key, found)
    return found


def is_optimizer(name: str) -> bool:
    return OPTIMIZER.search(name) is not None


def find_latest(source: DataSource, state: Asset) -> str | None:
    """What a state file beside checkpoints names as the newest."""
    try:
        found = parse_config(source, state, CHECKPOINT_STATE).get("model_checkpoint_path")
    except (RunglassError, TextProtoError):
        return None
    return found if isinstance(found, str) and found else None


def find_checkpoints(
    source: DataSource, anchor: Asset, path: str, *, with_siblings: bool
) -> list[Checkpoint]:
    """The checkpoint of this name, as written in `anchor`; or all that differ from it only in their step, by step.

    A log directory that was copied names checkpoints by paths that are no longer there: those are looked for beside `anchor`.
    """
    path = ANY_SHARD.sub("", path)
    beside = path.replace("\\", "/").rpartition("/")[2]
    for each in dict.fromkeys((path, beside)):
        wanted = STEP.sub("", each) if with_siblings else each
        try:
            assets = source.find_assets(anchor, wanted, family=Family.CHECKPOINT)
        except RunglassError as error:
            problem = error
            continue
        found = group(assets)
        if with_siblings:
            numbered = [checkpoint for checkpoint in found if checkpoint.step is not None]
            return numbered if STEP.search(each) and numbered else found
        return [checkpoint for checkpoint in found if checkpoint.prefix.endswith(beside)] or found
    raise problem


def group(assets: Iterable[Asset]) -> list[Checkpoint]:
    """Checkpoints of these files, by prefix and step."""
    files: dict[tuple[str, str], list[Asset]] = {}
    for asset in assets:
        if asset.name.rpartition("/")[2] != CHECKPOINT_STATE_FILE:
            files.setdefault(split_name(asset.name), []).append(asset)
    found = [
        Checkpoint(prefix, step_of(prefix), tuple(each))
        for (prefix, _), each in files.items()
        # Shards alone tell nothing.
        if any(shard_number(asset.name) is None for asset in each)
    ]
    return sorted(found, key=lambda each: (STEP.sub("", each.prefix), -1 if each.step is None else each.step))


def series(checkpoints: Iterable[Checkpoint]) -> Iterator[list[Checkpoint]]:
    """Those that differ only in their step, together."""
    found: dict[tuple[str, str], list[Checkpoint]] = {}
    for each in checkpoints:
        prefix, ending = split_name(each.main.name)
        found.setdefault((STEP.sub("", prefix), ending), []).append(each)
    yield from found.values()


def split_name(name: str) -> tuple[str, str]:
    """What the files of one checkpoint have in common: the prefix of their names, and the ending of the main file's."""
    if shard_number(name) is not None:
        return name[: name.rindex(".data-")], INDEX_ENDING
    for ending in ENDINGS:
        if name.endswith(ending):
            prefix = name.removesuffix(ending)
            return WHOLE_SHARD.sub("", prefix) if ending == SAFETENSORS else prefix, ending
    return WHOLE_SHARD.sub("", name), ""


def step_of(prefix: str) -> int | None:
    found = STEP.search(prefix)
    return int(found[1]) if found else None
