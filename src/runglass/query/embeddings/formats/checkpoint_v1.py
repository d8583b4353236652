"""TensorFlow's checkpoints of the first version: tables whose values are the slices of tensors. Their files have no ending."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runglass.native.wire import WireError, decode
from runglass.query.embeddings.formats.checkpoint_v2 import shape_of
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.memory import check_claim, check_memory
from runglass.query.embeddings.formats.numbers import Variable, tensorflow_type_name, to_float32
from runglass.query.embeddings.formats.ordered_code import name_prefix
from runglass.query.embeddings.formats.sorted_table import SortedTable
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown, Float32, Matrix
from runglass.schema.checkpoint import SAVED_SLICES
from runglass.schema.tensor import REFERENCE
from runglass.schema.tensor_values import TensorError, stored_values


class CheckpointV1:
    """The tensors of one checkpoint, in one file or in several."""

    def __init__(self, contents: Sequence[Content]) -> None:
        self._name = contents[0].name
        self._size = sum(content.size for content in contents)
        self._tables = [SortedTable(content) for content in contents]
        self._tensors: dict[str, dict[str, Any]] = {}
        for table in self._tables:
            # What a file holds stands in its first entry, which has no key.
            _, value = next(iter(table), (b"", b""))
            for tensor in self._decode(value).get("meta", {}).get("tensor", ()):
                self._tensors.setdefault(tensor.get("name", ""), tensor)

    @property
    def variables(self) -> list[Variable]:
        return [
            Variable(name, tensorflow_type_name(tensor.get("type", 0)), shape_of(tensor))
            for name, tensor in self._tensors.items()
        ]

    def matrix(self, name: str) -> Matrix:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise EmbeddingUnknown(f"{self._name} has no variable {name!r}.", where=name)
        shape = shape_of(tensor)
        if len(shape) != 2:
            raise EmbeddingDamaged(
                f"Variable {name!r} of {self._name} has the shape {list(shape)}, and vectors have [points, dimensions].",
                where=name,
            )
        return _LoadedMatrix(self, name, tensor.get("type", 0) % REFERENCE, shape)

    def load(self, name: str, dtype: int, shape: tuple[int, ...]) -> Float32:
        """All of a tensor: its numbers are not where a part of them could be found."""
        check_memory(self._name, *shape)
        check_claim(self._name, shape[0] * shape[1], self._size)
        whole = np.empty(shape, np.float32)
        filled = 0
        for table in self._tables:
            for _, value in table.starting_with(name_prefix(name)):
                part = self._decode(value).get("data", {})
                extents = part.get("slice", {}).get("extent", ())
                starts = [each.get("start", 0) for each in extents] or [0, 0]
                sizes = [
                    extent.get("length", size) for extent, size in zip(extents, shape, strict=False)
                ] or shape
                area = tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))
                try:
                    values = to_float32(stored_values(part.get("data", {}), dtype))
                    whole[area] = values.reshape(*sizes)
                except (TensorError, ValueError, TypeError) as error:
                    raise EmbeddingDamaged(
                        f"{self._name}: variable {name!r} cannot be read ({error}).", where=name
                    ) from None
                filled += values.size
        if filled != whole.size:
            raise EmbeddingDamaged(
                f"{self._name}: {filled:,} of {whole.size:,} numbers of variable {name!r} are there. Copy all files of the checkpoint.",
                where=name,
            )
        return whole

    def _decode(self, value: bytes) -> dict[str, Any]:
        try:
            return decode(SAVED_SLICES, value)
        except WireError as error:
            raise EmbeddingDamaged(
                f"{self._name}: an entry cannot be read: {error}.", where=self._name
            ) from None


class _LoadedMatrix:
    """A tensor that is loaded when it is first read."""

    def __init__(self, checkpoint: CheckpointV1, name: str, dtype: int, shape: tuple[int, ...]) -> None:
        self.rows, self.dimensions = shape
        self.dtype = tensorflow_type_name(dtype)
        self._load: Callable[[], Float32] = lambda: checkpoint.load(name, dtype, shape)
        self._values: Float32 | None = None
        self._lock = threading.Lock()

    def read(self, start: int, stop: int) -> Float32:
        with self._lock:
            if self._values is None:
                self._values = self._load()
            return self._values[start:stop]
