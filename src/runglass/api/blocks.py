"""Named arrays in the column format, both ways. Knows nothing of what is in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.answers import ALIGNMENT_BYTES, MAGIC, little_endian, pack_columns
from runglass.api.route import COLUMNS, Answer

VERSION = 1
HEAD_AT = 8


def encode_blocks(head: Struct | Mapping[str, Any], blocks: Mapping[str, NDArray[Any]]) -> bytes:
    """A head that lists its blocks by name, type and length, and the blocks."""
    listed = [
        {"name": name, "type": str(block.dtype), "length": int(block.size)} for name, block in blocks.items()
    ]
    fields = msgspec.structs.asdict(head) if isinstance(head, Struct) else dict(head)
    return pack_columns(
        {"version": VERSION, "blocks": listed, **fields},
        [little_endian(block.reshape(-1)) for block in blocks.values()],
    )


def blocks_answer(head: Struct | Mapping[str, Any], blocks: Mapping[str, NDArray[Any]]) -> Answer:
    return Answer(encode_blocks(head, blocks), COLUMNS)


def decode_blocks(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `encode_blocks` made: the arrays are views of the bytes."""
    if data[:4] != MAGIC:
        raise ValueError("not in the column format")
    at = HEAD_AT + int.from_bytes(data[4:HEAD_AT], "little")
    head: dict[str, Any] = json.loads(data[HEAD_AT:at])
    blocks = {}
    for block in head["blocks"]:
        dtype = np.dtype(block["type"]).newbyteorder("<")
        blocks[block["name"]] = np.frombuffer(data, dtype, block["length"], at)
        at += block["length"] * dtype.itemsize
        at += -at % ALIGNMENT_BYTES
    return head, blocks
