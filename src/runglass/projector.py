"""Embeddings for the projector: `log_embedding` in one call, or a config as in tensorboard.plugins.projector."""

from __future__ import annotations

from runglass.writer.calls.projector import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    log_embedding,
    visualize_embeddings,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "log_embedding", "visualize_embeddings"]
