"""Steps, wall times and numbers as callers give them, made plain or refused. Knows no file and no framework by name."""

from __future__ import annotations

import math
import operator
from typing import Any

from runglass.errors import BadArgument


def plain_step(step: Any) -> int:
    """An int from anything that is a whole number: NumPy integers, tensors of one integer, 3.0."""
    try:
        plain = operator.index(step)
    except (TypeError, ValueError, AttributeError):
        # TensorFlow's tensors claim to be an index, and say otherwise by an AttributeError.
        plain = whole_step(step)
    if not -(2**63) <= plain < 2**63:
        raise BadArgument(f"Step {plain} does not fit a signed 64-bit integer.")
    return plain


def whole_step(step: Any) -> int:
    number = one_number(step)
    if not isinstance(number, int | float) or not math.isfinite(number) or number != int(number):
        raise BadArgument(f"Argument step must be a whole number, got {described(step)}.")
    return int(number)


def plain_wall_time(wall_time: Any) -> float:
    number = one_number(wall_time)
    if not isinstance(number, int | float):
        raise BadArgument(f"Argument wall_time must be seconds since 1970, got {described(wall_time)}.")
    if not math.isfinite(number):
        raise BadArgument(f"Argument wall_time {number} is not finite; readers drop such events.")
    return float(number)


def one_number(value: Any) -> Any:
    """What is inside an array of one element; anything else as it is."""
    for _ in range(2):
        if isinstance(value, int | float | str | bytes | None):
            return value
        # TensorFlow's tensors have no item() of their own, but turn into NumPy arrays, which do.
        read = getattr(value, "item", None) or getattr(value, "numpy", None)
        if read is None:
            break
        try:
            value = read()
        except (TypeError, ValueError, RuntimeError):
            # More than one element.
            return value
    if isinstance(value, list | tuple) and len(value) == 1:
        return one_number(value[0])
    return value


def described(value: Any) -> str:
    shape = getattr(value, "shape", None)
    kind = type(value).__name__
    if shape is not None:
        return f"{kind} of shape {tuple(shape)}"
    text = repr(value)
    return f"{kind} {text}" if len(text) <= 40 else kind
