"""Every old and odd encoding of a logged value becomes one canonical form. Pure functions over bytes; opens no file.

Where a value's own encoding and its series' kind disagree (one tag, two kinds), the value's own encoding decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import ValueDamaged
from runglass.media.formats import parse_audio, parse_image
from runglass.native.wire import WireError, decode
from runglass.schema.hparams import plain_hparams
from runglass.schema.layout import LAYOUT
from runglass.schema.summary import METADATA, VALUE
from runglass.schema.tensor_values import TensorError, tensor_array
from runglass.store.model import Audio, Kind, SeriesMeta

KIND_BY_PLUGIN: dict[str, Kind] = {
    "scalars": Kind.SCALAR,
    "images": Kind.IMAGE,
    "audio": Kind.AUDIO,
    "text": Kind.TEXT,
    "histograms": Kind.HISTOGRAM,
    "pr_curves": Kind.PR_CURVE,
    "mesh": Kind.MESH,
    "hparams": Kind.HPARAMS,
    "custom_scalars": Kind.CUSTOM_SCALARS,
    "graphs": Kind.GRAPH,
    "graph_run_metadata": Kind.GRAPH,
    "graph_run_metadata_graph": Kind.GRAPH,
    "graph_keras_model": Kind.GRAPH,
    "graph_tagged_run_metadata": Kind.GRAPH,
}
# Field numbers of Summary.Value whose encoding alone says what the value is, and the plugin that shows it.
OLD_ENCODINGS: dict[int, str] = {2: "scalars", 4: "images", 5: "histograms", 6: "audio"}


def read_metadata(metadata: bytes | None, value_field: int, tag: str) -> SeriesMeta:
    """What a series is, from the SummaryMetadata of its first value and the field number that holds that value.

    Malformed metadata raises ValueDamaged.
    """
    try:
        decoded = decode(METADATA, metadata) if metadata else {}
    except WireError as error:
        raise ValueDamaged(f"Tag {tag!r}: its metadata cannot be decoded ({error}).") from None
    plugin_data = decoded.get("plugin_data", {})
    content = plugin_data.get("content", b"")
    display_name = decoded.get("display_name", "")
    plugin = plugin_data.get("plugin_name", "")
    if value_field in OLD_ENCODINGS:
        plugin = OLD_ENCODINGS[value_field]
        display_name = display_name or tag
    return SeriesMeta(
        kind=KIND_BY_PLUGIN.get(plugin, Kind.TENSOR),
        plugin=plugin,
        display_name=display_name,
        description=decoded.get("summary_description", ""),
        # Old text and histogram writers put an empty JSON object where an empty message belongs.
        content=b"" if content == b"{}" else content,
    )


def decode_value(value: bytes | memoryview, meta: SeriesMeta) -> Any:
    """One logged value from its serialized Summary.Value, by the kind of its series. Damage raises ValueDamaged.

    scalar → float · image → list[Image] · audio → list[Audio] · text → str (rank 0) or object array of str ·
    histogram → float64 array (k, 3) of left, right, count; rows at NaN, -inf and +inf count what is not finite · pr_curve, mesh, tensor → array as stored, strings in it as
    bytes · custom_scalars → Layout as dict · hparams → HParamsPluginData as dict, its values plain Python ·
    graph → bytes of the GraphDef, RunMetadata or Keras JSON.
    """
    try:
        return canonical_value(decode(VALUE, value), meta)
    except (WireError, TensorError) as error:
        raise ValueDamaged(
            f"A value of plugin {meta.plugin or 'none'!r} cannot be decoded: {error}. "
            "The rest of its series is not affected."
        ) from None


def canonical_value(value: Mapping[str, Any], meta: SeriesMeta) -> Any:
    if "simple_value" in value:
        return value["simple_value"]
    if "image" in value:
        image = value["image"]
        size = image.get("width", 0), image.get("height", 0)
        return [parse_image(image.get("encoded_image_string", b""), size)]
    if "audio" in value:
        return [old_audio(value["audio"])]
    if "histo" in value:
        return trimmed_buckets(value["histo"])
    if meta.kind is Kind.HPARAMS:
        # A run that was resumed may have logged other values since the first.
        own = value.get("metadata", {}).get("plugin_data", {}).get("content")
        return plain_hparams(own or meta.content)
    if "tensor" in value:
        tensor = value["tensor"]
        decoded = tensor_value(tensor_array(tensor), meta)
        if meta.kind is Kind.HISTOGRAM and "not_finite" in tensor:
            return with_not_finite(decoded, tensor["not_finite"])
        return decoded
    if "obsolete_old_style_histogram" in value:
        raise ValueDamaged("A histogram in an encoding given up before TensorFlow 1.0 is not read.")
    raise ValueDamaged("The event names this tag but holds no value for it.")


def tensor_value(array: NDArray[Any], meta: SeriesMeta) -> Any:
    if array.dtype == object:
        return string_value(array, meta.kind)
    if meta.kind is Kind.SCALAR and array.size == 1 and array.dtype.kind != "c":
        return float(array.reshape(()))
    if meta.kind is Kind.HISTOGRAM and array.ndim == 2 and array.shape[1] == 3 and array.dtype.kind in "fiu":
        return array.astype(np.float64, copy=False)
    return array


def string_value(array: NDArray[Any], kind: Kind) -> Any:
    if kind is Kind.TEXT:
        if array.ndim == 0:
            return as_text(array.item())
        texts = np.empty(array.size, dtype=object)
        texts[:] = [as_text(item) for item in array.flat]
        return texts.reshape(array.shape)
    if kind is Kind.IMAGE and array.ndim == 1 and array.size >= 2:
        size = as_count(array[0]), as_count(array[1])
        return [parse_image(item, size) for item in array[2:]]
    if kind is Kind.AUDIO and array.ndim == 2 and array.shape[1] == 2:
        return [parse_audio(clip, label=as_text(label)) for clip, label in array]
    if kind is Kind.AUDIO and array.ndim == 1:
        return [parse_audio(clip) for clip in array]
    if kind is Kind.CUSTOM_SCALARS and array.size == 1:
        return decode(LAYOUT, array.item())
    if kind is Kind.GRAPH and array.size == 1:
        return array.item()
    return array


def old_audio(audio: Mapping[str, Any]) -> Audio:
    return parse_audio(
        audio.get("encoded_audio_string", b""),
        sample_rate=audio.get("sample_rate", 0.0),
        channels=audio.get("num_channels", 0),
        frames=audio.get("length_frames", 0),
    )


def trimmed_buckets(histogram: Mapping[str, Any]) -> NDArray[np.float64]:
    """The buckets of a HistogramProto without the empty ones at its ends, whose edges lie outside the data."""
    limits = np.asarray(histogram.get("bucket_limit", []), dtype=np.float64)
    counts = np.asarray(histogram.get("bucket", []), dtype=np.float64)
    if limits.size != counts.size:
        raise TensorError(f"histogram with {limits.size} bucket limits and {counts.size} counts")
    filled = np.flatnonzero(counts)
    if not filled.size:
        return np.zeros((0, 3))
    first, last = filled[0], filled[-1]
    inner = limits[first:last]
    left = np.concatenate([[histogram.get("min", 0.0)], inner])
    right = np.concatenate([inner, [histogram.get("max", 0.0)]])
    return np.stack([left, right, counts[first : last + 1]], axis=1)


def with_not_finite(buckets: Any, counts: Sequence[float]) -> Any:
    """A histogram with extra rows that count NaN, -inf and +inf values, in this order.

    They are rows because histograms of TensorFlow and Keras have NaN and infinite edges too. Readers of a histogram handle such
    edges anyway, so they need no second way to find these counts.
    """
    found = np.asarray(counts, np.float64)
    if not (
        isinstance(buckets, np.ndarray) and buckets.ndim == 2 and buckets.shape[1] == 3 and found.size == 3
    ):
        return buckets
    edges = np.array([np.nan, -np.inf, np.inf])
    rows = np.stack([edges, edges, found], axis=1)[found > 0]
    # A writer that saw no finite value writes buckets that count nothing; their edges are meaningless.
    kept = buckets if buckets[:, 2].any() else buckets[:0]
    return np.concatenate([kept, rows])


def as_text(item: bytes) -> str:
    return item.decode("utf-8", "replace")


def as_count(item: bytes) -> int:
    """A width or height in decimal ASCII; 0 for anything else, and then the picture's own header decides."""
    return int(item) if item.isdigit() and len(item) < 10 else 0
