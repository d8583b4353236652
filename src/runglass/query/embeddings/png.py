"""PNG files decoded by rows, so that a picture need not fit into memory. Knows nothing of sprites."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.native.unfilter import unfilter
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.memory import check_claim
from runglass.query.embeddings.model import EmbeddingDamaged, Pixels

START = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_ALPHA: (8, 16), RGBA: (8, 16)}
# First column and row of each pass of an interlaced picture, and how far its pixels are apart.
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
READ_BYTES = 1 << 20


class PngHeader(NamedTuple):
    width: int
    height: int
    depth: int
    color: int
    is_interlaced: bool
    # RGBA of every index.
    palette: Pixels | None
    # The colour that is transparent, of pictures without alpha.
    transparent: tuple[int, ...] | None
    # Where the pixels begin.
    data_at: int

    @property
    def row_bytes(self) -> int:
        return row_size(self, self.width)


def row_size(header: PngHeader, width: int) -> int:
    return (width * CHANNELS[header.color] * header.depth + 7) // 8


def read_header(content: Content) -> PngHeader:
    palette: Pixels | None = None
    transparent: tuple[int, ...] | None = None
    at = len(START)
    fields = None
    for kind, start, size in _chunks(content, at):
        if kind == b"IHDR":
            fields = struct.unpack(">IIBBBBB", content.read(start, 13).ljust(13, b"\0"))
        elif kind == b"PLTE":
            colors = np.frombuffer(content.read(start, min(size, 768) // 3 * 3), np.uint8).reshape(-1, 3)
            palette = np.full((256, 4), 255, np.uint8)
            palette[: len(colors), :3] = colors
        elif kind == b"tRNS":
            data = content.read(start, min(size, 256))
            if palette is not None:
                palette[: len(data), 3] = np.frombuffer(data, np.uint8)
            else:
                transparent = struct.unpack(f">{len(data) // 2}H", data[: len(data) // 2 * 2])
        elif kind == b"IDAT":
            at = start - 8
            break
    else:
        raise _damaged(content, "it has no pixels")
    if fields is None:
        raise _damaged(content, "it has no header")
    width, height, depth, color, _, _, interlace = fields
    if (
        not width
        or not height
        or depth not in DEPTHS.get(color, ())
        or (color == PALETTE and palette is None)
    ):
        raise _damaged(content, f"it claims {width} × {height} pixels of {depth} bits of type {color}")
    header = PngHeader(width, height, depth, color, bool(interlace), palette, transparent, at)
    check_claim(content.name, header.row_bytes * height, content.size)
    return header


def read_rows(content: Content, header: PngHeader, rows: int) -> Iterator[Pixels]:
    """RGBA of shape (rows, width, 4), so many rows at a time; fewer at the end. Raises EmbeddingDamaged if pixels are missing."""
    if header.is_interlaced:
        whole = _read_interlaced(content, header)
        for at in range(0, header.height, rows):
            yield whole[at : at + rows]
        return
    source = _Inflated(content, header)
    above = np.zeros(header.row_bytes, np.uint8)
    for at in range(0, header.height, rows):
        count = min(rows, header.height - at)
        block = source.unfiltered(header.row_bytes, count, above)
        above = block[-1]
        yield to_rgba(header, block, header.width)


def _read_interlaced(content: Content, header: PngHeader) -> Pixels:
    whole = np.empty((header.height, header.width, 4), np.uint8)
    source = _Inflated(content, header)
    for left, top, across, down in PASSES:
        width = (header.width - left + across - 1) // across
        height = (header.height - top + down - 1) // down
        if width > 0 and height > 0:
            size = row_size(header, width)
            block = source.unfiltered(size, height, np.zeros(size, np.uint8))
            whole[top::down, left::across] = to_rgba(header, block, width)
    return whole


class _Inflated:
    """The decompressed pixels of a file, in order."""

    def __init__(self, content: Content, header: PngHeader) -> None:
        self._content = content
        self._parts = self._inflate(header)
        self._left = bytearray()
        self._pixel_bytes = max(1, CHANNELS[header.color] * header.depth // 8)

    def unfiltered(self, row_bytes: int, rows: int, above: Pixels) -> Pixels:
        data = self._take((row_bytes + 1) * rows)
        try:
            return unfilter(data, row_bytes, self._pixel_bytes, np.ascontiguousarray(above))
        except ValueError as error:
            raise _damaged(self._content, str(error)) from None

    def _take(self, count: int) -> bytes:
        while len(self._left) < count:
            part = next(self._parts, None)
            if part is None:
                raise _damaged(self._content, "pixels are missing at its end")
            self._left += part
        taken = bytes(self._left[:count])
        del self._left[:count]
        return taken

    def _inflate(self, header: PngHeader) -> Iterator[bytes]:
        inflater = zlib.decompressobj()
        for kind, start, size in _chunks(self._content, header.data_at):
            if kind != b"IDAT":
                return
            for at in range(start, start + size, READ_BYTES):
                data = self._content.read(at, min(READ_BYTES, start + size - at))
                while data and not inflater.eof:
                    try:
                        yield inflater.decompress(data, READ_BYTES)
                    except zlib.error as error:
                        raise _damaged(
                            self._content, f"its pixels cannot be decompressed ({error})"
                        ) from None
                    data = inflater.unconsumed_tail


def to_rgba(header: PngHeader, rows: Pixels, width: int) -> Pixels:
    """Bytes of rows as RGBA."""
    channels = CHANNELS[header.color]
    samples: Pixels
    values: NDArray[Any]
    if header.depth == 16:
        wide = rows[:, : width * channels * 2].reshape(len(rows), width, channels, 2)
        values = wide[..., 0].astype(np.uint16) << 8 | wide[..., 1]
        samples = wide[..., 0]
    elif header.depth == 8:
        samples = values = rows[:, : width * channels].reshape(len(rows), width, channels)
    else:
        bits = np.unpackbits(rows, axis=1)[:, : width * header.depth].reshape(len(rows), width, header.depth)
        weights = (1 << np.arange(header.depth - 1, -1, -1)).astype(np.uint8)
        values = (bits * weights).sum(axis=2, dtype=np.uint8)[..., None]
        samples = values if header.color == PALETTE else values * np.uint8(255 // ((1 << header.depth) - 1))
    if header.palette is not None and header.color == PALETTE:
        return header.palette[samples[..., 0]]
    out = np.empty((len(rows), width, 4), np.uint8)
    out[..., :3] = samples[..., : 3 if channels >= 3 else 1]
    if channels in (2, 4):
        out[..., 3] = samples[..., -1]
    elif header.transparent is not None and len(header.transparent) == channels:
        out[..., 3] = np.where((values == np.array(header.transparent)).all(axis=2), 0, 255)
    else:
        out[..., 3] = 255
    return out


def _chunks(content: Content, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and size of what each chunk holds."""
    while at + 8 <= content.size:
        head = content.read(at, 8)
        size = int.from_bytes(head[:4], "big")
        yield head[4:], at + 8, min(size, content.size - at - 8)
        at += size + 12


def _damaged(content: Content, what: str) -> EmbeddingDamaged:
    return EmbeddingDamaged(f"{content.name} is a damaged PNG: {what}.", where=content.name)
