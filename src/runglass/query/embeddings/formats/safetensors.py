"""safetensors files: a JSON header that tells where every tensor lies, and the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from runglass.query.embeddings.formats.content import Content, read_exactly
from runglass.query.embeddings.formats.numbers import Piece, PiecesMatrix, Variable, find_type
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown, Matrix

# As its own library.
MAX_HEADER_BYTES = 100_000_000
SHORT_NAMES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "BOOL": "bool",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}


class Tensor(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def is_safetensors(content: Content) -> bool:
    head = content.read(0, 9)
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") <= content.size - 8


class SafetensorsFile:
    def __init__(self, content: Content) -> None:
        self._content = content
        size = int.from_bytes(read_exactly(content, 0, 8), "little")
        if size > MAX_HEADER_BYTES:
            raise EmbeddingDamaged(f"{content.name} has a header of {size:,} bytes.", where=content.name)
        try:
            header: dict[str, Any] = msgspec.json.decode(read_exactly(content, 8, size))
            header.pop("__metadata__", None)
            self._tensors = msgspec.convert(header, dict[str, Tensor])
        except (msgspec.MsgspecError, ValueError, AttributeError) as error:
            raise EmbeddingDamaged(
                f"{content.name}: its header cannot be read: {error}.", where=content.name
            ) from None
        self._start = 8 + size

    @property
    def variables(self) -> list[Variable]:
        return [
            Variable(name, SHORT_NAMES.get(each.dtype, each.dtype), tuple(each.shape))
            for name, each in self._tensors.items()
        ]

    def matrix(self, name: str) -> Matrix:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise EmbeddingUnknown(f"{self._content.name} has no tensor {name!r}.", where=name)
        type = find_type(SHORT_NAMES.get(tensor.dtype, ""))
        if type is None or len(tensor.shape) != 2:
            raise EmbeddingDamaged(
                f"Tensor {name!r} of {self._content.name} is {tensor.dtype} of shape {tensor.shape}; vectors are numbers of shape "
                "[points, dimensions].",
                where=name,
            )
        rows, dimensions = tensor.shape
        start, end = tensor.data_offsets
        if end - start != rows * dimensions * type.itemsize:
            raise EmbeddingDamaged(
                f"Tensor {name!r} of {self._content.name} has {end - start:,} bytes, which are not {rows:,} × {dimensions:,} numbers of "
                f"{type.name}.",
                where=name,
            )
        pieces = [Piece(self._content, self._start + start, 0, 0, rows, dimensions)]
        return PiecesMatrix(type, rows, dimensions, pieces)


class SafetensorsShards:
    """The files of one checkpoint; each has some of its tensors, whole."""

    def __init__(self, files: Sequence[SafetensorsFile]) -> None:
        self._files = {variable.name: file for file in reversed(files) for variable in file.variables}
        self.variables = [variable for file in files for variable in file.variables]
        self._first = files[0]

    def matrix(self, name: str) -> Matrix:
        return self._files.get(name, self._first).matrix(name)
