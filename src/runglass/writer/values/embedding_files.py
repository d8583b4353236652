"""The files of one embedding as bytes: vectors, labels, and a sprite with one picture per point. Pure: opens no file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_numpy
from runglass.writer.values.png import PNG_COLOR_TYPES, as_uint8, encode_png

# TensorBoard's page refuses larger sprites.
MAX_SPRITE_PX = 8192
ROWS_AT_ONCE = 1024
# TensorBoard's page skips blank lines, so all later labels would move up by one point.
BLANK = "(empty)"
ESCAPED = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def as_vectors(vectors: object) -> NDArray[np.float32]:
    array = to_numpy(vectors, "vectors")
    if array.ndim != 2 or 0 in array.shape or array.dtype.kind == "c":
        raise BadArgument(
            f"vectors needs real numbers of shape (points, dimensions), got {array.dtype} of shape {array.shape}.",
            where="vectors",
        )
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def encode_vectors(vectors: NDArray[np.float32]) -> Iterator[bytes]:
    """TSV in pieces. Nine digits distinguish all float32 values and are eight times faster than the shortest form."""
    line = "\t".join(["%.9g"] * vectors.shape[1]) + "\n"
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        rows = vectors[start : start + ROWS_AT_ONCE]
        yield (line * len(rows) % tuple(rows.ravel().tolist())).encode()


def encode_metadata(metadata: Any, header: Sequence[str] | None, points: int) -> bytes:
    """One line per point. Readers treat the first line as a header exactly if it contains a tab.

    So several columns need a header, and a single column must not have one.
    """
    rows = metadata_rows(metadata)
    if len(rows) != points:
        raise BadArgument(
            f"metadata has {len(rows):,} label{'' if len(rows) == 1 else 's'} for {points:,} "
            f"vector{'' if points == 1 else 's'}. Pass one label per vector.",
            where="metadata",
        )
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise BadArgument(
            f"metadata has rows of {min(widths)} to {max(widths)} columns. Give every row the same columns.",
            where="metadata",
        )
    columns = max(widths)
    if columns > 1 and header is None:
        raise BadArgument(
            f"metadata has {columns} columns and no metadata_header. Pass their names: metadata_header=[…].",
            where="metadata_header",
        )
    if header is not None and len(header) != columns:
        raise BadArgument(
            f"metadata_header names {len(header)} columns, but metadata has {columns}.",
            where="metadata_header",
        )
    if header is not None and columns > 1:
        rows = [list(header), *rows]
    lines = ("\t".join(map(cell, row)) for row in rows)
    return "".join(f"{line if line.strip() else BLANK}\n" for line in lines).encode("utf-8", "replace")


def metadata_rows(metadata: Any) -> list[list[Any]]:
    if isinstance(metadata, str | bytes):
        raise BadArgument(
            "metadata needs a list with one label per vector, got one string.", where="metadata"
        )
    if not hasattr(metadata, "tolist") and callable(getattr(metadata, "numpy", None)):
        metadata = metadata.numpy()
    items = metadata.tolist() if hasattr(metadata, "tolist") else list(metadata)
    return [list(item) if isinstance(item, list | tuple) else [item] for item in items]


def cell(value: Any) -> str:
    if hasattr(value, "item"):
        value = value.item()
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text.translate(ESCAPED)


def make_tiles(images: object, points: int) -> NDArray[np.uint8]:
    """Pictures (points, height, width[, channels]), scaled down so that all of them fit into one sprite."""
    pixels = to_numpy(images, "images")
    if pixels.ndim == 3:
        pixels = pixels[..., np.newaxis]
    if pixels.ndim != 4 or pixels.shape[3] not in PNG_COLOR_TYPES or 0 in pixels.shape:
        raise BadArgument(
            f"images needs the shape (points, height, width) or (points, height, width, 1 to 4 channels), "
            f"got {pixels.shape}.",
            where="images",
        )
    if len(pixels) != points:
        raise BadArgument(
            f"images has {len(pixels):,} pictures and there are {points:,} vectors. Pass one picture per vector.",
            where="images",
        )
    largest_px = MAX_SPRITE_PX // math.ceil(math.sqrt(points))
    if not largest_px:
        raise BadArgument(
            f"images has {points:,} pictures; a sprite holds at most {MAX_SPRITE_PX**2:,}.", where="images"
        )
    height_px, width_px = pixels.shape[1:3]
    scale = largest_px / max(height_px, width_px)
    if scale >= 1:
        return as_uint8(pixels)
    size = max(1, int(height_px * scale)), max(1, int(width_px * scale))
    shrunk = np.empty((points, *size, pixels.shape[3]), np.uint8)
    for start in range(0, points, ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        shrunk[part] = shrink(as_uint8(pixels[part]), *size)
    return shrunk


def shrink(tiles: NDArray[np.uint8], height_px: int, width_px: int) -> NDArray[np.uint8]:
    """Each new pixel is the mean of the area that it covers."""
    rows = area_weights(tiles.shape[1], height_px)
    columns = area_weights(tiles.shape[2], width_px)
    means: NDArray[np.float32] = np.einsum(
        "yh,nhwc,xw->nyxc", rows, tiles.astype(np.float32), columns, optimize=True
    )
    return np.rint(means).astype(np.uint8)


def area_weights(before_px: int, after_px: int) -> NDArray[np.float32]:
    """The weight of each old pixel in each new one, along one axis."""
    edges = np.linspace(0, before_px, after_px + 1)
    old = np.arange(before_px)
    overlap = np.minimum(edges[1:, None], old + 1) - np.maximum(edges[:-1, None], old)
    share: NDArray[np.float64] = np.clip(overlap, 0, None) * (after_px / before_px)
    return share.astype(np.float32)


def encode_sprite(tiles: NDArray[np.uint8]) -> bytes:
    """A square grid, filled row by row; unused cells stay black."""
    points, height_px, width_px, channels = tiles.shape
    side = math.ceil(math.sqrt(points))
    grid = np.zeros((side, height_px, side, width_px, channels), np.uint8)
    # A view in the order of the tiles; assigning to it fills the grid.
    by_tile = grid.transpose(0, 2, 1, 3, 4)
    full_rows = points // side
    by_tile[:full_rows] = tiles[: full_rows * side].reshape(full_rows, side, height_px, width_px, channels)
    if points % side:
        by_tile[full_rows, : points % side] = tiles[full_rows * side :]
    return encode_png(grid.reshape(side * height_px, side * width_px, channels))
