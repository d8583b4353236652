"""Embeddings as files beside the event files of a run: vectors, labels and pictures, and the config that lists them.

Does not know what shows them. Nothing here goes into an event file.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from runglass.errors import BadArgument
from runglass.schema.projector import PROJECTOR_CONFIG, PROJECTOR_FILE
from runglass.schema.text_proto import TextProtoError, format_text, parse_text
from runglass.writer.files.folders import Folder, open_folder
from runglass.writer.values.arrays import check_folder, to_numpy, to_step
from runglass.writer.values.embedding_files import (
    as_vectors,
    encode_metadata,
    encode_sprite,
    encode_vectors,
    make_tiles,
)

# Held while the config is read, changed and written.
config_lock = threading.Lock()


class SpriteMetadata(msgspec.Struct):
    """One picture with a tile for every vector.

    >>> SpriteMetadata(image_path="sprite.png", single_image_dim=[28, 28])
    """

    image_path: str = ""
    # Width and height of one tile.
    single_image_dim: list[int] = []


class EmbeddingInfo(msgspec.Struct):
    """Paths are relative to the directory of the config.

    >>> EmbeddingInfo(tensor_name="words", metadata_path="words.tsv")
    """

    tensor_name: str = ""
    metadata_path: str = ""
    bookmarks_path: str = ""
    tensor_shape: list[int] = []
    sprite: SpriteMetadata = msgspec.field(default_factory=SpriteMetadata)
    tensor_path: str = ""


class Embeddings(list[EmbeddingInfo]):
    def add(self, **fields: Any) -> EmbeddingInfo:
        """Append an entry and return it, so that the caller can fill it in; as in TensorBoard's config."""
        info = EmbeddingInfo(**fields)
        self.append(info)
        return info


class ProjectorConfig(msgspec.Struct):
    """What the projector shows of a directory: its embeddings, and the checkpoint they are in, if they are in one.

    >>> config = ProjectorConfig()
    >>> config.embeddings.add(tensor_name="words", tensor_path="vectors.tsv", metadata_path="words.tsv")
    """

    model_checkpoint_path: str = ""
    embeddings: Embeddings = msgspec.field(default_factory=Embeddings)
    model_checkpoint_dir: str = ""


def visualize_embeddings(logdir: Any, config: ProjectorConfig) -> None:
    """Write `config` to `logdir`, a path or a writer, in place of any other config.

    >>> projector.visualize_embeddings("logs/train", config)
    """
    directory = logdir.get_logdir() if hasattr(logdir, "get_logdir") else logdir
    if not isinstance(directory, str | os.PathLike):
        raise BadArgument(f"logdir needs a path, got {directory!r}.", where="logdir")
    with config_lock:
        write_config(open_folder(directory), config)


def log_embedding(
    logdir: str | os.PathLike[str],
    vectors: object,
    metadata: Iterable[Any] | None = None,
    images: object | None = None,
    *,
    name: str = "default",
    step: int = 0,
    metadata_header: Sequence[str] | None = None,
    metadata_path: str | None = None,
) -> None:
    """Everything that the projector needs, in one call: one vector per point, with optional labels and pictures.

    `vectors` has the shape (points, dimensions) and is stored as float32. `metadata` has one label per point, or a row of
    several, whose names are in `metadata_header`; `metadata_path` names an existing file below `logdir` instead. `images`
    has the shape (points, height, width[, channels]), uint8 or float from 0 to 1. A second call with the same name and
    step replaces the first; other entries of the config stay.

    >>> projector.log_embedding("logs/train", vectors, name="words", metadata=words)
    """
    points = as_vectors(vectors)
    step = to_step(step)
    folder = f"{step:05d}/{encode_name(name)}"
    check_folder(folder, "The name of an embedding", "name")
    info = EmbeddingInfo(
        tensor_name=f"{name}:{step:05d}",
        tensor_path=f"{folder}/tensors.tsv",
        tensor_shape=list(points.shape),
        metadata_path=metadata_path or "",
    )
    files: dict[str, Iterable[bytes]] = {info.tensor_path: encode_vectors(points)}
    if metadata is not None:
        info.metadata_path = f"{folder}/metadata.tsv"
        files[info.metadata_path] = [encode_metadata(metadata, metadata_header, len(points))]
    if images is not None:
        tiles = make_tiles(images, len(points))
        info.sprite = SpriteMetadata(f"{folder}/sprite.png", [tiles.shape[2], tiles.shape[1]])
        files[info.sprite.image_path] = [encode_sprite(tiles)]
    place = open_folder(logdir)
    for path, pieces in files.items():
        place.write(path, pieces)
    # Last, so that it never names a file that does not exist.
    with config_lock:
        config = load_config(place)
        others = (each for each in config.embeddings if each.tensor_name != info.tensor_name)
        config.embeddings = Embeddings([*others, info])
        write_config(place, config)


def add_embedding(
    logdir: str | os.PathLike[str],
    mat: object,
    metadata: Iterable[Any] | None = None,
    label_img: object | None = None,
    global_step: int | None = None,
    tag: str = "default",
    metadata_header: Sequence[str] | None = None,
) -> None:
    """`log_embedding` for SummaryWriter: pictures are (points, channels, height, width), and an error of the disk only
    warns."""
    images = None
    if label_img is not None:
        images = to_numpy(label_img, "label_img")
        if images.ndim != 4:
            raise BadArgument(
                f"label_img needs the shape (points, channels, height, width), got {images.shape}.",
                where="label_img",
            )
        images = np.moveaxis(images, 1, 3)
    try:
        log_embedding(
            logdir,
            mat,
            metadata,
            images,
            name=tag,
            step=to_step(global_step),
            metadata_header=metadata_header,
        )
    except BadArgument as error:
        name = {"vectors": "mat", "images": "label_img", "name": "tag"}.get(error.where or "")
        if name is None:
            raise
        raise BadArgument(error.message.replace(error.where or "", name, 1), where=name) from None
    except OSError as error:
        warnings.warn(f"The embedding {tag!r} could not be written: {error}", RuntimeWarning, stacklevel=3)


def encode_name(name: str) -> str:
    """A name as one folder, encoded as in PyTorch; also names that would lead out of their folder, such as ".."."""
    folder = name.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c").replace("\0", "%00")
    return folder if folder.strip(".") else folder.replace(".", "%2e") or "%"


def load_config(place: Folder) -> ProjectorConfig:
    """The config of a directory, empty if there is none. Like readers, it keeps the last of several entries with one name."""
    content = place.read(PROJECTOR_FILE)
    if content is None:
        return ProjectorConfig()
    try:
        values = parse_text(PROJECTOR_CONFIG, content.decode("utf-8", "replace"))
    except TextProtoError as error:
        aside = f"{PROJECTOR_FILE}.unreadable"
        place.rename(PROJECTOR_FILE, aside)
        warnings.warn(f"{PROJECTOR_FILE}, {error} It is kept as {aside}.", RuntimeWarning, stacklevel=3)
        return ProjectorConfig()
    infos = msgspec.convert(values.pop("embeddings", []), list[EmbeddingInfo])
    by_name = {info.tensor_name or id(info): info for info in infos}
    return ProjectorConfig(**values, embeddings=Embeddings(by_name.values()))


def write_config(place: Folder, config: ProjectorConfig) -> None:
    """`config` may be TensorBoard's own message: this reads only attributes that both have."""
    values = {
        **filled(config, "model_checkpoint_path", "model_checkpoint_dir"),
        "embeddings": [
            {
                **filled(
                    info, "tensor_name", "metadata_path", "bookmarks_path", "tensor_shape", "tensor_path"
                ),
                **(
                    {"sprite": sprite}
                    if (sprite := filled(info.sprite, "image_path", "single_image_dim"))
                    else {}
                ),
            }
            for info in config.embeddings
        ],
    }
    place.write(PROJECTOR_FILE, [format_text(PROJECTOR_CONFIG, values).encode()])


def filled(message: object, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(message, name))}
