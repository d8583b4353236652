"""ClickHouse's Native format: blocks of columns, as both the HTTP interface and the embedded engine take and give them.

Numbers are the bytes of NumPy arrays. Strings are bytes; text is UTF-8 with bytes that are not escaped as Python does for paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS: dict[str, str] = {
    "UInt8": "u1",
    "UInt16": "<u2",
    "UInt32": "<u4",
    "UInt64": "<u8",
    "Int8": "i1",
    "Int16": "<i2",
    "Int32": "<i4",
    "Int64": "<i8",
    "Float32": "<f4",
    "Float64": "<f8",
    "Bool": "?",
}

Column = NDArray[Any] | list[Any]
"""Numbers as an array, strings as a list of bytes, arrays as a list of arrays or of lists of bytes."""


def encode_block(names: Sequence[str], types: Sequence[str], columns: Sequence[Column]) -> bytes:
    count = len(columns[0])
    pieces = [encode_varint(len(columns)), encode_varint(count)]
    for name, kind, column in zip(names, types, columns, strict=True):
        if len(column) != count:
            raise ValueError(f"column {name} has {len(column)} rows, expected {count}")
        pieces += [_string(name.encode()), _string(kind.encode())]
        pieces += _encode(kind, column)
    return b"".join(pieces)


def _encode(kind: str, column: Column) -> list[Any]:
    if kind in NUMBERS:
        return [np.ascontiguousarray(column, NUMBERS[kind])]
    if kind == "String":
        return [_string(each if isinstance(each, bytes) else to_bytes(each)) for each in column]
    if kind.startswith("Array("):
        offsets = np.cumsum([len(each) for each in column], dtype="<u8")
        inner = kind[6:-1]
        flat: Column
        if inner == "String":
            flat = [item for each in column for item in each]
        else:
            flat = np.concatenate([np.asarray(each, NUMBERS[inner]) for each in column] or [np.empty(0)])
        return [offsets, *_encode(inner, flat)]
    if kind.startswith("Nullable("):
        inner = kind[9:-1]
        empty: Any = b"" if inner == "String" else 0
        mask = np.array([each is None for each in column], np.uint8)
        return [mask, *_encode(inner, [empty if each is None else each for each in column])]
    raise ValueError(f"columns of type {kind} are not written")


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode_varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def _string(data: bytes) -> bytes:
    return encode_varint(len(data)) + data


class Block:
    """An answer: all its blocks as one, by the names of the columns."""

    def __init__(self, names: list[str], types: list[str], columns: list[Column]) -> None:
        self.names = names
        self.types = types
        self.columns = columns
        self.count = len(columns[0]) if columns else 0

    def __getitem__(self, name: str) -> Any:
        if not self.names:
            # An answer without rows has no blocks, so no names either.
            return np.empty(0)
        return self.columns[self.names.index(name)]

    def texts(self, name: str) -> list[str]:
        return [to_text(each) for each in self[name]]

    def rows(self) -> list[tuple[Any, ...]]:
        lists = [each if isinstance(each, list) else each.tolist() for each in self.columns]
        return list(zip(*lists, strict=True))


def decode_blocks(data: bytes | memoryview) -> Block:
    """Raises ValueError for bytes that are no blocks, or of types that are not read."""
    reader = _Reader(memoryview(data))
    names: list[str] = []
    types: list[str] = []
    columns: list[list[Column]] = []
    try:
        while reader.at < len(reader.data):
            width, count = reader.varint(), reader.varint()
            block_names, block_types = [], []
            for index in range(width):
                block_names.append(to_text(reader.string()))
                block_types.append(to_text(reader.string()))
                column = reader.column(block_types[-1], count)
                if index == len(columns):
                    columns.append([])
                columns[index].append(column)
            names, types = names or block_names, types or block_types
    except (IndexError, KeyError) as error:
        raise ValueError(f"not blocks in Native format: {error!r} at byte {reader.at}") from error
    return Block(names, types, [_join(each) for each in columns])


def _join(pieces: list[Column]) -> Column:
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], list):
        return [item for piece in pieces for item in piece]
    return np.concatenate(pieces)


class _Reader:
    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def varint(self) -> int:
        number = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def string(self) -> bytes:
        size = self.varint()
        self.at += size
        if self.at > len(self.data):
            raise IndexError("ends inside a string")
        return bytes(self.data[self.at - size : self.at])

    def column(self, kind: str, count: int) -> Column:
        if kind in NUMBERS:
            dtype = np.dtype(NUMBERS[kind])
            end = self.at + count * dtype.itemsize
            if end > len(self.data):
                raise IndexError("ends inside a column")
            found = np.frombuffer(self.data[self.at : end], dtype)
            self.at = end
            return found
        if kind == "String":
            return [self.string() for _ in range(count)]
        if kind.startswith("Array("):
            offsets = np.asarray(self.column("UInt64", count)).tolist()
            flat = self.column(kind[6:-1], offsets[-1] if count else 0)
            return [flat[begin:end] for begin, end in zip([0, *offsets[:-1]], offsets, strict=True)]
        if kind.startswith("Nullable("):
            mask = np.asarray(self.column("UInt8", count)).tolist()
            inner = self.column(kind[9:-1], count)
            values = inner if isinstance(inner, list) else inner.tolist()
            return [None if is_null else each for is_null, each in zip(mask, values, strict=True)]
        if kind == "Nothing":
            self.at += count
            return [None] * count
        raise KeyError(kind)
