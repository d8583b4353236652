"""Layout of the custom scalars plugin: categories of charts with the tags they show."""

from __future__ import annotations

from runglass.native.wire import Field, Message

LAYOUT_TAG = "custom_scalars__config__"

MULTILINE = Message("MultilineChartContent", Field(1, "tag", "string", repeated=True))
MARGIN_SERIES = Message(
    "MarginChartContent.Series",
    Field(1, "value", "string"),
    Field(2, "lower", "string"),
    Field(3, "upper", "string"),
)
MARGIN = Message("MarginChartContent", Field(1, "series", MARGIN_SERIES, repeated=True))
CHART = Message(
    "Chart",
    Field(1, "title", "string"),
    Field(2, "multiline", MULTILINE, oneof="content"),
    Field(3, "margin", MARGIN, oneof="content"),
)
CATEGORY = Message(
    "Category",
    Field(1, "title", "string"),
    Field(2, "chart", CHART, repeated=True),
    Field(3, "closed", "bool"),
)
LAYOUT = Message("Layout", Field(1, "version", "int32"), Field(2, "category", CATEGORY, repeated=True))
