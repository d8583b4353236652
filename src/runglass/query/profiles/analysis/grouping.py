"""Events that are alike, counted and summed without a loop over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.profiles.model import Float64, Int64


class Groups(Struct):
    """`first` is the first event of each group among those given, `of` the group of each of them."""

    first: Int64
    of: Int64

    def __len__(self) -> int:
        return len(self.first)

    def count(self) -> Int64:
        return np.bincount(self.of, minlength=len(self)).astype(np.int64)

    def total(self, values: Int64) -> Int64:
        """Exact: sums of picoseconds exceed what a float holds."""
        found = np.zeros(len(self), np.int64)
        np.add.at(found, self.of, values)
        return found

    def mean(self, values: Float64, weights: Int64) -> Float64:
        weight = np.bincount(self.of, weights, len(self))
        found: Float64 = np.bincount(self.of, values * weights, len(self)) / np.maximum(weight, 1)
        return found

    def least(self, values: Int64) -> Int64:
        found = np.full(len(self), np.iinfo(np.int64).max, np.int64)
        np.minimum.at(found, self.of, values)
        return found

    def most(self, values: Int64) -> Int64:
        found = np.full(len(self), np.iinfo(np.int64).min, np.int64)
        np.maximum.at(found, self.of, values)
        return found


def group(columns: Sequence[NDArray[np.signedinteger]]) -> Groups:
    """Groups of equal values in all columns, in the order of the first column and so on."""
    count = len(columns[0])
    code = np.zeros(count, np.int64)
    for column in columns:
        values, number = dense(column)
        code = code * max(values, 1) + number
        if int(code.max(initial=0)) > 1 << 31:
            _, code = dense(code)
    total, code = dense(code)
    first = np.full(total, count, np.int64)
    np.minimum.at(first, code, np.arange(count))
    return Groups(first, code)


def dense(column: NDArray[np.signedinteger]) -> tuple[int, Int64]:
    """Numbers from 0 on for the values that occur, in their order; and how many these are."""
    if not len(column):
        return 0, column.astype(np.int64)
    low, high = int(column.min()), int(column.max())
    if high - low > 4 * len(column) + 1024:
        values, number = np.unique(column, return_inverse=True)
        return len(values), number.astype(np.int64)
    used = np.zeros(high - low + 1, np.bool_)
    shifted = column.astype(np.int64) - low
    used[shifted] = True
    places = np.cumsum(used) - 1
    found: Int64 = places[shifted]
    return int(used.sum()), found
