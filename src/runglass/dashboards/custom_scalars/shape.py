"""What the custom scalars route answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class MarginSeries(Struct, frozen=True):
    """A line and the band around it: the exact tags of three scalars."""

    value: str
    lower: str
    upper: str


class Chart(Struct, frozen=True):
    title: str
    kind: Annotated[
        Literal["multiline", "margin", "empty"],
        Meta(description="empty: the chart has neither tags nor series."),
    ]
    tags: Annotated[
        tuple[str, ...],
        Meta(description="For multiline: regular expressions, matched at the start of a tag."),
    ]
    series: Annotated[tuple[MarginSeries, ...], Meta(description="For margin.")]


class LoggedChart(Struct, frozen=True):
    # The chart.
    chart: Chart
    runs: Annotated[list[str], Meta(description="Runs whose layouts have this chart.")]


class Category(Struct, frozen=True):
    title: str
    # Whether it is folded at first.
    is_closed: bool
    # The charts, in the order of the layout.
    charts: list[LoggedChart]


class LayoutProblem(Struct, frozen=True):
    run: str
    message: str


class Layout(Struct, frozen=True):
    generation: int
    categories: list[Category]
    problems: Annotated[list[LayoutProblem], Meta(description="Layouts that could not be read.")]
