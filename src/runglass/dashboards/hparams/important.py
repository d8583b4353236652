"""The importance of hyperparameters as a job: reads the runs in the server; query/hparams/importance.py measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from runglass.api.hparams import known_sessions
from runglass.dashboards.hparams.row_answers import to_body
from runglass.dashboards.hparams.shape import ImportanceAnswer, ImportanceBody, ImportanceQuery, RowsQuery
from runglass.dashboards.hparams.table import known_tables, to_metric
from runglass.errors import BadRequest
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.goals import guess_goal
from runglass.query.hparams.columns import order_columns
from runglass.query.hparams.importance import Importance, measure_importance
from runglass.query.source import DataSource

# How long GET /api/hparams/importance waits.
WAIT_S = 30.0


def identify_runs(source: DataSource, body: ImportanceBody) -> Any:
    to_metric(body.metric, where="metric")
    # Any run may begin to matter, so any change does.
    return source.generation


def load_runs(context: Context, source: DataSource, body: ImportanceBody) -> Iterator[Any]:
    context.progress("Reading", 0)
    tables = known_tables.of(source)
    read, found = known_sessions.of(source).read_columns(source)
    columns = order_columns(found)
    wanted_runs = None if body.runs is None else set(body.runs)
    wanted = None if body.hparams is None else set(body.hparams)
    rows = [row for row, each in enumerate(read.sessions) if wanted_runs is None or each.run in wanted_runs]
    (values,) = tables.metrics.read(
        source, [read.sessions[row] for row in rows], [to_metric(body.metric, where="metric")]
    )
    chosen = [
        replace(column, values=[column.values[row] for row in rows])
        for column in columns
        if wanted is None or column.name in wanted
    ]
    goal = body.goal or guess_goal(f"{body.metric.group}/{body.metric.tag}")
    yield chosen, values, goal, body.seed


def measure(context: Context, inputs: Iterator[Any]) -> Importance:
    columns, values, goal, seed = next(inputs)
    return measure_importance(
        columns,
        values,
        goal=goal,
        seed=seed,
        on_first=context.partial,
        on_progress=lambda done, total: context.progress("Growing trees", done, total),
    )


def to_question(query: ImportanceQuery) -> ImportanceBody:
    as_rows = RowsQuery(stat=query.stat, step=query.step, best_metric=query.best_metric, best=query.best)
    metric = to_body(query.metric, as_rows)
    to_metric(metric, where="")
    return ImportanceBody(metric=metric, goal=query.goal, seed=query.seed)


def make_answer(job: Job) -> ImportanceAnswer:
    """The result, or the first look if the time is up."""
    now = job.snapshot()
    if now.error is not None:
        raise now.error
    if job.result is not None:
        return msgspec.json.decode(job.result.data, type=ImportanceAnswer)
    partials = job.read_partials()[1]
    if not partials:
        raise BadRequest(f"The runs could not be read in {WAIT_S:g} s. Ask again, or start a job.")
    return msgspec.json.decode(partials[-1].data, type=ImportanceAnswer)
