"""Pictures of the run's own logs as thumbnails: where a column of labels names tags of images, each row has the picture of its tag.

A cell is a tag, or "tag#2" for the third picture of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runglass.errors import BadArgument, RunglassError
from runglass.lru import LruCache
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.model import Column, Int32, Metadata, Pixels
from runglass.query.embeddings.sprites import decode_picture, fit
from runglass.query.source import DataSource
from runglass.store.model import Image, Kind, SeriesKey

# Decoded pictures that are kept.
KEPT_BYTES = 64 << 20
# Of the names in a column, those that must be tags.
SMALLEST_SHARE = 0.5


def find_pictures(
    source: DataSource, run: str, step: int | None, metadata: Metadata
) -> LoggedPictures | None:
    """None if no column names tags of images."""
    if not metadata.columns:
        return None
    tags = {info.key.tag for info in source.list_series(run=run, kind=Kind.IMAGE)}
    if not tags:
        return None
    for column in metadata.columns.values():
        named = sum(split_cell(level, tags) is not None for level in column.levels)
        if named and named >= SMALLEST_SHARE * len(column.levels):
            return LoggedPictures(source, run, step, column, tags)
    return None


def split_cell(cell: str, tags: set[str]) -> tuple[str, int] | None:
    """The tag and the number of a picture in its batch; None if this is no tag of the run."""
    if cell in tags:
        return cell, 0
    tag, _, number = cell.rpartition("#")
    return (tag, int(number)) if tag in tags and number.isdecimal() else None


class LoggedPictures:
    """See `model.Sprite`."""

    def __init__(
        self, source: DataSource, run: str, step: int | None, column: Column, tags: set[str]
    ) -> None:
        self._source = source
        self._run = run
        self._step = step
        self._column = column
        self._tags = tags
        self._decoded: LruCache[str, Pixels] = LruCache(KEPT_BYTES, size_of=lambda pixels: pixels.nbytes)
        self.count = len(column)
        self.problems: tuple[str, ...] = ()
        first = next((row for row in range(len(column)) if self._load(row) is not None), None)
        example = self._load(first) if first is not None else None
        # The others may be of another size.
        self.height, self.width = example.shape[:2] if example is not None else (1, 1)
        missing = sum(split_cell(level, tags) is None for level in column.levels)
        if missing:
            self.problems = (f"{missing:,} values of the column {column.name!r} name no images of the run.",)

    @property
    def tile(self) -> tuple[int, int]:
        return self.width, self.height

    def tiles(self, rows: Sequence[int] | Int32, size: int) -> Pixels:
        out = np.zeros((len(rows), size, size, 4), np.uint8)
        for at, row in enumerate(rows):
            pixels = self._load(int(row))
            if pixels is not None:
                out[at] = fit(pixels[None], size)[0]
        return out

    def picture(self, row: int) -> Pixels:
        pixels = self._load(row)
        if pixels is None:
            raise BadArgument(f"Row {row} has no picture.", where=str(row))
        return pixels

    def image(self) -> Pixels:
        raise BadArgument("The pictures of this embedding are logged one by one; there is no sprite.")

    def data(self) -> bytes:
        raise BadArgument("The pictures of this embedding are logged one by one; there is no sprite.")

    def _load(self, row: int) -> Pixels | None:
        cell = self._column.value(row) if 0 <= row < self.count else None
        named = split_cell(cell, self._tags) if cell is not None else None
        if cell is None or named is None:
            return None
        found = self._decoded.get(cell)
        if found is None:
            try:
                found = self._decode(*named)
            except (RunglassError, IndexError):
                return None
            self._decoded.put(cell, found)
        return found

    def _decode(self, tag: str, number: int) -> Pixels:
        """The picture at the embedding's step, or else the last one before it."""
        values = self._source.read_values(SeriesKey(self._run, tag), kind=Kind.IMAGE)
        index = len(values.step) - 1
        if self._step is not None:
            before = np.flatnonzero(values.step <= self._step)
            index = int(before[-1]) if len(before) else 0
        images: list[Image] = self._source.load_value(values, index)
        return decode_picture(BytesContent(tag, images[number].data))
