"""Summary, the message of logged values, with the small messages that plugins keep in SummaryMetadata."""

from __future__ import annotations

from enum import IntEnum

from runglass.native.wire import Field, Message
from runglass.schema.tensor import TENSOR


class DataClass(IntEnum):
    UNKNOWN = 0
    SCALAR = 1
    TENSOR = 2
    BLOB_SEQUENCE = 3


IMAGE = Message(
    "Summary.Image",
    Field(1, "height", "int32"),
    Field(2, "width", "int32"),
    Field(3, "colorspace", "int32"),
    Field(4, "encoded_image_string", "bytes"),
)
AUDIO = Message(
    "Summary.Audio",
    Field(1, "sample_rate", "float"),
    Field(2, "num_channels", "int64"),
    Field(3, "length_frames", "int64"),
    Field(4, "encoded_audio_string", "bytes"),
    Field(5, "content_type", "string"),
)
HISTOGRAM = Message(
    "HistogramProto",
    Field(1, "min", "double"),
    Field(2, "max", "double"),
    Field(3, "num", "double"),
    Field(4, "sum", "double"),
    Field(5, "sum_squares", "double"),
    # Right edges, ascending; the last may be the largest double.
    Field(6, "bucket_limit", "double", repeated=True, is_array=True),
    Field(7, "bucket", "double", repeated=True, is_array=True),
)
PLUGIN_DATA = Message("PluginData", Field(1, "plugin_name", "string"), Field(2, "content", "bytes"))
METADATA = Message(
    "SummaryMetadata",
    Field(1, "plugin_data", PLUGIN_DATA),
    Field(2, "display_name", "string"),
    Field(3, "summary_description", "string"),
    Field(4, "data_class", "enum"),
)
VALUE = Message(
    "Summary.Value",
    Field(1, "tag", "string"),
    Field(2, "simple_value", "float", oneof="value"),
    Field(3, "obsolete_old_style_histogram", "bytes", oneof="value"),
    Field(4, "image", IMAGE, oneof="value"),
    Field(5, "histo", HISTOGRAM, oneof="value"),
    Field(6, "audio", AUDIO, oneof="value"),
    # Obsolete; replaces an empty tag.
    Field(7, "node_name", "string"),
    Field(8, "tensor", TENSOR, oneof="value"),
    Field(9, "metadata", METADATA),
)
SUMMARY = Message("Summary", Field(1, "value", VALUE, repeated=True))

# The content of PluginData, by plugin.
SCALAR_PLUGIN = Message("ScalarPluginData", Field(1, "version", "int32"))
IMAGE_PLUGIN = Message(
    "ImagePluginData", Field(1, "version", "int32"), Field(2, "converted_to_tensor", "bool")
)
AUDIO_PLUGIN = Message(
    "AudioPluginData",
    Field(1, "version", "int32"),
    Field(2, "encoding", "enum"),
    Field(3, "converted_to_tensor", "bool"),
)
AUDIO_ENCODING_WAV = 11
TEXT_PLUGIN = Message("TextPluginData", Field(1, "version", "int32"))
HISTOGRAM_PLUGIN = Message("HistogramPluginData", Field(1, "version", "int32"))
PR_CURVE_PLUGIN = Message(
    "PrCurvePluginData", Field(1, "version", "int32"), Field(2, "num_thresholds", "uint32")
)
