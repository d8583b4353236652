"""Files with arrays by name: which format a file has, what is in it, and one of its arrays as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from runglass.query.embeddings.formats.checkpoint_v2 import INDEX_ENDING, CheckpointV2
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.numbers import Variable
from runglass.query.embeddings.model import EmbeddingDamaged, Matrix


class Arrays(Protocol):
    """The arrays of one file, or of one checkpoint."""

    @property
    def variables(self) -> Sequence[Variable]: ...

    def matrix(self, name: str) -> Matrix:
        """Raises EmbeddingUnknown if there is none of this name, EmbeddingDamaged if it is no matrix of numbers."""
        ...


def open_arrays(content: Content, shards: Mapping[int, Content]) -> Arrays:
    """Its first or last bytes decide what a file is. `shards` of a checkpoint, by number."""
    if content.name.endswith(INDEX_ENDING):
        return CheckpointV2(content, shards)
    raise EmbeddingDamaged(
        f"{content.name} is no checkpoint of a format that can be read.", where=content.name
    )
