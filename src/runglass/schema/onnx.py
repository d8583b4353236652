"""ONNX models: the fields that a graph viewer needs. Weights have no field here, so decoding skips their bytes."""

from __future__ import annotations

from runglass.native.wire import Field, Message
from runglass.schema.tensor import DataType

# ONNX's TensorProto.DataType to ours.
DATA_TYPES = {
    1: DataType.FLOAT,
    2: DataType.UINT8,
    3: DataType.INT8,
    4: DataType.UINT16,
    5: DataType.INT16,
    6: DataType.INT32,
    7: DataType.INT64,
    8: DataType.STRING,
    9: DataType.BOOL,
    10: DataType.HALF,
    11: DataType.DOUBLE,
    12: DataType.UINT32,
    13: DataType.UINT64,
    14: DataType.COMPLEX64,
    15: DataType.COMPLEX128,
    16: DataType.BFLOAT16,
    17: DataType.FLOAT8_E4M3FN,
    18: DataType.FLOAT8_E4M3FNUZ,
    19: DataType.FLOAT8_E5M2,
    20: DataType.FLOAT8_E5M2FNUZ,
    21: DataType.UINT4,
    22: DataType.INT4,
    23: DataType.FLOAT4_E2M1FN,
}

DIMENSION = Message(
    "onnx.TensorShapeProto.Dimension",
    Field(1, "dim_value", "int64", oneof="value"),
    Field(2, "dim_param", "string", oneof="value"),
)
SHAPE = Message("onnx.TensorShapeProto", Field(1, "dim", DIMENSION, repeated=True))
TENSOR_TYPE = Message("onnx.TypeProto.Tensor", Field(1, "elem_type", "int32"), Field(2, "shape", SHAPE))
TYPE = Message("onnx.TypeProto", Field(1, "tensor_type", TENSOR_TYPE))
VALUE_INFO = Message("onnx.ValueInfoProto", Field(1, "name", "string"), Field(2, "type", TYPE))
TENSOR = Message(
    "onnx.TensorProto",
    Field(1, "dims", "int64", repeated=True),
    Field(2, "data_type", "int32"),
    Field(8, "name", "string"),
)
# With its values, for the small tensors that are attributes.
TENSOR_VALUES = Message(
    "onnx.TensorProto",
    Field(1, "dims", "int64", repeated=True),
    Field(2, "data_type", "int32"),
    Field(4, "float_data", "float", repeated=True),
    Field(5, "int32_data", "int32", repeated=True),
    Field(6, "string_data", "bytes", repeated=True),
    Field(7, "int64_data", "int64", repeated=True),
    Field(9, "raw_data", "bytes"),
    Field(10, "double_data", "double", repeated=True),
    Field(11, "uint64_data", "uint64", repeated=True),
)
GRAPH = Message("onnx.GraphProto")
ATTRIBUTE = Message(
    "onnx.AttributeProto",
    Field(1, "name", "string"),
    Field(2, "f", "float"),
    Field(3, "i", "int64"),
    Field(4, "s", "bytes"),
    Field(5, "t", TENSOR),
    Field(6, "g", GRAPH),
    Field(7, "floats", "float", repeated=True),
    Field(8, "ints", "int64", repeated=True),
    Field(9, "strings", "bytes", repeated=True),
    Field(11, "graphs", GRAPH, repeated=True),
    # FLOAT 1, INT 2, STRING 3; the field that is set shows the others.
    Field(20, "type", "enum"),
)
PROPERTY = Message("onnx.StringStringEntryProto", Field(1, "key", "string"), Field(2, "value", "string"))
NODE = Message(
    "onnx.NodeProto",
    # "" is a missing optional input.
    Field(1, "input", "string", repeated=True),
    Field(2, "output", "string", repeated=True),
    Field(3, "name", "string"),
    Field(4, "op_type", "string"),
    Field(5, "attribute", ATTRIBUTE, repeated=True),
    Field(7, "domain", "string"),
    Field(8, "overload", "string"),
    Field(9, "metadata_props", PROPERTY, repeated=True),
)
GRAPH.define(
    Field(1, "node", NODE, repeated=True),
    Field(2, "name", "string"),
    Field(5, "initializer", TENSOR, repeated=True),
    Field(11, "input", VALUE_INFO, repeated=True),
    Field(12, "output", VALUE_INFO, repeated=True),
    Field(13, "value_info", VALUE_INFO, repeated=True),
)
FUNCTION = Message(
    "onnx.FunctionProto",
    Field(1, "name", "string"),
    Field(4, "input", "string", repeated=True),
    Field(5, "output", "string", repeated=True),
    Field(7, "node", NODE, repeated=True),
    Field(10, "domain", "string"),
    Field(12, "value_info", VALUE_INFO, repeated=True),
    Field(13, "overload", "string"),
)
MODEL = Message(
    "onnx.ModelProto",
    Field(1, "ir_version", "int64"),
    Field(7, "graph", GRAPH),
    Field(25, "functions", FUNCTION, repeated=True),
)
