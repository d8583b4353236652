"""Numbers of an HDF5 file: little-endian, with addresses and lengths as wide as the file says."""

from __future__ import annotations

from runglass.query.embeddings.formats.content import Content, read_exactly
from runglass.query.embeddings.model import EmbeddingDamaged


class Hdf5Bytes:
    """The bytes of a file, from where its HDF5 part begins."""

    def __init__(self, content: Content, base: int, offset_size: int, length_size: int) -> None:
        self.content = content
        self.base = base
        self.offset_size = offset_size
        self.length_size = length_size
        self.undefined = (1 << 8 * offset_size) - 1

    def read(self, address: int, count: int) -> bytes:
        return read_exactly(self.content, self.base + address, count)

    def cursor(self, address: int, count: int) -> Cursor:
        return Cursor(self, self.read(address, count))

    def damaged(self, what: str) -> EmbeddingDamaged:
        return EmbeddingDamaged(f"{self.content.name}: {what}.", where=self.content.name)


class Cursor:
    """Numbers one after another. Raises IndexError where the bytes end."""

    __slots__ = ("at", "data", "file")

    def __init__(self, file: Hdf5Bytes, data: bytes) -> None:
        self.file = file
        self.data = data
        self.at = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count < 0 or count > self.left:
            raise IndexError("a message is cut short")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def offset(self) -> int:
        return self.number(self.file.offset_size)

    def length(self) -> int:
        return self.number(self.file.length_size)

    def expect(self, signature: bytes) -> None:
        found = self.take(len(signature))
        if found != signature:
            raise ValueError(f"found {found!r} instead of {signature!r}")
