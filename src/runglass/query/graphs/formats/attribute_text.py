"""Attributes of a GraphDef's nodes as text, as much of them as is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from runglass.native.wire import WireError, decode
from runglass.query.graphs.formats.words import of_data_type
from runglass.query.graphs.model import Attribute, Shape, cut
from runglass.schema.graph import ATTR_VALUE
from runglass.schema.tensor_values import TensorError, tensor_array

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|�")
# A number with its separator has at least two characters, so this many are never all shown.
SHOWN_ITEMS = 1 << 20


def make_attribute(value: bytes, limit: int) -> Attribute:
    """`value` is a serialized AttrValue."""
    try:
        text = value_text(decode(ATTR_VALUE, value), limit)
    except WireError as error:
        return Attribute(f"(cannot be decoded: {error})", len(value))
    return cut(text, limit, len(value))


def plain_value(value: bytes) -> Any:
    """A serialized AttrValue as plain Python. One that cannot be decoded stays bytes."""
    try:
        decoded = decode(ATTR_VALUE, value)
    except WireError:
        return value
    for kind, content in decoded.items():
        if kind == "list":
            return [plain_item(each, item) for each, items in content.items() for item in items]
        return plain_item(kind, content)
    return None


def plain_item(kind: str, value: Any) -> Any:
    if kind == "s":
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if kind == "type":
        return of_data_type(value)
    if kind == "shape":
        return read_shape(value)
    if kind == "tensor":
        try:
            return tensor_array(value)
        except TensorError:
            return None
    return value.get("name", "") if kind == "func" else value


def value_text(value: dict[str, Any], limit: int) -> str:
    for kind, content in value.items():
        if kind == "list":
            return list_text(content, limit)
        return item_text(kind, content, limit)
    return ""


def list_text(content: dict[str, list[Any]], limit: int) -> str:
    items: list[str] = []
    length = 0
    for kind, values in content.items():
        for value in values:
            items.append(item_text(kind, value, limit))
            length += len(items[-1]) + 2
            # The text need only be long enough to be cut.
            if length > limit:
                return f"[{', '.join(items)}"
    return f"[{', '.join(items)}]"


def item_text(kind: str, value: Any, limit: int) -> str:
    if kind == "s":
        return bytes_text(value, limit)
    if kind == "type":
        return of_data_type(value)
    if kind == "shape":
        return dims_text(read_shape(value))
    if kind == "tensor":
        return tensor_text(value, limit)
    if kind == "func":
        return str(value.get("name", ""))
    if kind == "b":
        return "true" if value else "false"
    if kind == "f":
        return number_text(value)
    return str(value)


def number_text(value: float) -> str:
    """With the digits that tell it from others of its type."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return str(single) if single == value else str(value)


def bytes_text(value: bytes, limit: int) -> str:
    text = value[: 4 * limit + 4].decode("utf-8", "replace")
    if not CONTROL.search(text[: limit + 1]):
        return text
    # Serialized messages and the like.
    return str(value[: limit + 1])[2:-1]


def read_shape(shape: dict[str, Any]) -> Shape | None:
    if shape.get("unknown_rank"):
        return None
    return tuple(None if dim.get("size", 0) < 0 else dim.get("size", 0) for dim in shape.get("dim", ()))


def dims_text(shape: Shape | None) -> str:
    if shape is None:
        return "unknown"
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def tensor_text(tensor: dict[str, Any], limit: int) -> str:
    """ "f32[64, 20] 0.1, 0.1, …" """
    head = f"{of_data_type(tensor.get('dtype', 0))}{dims_text(read_shape(tensor.get('tensor_shape', {})))}"
    if not any(name.endswith(("_val", "_content")) for name in tensor):
        # Large weights are left on disk.
        return head
    try:
        array = tensor_array(tensor)
    except TensorError as error:
        return f"{head} ({error})"
    items = array.reshape(-1)[: min(SHOWN_ITEMS, limit // 2 + 2)].tolist()
    return f"{head} {items_text(items, limit)}"


def items_text(items: Sequence[Any], limit: int) -> str:
    return ", ".join(
        bytes_text(item, limit)
        if isinstance(item, bytes)
        else number_text(item)
        if isinstance(item, float)
        else str(item)
        for item in items
    )
