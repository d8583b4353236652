"""Copies of arrays in memory that is used again: the first touch of fresh memory takes longer than the copying itself.

Knows nothing of what the arrays hold.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Smaller blocks come from memory that malloc has used before.
LEAST_BYTES = 128 << 10
# What may lie idle between two values.
KEPT_BYTES = 32 << 20
SMALL_STEPS = 4


class Copies:
    """Blocks of a few sizes. Every change is one operation on a deque, so that threads need no lock."""

    def __init__(self) -> None:
        self._idle: deque[NDArray[np.uint8]] = deque()
        self._idle_bytes = 0

    def copy(self, array: NDArray[Any]) -> NDArray[Any]:
        """In the memory order of `array`; `give_back` takes it when nobody reads it any more."""
        if array.nbytes < LEAST_BYTES or array.dtype.hasobject:
            return array.copy(order="K")
        flat = self.empty(array.nbytes).view(array.dtype)
        if array.flags.c_contiguous:
            copied = flat.reshape(array.shape)
        else:
            order = np.argsort([-abs(stride) for stride in array.strides], kind="stable")
            turned = flat.reshape([array.shape[axis] for axis in order])
            copied = turned.transpose(np.argsort(order))
        copied[...] = array
        return copied

    def empty(self, size_bytes: int) -> NDArray[np.uint8]:
        """For what is to be filled, in the same way."""
        if size_bytes < LEAST_BYTES:
            return np.empty(size_bytes, np.uint8)
        return self._block(block_bytes(size_bytes))[:size_bytes]

    def give_back(self, copied: NDArray[Any]) -> None:
        block = copied.base
        while block is not None and block.base is not None:
            block = block.base
        if block is None or block.nbytes < LEAST_BYTES or self._idle_bytes + block.nbytes > KEPT_BYTES:
            return
        self._idle_bytes += block.nbytes
        self._idle.append(block)

    def _block(self, size: int) -> NDArray[np.uint8]:
        for _ in range(len(self._idle)):
            try:
                block = self._idle.popleft()
            except IndexError:
                break
            if block.nbytes == size:
                self._idle_bytes -= size
                return block
            self._idle.append(block)
        return np.empty(size, np.uint8)


def block_bytes(size: int) -> int:
    """The next of four sizes between powers of two, so that pictures of about one size share blocks."""
    step = 1 << max(0, size.bit_length() - 1 - SMALL_STEPS // 2)
    return -(-size // step) * step


copies = Copies()
