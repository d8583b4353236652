"""Files that are vectors: which format one has, its shape without reading all of it, and its vectors."""

from __future__ import annotations

from typing import NamedTuple

from runglass.query.embeddings.formats.arrays import choose_matrix, open_arrays
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.numbers import Piece, PiecesMatrix, find_type
from runglass.query.embeddings.formats.numpy_files import NPY_START, NpzFile, npy_matrix
from runglass.query.embeddings.formats.parquet import START as PARQUET_START
from runglass.query.embeddings.formats.parquet import ParquetFile
from runglass.query.embeddings.formats.tsv import count_vectors, find_layout, is_text, parse_vectors
from runglass.query.embeddings.model import EmbeddingDamaged, Matrix

# Lines of larger files are not counted for a listing.
COUNTED_BYTES = 128 << 20


class Shape(NamedTuple):
    """None where it would take long to know."""

    rows: int | None
    dimensions: int | None
    dtype: str


Column = tuple[str, list[str | None]]
"""The name of a column, and a text per row."""


class Vectors(NamedTuple):
    matrix: Matrix
    # Labels that came with them.
    columns: tuple[Column, ...] = ()
    problems: tuple[str, ...] = ()


def find_shape(content: Content, name: str, shape: tuple[int, ...]) -> Shape:
    """`name` is the embedding's, for files with several arrays; `shape` is what a config says, if it does."""
    if is_text(content):
        layout = find_layout(content)
        rows = count_vectors(content, layout) if content.size <= COUNTED_BYTES else None
        return Shape(rows, layout.dimensions, "float32")
    matrix = _open_matrix(content, name, shape)[0]
    return Shape(matrix.rows, matrix.dimensions, matrix.dtype)


def read_vectors(content: Content, name: str, shape: tuple[int, ...]) -> Vectors:
    if is_text(content):
        parsed = parse_vectors(content)
        names = ["label", *(f"label {number}" for number in range(2, len(parsed.labels) + 1))]
        columns = tuple(
            (each, [value or None for value in values])
            for each, values in zip(names, parsed.labels, strict=False)
        )
        return Vectors(parsed.matrix, columns, parsed.problems)
    matrix, labels = _open_matrix(content, name, shape)
    if labels is None:
        return Vectors(matrix)
    named = labels.label_names(matrix.rows) if isinstance(labels, NpzFile) else labels.label_names
    found: list[Column] = []
    problems: list[str] = []
    for each in named:
        try:
            found.append((each, labels.labels(each)))
        except EmbeddingDamaged as error:
            # The vectors are there without them.
            problems.append(error.message)
    return Vectors(matrix, tuple(found), tuple(problems))


def _open_matrix(
    content: Content, name: str, shape: tuple[int, ...]
) -> tuple[Matrix, ParquetFile | NpzFile | None]:
    """The vectors of a file that is not text, and where labels may come from. Its first bytes decide what it is."""
    if not content.size:
        raise EmbeddingDamaged(f"{content.name} is empty.", where=content.name)
    head = content.read(0, 8)
    if head.startswith(NPY_START):
        return npy_matrix(content), None
    if head.startswith(PARQUET_START):
        file = ParquetFile(content)
        return file, file
    arrays = open_arrays(content)
    if arrays is not None:
        matrix = arrays.matrix(choose_matrix(arrays, name, content.name))
        return matrix, arrays if isinstance(arrays, NpzFile) else None
    return _raw_matrix(content, shape), None


def _raw_matrix(content: Content, shape: tuple[int, ...]) -> Matrix:
    """Numbers without a header: little-endian float32 of the shape that the config says."""
    if len(shape) != 2:
        said = f", not {list(shape)}" if shape else ""
        raise EmbeddingDamaged(
            f"{content.name} is not text, and not in a known format. Raw numbers of float32 need a tensor_shape of two numbers in "
            f"the config{said}.",
            where=content.name,
        )
    rows, dimensions = shape
    if content.size != rows * dimensions * 4:
        raise EmbeddingDamaged(
            f"{content.name} has {content.size:,} bytes; {rows:,} × {dimensions:,} numbers of float32 have "
            f"{rows * dimensions * 4:,}.",
            where=content.name,
        )
    type = find_type("float32")
    assert type is not None
    return PiecesMatrix(type, rows, dimensions, [Piece(content, 0, 0, 0, rows, dimensions)])
