"""Parquet files, with pyarrow where it is installed: a column of lists is the vectors, or else all columns of floats. Others are labels."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.numbers import to_float32
from runglass.query.embeddings.model import EmbeddingDamaged, Float32
from runglass.query.graphs.formats.archives import RangeFile

START = b"PAR1"
TYPE_NAMES = {"halffloat": "float16", "float": "float32", "double": "float64"}
T = TypeVar("T")


class ParquetFile:
    """The vectors of a file, read by groups of rows."""

    def __init__(self, content: Content) -> None:
        self._content = content
        try:
            arrow: Any = importlib.import_module("pyarrow")
            parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError:
            raise self._damaged(
                "reading Parquet needs pyarrow. Install it (pip install pyarrow), or write the vectors as .npy"
            ) from None
        self._arrow = arrow
        # A file of pyarrow is for one thread at a time.
        self._lock = threading.Lock()
        self._file = self._try(
            lambda: parquet.ParquetFile(arrow.PythonFile(RangeFile(content.read, content.size), mode="r"))
        )
        schema = self._try(lambda: self._file.schema_arrow)
        lists = [field.name for field in schema if self._is_list(field.type)]
        floats = [field.name for field in schema if arrow.types.is_floating(field.type)]
        self._list: str | None = lists[0] if lists else None
        self._names = lists[:1] or floats
        if not self._names:
            raise self._damaged("it has no column of lists of numbers, and no columns of floats")
        self.label_names: list[str] = [
            field.name for field in schema if field.name not in self._names and self._is_label(field.type)
        ]
        kind = schema.field(self._names[0]).type
        element = str(kind.value_type if self._list else kind)
        self.dtype = TYPE_NAMES.get(element, element)
        metadata = self._file.metadata
        counts = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        self._ends: list[int] = np.cumsum([0, *counts]).tolist()
        self.rows = self._ends[-1]
        self.dimensions = len(floats)
        if self._list is not None:
            self.dimensions = 0
            first = next((number for number, count in enumerate(counts) if count), None)
            if first is not None:
                self.dimensions = self._find_dimensions(first)
        if not self.rows or not self.dimensions:
            raise self._damaged("it has no vectors")

    def read(self, start: int, stop: int) -> Float32:
        out = np.empty((stop - start, self.dimensions), np.float32)
        for number in range(len(self._ends) - 1):
            first, last = max(start, self._ends[number]), min(stop, self._ends[number + 1])
            if first < last:
                group = self._read_group(number)
                at = self._ends[number]
                out[first - start : last - start] = group[first - at : last - at]
        return out

    def labels(self, name: str) -> list[str | None]:
        table = self._read_column(name)
        return [None if value is None or value == "" else str(value) for value in table.column(0).to_pylist()]

    def _read_column(self, name: str) -> Any:
        with self._lock:
            return self._try(lambda: self._file.read(columns=[name]))

    def _read_group(self, number: int) -> Float32:
        with self._lock:
            table = self._try(lambda: self._file.read_row_group(number, columns=self._names))
        if self._list is None:
            columns = [table.column(name).to_numpy() for name in self._names]
            return to_float32(np.stack(columns, axis=1))
        return self._join([self._flatten(chunk) for chunk in table.column(self._list).chunks])

    def _flatten(self, lists: Any) -> NDArray[Any]:
        """Numbers of an array of lists, of which every one has the same length."""
        values: NDArray[Any] = lists.flatten().to_numpy(zero_copy_only=False)
        if lists.null_count or len(values) != len(lists) * self.dimensions:
            raise self._damaged(f"not all of its vectors have {self.dimensions:,} numbers, as the first has")
        return values.reshape(len(lists), self.dimensions)

    def _join(self, parts: list[NDArray[Any]]) -> Float32:
        return to_float32(parts[0] if len(parts) == 1 else np.concatenate(parts))

    def _find_dimensions(self, group: int) -> int:
        batches = self._file.iter_batches(batch_size=1, row_groups=[group], columns=[self._list])
        first = self._try(lambda: next(batches)).column(0)
        return len(first[0]) if first.null_count == 0 else 0

    def _is_list(self, kind: Any) -> bool:
        types = self._arrow.types
        is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        return bool(is_list and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)))

    def _is_label(self, kind: Any) -> bool:
        types = self._arrow.types
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(types.is_primitive(kind) or types.is_string(kind) or types.is_large_string(kind))

    def _try(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except (self._arrow.ArrowException, OSError, StopIteration) as error:
            raise self._damaged(f"it cannot be read as Parquet ({error})") from None

    def _damaged(self, what: str) -> EmbeddingDamaged:
        return EmbeddingDamaged(f"{self._content.name}: {what}.", where=self._content.name)
