"""Which embeddings there are: those that projector configs name, and matrices in checkpoints that no config names.

Reads configs and indexes of files, but no vectors, except that lines of small text files are counted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from runglass.errors import RunglassError
from runglass.query.embeddings.checkpoints import (
    Checkpoint,
    find_checkpoints,
    find_latest,
    group,
    is_optimizer,
    open_checkpoint,
    series,
)
from runglass.query.embeddings.files import AssetContent
from runglass.query.embeddings.formats.numbers import Variable
from runglass.query.embeddings.formats.vectors import Shape, find_shape
from runglass.query.embeddings.model import EmbeddingInfo
from runglass.query.kept import Kept
from runglass.query.named_assets import parse_config
from runglass.query.source import DataSource
from runglass.schema.projector import CHECKPOINT_STATE_FILE, PROJECTOR_CONFIG
from runglass.schema.text_proto import TextProtoError
from runglass.store.model import Asset, Family

# PyTorch's names, and those of all who write as it does: "name:00005" is "name" at step 5.
STEP_NAME = re.compile(r"(.*):(\d{5,})", re.DOTALL)
# What Keras' callback writes, and where.
KERAS_PREFIXES = ("keras_embedding.ckpt", "train/keras_embedding.ckpt")
KERAS_NAME = "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"
# An embedding layer in a file of weights, and in a checkpoint.
KERAS_LAYER = re.compile(
    r"^(?!optimizer/).*embedding[^/]*/(vars/0|.*embeddings(:0)?|embeddings/\.ATTRIBUTES/VARIABLE_VALUE)$|/embeddings/\.ATTRIBUTES/VARIABLE_VALUE$"
)
NUMBERS = re.compile(r"(\d+)")
# Longer names are no layer's, and would keep the pattern busy.
MAX_LAYER_NAME = 1000
PLUGIN_FOLDER = "plugins/org_tensorflow_tensorboard_projector"
# TensorFlow's own names of variables: "embedding" is stored as "embedding/.ATTRIBUTES/VARIABLE_VALUE".
ATTRIBUTES = "/.ATTRIBUTES/VARIABLE_VALUE"

_shapes: Kept[Shape] = Kept(4096)


class Picture(NamedTuple):
    path: str
    # Width and height of a tile; None if the config does not tell.
    tile: tuple[int, int] | None


class Entry(Struct, frozen=True):
    """One embedding at one step: where everything of it is. Paths are as written in `config`."""

    run: str
    name: str
    step: int | None
    # What paths are relative to; None if no config names it.
    config: Asset | None = None
    # A file with vectors, or else a checkpoint and the variable in it.
    path: str | None = None
    shape: tuple[int, ...] = ()
    checkpoint: Checkpoint | None = None
    variable: Variable | None = None
    metadata_path: str | None = None
    bookmarks_path: str | None = None
    sprite: Picture | None = None
    is_offered: bool = False
    problem: str | None = None


def list_embeddings(source: DataSource, run: str | None = None) -> list[EmbeddingInfo]:
    """In the order of runs; of a run, those with metadata first, then those of a config, then the larger ones, then by name."""
    order = {each.name: number for number, each in enumerate(source.list_runs())}
    found = [describe(source, steps) for steps in list_entries(source, run)]

    def rank(info: EmbeddingInfo) -> tuple[object, ...]:
        # Of an unknown size are only large ones.
        size = float("inf") if info.rows is None else info.rows * (info.dimensions or 1)
        return (order.get(info.run, len(order)), not info.has_metadata, info.is_offered, -size, info.name)

    return sorted(found, key=rank)


def list_entries(source: DataSource, run: str | None = None) -> list[list[Entry]]:
    """Every embedding, as its entries by step."""
    configs, checkpoints = (
        _by_run(source.list_assets(run=run, family=family))
        for family in (Family.PROJECTOR, Family.CHECKPOINT)
    )
    return [
        entries
        for each in sorted({*configs, *checkpoints})
        for entries in _list_run(source, each, configs.get(each, []), checkpoints.get(each, []))
    ]


def _by_run(assets: Iterable[Asset]) -> dict[str, list[Asset]]:
    found: dict[str, list[Asset]] = {}
    for asset in assets:
        found.setdefault(asset.run, []).append(asset)
    return found


def _list_run(
    source: DataSource, run: str, configs: list[Asset], checkpoints: list[Asset]
) -> list[list[Entry]]:
    by_name: dict[str, dict[int | None, Entry]] = {}
    used: set[str] = set()

    def put(entry: Entry) -> None:
        steps = by_name.setdefault(entry.name, {})
        # The last block of a config with a name wins, and what a config names wins over what is offered.
        if not entry.is_offered or entry.step not in steps:
            steps[entry.step] = entry

    # A config in the run's directory is read last, and so wins over one in the plugin's folder.
    for asset in sorted(configs, key=lambda each: -each.name.count("/")):
        for entry in _read_config(source, asset, used):
            put(entry)
    named = {name for name, steps in by_name.items() if any(not entry.is_offered for entry in steps.values())}
    for entry in _list_offered(source, run, checkpoints, used):
        if entry.name not in named:
            put(entry)
    return [_in_order(steps.values()) for steps in by_name.values()]


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: -1 if entry.step is None else entry.step)


def _read_config(source: DataSource, asset: Asset, used: set[str]) -> Iterator[Entry]:
    """The entries of a config. `used` collects the prefixes of the checkpoints that it means."""
    try:
        config = parse_config(source, asset, PROJECTOR_CONFIG)
    except TextProtoError as error:
        yield Entry(asset.run, asset.name, None, asset, problem=f"{asset.name}, {error}")
        return
    except RunglassError as error:
        yield Entry(asset.run, asset.name, None, asset, problem=error.message)
        return
    embeddings = config.get("embeddings", [])
    in_files = [each for each in embeddings if each.get("tensor_path")]
    others = [each for each in embeddings if not each.get("tensor_path")]
    for each in in_files:
        name = _config_name(each) or posixpath.basename(each["tensor_path"])
        name, step = split_step(name)
        shape = tuple(each.get("tensor_shape", ()))
        yield _entry(asset, each, name, step, path=each["tensor_path"], shape=shape)
    has_checkpoint = config.get("model_checkpoint_path") or config.get("model_checkpoint_dir")
    if not others and not has_checkpoint:
        return
    try:
        checkpoints = _find_checkpoints(source, asset, config)
    except RunglassError as error:
        for each in others:
            yield _entry(asset, each, _config_name(each) or asset.name, None, problem=error.message)
        return
    used.update(each.prefix for each in checkpoints)
    yield from _match(source, asset, others, checkpoints)


def _config_name(embedding: dict[str, Any]) -> str:
    name: str = embedding.get("tensor_name", "")
    return name.removesuffix(":0")


def split_step(name: str) -> tuple[str, int | None]:
    found = STEP_NAME.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, None)


def _entry(config: Asset, embedding: dict[str, Any], name: str, step: int | None, **fields: Any) -> Entry:
    sprite = embedding.get("sprite", {})
    tile = sprite.get("single_image_dim", [])
    return Entry(
        config.run,
        name,
        step,
        config,
        metadata_path=embedding.get("metadata_path") or None,
        bookmarks_path=embedding.get("bookmarks_path") or None,
        sprite=Picture(sprite["image_path"], _tile(tile)) if sprite.get("image_path") else None,
        **fields,
    )


def _tile(numbers: Sequence[int]) -> tuple[int, int] | None:
    """One number is meant for both sides."""
    if not numbers:
        return None
    return numbers[0], numbers[1 if len(numbers) > 1 else 0]


def _find_checkpoints(source: DataSource, asset: Asset, config: dict[str, Any]) -> list[Checkpoint]:
    """The checkpoints that a config means, by step. Raises if it names one that is not there."""
    if config.get("model_checkpoint_path"):
        return find_checkpoints(source, asset, config["model_checkpoint_path"], with_siblings=False)
    folders = [config["model_checkpoint_dir"]] if config.get("model_checkpoint_dir") else []
    folders.append("../.." if posixpath.dirname(asset.name) == PLUGIN_FOLDER else ".")
    problem: RunglassError | None = None
    for folder in folders:
        try:
            state = source.find_assets(
                asset, posixpath.join(folder, CHECKPOINT_STATE_FILE), family=Family.CHECKPOINT
            )[0]
        except RunglassError:
            continue
        latest = find_latest(source, state)
        if latest is not None:
            try:
                return find_checkpoints(source, state, latest, with_siblings=True)
            except RunglassError as error:
                problem = error
    for prefix in KERAS_PREFIXES:
        try:
            return find_checkpoints(source, asset, posixpath.join(folders[-1], prefix), with_siblings=True)
        except RunglassError:
            continue
    if problem is not None:
        raise problem
    found = group(source.list_assets(run=asset.run, family=Family.CHECKPOINT))
    return [_complete(source, each) for each in max(series(found), key=len, default=[])]


def _match(
    source: DataSource, asset: Asset, embeddings: list[dict[str, Any]], checkpoints: list[Checkpoint]
) -> Iterator[Entry]:
    """What a config names in its checkpoints, and the other matrices in them."""
    variables, problem = _list_variables(source, checkpoints)
    # As in TensorBoard, a first entry without a name is for all variables.
    for_all = embeddings[0] if embeddings and not _config_name(embeddings[0]) else None
    taken: set[str] = set()
    named: set[str] = set()
    for embedding in embeddings:
        name = _config_name(embedding)
        if not name:
            continue
        variable = _find_variable(variables, name, taken)
        if variable is None:
            yield _entry(
                asset, embedding, name, None, problem=problem or _tell_missing(name, checkpoints, variables)
            )
            continue
        if name in named and variable.name not in taken:
            # A second layer of Keras, under the name of the first.
            name = variable.name
        named.add(name)
        taken.add(variable.name)
        for checkpoint in checkpoints:
            yield _entry(asset, embedding, name, checkpoint.step, checkpoint=checkpoint, variable=variable)
    for variable in variables:
        if variable.name in taken or is_optimizer(variable.name):
            continue
        for checkpoint in checkpoints:
            entry = _entry(
                asset, for_all or {}, variable.name, checkpoint.step, checkpoint=checkpoint, variable=variable
            )
            yield entry if for_all else _offer(entry)
    if for_all and not variables:
        missing = problem or "There is no checkpoint with a matrix of numbers beside the config."
        yield _entry(asset, for_all, asset.name, None, problem=missing)


def _offer(entry: Entry) -> Entry:
    return Entry(
        entry.run,
        entry.name,
        entry.step,
        entry.config,
        checkpoint=entry.checkpoint,
        variable=entry.variable,
        is_offered=True,
    )


def _list_variables(source: DataSource, checkpoints: list[Checkpoint]) -> tuple[list[Variable], str | None]:
    """The matrices of the newest checkpoint; and why there are none, if it cannot be read."""
    if not checkpoints:
        return [], None
    try:
        found = open_checkpoint(source, checkpoints[-1]).variables
    except RunglassError as error:
        return [], error.message
    return [variable for variable in found if variable.is_matrix], None


def _find_variable(variables: list[Variable], name: str, taken: set[str]) -> Variable | None:
    by_name = {variable.name: variable for variable in variables}
    for each in (name, f"{name}{ATTRIBUTES}", name.removesuffix(ATTRIBUTES)):
        if each in by_name:
            return by_name[each]
    if name != KERAS_NAME:
        return None
    # Keras' callback writes this name for every embedding layer, whatever its checkpoints call them.
    layers = [each for each in variables if len(each.name) < MAX_LAYER_NAME and KERAS_LAYER.search(each.name)]
    layers.sort(key=lambda each: [int(part) if part.isdigit() else part for part in NUMBERS.split(each.name)])
    return next((each for each in layers if each.name not in taken), layers[-1] if layers else None)


def _tell_missing(name: str, checkpoints: list[Checkpoint], variables: list[Variable]) -> str:
    if not checkpoints:
        return f"There is no checkpoint beside the config that could have the variable {name!r}, and no tensor_path."
    known = ", ".join(repr(variable.name) for variable in variables[:5]) or "no matrix of numbers"
    return f"{checkpoints[-1].main.name} has no matrix {name!r}, only {known}."


def _list_offered(source: DataSource, run: str, assets: list[Asset], used: set[str]) -> Iterator[Entry]:
    """Matrices of checkpoints in the run's directory, whose files are `assets`."""
    found = group(assets)
    for state in assets:
        if posixpath.basename(state.name) == CHECKPOINT_STATE_FILE:
            latest = find_latest(source, state)
            if latest is not None:
                try:
                    found += find_checkpoints(source, state, latest, with_siblings=True)
                except RunglassError:
                    continue
    complete = {each.prefix: _complete(source, each) for each in found if each.prefix not in used}
    names: set[str] = set()
    for checkpoints in series(complete.values()):
        checkpoints.sort(key=lambda each: -1 if each.step is None else each.step)
        for variable in _list_variables(source, checkpoints)[0]:
            if is_optimizer(variable.name):
                continue
            name = variable.name
            if name in names:
                name = f"{posixpath.basename(checkpoints[-1].prefix)}/{name}"
            names.add(name)
            for checkpoint in checkpoints:
                yield Entry(
                    run, name, checkpoint.step, checkpoint=checkpoint, variable=variable, is_offered=True
                )


def _complete(source: DataSource, checkpoint: Checkpoint) -> Checkpoint:
    """With its shards, which a walk over the directory does not list."""
    try:
        path = posixpath.basename(checkpoint.prefix)
        found = find_checkpoints(source, checkpoint.main, path, with_siblings=False)
    except RunglassError:
        return checkpoint
    return next((each for each in found if each.main.name == checkpoint.main.name), checkpoint)


def describe(source: DataSource, entries: Sequence[Entry]) -> EmbeddingInfo:
    """The listing of one embedding, from its entries by step; sizes and files are those of the last."""
    entry = entries[-1]
    problem = entry.problem
    shape = Shape(None, None, "float32")
    assets: list[Asset] = []
    if problem is None:
        try:
            assets = entry_assets(source, entry)
            shape = _entry_shape(source, entry, assets)
        except RunglassError as error:
            problem = error.message
    has_metadata = entry.metadata_path is not None and _exists(source, entry, entry.metadata_path)
    return EmbeddingInfo(
        entry.run,
        entry.name,
        steps_of(entries),
        shape.rows,
        shape.dimensions,
        shape.dtype,
        tuple(each.name for each in assets),
        entry.metadata_path,
        has_metadata,
        entry.sprite is not None and _exists(source, entry, entry.sprite.path),
        entry.bookmarks_path is not None and _exists(source, entry, entry.bookmarks_path),
        entry.is_offered,
        problem,
        max((each.generation for each in assets), default=0),
    )


def steps_of(entries: Iterable[Entry]) -> tuple[int, ...]:
    return tuple(each.step for each in entries if each.step is not None)


def entry_assets(source: DataSource, entry: Entry) -> list[Asset]:
    """The files with its vectors. Raises if they are not there."""
    if entry.path is not None and entry.config is not None:
        return source.find_assets(entry.config, entry.path, family=Family.VECTORS)
    return list(entry.checkpoint.assets) if entry.checkpoint else []


def _entry_shape(source: DataSource, entry: Entry, assets: list[Asset]) -> Shape:
    if entry.variable is not None:
        rows, dimensions = entry.variable.shape
        return Shape(rows, dimensions, entry.variable.dtype)
    asset, more = assets[0], (entry.name, entry.shape)
    return _shapes.read(source, asset, more, lambda: find_shape(AssetContent(source, asset), *more))


def _exists(source: DataSource, entry: Entry, path: str) -> bool:
    try:
        return entry.config is not None and bool(
            source.find_assets(entry.config, path, family=Family.VECTORS)
        )
    except RunglassError:
        return False
