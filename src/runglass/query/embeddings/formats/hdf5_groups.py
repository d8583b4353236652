"""Links of HDF5 groups: names and addresses of the objects in them. Old groups have a tree of symbols, new ones messages or a heap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from runglass.query.embeddings.formats.hdf5_bytes import Cursor, Hdf5Bytes

# Real files have fewer; these end loops in damaged ones.
MAX_DEPTH = 64
MAX_HEAP_BYTES = 256 << 20
HARD_LINK = 0
# Records of the tree that holds links by name.
BY_NAME = 5

Link = tuple[str, int]
"""The name, and the address of the object."""


def symbol_links(file: Hdf5Bytes, tree: int, heap: int) -> Iterator[Link]:
    """Of an old group: a tree of symbols, whose names are in a heap."""
    head = file.cursor(heap, 8 + 2 * file.length_size + file.offset_size)
    head.expect(b"HEAP")
    head.take(4)
    size, _, data = head.length(), head.length(), head.offset()
    if size > MAX_HEAP_BYTES:
        raise ValueError("a heap that is too large")
    names = file.read(data, size)
    for node in tree_leaves(file, tree, 0, key_size=file.length_size):
        yield from _symbols(file, node, names)


def tree_leaves(file: Hdf5Bytes, address: int, kind: int, *, key_size: int, depth: int = 0) -> Iterator[int]:
    """Addresses of what the leaves of a version 1 tree point to."""
    for _, child in tree_entries(file, address, kind, key_size=key_size, depth=depth):
        yield child


def tree_entries(
    file: Hdf5Bytes, address: int, kind: int, *, key_size: int, depth: int = 0
) -> Iterator[tuple[bytes, int]]:
    """The same, each with the key before it."""
    if depth > MAX_DEPTH:
        raise ValueError("a tree that is too deep")
    head = file.cursor(address, 8 + 2 * file.offset_size)
    head.expect(b"TREE")
    if head.number(1) != kind:
        raise ValueError("a tree of another kind")
    level, count = head.number(1), head.number(2)
    entries = file.cursor(address + 8 + 2 * file.offset_size, count * (key_size + file.offset_size))
    for _ in range(count):
        key, child = entries.take(key_size), entries.offset()
        if level:
            yield from tree_entries(file, child, kind, key_size=key_size, depth=depth + 1)
        else:
            yield key, child


def _symbols(file: Hdf5Bytes, address: int, names: bytes) -> Iterator[Link]:
    head = file.cursor(address, 8)
    head.expect(b"SNOD")
    head.take(2)
    count = head.number(2)
    entries = file.cursor(address + 8, count * (2 * file.offset_size + 24))
    for _ in range(count):
        name, target, kind = entries.offset(), entries.offset(), entries.number(4)
        entries.take(20)
        # 2 is a symbolic link.
        if kind != 2:
            yield names[name : names.index(b"\0", name)].decode("utf-8", "replace"), target


def parse_link(cursor: Cursor) -> Link | None:
    """A link message; None if it leads to another place by name."""
    if cursor.number(1) != 1:
        raise ValueError("a link of another version")
    flags = cursor.number(1)
    kind = cursor.number(1) if flags & 8 else HARD_LINK
    if flags & 4:
        cursor.take(8)
    if flags & 16:
        cursor.take(1)
    name = cursor.take(cursor.number(1 << (flags & 3))).decode("utf-8", "replace")
    return (name, cursor.offset()) if kind == HARD_LINK else None


def dense_links(file: Hdf5Bytes, heap: int, tree: int) -> Iterator[Link]:
    """Of a new group with many links: a tree of their names, which points into a heap."""
    objects = FractalHeap(file, heap)
    for record in tree_2_records(file, tree, BY_NAME):
        # The hash of the name, and the place in the heap.
        link = parse_link(Cursor(file, objects.read(record[4:])))
        if link is not None:
            yield link


def tree_2_records(file: Hdf5Bytes, address: int, kind: int) -> Iterator[bytes]:
    """All records of a version 2 tree."""
    head = file.cursor(address, 16 + file.offset_size + 2 + file.length_size)
    head.expect(b"BTHD\0")
    if head.number(1) != kind:
        raise ValueError("a tree of another kind")
    node_size, record_size, depth = head.number(4), head.number(2), head.number(2)
    head.take(2)
    root, count = head.offset(), head.number(2)
    if depth > MAX_DEPTH or not record_size:
        raise ValueError("a tree that is too deep")
    if count:
        yield from _tree_2_node(file, _Tree2(node_size, record_size), root, count, depth)


class _Tree2(NamedTuple):
    node_size: int
    record_size: int

    def most_records(self, offset_size: int, depth: int) -> tuple[int, int]:
        """How many records a node and all below it may have: this tells how wide their counts are."""
        leaf = (self.node_size - 10) // self.record_size
        node, total = leaf, leaf
        for level in range(1, depth + 1):
            pointer = offset_size + _width(leaf) + (_width(total) if level > 1 else 0)
            node = (self.node_size - 10 - pointer) // (self.record_size + pointer)
            total = (node + 1) * total + node
        return node, total


def _width(number: int) -> int:
    return max(1, (number.bit_length() + 7) // 8)


def _tree_2_node(file: Hdf5Bytes, tree: _Tree2, address: int, count: int, depth: int) -> Iterator[bytes]:
    node = file.cursor(address, tree.node_size)
    node.expect(b"BTIN" if depth else b"BTLF")
    node.take(2)
    records = [node.take(tree.record_size) for _ in range(count)]
    if not depth:
        yield from records
        return
    leaf_width = _width(tree.most_records(file.offset_size, 0)[0])
    node_width = _width(tree.most_records(file.offset_size, depth - 1)[0]) if depth > 1 else leaf_width
    total_width = _width(tree.most_records(file.offset_size, depth - 1)[1]) if depth > 1 else 0
    for number in range(count + 1):
        child, below = node.offset(), node.number(node_width)
        node.take(total_width)
        yield from _tree_2_node(file, tree, child, below, depth - 1)
        if number < count:
            yield records[number]


class FractalHeap:
    """A heap of small objects in blocks of growing size."""

    def __init__(self, file: Hdf5Bytes, address: int) -> None:
        self._file = file
        offset, length = file.offset_size, file.length_size
        head = file.cursor(address, 22 + 12 * length + 3 * offset)
        head.expect(b"FRHP\0")
        head.take(2)
        if head.number(2):
            raise ValueError("a heap with filters")
        self._flags = head.number(1)
        most = head.number(4)
        head.take(length + offset + length + offset + 4 * length)
        # Numbers and sizes of huge and tiny objects.
        head.take(4 * length)
        self._width = head.number(2)
        self._first_size, self._largest_direct = head.length(), head.length()
        bits = head.number(2)
        head.take(2)
        self._root, self._rows = head.offset(), head.number(2)
        if not self._width or not self._first_size or bits > 64:
            raise ValueError("a heap without blocks")
        self._offset_width = (bits + 7) // 8
        self._length_width = min(_width(self._largest_direct), _width(most))
        self._head_size = 5 + offset + self._offset_width + (4 if self._flags & 2 else 0)

    def read(self, place: bytes) -> bytes:
        """The object at a place, as records of trees have it."""
        if place[0] >> 4 & 3:
            raise ValueError("an object that is not in the blocks of its heap")
        offset = int.from_bytes(place[1 : 1 + self._offset_width], "little")
        at = 1 + self._offset_width
        length = int.from_bytes(place[at : at + self._length_width], "little")
        if not self._rows:
            return self._file.read(self._root + offset, length)
        return self._read_in(self._root, self._rows, 0, offset, length, 0)

    def _row_size(self, row: int) -> int:
        return self._first_size << max(0, row - 1)

    def _read_in(self, block: int, rows: int, start: int, offset: int, length: int, depth: int) -> bytes:
        """From an indirect block of so many rows, whose first object has the offset `start`."""
        if depth > MAX_DEPTH:
            raise ValueError("a heap that is too deep")
        children = block + self._head_size - (4 if self._flags & 2 else 0)
        at = start
        for row in range(rows):
            size = self._row_size(row)
            if offset < at + size * self._width:
                column = (offset - at) // size
                number = row * self._width + column
                child = self._file.cursor(children + number * self._file.offset_size, self._file.offset_size)
                address, first = child.offset(), at + column * size
                if size <= self._largest_direct:
                    return self._file.read(address + offset - first, length)
                inner = (size // self._first_size // self._width).bit_length()
                return self._read_in(address, inner, first, offset, length, depth + 1)
            at += size * self._width
        raise ValueError("a place outside the heap")
