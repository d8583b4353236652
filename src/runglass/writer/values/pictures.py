"""Pictures as arrays (height, width, channels): from any order of axes, batches, boxes and figures.

Checks everything at once; encoding comes later, on another thread.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_numpy, to_real
from runglass.writer.values.png import as_uint8

GRID_COLUMNS = 8
BOX_COLOUR = (255, 0, 0)
BOX_LINE_PX = 2
# Of pixels that are not read otherwise, a sample is enough to tell 0…255 from 0…1: the caller waits for it.
SAMPLED_PIXELS = 256


def to_pictures(value: object, dataformats: str, what: str) -> NDArray[Any]:
    """The same pixels as (height, width, channels), with a batch axis first if `dataformats` has an N."""
    given = to_numpy(value, what)
    if hasattr(value, "getbands"):
        # A PIL image knows its own order of axes.
        dataformats = "HWC"[: given.ndim]
    pixels = reorder_axes(given, dataformats, "NHWC", what)
    if "C" not in dataformats.upper():
        pixels = pixels[..., np.newaxis]
    if pixels.shape[-1] not in (1, 2, 3, 4):
        raise BadArgument(
            f"{what}: dataformats={dataformats!r} makes {pixels.shape[-1]} channels of shape {given.shape}, "
            "expected 1 to 4. Check the order of its axes.",
            where="dataformats",
        )
    if 0 in pixels.shape:
        raise BadArgument(f"{what} is empty: its shape is {given.shape}.")
    check_pixel_type(pixels, what)
    return pixels


def check_pixel_type(pixels: NDArray[Any], what: str, where: str | None = None) -> None:
    if pixels.dtype.kind != "f" and pixels.dtype not in (np.uint8, np.uint16, np.bool_):
        raise BadArgument(
            f"{what}: pixels must be uint8, uint16, bool or float, got {pixels.dtype}. "
            "Convert them to uint8 (0 to 255) or scale them to floats from 0 to 1.",
            where=where,
        )


def reorder_axes(array: NDArray[Any], dataformats: str, order: str, what: str) -> NDArray[Any]:
    """The axes that `dataformats` names, in the order of `order`. N and C may be missing."""
    if dataformats in (order, order[1:]) and array.ndim == len(dataformats):
        return array
    letters = dataformats.upper() if isinstance(dataformats, str) else ""
    needed = set(order) - {"N", "C"}
    if not needed <= set(letters) <= set(order) or len(set(letters)) != len(letters):
        raise BadArgument(
            f"{what}: dataformats={dataformats!r}, expected some order of {order}, each letter once; N and C may be missing.",
            where="dataformats",
        )
    if array.ndim != len(letters):
        raise BadArgument(
            f"{what}: dataformats={dataformats!r} names {len(letters)} axes, but the array has {array.ndim} (shape {array.shape}). "
            f"Say what its axes are, such as dataformats={example(array.ndim, order)!r}.",
            where="dataformats",
        )
    return array.transpose([letters.index(axis) for axis in order if axis in letters])


def example(ndim: int, order: str) -> str:
    return {2: "HW", 3: "HWC"}.get(ndim, order)


def range_warning(pixels: NDArray[Any]) -> str:
    """A warning if some of a sample of float pixels leave 0…1, where they are clipped; else empty."""
    if pixels.dtype.kind != "f":
        return ""
    stride = max(1, int((pixels.size / SAMPLED_PIXELS) ** 0.5))
    sample = pixels[..., ::stride, ::stride, :].ravel()
    return limits_warning(
        float(np.fmin.reduce(sample, initial=0.0)), float(np.fmax.reduce(sample, initial=0.0))
    )


def limits_warning(low: float, high: float) -> str:
    """The same for float pixels whose least and most are known, as far as they leave 0…1."""
    reach = [f"down to {low:.4g}"] * (low < -0.01) + [f"up to {high:.4g}"] * (high > 1.01)
    if not reach:
        return ""
    return f"float pixels {' and '.join(reach)} are clipped to 0…1. Scale them, or pass uint8 if they range to 255."


def tile(batch: NDArray[Any], columns: int = GRID_COLUMNS) -> NDArray[Any]:
    """Pictures (n, height, width, channels) as one, row by row; the end of the last row stays black."""
    n, height, width, channels = batch.shape
    columns = min(n, columns)
    rows = -(-n // columns)
    grid = np.zeros((rows * columns, height, width, channels), dtype=batch.dtype)
    grid[:n] = batch
    grid = grid.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def to_boxes(value: object, labels: object, what: str) -> tuple[NDArray[np.float64], list[str] | None]:
    """Boxes (n, 4) of left, top, right, bottom in pixels, and one label per box or no labels."""
    boxes = to_real(value, f"{what}: box_tensor").astype(np.float64)
    if boxes.shape == (4,):
        boxes = boxes[np.newaxis]
    if boxes.size == 0:
        boxes = boxes.reshape(0, 4)
    if boxes.ndim != 2 or boxes.shape[1] != 4 or not np.isfinite(boxes).all():
        raise BadArgument(
            f"{what}: box_tensor needs the shape (boxes, 4) of finite x1, y1, x2, y2, got {boxes.shape}.",
            where="box_tensor",
        )
    if labels is None:
        return boxes, None
    if isinstance(labels, str):
        labels = [labels]
    if not isinstance(labels, Iterable):
        raise BadArgument(
            f"{what}: labels must be a list, one for each box, got {type(labels).__name__}.", where="labels"
        )
    names = [str(each) for each in labels]
    if len(names) != len(boxes):
        raise BadArgument(
            f"{what} needs as many labels ({len(names)}) as boxes ({len(boxes)}).", where="labels"
        )
    return boxes, names


def with_boxes(
    pixels: NDArray[Any], boxes: NDArray[np.float64], labels: Sequence[str] | None, rescale: float
) -> NDArray[np.uint8]:
    """The picture in colour with the boxes on it, and with their labels if PIL is installed."""
    height, width, channels = pixels.shape
    picture = (pixels >> 8).astype(np.uint8) if pixels.dtype == np.uint16 else as_uint8(pixels)
    if channels < 3:
        picture = np.repeat(picture[:, :, :1], 3, axis=2)
    # After scaling, so that lines stay thin and boxes have their exact place.
    high, wide = max(1, int(height * rescale)), max(1, int(width * rescale))
    picture = picture[np.arange(high) * height // high][:, np.arange(wide) * width // wide]
    colour = (*BOX_COLOUR, 255)[: picture.shape[2]]
    corners = np.rint(
        np.concatenate(
            [np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])], axis=1
        )
        * rescale
    )
    corners = np.clip(corners, -1e6, 1e6).astype(int)
    for left, top, right, bottom in corners:
        for line in range(BOX_LINE_PX):
            x, y = slice(max(left, 0), max(right + 1, 0)), slice(max(top, 0), max(bottom + 1, 0))
            for row in (top + line, bottom - line):
                if 0 <= row < high:
                    picture[row, x] = colour
            for column in (left + line, right - line):
                if 0 <= column < wide:
                    picture[y, column] = colour
    return with_labels(picture, corners, labels) if labels else picture


def with_labels(
    picture: NDArray[np.uint8], corners: NDArray[Any], labels: Sequence[str]
) -> NDArray[np.uint8]:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        return picture
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for (left, top, _, _), label in zip(corners.tolist(), labels, strict=True):
        box = draw.textbbox((left, top), label)
        # Above the box if there is room, else inside it.
        up = box[3] - top if box[3] - top <= top else 0
        draw.rectangle((box[0], box[1] - up, box[2] + 2, box[3] - up), fill=BOX_COLOUR)
        draw.text((left + 1, top - up), label, fill="white")
    return np.array(image)


def figure_pixels(figure: Any, *, close: bool, what: str) -> NDArray[np.uint8]:
    """The pixels of a matplotlib figure, which keeps its canvas."""
    if not (hasattr(figure, "savefig") and hasattr(figure, "canvas")):
        raise BadArgument(
            f"{what} needs a matplotlib figure, got {type(figure).__name__}. Pass plt.gcf() or axes.figure.",
            where="figure",
        )
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    shown = figure.canvas
    canvas: Any = FigureCanvasAgg(figure)
    try:
        canvas.draw()
        pixels = np.array(canvas.buffer_rgba())[:, :, :3]
    finally:
        figure.set_canvas(shown)
    if close and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    return pixels
