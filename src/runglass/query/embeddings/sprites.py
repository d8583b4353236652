"""Sprites: one picture with a small tile for every point, cut into thumbnails when somebody asks for them.

A picture that is too large for memory is decoded by rows of tiles, of which only smaller ones are kept.
"""

from __future__ import annotations

import importlib
import io
import math
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.query.embeddings.formats.content import Content, read_whole
from runglass.query.embeddings.model import EmbeddingDamaged, Int32, Pixels
from runglass.query.embeddings.png import START, read_header, read_rows

# Of decoded pixels that are kept.
KEPT_BYTES = 256 << 20
MAX_FILE_BYTES = 4 << 30
# Of formats that another library decodes, all at once.
MAX_OTHER_BYTES = 256 << 20
# Tiles that are scaled at a time.
BLOCK_TILES = 256
# So many tiles too many are no padding any more.
SPARE_ROWS = 2


class SpriteSheet:
    """See `model.Sprite`."""

    def __init__(self, content: Content, tile: tuple[int, int] | None, points: int) -> None:
        """Reads the header. `tile` is None if nobody tells how large a tile is."""
        self._content = content
        self._points = points
        self._lock = threading.Lock()
        self._kept: Pixels | None = None
        self._header = read_header(content) if content.read(0, 8) == START else None
        self._other: Pixels | None = None if self._header else _decode_other(content)
        self.width, self.height = self._size()
        problems = []
        if tile is None or not tile[0] or not tile[1]:
            side = max(1, math.ceil(math.sqrt(points)))
            tile = max(1, self.width // side), max(1, self.height // side)
            problems.append(
                f"The config does not say how large a picture in {content.name} is. {tile[0]} × {tile[1]} pixels are taken, because "
                f"{side} of them fit into each row."
            )
        self.tile = tile
        self.columns, self.lines = self.width // tile[0], self.height // tile[1]
        self.count = self.columns * self.lines
        if not self.count:
            raise EmbeddingDamaged(
                f"{content.name} has {self.width} × {self.height} pixels, less than one picture of {tile[0]} × {tile[1]}.",
                where=content.name,
            )
        self.problems = (*problems, *self._find_problems(points))

    def _size(self) -> tuple[int, int]:
        if self._header is not None:
            return self._header.width, self._header.height
        assert self._other is not None
        return self._other.shape[1], self._other.shape[0]

    def _find_problems(self, points: int) -> list[str]:
        name, (width, height) = self._content.name, self.tile
        problems = []
        if self.width % width or self.height % height:
            problems.append(
                f"{name} has {self.width} × {self.height} pixels, which is not a multiple of {width} × {height}. What is left over at the "
                "right and at the bottom is not used."
            )
        if self.count < points:
            problems.append(
                f"{name} has room for {self.count:,} pictures of {width} × {height} and there are {points:,} vectors. The last "
                f"{points - self.count:,} have no picture."
            )
        elif self.count - points > max(SPARE_ROWS * self.columns, points):
            problems.append(
                f"{name} has room for {self.count:,} pictures of {width} × {height} and there are only {points:,} vectors. Check the "
                "size in the config."
            )
        return problems

    def tiles(self, rows: Sequence[int] | Int32, size: int) -> Pixels:
        """RGBA of shape (rows, size, size, 4), each tile fitted into its square; transparent where there is no tile."""
        numbers = np.asarray(rows, np.int64)
        out = np.zeros((len(numbers), size, size, 4), np.uint8)
        cut = self._cut()
        there = np.flatnonzero((numbers >= 0) & (numbers < self.count))
        for start in range(0, len(there), BLOCK_TILES):
            part = there[start : start + BLOCK_TILES]
            out[part] = fit(cut[numbers[part]], size, self.tile)
        return out

    def picture(self, row: int) -> Pixels:
        """The tile of a row as it is. Raises BadArgument if the sprite has none for it."""
        if not 0 <= row < min(self.count, self._points):
            raise BadArgument(f"{self._content.name} has no picture {row}.", where=self._content.name)
        cut = self._cut()[row]
        width, height = self.tile
        picture: Pixels = resize(cut[None], height, width)[0]
        return picture

    def data(self) -> bytes:
        return read_whole(self._content, MAX_FILE_BYTES)

    def image(self) -> Pixels:
        """The whole picture as RGBA."""
        return self._other if self._other is not None else decode_picture(self._content)

    def _cut(self) -> Pixels:
        """All tiles, (count, height, width, 4): as they are, or smaller if they would not fit into memory."""
        with self._lock:
            if self._kept is None:
                self._kept = self._read_tiles()
            return self._kept

    def _read_tiles(self) -> Pixels:
        width, height = self.tile
        shown = height, width
        if self.count * width * height * 4 > KEPT_BYTES:
            scale = math.sqrt(KEPT_BYTES / (self.count * width * height * 4))
            shown = max(1, int(height * scale)), max(1, int(width * scale))
        tiles = np.empty((self.count, *shown, 4), np.uint8)
        rows: Iterator[Pixels]
        if self._other is not None:
            rows = iter(self._other[line * height : (line + 1) * height] for line in range(self.lines))
        else:
            assert self._header is not None
            rows = read_rows(self._content, self._header, height)
        for line, pixels in zip(range(self.lines), rows, strict=False):
            used = pixels[:, : self.columns * width].reshape(height, self.columns, width, 4)
            block = used.transpose(1, 0, 2, 3)
            at = line * self.columns
            for start in range(0, self.columns, BLOCK_TILES):
                part = block[start : start + BLOCK_TILES]
                tiles[at + start : at + start + len(part)] = resize(part, *shown)
        return tiles


def fit(tiles: Pixels, size: int, tile: tuple[int, int] | None = None) -> Pixels:
    """Pictures (n, height, width, 4), each in a transparent square. `tile`: their width and height, where they are smaller copies."""
    width, height = tile or (tiles.shape[2], tiles.shape[1])
    scale = size / max(width, height)
    shown = max(1, round(height * scale)), max(1, round(width * scale))
    top, left = (size - shown[0]) // 2, (size - shown[1]) // 2
    out = np.zeros((len(tiles), size, size, 4), np.uint8)
    out[:, top : top + shown[0], left : left + shown[1]] = resize(tiles, *shown)
    return out


def decode_picture(content: Content) -> Pixels:
    """A whole picture as RGBA."""
    if content.read(0, 8) != START:
        return _decode_other(content)
    return np.concatenate(list(read_rows(content, read_header(content), 1024)))


def resize(tiles: Pixels, height: int, width: int) -> Pixels:
    """Smaller: the mean of the area that a pixel covers. Larger: the nearest pixel, so that small pictures stay sharp."""
    before = tiles.shape[1:3]
    if before == (height, width):
        return tiles
    if height > before[0] or width > before[1]:
        down = np.arange(height) * before[0] // height
        across = np.arange(width) * before[1] // width
        return tiles[:, down][:, :, across]
    rows, columns = _area_weights(before[0], height), _area_weights(before[1], width)
    # Colour counts as much as it is seen.
    values = tiles.astype(np.float32)
    alpha = values[..., 3:]
    values[..., :3] *= alpha * np.float32(1 / 255)
    means: NDArray[np.float32] = np.einsum("yh,nhwc,xw->nyxc", rows, values, columns, optimize=True)
    covered = np.maximum(means[..., 3:], np.float32(1e-6))
    means[..., :3] *= 255 / covered
    return np.clip(np.rint(means), 0, 255).astype(np.uint8)


def _area_weights(before: int, after: int) -> NDArray[np.float32]:
    """The weight of each old pixel in each new one, along one axis."""
    edges = np.linspace(0, before, after + 1)
    old = np.arange(before)
    overlap = np.minimum(edges[1:, None], old + 1) - np.maximum(edges[:-1, None], old)
    share: NDArray[np.float64] = np.clip(overlap, 0, None) * (after / before)
    return share.astype(np.float32)


def _decode_other(content: Content) -> Pixels:
    """A picture that is no PNG, with Pillow where it is installed."""
    head = content.read(0, 16)
    form = next((name for start, name in OTHER_STARTS.items() if head.startswith(start)), None)
    if form is None:
        raise EmbeddingDamaged(
            f"{content.name} is not in a known picture format. Write it as PNG.", where=content.name
        )
    try:
        pillow: Any = importlib.import_module("PIL.Image")
    except ImportError:
        raise EmbeddingDamaged(
            f"{content.name} is a {form}, which needs Pillow to be cut into pictures. Write it as PNG, or: pip install pillow",
            where=content.name,
        ) from None
    data = read_whole(content, MAX_FILE_BYTES)
    try:
        with pillow.open(io.BytesIO(data)) as picture:
            if picture.width * picture.height * 4 > MAX_OTHER_BYTES:
                raise EmbeddingDamaged(
                    f"{content.name} is a {form} of {picture.width} × {picture.height} pixels. Write it as PNG: those are read in parts.",
                    where=content.name,
                )
            return np.asarray(picture.convert("RGBA"))
    except (OSError, ValueError, SyntaxError) as error:
        raise EmbeddingDamaged(f"{content.name} is a damaged {form}: {error}.", where=content.name) from None


OTHER_STARTS = {
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"RIFF": "WebP",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
}
