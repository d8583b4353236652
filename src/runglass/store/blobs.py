"""Reads one value out of an event file by its byte range, checking the record's checksums on the way.

Large blobs are indexed without being read, so damage inside them is found here.
"""

from __future__ import annotations

import os

from runglass.errors import ValueDamaged
from runglass.native.records import masked_crc32c

HEADER_BYTES = 12
FOOTER_BYTES = 4


def load_range(path: str, *, record: int, value_at: int, value_size: int) -> bytes:
    """The bytes of one value; ValueDamaged when the file no longer holds it whole."""
    try:
        with open(path, "rb", buffering=0) as file:
            header = _read_at(file.fileno(), HEADER_BYTES, record)
            length = int.from_bytes(header[:8], "little")
            if len(header) < HEADER_BYTES or value_at + value_size > length or length > 0x7FFFFFFF:
                raise ValueDamaged(
                    f"{path}, byte {record}: the record of this value is no longer there. The file was changed after it was read; "
                    "reload the page.",
                    where=path,
                )
            payload = _read_at(file.fileno(), length + FOOTER_BYTES, record + HEADER_BYTES)
    except OSError as error:
        raise ValueDamaged(f"{path} cannot be read: {error.strerror}.", where=path) from error
    expected = int.from_bytes(payload[length : length + FOOTER_BYTES], "little")
    found = masked_crc32c(payload[:length])
    if len(payload) < length + FOOTER_BYTES or found != expected:
        raise ValueDamaged(
            f"{path}, byte {record}: payload checksum 0x{found:08x}, expected 0x{expected:08x}. This value cannot be shown; the others "
            "of the file can.",
            where=path,
        )
    return payload[value_at : value_at + value_size]


def _read_at(fd: int, size: int, offset: int) -> bytes:
    """`size` bytes from `offset`, or fewer where the file ends."""
    pieces = []
    while size > 0:
        if hasattr(os, "pread"):
            piece = os.pread(fd, size, offset)
        else:
            os.lseek(fd, offset, os.SEEK_SET)
            piece = os.read(fd, size)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
        offset += len(piece)
    return b"".join(pieces)
