"""NumPy's files: .npy with one array, .npz with several. Nothing in them is unpickled."""

from __future__ import annotations

import ast
import zipfile
import zlib
from typing import NamedTuple

import numpy as np

from runglass.query.embeddings.formats.content import BytesContent, Content, read_exactly
from runglass.query.embeddings.formats.memory import check_memory
from runglass.query.embeddings.formats.numbers import NumberType, Piece, PiecesMatrix, Variable, find_type
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown, Matrix
from runglass.query.graphs.formats.archives import open_ranges

NPY_START = b"\x93NUMPY"
ZIP_START = b"PK\x03\x04"
NPY_ENDING = ".npy"
MAX_HEADER_BYTES = 1 << 20
# Of an array whose values are labels.
MAX_LABEL_BYTES = 256 << 20
LOCAL_HEADER_BYTES = 30
# What the library raises for damaged archives.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    ValueError,
    EOFError,
    RuntimeError,
    NotImplementedError,
)


class NpyHeader(NamedTuple):
    # As NumPy describes it: "<f4".
    descr: str
    is_fortran: bool
    shape: tuple[int, ...]
    data_at: int

    @property
    def type(self) -> NumberType | None:
        if self.descr[1:] == "V2":
            # How NumPy writes a type that it does not know itself.
            return find_type("bfloat16")
        try:
            dtype = np.dtype(self.descr)
        except TypeError:
            return None
        return find_type(dtype.name, big_endian=self.descr.startswith(">"))

    @property
    def dtype(self) -> str:
        return self.type.name if self.type else self.descr


def read_npy_header(content: Content) -> NpyHeader:
    head = content.read(0, 12)
    if not head.startswith(NPY_START) or len(head) < 12:
        raise _damaged(content, "it does not begin as an array of NumPy does")
    width = 2 if head[6] == 1 else 4
    size = int.from_bytes(head[8 : 8 + width], "little")
    if size > MAX_HEADER_BYTES:
        raise _damaged(content, f"its header has {size:,} bytes")
    text = read_exactly(content, 8 + width, size).decode("latin-1" if head[6] < 3 else "utf-8", "replace")
    try:
        found = ast.literal_eval(text.strip())
        descr, shape = found["descr"], tuple(int(size) for size in found["shape"])
        is_fortran = bool(found["fortran_order"])
    except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError):
        raise _damaged(content, "its header cannot be read") from None
    if not isinstance(descr, str) or any(size < 0 for size in shape):
        raise _damaged(content, "it has records with fields, not numbers")
    return NpyHeader(descr, is_fortran, shape, 8 + width + size)


def npy_matrix(content: Content) -> Matrix:
    header = read_npy_header(content)
    # A single number per point is a vector too.
    shape = (*header.shape, 1) if len(header.shape) == 1 else header.shape
    if header.type is None or len(shape) != 2:
        raise _damaged(
            content,
            f"it has {header.descr} of shape {list(header.shape)}; vectors are numbers of shape [points, dimensions]",
        )
    rows, dimensions = shape
    if header.is_fortran:
        size = rows * header.type.itemsize
        pieces = [
            Piece(content, header.data_at + column * size, 0, column, rows, 1) for column in range(dimensions)
        ]
    else:
        pieces = [Piece(content, header.data_at, 0, 0, rows, dimensions)]
    return PiecesMatrix(header.type, rows, dimensions, pieces)


class NpzFile:
    """The arrays of an archive. Those that are not compressed are read in parts."""

    def __init__(self, content: Content) -> None:
        self._content = content
        try:
            self._archive = zipfile.ZipFile(open_ranges(content.read, content.size))
        except ZIP_ERRORS as error:
            raise _damaged(content, f"it is not an archive of arrays ({error})") from None
        self._members = {
            info.filename.removesuffix(NPY_ENDING): info
            for info in self._archive.infolist()
            if info.filename.endswith(NPY_ENDING)
        }
        self._headers = {name: self._read_header(name) for name in self._members}

    @property
    def variables(self) -> list[Variable]:
        return [Variable(name, each.dtype, each.shape) for name, each in self._headers.items()]

    def matrix(self, name: str) -> Matrix:
        if name not in self._members:
            raise EmbeddingUnknown(f"{self._content.name} has no array {name!r}.", where=name)
        info = self._members[name]
        if info.compress_type != zipfile.ZIP_STORED:
            rows = self._headers[name].shape[0] if self._headers[name].shape else 0
            check_memory(self._content.name, max(rows, 1), max(1, info.file_size // max(rows, 1) // 4))
        return npy_matrix(self._member(name))

    def labels(self, name: str) -> list[str | None]:
        """The values of an array of one dimension as texts."""
        header, info = self._headers[name], self._members[name]
        if info.file_size > MAX_LABEL_BYTES:
            raise _damaged(self._content, f"array {name!r} is too large for labels")
        content = self._member(name)
        data = content.read(header.data_at, info.file_size)
        try:
            values = np.frombuffer(data, np.dtype(header.descr), header.shape[0])
        except (TypeError, ValueError) as error:
            raise _damaged(self._content, f"array {name!r} cannot be read ({error})") from None
        if values.dtype.kind == "S":
            return [value.decode("utf-8", "replace") or None for value in values.tolist()]
        return [str(value) or None for value in values.tolist()]

    def label_names(self, rows: int) -> list[str]:
        """Arrays with one text or number per point."""
        return [
            name
            for name, header in self._headers.items()
            if header.shape == (rows,) and header.descr.lstrip("<>|=")[:1] in ("U", "S", "i", "u", "f", "b")
        ]

    def _read_header(self, name: str) -> NpyHeader:
        try:
            with self._archive.open(self._members[name]) as file:
                head = file.read(min(self._members[name].file_size, MAX_HEADER_BYTES))
        except ZIP_ERRORS as error:
            raise _damaged(self._content, f"array {name!r} cannot be read ({error})") from None
        return read_npy_header(BytesContent(f"{self._content.name}/{name}", head))

    def _member(self, name: str) -> Content:
        info = self._members[name]
        shown = f"{self._content.name}/{name}"
        try:
            if info.compress_type != zipfile.ZIP_STORED:
                return BytesContent(shown, self._archive.read(info))
        except ZIP_ERRORS as error:
            raise _damaged(self._content, f"array {name!r} cannot be read ({error})") from None
        head = read_exactly(self._content, info.header_offset, LOCAL_HEADER_BYTES)
        names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        return _Part(shown, self._content, info.header_offset + LOCAL_HEADER_BYTES + names, info.file_size)


class _Part:
    """A part of another content."""

    def __init__(self, name: str, content: Content, start: int, size: int) -> None:
        self.name = name
        self.size = max(0, min(size, content.size - start))
        self._content = content
        self._start = start

    def read(self, offset: int, count: int) -> bytes:
        return self._content.read(self._start + offset, max(0, min(count, self.size - offset)))


def _damaged(content: Content, what: str) -> EmbeddingDamaged:
    return EmbeddingDamaged(f"{content.name}: {what}.", where=content.name)
