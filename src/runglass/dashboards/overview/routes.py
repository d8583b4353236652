"""The overview routes: how the runs are doing, and which texts they share. The cards use the routes of the other dashboards."""

from __future__ import annotations

from runglass.api.checks import check_count
from runglass.api.route import Later, Reply, Route
from runglass.api.stops import MAX_NAMES
from runglass.dashboards.overview.same_texts import find_same_texts
from runglass.dashboards.overview.shape import (
    MAX_METRICS,
    OverviewBody,
    OverviewSummary,
    SameTexts,
    SameTextsBody,
)
from runglass.dashboards.overview.summary import read_summary
from runglass.query.source import DataSource


def summarize(source: DataSource, body: OverviewBody) -> Reply:
    """How the runs are doing: states, best values, trouble, and the newest images and texts."""
    check_count(len(body.runs or ()), MAX_NAMES, what="runs", where="runs")
    check_count(len(body.metrics or ()), MAX_METRICS, what="metrics", where="metrics")
    return Later(lambda: read_summary(source, body))


def list_same_texts(source: DataSource, body: SameTextsBody) -> Reply:
    """Texts that several runs logged alike."""
    check_count(len(body.runs or ()), MAX_NAMES, what="runs", where="runs")
    return Later(lambda: find_same_texts(source, body))


ROUTES = (
    Route("/api/overview/summary", summarize, OverviewSummary, body=OverviewBody),
    Route("/api/overview/same_texts", list_same_texts, SameTexts, body=SameTextsBody),
)
