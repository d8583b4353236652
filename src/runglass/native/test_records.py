from __future__ import annotations

import pytest

from runglass.native.records import (
    RecordCursor,
    RecordError,
    crc32c,
    crc32c_by_table,
    frame,
    frame_many,
    masked_crc32c,
)

VERSION_RECORD = bytes.fromhex(
    "1800000000000000 a37f4b22 0900000040fc54d9411a0d627261696e2e4576656e743a32 eced8f9d"
)
SCALAR_RECORD = bytes.fromhex(
    "1a00000000000000 129bd82d 0900000040fc54d94110052a0d0a0b0a046c6f7373150000003f 9434ff71"
)


@pytest.mark.parametrize("checksum", [crc32c, crc32c_by_table])
def test_checksums_of_the_standard_vectors(checksum):
    assert checksum(b"") == 0
    assert checksum(b"123456789") == 0xE3069283
    assert checksum(bytes(8)) == 0x8C28B28A
    assert checksum(bytes(32)) == 0x8A9136AA
    assert checksum(b"\xff" * 32) == 0x62A8AB43


def test_masked_checksums():
    assert masked_crc32c(b"") == 0xA282EAD8
    assert masked_crc32c(bytes(8)) == 0x07980329
    assert masked_crc32c(b"123456789") == 0xC78AB0E5


def test_framing_gives_the_bytes_other_writers_give():
    assert frame(VERSION_RECORD[12:-4]) == VERSION_RECORD
    assert frame_many([VERSION_RECORD[12:-4], SCALAR_RECORD[12:-4]]) == VERSION_RECORD + SCALAR_RECORD
    assert frame_many([]) == b""


def test_frame_many_refuses_what_is_not_bytes():
    with pytest.raises(TypeError, match="str"):
        frame_many(["no"])  # type: ignore[list-item]


def test_a_cursor_gives_offsets_and_payloads():
    cursor = RecordCursor()
    cursor.feed(VERSION_RECORD + SCALAR_RECORD)
    assert list(cursor) == [
        (0, VERSION_RECORD[12:-4], True),
        (len(VERSION_RECORD), SCALAR_RECORD[12:-4], True),
    ]
    assert cursor.offset == len(VERSION_RECORD) + len(SCALAR_RECORD)


def test_a_cursor_flags_a_bad_payload_and_reads_on():
    damaged = bytearray(VERSION_RECORD)
    damaged[20] ^= 1
    cursor = RecordCursor(offset=1000)
    cursor.feed(damaged + SCALAR_RECORD)
    assert [(offset, ok) for offset, _, ok in cursor] == [(1000, False), (1040, True)]


def test_a_cursor_stops_for_good_at_a_bad_length():
    damaged = bytearray(SCALAR_RECORD)
    damaged[0] ^= 1
    cursor = RecordCursor()
    cursor.feed(VERSION_RECORD + damaged + VERSION_RECORD)
    assert next(cursor)[0] == 0
    for _ in range(2):
        with pytest.raises(RecordError, match="byte 40: length checksum 0x2dd89b12, expected") as caught:
            next(cursor)
        assert caught.value.offset == 40


def test_a_length_near_the_end_of_the_number_range_is_only_short_data():
    header = b"\xff" * 8
    cursor = RecordCursor()
    cursor.feed(header + masked_crc32c(header).to_bytes(4, "little") + bytes(100))
    assert list(cursor) == []
