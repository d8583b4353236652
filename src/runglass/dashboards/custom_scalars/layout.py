"""Layouts as the page draws them: logged ones made plain, and those of several runs merged into one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from runglass.dashboards.custom_scalars.shape import Category, Chart, LoggedChart, MarginSeries


def plain_layout(layout: Mapping[str, Any]) -> list[tuple[str, bool, list[Chart]]]:
    """Title, whether it is closed, and the charts of every category of a decoded Layout message."""
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
    """Layouts by run, in the order of the runs' names: categories of one title are one, equal charts in it too.

    Differs from TensorBoard: from the third layout on it loses what is added to a category that the first does not have.
    """
    is_closed: dict[str, bool] = {}
    runs_of: dict[str, dict[Chart, list[str]]] = {}
    for run, layout in sorted(layouts, key=lambda each: each[0]):
        for title, closed, charts in plain_layout(layout):
            # The first to name a category says whether it is closed.
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
