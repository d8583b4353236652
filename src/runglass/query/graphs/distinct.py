"""Distinct numbers of a column. As np.unique, which imports NumPy's masked arrays the first time: longer than a graph takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Distinct(Struct, frozen=True):
    # Ascending.
    values: NDArray[Any]
    # Where each occurs first.
    first: NDArray[np.int64]
    # Which of the values each number is.
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]


def find_distinct(numbers: NDArray[Any]) -> Distinct:
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_new)
    codes = np.empty(len(ordered), np.int64)
    codes[order] = np.cumsum(is_new) - 1
    return Distinct(ordered[starts], order[starts], codes, np.diff(np.append(starts, len(ordered))))


def distinct_values(numbers: NDArray[Any]) -> NDArray[Any]:
    """Ascending."""
    ordered = np.sort(numbers)
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
