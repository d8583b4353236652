"""Values that take long to encode: checked and copied now, encoded later on another thread. Knows no writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.schema.tensor_values import TensorError
from runglass.writer.values import histograms, pictures, summaries, video, wav
from runglass.writer.values.arrays import to_number, to_numpy, to_real
from runglass.writer.values.copies import copies
from runglass.writer.values.png import as_uint8, encode_png, in_memory_order, unit_as_uint8

# So many are counted in less time than it takes to wake another thread.
MANY_VALUES = 1 << 15
# The limit of a protobuf message.
EVENT_LIMIT_BYTES = 2**31


class Deferred(NamedTuple):
    """`encode` reads only copies, so the caller may change its arrays at once."""

    encode: Callable[[], list[bytes]]
    size_bytes: int
    # "Image 'input'", and a warning about it, empty for none.
    what: str
    warning: str = ""


def tensor(tag: str, value: object) -> Deferred:
    what = f"Tensor {tag!r}"
    array = to_numpy(value, what)
    if array.nbytes >= EVENT_LIMIT_BYTES:
        raise BadArgument(
            f"{what} has {array.nbytes:,} bytes; one value holds less than 2 GiB. Log a part of it.",
            where="tensor",
        )
    copied = array.copy()
    try:
        summaries.tensor(tag, copied[:0] if copied.ndim else copied)
    except TensorError as error:
        raise BadArgument(f"{what}: {error}. Convert it to float32.", where="tensor") from error
    return Deferred(lambda: [summaries.tensor(tag, copied)], copied.nbytes, what)


def histogram(tag: str, value: object, *, buckets: object, max_bins: object) -> Deferred | None:
    """None for few values, which are counted at once, and for buckets that may turn out to be wrong only then."""
    what = f"Histogram {tag!r}"
    array = to_real(value, what)
    if array.size < MANY_VALUES or max_bins is not None or not histograms.is_plain(buckets):
        return None
    copied = copies.copy(array)

    def encode() -> list[bytes]:
        value = summaries.histogram(tag, copied, buckets=buckets)
        copies.give_back(copied)
        return [value]

    return Deferred(encode, copied.nbytes, what)


def image(tag: str, value: object, dataformats: str, *, as_grid: bool = False) -> Deferred:
    """A picture, or a batch of them; `as_grid` tiles a batch into one."""
    pixels = pictures.to_pictures(value, dataformats, f"Image {tag!r}")
    return image_of_pixels(tag, pictures.tile(pixels) if as_grid and pixels.ndim == 4 else pixels)


def image_of_pixels(tag: str, pixels: NDArray[Any], *, description: str = "") -> Deferred:
    """Pixels (height, width, channels), or a batch of them, that are checked already."""
    copied, warning = bytes_or_copy(pixels)
    most = len(copied) if copied.ndim == 4 else 1

    def encode() -> list[bytes]:
        value = summaries.image(tag, copied, max_outputs=most, description=description)
        copies.give_back(copied)
        return [value]

    return Deferred(encode, copied.nbytes, f"Image {tag!r}", warning)


def bytes_or_copy(pixels: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """Whichever takes the caller less time: floats as they lie in memory are read once and become a quarter as many bytes. And a warning
    about their range."""
    if pixels.dtype == np.float32 or pixels.dtype == np.float64:
        if pixels.flags.c_contiguous:
            made, limits = unit_as_uint8(pixels, copies.empty(pixels.size))
            return made, pictures.limits_warning(*limits)
        turned, order = in_memory_order(pixels)
        if turned.flags.c_contiguous:
            made, limits = unit_as_uint8(turned, copies.empty(turned.size))
            return made.transpose(order), pictures.limits_warning(*limits)
    return copies.copy(pixels), pictures.range_warning(pixels)


def image_with_boxes(
    tag: str, value: object, dataformats: str, *, boxes: object, labels: Sequence[str] | None, rescale: object
) -> Deferred:
    what = f"Image {tag!r}"
    pixels = pictures.to_pictures(value, dataformats, what)
    if pixels.ndim == 4:
        raise BadArgument(f"{what} needs one picture, got a batch of {len(pixels)}.", where="img_tensor")
    factor = to_number(rescale, f"{what}: rescale")
    if not 0 < factor <= 100:
        raise BadArgument(f"{what}: rescale={factor}, expected a factor above 0.", where="rescale")
    corners, names = pictures.to_boxes(boxes, labels, what)
    copied = copied_pixels(pixels)
    return Deferred(
        lambda: [summaries.image(tag, pictures.with_boxes(copied, corners, names, factor))],
        copied.nbytes,
        what,
        pictures.range_warning(pixels),
    )


def figures(tag: str, given: Any, *, close: bool) -> Deferred:
    """matplotlib figures are drawn now, on the thread that made them."""
    what = f"Figure {tag!r}"
    listed = given if isinstance(given, list | tuple) else [given]
    drawn = [pictures.figure_pixels(each, close=close, what=what) for each in listed]
    if not drawn:
        raise BadArgument(f"{what}: the list of figures is empty.", where="figure")
    return Deferred(
        lambda: [summaries.images(tag, [encode_png(each) for each in drawn])],
        sum(each.nbytes for each in drawn),
        what,
    )


def videos(tag: str, value: object, dataformats: str, *, fps: object) -> Deferred:
    what = f"Video {tag!r}"
    frames = video.to_frames(value, dataformats, what)
    frames_per_s = to_number(fps, f"{what}: fps")
    if not frames_per_s > 0:
        raise BadArgument(f"{what}: fps={frames_per_s}, expected more than 0.", where="fps")
    copied = copied_pixels(frames)
    return Deferred(
        lambda: [summaries.images(tag, [video.encode_gif(each, frames_per_s) for each in copied])],
        copied.nbytes,
        what,
        pictures.range_warning(frames),
    )


def audio(tag: str, value: object, sample_rate: object) -> Deferred:
    what = f"Audio {tag!r}"
    samples = wav.to_clip(value, what)
    rate = to_number(sample_rate, f"{what}: sample_rate")
    if not 1 <= rate <= wav.MOST_SAMPLES_PER_S:
        raise BadArgument(
            f"{what}: sample_rate={rate}, expected samples per second, such as 44100.", where="sample_rate"
        )
    copied = samples.copy(order="K")
    return Deferred(
        lambda: [summaries.audio(tag, copied, int(rate))], copied.nbytes, what, wav.clip_warning(samples)
    )


def copied_pixels(pixels: NDArray[Any]) -> NDArray[Any]:
    """Keeps the memory order of `pixels`, because that is the fastest copy."""
    # Converting floats to bytes makes a copy too, and takes no longer.
    return as_uint8(pixels) if pixels.dtype.kind == "f" else pixels.copy(order="K")
