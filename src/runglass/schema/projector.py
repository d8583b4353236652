"""The projector's configuration: which embeddings a run has and where their files lie. It is kept as a text proto."""

from __future__ import annotations

from runglass.native.wire import Field, Message

PROJECTOR_FILE = "projector_config.pbtxt"

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
