"""Files that are vectors: which format one has, its shape without reading all of it, and its vectors."""

from __future__ import annotations

from typing import NamedTuple

from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.numbers import Piece, PiecesMatrix, find_type
from runglass.query.embeddings.formats.tsv import count_vectors, find_layout, is_text, parse_vectors
from runglass.query.embeddings.model import EmbeddingDamaged, Matrix

# Lines of larger files are not counted for a listing.
COUNTED_BYTES = 128 << 20


class Shape(NamedTuple):
    """None where it would take long to know."""

    rows: int | None
    dimensions: int | None
    dtype: str


class Vectors(NamedTuple):
    matrix: Matrix
    # Columns that came with them: names and values.
    columns: tuple[tuple[str, list[str | None]], ...] = ()
    problems: tuple[str, ...] = ()


def find_shape(content: Content, name: str, shape: tuple[int, ...]) -> Shape:
    """`name` is the embedding's, for files with several arrays; `shape` is what a config says, if it does."""
    if is_text(content):
        layout = find_layout(content)
        rows = count_vectors(content, layout) if content.size <= COUNTED_BYTES else None
        return Shape(rows, layout.dimensions, "float32")
    matrix = read_vectors(content, name, shape).matrix
    return Shape(matrix.rows, matrix.dimensions, matrix.dtype)


def read_vectors(content: Content, name: str, shape: tuple[int, ...]) -> Vectors:
    """The first bytes of a file decide what it is."""
    if is_text(content):
        parsed = parse_vectors(content)
        names = ["label", *(f"label {number}" for number in range(2, len(parsed.labels) + 1))]
        columns = tuple(
            (each, list[str | None](values)) for each, values in zip(names, parsed.labels, strict=False)
        )
        return Vectors(parsed.matrix, columns, parsed.problems)
    return Vectors(_read_raw(content, shape))


def _read_raw(content: Content, shape: tuple[int, ...]) -> Matrix:
    """Numbers without a header: little-endian float32 of the shape that the config says."""
    if len(shape) != 2:
        raise EmbeddingDamaged(
            f"{content.name} is no text and of no format that is known. For raw float32 numbers, the config needs a tensor_shape of "
            f"two numbers{f', not {list(shape)}' if shape else ''}.",
            where=content.name,
        )
    rows, dimensions = shape
    if content.size != rows * dimensions * 4:
        raise EmbeddingDamaged(
            f"{content.name} has {content.size:,} bytes; {rows:,} × {dimensions:,} numbers of float32 have {rows * dimensions * 4:,}.",
            where=content.name,
        )
    type = find_type("float32")
    assert type is not None
    return PiecesMatrix(type, rows, dimensions, [Piece(content, 0, 0, 0, rows, dimensions)])
