from __future__ import annotations

import numpy as np
import pytest

from runglass.writer.values.copies import KEPT_BYTES, Copies

SOURCE = np.random.default_rng(0).random((60, 80, 30), dtype=np.float32)


@pytest.mark.parametrize(
    "array",
    [
        SOURCE,
        SOURCE.transpose(2, 0, 1),
        SOURCE[::-1, ::2],
        SOURCE[:2],
        np.broadcast_to(SOURCE[0], (50, 80, 30)),
    ],
    ids=["plain", "turned", "strided", "small", "broadcast"],
)
def test_a_copy_equals_and_shares_nothing(array):
    copied = Copies().copy(array)
    np.testing.assert_array_equal(copied, array)
    assert not np.shares_memory(copied, array)
    assert copied.flags.writeable


def test_memory_is_used_again():
    copies = Copies()
    first = copies.copy(SOURCE)
    second = copies.copy(SOURCE)
    assert not np.shares_memory(first, second)
    copies.give_back(first.transpose(2, 0, 1))
    third = copies.copy(SOURCE.transpose(1, 0, 2) + 1)
    assert np.shares_memory(first, third)
    np.testing.assert_array_equal(third, SOURCE.transpose(1, 0, 2) + 1)
    # Of another size, and once too often.
    copies.give_back(second)
    assert not np.shares_memory(second, copies.copy(SOURCE[:40]))


def test_little_lies_idle():
    copies = Copies()
    made = [copies.copy(SOURCE) for _ in range(2 * KEPT_BYTES // SOURCE.nbytes)]
    for each in made:
        copies.give_back(each)
    assert sum(block.nbytes for block in copies._idle) <= KEPT_BYTES
