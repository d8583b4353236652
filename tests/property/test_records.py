from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.records import RecordCursor, crc32c, crc32c_by_table, frame_many

# Another process on the machine must not fail a test.
untimed = settings(deadline=None)


def crc32c_oracle(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@untimed
@given(st.binary(max_size=300))
def test_checksums_equal_the_definition(data):
    assert crc32c(data) == crc32c_by_table(data) == crc32c_oracle(data)


# Around the lengths at which one, then three short, then three long streams take over, at every alignment.
@untimed
@given(
    st.sampled_from([767, 768, 769, 1535, 1536, 1540, 12287, 12288, 12289, 13056, 24576, 40000]),
    st.integers(0, 8),
    st.integers(0, 9),
    st.randoms(use_true_random=False),
)
def test_checksums_of_long_data_equal_the_portable_version(size, start, extra, random):
    data = random.randbytes(start + size + extra)
    view = memoryview(data)[start:]
    assert crc32c(view) == crc32c_by_table(view)


@untimed
@given(st.lists(st.binary(max_size=50), max_size=8), st.lists(st.integers(0, 400), max_size=8))
def test_feeding_in_pieces_equals_feeding_at_once(payloads, cuts):
    data = frame_many(payloads)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    cursor = RecordCursor()
    found = []
    for start, end in itertools.pairwise(edges):
        cursor.feed(data[start:end])
        found.extend(cursor)
    assert [payload for _, payload, _ in found] == payloads
    assert all(ok for _, _, ok in found)
    offset = 0
    for (at, _, _), payload in zip(found, payloads, strict=True):
        assert at == offset
        offset += len(payload) + 16
    assert cursor.offset == len(data)


@untimed
@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_records_or_an_error(data):
    cursor = RecordCursor()
    cursor.feed(data)
    try:
        found = list(cursor)
    except ValueError:
        return
    assert sum(len(payload) + 16 for _, payload, _ in found) <= len(data)
