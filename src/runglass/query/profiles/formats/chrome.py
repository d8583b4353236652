"""Chrome trace JSON, plain or compressed: the file in pieces, and what is said around the events. native/trace_json.pyx reads those."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from runglass.native.trace_json import ChromeScanner
from runglass.native.trace_rows import TraceFile, TraceRows
from runglass.query.profiles.formats.torch import parse_name

CHUNK_BYTES = 2048 << 10
GZIP_MAGIC = b"\x1f\x8b"
# Of gzip itself, with a header and a checksum.
GZIP_WINDOW = 31
# Traces shrink to a twentieth. What grows more than this, and beyond this size, was made to fill memory or disk.
BOMB_RATIO = 300
BOMB_BYTES = 1 << 30

TIMES = re.compile(rb'"ts"\s*:\s*"?(-?\d{1,17})\b')
# In microseconds. Larger times would not fit into picoseconds, and are counted from an origin of their own.
FAR_TIME = 10**12
ORIGIN_GRAIN = 10**6
# Times between 2000 and 2100 count from 1970.
UNIX_TIMES = range(946_684_800 * 10**6, 4_102_444_800 * 10**6)
# Bare words that writers of traces put where JSON wants a value.
BARE_WORD = re.compile(rb"(?<=[:,\[\s])(N/A|nan|-nan|inf|-inf|None|undefined)(?=\s*[,\]}])")


class Reader(Protocol):
    """An asset, or bytes that a user dropped."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size: int) -> bytes: ...


def read(
    reader: Reader,
    name: str,
    rows: TraceRows,
    *,
    flag: memoryview | None = None,
    report: Callable[[int], None] | None = None,
) -> TraceFile:
    """Add the events of one file. `report` is told the bytes that were read; where `flag` is set, reading ends early."""
    file = rows.begin_file(name, parse_name(name).worker)
    scanner = ChromeScanner(rows)
    pieces = inflate(reader, name, rows) if reader.read(0, 2) == GZIP_MAGIC else read_pieces(reader)
    has_origin = False
    for done, piece in read_ahead(pieces):
        if flag is not None and flag[0]:
            break
        if not has_origin:
            times = sorted(map(int, TIMES.findall(piece)))
            if times:
                has_origin = True
                # The middle one, because a file may begin with an event of another clock.
                scanner.origin_us = choose_origin(times[len(times) // 2])
        scanner.feed(piece)
        if report is not None:
            report(done)
    scanner.finish()
    if not scanner.events and reader.size_bytes:
        rows.add_problem(f"{name}: holds no trace events")
    elif not scanner.is_whole:
        rows.add_problem(f"{name}: byte {scanner.position}: the file is cut off here, or still being written")
    file.metadata = {key.decode("utf-8", "replace"): parse_value(value) for key, value in scanner.fields}
    file.metadata["origin_us"] = scanner.origin_us
    file.base_ns = find_base(file.metadata.get("baseTimeNanoseconds"), scanner.origin_us)
    return file


def choose_origin(time_us: int) -> int:
    return 0 if abs(time_us) < FAR_TIME else time_us // ORIGIN_GRAIN * ORIGIN_GRAIN


def find_base(base_ns: Any, origin_us: int) -> int | None:
    """Unix time of the rows' time 0; None if the file does not tell."""
    if origin_us in UNIX_TIMES:
        return origin_us * 1000
    if isinstance(base_ns, int | float) and 0 < base_ns < 2**63:
        return int(base_ns) + origin_us * 1000
    return None


def parse_value(data: bytes) -> Any:
    """A value of the file; its text, if it is not JSON."""
    try:
        return json.loads(BARE_WORD.sub(rb'"\1"', data), strict=False)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")


# Each piece comes with the bytes of the file that were read for it.
Pieces = Iterator[tuple[int, bytes]]


def read_pieces(reader: Reader) -> Pieces:
    at = 0
    while True:
        piece = reader.read(at, CHUNK_BYTES)
        if not piece:
            return
        at += len(piece)
        yield at, piece


def inflate(reader: Reader, name: str, rows: TraceRows) -> Pieces:
    """What can be decompressed; trouble is said, and ends it."""
    inflater = zlib.decompressobj(GZIP_WINDOW)
    total = at = 0
    is_inside = False
    for at, packed in read_pieces(reader):
        while packed:
            is_inside = True
            before = inflater.copy()
            try:
                piece = inflater.decompress(packed, CHUNK_BYTES)
            except zlib.error as error:
                piece, good = inflate_slowly(before, packed)
                rows.add_problem(
                    f"{name}: byte {at - len(packed) + good}: cannot be decompressed from here on: {error}"
                )
                yield at - len(packed) + good, piece
                return
            packed = inflater.unconsumed_tail
            total += len(piece)
            if total > max(BOMB_BYTES, BOMB_RATIO * at):
                rows.add_problem(
                    f"{name}: byte {at - len(packed)}: becomes more than {BOMB_RATIO} times as large when it is decompressed; "
                    "the rest is left out"
                )
                return
            if piece:
                yield at - len(packed), piece
            if inflater.eof:
                # Another member may follow; zeros may, too.
                packed = inflater.unused_data.lstrip(b"\0")
                inflater = zlib.decompressobj(GZIP_WINDOW)
                is_inside = False
    if is_inside:
        yield at, inflater.flush()
        rows.add_problem(f"{name}: byte {at}: the compressed file is cut off here, or still being written")


def inflate_slowly(inflater: Any, packed: bytes) -> tuple[bytes, int]:
    """What comes before the damage, and how many bytes it takes: zlib throws away what it has made in the call that fails."""
    made = bytearray()
    at = 0
    for step in (1024, 1):
        # The call that failed had to make no more than one chunk.
        while at < len(packed) and len(made) <= 2 * CHUNK_BYTES:
            before = inflater.copy()
            try:
                made += inflater.decompress(packed[at : at + step])
            except zlib.error:
                inflater = before
                break
            at += step
    return bytes(made), at


def read_ahead(pieces: Pieces) -> Pieces:
    """The same, one piece ahead: reading and decompressing go on while the piece before is parsed."""
    with ThreadPoolExecutor(1, thread_name_prefix="runglass-trace") as pool:
        coming = pool.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = pool.submit(next, pieces, None)
            yield piece
