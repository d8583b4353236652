"""The distributions route: percentiles of histogram series over time."""

from __future__ import annotations

from runglass.api.route import COLUMNS, CSV, JSON, Later, Reply, Route
from runglass.dashboards.distributions.answers import load_answer
from runglass.dashboards.distributions.questions import check_body
from runglass.dashboards.distributions.shape import Distributions, DistributionsBody
from runglass.query.source import DataSource
from runglass.store.model import Kind


def read_distributions(source: DataSource, body: DistributionsBody) -> Reply:
    """Exact percentiles of every histogram of some series, from all buckets."""
    check_body(body)
    if body.format == "csv":
        # Raises if the series does not exist; the answer itself leaves unknown series out.
        source.read_values(body.series[0].key, kind=Kind.HISTOGRAM)
    return Later(lambda: load_answer(source, body))


ROUTES = (
    Route(
        "/api/distributions/bands",
        read_distributions,
        Distributions,
        body=DistributionsBody,
        media_types=(COLUMNS, JSON, CSV),
    ),
)
