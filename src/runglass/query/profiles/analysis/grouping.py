"""Events that are alike, counted and summed without a loop over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.trace_groups import divide, sums_of
from runglass.query.profiles.model import Float64, Int32, Int64


class Groups(Struct):
    """`first` is the first event of each group among those given, `of` the group of each of them."""

    first: Int64
    of: Int32

    def __len__(self) -> int:
        return len(self.first)

    def count(self) -> Int64:
        return np.bincount(self.of, minlength=len(self)).astype(np.int64)

    def total(self, values: Int64) -> Int64:
        """Exact: sums of picoseconds exceed what a float holds."""
        return self.sums(values)[0]

    def mean(self, values: Float64, weights: Int64) -> Float64:
        weight = np.bincount(self.of, weights, len(self))
        found: Float64 = np.bincount(self.of, values * weights, len(self)) / np.maximum(weight, 1)
        return found

    def sums(self, values: Int64) -> tuple[Int64, Int64, Int64]:
        """The total, the least and the most of each group."""
        total, least, most = sums_of(self.of, np.ascontiguousarray(values, np.int64), len(self))
        return total, least, most


def group(columns: Sequence[NDArray[np.signedinteger]]) -> Groups:
    """Groups of equal values in all columns, in the order of the first column and so on."""
    given = [
        np.ascontiguousarray(column, column.dtype if column.dtype in (np.int32, np.int64) else np.int64)
        for column in columns
    ]
    of, first = divide(given)
    order = np.lexsort([column[first] for column in reversed(given)])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Groups(first[order], rank[of])
