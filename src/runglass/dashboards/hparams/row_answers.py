"""Sessions as rows of JSON or CSV, for scripts."""

from __future__ import annotations

from runglass.api.answers import attachment, number
from runglass.api.hparams import known_sessions
from runglass.api.route import CSV, Answer
from runglass.dashboards.hparams.shape import MetricBody, ProblemAnswer, RowAnswer, Rows, RowsQuery
from runglass.dashboards.hparams.table import known_tables, to_metric
from runglass.query.hparams.model import MetricName
from runglass.query.hparams.rows import HParamRow, label_of, read_rows, write_csv
from runglass.query.source import DataSource


def to_body(metric: str, query: RowsQuery) -> MetricBody:
    """`group|tag`, or a tag alone."""
    group, bar, tag = metric.partition("|")
    best_group, best_bar, best_tag = (query.best_metric or "").partition("|")
    return MetricBody(
        group=group if bar else "",
        tag=tag if bar else metric,
        stat=query.stat,
        step=query.step,
        best_group=best_group if best_bar else "",
        best_tag=(best_tag if best_bar else best_group) or None,
        best=query.best,
    )


def read_rows_answer(source: DataSource, query: RowsQuery) -> Answer | Rows:
    # One metric stands for all when none is named.
    like = to_metric(to_body("", query), where="")
    metrics = None
    if query.metric is not None:
        metrics = [to_metric(to_body(each, query), where="") for each in query.metric]
    read = known_sessions.of(source).read(source)
    rows = read_rows(source, read, known_tables.of(source).metrics, metrics, like=like)
    if query.format == "csv":
        return Answer(write_csv(rows).encode("utf-8", "replace"), CSV, headers=(attachment("hparams.csv"),))
    problems = [ProblemAnswer(each.run, each.file, each.message) for each in read.problems]
    return Rows(read.generation, [_row(row) for row in rows], problems)


def _row(row: HParamRow) -> RowAnswer:
    return RowAnswer(
        run=row.run,
        members=list(row.members),
        group=row.group,
        status=row.status,
        started=row.started,
        ended=row.ended,
        host=row.host,
        hparams={
            name: number(value) if type(value) is float else value for name, value in row.hparams.items()
        },
        metrics={label_of(MetricName(*name)): number(value) for name, value in row.metrics.items()},
    )
