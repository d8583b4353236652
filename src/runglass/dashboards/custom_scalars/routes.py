"""The custom scalars route: the one layout that all runs have logged together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from runglass.api.route import Later, NoParameters, Reply, Route
from runglass.dashboards.custom_scalars.layout import Category, merge_layouts
from runglass.errors import RunUnknown, SeriesUnknown, ValueDamaged
from runglass.query.source import DataSource
from runglass.store.model import Kind


class LayoutProblem(Struct, frozen=True):
    run: str
    message: str


class Layout(Struct, frozen=True):
    generation: int
    categories: list[Category]
    problems: Annotated[list[LayoutProblem], Meta(description="Layouts that could not be read.")]


def read_layout(source: DataSource, query: NoParameters) -> Reply:
    """The newest layouts of all runs, merged: categories of charts, each naming the tags that it draws."""
    return Later(lambda: _layout_answer(source))


def _layout_answer(source: DataSource) -> Layout:
    generation = source.generation
    layouts: list[tuple[str, Mapping[str, Any]]] = []
    problems: list[LayoutProblem] = []
    # Not by the usual tag: a graph-mode writer puts its scope around it.
    for info in source.list_series(kind=Kind.CUSTOM_SCALARS):
        run = info.key.run
        try:
            values = source.read_values(info.key, kind=Kind.CUSTOM_SCALARS)
            if not len(values.step):
                continue
            layout = source.load_value(values, len(values.step) - 1)
        except (RunUnknown, SeriesUnknown):
            continue
        except ValueDamaged as error:
            problems.append(LayoutProblem(run, error.message))
            continue
        if isinstance(layout, Mapping):
            layouts.append((run, layout))
        else:
            problems.append(LayoutProblem(run, f"The value of {info.key.tag} is not a layout."))
    return Layout(generation, merge_layouts(layouts), problems)


ROUTES = (Route("/api/custom_scalars/layout", read_layout, Layout),)
