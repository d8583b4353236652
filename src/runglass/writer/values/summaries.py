"""Values as the bytes of a Summary.Value, one function per kind. Pure: opens no file and keeps no state.

Every value carries its full metadata, so that a reader can start anywhere and a restarted run needs no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runglass.errors import BadArgument
from runglass.media.formats import PICTURE_TYPES, VIDEO_TYPES, parse_image
from runglass.native.wire import encode
from runglass.schema.summary import (
    AUDIO_ENCODING_WAV,
    AUDIO_PLUGIN,
    PR_CURVE_PLUGIN,
    VALUE,
    DataClass,
)
from runglass.schema.tensor import TENSOR, DataType
from runglass.schema.tensor_values import encode_tensor
from runglass.writer.values import histograms
from runglass.writer.values.arrays import to_number, to_numpy
from runglass.writer.values.histograms import BUCKETS
from runglass.writer.values.png import encode_png
from runglass.writer.values.pr_curves import THRESHOLDS, pr_curve_rows
from runglass.writer.values.wav import encode_wav

MAX_OUTPUTS = 3
# How a scalar is stored: as TensorFlow stores it, with 32 or 64 bits; in the old field that torch and tensorboardX still write,
# with 32 bits; as torch does with new_style, whose tensors have neither a shape nor a data class.
ScalarForm = Literal["float32", "float64", "simple_value", "torch_float32", "torch_float64"]
SCALAR_FORMS: tuple[ScalarForm, ...] = get_args(ScalarForm)
GRAPH_VERSION = b"1"
LOGGED_FORMATS = {*PICTURE_TYPES, *VIDEO_TYPES, "svg"}


def summary_value(
    tag: str,
    array: NDArray[Any],
    *,
    plugin: str,
    data_class: DataClass,
    content: bytes = b"",
    display_name: str = "",
    description: str = "",
    more: bytes = b"",
) -> bytes:
    """A tensor under any plugin; the functions below call this with the shape and content of one plugin.

    `more` holds further fields of the tensor message.
    """
    return encode(
        VALUE,
        {
            "tag": tag,
            "tensor": encode_tensor(array) + more,
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
    if not isinstance(description, str):
        raise BadArgument(
            f"description must be a str, got {type(description).__name__}.", where="description"
        )
    if description:
        metadata["summary_description"] = description
    if data_class:
        metadata["data_class"] = data_class
    return metadata


def scalar(
    tag: str,
    value: float,
    *,
    form: ScalarForm = "float32",
    display_name: str = "",
    description: str = "",
) -> bytes:
    """One number. float64 keeps every digit, but TensorBoard's default loader hides tags that hold it."""
    value = to_number(value, f"Scalar {tag!r}")
    # Without NumPy, because training loops log this value thousands of times a second.
    if form == "simple_value":
        fields: dict[str, Any] = {"tag": tag, "simple_value": value}
        # torch and tensorboardX have no metadata here, unless there is something to say.
        if display_name or description:
            fields["metadata"] = summary_metadata(
                "scalars", DataClass.UNKNOWN, b"", display_name, description
            )
        return encode(VALUE, fields)
    is_double = form.endswith("float64")
    tensor: dict[str, Any] = {"dtype": DataType.DOUBLE if is_double else DataType.FLOAT}
    is_torch = form.startswith("torch")
    if not is_torch:
        tensor["tensor_shape"] = {}
    tensor["double_val" if is_double else "float_val"] = (value,)
    data_class = DataClass.UNKNOWN if is_torch else DataClass.SCALAR
    metadata = summary_metadata("scalars", data_class, b"", display_name, description)
    return encode(VALUE, {"tag": tag, "tensor": tensor, "metadata": metadata})


def image(
    tag: str, picture: ArrayLike | bytes, *, max_outputs: int = MAX_OUTPUTS, description: str = ""
) -> bytes:
    """A picture (height, width[, channels]), a batch of them with one more axis first, or an encoded file.

    Pixels are uint8, bool, or float from 0 to 1. Only the first `max_outputs` of a batch are written.
    """
    if isinstance(picture, bytes):
        return images(tag, [picture], description=description)
    pixels = to_numpy(picture, f"Image {tag!r}")
    batch = pixels[:max_outputs] if pixels.ndim == 4 else pixels[np.newaxis]
    return images(tag, [encode_png(pixels) for pixels in batch], description=description)


def images(tag: str, files: Sequence[bytes], *, description: str = "") -> bytes:
    """Encoded pictures as the samples of one value, which has the size of the first."""
    parsed = [parse_image(file) for file in files]
    if not all(each.format in LOGGED_FORMATS for each in parsed):
        raise BadArgument(
            f"Image {tag!r}: these bytes are not a PNG, JPEG, GIF, BMP, WebP, SVG, MP4 or WebM file."
        )
    width, height = (parsed[0].width, parsed[0].height) if parsed else (0, 0)
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
    data = to_numpy(samples, f"Audio {tag!r}")
    batch = data[:max_outputs] if data.ndim == 3 else data[np.newaxis]
    clips = [encode_wav(clip, sample_rate) for clip in batch]
    # The second column is a label, which no stock reader shows.
    array = object_array([item for clip in clips for item in (clip, b"")]).reshape(len(clips), 2)
    return summary_value(
        tag,
        array,
        plugin="audio",
        # As in TensorFlow: with a data class TensorBoard would treat the labels as clips.
        data_class=DataClass.UNKNOWN,
        content=encode(AUDIO_PLUGIN, {"encoding": AUDIO_ENCODING_WAV}),
        description=description,
    )


def text(tag: str, markdown: str | ArrayLike, *, description: str = "") -> bytes:
    """Markdown, or an array of it: one axis is shown as a list, two as a table."""
    array = np.asarray(markdown, dtype=object)
    if not all(isinstance(item, str) for item in array.flat):
        raise BadArgument(f"Text {tag!r} needs a str or an array of str.")
    return summary_value(tag, array, plugin="text", data_class=DataClass.TENSOR, description=description)


def histogram(
    tag: str,
    values: object,
    *,
    buckets: object = BUCKETS,
    max_bins: int | None = None,
    description: str = "",
) -> bytes:
    """`buckets` as in histograms.histogram. NaN and infinities are counted in a field that only Runglass reads."""
    found = histograms.histogram(values, buckets, max_bins=max_bins, what=f"Histogram {tag!r}")
    more = encode(TENSOR, {"not_finite": list(found.not_finite)}) if any(found.not_finite) else b""
    return histogram_rows(tag, found.rows, description=description, more=more)


def histogram_rows(tag: str, rows: NDArray[np.float64], *, description: str = "", more: bytes = b"") -> bytes:
    """A histogram from rows of left edge, right edge and count."""
    return summary_value(
        tag,
        rows,
        plugin="histograms",
        data_class=DataClass.TENSOR,
        description=description,
        more=more,
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
    rows = pr_curve_rows(
        labels, predictions, thresholds=thresholds, weights=weights, what=f"PR curve {tag!r}"
    )
    return pr_curve_counted(tag, rows, description=description)


def pr_curve_counted(tag: str, rows: NDArray[np.float32], *, description: str = "") -> bytes:
    """The six rows of pr_curves.pr_curve_rows, one column per threshold."""
    return summary_value(
        tag,
        rows,
        plugin="pr_curves",
        data_class=DataClass.TENSOR,
        content=encode(PR_CURVE_PLUGIN, {"num_thresholds": rows.shape[1]}),
        description=description,
    )


def tensor(tag: str, array: NDArray[Any], *, description: str = "") -> bytes:
    """Any array, under the plugin name that torch uses. TensorBoard has no dashboard for it."""
    return summary_value(tag, array, plugin="tensor", data_class=DataClass.TENSOR, description=description)


def graph(tag: str, message: bytes | str, *, plugin: str) -> bytes:
    """A message that the graph dashboard reads."""
    # As in TensorFlow and Keras, without a data class: TensorBoard converts such a value only then.
    return summary_value(
        tag,
        np.asarray(message, dtype=object),
        plugin=plugin,
        data_class=DataClass.UNKNOWN,
        content=GRAPH_VERSION,
    )


def object_array(items: list[bytes]) -> NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
