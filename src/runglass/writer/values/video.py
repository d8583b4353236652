"""Frames as animated GIFs, with our own colour table and compression, and checks of videos that are already encoded.

Does not know how they are logged.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.media.formats import image_format
from runglass.media.picture_files import is_cut_short
from runglass.native.lzw import compress_pixels
from runglass.writer.values.arrays import to_numpy
from runglass.writer.values.pictures import reorder_axes
from runglass.writer.values.png import as_uint8

VIDEO_FORMATS = ("gif", "mp4", "webm")
COLOURS = 256
SIDE_LIMIT_PX = 65535
# With more than 256 colours, those that differ only in the three lowest bits share a cell.
CELL_BITS = 5


def encoded_videos(value: object, what: str) -> list[bytes] | None:
    """Encoded videos: the bytes or the path of one, or a list of either. None for anything else."""
    given: Sequence[Any] = value if isinstance(value, list | tuple) and value else [value]
    if not all(isinstance(each, bytes | bytearray | str | os.PathLike) for each in given):
        return None
    return [_checked_video(each, what) for each in given]


def _checked_video(given: bytes | bytearray | str | os.PathLike[str], what: str) -> bytes:
    if isinstance(given, bytes | bytearray):
        data, name = bytes(given), f"these {len(given):,} bytes"
    else:
        name = os.fspath(given)
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise BadArgument(f"{what}: {name} cannot be read ({error.strerror or error}).") from None
    form = image_format(data)
    if form not in VIDEO_FORMATS:
        found = f"found {form.upper()}" if form else "found something else"
        raise BadArgument(
            f"{what}: expected a GIF, MP4 or WebM video in {name}, {found}. Log a picture with add_image, and pixels as an array."
        )
    if is_cut_short(data, form):
        raise BadArgument(
            f"{what}: the {form.upper()} video in {name} is cut short. Was its file closed before you logged it?"
        )
    return data


def to_frames(value: object, dataformats: str, what: str) -> NDArray[Any]:
    """The same pixels as (videos, time, height, width, channels)."""
    given = to_numpy(value, what)
    frames = reorder_axes(given, dataformats, "NTHWC", what)
    letters = dataformats.upper()
    frames = frames if "C" in letters else frames[..., np.newaxis]
    frames = frames if "N" in letters else frames[np.newaxis]
    if 0 in frames.shape or frames.shape[-1] not in (1, 2, 3, 4):
        raise BadArgument(
            f"{what}: dataformats={dataformats!r} makes {frames.shape[-1]} channels of shape {given.shape}, "
            "expected 1 to 4 and no empty axis.",
            where="dataformats",
        )
    if max(frames.shape[2:4]) > SIDE_LIMIT_PX:
        raise BadArgument(
            f"{what}: the sides of a video must be at most {SIDE_LIMIT_PX:,} pixels, got the shape {given.shape}."
        )
    if frames.dtype.kind != "f" and frames.dtype not in (np.uint8, np.bool_):
        raise BadArgument(
            f"{what}: pixels must be uint8, bool or float, got {frames.dtype}. Convert them to uint8 (0 to 255)."
        )
    return frames


def encode_gif(frames: NDArray[Any], fps: float) -> bytes:
    """Frames (time, height, width, channels) as a GIF that loops. Alpha is left out."""
    if frames.ndim != 4 or 0 in frames.shape:
        raise BadArgument(f"A video needs the shape (time, height, width, channels), got {frames.shape}.")
    _, height, width, channels = frames.shape
    if not fps > 0:
        raise BadArgument(f"A video needs fps above 0, got {fps}.", where="fps")
    pixels = as_uint8(frames)
    if channels < 3:
        palette = np.repeat(np.arange(COLOURS, dtype=np.uint8)[:, np.newaxis], 3, axis=1)
        indices = np.ascontiguousarray(pixels[..., 0])
    else:
        palette, indices = quantize_colours(pixels[..., :3])
    # Browsers ignore delays below two hundredths of a second and play such GIFs slowly.
    delay_cs = round(min(max(2, 100 / fps), 65535))
    parts = [
        b"GIF89a",
        struct.pack("<HHBBB", width, height, 0b1111_0111, 0, 0),
        palette.tobytes(),
        b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00",
    ]
    for frame in indices:
        parts.append(struct.pack("<4sHBB", b"\x21\xf9\x04\x04", delay_cs, 0, 0))
        parts.append(struct.pack("<BHHHHBB", 0x2C, 0, 0, width, height, 0, 8))
        parts.append(to_blocks(compress_pixels(frame.reshape(-1))))
    parts.append(b"\x3b")
    return b"".join(parts)


def to_blocks(data: bytes) -> bytes:
    """Blocks of at most 255 bytes, each after its length; an empty block ends the data."""
    pieces = (data[at : at + 255] for at in range(0, len(data), 255))
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\x00"


def quantize_colours(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A palette of 256 colours for all frames, and the index of each pixel. Exact if there are no more colours."""
    red, green, blue = (pixels[..., channel] for channel in range(3))
    drop = 8 - CELL_BITS
    cells = (red >> drop).astype(np.uint16) << 2 * CELL_BITS
    cells |= (green >> drop).astype(np.uint16) << CELL_BITS
    cells |= blue >> drop
    counts = np.bincount(cells.ravel(), minlength=1 << 3 * CELL_BITS)
    palette = np.zeros((COLOURS, 3), dtype=np.uint8)
    used = np.flatnonzero(counts)
    if used.size <= COLOURS:
        packed = (red.astype(np.uint32) << 16) | (green.astype(np.uint32) << 8) | blue
        exact = np.unique(packed)
        if exact.size <= COLOURS:
            palette[: exact.size] = np.stack([exact >> 16, (exact >> 8) & 255, exact & 255], axis=1)
            return palette, np.searchsorted(exact, packed).astype(np.uint8)
    number_of_cell = np.zeros(counts.size, dtype=np.uint8)
    groups = median_cut(used, counts[used])
    for number, group in enumerate(groups):
        number_of_cell[group] = number
    indices = number_of_cell[cells]
    total = np.maximum(np.bincount(indices.ravel(), minlength=COLOURS), 1)
    for channel in range(3):
        sums = np.bincount(indices.ravel(), weights=pixels[..., channel].ravel(), minlength=COLOURS)
        palette[:, channel] = np.rint(sums / total)
    return palette, indices


def median_cut(cells: NDArray[np.int64], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """At most 256 groups of cells: splits the group with the largest pixels × extent at its median, again and again."""
    mask = (1 << CELL_BITS) - 1
    axes = np.stack([cells >> 2 * CELL_BITS, (cells >> CELL_BITS) & mask, cells & mask], axis=1)
    groups = [np.arange(cells.size)]
    weights = [cut_weight(axes, counts)]
    while len(groups) < COLOURS:
        at = int(np.argmax(weights))
        if weights[at] == 0:
            break
        group = groups[at]
        own = axes[group]
        along = int(np.argmax(np.ptp(own, axis=0)))
        group = group[np.argsort(own[:, along], kind="stable")]
        share = counts[group].cumsum()
        middle = int(np.searchsorted(share, share[-1] / 2))
        middle = min(max(middle, 1), group.size - 1)
        halves = group[:middle], group[middle:]
        groups[at : at + 1] = halves
        weights[at : at + 1] = [cut_weight(axes[half], counts[half]) for half in halves]
    return [cells[group] for group in groups]


def cut_weight(axes: NDArray[Any], counts: NDArray[Any]) -> float:
    return float(counts.sum()) * float(np.ptp(axes, axis=0).max())
