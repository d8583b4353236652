"""What a Keras layer makes of its inputs' shapes, how many weights it has and how many operations it takes.

Knows the layers that most models are made of; of any other it says nothing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from runglass.query.graphs.model import Shape


class Guess(NamedTuple):
    shape: Shape | None = None
    parameters: int = 0
    flops: float = math.nan


SAME_SHAPE = frozenset(
    {
        *("Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "Dropout", "SpatialDropout1D"),
        *("SpatialDropout2D", "GaussianNoise", "GaussianDropout", "AlphaDropout", "BatchNormalization"),
        *("LayerNormalization", "GroupNormalization", "UnitNormalization", "RMSNormalization", "Rescaling"),
        *("Normalization", "Masking", "ActivityRegularization", "Identity", "SpectralNormalization"),
    }
)
JOINED = frozenset({"Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"})
FREE = frozenset({"InputLayer", "Flatten", "Reshape", "Permute", "Concatenate", "Identity", "Embedding"})


def infer_layer(layer: dict[str, Any], inputs: list[Shape | None]) -> Guess:
    config = layer.get("config")
    if not isinstance(config, dict):
        return Guess()
    built = layer.get("build_config")
    given = _shape(built.get("input_shape")) if isinstance(built, dict) else None
    first = inputs[0] if inputs else None
    first = given if given is not None else first
    if first is None:
        first = _shape(config.get("batch_input_shape"))
    try:
        guess = _infer(str(layer.get("class_name")), config, first, inputs)
    except (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError):
        # A configuration unlike any that Keras writes.
        return Guess()
    return guess if guess.parameters < 2**62 else guess._replace(parameters=0)


def _infer(kind: str, config: dict[str, Any], shape: Shape | None, inputs: list[Shape | None]) -> Guess:
    if kind == "InputLayer":
        found = config.get("batch_shape", config.get("batch_input_shape"))
        return Guess(_shape(found), 0, 0.0)
    if kind in JOINED:
        return Guess(shape)
    if kind == "Concatenate":
        return Guess(_joined(inputs, int(config.get("axis", -1))), 0, 0.0)
    if shape is None:
        return Guess()
    channels = shape[-1]
    if kind in SAME_SHAPE:
        return Guess(shape, _norm_weights(kind, config, shape))
    if kind == "Dense":
        units = int(config["units"])
        weights = (channels or 0) * units
        return Guess(
            (*shape[:-1], units), weights + _bias(config, units), 2.0 * weights * _count(shape[1:-1])
        )
    if kind == "Embedding":
        rows, width = int(config["input_dim"]), int(config["output_dim"])
        return Guess((*shape, width), rows * width, 0.0)
    if kind in {"Conv1D", "Conv2D", "Conv3D", "DepthwiseConv2D", "DepthwiseConv1D", "SeparableConv2D"}:
        return _convolution(kind, config, shape)
    if kind.startswith(("MaxPooling", "AveragePooling")):
        sizes = _sizes(config["pool_size"], len(shape) - 2)
        strides = _sizes(config.get("strides") or config["pool_size"], len(shape) - 2)
        return Guess(_slid(config, shape, sizes, strides, [1] * len(sizes), channels_of(config, shape)))
    if kind.startswith(("GlobalAveragePooling", "GlobalMaxPooling")):
        return Guess((shape[0], channels_of(config, shape)))
    if kind == "Flatten":
        known = shape[1:]
        size = None if any(each is None for each in known) else _count(known)
        return Guess((shape[0], None if size is None else int(size)), 0, 0.0)
    if kind == "Reshape":
        target = [int(each) for each in config["target_shape"]]
        return Guess((shape[0], *(None if each < 0 else each for each in target)), 0, 0.0)
    if kind in {"LSTM", "GRU", "SimpleRNN"}:
        return _recurrent(kind, config, shape)
    if kind == "MultiHeadAttention":
        return _attention(config, shape, inputs)
    if kind in FREE:
        return Guess(None, 0, 0.0)
    return Guess()


def _norm_weights(kind: str, config: dict[str, Any], shape: Shape) -> int:
    if kind not in {"BatchNormalization", "LayerNormalization", "GroupNormalization", "RMSNormalization"}:
        return 0
    axes = config.get("axis", -1)
    width = math.prod(shape[int(axis)] or 0 for axis in (axes if isinstance(axes, list) else [axes]))
    if kind == "RMSNormalization":
        return width
    kept = bool(config.get("center", True)) + bool(config.get("scale", True))
    # Batch normalization also keeps a moving mean and variance.
    return width * (kept + 2 * (kind == "BatchNormalization"))


def _convolution(kind: str, config: dict[str, Any], shape: Shape) -> Guess:
    rank = len(shape) - 2
    kernel = _sizes(config["kernel_size"], rank)
    strides = _sizes(config.get("strides", 1), rank)
    dilation = _sizes(config.get("dilation_rate", 1), rank)
    incoming = channels_of(config, shape) or 0
    multiplier = int(config.get("depth_multiplier", 1))
    if kind.startswith("Depthwise"):
        outgoing = incoming * multiplier
        weights = math.prod(kernel) * outgoing
    elif kind.startswith("Separable"):
        outgoing = int(config["filters"])
        weights = incoming * multiplier * (math.prod(kernel) + outgoing)
    else:
        outgoing = int(config["filters"])
        weights = math.prod(kernel) * (incoming // int(config.get("groups", 1))) * outgoing
    out = _slid(config, shape, kernel, strides, dilation, outgoing)
    places = _count(out[1:]) / outgoing
    return Guess(out, weights + _bias(config, outgoing), 2.0 * weights * places)


def _recurrent(kind: str, config: dict[str, Any], shape: Shape) -> Guess:
    units = int(config["units"])
    gates = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}[kind]
    weights = gates * units * ((shape[-1] or 0) + units)
    bias = _bias(config, gates * units) * (2 if kind == "GRU" and config.get("reset_after") else 1)
    out: Shape = (shape[0], shape[1], units) if config.get("return_sequences") else (shape[0], units)
    return Guess(out, weights + bias, 2.0 * weights * (shape[1] or 1))


def _attention(config: dict[str, Any], shape: Shape, inputs: list[Shape | None]) -> Guess:
    """Called with query, value and maybe key, which is the value otherwise."""
    heads, key_size = int(config["num_heads"]), int(config["key_dim"])
    value_size = int(config.get("value_dim") or key_size)
    value = (inputs[1] if len(inputs) > 1 else None) or shape
    key = (inputs[2] if len(inputs) > 2 else None) or value
    out = shape[-1] or 0
    wide, tall = heads * key_size, heads * value_size
    given = wide * (out + (key[-1] or 0)) + tall * (value[-1] or 0)
    bias = _bias(config, 2 * wide + tall + out)
    rows, columns = _count(shape[1:-1]), _count(key[1:-1])
    products = wide * out * rows + wide * (key[-1] or 0) * columns + tall * (value[-1] or 0) * columns
    products += rows * columns * (wide + tall) + rows * tall * out
    return Guess(shape, given + tall * out + bias, 2.0 * products)


def _slid(
    config: dict[str, Any],
    shape: Shape,
    kernel: list[int],
    strides: list[int],
    dilation: list[int],
    channels: int | None,
) -> Shape:
    """The shape after a window has moved over the places of `shape`."""
    is_last = config.get("data_format", "channels_last") != "channels_first"
    places = shape[1:-1] if is_last else shape[2:]
    moved: list[int | None] = []
    for size, window, stride, spread in zip(places, kernel, strides, dilation, strict=True):
        if size is None:
            moved.append(None)
        elif config.get("padding", "valid") == "valid":
            moved.append((size - (window - 1) * spread - 1) // stride + 1)
        else:
            moved.append(-(-size // stride))
    return (shape[0], *moved, channels) if is_last else (shape[0], channels, *moved)


def channels_of(config: dict[str, Any], shape: Shape) -> int | None:
    return shape[1] if config.get("data_format") == "channels_first" else shape[-1]


def _joined(inputs: list[Shape | None], axis: int) -> Shape | None:
    known = [shape for shape in inputs if shape]
    if not known or len(known) < len(inputs) or len({len(shape) for shape in known}) > 1:
        return None
    at = axis % len(known[0])
    sizes = [shape[at] for shape in known]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    return (*known[0][:at], total, *known[0][at + 1 :])


def _bias(config: dict[str, Any], count: int) -> int:
    return count if config.get("use_bias", True) else 0


def _sizes(value: Any, rank: int) -> list[int]:
    return [int(each) for each in value] if isinstance(value, list) else [int(value)] * rank


def _count(sizes: Shape) -> float:
    return float(math.prod(1 if size is None else size for size in sizes))


def _shape(value: Any) -> Shape | None:
    if not isinstance(value, list):
        return None
    return tuple(size if type(size) is int and size >= 0 else None for size in value)
