"""google.protobuf.Value, a JSON value on the wire, and its conversion to and from plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runglass.native.wire import Field, Message

VALUE = Message("Value")
STRUCT = Message("Struct", Field(1, "fields", VALUE, key="string"))
LIST_VALUE = Message("ListValue", Field(1, "values", VALUE, repeated=True))
VALUE.define(
    Field(1, "null_value", "enum", oneof="kind"),
    Field(2, "number_value", "double", oneof="kind"),
    Field(3, "string_value", "string", oneof="kind"),
    Field(4, "bool_value", "bool", oneof="kind"),
    Field(5, "struct_value", STRUCT, oneof="kind"),
    Field(6, "list_value", LIST_VALUE, oneof="kind"),
)


def plain_value(value: Mapping[str, Any]) -> Any:
    """A decoded Value as None, float, str, bool, dict or list; an empty Value is None."""
    for kind, content in value.items():
        if kind == "struct_value":
            return {name: plain_value(item) for name, item in content.get("fields", {}).items()}
        if kind == "list_value":
            return plain_list(content)
        return None if kind == "null_value" else content
    return None


def plain_list(value: Mapping[str, Any]) -> list[Any]:
    """A decoded ListValue as a list."""
    return [plain_value(item) for item in value.get("values", [])]


def wire_value(value: object) -> dict[str, Any]:
    """The reverse of `plain_value`: what `encode(VALUE, …)` takes. Raises TypeError for a type that JSON does not have."""
    if value is None:
        return {"null_value": 0}
    if isinstance(value, bool):
        return {"bool_value": value}
    if isinstance(value, int | float):
        return {"number_value": float(value)}
    if isinstance(value, str):
        return {"string_value": value}
    if isinstance(value, Mapping):
        return {"struct_value": {"fields": {str(name): wire_value(item) for name, item in value.items()}}}
    if isinstance(value, list | tuple):
        return {"list_value": {"values": [wire_value(item) for item in value]}}
    raise TypeError(f"JSON has no {type(value).__name__}")
