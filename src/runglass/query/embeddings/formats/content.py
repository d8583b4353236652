"""The bytes of a file, wherever they are."""

from __future__ import annotations

from typing import Protocol

from runglass.query.embeddings.model import EmbeddingDamaged


class Content(Protocol):
    """May be read from several threads."""

    @property
    def name(self) -> str:
        """For errors."""
        ...

    @property
    def size(self) -> int: ...

    def read(self, offset: int, count: int) -> bytes:
        """Fewer bytes only where the file ends."""
        ...


class BytesContent:
    """A file that is in memory."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.size = len(data)
        self._data = data

    def read(self, offset: int, count: int) -> bytes:
        if offset == 0 and count >= self.size:
            return self._data
        return self._data[offset : offset + count]


def read_exactly(content: Content, offset: int, count: int) -> bytes:
    """Raises EmbeddingDamaged if the file ends before."""
    data = content.read(offset, count) if 0 <= offset <= content.size else b""
    if len(data) < count:
        raise EmbeddingDamaged(
            f"{content.name} is cut short: {count:,} bytes are expected at byte {offset:,}, and the file has {content.size:,}.",
            where=content.name,
        )
    return data


def read_whole(content: Content, limit: int) -> bytes:
    if content.size > limit:
        raise EmbeddingDamaged(
            f"{content.name} has {content.size:,} bytes; at most {limit:,} are read of such a file.",
            where=content.name,
        )
    return content.read(0, content.size)
