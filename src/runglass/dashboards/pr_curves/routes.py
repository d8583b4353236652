"""The PR curves route: the curves of several values at once."""

from __future__ import annotations

from runglass.api.checks import check_count
from runglass.api.route import COLUMNS, CSV, JSON, Later, Reply, Route
from runglass.dashboards.pr_curves.answers import load_answer
from runglass.dashboards.pr_curves.shape import Curves, CurvesBody
from runglass.query.source import DataSource

MAX_SERIES = 2_000


def read_curves(source: DataSource, body: CurvesBody) -> Reply:
    """PR curves of several values: counts, precision, recall, ROC and F1 at every threshold, and their scores."""
    check_count(len(body.series), MAX_SERIES, what="curves", where="series")
    return Later(lambda: load_answer(source, body))


ROUTES = (
    Route("/api/pr_curves/curves", read_curves, Curves, body=CurvesBody, media_types=(JSON, COLUMNS, CSV)),
)
