"""TensorFlow's checkpoints since 2016: a table that tells where every tensor lies, and files with their bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runglass.native.wire import WireError, decode
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.numbers import (
    Piece,
    PiecesMatrix,
    Variable,
    tensorflow_type,
    tensorflow_type_name,
)
from runglass.query.embeddings.formats.ordered_code import slice_key
from runglass.query.embeddings.formats.sorted_table import SortedTable
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown, Matrix
from runglass.schema.checkpoint import BUNDLE_ENTRY, BUNDLE_HEADER

INDEX_ENDING = ".index"
SHARD = re.compile(r"\.data-(\d{5})-of-(\d{5})$")
# Keys of slices begin with it; names of tensors never do.
SLICE_MARK = 0


class CheckpointV2:
    """The tensors of one checkpoint. `shards` by the number in their name."""

    def __init__(self, index: Content, shards: Mapping[int, Content]) -> None:
        self._index = index
        self._shards = shards
        self._tensors: dict[str, dict[str, Any]] = {}
        self._slices: dict[bytes, dict[str, Any]] = {}
        header: dict[str, Any] = {}
        try:
            for key, value in SortedTable(index):
                if not key:
                    header = decode(BUNDLE_HEADER, value)
                elif key[0] == SLICE_MARK:
                    self._slices[key] = decode(BUNDLE_ENTRY, value)
                else:
                    self._tensors[key.decode("utf-8", "replace")] = decode(BUNDLE_ENTRY, value)
        except WireError as error:
            raise EmbeddingDamaged(
                f"{index.name}: an entry cannot be read: {error}.", where=index.name
            ) from None
        self._num_shards = header.get("num_shards", 1)
        self._big_endian = header.get("endianness", 0) == 1

    @property
    def variables(self) -> list[Variable]:
        return [
            Variable(name, tensorflow_type_name(entry.get("dtype", 0)), shape_of(entry))
            for name, entry in self._tensors.items()
        ]

    def matrix(self, name: str) -> Matrix:
        entry = self._tensors.get(name)
        if entry is None:
            raise EmbeddingUnknown(f"{self._index.name} has no variable {name!r}.", where=name)
        shape = shape_of(entry)
        type = tensorflow_type(entry.get("dtype", 0), big_endian=self._big_endian)
        if type is None or len(shape) != 2:
            found = f"{tensorflow_type_name(entry.get('dtype', 0))} of shape {list(shape)}"
            raise EmbeddingDamaged(
                f"Variable {name!r} of {self._index.name} is {found}; vectors are numbers of shape [points, dimensions].",
                where=name,
            )
        pieces = [self._piece(part, row, column) for part, row, column in self._parts(name, entry, shape)]
        return PiecesMatrix(type, *shape, pieces)

    def _parts(
        self, name: str, entry: dict[str, Any], shape: tuple[int, ...]
    ) -> list[tuple[dict[str, Any], int, int]]:
        """Entries with bytes: the tensor's own, or those of its slices with the row and column where they begin."""
        if not entry.get("slices"):
            return [(entry, 0, 0)]
        parts = []
        for part in entry["slices"]:
            extents = [(each.get("start", 0), each.get("length", -1)) for each in part.get("extent", ())]
            found = self._slices.get(slice_key(name, extents))
            if found is None or not len(extents) == len(shape) == len(shape_of(found)):
                raise EmbeddingDamaged(
                    f"{self._index.name}: variable {name!r} has a slice at {extents} that is not in the file.",
                    where=name,
                )
            parts.append((found, extents[0][0], extents[1][0]))
        return parts

    def _piece(self, entry: dict[str, Any], row: int, column: int) -> Piece:
        number = entry.get("shard_id", 0)
        shard = self._shards.get(number)
        if shard is None:
            missing = self._index.name.removesuffix(INDEX_ENDING)
            missing += f".data-{number:05d}-of-{self._num_shards:05d}"
            raise EmbeddingDamaged(
                f"{missing} is missing: {self._index.name} says that the vectors are in it. Copy all files of the checkpoint.",
                where=missing,
            )
        rows, columns = shape_of(entry)
        return Piece(shard, entry.get("offset", 0), row, column, rows, columns, entry.get("crc32c"))


def shape_of(entry: dict[str, Any]) -> tuple[int, ...]:
    return tuple(dim.get("size", 0) for dim in entry.get("shape", {}).get("dim", ()))


def shard_number(name: str) -> int | None:
    found = SHARD.search(name)
    return int(found[1]) if found else None
