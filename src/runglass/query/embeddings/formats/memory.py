"""How much memory vectors may take that cannot be read in parts."""

from __future__ import annotations

from runglass.machine import read_memory_bytes
from runglass.query.embeddings.model import EmbeddingDamaged

# Of the machine's memory.
LARGEST_PART = 0.5


# What compression makes of a byte, at most: deflate's limit, with some room.
MOST_PER_BYTE = 1100


def check_claim(name: str, claimed: int, stored: int) -> None:
    """Raises EmbeddingDamaged if so few bytes cannot hold as many as they claim, compressed or not."""
    if claimed > stored * MOST_PER_BYTE + (1 << 16):
        raise EmbeddingDamaged(
            f"{name} claims {claimed:,} bytes of numbers and has {stored:,}. The file is damaged.", where=name
        )


def check_memory(name: str, rows: int, dimensions: int) -> None:
    """Raises EmbeddingDamaged with what would fit."""
    needed, there = rows * dimensions * 4, int(read_memory_bytes() * LARGEST_PART)
    if needed > there:
        raise EmbeddingDamaged(
            f"{name} has {rows:,} × {dimensions:,} numbers, which take {needed / 1e9:.1f} GB of memory; {there / 1e9:.1f} GB are used at "
            f"most, which hold {there // (dimensions * 4):,} vectors. Write them as .npy: those are read in parts.",
            where=name,
        )
