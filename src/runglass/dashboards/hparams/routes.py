"""The hparams routes: the table of sessions, as columns for the page and as rows for code, and what made the difference."""

from __future__ import annotations

from runglass.api.checks import check_count
from runglass.api.route import CSV, JSON, FromJob, Later, Reply, Route
from runglass.dashboards.hparams.important import WAIT_S, make_answer, to_question
from runglass.dashboards.hparams.row_answers import read_rows_answer
from runglass.dashboards.hparams.shape import (
    HParamTable,
    ImportanceAnswer,
    ImportanceQuery,
    Rows,
    RowsQuery,
    SessionsBody,
)
from runglass.dashboards.hparams.table import known_tables
from runglass.query.source import DataSource

MAX_METRICS = 200


def read_table(source: DataSource, body: SessionsBody) -> Reply:
    """Hyperparameters and metrics of every session, in columns."""
    check_count(len(body.metrics or ()), MAX_METRICS, what="metrics", where="metrics")
    return Later(lambda: known_tables.of(source).read(source, body))


def list_rows(source: DataSource, query: RowsQuery) -> Reply:
    """Hyperparameters and metrics of every session, in rows."""
    check_count(len(query.metric or ()), MAX_METRICS, what="metrics", where="metric")
    return Later(lambda: read_rows_answer(source, query))


def read_importance(source: DataSource, query: ImportanceQuery) -> Reply:
    """How much of the variance of a metric each hyperparameter explains, and each pair beyond its two."""
    return FromJob("hparams.importance", to_question(query), WAIT_S, make_answer)


ROUTES = (
    Route("/api/hparams/table", read_table, HParamTable, body=SessionsBody),
    Route("/api/hparams/table", list_rows, Rows, query=RowsQuery, media_types=(JSON, CSV)),
    Route("/api/hparams/importance", read_importance, ImportanceAnswer, query=ImportanceQuery),
)
