"""The custom scalars route: the one layout that all runs have logged together."""

from __future__ import annotations

from runglass.api.route import Later, NoParameters, Reply, Route
from runglass.dashboards.custom_scalars.load import load_layout
from runglass.dashboards.custom_scalars.shape import Layout
from runglass.query.source import DataSource


def read_layout(source: DataSource, query: NoParameters) -> Reply:
    """The newest layouts of all runs, merged: categories of charts, each naming the tags that it draws."""
    return Later(lambda: load_layout(source))


ROUTES = (Route("/api/custom_scalars/layout", read_layout, Layout),)
