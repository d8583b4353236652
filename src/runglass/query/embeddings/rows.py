"""An embedding for code: vectors as an array, labels as lists, the sprite as a picture. Adds nothing to what the files say."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from runglass.query.embeddings.inline import show_inline
from runglass.query.embeddings.listing import list_embeddings, steps_of
from runglass.query.embeddings.model import Embedding, EmbeddingUnknown, Float32, Pixels, Sprite
from runglass.query.embeddings.read import find_entries, pick_step, read_entry
from runglass.query.source import DataSource


class LogSprite:
    """The picture with a tile for every row."""

    def __init__(self, sprite: Sprite) -> None:
        self._sprite = sprite

    def __repr__(self) -> str:
        width, height = self.tile
        return f"<sprite of {self.width} × {self.height} pixels, tiles of {width} × {height}>"

    @property
    def data(self) -> bytes:
        """The file as it was logged."""
        return self._sprite.data()

    @property
    def width(self) -> int:
        return self._sprite.width

    @property
    def height(self) -> int:
        return self._sprite.height

    @property
    def tile(self) -> tuple[int, int]:
        """Width and height of a tile."""
        return self._sprite.tile

    @property
    def pixels(self) -> Pixels:
        """The whole picture, RGBA of shape (height, width, 4)."""
        return self._sprite.image()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.pixels, dtype=dtype)

    def __getitem__(self, row: int) -> Pixels:
        """The picture of a row, RGBA of the size of a tile."""
        return self._sprite.picture(row)


class LogEmbedding:
    """An embedding of a run at one step: `vectors`, `metadata`, `sprite`. The last line of a notebook's cell shows its points.

    >>> words = log.embedding("train", "words")
    >>> words.vectors[0], words.metadata["label"][0]
    """

    def __init__(
        self, embedding: Embedding, name: str, step: int | None = None, steps: tuple[int, ...] = ()
    ) -> None:
        self.name = name
        # None if the files do not tell.
        self.step = step
        # All steps at which there are vectors.
        self.steps = steps
        # The same in parts, for what does not fit into memory: `embedding.source.vectors(start, stop)`.
        self.source = embedding

    def __repr__(self) -> str:
        rows, dimensions = self.shape
        return f"<embedding {self.name!r} of {rows:,} × {dimensions:,}>"

    def _repr_html_(self) -> str:
        return show_inline(self.source, self.name)

    def __len__(self) -> int:
        return self.source.rows

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions.

        >>> words.shape
        """
        return self.source.rows, self.source.dimensions

    @cached_property
    def vectors(self) -> Float32:
        """All vectors, float32 of shape (rows, dimensions). Rows with NaN or infinities are there too."""
        return self.source.vectors()

    @cached_property
    def metadata(self) -> dict[str, list[str | None]]:
        """Of every column the texts of all rows, None where a cell is empty. A single column without a name is "label"."""
        return {name: column.values for name, column in self.source.metadata.columns.items()}

    @cached_property
    def sprite(self) -> LogSprite | None:
        return LogSprite(self.source.sprite) if self.source.sprite is not None else None

    @property
    def problems(self) -> tuple[str, ...]:
        """What does not fit, in sentences: labels of another number, a sprite of the wrong size.

        >>> words.problems
        """
        return self.source.problems


def read_log_embedding(
    source: DataSource, run: str, name: str | None = None, step: int | None = None
) -> LogEmbedding:
    """Without a name, the first of the listing."""
    if name is None:
        listed = list_embeddings(source, run)
        if not listed:
            raise EmbeddingUnknown(f"Run {run!r} has no embedding.", where=run)
        name = listed[0].name
    entries, wanted = find_entries(source, run, name, step)
    entry = pick_step(entries, wanted)
    return LogEmbedding(read_entry(source, entry), entry.name, entry.step, steps_of(entries))
