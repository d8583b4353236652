"""Values as the bytes of a Summary.Value, one function per kind. Pure: opens no file and keeps no state.

Every value carries its full metadata, so that a reader may start anywhere and a restarted run needs no memory.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.media import parse_image
from runglass.schema.summary import (
    AUDIO_ENCODING_WAV,
    AUDIO_PLUGIN,
    PR_CURVE_PLUGIN,
    VALUE,
    DataClass,
)
from runglass.schema.tensor import DataType
from runglass.schema.tensor_values import encode_tensor
from runglass.writer.curves import BUCKETS, THRESHOLDS, histogram_buckets, pr_curve_rows
from runglass.writer.media import encode_png, encode_wav

MAX_OUTPUTS = 3


def summary_value(
    tag: str,
    array: NDArray[Any],
    *,
    plugin: str,
    data_class: DataClass,
    content: bytes = b"",
    display_name: str = "",
    description: str = "",
) -> bytes:
    """A tensor under any plugin; the functions below are this with the plugin's own shape and content."""
    return encode(
        VALUE,
        {
            "tag": tag,
            "tensor": encode_tensor(array),
            "metadata": summary_metadata(plugin, data_class, content, display_name, description),
        },
    )


def summary_metadata(
    plugin: str, data_class: DataClass, content: bytes = b"", display_name: str = "", description: str = ""
) -> dict[str, Any]:
    plugin_data: dict[str, Any] = {"plugin_name": plugin}
    if content:
        plugin_data["content"] = content
    metadata: dict[str, Any] = {"plugin_data": plugin_data}
    if display_name:
        metadata["display_name"] = display_name
    if description:
        metadata["summary_description"] = description
    if data_class:
        metadata["data_class"] = data_class
    return metadata


def scalar(
    tag: str,
    value: float,
    *,
    precision: Literal["float32", "float64"] = "float32",
    display_name: str = "",
    description: str = "",
) -> bytes:
    """One number. float64 keeps every digit, but TensorBoard's default loader hides tags that hold it."""
    if not isinstance(value, int | float):
        array = np.asarray(value)
        if array.size != 1:
            raise BadArgument(f"Scalar {tag!r} needs one number, got an array of shape {array.shape}.")
        value = array.item()
    # Past NumPy, because this is the one value that training loops log thousands of times a second.
    if precision == "float32":
        tensor = {"dtype": DataType.FLOAT, "tensor_shape": {}, "float_val": (value,)}
    else:
        tensor = {"dtype": DataType.DOUBLE, "tensor_shape": {}, "double_val": (value,)}
    metadata = summary_metadata("scalars", DataClass.SCALAR, b"", display_name, description)
    return encode(VALUE, {"tag": tag, "tensor": tensor, "metadata": metadata})


def image(
    tag: str, picture: ArrayLike | bytes, *, max_outputs: int = MAX_OUTPUTS, description: str = ""
) -> bytes:
    """A picture (height, width[, channels]), a batch of them with one more axis in front, or an encoded file.

    Pixels are uint8, bool, or float from 0 to 1. Of a batch the first `max_outputs` are written.
    """
    if isinstance(picture, bytes):
        parsed = parse_image(picture)
        if not parsed.format:
            raise BadArgument(f"Image {tag!r}: these bytes are no PNG, JPEG, GIF, BMP, WebP or SVG.")
        files, width, height = [picture], parsed.width, parsed.height
    else:
        pixels = np.asarray(picture)
        batch = pixels[:max_outputs] if pixels.ndim == 4 else pixels[np.newaxis]
        files = [encode_png(pixels) for pixels in batch]
        height, width = batch.shape[1:3] if batch.ndim > 2 else (0, 0)
    array = object_array([str(width).encode(), str(height).encode(), *files])
    return summary_value(
        tag, array, plugin="images", data_class=DataClass.BLOB_SEQUENCE, description=description
    )


def audio(
    tag: str,
    samples: ArrayLike,
    sample_rate: int,
    *,
    max_outputs: int = MAX_OUTPUTS,
    description: str = "",
) -> bytes:
    """A clip (frames,) or (frames, channels), or a batch (clips, frames, channels); int16, or float from -1 to 1."""
    data = np.asarray(samples)
    batch = data[:max_outputs] if data.ndim == 3 else data[np.newaxis]
    clips = [encode_wav(clip, sample_rate) for clip in batch]
    # The second column is a label, which no stock reader shows.
    array = object_array([item for clip in clips for item in (clip, b"")]).reshape(len(clips), 2)
    return summary_value(
        tag,
        array,
        plugin="audio",
        data_class=DataClass.BLOB_SEQUENCE,
        content=encode(AUDIO_PLUGIN, {"encoding": AUDIO_ENCODING_WAV}),
        description=description,
    )


def text(tag: str, markdown: str | ArrayLike, *, description: str = "") -> bytes:
    """Markdown, or an array of it: one axis is shown as a list, two as a table."""
    array = np.asarray(markdown, dtype=object)
    if not all(isinstance(item, str) for item in array.flat):
        raise BadArgument(f"Text {tag!r} needs a str or an array of str.")
    return summary_value(tag, array, plugin="text", data_class=DataClass.TENSOR, description=description)


def histogram(tag: str, values: ArrayLike, *, buckets: int = BUCKETS, description: str = "") -> bytes:
    return summary_value(
        tag,
        histogram_buckets(values, buckets),
        plugin="histograms",
        data_class=DataClass.TENSOR,
        description=description,
    )


def pr_curve(
    tag: str,
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    thresholds: int = THRESHOLDS,
    weights: ArrayLike | None = None,
    description: str = "",
) -> bytes:
    return summary_value(
        tag,
        pr_curve_rows(labels, predictions, thresholds=thresholds, weights=weights),
        plugin="pr_curves",
        data_class=DataClass.TENSOR,
        content=encode(PR_CURVE_PLUGIN, {"num_thresholds": thresholds}),
        description=description,
    )


def object_array(items: list[bytes]) -> NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
