"""The configuration of the projector: the embeddings of a run and their files. It is stored as a text proto."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runglass.native.wire import Field, Message
from runglass.store.model import Family

PROJECTOR_FILE = "projector_config.pbtxt"
# Beside checkpoints: which of them is the newest.
CHECKPOINT_STATE_FILE = "checkpoint"

SPRITE = Message(
    "SpriteMetadata",
    Field(1, "image_path", "string"),
    # Width and height of one tile.
    Field(2, "single_image_dim", "uint32", repeated=True),
)
EMBEDDING = Message(
    "EmbeddingInfo",
    Field(1, "tensor_name", "string"),
    Field(2, "metadata_path", "string"),
    Field(3, "bookmarks_path", "string"),
    Field(4, "tensor_shape", "uint32", repeated=True),
    Field(5, "sprite", SPRITE),
    Field(6, "tensor_path", "string"),
)
PROJECTOR_CONFIG = Message(
    "ProjectorConfig",
    Field(1, "model_checkpoint_path", "string"),
    Field(2, "embeddings", EMBEDDING, repeated=True),
    Field(3, "model_checkpoint_dir", "string"),
)
CHECKPOINT_STATE = Message("CheckpointState", Field(1, "model_checkpoint_path", "string"))


def named_files(config: dict[str, Any]) -> Iterator[tuple[Family, str]]:
    """What a projector configuration names, in its own words: relative to its folder, or absolute.

    A checkpoint is named by what its files begin with. Vectors without a file are in the newest checkpoint, which the state
    file beside the configuration names.
    """
    for embedding in config.get("embeddings", ()):
        paths = [embedding.get(name) for name in ("tensor_path", "metadata_path", "bookmarks_path")]
        for path in (*paths, embedding.get("sprite", {}).get("image_path")):
            if path:
                yield Family.VECTORS, path
    if config.get("model_checkpoint_path"):
        yield Family.CHECKPOINT, config["model_checkpoint_path"]
    elif not all(embedding.get("tensor_path") for embedding in config.get("embeddings", ())):
        yield Family.CHECKPOINT, CHECKPOINT_STATE_FILE
