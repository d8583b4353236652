"""Reads one value from an event file by its byte range, and checks the record's payload checksum.

Scanning does not read large blobs, so damage inside them is found here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.errors import ValueDamaged
from runglass.native.records import masked_crc32c
from runglass.store import files

HEADER_BYTES = 12
FOOTER_BYTES = 4


class Range(NamedTuple):
    """Where a value is: the first byte of its record, and its place inside the payload."""

    record: int
    value_at: int
    value_size: int


def load_range(path: str, wanted: Range) -> bytes:
    """The bytes of one value; raises ValueDamaged if the file no longer has it."""
    (data,) = load_ranges(path, [wanted])
    if isinstance(data, ValueDamaged):
        raise data
    return data


def load_ranges(path: str, ranges: Iterable[Range], *, shown: str = "") -> Iterator[bytes | ValueDamaged]:
    """The bytes of each value, from one open file; a ValueDamaged in place of each value that the file no longer has.

    `shown`: the file in messages, if not its path.
    """
    wanted = list(ranges)
    shown = shown or path
    try:
        files.make_present(path, [(each.record, each.record + _first_read(each)) for each in wanted])
        with open(path, "rb", buffering=0) as file:
            yield from [_load(file.fileno(), path, shown, *each) for each in wanted]
    except OSError as error:
        yield from [ValueDamaged(f"{shown} cannot be read: {error.strerror}.", where=shown)] * len(wanted)


def load_rows(
    rows: Sequence[int],
    columns: Sequence[NDArray[Any]],
    file_of_row: NDArray[np.int32] | None,
    find_file: Callable[[int], tuple[str, str]],
) -> list[bytes | ValueDamaged]:
    """The bytes of some rows of a series, each file opened once. `columns`: record, value_at and value_size of all rows.

    `find_file`: path and shown path of a file by its number in `file_of_row`; None there: all rows are in file 0.
    """
    record, value_at, value_size = columns
    # By file: the places of its values in the answer.
    places: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        file = 0 if file_of_row is None else int(file_of_row[row])
        places.setdefault(file, []).append(place)
    loaded: list[bytes | ValueDamaged] = [b""] * len(rows)
    for file, here in places.items():
        ranges = [
            Range(int(record[row]), int(value_at[row]), int(value_size[row]))
            for row in (rows[place] for place in here)
        ]
        path, shown = find_file(file)
        for place, data in zip(here, load_ranges(path, ranges, shown=shown), strict=True):
            loaded[place] = data
    return loaded


def _first_read(wanted: Range) -> int:
    # A value is mostly at the end of its record; then one read gets all of it.
    return HEADER_BYTES + wanted.value_at + wanted.value_size + FOOTER_BYTES


def _load(
    fd: int, path: str, shown: str, record: int, value_at: int, value_size: int
) -> bytes | ValueDamaged:
    data = read_at(fd, _first_read(Range(record, value_at, value_size)), record)
    length = int.from_bytes(data[:8], "little")
    if len(data) < HEADER_BYTES or value_at + value_size > length or length > 0x7FFFFFFF:
        return ValueDamaged(
            f"{shown}, byte {record}: the record of this value is no longer there. The file was changed after it was read; "
            "reload the page.",
            where=shown,
        )
    end = HEADER_BYTES + length
    if len(data) < end + FOOTER_BYTES:
        files.make_present(path, [(record + len(data), record + end + FOOTER_BYTES)])
        data += read_at(fd, end + FOOTER_BYTES - len(data), record + len(data))
    payload = memoryview(data)[HEADER_BYTES:end]
    expected = int.from_bytes(data[end : end + FOOTER_BYTES], "little")
    found = masked_crc32c(payload)
    if len(data) < end + FOOTER_BYTES or found != expected:
        return ValueDamaged(
            f"{shown}, byte {record}: payload checksum 0x{found:08x}, expected 0x{expected:08x}. This value cannot be shown; the others "
            "of the file can.",
            where=shown,
        )
    return bytes(payload[value_at : value_at + value_size])


def read_at(fd: int, size: int, offset: int) -> bytes:
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


def read_at_into(fd: int, into: memoryview, offset: int) -> int:
    """Fills `into` with the bytes from `offset`, and says how many there are: fewer where the file ends."""
    done = 0
    while done < len(into):
        if hasattr(os, "preadv"):
            got = os.preadv(fd, [into[done:]], offset + done)
        else:
            piece = read_at(fd, len(into) - done, offset + done)
            got = len(piece)
            into[done : done + got] = piece
        if not got:
            break
        done += got
    return done
