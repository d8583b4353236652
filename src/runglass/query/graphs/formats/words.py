"""Short names of data types, one for each in every format: "f32", "i64", "bool"."""

from __future__ import annotations

from runglass.schema.tensor import REFERENCE, DataType

OF_DATA_TYPE = {
    DataType.FLOAT: "f32",
    DataType.DOUBLE: "f64",
    DataType.HALF: "f16",
    DataType.BFLOAT16: "bf16",
    DataType.INT8: "i8",
    DataType.INT16: "i16",
    DataType.INT32: "i32",
    DataType.INT64: "i64",
    DataType.UINT8: "u8",
    DataType.UINT16: "u16",
    DataType.UINT32: "u32",
    DataType.UINT64: "u64",
    DataType.COMPLEX64: "c64",
    DataType.COMPLEX128: "c128",
    DataType.INT4: "i4",
    DataType.UINT4: "u4",
    DataType.INT2: "i2",
    DataType.UINT2: "u2",
    DataType.FLOAT8_E5M2: "f8e5m2",
    DataType.FLOAT8_E4M3FN: "f8e4m3fn",
    DataType.FLOAT8_E4M3FNUZ: "f8e4m3fnuz",
    DataType.FLOAT8_E4M3B11FNUZ: "f8e4m3b11fnuz",
    DataType.FLOAT8_E5M2FNUZ: "f8e5m2fnuz",
    DataType.FLOAT4_E2M1FN: "f4e2m1fn",
}
# As NumPy, PyTorch, JAX and Keras spell them.
OF_NAME = {
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    **{f"int{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
    "half": "f16",
    "double": "f64",
    "float": "f32",
}


def of_data_type(number: int) -> str:
    """The word for a number of TensorFlow's DataType; "" for none."""
    if number > REFERENCE:
        number -= REFERENCE
    try:
        kind = DataType(number)
    except ValueError:
        return f"type {number}"
    if kind is DataType.INVALID:
        return ""
    return OF_DATA_TYPE.get(kind) or kind.name.lower()


def of_name(name: str) -> str:
    bare = name.removeprefix("torch.").lower()
    return OF_NAME.get(bare, bare)
