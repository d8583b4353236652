"""Encodes lines as binary columns: a JSON head, then x tables, masks and y values, ready for the page's typed arrays.

Knows the layout only. `decode_lines` reads it back, for scripts and tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.answers import ALIGNMENT_BYTES, MAGIC, little_endian, pack_columns
from runglass.dashboards.scalars.shape import Role
from runglass.query.masks import pack_mask
from runglass.query.source import Float64, Line

ROLES: tuple[Role, ...] = get_args(Role)
NUMBER_OF_ROLE = {role: number for number, role in enumerate(ROLES)}
X_BYTES = 8
# How many tables with the same ends a line is compared with before it gets its own.
TABLES_COMPARED = 4
# Points from which on copying to compare costs more than a call of NumPy.
LARGE_TABLE = 4096


class _Shared(Struct):
    """Lines that share their x values."""

    x: Float64
    lines: list[int] = []
    # The bytes of x, set at the first comparison.
    data: bytes = b""

    def is_over(self, other: _Shared) -> bool:
        if self.x is other.x:
            return True
        if len(self.x) > LARGE_TABLE:
            return np.array_equal(self.x.view(np.int64), other.x.view(np.int64))
        for each in (self, other):
            if not each.data:
                each.data = each.x.tobytes()
        return self.data == other.data


def encode_lines(generation: int, lines: list[tuple[Role, Line]]) -> bytes:
    tables: list[Float64] = []
    table_of = [0] * len(lines)
    masks: list[bytes | None] = [None] * len(lines)

    def add_table(x: Float64) -> int:
        tables.append(x)
        return len(tables) - 1

    for shared in _share(lines):
        is_masked = _choose_masked(shared, lines)
        common = add_table(shared.x) if is_masked is not None else 0
        for index, masked in zip(shared.lines, is_masked or [False] * len(shared.lines), strict=True):
            kept = lines[index][1].kept
            if kept is None:
                table_of[index] = common
            elif masked:
                table_of[index] = common
                masks[index] = pack_mask(kept, len(shared.x))
            else:
                table_of[index] = add_table(shared.x[kept])

    runs: dict[str, int] = {}
    tags: dict[str, int] = {}
    columns = {
        "run": [runs.setdefault(line.key.run, len(runs)) for _, line in lines],
        "tag": [tags.setdefault(line.key.tag, len(tags)) for _, line in lines],
        "role": [NUMBER_OF_ROLE[role] for role, _ in lines],
        "generation": [line.generation for _, line in lines],
        "total": [line.total for _, line in lines],
        "x": table_of,
        "count": [len(line.y) for _, line in lines],
        "masked": [0 if mask is None else 1 for mask in masks],
        "width": [line.y.dtype.itemsize for _, line in lines],
    }
    head = {
        "version": 1,
        "generation": generation,
        "x_tables": [len(table) for table in tables],
        "runs": list(runs),
        "tags": list(tags),
        "lines": columns,
    }

    def blocks() -> Iterator[bytes | NDArray[Any]]:
        yield from map(little_endian, tables)
        for mask, (_, line) in zip(masks, lines, strict=True):
            if mask is not None:
                yield mask
            yield little_endian(line.y)

    return pack_columns(head, blocks())


def _share(lines: list[tuple[Role, Line]]) -> list[_Shared]:
    """Group lines with equal x. Only arrays with equal length, ends and middle are compared in full."""
    groups: list[_Shared] = []
    by_ends: dict[tuple[float, ...], list[_Shared]] = {}
    for index, (_, line) in enumerate(lines):
        x = line.x
        count = len(x)
        ends = (count, x.item(0), x.item(count // 2), x.item(count - 1)) if count else (0,)
        candidates = by_ends.setdefault(ends, [])
        own = _Shared(x)
        for shared in candidates[-TABLES_COMPARED:]:
            if shared.is_over(own):
                break
        else:
            shared = own
            candidates.append(shared)
            groups.append(shared)
        shared.lines.append(index)
    return groups


def _choose_masked(shared: _Shared, lines: list[tuple[Role, Line]]) -> list[bool] | None:
    """For each line, whether it refers to a shared table by a mask; None if a shared table would take more bytes."""
    mask_bytes = len(shared.x) // 8 + 1
    own_bytes = []
    needs_table = False
    for index in shared.lines:
        kept = lines[index][1].kept
        needs_table = needs_table or kept is None
        own_bytes.append(0 if kept is None else len(kept) * X_BYTES)
    common_bytes = len(shared.x) * X_BYTES + sum(min(mask_bytes, own) for own in own_bytes)
    if not needs_table and common_bytes >= sum(own_bytes):
        return None
    return [mask_bytes < own for own in own_bytes]


class DecodedLine(Struct, frozen=True):
    run: str
    tag: str
    role: str
    generation: int
    total: int
    x: NDArray[np.float64]
    y: NDArray[Any]


def decode_lines(data: bytes) -> tuple[int, list[DecodedLine]]:
    """The generation and the lines of an answer in the columns format."""
    if data[:4] != MAGIC:
        raise ValueError(f"not in the columns format: it starts with {data[:4]!r}, expected {MAGIC!r}")
    at = 8 + int.from_bytes(data[4:8], "little")
    head = msgspec.json.decode(data[8:at])

    def take(dtype: str, count: int) -> NDArray[Any]:
        nonlocal at
        block = np.frombuffer(data, dtype, count, at)
        at += -(-block.nbytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        return block

    tables = [take("<f8", length) for length in head["x_tables"]]
    columns = head["lines"]
    decoded = []
    for run, tag, role, generation, total, table, count, masked, width in zip(*columns.values(), strict=True):
        x = tables[table]
        if masked:
            bits = take("u1", -(-len(x) // 8))
            x = x[np.unpackbits(bits, count=len(x), bitorder="little").astype(bool)]
        y = take(f"<f{width}", count)
        decoded.append(
            DecodedLine(head["runs"][run], head["tags"][tag], ROLES[role], generation, total, x, y)
        )
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes follow the last line")
    return head["generation"], decoded
