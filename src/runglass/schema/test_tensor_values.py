from __future__ import annotations

import struct

import numpy as np
import pytest

from runglass.native.wire import encode
from runglass.schema.tensor import TENSOR, DataType
from runglass.schema.tensor_values import FILL_LIMIT, TensorError, decode_tensor, encode_tensor


def tensor(dtype, shape=None, **fields):
    if shape is not None:
        fields["tensor_shape"] = {"dim": [{"size": size} for size in shape]}
    return decode_tensor(encode(TENSOR, {"dtype": dtype, **fields}))


ARRAYS = [
    np.float32(0.5),
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array([np.nan, np.inf, -0.0]),
    np.array([1.5, -2.0, 65504], dtype=np.float16),
    np.array([[-128, 127]], dtype=np.int8),
    np.array([-(2**15), 5], dtype=np.int16),
    np.int32(-7),
    np.array([-(2**63), 2**63 - 1]),
    np.array([255, 0], dtype=np.uint8),
    np.array([65535, 0], dtype=np.uint16),
    np.uint32(2**32 - 1),
    np.array([2**64 - 1, 1], dtype=np.uint64),
    np.array([True, False]),
    np.array([1 + 2j, -1j], dtype=np.complex64),
    np.complex128(3 - 4j),
    np.zeros((0, 3)),
    np.zeros((2, 0), dtype=np.int32),
]


@pytest.mark.parametrize("array", [np.asarray(a) for a in ARRAYS], ids=lambda a: f"{a.dtype}{a.shape}")
def test_arrays_come_back(array):
    back = decode_tensor(encode_tensor(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_big_endian_arrays_are_written_little_endian():
    np.testing.assert_array_equal(decode_tensor(encode_tensor(np.array([1, 2], dtype=">i4"))), [1, 2])


def test_strings_come_back_as_bytes():
    back = decode_tensor(encode_tensor(np.array([["a", "é"]], dtype=object)))
    assert back.tolist() == [[b"a", "é".encode()]]
    assert decode_tensor(encode_tensor(np.array(b"\0x\0", dtype=object))).item() == b"\0x\0"


def test_bytes_of_other_writers():
    assert encode_tensor(np.float32(0.5).reshape(())).hex() == "080112002a040000003f"
    assert encode_tensor(np.zeros(0, dtype=np.float32)).hex() == "080112021200"


def test_bfloat16_is_float32_without_the_low_half():
    bits = [0x3F80, 0xC040, 0x7F80]
    for found in (
        tensor(DataType.BFLOAT16, [3], half_val=bits),
        tensor(DataType.BFLOAT16, [3], tensor_content=np.array(bits, "<u2").tobytes()),
    ):
        assert found.dtype == np.float32
        assert found.tolist() == [1.0, -3.0, np.inf]


@pytest.mark.parametrize("dtype", [DataType.HALF, DataType.BFLOAT16])
def test_half_values_that_are_really_float32_bits(dtype):
    bits = np.array([0.0, 1.5, -2.0], dtype=np.float32).view(np.int32).tolist()
    assert tensor(dtype, [3], half_val=bits).tolist() == [0.0, 1.5, -2.0]


def test_uint8_in_the_wrong_field_is_found():
    assert tensor(DataType.UINT8, [2], uint32_val=[7, 255]).tolist() == [7, 255]


def test_quantised_and_small_integers_are_their_stored_integers():
    assert tensor(DataType.QUINT8, [2], int_val=[3, 255]).tolist() == [3, 255]
    assert tensor(DataType.QINT16, [1], int_val=[-3]).tolist() == [-3]
    assert tensor(DataType.INT4, [2], tensor_content=b"\xf8\x07").tolist() == [-8, 7]
    assert tensor(DataType.UINT4, [2], tensor_content=b"\x0f\x00").tolist() == [15, 0]


# Per format: byte and value, at the edges that tell the formats apart.
SMALL_FLOATS = {
    DataType.FLOAT8_E5M2: {
        0x3C: 1.0,
        0x7B: 57344.0,
        0x01: 2.0**-16,
        0x7C: np.inf,
        0xFC: -np.inf,
        0x7D: np.nan,
        0x80: -0.0,
    },
    DataType.FLOAT8_E4M3FN: {
        0x38: 1.0,
        0x7E: 448.0,
        0x01: 2.0**-9,
        0x7F: np.nan,
        0xFF: np.nan,
        0xB8: -1.0,
        0x78: 256.0,
    },
    DataType.FLOAT8_E4M3FNUZ: {0x40: 1.0, 0x7F: 240.0, 0x01: 2.0**-10, 0x80: np.nan, 0xC0: -1.0},
    DataType.FLOAT8_E4M3B11FNUZ: {0x58: 1.0, 0x7F: 30.0, 0x01: 2.0**-13, 0x80: np.nan},
    DataType.FLOAT8_E5M2FNUZ: {0x40: 1.0, 0x7F: 57344.0, 0x01: 2.0**-17, 0x80: np.nan},
    DataType.FLOAT4_E2M1FN: {
        0: 0.0,
        1: 0.5,
        2: 1.0,
        3: 1.5,
        4: 2.0,
        5: 3.0,
        6: 4.0,
        7: 6.0,
        9: -0.5,
        15: -6.0,
    },
}


@pytest.mark.parametrize("dtype", SMALL_FLOATS)
def test_small_floats(dtype):
    table = SMALL_FLOATS[dtype]
    found = tensor(dtype, [len(table)], tensor_content=bytes(table))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array(list(table.values()), dtype=np.float32))
    assert np.signbit(found[0]) == np.signbit(next(iter(table.values())))


def test_float8_typed_field():
    assert tensor(DataType.FLOAT8_E5M2, [1], float8_val=b"\x3c").tolist() == [1.0]


def test_missing_values_repeat_the_last_one_or_are_zero():
    assert tensor(DataType.FLOAT, [2, 2], float_val=[1.0, 2.0]).tolist() == [[1.0, 2.0], [2.0, 2.0]]
    assert tensor(DataType.INT64, [2]).tolist() == [0, 0]
    assert tensor(DataType.STRING, [2]).tolist() == [b"", b""]
    assert tensor(DataType.FLOAT, []).tolist() == 0.0


def test_without_a_shape_one_value_is_a_scalar_and_more_are_a_row():
    assert tensor(DataType.DOUBLE, double_val=[0.1]).shape == ()
    assert tensor(DataType.DOUBLE, double_val=[0.1, 0.2]).shape == (2,)
    assert tensor(DataType.FLOAT, tensor_content=struct.pack("<2f", 1, 2)).tolist() == [1.0, 2.0]
    assert tensor(DataType.INT32, tensor_shape={"unknown_rank": True}, int_val=[1, 2]).tolist() == [1, 2]


def test_reference_types_are_read_as_their_values():
    assert tensor(DataType.FLOAT + 100, [1], float_val=[2.0]).tolist() == [2.0]


def test_bool_bytes_other_than_one_are_true():
    assert tensor(DataType.BOOL, [3], tensor_content=b"\x00\x01\x02").tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("dtype", "shape", "fields", "message"),
    [
        (DataType.FLOAT, [2], {"float_val": [1, 2, 3]}, "needs 2 values, found 3"),
        (DataType.FLOAT, [3], {"tensor_content": bytes(8)}, "needs 3 values, found 2"),
        (DataType.FLOAT, [2], {"tensor_content": bytes(7)}, "is not a multiple of 4"),
        (DataType.FLOAT, [FILL_LIMIT + 1], {"float_val": [1.0]}, "at most 16777216 are filled in"),
        (DataType.FLOAT, [2**62] * 30, {}, "at most 16777216 are filled in"),
        (DataType.FLOAT, [-1, 2], {"float_val": [1.0]}, "no usable shape"),
        (DataType.FLOAT, [1] * 33, {"float_val": [1.0]}, "no usable shape"),
        (DataType.FLOAT, [0, 2**62, 2**62], {}, "shape"),
        (DataType.COMPLEX64, [1], {"scomplex_val": [1.0]}, "half a value"),
        (DataType.RESOURCE, [], {}, "RESOURCE cannot be read"),
        (0, [], {"float_val": [1.0]}, "INVALID cannot be read"),
        (77, [], {}, "77 cannot be read"),
    ],
)
def test_invalid_tensors_say_why(dtype, shape, fields, message):
    with pytest.raises(TensorError, match=message):
        tensor(dtype, shape, **fields)


def test_arrays_that_cannot_be_tensors_are_refused():
    with pytest.raises(TensorError, match="datetime64"):
        encode_tensor(np.array(["2020-01-01"], dtype="datetime64[D]"))
