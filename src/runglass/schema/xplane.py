"""Profiles of XLA (XSpace): the fields that tell which instruction an event is of."""

from __future__ import annotations

from runglass.native.wire import Field, Message

STAT = Message(
    "XStat",
    Field(1, "metadata_id", "int64"),
    Field(3, "uint64_value", "uint64"),
    Field(4, "int64_value", "int64"),
    Field(5, "str_value", "string"),
    # The number of a stat whose name is the text.
    Field(7, "ref_value", "uint64"),
)
EVENT = Message(
    "XEvent",
    Field(1, "metadata_id", "int64"),
    Field(3, "duration_ps", "int64"),
    Field(4, "stats", STAT, repeated=True),
)
LINE = Message("XLine", Field(4, "events", EVENT, repeated=True))
EVENT_METADATA = Message("XEventMetadata", Field(2, "name", "string"), Field(5, "stats", STAT, repeated=True))
# Entries of the maps of a plane.
EVENT_METADATA_ENTRY = Message("entry", Field(1, "key", "int64"), Field(2, "value", EVENT_METADATA))
STAT_METADATA_ENTRY = Message(
    "entry",
    Field(1, "key", "int64"),
    Field(2, "value", Message("XStatMetadata", Field(2, "name", "string"))),
)
