from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_number, to_numpy, to_step


class Tensor:
    """The used part of a torch tensor: on a device, with a gradient, of a type that NumPy does not have."""

    layout = "torch.strided"

    def __init__(self, values, dtype="torch.bfloat16"):
        self.values = np.asarray(values)
        self.dtype = dtype

    def detach(self):
        return self

    def float(self):
        return Tensor(self.values.astype(np.float32), "torch.float32")

    def numpy(self, *, force=False):
        if not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values

    def __array__(self, *_, **__):
        raise RuntimeError("not this way")


class Cupy:
    __cuda_array_interface__ = None

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self):
        return np.arange(3)


class Eager:
    def numpy(self):
        return np.float32(4)


class Exporter:
    def __init__(self):
        self.array = np.arange(4)

    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Tracer:
    def __array__(self, *_, **__):
        raise TypeError("a tracer has no value\nand here is why")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ((True, False), [True, False]),
        (np.float32(2), 2),
        (Tensor([1, 2]), [1, 2]),
        ([Tensor([1, 2]), Tensor([3, 4])], [[1, 2], [3, 4]]),
        (Cupy(), [0, 1, 2]),
        (Eager(), 4),
        (Exporter(), [0, 1, 2, 3]),
        (memoryview(np.arange(2.0)), [0, 1]),
    ],
)
def test_values_of_every_kind(value, expected):
    np.testing.assert_array_equal(to_numpy(value, "X"), expected)


def test_arrays_are_not_copied():
    array = np.zeros((2, 3))[:, ::2]
    assert to_numpy(array, "X") is array


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("text", "X needs an array of numbers, got str"),
        (None, "NoneType"),
        ({"a": 1}, "dict"),
        (np.array(["a"]), "array of <U1"),
        (np.array([{}]), "array of object"),
        ([[1], [2, 3]], "list that cannot be turned into one"),
        (Tracer(), "Tracer that cannot be turned into one: a tracer has no value$"),
    ],
)
def test_values_that_are_not_arrays(value, message):
    with pytest.raises(BadArgument, match=message):
        to_numpy(value, "X")


def test_numbers_and_steps():
    assert to_number(Tensor([[2.5]]), "X") == 2.5
    assert to_step(Tensor([7])) == 7
    assert to_step(Eager()) == 4


def test_pictures_of_pil():
    palette = Image.new("P", (4, 2), 1)
    assert to_numpy(palette, "X").shape == (2, 4, 3)
    assert to_numpy(Image.new("CMYK", (4, 2)), "X").shape == (2, 4, 3)
    assert to_numpy(Image.new("1", (4, 2)), "X").dtype == np.bool_
