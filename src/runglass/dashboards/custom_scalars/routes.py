"""The custom scalars route: one layout merged from those of all runs."""

from __future__ import annotations

from runglass.api.route import Later, NoParameters, Reply, Route
from runglass.dashboards.custom_scalars.load import load_layout
from runglass.dashboards.custom_scalars.shape import Layout
from runglass.query.source import DataSource


def read_layout(source: DataSource, query: NoParameters) -> Reply:
    """The newest layouts of all runs, merged: categories of charts with the tags that they draw."""
    return Later(lambda: load_layout(source))


ROUTES = (Route("/api/custom_scalars/layout", read_layout, Layout),)
