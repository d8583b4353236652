"""Tensors and their shapes on the wire, and the table of element types. What the numbers mean is in tensor_values."""

from __future__ import annotations

from enum import IntEnum

from runglass.native.wire import Field, Message


class DataType(IntEnum):
    """TensorProto.dtype. A reference type is its value type plus REFERENCE."""

    INVALID = 0
    FLOAT = 1
    DOUBLE = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 5
    INT8 = 6
    STRING = 7
    COMPLEX64 = 8
    INT64 = 9
    BOOL = 10
    QINT8 = 11
    QUINT8 = 12
    QINT32 = 13
    BFLOAT16 = 14
    QINT16 = 15
    QUINT16 = 16
    UINT16 = 17
    COMPLEX128 = 18
    HALF = 19
    RESOURCE = 20
    VARIANT = 21
    UINT32 = 22
    UINT64 = 23
    FLOAT8_E5M2 = 24
    FLOAT8_E4M3FN = 25
    FLOAT8_E4M3FNUZ = 26
    FLOAT8_E4M3B11FNUZ = 27
    FLOAT8_E5M2FNUZ = 28
    INT4 = 29
    UINT4 = 30
    INT2 = 31
    UINT2 = 32
    FLOAT4_E2M1FN = 33


REFERENCE = 100

DIM = Message("TensorShapeProto.Dim", Field(1, "size", "int64"), Field(2, "name", "string"))
SHAPE = Message("TensorShapeProto", Field(2, "dim", DIM, repeated=True), Field(3, "unknown_rank", "bool"))

DTYPE_AND_SHAPE = Message("DtypeAndShape", Field(1, "dtype", "enum"), Field(2, "shape", SHAPE))
RESOURCE_HANDLE = Message(
    "ResourceHandleProto",
    Field(1, "device", "string"),
    Field(2, "container", "string"),
    Field(3, "name", "string"),
    Field(4, "hash_code", "uint64"),
    Field(5, "maybe_type_name", "string"),
    Field(6, "dtypes_and_shapes", DTYPE_AND_SHAPE, repeated=True),
)

TENSOR = Message("TensorProto")
VARIANT = Message(
    "VariantTensorDataProto",
    Field(1, "type_name", "string"),
    Field(2, "metadata", "bytes"),
    Field(3, "tensors", TENSOR, repeated=True),
)
TENSOR.define(
    Field(1, "dtype", "enum"),
    Field(2, "tensor_shape", SHAPE),
    Field(3, "version_number", "int32"),
    Field(4, "tensor_content", "bytes"),
    Field(5, "float_val", "float", repeated=True, is_array=True),
    Field(6, "double_val", "double", repeated=True, is_array=True),
    Field(7, "int_val", "int32", repeated=True, is_array=True),
    Field(8, "string_val", "bytes", repeated=True),
    Field(9, "scomplex_val", "float", repeated=True, is_array=True),
    Field(10, "int64_val", "int64", repeated=True, is_array=True),
    Field(11, "bool_val", "bool", repeated=True, is_array=True),
    Field(12, "dcomplex_val", "double", repeated=True, is_array=True),
    Field(13, "half_val", "int32", repeated=True, is_array=True),
    Field(14, "resource_handle_val", RESOURCE_HANDLE, repeated=True),
    Field(15, "variant_val", VARIANT, repeated=True),
    Field(16, "uint32_val", "uint32", repeated=True, is_array=True),
    Field(17, "uint64_val", "uint64", repeated=True, is_array=True),
    Field(18, "float8_val", "bytes"),
    # Our own field, which other readers skip: the number of NaN, -inf and +inf values of a histogram.
    Field(2000, "not_finite", "double", repeated=True, is_array=True),
)
