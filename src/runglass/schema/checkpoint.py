"""TensorFlow's checkpoints: what their tables hold, for both versions of the format. The tables themselves are read elsewhere."""

from __future__ import annotations

from runglass.native.wire import Field, Message
from runglass.schema.tensor import SHAPE, TENSOR

EXTENT = Message(
    "TensorSliceProto.Extent",
    Field(1, "start", "int64"),
    # Absent if the slice has all of this dimension.
    Field(2, "length", "int64"),
)
SLICE = Message("TensorSliceProto", Field(1, "extent", EXTENT, repeated=True))

BUNDLE_HEADER = Message(
    "BundleHeaderProto",
    Field(1, "num_shards", "int32"),
    # 0 is little, 1 is big.
    Field(2, "endianness", "enum"),
)
BUNDLE_ENTRY = Message(
    "BundleEntryProto",
    Field(1, "dtype", "enum"),
    Field(2, "shape", SHAPE),
    Field(3, "shard_id", "int32"),
    Field(4, "offset", "int64"),
    Field(5, "size", "int64"),
    Field(6, "crc32c", "fixed32"),
    # A partitioned tensor: its slices are entries of their own.
    Field(7, "slices", SLICE, repeated=True),
)

SAVED_SLICE_META = Message(
    "SavedSliceMeta",
    Field(1, "name", "string"),
    Field(2, "shape", SHAPE),
    Field(3, "type", "enum"),
    Field(4, "slice", SLICE, repeated=True),
)
SAVED_SLICES = Message(
    "SavedTensorSlices",
    Field(1, "meta", Message("SavedTensorSliceMeta", Field(1, "tensor", SAVED_SLICE_META, repeated=True))),
    Field(
        2,
        "data",
        Message(
            "SavedSlice",
            Field(1, "name", "string"),
            Field(2, "slice", SLICE),
            Field(3, "data", TENSOR),
        ),
    ),
)
