"""The hparams routes: the table of sessions, as columns for the page and as rows for code."""

from __future__ import annotations

from runglass.api.checks import check_count
from runglass.api.route import Later, Reply, Route
from runglass.dashboards.hparams.shape import HParamTable, TableBody
from runglass.dashboards.hparams.table import known_tables
from runglass.query.source import DataSource

MAX_METRICS = 200


def read_table(source: DataSource, body: TableBody) -> Reply:
    """Hyperparameters and metrics of every session, in columns."""
    check_count(len(body.metrics or ()), MAX_METRICS, what="metrics", where="metrics")
    return Later(lambda: known_tables.of(source).read(source, body))


ROUTES = (Route("/api/hparams/table", read_table, HParamTable, body=TableBody),)
