"""Tensor messages to NumPy arrays and back, for every element type. Does not know what a tensor means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.native.wire import decode, encode
from runglass.schema.tensor import REFERENCE, TENSOR, DataType

# A few bytes can claim a shape of any size, filled with one value; more elements than this are refused.
FILL_LIMIT = 2**24
# The limit of every NumPy version.
RANK_LIMIT = 32

NUMPY: dict[int, np.dtype[Any]] = {
    DataType.FLOAT: np.dtype("<f4"),
    DataType.DOUBLE: np.dtype("<f8"),
    DataType.INT32: np.dtype("<i4"),
    DataType.UINT8: np.dtype("u1"),
    DataType.INT16: np.dtype("<i2"),
    DataType.INT8: np.dtype("i1"),
    DataType.COMPLEX64: np.dtype("<c8"),
    DataType.INT64: np.dtype("<i8"),
    DataType.BOOL: np.dtype("?"),
    DataType.QINT8: np.dtype("i1"),
    DataType.QUINT8: np.dtype("u1"),
    DataType.QINT32: np.dtype("<i4"),
    DataType.QINT16: np.dtype("<i2"),
    DataType.QUINT16: np.dtype("<u2"),
    DataType.UINT16: np.dtype("<u2"),
    DataType.COMPLEX128: np.dtype("<c16"),
    DataType.HALF: np.dtype("<f2"),
    DataType.UINT32: np.dtype("<u4"),
    DataType.UINT64: np.dtype("<u8"),
    # One per byte, sign-extended.
    DataType.INT4: np.dtype("i1"),
    DataType.UINT4: np.dtype("u1"),
    DataType.INT2: np.dtype("i1"),
    DataType.UINT2: np.dtype("u1"),
}
# Exponent bits, mantissa bits, exponent bias, and the codes of infinity and NaN.
SMALL_FLOATS: dict[int, tuple[int, int, int, str]] = {
    DataType.FLOAT8_E5M2: (5, 2, 15, "ieee"),
    DataType.FLOAT8_E4M3FN: (4, 3, 7, "all ones is NaN"),
    DataType.FLOAT8_E4M3FNUZ: (4, 3, 8, "minus zero is NaN"),
    DataType.FLOAT8_E4M3B11FNUZ: (4, 3, 11, "minus zero is NaN"),
    DataType.FLOAT8_E5M2FNUZ: (5, 2, 16, "minus zero is NaN"),
    DataType.FLOAT4_E2M1FN: (2, 1, 1, "finite"),
}
FIELDS: dict[int, str] = {
    DataType.FLOAT: "float_val",
    DataType.DOUBLE: "double_val",
    DataType.INT64: "int64_val",
    DataType.BOOL: "bool_val",
    DataType.COMPLEX64: "scomplex_val",
    DataType.COMPLEX128: "dcomplex_val",
    DataType.UINT32: "uint32_val",
    DataType.UINT64: "uint64_val",
}
# Types that are not in FIELDS use int_val. If the right field is empty, these are tried, because some writers use another
# one (torch writes uint8 to uint32_val).
NUMBER_FIELDS = ("int_val", "int64_val", "uint32_val", "uint64_val", "float_val", "double_val", "bool_val")


class TensorError(ValueError):
    """A tensor message with an unknown type, or with a shape that does not fit its values."""


def decode_tensor(data: bytes | memoryview) -> NDArray[Any]:
    """The array in a serialized TensorProto. Raises WireError or TensorError, both ValueErrors.

    bfloat16, float8 and float4 become float32, quantised and 2- and 4-bit integers become their stored integers, strings
    an object array of bytes. Missing values repeat the last one, or are zero without one. The array may be read-only.
    """
    return tensor_array(decode(TENSOR, data))


def tensor_array(tensor: Mapping[str, Any]) -> NDArray[Any]:
    """The same for a decoded TensorProto."""
    dtype = tensor.get("dtype", 0) % REFERENCE
    values = stored_values(tensor, dtype)
    shape = stored_shape(tensor, values.size)
    n = math.prod(shape)
    if values.size > n or (values.size < n and tensor.get("tensor_content")):
        raise TensorError(f"tensor of shape {shape} needs {n} values, found {values.size}")
    if values.size < n:
        if n > FILL_LIMIT:
            raise TensorError(
                f"tensor of shape {shape} claims {n} values and stores {values.size}; "
                f"at most {FILL_LIMIT} are filled in"
            )
        fill = values[-1] if values.size else (b"" if values.dtype == object else 0)
        values = np.concatenate([values, np.full(n - values.size, fill, dtype=values.dtype)])
    try:
        return values.reshape(shape)
    except ValueError as error:
        raise TensorError(f"tensor of shape {shape}: {error}") from None


def stored_shape(tensor: Mapping[str, Any], count: int) -> tuple[int, ...]:
    shape = tensor.get("tensor_shape")
    if shape is None or shape.get("unknown_rank"):
        return () if count == 1 else (count,)
    dims = tuple(dim.get("size", 0) for dim in shape.get("dim", ()))
    if len(dims) > RANK_LIMIT or any(size < 0 for size in dims):
        raise TensorError(f"tensor has no usable shape: {dims[:8]}")
    return dims


def stored_values(tensor: Mapping[str, Any], dtype: int) -> NDArray[Any]:
    """The values in the message as a flat array of the decoded type, without regard to the shape."""
    content: bytes = tensor.get("tensor_content", b"")
    if dtype == DataType.STRING:
        if content:
            raise TensorError("strings in tensor_content are not read")
        strings = tensor.get("string_val", [])
        array = np.empty(len(strings), dtype=object)
        array[:] = strings
        return array
    if dtype in SMALL_FLOATS:
        codes = content or tensor.get("float8_val", b"")
        return small_float_table(dtype)[np.frombuffer(codes, dtype=np.uint8)]
    if dtype == DataType.BFLOAT16:
        bits = np.frombuffer(content, dtype="<u2") if whole(content, 2) else half_bits(tensor)
        wide = bits if bits.itemsize == 4 else np.left_shift(bits, 16, dtype="<u4")
        return wide.view("<f4")
    kind = NUMPY.get(dtype)
    if kind is None:
        raise TensorError(f"tensor elements of type {type_name(dtype)} cannot be read")
    if whole(content, kind.itemsize):
        if kind == np.bool_:
            # NumPy does not define bools other than 0 and 1.
            return np.frombuffer(content, dtype="u1").astype(bool)
        return np.frombuffer(content, dtype=kind)
    if dtype == DataType.HALF:
        bits = half_bits(tensor)
        if bits.itemsize == 2:
            return bits.view("<f2")
        with np.errstate(over="ignore", invalid="ignore"):
            return bits.view("<f4").astype("<f2")
    if kind.kind == "c":
        pairs = np.asarray(tensor.get(FIELDS[dtype], []), dtype=f"<f{kind.itemsize // 2}")
        if pairs.size % 2:
            raise TensorError("complex tensor with half a value at its end")
        return pairs.view(kind)
    numbers = np.asarray(first_numbers(tensor, FIELDS.get(dtype, "int_val")))
    with np.errstate(invalid="ignore"):
        return numbers.astype(kind, copy=False)


def whole(content: bytes, itemsize: int) -> bool:
    """Whether there is content; raises if it is not a whole number of elements."""
    if len(content) % itemsize:
        raise TensorError(f"tensor content of {len(content)} bytes is not a multiple of {itemsize}")
    return bool(content)


def first_numbers(tensor: Mapping[str, Any], field: str) -> Any:
    """The numbers of the field, or of another field that has some."""
    for name in (field, *NUMBER_FIELDS):
        if tensor.get(name):
            return tensor[name]
    return []


def half_bits(tensor: Mapping[str, Any]) -> NDArray[Any]:
    """half_val as uint16 bits, or as uint32 if it holds float32 bits, as torch's add_tensor writes them."""
    numbers = np.asarray(tensor.get("half_val", []), dtype=np.int32)
    is_float32 = bool(((numbers < 0) | (numbers > 0xFFFF)).any())
    return numbers.astype("<u4" if is_float32 else "<u2")


@cache
def small_float_table(dtype: int) -> NDArray[np.float32]:
    """The float32 of every byte."""
    exponent_bits, mantissa_bits, bias, specials = SMALL_FLOATS[dtype]
    code = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    sign = np.where(code >> (exponent_bits + mantissa_bits), -1.0, 1.0)
    exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    # Exponent 0 is subnormal: no leading one, and the exponent of 1.
    magnitude = np.where(
        exponent == 0, np.ldexp(mantissa, 1 - bias), np.ldexp(1.0 + mantissa, np.maximum(exponent, 1) - bias)
    )
    table = sign * magnitude
    top = exponent == (1 << exponent_bits) - 1
    if specials == "ieee":
        table = np.where(top, np.where(mantissa == 0, sign * np.inf, np.nan), table)
    elif specials == "all ones is NaN":
        table[top & (mantissa == mantissa.max())] = np.nan
    elif specials == "minus zero is NaN":
        table[code == code.size // 2] = np.nan
    # A 4-bit value fills the low half of its byte.
    return np.tile(table.astype(np.float32), 256 // code.size)


def type_name(dtype: int) -> str:
    return DataType(dtype).name if dtype in DataType._value2member_map_ else str(dtype)


# How arrays are written. As in other writers, half, uint16, bool and complex never use tensor_content.
WRITTEN: dict[str, tuple[DataType, str]] = {
    "f4": (DataType.FLOAT, "float_val"),
    "f8": (DataType.DOUBLE, "double_val"),
    "i1": (DataType.INT8, "int_val"),
    "i2": (DataType.INT16, "int_val"),
    "i4": (DataType.INT32, "int_val"),
    "i8": (DataType.INT64, "int64_val"),
    "u1": (DataType.UINT8, "int_val"),
    "u2": (DataType.UINT16, "int_val"),
    "u4": (DataType.UINT32, "uint32_val"),
    "u8": (DataType.UINT64, "uint64_val"),
    "f2": (DataType.HALF, "half_val"),
    "b1": (DataType.BOOL, "bool_val"),
    "c8": (DataType.COMPLEX64, "scomplex_val"),
    "c16": (DataType.COMPLEX128, "dcomplex_val"),
}
NEVER_CONTENT = frozenset({"u2", "f2", "b1", "c8", "c16"})


def encode_tensor(array: NDArray[Any]) -> bytes:
    """A TensorProto. Object and string arrays become string tensors; str is written as UTF-8."""
    tensor: dict[str, Any] = {
        "tensor_shape": {"dim": [{"size": size} if size else {} for size in array.shape]},
    }
    if array.dtype.kind in "OSU":
        tensor["dtype"] = DataType.STRING
        tensor["string_val"] = [
            item if isinstance(item, bytes) else str(item).encode("utf-8", "replace")
            for item in array.ravel().tolist()
        ]
        return encode(TENSOR, tensor)
    code = f"{array.dtype.kind}{array.dtype.itemsize}"
    if code not in WRITTEN:
        raise TensorError(f"arrays of {array.dtype} cannot be tensors")
    dtype, field = WRITTEN[code]
    tensor["dtype"] = dtype
    flat = np.ascontiguousarray(array).ravel()
    if array.size > 1 and code not in NEVER_CONTENT:
        tensor["tensor_content"] = flat.astype(flat.dtype.newbyteorder("<"), copy=False).tobytes()
    elif array.size:
        if code == "f2":
            flat = flat.view(np.uint16)
        elif flat.dtype.kind == "c":
            flat = flat.view(f"f{flat.dtype.itemsize // 2}")
        tensor[field] = flat.tolist()
    return encode(TENSOR, tensor)
