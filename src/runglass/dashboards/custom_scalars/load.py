"""Loads the newest layout of every run and merges them; lists the ones that cannot be read. Knows no routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runglass.api.series import find_series
from runglass.dashboards.custom_scalars.layout import merge_layouts
from runglass.dashboards.custom_scalars.shape import Layout, LayoutProblem
from runglass.errors import ValueDamaged
from runglass.query.source import DataSource
from runglass.store.model import Kind


def load_layout(source: DataSource) -> Layout:
    generation = source.generation
    layouts: list[tuple[str, Mapping[str, Any]]] = []
    problems: list[LayoutProblem] = []
    # By kind, not by the usual tag: a graph-mode writer adds its scope to the tag.
    for info in source.list_series(kind=Kind.CUSTOM_SCALARS):
        run = info.key.run
        values = find_series(source, info.key, kind=Kind.CUSTOM_SCALARS)
        if values is None or not len(values.step):
            continue
        try:
            layout = source.load_value(values, len(values.step) - 1)
        except ValueDamaged as error:
            problems.append(LayoutProblem(run, error.message))
            continue
        if isinstance(layout, Mapping):
            layouts.append((run, layout))
        else:
            problems.append(LayoutProblem(run, f"The value of {info.key.tag} is not a layout."))
    return Layout(generation, merge_layouts(layouts), problems)
