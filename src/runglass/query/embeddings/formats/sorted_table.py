"""Sorted tables, the container of TensorFlow's checkpoints (LevelDB's format): keys and values in blocks with checksums."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from runglass.native.records import masked_crc32c
from runglass.query.embeddings.formats.content import Content, read_exactly
from runglass.query.embeddings.formats.snappy import SnappyError, decompress
from runglass.query.embeddings.model import EmbeddingDamaged

MAGIC = b"\x57\xfb\x80\x8b\x24\x75\x47\xdb"
FOOTER_BYTES = 48
TRAILER_BYTES = 5
NO_COMPRESSION, SNAPPY = 0, 1
# A block holds one entry at least; a tensor of the first version of checkpoints is one entry.
MAX_BLOCK_BYTES = 2 << 30


def is_table(content: Content) -> bool:
    return content.size >= FOOTER_BYTES and content.read(content.size - 8, 8) == MAGIC


class SortedTable:
    """Reads the blocks that are asked for."""

    def __init__(self, content: Content) -> None:
        self._content = content
        if not is_table(content):
            raise self._damaged(
                "it does not end as a table of a checkpoint does. It may still be written, or be another file"
            )
        footer = read_exactly(content, content.size - FOOTER_BYTES, FOOTER_BYTES)
        try:
            _, at = _handle(footer, 0)
            index, _ = _handle(footer, at)
            # Each block with the last key in it.
            self._blocks = [(key, _handle(value, 0)[0]) for key, value in self._entries(*index)]
        except (IndexError, ValueError) as error:
            raise self._damaged(f"its index cannot be read ({error})") from None

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        for _, block in self._blocks:
            yield from self._block(block)

    def starting_with(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Entries whose key begins so, from as few blocks as possible."""
        for last, block in self._blocks:
            if last < prefix:
                continue
            for key, value in self._block(block):
                if key.startswith(prefix):
                    yield key, value
                elif key > prefix:
                    return

    def _block(self, block: tuple[int, int]) -> list[tuple[bytes, bytes]]:
        try:
            return list(self._entries(*block))
        except (IndexError, ValueError) as error:
            raise self._damaged(f"the block at byte {block[0]:,} cannot be read ({error})") from None

    def _entries(self, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        data = self._read_block(offset, size)
        if len(data) < 4:
            raise ValueError("it has no end")
        restarts = int.from_bytes(data[-4:], "little")
        end = len(data) - 4 - 4 * restarts
        if end < 0:
            raise ValueError("it has no end")
        at, key = 0, b""
        while at < end:
            shared, at = _varint(data, at)
            own, at = _varint(data, at)
            length, at = _varint(data, at)
            if shared > len(key) or at + own + length > end:
                raise ValueError("an entry is longer than the block")
            key = key[:shared] + data[at : at + own]
            at += own
            yield key, data[at : at + length]
            at += length

    def _read_block(self, offset: int, size: int) -> bytes:
        if size > MAX_BLOCK_BYTES:
            raise ValueError(f"a block of {size:,} bytes")
        data = read_exactly(self._content, offset, size + TRAILER_BYTES)
        (expected,) = struct.unpack_from("<I", data, size + 1)
        if masked_crc32c(data[: size + 1]) != expected:
            raise self._damaged(f"the block at byte {offset:,} fails its checksum")
        kind = data[size]
        if kind == NO_COMPRESSION:
            return data[:size]
        if kind == SNAPPY:
            try:
                return decompress(data[:size], MAX_BLOCK_BYTES)
            except SnappyError as error:
                raise ValueError(str(error)) from None
        raise ValueError(f"compression {kind} is not known")

    def _damaged(self, what: str) -> EmbeddingDamaged:
        return EmbeddingDamaged(f"{self._content.name}: {what}.", where=self._content.name)


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = _varint(data, at)
    size, at = _varint(data, at)
    return (offset, size), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than ten bytes")
