"""Operations and bytes of torch's ops, by the shapes of their inputs: products, convolutions, attention. Multiply-adds count twice."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import msgspec
import numpy as np
from msgspec import Struct

from runglass.query.profiles.analysis.columns import columns
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.shapes import DTYPE_BYTES, Dims, parse_dims, parse_texts
from runglass.query.profiles.arguments import numbers
from runglass.query.profiles.model import MISSING, Float64, Int32, Int64, Trace, distinct


class Given(Struct, frozen=True):
    """The inputs of an op: shapes, [] for those that are no tensors, and values as texts."""

    dims: Dims
    values: list[str]

    def numbers(self, at: int) -> list[int]:
        """The value of an input that is a list of numbers, or one number."""
        try:
            found = msgspec.json.decode(self.values[at])
        except (IndexError, msgspec.DecodeError):
            return []
        listed = found if isinstance(found, list) else [found]
        return listed if all(type(each) is int for each in listed) else []


class Work(Struct, frozen=True):
    flops: float
    # Elements that are read and written at least once.
    elements: float


def product(first: int) -> Callable[[Given], Work | None]:
    """Of two matrices, or of as many pairs of them; the inputs before them are added."""

    def count(given: Given) -> Work | None:
        if len(given.dims) < first + 2:
            return None
        a, b = given.dims[first : first + 2]
        if len(a) < 2 or len(a) != len(b) or a[-1] != b[-2] or a[:-2] != b[:-2]:
            return None
        out = prod(a[:-1]) * b[-1]
        return Work(2.0 * out * a[-1], prod(a) + prod(b) + out)

    return count


def convolution(stride: int, padding: int, dilation: int) -> Callable[[Given], Work | None]:
    """By where its options stand among the inputs; how many groups there are follows from the weights."""

    def count(given: Given) -> Work | None:
        if len(given.dims) < 2 or len(given.dims[0]) < 3 or len(given.dims[0]) != len(given.dims[1]):
            return None
        image, weight = given.dims[:2]
        options = [given.numbers(each) for each in (stride, padding, dilation)]
        if not all(options):
            return None
        places = 1
        for axis, size in enumerate(image[2:]):
            step, room, apart = (each[axis if len(each) > axis else 0] for each in options)
            places *= max((size + 2 * room - apart * (weight[axis + 2] - 1) - 1) // max(step, 1) + 1, 0)
        out = image[0] * weight[0] * places
        return Work(2.0 * out * prod(weight[1:]), prod(image) + prod(weight) + out)

    return count


CONVOLUTION = convolution(3, 4, 5)


def plain_convolution(given: Given) -> Work | None:
    """`aten::convolution`, which may be transposed."""
    if len(given.values) > 6 and given.values[6] == "True":
        return None
    return CONVOLUTION(given)


def convolution_backward(given: Given) -> Work | None:
    """Gradients of the image and of the weights, as far as both are asked for."""
    if len(given.dims) < 3 or len(given.dims[0]) < 3 or len(given.dims[2]) < 3:
        return None
    out, image, weight = given.dims[:3]
    wanted = given.values[10].strip("[]").split(",") if len(given.values) > 10 else []
    parts = sum(each.strip() == "True" for each in wanted[:2])
    if not parts:
        return None
    return Work(
        2.0 * prod(out) * prod(weight[1:]) * parts, prod(out) + (prod(image) + prod(weight)) * (1 + parts)
    )


def attention(first: int, passes: float) -> Callable[[Given], Work | None]:
    """Queries times keys and weights times values; backwards, five products instead of two."""

    def count(given: Given) -> Work | None:
        if len(given.dims) < first + 3 or any(len(each) != 4 for each in given.dims[first : first + 3]):
            return None
        query, key, value = given.dims[first : first + 3]
        pairs = query[0] * query[1] * query[2] * key[2]
        flops = 2.0 * pairs * (query[3] + value[3]) * passes
        return Work(flops, (2 * prod(query) + prod(key) + prod(value)) * (1 if passes == 1 else 2))

    return count


COUNTED: dict[str, Callable[[Given], Work | None]] = {
    "aten::mm": product(0),
    "aten::bmm": product(0),
    "aten::addmm": product(1),
    "aten::baddbmm": product(1),
    "aten::_addmm_activation": product(1),
    "aten::_scaled_mm": product(0),
    "aten::conv1d": CONVOLUTION,
    "aten::conv2d": CONVOLUTION,
    "aten::conv3d": CONVOLUTION,
    "aten::convolution": plain_convolution,
    "aten::_convolution": plain_convolution,
    "aten::cudnn_convolution": convolution(3, 2, 4),
    "aten::miopen_convolution": convolution(4, 3, 5),
    "aten::mkldnn_convolution": convolution(4, 3, 5),
    "aten::convolution_backward": convolution_backward,
    "aten::_scaled_dot_product_flash_attention": attention(0, 1),
    "aten::_scaled_dot_product_efficient_attention": attention(0, 1),
    "aten::_scaled_dot_product_cudnn_attention": attention(0, 1),
    "aten::_scaled_dot_product_flash_attention_backward": attention(1, 2.5),
    "aten::_scaled_dot_product_efficient_attention_backward": attention(1, 2.5),
    "aten::_scaled_dot_product_cudnn_attention_backward": attention(1, 2.5),
}


class Counted(Struct):
    """For each event what it and the ops inside it computed and moved, 0 where nothing is known; and what it did itself."""

    flops: Float64
    bytes: Float64
    own: Float64


def count_work(trace: Trace) -> Counted | None:
    """None: no event tells. What a file says itself stands before what follows from shapes."""
    events = counted_events(trace)
    has_said = trace.strings.find("flops") >= 0
    if not len(events) and not has_said:
        return None
    said = numbers(trace, "flops") if has_said else None
    flops, moved = np.zeros(len(trace)), np.zeros(len(trace))
    if len(events):
        dims, types, values = columns(trace, [], ["Input Dims", "Input type", "Concrete Inputs"], events)[1]
        alike = group([trace.name[events], dims, types, values])
        found = np.zeros((2, len(alike)))
        for at, first in enumerate(alike.first.tolist()):
            given = Given(parse_dims(trace.text(dims[first])), parse_texts(trace.text(values[first])))
            work = COUNTED[trace.name_of(int(events[first]))](given)
            if work is not None:
                kinds = [each for each in parse_texts(trace.text(types[first])) if each in DTYPE_BYTES]
                found[:, at] = work.flops, work.elements * (DTYPE_BYTES[kinds[0]] if kinds else 0)
        flops[events], moved[events] = found[:, alike.of]
    if said is not None:
        flops = np.where(said != MISSING, said, flops).astype(np.float64)
    if not flops.any():
        return None
    innermost(trace, flops, moved)
    return Counted(flops=with_inner(trace, flops), bytes=with_inner(trace, moved), own=flops)


def counted_events(trace: Trace) -> Int64:
    wanted = np.zeros(len(trace.strings) + 1, np.bool_)
    for name in COUNTED:
        wanted[trace.strings.find(name)] = True
    # Names that do not occur have marked the last one.
    wanted[-1] = False
    found: Int64 = np.flatnonzero(wanted[trace.name])
    return found


def innermost(trace: Trace, flops: Float64, moved: Float64) -> None:
    """Takes the count off every op around another one that has the same: a convolution is an op in an op in an op."""
    outer = np.zeros(len(trace), np.bool_)
    at = trace.parent[np.flatnonzero(flops > 0)]
    while len(at):
        at = distinct(at[at >= 0])
        at = at[~outer[at]]
        outer[at] = True
        at = trace.parent[at]
    flops[outer] = 0
    moved[outer] = 0


def with_inner(trace: Trace, own: Float64) -> Float64:
    total = own.copy()
    at: Int32 = np.flatnonzero(own > 0).astype(np.int32)
    amount = own[at]
    while len(at):
        at = trace.parent[at]
        goes_on = at >= 0
        at, amount = at[goes_on], amount[goes_on]
        np.add.at(total, at, amount)
    return total
