"""HDF5 datasets in chunks: where the chunks are, and their numbers. Reads and decompresses only the chunks of the rows asked for."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runglass.query.embeddings.formats.hdf5_bytes import Cursor, Hdf5Bytes
from runglass.query.embeddings.formats.hdf5_groups import tree_entries
from runglass.query.embeddings.formats.memory import check_claim
from runglass.query.embeddings.formats.numbers import NumberType
from runglass.query.embeddings.model import Float32

DEFLATE, SHUFFLE, FLETCHER32 = 1, 2, 3
FILTER_NAMES = {
    4: "szip",
    5: "nbit",
    6: "scale-offset",
    32000: "lzf",
    32001: "blosc",
    32004: "lz4",
    32015: "zstd",
}
# Filters from this number on have a name in the file.
NAMED_FILTERS = 256
# How chunks are found, in newer layouts.
SINGLE_CHUNK, IMPLICIT = 1, 2
MAX_CHUNK_BYTES = 1 << 30


class Dataset(NamedTuple):
    """An array of numbers in the file."""

    type: NumberType
    shape: tuple[int, ...]
    # The message that tells where it is.
    layout: bytes
    # Numbers of the filters, in the order in which they were applied.
    filters: tuple[int, ...]


class Chunk(NamedTuple):
    row: int
    column: int
    address: int
    size: int
    # A bit for every filter that was left out.
    skipped: int


def parse_filters(cursor: Cursor) -> tuple[int, ...]:
    version, count = cursor.number(1), cursor.number(1)
    if version == 1:
        cursor.take(6)
    found = []
    for _ in range(count):
        number = cursor.number(2)
        name_bytes = cursor.number(2) if version == 1 or number >= NAMED_FILTERS else 0
        cursor.take(2)
        values = cursor.number(2)
        cursor.take(name_bytes + 4 * values + (4 * (values % 2) if version == 1 else 0))
        found.append(number)
    return tuple(found)


def find_chunks(
    file: Hdf5Bytes, dataset: Dataset, cursor: Cursor, version: int
) -> tuple[tuple[int, int], list[Chunk]]:
    """The shape of chunks, and all of them. `cursor` stands behind the class of the layout."""
    if version == 3:
        rank = cursor.number(1)
        tree = cursor.offset()
        shape = _chunk_shape(dataset, [cursor.number(4) for _ in range(rank)])
        return shape, [] if tree == file.undefined else _tree_chunks(file, tree, rank)
    flags, rank, width = cursor.number(1), cursor.number(1), cursor.number(1)
    shape = _chunk_shape(dataset, [cursor.number(width) for _ in range(rank)])
    size = math.prod(shape) * dataset.type.itemsize
    check_claim(file.content.name, size, file.content.size)
    index = cursor.number(1)
    if index == SINGLE_CHUNK:
        stored, skipped = (cursor.length(), cursor.number(4)) if flags & 2 else (size, 0)
        return shape, [Chunk(0, 0, cursor.offset(), stored, skipped)]
    if index == IMPLICIT:
        first = cursor.offset()
        across = -(-dataset.shape[1] // shape[1])
        count = -(-dataset.shape[0] // shape[0]) * across
        places = ((number // across * shape[0], number % across * shape[1]) for number in range(count))
        return shape, [
            Chunk(row, column, first + at * size, size, 0) for at, (row, column) in enumerate(places)
        ]
    raise ValueError(
        "its chunks are indexed in a way that is not read; write it without chunks, or with libver='earliest'"
    )


def _chunk_shape(dataset: Dataset, sizes: Sequence[int]) -> tuple[int, int]:
    """The last size is that of an element."""
    if len(sizes) != 3 or not all(sizes) or math.prod(sizes) > MAX_CHUNK_BYTES or len(dataset.shape) != 2:
        raise ValueError(f"chunks of shape {list(sizes)}")
    return sizes[0], sizes[1]


def _tree_chunks(file: Hdf5Bytes, tree: int, rank: int) -> list[Chunk]:
    found = []
    for key, address in tree_entries(file, tree, 1, key_size=8 + 8 * rank):
        head = Cursor(file, key)
        size, skipped = head.number(4), head.number(4)
        found.append(Chunk(head.number(8), head.number(8), address, size, skipped))
    return found


class ChunkedMatrix:
    """A dataset in chunks. Chunks that were never written are zero."""

    def __init__(
        self, file: Hdf5Bytes, dataset: Dataset, chunk_shape: tuple[int, int], chunks: Sequence[Chunk]
    ) -> None:
        self.rows, self.dimensions = dataset.shape
        self.dtype = dataset.type.name
        self._file = file
        self._type = dataset.type
        self._filters = dataset.filters
        self._shape = chunk_shape
        self._chunks = sorted(chunks)
        unknown = next((each for each in dataset.filters if each not in (DEFLATE, SHUFFLE, FLETCHER32)), None)
        if unknown is not None:
            name = FILTER_NAMES.get(unknown, f"filter {unknown}")
            raise ValueError(f"it is compressed with {name}; write it with gzip or without compression")

    def read(self, start: int, stop: int) -> Float32:
        out = np.zeros((stop - start, self.dimensions), np.float32)
        height, width = self._shape
        for chunk in self._chunks:
            first, last = max(start, chunk.row), min(stop, chunk.row + height)
            end = min(chunk.column + width, self.dimensions)
            if first < last and chunk.column < end:
                values = self._decode(chunk)[first - chunk.row : last - chunk.row, : end - chunk.column]
                out[first - start : last - start, chunk.column : end] = values
        return out

    def _decode(self, chunk: Chunk) -> Float32:
        size = self._shape[0] * self._shape[1] * self._type.itemsize
        data = self._file.read(chunk.address, min(chunk.size, MAX_CHUNK_BYTES))
        for number in reversed(range(len(self._filters))):
            if not chunk.skipped >> number & 1:
                data = self._undo(self._filters[number], data, size)
        if len(data) != size:
            raise self._file.damaged(f"a chunk has {len(data):,} bytes instead of {size:,}")
        return self._type.decode(data).reshape(self._shape)

    def _undo(self, filter: int, data: bytes, size: int) -> bytes:
        if filter == DEFLATE:
            try:
                return zlib.decompressobj().decompress(data, size + 4)
            except zlib.error as error:
                raise self._file.damaged(f"a chunk cannot be decompressed ({error})") from None
        if filter == SHUFFLE:
            width = self._type.itemsize
            whole = len(data) // width * width
            shuffled = np.frombuffer(data, np.uint8, whole).reshape(width, -1)
            return shuffled.T.tobytes() + data[whole:]
        # A checksum at the end.
        return data[:-4]
