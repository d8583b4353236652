"""Layouts of the custom scalars dashboard: which charts show which tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.layout import LAYOUT, LAYOUT_TAG
from runglass.schema.summary import DataClass
from runglass.writer.values.summaries import summary_value

Chart = Sequence[Any]
Layout = Mapping[str, Mapping[str, Chart]]


def layout_value(layout: Layout) -> bytes:
    """`{category: {chart: ["Multiline", [tag, …]]}}`, or `["Margin", [value, lower, upper]]` for a band around a line."""
    if not isinstance(layout, Mapping):
        raise BadArgument(
            f"layout must be a dict {{category: {{chart: [kind, tags]}}}}, got {type(layout).__name__}.",
            where="layout",
        )
    categories = []
    for category, charts in layout.items():
        if not isinstance(charts, Mapping):
            raise BadArgument(
                f"Category {category!r} must hold a dict {{chart: [kind, tags]}}, got {type(charts).__name__}.",
                where="layout",
            )
        categories.append(
            {
                "title": str(category),
                "chart": [chart_fields(str(title), chart) for title, chart in charts.items()],
            }
        )
    array = np.empty((), dtype=object)
    array[()] = encode(LAYOUT, {"category": categories})
    return summary_value(LAYOUT_TAG, array, plugin="custom_scalars", data_class=DataClass.TENSOR)


def chart_fields(title: str, chart: Chart) -> dict[str, Any]:
    match chart:
        case ["Multiline", [*tags]] if tags and are_texts(tags):
            return {"title": title, "multiline": {"tag": tags}}
        case ["Margin", [value, lower, upper]] if are_texts([value, lower, upper]):
            return {"title": title, "margin": {"series": [{"value": value, "lower": lower, "upper": upper}]}}
    raise BadArgument(
        f"Chart {title!r} must be ['Multiline', [tag, …]] or ['Margin', [value, lower, upper]], got {chart!r}.",
        where="layout",
    )


def are_texts(tags: Sequence[object]) -> bool:
    return all(isinstance(tag, str) for tag in tags)
