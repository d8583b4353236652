"""The vectors of a reduction, read in blocks of rows: an array, or a function that reads rows. Rows that are not finite are left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.reductions.model import Floats, ReadRows

# Of a block, which is what is in memory of a matrix that is only read through.
BLOCK_BYTES = 8 << 20


class Matrix:
    """n × d numbers. `rows` are those that are read; the others do not count."""

    def __init__(
        self,
        vectors: ReadRows | NDArray[np.generic],
        n: int,
        d: int,
        *,
        rows: NDArray[np.int32] | None = None,
    ) -> None:
        self.source = vectors
        self.all_rows = n
        self.d = d
        self.rows = rows

    @property
    def n(self) -> int:
        return self.all_rows if self.rows is None else len(self.rows)

    def block_rows(self) -> int:
        return max(64, BLOCK_BYTES // (4 * self.d))

    def read(self, start: int, stop: int) -> Floats:
        """Rows of the whole matrix, finite or not, as contiguous float32; a view where they are that already."""
        given = self.source(start, stop) if callable(self.source) else self.source[start:stop]
        if given.shape != (stop - start, self.d):
            raise BadArgument(
                f"Rows {start:,} to {stop:,} of the vectors have the shape {given.shape}, not {(stop - start, self.d)}.",
                where="vectors",
            )
        return np.ascontiguousarray(given, dtype=np.float32)

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """All rows that count, in order: the place of the first among them, and a block."""
        size, place = self.block_rows(), 0
        for start in range(0, self.all_rows, size):
            stop = min(start + size, self.all_rows)
            block = self.read(start, stop)
            if self.rows is not None:
                first, last = np.searchsorted(self.rows, (start, stop))
                if last - first < stop - start:
                    block = block[self.rows[first:last] - start]
            if len(block):
                yield place, block
                place += len(block)

    def load(self) -> Floats:
        """All rows that count, in memory: the array itself where nothing has to change."""
        if not callable(self.source) and self.rows is None:
            return self.read(0, self.all_rows)
        loaded = np.empty((self.n, self.d), np.float32)
        for place, block in self.blocks():
            loaded[place : place + len(block)] = block
        return loaded


def finite_rows(matrix: Matrix) -> NDArray[np.int32] | None:
    """Which rows have finite numbers only; None: all."""
    wrong: list[NDArray[np.int64]] = []
    for place, block in matrix.blocks():
        # The sum is finite unless a number is not, or numbers are so large that they are looked at one by one.
        with np.errstate(all="ignore"):
            sums = block @ np.ones(matrix.d, np.float32)
        doubtful = np.flatnonzero(~np.isfinite(sums))
        if len(doubtful):
            wrong.append(place + doubtful[~np.isfinite(block[doubtful]).all(axis=1)])
    if not sum(map(len, wrong)):
        return None
    kept = np.ones(matrix.n, np.bool_)
    kept[np.concatenate(wrong)] = False
    return np.flatnonzero(kept).astype(np.int32)
