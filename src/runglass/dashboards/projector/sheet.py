"""A sheet of thumbnails as a PNG file: tiles side by side in the order asked, as near to a square as they go."""

from __future__ import annotations

import math
import re
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from runglass.api.checks import check_count
from runglass.api.route import Answer
from runglass.dashboards.projector.describing import check_sprite
from runglass.dashboards.projector.loaded import Loaded
from runglass.dashboards.projector.shape import MAX_TILES
from runglass.errors import BadRequest

PNG = "image/png"
# Speed before size: a sheet is made for one look.
LEVEL = 1
RGBA = 6


def make_sheet(loaded: Loaded, rows: NDArray[np.int32], size: int) -> Answer:
    check_sprite(loaded)
    loaded.check_rows(rows)
    sprite = loaded.embedding.sprite
    assert sprite is not None
    return Answer(encode_png(place_tiles(sprite.tiles(rows, size))), PNG)


def place_tiles(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Tiles of shape (n, size, size, 4) in one picture with ceil(√n) columns, transparent where there is none."""
    count, size = tiles.shape[:2]
    columns = max(1, math.ceil(math.sqrt(count)))
    lines = max(1, math.ceil(count / columns))
    room = np.zeros((lines * columns, size, size, 4), np.uint8)
    room[:count] = tiles
    grid = room.reshape(lines, columns, size, size, 4).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid).reshape(lines * size, columns * size, 4)


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    height, width = pixels.shape[:2]
    # Each line begins with its filter: 0 is none.
    lines = np.zeros((height, 1 + width * 4), np.uint8)
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, RGBA, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.data, LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def parse_rows(text: str) -> NDArray[np.int32]:
    """Rows from "1,5,10-20"."""
    rows: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part.strip())
        if match is None:
            raise BadRequest("`rows` must be row numbers and ranges, as in 1,5,10-20.", where="rows")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        check_count(len(rows) + last - first + 1, MAX_TILES, what="pictures", where="rows")
        rows.extend(range(first, last + 1))
    if not rows:
        raise BadRequest("`rows` has no rows.", where="rows")
    return np.array(rows, np.int32)
