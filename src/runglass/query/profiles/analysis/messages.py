"""How many bytes one collective moves, as torch tells it."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.model import Trace

# As torch spells types of tensors: c10's names, those of C, and NCCL's.
SIZES = {
    **dict.fromkeys(("double", "float64", "long", "long int", "int64", "complexfloat"), 8),
    **dict.fromkeys(("float", "float32", "int", "int32"), 4),
    **dict.fromkeys(("half", "float16", "bfloat16", "short", "int16", "c10::half", "c10::bfloat16"), 2),
    **dict.fromkeys(("char", "byte", "bool", "int8", "uint8", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "c10::float8_e4m3fn", "c10::float8_e5m2"), 1),
    "complexdouble": 16,
}


def moved_bytes(trace: Trace, event: int) -> int:
    """Of the larger side of a call; -1 where nothing tells."""
    given: dict[str, Any] = dict(arguments(trace, event))
    size = SIZES.get(str(given.get("dtype", "")).lower())
    counts = [given.get(key) for key in ("In msg nelems", "Out msg nelems")]
    known = [each for each in counts if isinstance(each, int) and not isinstance(each, bool) and each >= 0]
    if size is not None and known:
        return size * max(known)
    return input_bytes(given.get("Input Dims"), given.get("Input type"))


def input_bytes(dims: object, types: object) -> int:
    """Of all tensors that are passed."""
    if not isinstance(dims, list) or not isinstance(types, list):
        return -1
    total = -1
    for shape, name in zip(dims, types, strict=False):
        size = SIZES.get(re.sub(r"^at::|^torch::", "", str(name).lower()))
        if size is None or not isinstance(shape, list) or not shape:
            continue
        if all(isinstance(each, int) and each >= 0 for each in shape):
            total = max(total, 0) + size * prod(shape)
    return total
