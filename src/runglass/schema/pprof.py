"""Profiles of pprof, which JAX writes for the memory of its devices."""

from __future__ import annotations

from runglass.native.wire import Field, Message

VALUE_TYPE = Message("ValueType", Field(1, "type", "int64"), Field(2, "unit", "int64"))
LABEL = Message(
    "Label",
    Field(1, "key", "int64"),
    Field(2, "str", "int64"),
    Field(3, "num", "int64"),
    Field(4, "num_unit", "int64"),
)
SAMPLE = Message(
    "Sample",
    # The innermost first.
    Field(1, "location_id", "uint64", repeated=True),
    Field(2, "value", "int64", repeated=True),
    Field(3, "label", LABEL, repeated=True),
)
LINE = Message("Line", Field(1, "function_id", "uint64"), Field(2, "line", "int64"))
LOCATION = Message(
    "Location",
    Field(1, "id", "uint64"),
    Field(3, "address", "uint64"),
    # Inlined functions, the innermost first.
    Field(4, "line", LINE, repeated=True),
)
FUNCTION = Message(
    "Function",
    Field(1, "id", "uint64"),
    Field(2, "name", "int64"),
    Field(3, "system_name", "int64"),
    Field(4, "filename", "int64"),
    Field(5, "start_line", "int64"),
)
# Texts are numbers of string_table, whose first is "".
PROFILE = Message(
    "Profile",
    Field(1, "sample_type", VALUE_TYPE, repeated=True),
    Field(2, "sample", SAMPLE, repeated=True),
    Field(4, "location", LOCATION, repeated=True),
    Field(5, "function", FUNCTION, repeated=True),
    Field(6, "string_table", "string", repeated=True),
    Field(9, "time_nanos", "int64"),
)
