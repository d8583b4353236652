"""What the native compressor writes, through zlib: the same bytes."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runglass.native.deflate import deflate_runs

RUNS = st.lists(st.tuples(st.integers(0, 255), st.integers(1, 600)), max_size=40)
RNG = np.random.default_rng(0)


def assert_survives(data: bytes) -> None:
    assert zlib.decompress(deflate_runs(data), -15) == data


@given(st.binary(max_size=3000))
def test_any_bytes(data):
    assert_survives(data)


@given(RUNS)
def test_runs_of_any_length(runs):
    assert_survives(b"".join(bytes([byte]) * count for byte, count in runs))


@pytest.mark.parametrize("count", [(1 << 17) - 1, 1 << 17, (1 << 17) + 1, (1 << 17) + 3, 400_000])
@pytest.mark.parametrize("bytes_used", [1, 2, 5, 256])
def test_several_blocks(count, bytes_used):
    assert_survives(RNG.integers(0, bytes_used, count, dtype=np.uint8).tobytes())


def test_codes_that_would_be_too_long():
    """Counts that grow like Fibonacci's numbers make the longest codes; a format has 15 bits for them."""
    counts = [1, 1]
    while len(counts) < 24:
        counts.append(counts[-1] + counts[-2])
    data = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)[: 1 << 17]
    assert_survives(RNG.permutation(data).tobytes())
