"""HDF5 files, as far as writers of weights use the format: groups of both kinds, and datasets that are contiguous, compact or in
chunks. What every part looks like is in the HDF5 File Format Specification, version 3.0.

Links to other files, attributes and types that are no numbers are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from runglass.query.embeddings.formats.content import BytesContent, Content
from runglass.query.embeddings.formats.hdf5_bytes import Cursor, Hdf5Bytes
from runglass.query.embeddings.formats.hdf5_chunks import ChunkedMatrix, Dataset, find_chunks, parse_filters
from runglass.query.embeddings.formats.hdf5_groups import Link, dense_links, parse_link, symbol_links
from runglass.query.embeddings.formats.memory import check_claim
from runglass.query.embeddings.formats.numbers import NumberType, Piece, PiecesMatrix, Variable, find_type
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown, Matrix

SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Something else may stand before the file.
STARTS = (0, 512, 1024, 2048)
DATASPACE, LINK_INFO, DATATYPE, LINK, LAYOUT, FILTERS, CONTINUATION, SYMBOL_TABLE = 1, 2, 3, 6, 8, 11, 16, 17
COMPACT, CONTIGUOUS, CHUNKED = 0, 1, 2
INTEGER, FLOAT, OPAQUE = 0, 1, 5
SHARED = 2
# Real files have fewer; these end loops in damaged ones.
MAX_OBJECTS = 100_000
MAX_MESSAGES = 10_000


def is_hdf5(content: Content) -> bool:
    return find_start(content) is not None


def find_start(content: Content) -> int | None:
    return next((start for start in STARTS if content.read(start, 8) == SIGNATURE), None)


class Hdf5File:
    """The datasets of a file, by path."""

    def __init__(self, content: Content) -> None:
        self._datasets: dict[str, Dataset] = {}
        self._seen: set[int] = set()
        self._file, root = open_superblock(content)
        try:
            self._visit(root, "")
        except (IndexError, ValueError, RecursionError) as error:
            raise self._file.damaged(f"it cannot be read as HDF5 ({error})") from None

    @property
    def variables(self) -> list[Variable]:
        return [Variable(name, each.type.name, each.shape) for name, each in self._datasets.items()]

    def matrix(self, name: str) -> Matrix:
        dataset = self._datasets.get(name)
        if dataset is None:
            raise EmbeddingUnknown(f"{self._file.content.name} has no dataset {name!r}.", where=name)
        if len(dataset.shape) != 2:
            raise self._file.damaged(
                f"dataset {name!r} has the shape {list(dataset.shape)}, and vectors have [points, dimensions]"
            )
        try:
            return self._read_layout(dataset)
        except (IndexError, ValueError) as error:
            raise self._file.damaged(f"dataset {name!r} cannot be read ({error})") from None

    def _visit(self, address: int, path: str) -> None:
        """Objects may be linked in circles, so each is visited once."""
        if address in self._seen or len(self._seen) > MAX_OBJECTS:
            return
        self._seen.add(address)
        messages: dict[int, list[Cursor]] = {}
        for kind, cursor in read_messages(self._file, address):
            messages.setdefault(kind, []).append(cursor)
        for name, target in self._links(messages):
            self._visit(target, f"{path}/{name}" if path else name)
        if LAYOUT in messages and DATATYPE in messages and DATASPACE in messages:
            type, shape = parse_type(messages[DATATYPE][0]), parse_space(messages[DATASPACE][0])
            if type is not None and shape is not None:
                filters = parse_filters(messages[FILTERS][0]) if FILTERS in messages else ()
                self._datasets[path] = Dataset(type, shape, messages[LAYOUT][0].data, filters)

    def _links(self, messages: dict[int, list[Cursor]]) -> Iterator[Link]:
        file = self._file
        for cursor in messages.get(SYMBOL_TABLE, ()):
            yield from symbol_links(file, cursor.offset(), cursor.offset())
        for cursor in messages.get(LINK, ()):
            link = parse_link(cursor)
            if link is not None:
                yield link
        for cursor in messages.get(LINK_INFO, ()):
            cursor.take(1)
            if cursor.number(1) & 1:
                cursor.take(8)
            heap, tree = cursor.offset(), cursor.offset()
            if heap != file.undefined:
                yield from dense_links(file, heap, tree)

    def _read_layout(self, dataset: Dataset) -> Matrix:
        file, cursor = self._file, Cursor(self._file, dataset.layout)
        rows, columns = dataset.shape
        # Also of what was never written, which reads as zeros.
        check_claim(file.content.name, rows * columns * dataset.type.itemsize, file.content.size)
        version, kind = cursor.number(1), cursor.number(1)
        if version not in (3, 4):
            raise ValueError(f"a layout of version {version}, which is not read")
        if kind == CHUNKED:
            return ChunkedMatrix(file, dataset, *find_chunks(file, dataset, cursor, version))
        content, at = file.content, 0
        if kind == COMPACT:
            content = BytesContent(file.content.name, cursor.take(cursor.number(2)))
        elif kind != CONTIGUOUS:
            raise ValueError("it is spread over other files")
        else:
            address = cursor.offset()
            at = file.base + address
            if address == file.undefined:
                # Nothing was written to it.
                content, at = (
                    BytesContent(file.content.name, bytes(rows * columns * dataset.type.itemsize)),
                    0,
                )
        return PiecesMatrix(dataset.type, rows, columns, [Piece(content, at, 0, 0, rows, columns)])


def open_superblock(content: Content) -> tuple[Hdf5Bytes, int]:
    """The file with the sizes of its numbers, and the address of its first group."""
    start = find_start(content)
    if start is None:
        raise EmbeddingDamaged(f"{content.name} is not an HDF5 file.", where=content.name)
    cursor = Cursor(Hdf5Bytes(content, 0, 8, 8), content.read(start + 8, 128))
    try:
        version = cursor.number(1)
        if version < 2:
            cursor.take(4)
            offset_size, length_size = cursor.number(1), cursor.number(1)
            cursor.take(9 if version == 0 else 13)
        elif version <= 3:
            offset_size, length_size = cursor.number(1), cursor.number(1)
            cursor.take(1)
        else:
            raise ValueError(f"its version is {version}")
        if offset_size not in (2, 4, 8) or length_size not in (2, 4, 8):
            raise ValueError("its addresses have an odd size")
        file = cursor.file = Hdf5Bytes(content, start, offset_size, length_size)
        # Base address, free space or extension, end of the file, driver information.
        cursor.take(offset_size * (4 if version < 2 else 3))
        if version < 2:
            # The name of the root group.
            cursor.take(offset_size)
        return file, cursor.offset()
    except (IndexError, ValueError) as error:
        raise EmbeddingDamaged(
            f"{content.name} cannot be read as HDF5 ({error}).", where=content.name
        ) from None


def read_messages(file: Hdf5Bytes, address: int) -> Iterator[tuple[int, Cursor]]:
    """The messages of an object: what kind it is, and where its data are."""
    head = file.cursor(address, 4)
    if head.data == b"OHDR":
        blocks, overhead, has_order = _open_header_2(file, address)
    else:
        prefix = file.cursor(address, 12)
        prefix.expect(b"\1")
        prefix.take(7)
        blocks, overhead, has_order = [(address + 16, prefix.number(4))], None, False
    for _ in range(MAX_MESSAGES):
        if not blocks:
            return
        start, size = blocks.pop(0)
        cursor = file.cursor(start, size)
        if overhead is not None and start != overhead:
            cursor.expect(b"OCHK")
            cursor.data = cursor.data[:-4]
        smallest = 8 if overhead is None else 4 + 2 * has_order
        while cursor.left >= smallest:
            kind = cursor.number(2 if overhead is None else 1)
            length, flags = cursor.number(2), cursor.number(1)
            cursor.take(3 if overhead is None else 2 * has_order)
            message = Cursor(file, cursor.take(length))
            if kind == CONTINUATION:
                blocks.append((message.offset(), message.length()))
            elif not flags & SHARED:
                yield kind, message


def _open_header_2(file: Hdf5Bytes, address: int) -> tuple[list[tuple[int, int]], int, bool]:
    """Of a newer object: the block with its first messages, where it begins, and whether messages have numbers."""
    head = file.cursor(address, 6)
    head.expect(b"OHDR\2")
    flags = head.number(1)
    at = address + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    size = file.cursor(at, width).number(width)
    return [(at + width, size)], at + width, bool(flags & 4)


def parse_type(cursor: Cursor) -> NumberType | None:
    """None if it is no number of a known kind."""
    kind = cursor.number(1) & 15
    bits = cursor.number(3)
    size = cursor.number(4)
    if kind == INTEGER:
        return find_type(f"{'int' if bits & 8 else 'uint'}{8 * size}", big_endian=bool(bits & 1))
    if kind == OPAQUE and size == 2:
        # How Keras stores what NumPy has no type for.
        return find_type("bfloat16")
    if kind != FLOAT:
        return None
    cursor.take(5)
    exponent_bits = cursor.number(1)
    name = "bfloat16" if (size, exponent_bits) == (2, 8) else f"float{8 * size}"
    return find_type(name, big_endian=bool(bits & 1))


def parse_space(cursor: Cursor) -> tuple[int, ...] | None:
    """The shape; None if it has none."""
    version, rank = cursor.number(1), cursor.number(1)
    if version not in (1, 2) or rank > 32:
        return None
    cursor.take(6 if version == 1 else 2)
    return tuple(cursor.length() for _ in range(rank))
