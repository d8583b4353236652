"""Turns logged layouts into charts, and merges the layouts of several runs into one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from runglass.dashboards.custom_scalars.shape import Category, Chart, LoggedChart, MarginSeries


def plain_layout(layout: Mapping[str, Any]) -> list[tuple[str, bool, list[Chart]]]:
    """Title, whether it is closed, and charts of every category of a decoded Layout message."""
    return [
        (
            category.get("title", ""),
            bool(category.get("closed", False)),
            [_chart(each) for each in category.get("chart", [])],
        )
        for category in layout.get("category", [])
    ]


def _chart(chart: Mapping[str, Any]) -> Chart:
    title = chart.get("title", "")
    if tags := chart.get("multiline", {}).get("tag"):
        return Chart(title, "multiline", tuple(tags), ())
    if series := chart.get("margin", {}).get("series"):
        return Chart(title, "margin", (), tuple(map(_series, series)))
    return Chart(title, "empty", (), ())


def _series(series: Mapping[str, Any]) -> MarginSeries:
    return MarginSeries(series.get("value", ""), series.get("lower", ""), series.get("upper", ""))


def merge_layouts(layouts: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Category]:
    """Merge layouts by run name: categories of the same title become one, and so do equal charts in a category.

    Differs from TensorBoard, which from the third layout on loses charts of categories that the first layout does not have.
    """
    is_closed: dict[str, bool] = {}
    runs_of: dict[str, dict[Chart, list[str]]] = {}
    for run, layout in sorted(layouts, key=lambda each: each[0]):
        for title, closed, charts in plain_layout(layout):
            # The first layout with a category decides whether it is closed.
            is_closed.setdefault(title, closed)
            known = runs_of.setdefault(title, {})
            for chart in charts:
                runs = known.setdefault(chart, [])
                if run not in runs[-1:]:
                    runs.append(run)
    return [
        Category(title, is_closed[title], [LoggedChart(chart, runs) for chart, runs in charts.items()])
        for title, charts in runs_of.items()
    ]
