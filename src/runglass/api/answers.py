"""Encodes numbers as JSON, CSV and binary columns, the three forms of an answer.

JSON has no NaN and no infinities; they are sent as the strings "NaN", "Infinity" and "-Infinity", never as null.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from runglass.api.route import encode_json

Number = float | Literal["NaN", "Infinity", "-Infinity"]

MAGIC = b"RGC1"
ALIGNMENT_BYTES = 8
# Encoding so many takes a few milliseconds. More in one call would hold the interpreter, and with it all other answers, and go on
# after the client has gone.
PIECE_ROWS = 10_000


def number(value: float) -> Number:
    value = float(value)
    if isfinite(value):
        return value
    if value == inf:
        return "Infinity"
    return "-Infinity" if value == -inf else "NaN"


def number_or_none(value: float | None) -> Number | None:
    return None if value is None else number(value)


def numbers(values: NDArray[Any]) -> list[Number]:
    listed: list[Number] = values.tolist()
    if np.isfinite(values).all():
        return listed
    return [number(value) for value in values.tolist()]


def encode_csv(header: Sequence[str], columns: Sequence[NDArray[Any]]) -> bytes:
    """A table with every number in full precision, as Python's repr prints it."""
    return "".join([",".join(header), "\n", *csv_pieces(columns)]).encode()


def csv_pieces(columns: Sequence[NDArray[Any]], before: str = "") -> Iterator[str]:
    """The rows of a table, each with `before` at its beginning."""
    row = before.replace("%", "%%") + ",".join(["%r"] * len(columns)) + "\n"
    for first in range(0, len(columns[0]), PIECE_ROWS):
        rows = zip(*(column[first : first + PIECE_ROWS].tolist() for column in columns), strict=True)
        yield "".join([row % values for values in rows])


def json_pieces(head: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Iterator[bytes]:
    """A JSON object: what is in `head`, and an array of numbers for every column."""
    yield encode_json(head)[:-1]
    for name, column in columns.items():
        yield f',"{name}":['.encode()
        for first in range(0, len(column), PIECE_ROWS):
            yield (b"," if first else b"") + encode_json(numbers(column[first : first + PIECE_ROWS]))[1:-1]
        yield b"]"
    yield b"}"


def attachment(name: str) -> tuple[str, str]:
    """The header that names the saved file. Tags come from log files, so only safe characters stay."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._") or "runglass"
    return "content-disposition", f'attachment; filename="{safe[:120]}"'


def pack_columns(head: dict[str, Any], blocks: Iterable[bytes | NDArray[Any]]) -> bytes:
    """Magic, length of the head, the JSON head, then the blocks, each at a multiple of 8 bytes. Little endian."""
    return b"".join(column_pieces(head, blocks))


def column_pieces(head: dict[str, Any], blocks: Iterable[bytes | NDArray[Any]]) -> Iterator[Any]:
    """The same piece by piece, for bodies that are better not copied."""
    encoded = encode_json(head)
    encoded += b" " * (-len(encoded) % ALIGNMENT_BYTES)
    yield MAGIC + len(encoded).to_bytes(4, "little") + encoded
    for block in blocks:
        yield block
        size_bytes = len(block) if isinstance(block, bytes) else block.nbytes
        if odd := size_bytes % ALIGNMENT_BYTES:
            yield _PADDING[odd]


_PADDING = [b"\0" * (-odd % ALIGNMENT_BYTES) for odd in range(ALIGNMENT_BYTES)]


def little_endian(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers as a block for `pack_columns`; on nearly every machine the array itself."""
    if sys.byteorder == "big":
        values = values.astype(values.dtype.newbyteorder("<"))
    return np.ascontiguousarray(values)
