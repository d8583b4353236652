"""Shapes and types of an op's inputs, as torch writes them."""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec

Dims = list[list[int]]

# Bytes of an element, by the names of C++.
DTYPE_BYTES = {
    "float": 4,
    "double": 8,
    "c10::Half": 2,
    "c10::BFloat16": 2,
    "int": 4,
    "long": 8,
    "long int": 8,
    "short": 2,
    "short int": 2,
    "signed char": 1,
    "unsigned char": 1,
    "bool": 1,
    "c10::Float8_e4m3fn": 1,
    "c10::Float8_e5m2": 1,
    "c10::complex<float>": 8,
    "c10::complex<double>": 16,
}


def parse_dims(text: str) -> Dims:
    """The shape of each input, [] for those that are no tensors; a list of tensors has a shape for each of them."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return []
    shapes: Dims = []
    for each in found if isinstance(found, list) else []:
        # A shape that is given as a value is a text.
        given = parse_shape(each) if isinstance(each, str) else each
        lists = given if isinstance(given, list) and given and isinstance(given[0], list) else [given]
        shapes.extend(shape if is_shape(shape) else [] for shape in lists)
    return shapes


def is_shape(found: Any) -> TypeGuard[list[int]]:
    return isinstance(found, list) and all(type(size) is int and size >= 0 for size in found)


def parse_shape(text: str) -> Any:
    try:
        return msgspec.json.decode(text) if text.startswith("[") else []
    except (msgspec.DecodeError, RecursionError):
        return []


def parse_texts(text: str) -> list[str]:
    """Types or concrete values of the inputs; "" for those without."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [each if isinstance(each, str) else "" for each in found] if isinstance(found, list) else []
