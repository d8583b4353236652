"""Numbers as they lie in files: element types by name, and matrices made of pieces of files. Reads by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.native.records import masked_crc32c
from runglass.query.embeddings.formats.content import Content, read_exactly
from runglass.query.embeddings.model import EmbeddingDamaged, Float32
from runglass.schema.tensor import REFERENCE, DataType
from runglass.schema.tensor_values import NUMPY, small_float_table, type_name

# Small floats by the names that the frameworks share.
SMALL_FLOATS = {
    "float8_e5m2": DataType.FLOAT8_E5M2,
    "float8_e4m3fn": DataType.FLOAT8_E4M3FN,
    "float8_e4m3fnuz": DataType.FLOAT8_E4M3FNUZ,
    "float8_e4m3b11fnuz": DataType.FLOAT8_E4M3B11FNUZ,
    "float8_e5m2fnuz": DataType.FLOAT8_E5M2FNUZ,
}
# What is decoded at a time: what a file holds may be wider than float32, and all of it need not be there twice.
BLOCK_BYTES = 8 << 20


class NumberType(NamedTuple):
    """An element type that becomes float32."""

    name: str
    itemsize: int
    # Of the stored bits; not for small floats.
    stored: np.dtype[Any] | None = None

    def decode(self, data: bytes | memoryview) -> Float32:
        """May be a view of `data`."""
        if self.stored is None:
            return small_float_table(SMALL_FLOATS[self.name])[np.frombuffer(data, np.uint8)]
        if self.name == "bfloat16":
            bits = np.frombuffer(data, self.stored).astype(np.uint32)
            return (bits << np.uint32(16)).view(np.float32)
        values = np.frombuffer(data, self.stored)
        return to_float32(values)


def to_float32(values: NDArray[Any]) -> Float32:
    # What float32 cannot hold becomes infinite, and the row is counted as not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(np.float32, copy=False)


def find_type(name: str, *, big_endian: bool = False) -> NumberType | None:
    """By name ("float32", "bfloat16", "int8"); None for texts, complex numbers and what is not known."""
    if name in SMALL_FLOATS:
        return NumberType(name, 1)
    order: Literal["<", ">"] = ">" if big_endian else "<"
    if name == "bfloat16":
        return NumberType(name, 2, np.dtype(f"{order}u2"))
    try:
        stored = np.dtype(name).newbyteorder(order)
    except (TypeError, ValueError):
        return None
    if stored.kind == "b":
        # NumPy does not define bools other than 0 and 1.
        stored = np.dtype("u1")
    return NumberType(name, stored.itemsize, stored) if stored.kind in "fiu" else None


def tensorflow_type(dtype: int, *, big_endian: bool = False) -> NumberType | None:
    dtype %= REFERENCE
    if dtype == DataType.BFLOAT16 or dtype in SMALL_FLOATS.values():
        return find_type(DataType(dtype).name.lower(), big_endian=big_endian)
    stored = NUMPY.get(dtype)
    return find_type(stored.name, big_endian=big_endian) if stored is not None else None


def tensorflow_type_name(dtype: int) -> str:
    found = tensorflow_type(dtype)
    return found.name if found else type_name(dtype % REFERENCE).lower()


class Piece(NamedTuple):
    """A part of a matrix that lies in one file, row by row."""

    content: Content
    offset: int
    # Of its first element.
    row: int
    column: int
    rows: int
    columns: int
    # Of all its bytes; checked when they are read at once.
    checksum: int | None = None


class PiecesMatrix:
    """A matrix in one or more pieces of files."""

    def __init__(self, type: NumberType, rows: int, dimensions: int, pieces: Sequence[Piece]) -> None:
        self.rows = rows
        self.dimensions = dimensions
        self.dtype = type.name
        self._type = type
        self._pieces = tuple(pieces)
        if min(rows, dimensions) < 0:
            raise EmbeddingDamaged(f"{pieces[0].content.name} claims the shape {[rows, dimensions]}.")
        covered = sum(piece.rows * piece.columns for piece in pieces)
        if covered != rows * dimensions:
            names = ", ".join(sorted({piece.content.name for piece in pieces}))
            raise EmbeddingDamaged(
                f"{names}: the parts have {covered:,} of {rows:,} × {dimensions:,} numbers.", where=names
            )
        for piece in pieces:
            _check_end(piece, type)

    def read(self, start: int, stop: int) -> Float32:
        if len(self._pieces) == 1 and (stop - start) * self.dimensions * self._type.itemsize <= BLOCK_BYTES:
            return self._read(self._pieces[0], start, stop)
        block = max(1, BLOCK_BYTES // max(1, self.dimensions * self._type.itemsize))
        out = np.empty((stop - start, self.dimensions), np.float32)
        for piece in self._pieces:
            first, last = max(start, piece.row), min(stop, piece.row + piece.rows)
            columns = slice(piece.column, piece.column + piece.columns)
            for at in range(first, last, block):
                end = min(at + block, last)
                out[at - start : end - start, columns] = self._read(piece, at - piece.row, end - piece.row)
        return out

    def _read(self, piece: Piece, start: int, stop: int) -> Float32:
        """Rows of a piece, counted from its first."""
        row_bytes = piece.columns * self._type.itemsize
        data = read_exactly(piece.content, piece.offset + start * row_bytes, (stop - start) * row_bytes)
        if (
            piece.checksum is not None
            and stop - start == piece.rows
            and masked_crc32c(data) != piece.checksum
        ):
            raise EmbeddingDamaged(
                f"{piece.content.name}: the vectors at byte {piece.offset:,} fail their checksum. The file is damaged; copy it again.",
                where=piece.content.name,
            )
        return self._type.decode(data).reshape(stop - start, piece.columns)


def _check_end(piece: Piece, type: NumberType) -> None:
    """A file that is cut short is told of before somebody waits for half of a reduction."""
    end = piece.offset + piece.rows * piece.columns * type.itemsize
    if piece.offset < 0 or end > piece.content.size:
        raise EmbeddingDamaged(
            f"{piece.content.name} is cut short: {piece.rows:,} × {piece.columns:,} numbers of {type.name} end at byte {end:,}, "
            f"and the file has {piece.content.size:,}.",
            where=piece.content.name,
        )


class ArrayMatrix:
    """A matrix in memory."""

    def __init__(self, values: Float32, dtype: str = "float32") -> None:
        self.rows, self.dimensions = values.shape
        self.dtype = dtype
        self._values = values

    def read(self, start: int, stop: int) -> Float32:
        return self._values[start:stop]


class Variable(NamedTuple):
    """What an index of a file tells of one array in it."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def is_matrix(self) -> bool:
        """Whether it may be vectors: numbers of rank 2, with at least one of them."""
        return len(self.shape) == 2 and min(self.shape) > 0 and find_type(self.dtype) is not None
